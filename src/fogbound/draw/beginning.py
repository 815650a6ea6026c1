"""A picture of how a game may begin."""

from __future__ import annotations

from collections.abc import Hashable

from fogbound.core.drawing import Drawing
from fogbound.core.game import AnyGame, Game

MOST_PICTURE = 400_000  # characters of SVG


def opening_picture(game: AnyGame) -> Drawing | None:
    """A start of the game as its first player sees it; None where it draws none, or a very large one."""
    state: Hashable = next(iter(game.start()))[0].state
    if type(game).draw is Game.draw:
        board = game.board(state, 0)
        if board is None or not board.rows:  # words alone are no picture
            return None
    drawn = game.draw(state, 0)
    return drawn if len(drawn.svg) <= MOST_PICTURE else None
