"""Locks written down: at which information sets a player must play given probabilities, or at least so much.

They come from a dict, from a table (CSV or JSON) in the form in which strategies travel, or as a text for a command
line, and lead to the tree of the game with these locks (`forms.locked_tree`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from fogbound.core.errors import FileError, SpecError, brief, many, one_of
from fogbound.core.game import AnyGame, Game
from fogbound.core.numerals import number
from fogbound.core.registry import suggestion
from fogbound.driver.solution import FLOORS, LOCKS
from fogbound.files.strategies import ROUNDING, Situations, by_knowledge, is_controller, move_numbers, table_rows
from fogbound.forms.arrays import Floats
from fogbound.forms.locked_tree import LockedTree, locked_tree
from fogbound.forms.protocol import Form, Question, derive
from fogbound.forms.sequence import sequence
from fogbound.forms.tree import Tree

One: TypeAlias = "Mapping[Any, Any] | str | os.PathLike[str]"
LockLike: TypeAlias = "One | Sequence[One]"
Written = dict[str, dict[str, dict[str, float]]]  # player -> information set -> action -> probability

TABLES = (".csv", ".json")
EXPECTED = "expected {player: {information set: {action: probability}}}, a .csv or .json, or a text such as "


@dataclass(frozen=True)
class Locks:
    """Locks as they were given, by the names of players, information sets and actions.

    Parameters
    ----------
    exact
        The probabilities that must be played.
    floor
        The least probabilities that must be played.
    """

    exact: Written
    floor: Written

    @classmethod
    def given(cls, game: AnyGame | Form, exact: LockLike | None, floor: LockLike | None) -> Locks:
        """Those that are written down somewhere; SpecError or FileError where they cannot be read."""
        return cls(_written(exact, game, LOCKS), _written(floor, game, FLOORS))

    @classmethod
    def stored(cls, provenance: Mapping[str, Any], game: AnyGame | Form) -> Locks:
        """Those of a solution, which files hold by player."""
        return cls.given(game, provenance.get(LOCKS), provenance.get(FLOORS))

    def __bool__(self) -> bool:
        return bool(self.exact or self.floor)

    def plain(self) -> dict[str, Written]:
        """For a provenance: what there is."""
        return {name: part for name, part in ((LOCKS, self.exact), (FLOORS, self.floor)) if part}

    @property
    def words(self) -> tuple[str, ...]:
        """One clause for each lock."""
        return tuple(
            f"{player} at {known}: " + ", ".join(f"{move} {least}{number(p, 6)}" for move, p in moves.items())
            for part, least in ((self.exact, ""), (self.floor, "at least "))
            for player, sets in part.items()
            for known, moves in sets.items()
        )

    def applied(self, game: AnyGame | Form, limit: int | None = None) -> AnyGame | Form:
        """The tree of the game with these locks; the game itself where there are none."""
        return self.tree(game, limit) if self else game

    def tree(self, game: AnyGame | Form, limit: int | None = None) -> LockedTree:
        """The tree of the game with these locks; SpecError names the lock that is impossible."""
        free, said = derive(game, Tree, Question(limit=limit)), game.describe if isinstance(game, Game) else str
        form = sequence(free)
        floors = []
        for player, name in enumerate(form.players):
            places, floor = by_knowledge(form, player, said), np.zeros(form.plexes[player].sequences)
            for what, sets in ((LOCKS, self.exact.get(name, {})), (FLOORS, self.floor.get(name, {}))):
                _put(floor, places, sets, what, name)
            floors.append(floor)
        return locked_tree(free, floors, limit)


def _put(floor: Floats, places: Situations, sets: Mapping[str, Mapping[str, float]], what: str, player: str) -> None:
    """The numbers of one player's locks in their places."""
    place = {name: k for k, name in enumerate(places.names)}
    for known, moves in sets.items():
        if known not in place:
            near = suggestion(known, place) or "; solution.table() lists them"
            raise SpecError(
                f"{what}: {player} has no information set {brief(known)}, expected one of its "
                f"{many(len(place), 'information set')}{near}"
            )
        where, k = f"{what}: {player}, at {brief(known)}", place[known]
        numbers = move_numbers(moves, places.moves[k], places.labels[k], where)
        total, at = math.fsum(numbers), slice(places.first[k], places.first[k] + len(numbers))
        if what == LOCKS and abs(total - 1) > ROUNDING:
            raise SpecError(f"{where}: probabilities sum to {total:.9g}, expected 1; give least ones as floors")
        if what == FLOORS and total > 1 + ROUNDING:
            raise SpecError(f"{where}: least probabilities sum to {total:.9g}, expected at most 1")
        if floor[at].any():
            raise SpecError(f"{where}: is in locks already, expected an exact lock or a floor, not both")
        floor[at] = numbers if what == FLOORS and total < 1 else np.array(numbers) / total


