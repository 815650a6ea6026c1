"""How King Up looks: the castle's levels from the throne down, and the list of whoever looks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fogbound.core import Board, Tile


def castle(places: Sequence[int], letters: str, height: int, width: int, own: Collection[str], caption: str) -> Board:
    """Each letter on its level (below 0: off the board), those of `own` in the colour of the player who looks."""
    rows = [_row(places, letters, level, own) for level in range(height, -2, -1)]
    room = [1, *[width] * (height - 1), 0, 0]  # how many squares are drawn even where nobody stands
    filled = [row + [Tile()] * (least - len(row)) for row, least in zip(rows, room)]
    labels = ["throne", *[f"level {level}" for level in range(height - 1, -1, -1)], "off"]
    return Board.grid(filled, caption, labels)


def _row(places: Sequence[int], letters: str, level: int, own: Collection[str]) -> list[Tile]:
    standing = [letter for letter, place in zip(letters, places) if place == level]
    return [Tile(letter, "mine" if letter in own else "plain") for letter in standing]
