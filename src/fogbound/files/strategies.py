"""Strategies written down: what a player knows in words, what it then does, with which probability.

Two kinds of games have a finite list of situations that can be written down: those that end, by information set, and
those in which everybody knows the state, by state. `Situations` is that list for one player; words lead back to it, so
that a strategy may come in from a table (CSV), from JSON, or from a dict. What goes on for ever is written as a
controller: a row is an action of a node, its column `then` says where each observation leads after it, and the row
`start` says at which node play begins.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fogbound.core.bounded import read_bytes
from fogbound.core.dist import Dist
from fogbound.core.errors import FileError, FormError, LimitError, SpecError, brief
from fogbound.core.game import AnyGame, Game, Observation
from fogbound.core.policy import Strategy
from fogbound.core.registry import suggestion
from fogbound.evaluation.chain import reach, visits
from fogbound.evaluation.exploitability import behaviour
from fogbound.evaluation.markov import markov_behaviour
from fogbound.forms import words
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame
from fogbound.forms.pomdp import POMDP, ModelGame
from fogbound.forms.protocol import Form, derive, title
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.policies.controller import Controller
from fogbound.policies.perfect_information import MarkovPolicy
from fogbound.policies.tabular import Tabular
from fogbound.policies.vocabulary import Vocabulary

COLUMNS = ("player", "information_set", "action", "probability", "reached")
ROUNDING = 1e-6  # by how much written probabilities may miss 1
MOST_BYTES = 1 << 28
START, THEN = "start", "then"
NODE = re.compile(r"node (\d+)(?::|$)")


@dataclass(frozen=True, eq=False)
class Situations:
    """Where one player may be asked to move, in words, in the order of an array of probabilities.

    Parameters
    ----------
    names
        What is known in each, told apart where words alone do not.
    moves
        Its actions, in words.
    labels
        The same as the author of the game wrote them.
    first
        Where the probabilities of each begin.
    size
        How long that array is.
    parents
        The place in the array of the own move that leads to each; -1 where none is needed.
    read
        A policy as such an array.
    policy
        An array as a policy.
    visits
        How often each is reached when all play as these arrays say, by player.
    """

    names: tuple[str, ...]
    moves: tuple[tuple[str, ...], ...] = field(repr=False)
    labels: tuple[tuple[Hashable, ...], ...] = field(repr=False)
    first: tuple[int, ...] = field(repr=False)
    size: int
    parents: tuple[int, ...] = field(repr=False)
    read: Callable[[Strategy], Floats] = field(repr=False)
    policy: Callable[[Floats], Strategy] = field(repr=False)
    visits: Callable[[Mapping[int, Strategy]], tuple[float, ...]] = field(repr=False)


def situations(game: AnyGame | Form, player: int) -> Situations:
    """Those of a player: by information set where the game ends, by state where everybody knows it.

    FormError (or LimitError) where there is no such list.
    """
    said: words.Describe = game.describe if isinstance(game, Game) else str
    if isinstance(game, POMDP | ModelGame):
        raise FormError(f"{title(game)}: a model may go on for ever, so nothing lists what can be known")
    try:
        return by_knowledge(derive(game, SequenceForm), player, said)
    except (FormError, LimitError) as error:
        try:
            return _by_state(derive(game, MarkovGame), player, said)
        except FormError:
            raise error from None


def by_knowledge(form: SequenceForm, player: int, said: words.Describe) -> Situations:
    known, plex = form.decisions, form.plexes[player]
    sets = plex.sets.tolist()
    labels = tuple(known.moves(h) for h in sets)
    memories = [int(known.set_memory[h]) for h in sets]

    def policy(array: Floats) -> Tabular:
        array[0] = 1.0  # the empty sequence
        return Tabular(known, player, array)

    def often(profile: Mapping[int, Strategy]) -> tuple[float, ...]:
        tables = {i: Tabular(known, i, behaviour(form, i, one)) for i, one in profile.items()}
        reached = reach(form, tables)[player]
        return tuple(reached.get(memory, 0.0) for memory in memories)

    return Situations(
        words.apart([words.history_text(said, known.history(player, memory)) for memory in memories]),
        tuple(words.apart([words.action(said, move) for move in moves]) for moves in labels),
        labels,
        tuple(plex.first.tolist()),
        plex.sequences,
        tuple(p if p else -1 for p in plex.parent.tolist()),
        lambda given: behaviour(form, player, given),
        policy,
        often,
    )


def _by_state(form: MarkovGame, player: int, said: words.Describe) -> Situations:
    asked = [s for s in range(form.size) if form.actions(s, player)]
    labels = tuple(form.actions(s, player) for s in asked)

    def often(profile: Mapping[int, Strategy]) -> tuple[float, ...]:
        paired, counts = visits(form, profile)
        number = form.enumerated[1]
        by_state = np.bincount(number[paired.point[:, 0]].clip(min=0), counts, form.size)
        return tuple(by_state[asked].tolist())

    return Situations(
        words.apart([words.label(form.states[s]) for s in asked]),
        tuple(words.apart([words.action(said, move) for move in moves]) for moves in labels),
        labels,
        tuple(form.first[player][asked].tolist()),
        int(form.first[player][-1]),
        (-1,) * len(asked),
        lambda given: markov_behaviour(form, player, given),
        lambda array: MarkovPolicy(form, player, array),
        often,
    )


Choices = Mapping[str, Mapping[str, float]]  # what is known -> (action -> probability)


def written(source: Any, game: AnyGame | Form, player: int) -> Strategy:
    """The policy that a table, JSON or a dict writes down for a player.

    A dict is ``{what is known: {action: probability}}``, or one of these for each player by name. What the strategy's
    own play excludes may be left out.

    SpecError or FileError where words name nothing, probabilities are none, or something that can be reached is missing
    (then it says what).
    """
    name = game.players[player]
    if not isinstance(source, str | os.PathLike):
        return _policy(_of_dict(source, game, player), situations(game, player), f"the strategy: {name}")
    where, rows = os.fspath(source), table_rows(Path(source))
    if is_controller(rows):
        return controller_of(rows, game, player, where)
    return _policy(_choices(rows, where, name), situations(game, player), f"{where}: {name}")


def _of_dict(source: Mapping[Any, Any], game: AnyGame | Form, player: int) -> Choices:
    name = game.players[player]
    by_player = [key for key in (name, player) if key in source]
    chosen: Any = source
    if by_player and all(isinstance(one, Mapping) for one in _values(source[by_player[0]])):
        chosen = source[by_player[0]]
    if not isinstance(chosen, Mapping) or not all(isinstance(one, Mapping) for one in chosen.values()):
        raise SpecError(f"found {brief(source)}, expected a strategy: {{what is known: {{action: probability}}}}")
    return {str(known): {str(action): p for action, p in moves.items()} for known, moves in chosen.items()}


def _values(given: Any) -> list[Any]:
    return list(given.values()) if isinstance(given, Mapping) else [given]


def table_rows(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """The lines of a table, numbered."""
    try:
        text = read_bytes(path, MOST_BYTES, "a strategy").decode()
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: cannot be read ({error})") from error
    return _csv_rows(path, text) if path.suffix == ".csv" else _json_rows(path, text)


def _choices(rows: list[tuple[int, dict[str, Any]]], path: str, player: str) -> Choices:
    """The lines of one player, by what is known."""
    choices: dict[str, dict[str, float]] = {}
    for number, row in rows:
        if row["player"] == player:
            moves = choices.setdefault(str(row["information_set"]), {})
            if str(row["action"]) in moves:
                raise FileError(
                    f"{path}:{number}: {row['action']!r} is there a second time for {row['information_set']!r}"
                )
            moves[str(row["action"])] = row["probability"]
    if not choices:
        raise FileError(f"{path}: has no line for {player!r} in the column player")
    return choices


def _csv_rows(path: Path, text: str) -> list[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = reader.fieldnames or ()
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise FileError(f"{path}:{max(1, reader.line_num)}: {error}") from error
    missing = [name for name in COLUMNS[:4] if name not in names]
    if missing:
        raise FileError(f"{path}:1: has no column {missing[0]!r}; expected {', '.join(COLUMNS[:4])}")
    for number, row in rows:
        if None in row or None in row.values():
            raise FileError(f"{path}:{number}: found another number of columns than in the first line")
    return rows


def _json_rows(path: Path, text: str) -> list[tuple[int, dict[str, Any]]]:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: is no JSON ({error})") from error
    listed = held.get("rows") if isinstance(held, dict) else held
    if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
        raise FileError(f'{path}: expected {{"rows": [{{"player": …, "information_set": …, …}}]}}')
    for number, row in enumerate(listed, 1):
        missing = [name for name in COLUMNS[:4] if name not in row]
        if missing:
            raise FileError(f"{path}: row {number} has no {missing[0]!r}; expected {', '.join(COLUMNS[:4])}")
    return list(enumerate(listed, 1))


def _policy(choices: Choices, places: Situations, where: str) -> Strategy:
    """Words as probabilities: every name must be known, every list of probabilities one."""
    number = {name: k for k, name in enumerate(places.names)}
    strange = next((known for known in choices if known not in number), None)
    if strange is not None:
        raise SpecError(f"{where}: never knows {brief(strange)}{suggestion(strange, number)}")
    array, weight = np.zeros(places.size), np.zeros(places.size + 1)  # weight: of own play, -1 is before any of it
    weight[-1] = 1.0
    for k, (first, up) in enumerate(zip(places.first, places.parents)):
        name, moves = places.names[k], places.moves[k]
        if name in choices:
            chances = probabilities(choices[name], moves, places.labels[k], f"{where}, at {brief(name)}")
        elif weight[up] > 0:
            raise SpecError(f"{where}: says nothing for {brief(name)}, which its own play can reach")
        else:
            chances = [1 / len(moves)] * len(moves)
        array[first : first + len(moves)] = chances
        weight[first : first + len(moves)] = weight[up] * np.array(chances)
    return places.policy(array)


def probabilities(
    given: Mapping[str, Any], moves: Sequence[str], labels: Sequence[Hashable], where: str
) -> list[float]:
    """[moves] as numbers that sum to 1. An action may also be named as the game's author wrote it."""
    chances = move_numbers(given, moves, labels, where)
    total = math.fsum(chances)
    if abs(total - 1) > ROUNDING:
        raise SpecError(f"{where}: probabilities sum to {total:.9g}, expected 1")
    return [p / total for p in chances]


