"""Dark Hex: connect two sides of a rhombus without seeing the other's stones.

Black connects top and bottom, white left and right; black begins. A cell touches the cells beside it, above and below
it, and those above right and below left. Each player sees its own stones, and those of the other that it ran into. In
the abrupt game, which this is, a player who chooses a taken cell is told so and loses the turn; in the classical game
it chooses again, unnoticed by the other. One of the players always connects its sides: the value of the game is the
share by which black wins more often.

The game is Phantom Hex of the literature on imperfect-information board games (Teytaud and Teytaud, "Lemmas on partial
observation, with application to phantom games", 2011), and `dark_hex(gameversion=adh)` in OpenSpiel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from fogbound.core import Dist, GameGroup, GameRecord, KnownValue, Outcome
from fogbound.games.parameters import require_ranges
from fogbound.games.phantom import PLACED, REWARDS, TAKEN, PhantomGame, State, Stones

STONES = ("b", "w")
WON = ("black connects top and bottom", "white connects left and right")
MOST = 4  # rows and columns


@dataclass(frozen=True)
class DarkHex(PhantomGame):
    """Hex in the dark, abrupt: cells are named a1 (top left) to the letter of the last column and the last row.

    Parameters
    ----------
    rows, columns
        The size of the board, 2 to 4 each. Black crosses the rows, white the columns.
    """

    name = "dark-hex"
    record = GameRecord(
        "Dark Hex",
        GameGroup.BOARDS,
        (KnownValue("dark-hex", 1 / 2, "exact certificate, gap 0; rules as OpenSpiel's dark_hex(gameversion=adh)"),),
    )

    rows: int = 2
    columns: int = 2
    players = ("black", "white")
    stones = STONES

    def __post_init__(self) -> None:
        require_ranges(self, rows=(2, MOST), columns=(2, MOST))

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The names of all cells, row by row."""
        return tuple(f"{'abcd'[column]}{row + 1}" for row in range(self.rows) for column in range(self.columns))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The cells that touch each one."""
        steps = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
        return tuple(
            tuple(
                (row + down) * self.columns + column + right
                for down, right in steps
                if 0 <= row + down < self.rows and 0 <= column + right < self.columns
            )
            for row in range(self.rows)
            for column in range(self.columns)
        )

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((("",) * (self.rows * self.columns), 0)))

    def actors(self, state: State) -> tuple[int, ...]:
        cells, mover = state
        return () if self.connects(cells, 1 - mover) else (mover,)

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        cells, mover = state
        at = self.cells.index(joint[0])
        if cells[at]:
            found = self.put(cells, at, cells[at].upper())
            return Dist.sure(Outcome((found, 1 - mover), private=self.told(mover, TAKEN)))
        after = self.put(cells, at, STONES[mover])
        if self.connects(after, mover):
            return Dist.sure(Outcome((after, 1 - mover), REWARDS[mover], WON[mover]))
        return Dist.sure(Outcome((after, 1 - mover), private=self.told(mover, PLACED)))

    def connects(self, cells: Stones, player: int) -> bool:
        """Whether a player's stones connect its two sides."""
        own = {at for at, stone in enumerate(cells) if stone.lower() == STONES[player]}
        side, many = (self.columns, self.rows) if player == 0 else (1, self.columns)
        ahead = [at for at in own if (at // side) % many == 0]
        reached = set(ahead)
        while ahead:
            at = ahead.pop()
            if (at // side) % many == many - 1:
                return True
            fresh = own.intersection(self.neighbours[at]) - reached
            reached |= fresh
            ahead += fresh
        return False

    def caption(self, state: State) -> str:
        cells, mover = state
        return WON[1 - mover] if self.connects(cells, 1 - mover) else f"{self.players[mover]} to move"
