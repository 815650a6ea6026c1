"""Intrusion: guards search a strip of land for an intruder who crosses it and leaves tracks.

The land has `rows` x `columns` cells. One guard patrols each column of `guarded`, from its middle row, and in every
step goes one row up or down or stays. The intruder starts beyond the first column and sees everything. In a step it
goes on into the next column (at first to any row, then to one at most a row away), or waits. Where it enters it
leaves tracks, and waiting in a cell covers those that it left there: slow is stealthy. After each step a guard sees
whether there are tracks in its own cell, and no more. A guard in the intruder's cell after a step catches it and is
paid `capture`; an intruder who goes on from the last column is through and is paid `through`. Either ends the game.

A search game in the sense of Bosansky, Kiekintveld, Lisy and Pechoucek, "An exact double-oracle algorithm for
zero-sum extensive-form games with imperfect information" (2014): units that guard zones of a graph, tracks, and slow
moves that leave none. Horak, Bosansky and Pechoucek, "Heuristic Search Value Iteration for One-Sided Partially
Observable Stochastic Games" (2017) and the article of 2023 play it without an end. The graph and the rewards are ours.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import cast

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, Tile
from fogbound.core.record import listed
from fogbound.games.parameters import require_parameters

GUARDS, INTRUDER = 0, 1
NONE = -1
Cell = tuple[int, int]  # (row, column)
State = tuple[tuple[int, ...], Cell, tuple[int, ...]]  # (the guards' rows, the intruder, the row of tracks a guard)
Action = tuple[int, ...] | str  # the rows to which the guards go; the intruder's "row 2", "wait" or "leave"
OUTSIDE: Cell = (NONE, NONE)
OVER: State = ((), OUTSIDE, ())
MOST = 10


@dataclass(frozen=True)
class Intrusion(Game[State, Action]):
    """A strip of `columns`, some of them `guarded`."""

    name = "intrusion"
    record = GameRecord("Intrusion", GameGroup.HUNTS)

    rows: int = 3
    columns: int = 3
    guarded: tuple[int, ...] = (1, 2)
    capture: float = 100.0
    through: float = 100.0
    discount: float = 0.95
    players = ("guards", "intruder")

    def __post_init__(self) -> None:
        inside = all(type(column) is int and 0 <= column < self.columns for column in self.guarded)
        ascending = inside and list(self.guarded) == sorted(set(self.guarded))
        expected = {
            "rows": (1 <= self.rows <= MOST, f"1 to {MOST}"),
            "columns": (1 <= self.columns <= MOST, f"1 to {MOST}"),
            "guarded": (ascending and self.guarded != (), f"columns from 0 to {self.columns - 1}, ascending"),
            "capture": (0 <= self.capture < math.inf, "a finite number of at least 0"),
            "through": (0 < self.through < math.inf, "a finite number above 0"),
            "discount": (0 < self.discount < 1, "above 0 and below 1"),
        }
        require_parameters(self.name, vars(self), expected)

    def near(self, row: int) -> range:
        """The rows at most one away."""
        return range(max(row - 1, 0), min(row + 2, self.rows))

    @cached_property
    def _rounds(self) -> dict[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        return {}  # where the guards can go together, by where they are

    def start(self) -> Dist[Outcome[State]]:
        guards = len(self.guarded)
        return Dist.sure(Outcome(((self.rows // 2,) * guards, OUTSIDE, (NONE,) * guards)))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (GUARDS, INTRUDER)

    def actions(self, state: State, player: int) -> Sequence[Action]:
        guards, (row, column), _ = state
        if player == GUARDS:
            if guards not in self._rounds:
                self._rounds[guards] = tuple(product(*map(self.near, guards)))
            return self._rounds[guards]
        if column == self.columns - 1:
            return ("wait", "leave")
        rows = range(self.rows) if column == NONE else self.near(row)
        return ("wait", *(f"row {to}" for to in rows))

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        _, (row, column), tracks = state
        guards, way = cast(tuple[tuple[int, ...], str], joint)
        if way == "leave":
            return Dist.sure(Outcome(OVER, (-self.through, self.through), "through"))
        waits = way == "wait"
        row, column = (row, column) if waits else (int(way.removeprefix("row ")), column + 1)
        if (row, column) in zip(guards, self.guarded):
            return Dist.sure(Outcome(OVER, (self.capture, 0.0 - self.capture), "caught"))
        here = NONE if waits else row
        tracks = tuple(here if at == column else left for at, left in zip(self.guarded, tracks))
        seen = " ".join(f"tracks in column {at}" for at, g, t in zip(self.guarded, guards, tracks) if g == t)
        return Dist.sure(Outcome((guards, (row, column), tracks), (), seen or None, (None, guards)))

    def describe(self, action: Action) -> str:
        if isinstance(action, str):
            return action.replace("row", "go on to row")
        return "guard rows " + " ".join(map(str, action))

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "the game is over"
        return f"guards in rows {listed(state[0])}; {self.hidden_words(state, GUARDS)}"

    def describe_public(self, seen: Hashable) -> str:
        ends = {"caught": "the intruder is caught", "through": "the intruder is through"}
        return ends.get(str(seen)) or str(seen).replace(" tracks", " and tracks")

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"guards in rows {listed(cast(tuple[int, ...], seen))}"

    def hidden_words(self, state: State, player: int) -> str:
        _, (row, column), tracks = state
        if state == OVER or player != GUARDS:
            return ""
        where = "outside" if column == NONE else f"in row {row}, column {column}"
        left = [f"column {at}, row {row}" for at, row in zip(self.guarded, tracks) if row != NONE]
        return f"the intruder is {where}; tracks: {listed(left)}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("It is over.")
        rows = [
            [self._tile(state, (row, column), player) for column in range(self.columns)] for row in range(self.rows)
        ]
        return Board.grid(rows, "G: guards, I: the intruder, t: tracks", [str(row) for row in range(self.rows)])

    def _tile(self, state: State, cell: Cell, player: int | None) -> Tile:
        guards, intruder, tracks = state
        trodden = (cell in zip(tracks, self.guarded)) and (player != GUARDS or cell in zip(guards, self.guarded))
        if cell in zip(guards, self.guarded):
            return Tile("Gt" if trodden else "G", "mine")
        if player == GUARDS:
            return Tile("", "fog")
        return Tile("I", "theirs") if cell == intruder else Tile("t" if trodden else "")