def move_numbers(given: Mapping[str, Any], moves: Sequence[str], labels: Sequence[Hashable], where: str) -> list[float]:
    """[moves] as numbers from 0 to 1, 0 where nothing is given."""
    place = {str(label): k for k, label in enumerate(labels)} | {move: k for k, move in enumerate(moves)}
    chances = [0.0] * len(moves)
    for action, said in given.items():
        if action not in place:
            raise SpecError(f"{where}: {brief(action)} is no action, expected {', '.join(moves)}")
        p = _number(said)
        if not 0 <= p <= 1 + ROUNDING:
            raise SpecError(
                f"{where}: the probability of {brief(action)} is {brief(said)}, expected a number from 0 to 1"
            )
        chances[place[action]] = p
    return chances


@dataclass(frozen=True)
class Spoken:
    """A player's observations and actions in words, all different."""

    vocabulary: Vocabulary
    seen: Mapping[Observation, str]
    done: Mapping[Hashable, str]

    @classmethod
    def of(cls, game: AnyGame | Form, player: int) -> Spoken:
        """Those of a game or a model, in an order that depends on nothing else."""
        form: Any = derive(game, POMDP) if isinstance(game, POMDP | ModelGame) else derive(game, Table)
        known = Vocabulary.of(form, player)
        describe = game.describe if isinstance(game, Game) else str
        return cls(
            known,
            dict(zip(known.observations, words.apart(words.label(seen) for seen in known.observations))),
            dict(zip(known.actions, words.apart(words.action(describe, action) for action in known.actions))),
        )

    def then(self, leads: Iterable[tuple[Observation, int]]) -> dict[str, int]:
        """Where observations lead, in words."""
        return {self.seen[seen]: node for seen, node in leads}


