"""Battleship on a small sea: hide your ships, then shoot in turn at waters you cannot see.

Both players first lay out their fleet in secret and at the same time: straight ships of the lengths `ships`,
along a row or a column, which may touch but not overlap. Then they shoot in turn, never twice at one cell, and all
hear whether it was a hit, a miss or the last cell of a ship. Whoever has sunk the whole other fleet wins `win` from
the other; a miss costs `miss`, paid to the other. Every shot is a new one, so the game surely ends. A state keeps
what the future needs: the cells still afloat and the cells shot at, not which shots were hits.

Named in document 000's outlook. Farina, Ling, Fang and Sandholm, "Correlation in extensive-form games: saddle-point
formulation and benchmarks" (2019), play it with a value for each ship and a given number of shots.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.contract import DISCOUNT, is_discount
from fogbound.core.errors import brief
from fogbound.core.record import listed
from fogbound.games.parameters import require_parameters

FIRST, SECOND, BOTH = 0, 1, 2
ACTORS = ((FIRST,), (SECOND,), (FIRST, SECOND), (), ())  # by the last part of a state
Ships = tuple[int, ...]  # the cells afloat of each ship, a bit for each, in increasing order
Waters = tuple[Ships, int]  # (a fleet, the cells shot at, a bit for each)
State = tuple[tuple[Waters, Waters], int]  # (the players' waters, who moves: an index of ACTORS)
CALM: tuple[Waters, Waters] = (((), 0), ((), 0))
LAYING_OUT: State = (CALM, BOTH)
OVER: tuple[State, ...] = ((CALM, 3), (CALM, 4))  # by the winner
WORDS = {BOTH: "both lay out their ships", 3: "first has won", 4: "second has won"}
VERDICTS = {"miss": "misses", "hit": "hits", "sunk": "sinks a ship"}
MOST_LAYOUTS = 10_000


@dataclass(frozen=True)
class Battleship(Game[State, str]):
    """A sea of `rows` x `columns` each, with a fleet of ships of the lengths `ships` in it."""

    name = "battleship"
    record = GameRecord("Battleship", GameGroup.BOARDS)

    rows: int = 2
    columns: int = 2
    ships: tuple[int, ...] = (2,)
    win: float = 1.0
    miss: float = 0.0
    discount: float = 1.0
    players = ("first", "second")

    def __post_init__(self) -> None:
        fleet = 1 <= len(self.ships) <= 5 and all(type(size) is int and 1 <= size <= 10 for size in self.ships)
        expected = {
            "rows": (1 <= self.rows <= 10, "1 to 10"),
            "columns": (1 <= self.columns <= 10, "1 to 10"),
            "ships": (fleet, "1 to 5 lengths from 1 to 10, such as [2] or [3, 2]"),
            "win": (0 < self.win < math.inf, "a finite number above 0"),
            "miss": (0 <= self.miss < math.inf, "a finite number of at least 0"),
            "discount": (is_discount(self.discount), DISCOUNT),
        }
        require_parameters(self.name, vars(self), expected)
        if not 0 < len(self.layouts) <= MOST_LAYOUTS:
            ways = f"over {MOST_LAYOUTS:,}" if self.layouts else "no"
            counted = f"ships {brief(self.ships)} have {ways} layouts on {self.rows} x {self.columns} cells"
            raise SpecError(f"battleship: {counted}, expected 1 to {MOST_LAYOUTS:,}: change the ships or the sea")

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The cells by name, a1 first: a letter for the row, a number for the column."""
        return tuple(f"{'abcdefghij'[r]}{c + 1}" for r, c in product(range(self.rows), range(self.columns)))

    @cached_property
    def layouts(self) -> dict[str, Ships]:
        """The fleets there are, by the name of the action that lays them out."""
        fleets = islice(_fleets(sorted(self.ships), self.rows, self.columns), MOST_LAYOUTS + 1)
        return {" ".join(map(self._ends, fleet)): tuple(sorted(fleet)) for fleet in fleets}

    def _ends(self, ship: int) -> str:
        return f"{self.cells[(ship & -ship).bit_length() - 1]}-{self.cells[ship.bit_length() - 1]}"

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(LAYING_OUT))

    def actors(self, state: State) -> tuple[int, ...]:
        return ACTORS[state[1]]

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        if state == LAYING_OUT:
            return tuple(self.layouts)
        _, shots = state[0][1 - player]
        return tuple([name for bit, name in enumerate(self.cells) if not shots >> bit & 1])

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        if state == LAYING_OUT:
            mine, theirs = (self.layouts[action] for action in joint)
            return Dist.sure(Outcome((((mine, 0), (theirs, 0)), FIRST)))
        (waters, shooter), (cell,) = state, joint
        ships, shots = waters[1 - shooter]
        shot = 1 << self.cells.index(cell)
        verdict = "miss" if not any(ship & shot for ship in ships) else "sunk" if shot in ships else "hit"
        left = tuple(sorted(ship & ~shot for ship in ships if ship != shot))
        if not left:
            return Dist.sure(Outcome(OVER[shooter], _rewards(shooter, self.win), f"{cell} sunk"))
        after = (left, shots | shot)
        both = (waters[FIRST], after) if shooter == FIRST else (after, waters[SECOND])
        cost = self.miss if verdict == "miss" else 0.0
        return Dist.sure(Outcome((both, 1 - shooter), _rewards(shooter, -cost), f"{cell} {verdict}"))

    def describe(self, action: str) -> str:
        return f"lay out {action}" if "-" in action else f"shoot at {action}"

    def describe_state(self, state: State) -> str:
        if state[0] == CALM:
            return WORDS[state[1]]
        waters, mover = state
        seas = [f"{name} has {self._fleet(own)}" for name, own in zip(self.players, waters)]
        return "; ".join([*seas, f"{self.players[mover]} to shoot"])

    def describe_public(self, seen: Hashable) -> str:
        cell, verdict = str(seen).split()
        return f"the shot at {cell} {VERDICTS[verdict]}"

    def _fleet(self, waters: Waters) -> str:
        """The cells afloat of each ship, and the cells shot at."""
        ships, shots = waters
        afloat = ", ".join(f"a ship on {listed(self._cells(ship))}" for ship in ships)
        return f"{afloat}, shots at {listed(self._cells(shots))}" if shots else afloat

    def _cells(self, bits: int) -> list[str]:
        return [name for bit, name in enumerate(self.cells) if bits >> bit & 1]

    def hidden_words(self, state: State, player: int) -> str:
        ships, _ = state[0][1 - player]
        return f"{self.players[1 - player]} has {self._fleet((ships, 0))}" if ships else ""

    def board(self, state: State, player: int | None = None) -> Board:
        if state[0] == CALM:
            return Board.of_text(WORDS[state[1]])
        waters, mover = state
        lines = list(product((FIRST, SECOND), range(self.rows)))
        rows = [[self._tile(waters[o], r * self.columns + c, o, player) for c in range(self.columns)] for o, r in lines]
        afloat = " and ".join(str(sum(map(int.bit_count, ships))) for ships, _ in waters)
        labels = [f"{self.players[owner]} {'abcdefghij'[row]}" for owner, row in lines]
        return Board.grid(rows, f"{self.players[mover]} to shoot; cells afloat: {afloat}", labels)

    def _tile(self, waters: Waters, bit: int, owner: int, player: int | None) -> Tile:
        ships, shots = waters
        if shots >> bit & 1:
            return Tile("×")
        if player not in (None, owner):
            return Tile("?", "fog")
        return Tile("■", ("mine", "theirs")[owner]) if sum(ships) >> bit & 1 else Tile()


def _rewards(player: int, gain: float) -> tuple[float, ...]:
    return () if gain == 0 else (gain, -gain) if player == FIRST else (-gain, gain)


def _fleets(lengths: Sequence[int], rows: int, columns: int, fleet: Ships = ()) -> Iterator[Ships]:
    """Every way to add ships of these lengths to a fleet, each once: ships of one length are alike."""
    if not lengths:
        yield fleet
        return
    alike = len(fleet) > 0 and fleet[-1].bit_count() == lengths[0]
    for ship in _lines(lengths[0], rows, columns):
        if not ship & sum(fleet) and not (alike and ship < fleet[-1]):
            yield from _fleets(lengths[1:], rows, columns, (*fleet, ship))


def _lines(length: int, rows: int, columns: int) -> list[int]:
    """The places of one ship, along a row or down a column; a ship of one cell has no direction."""
    across, down = sum(1 << k for k in range(length)), sum(1 << k * columns for k in range(length))
    lines = {across << r * columns + c for r in range(rows) for c in range(columns - length + 1)}
    lines |= {down << r * columns + c for r in range(rows - length + 1) for c in range(columns)}
    return sorted(lines)