def _written(source: LockLike | None, game: AnyGame | Form, what: str) -> Written:
    """What is given, by the names of the players."""
    found: Written = {}
    for player, known, moves in () if source is None else _entries(source, game, what):
        sets = found.setdefault(player, {})
        if known in sets:
            raise SpecError(f"{what}: {player}, at {brief(known)}: is there a second time")
        sets[known] = moves
    return found


def _entries(source: LockLike, game: AnyGame | Form, what: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(player, information set, what is given for its actions)."""
    if isinstance(source, Mapping):
        yield from _of_mapping(source, game, what)
    elif isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        yield from _of_table(Path(text), game) if text.endswith(TABLES) else [_of_text(text, game, what)]
    elif isinstance(source, Sequence):
        for one in source:
            yield from _entries(one, game, what)
    else:
        raise SpecError(f"{what}: found {brief(source)}, {EXPECTED}{_example(game)}")


def _of_mapping(
    source: Mapping[Any, Any], game: AnyGame | Form, what: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for key, sets in source.items():
        player = game.players[key] if type(key) is int and 0 <= key < len(game.players) else str(key)
        _require_player(player, game, what)
        if not isinstance(sets, Mapping) or not all(isinstance(moves, Mapping) for moves in sets.values()):
            raise SpecError(f"{what}: {player} has {brief(sets)}, {EXPECTED}{_example(game)}")
        for known, moves in sets.items():
            yield player, str(known), {str(move): p for move, p in moves.items()}


def _of_table(path: Path, game: AnyGame | Form) -> Iterator[tuple[str, str, dict[str, Any]]]:
    rows = table_rows(path)
    if is_controller(rows):
        raise FileError(f"{path}: is the table of a controller, expected one by information set")
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line, row in rows:
        player, known, action = (str(row[name]) for name in ("player", "information_set", "action"))
        _require_player(player, game, f"{path}:{line}")
        moves = found.setdefault((player, known), {})
        if action in moves:
            raise FileError(f"{path}:{line}: {action!r} is there a second time for {known!r}")
        try:
            moves[action] = float(row["probability"])
        except (TypeError, ValueError):
            given = brief(row["probability"])
            raise FileError(f"{path}:{line}: probability is {given}, expected a number from 0 to 1") from None
    if not found:
        raise FileError(f"{path}: has no rows, expected one for each action of a lock")
    yield from ((player, known, moves) for (player, known), moves in found.items())


def _of_text(text: str, game: AnyGame | Form, what: str) -> tuple[str, str, dict[str, Any]]:
    """``PLAYER: INFORMATION SET: ACTION=P, ACTION=P``."""
    player, _, rest = text.partition(":")
    known, _, moves = rest.rpartition(":")
    pairs = [part.rpartition("=") for part in moves.split(",")]
    if not known.strip() or not all(middle and action.strip() for action, middle, _ in pairs):
        raise SpecError(f"{what}: found {brief(text)}, {EXPECTED}{_example(game)}")
    _require_player(player.strip(), game, what)
    try:
        return player.strip(), known.strip(), {action.strip(): float(p) for action, _, p in pairs}
    except ValueError:
        raise SpecError(
            f"{what}: {brief(text)}: found {brief(moves.strip())}, expected ACTION=P, such as bet=0.5"
        ) from None


def _require_player(player: str, game: AnyGame | Form, where: str) -> None:
    if player not in game.players:
        raise SpecError(f"{where}: player {brief(player)}, expected {one_of(game.players)}")


def _example(game: AnyGame | Form) -> str:
    return f'"{game.players[0]}: INFORMATION SET: ACTION=0.5, ACTION=0.5"'