def is_controller(rows: Iterable[tuple[int, Mapping[str, Any]]]) -> bool:
    """Whether the rows of a table are those of a controller."""
    return any(THEN in row for _, row in rows)


def controller_of(
    rows: Iterable[tuple[int, Mapping[str, Any]]], game: AnyGame | Form, player: int, where: str
) -> Controller:
    """The controller that the rows of a table describe; FileError with the row that says something impossible."""
    spoken, name = Spoken.of(game, player), game.players[player]
    seen, done = ({word: one for one, word in named.items()} for named in (spoken.seen, spoken.done))
    first: dict[Observation, int] = {}
    arrows: dict[tuple[int, Hashable | None, Observation], int] = {}
    chances: dict[int, dict[Hashable, float]] = {}
    for number, row in rows:
        if row["player"] != name:
            continue
        here = f"{where}, row {number}"
        leads = {_meant(seen, word, "observation", here): node for word, node in _then(row, here).items()}
        if row["information_set"] == START:
            first |= leads
            continue
        node = _node(row["information_set"], here)
        moves = chances.setdefault(node, {})
        action = _meant(done, str(row["action"]), "action", here) if row["action"] else None
        if action in moves:
            raise FileError(f"{here}: {row['action']!r} is there a second time for node {node}")
        if action is not None:
            moves[action] = _number(row["probability"])
            if not 0 <= moves[action] <= 1:
                found = brief(row["probability"])
                raise FileError(f"{here}: probability is {found}, expected a number from 0 to 1")
        arrows |= {(node, action, observation): target for observation, target in leads.items()}
    if not first:
        raise FileError(f"{where}: no row {START!r} says at which node {name} begins")
    return _built(first, arrows, chances, spoken.vocabulary, where)


