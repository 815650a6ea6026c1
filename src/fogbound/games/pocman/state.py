"""A state of Pocman: who is where, what is left of a pill, and the food."""

from __future__ import annotations

from typing import NamedTuple

from fogbound.games.pocman.food import Food
from fogbound.games.pocman.ghosts import Ghost


class State(NamedTuple):
    """Cells by number; one below 0 is how the game ended."""

    pocman: int
    ghosts: tuple[Ghost, ...] = ()
    power: int = 0  # what is left of a pill
    food: Food = Food(0, 0)


CAUGHT, CLEARED = State(-1), State(-2)
