"""What the phantom games share: a board on which neither player sees the other's stones.

A player knows its own stones, and those of the other that it ran into; only the mover is told how a move went.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import ClassVar

from fogbound.core import Board, Game, Tile
from fogbound.core.record import listed

Stones = tuple[str, ...]  # by cell: a player's letter, in upper case once the other has found it; "" for none
State = tuple[Stones, int]  # (the stones, who moves)
PLACED, TAKEN = "placed", "taken"
REWARDS = ((1, -1), (-1, 1))  # by the winner


class PhantomGame(Game[State, str]):
    """Players put stones on cells in turn; who chooses a taken cell is told so."""

    stones: ClassVar[tuple[str, str]]  # the players' letters
    columns: int

    @property
    @abstractmethod
    def cells(self) -> tuple[str, ...]:
        """The names of all cells, row by row, which are the actions."""

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        return tuple([cell for cell, stone in zip(self.cells, state[0]) if not self.knows(stone, player)])

    def knows(self, stone: str, player: int) -> bool:
        """Whether a player knows what is in a cell: its own stone, or one of the other that it ran into."""
        return stone == self.stones[player] or stone.isupper()

    def put(self, stones: Stones, at: int, stone: str) -> Stones:
        """The board with another stone in one cell."""
        return (*stones[:at], stone, *stones[at + 1 :])

    def told(self, mover: int, word: str) -> tuple[str | None, str | None]:
        """The mover alone is told how its move went."""
        return (word, None) if mover == 0 else (None, word)

    def board(self, state: State, player: int | None = None) -> Board:
        tones = {"": "plain", **dict(zip(self.stones, ("mine", "theirs")))}
        tiles = [
            Tile(stone.lower(), tones[stone.lower()])
            if player is None or self.knows(stone, player)
            else Tile("?", "fog")
            for stone in state[0]
        ]
        rows = [tiles[at : at + self.columns] for at in range(0, len(tiles), self.columns)]
        return Board.grid(rows, self.caption(state), [str(row + 1) for row in range(len(rows))])

    @abstractmethod
    def caption(self, state: State) -> str:
        """Whose turn it is, or how the game ended."""

    def describe_state(self, state: State) -> str:
        placed = [f"{name} on {self._stones_of(state[0], own)}" for name, own in zip(self.players, self.stones)]
        return "; ".join([*placed, self.caption(state)])

    def _stones_of(self, stones: Stones, own: str) -> str:
        """The cells of a player's stones; a star marks those that the other has found."""
        found = zip(self.cells, stones)
        cells = [self.describe(cell) + "*" * stone.isupper() for cell, stone in found if stone.lower() == own]
        return listed(cells, "no cell")

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"the cell was {'free' if seen == PLACED else 'taken'}"

    def hidden_words(self, state: State, player: int) -> str:
        listed = zip(self.cells, state[0])
        hidden = [self.describe(cell) for cell, stone in listed if stone and not self.knows(stone, player)]
        return f"{self.players[1 - player]}: {', '.join(hidden) or 'nothing more'}"
