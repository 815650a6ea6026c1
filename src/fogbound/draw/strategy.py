"""What a strategy does, as a picture and as text: a grid where the game has poker's shape, else a list."""

from __future__ import annotations

from fogbound.draw.moves import choices, grid
from fogbound.draw.strategy_grid import draw_grid, text_grid
from fogbound.draw.strategy_list import draw_list, text_list
from fogbound.draw.words import Describe
from fogbound.policies.tabular import Tabular

MOST_ROWS = 80


def strategy(policy: Tabular, describe: Describe = str, most_rows: int = MOST_ROWS) -> str:
    """The moves of a strategy with their probabilities, by what its player knows.

    "not reached" marks knowledge that the strategy's own earlier moves rule out: its numbers there decide
    nothing. Over `most_rows` rows the first are drawn, and the picture says how many are missing.
    """
    found = choices(policy)
    shape = grid(policy, found)
    if shape:
        return draw_grid(policy, shape, describe, max(1, most_rows))
    return draw_list(policy, found, describe, max(1, most_rows))


def strategy_text(policy: Tabular, describe: Describe = str, most_rows: int = MOST_ROWS) -> str:
    """The same as `strategy` in aligned plain text, for a terminal."""
    found = choices(policy)
    shape = grid(policy, found)
    if shape:
        return text_grid(policy, shape, describe, max(1, most_rows))
    return text_list(policy, found, describe, max(1, most_rows))