def _built(
    first: dict[Observation, int],
    arrows: dict[tuple[int, Hashable | None, Observation], int],
    chances: dict[int, dict[Hashable, float]],
    vocabulary: Vocabulary,
    where: str,
) -> Controller:
    named = {*first.values(), *arrows.values(), *chances}
    if sorted(named) != list(range(len(named))) or len(chances) < len(named):
        missing = min({*range(len(named)), *named} - chances.keys(), default=len(named))
        raise FileError(f"{where}: no row says what node {missing} does")
    for node, moves in chances.items():
        if moves and abs(sum(moves.values()) - 1.0) > ROUNDING:
            raise FileError(f"{where}: the probabilities of node {node} sum to {sum(moves.values()):.9g}, expected 1")
    choices = tuple(Dist.of(chances[node]) if chances[node] else None for node in range(len(chances)))
    return Controller(first, arrows, choices, vocabulary=vocabulary)


def _node(said: Any, here: str) -> int:
    found = NODE.match(str(said))
    if found is None:
        raise FileError(f"{here}: information_set is {brief(said)}, expected {START!r} or a node such as 'node 0'")
    return int(found[1])


def _then(row: Mapping[str, Any], here: str) -> dict[str, int]:
    """Observation -> node, from JSON in a cell or from JSON itself."""
    said = row.get(THEN) or {}
    if isinstance(said, str):
        try:
            said = json.loads(said)
        except (ValueError, RecursionError):
            said = None
    if not isinstance(said, dict) or not all(type(node) is int and node >= 0 for node in said.values()):
        raise FileError(f'{here}: {THEN} is {brief(row.get(THEN))}, expected {{"observation": node, …}}')
    return {str(word): node for word, node in said.items()}


def _meant(named: Mapping[str, Any], word: str, what: str, here: str) -> Any:
    if word not in named:
        raise FileError(f"{here}: {brief(word)} is no {what} of this game{suggestion(word, named)}")
    return named[word]


def _number(said: Any) -> float:
    """A number that is written down; not a number where it is none."""
    try:
        return float(said)
    except (TypeError, ValueError):
        return math.nan
