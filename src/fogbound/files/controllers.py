"""Controllers written down: what each node does, and to which node every observation then leads.

A policy that goes on for ever has no list of all that can be known; what it remembers is a node. A row of its table is
an action of a node, and its column `then` says where each observation leads after it; the row `start` says at which
node play begins. Words lead back to the game's own observations and actions, so that such a table is a policy again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import FileError, brief
from fogbound.core.game import AnyGame, Game, Observation
from fogbound.core.registry import suggestion
from fogbound.forms import words
from fogbound.forms.pomdp import POMDP, ModelGame
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import Table
from fogbound.policies.controller import Controller
from fogbound.policies.vocabulary import Vocabulary

START, THEN = "start", "then"
NODE = re.compile(r"node (\d+)(?::|$)")
ROUNDING = 1e-6  # by how much written probabilities may miss 1


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
            moves[action] = _probability(row["probability"], here)
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


def _probability(said: Any, here: str) -> float:
    try:
        p = float(said)
    except (TypeError, ValueError):
        p = -1.0
    if not 0 <= p <= 1:
        raise FileError(f"{here}: probability is {brief(said)}, expected a number from 0 to 1")
    return p
