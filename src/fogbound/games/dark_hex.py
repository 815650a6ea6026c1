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

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, KnownValue, Outcome, Tile
from fogbound.games.parameters import require_ranges

Cells = tuple[str, ...]  # row by row: "b", "w", "" where there is no stone; "B", "W" once the other has run into it
State = tuple[Cells, int]  # (cells, who moves)
STONES = ("b", "w")
PLACED, TAKEN = "placed", "taken"
WON = ("black connects top and bottom", "white connects left and right")
REWARDS = ((1, -1), (-1, 1))
MOST = 4  # rows and columns
TONES = {"": "plain", "b": "mine", "w": "theirs"}


@dataclass(frozen=True)
class DarkHex(Game[State, str]):
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

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        return tuple([cell for cell, stone in zip(self.cells, state[0]) if not knows(stone, player)])

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        cells, mover = state
        at = self.cells.index(joint[0])
        if cells[at]:
            found = (*cells[:at], cells[at].upper(), *cells[at + 1 :])
            return Dist.sure(Outcome((found, 1 - mover), private=_told(mover, TAKEN)))
        after = (*cells[:at], STONES[mover], *cells[at + 1 :])
        if self.connects(after, mover):
            return Dist.sure(Outcome((after, 1 - mover), REWARDS[mover], WON[mover]))
        return Dist.sure(Outcome((after, 1 - mover), private=_told(mover, PLACED)))

    def connects(self, cells: Cells, player: int) -> bool:
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

    def board(self, state: State, player: int | None = None) -> Board:
        tiles = [
            Tile(stone.lower(), TONES[stone.lower()]) if player is None or knows(stone, player) else Tile("?", "fog")
            for stone in state[0]
        ]
        rows = [tiles[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        return Board.grid(rows, self._caption(state), [str(row + 1) for row in range(self.rows)])

    def hidden_words(self, state: State, player: int) -> str:
        hidden = [cell for cell, stone in zip(self.cells, state[0]) if stone and not knows(stone, player)]
        return f"{self.players[1 - player]}: {', '.join(hidden) or 'nothing more'}"

    def _caption(self, state: State) -> str:
        cells, mover = state
        return WON[1 - mover] if self.connects(cells, 1 - mover) else f"{self.players[mover]} to move"


def knows(stone: str, player: int) -> bool:
    """Whether a player knows what is in a cell: its own stone, or one of the other that it ran into."""
    return stone in (STONES[player], STONES[player].upper(), STONES[1 - player].upper())


def _told(mover: int, word: str) -> tuple[str | None, str | None]:
    """The mover alone is told how its move went."""
    return (word, None) if mover == 0 else (None, word)
