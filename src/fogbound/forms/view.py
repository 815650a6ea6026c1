"""What one seat sees of a table, whoever the others are: its menu in each state, its observation of each outcome.

An observation is what is seen together with the menu that follows (or not being asked, or the end), numbered once
for the whole table; so policies that were found against one opponent can be followed against another.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import Seen
from fogbound.forms.table import Ints, Table

OVER, NOT_ASKED = -2, -1


@dataclass(frozen=True, eq=False)
class View:
    """One seat's side of a table with S states and O outcomes."""

    seat: int
    menu: Ints  # [S] its menu in each state; NOT_ASKED, or OVER
    obs: Ints  # [O] its observation of each outcome
    observations: list[tuple[Seen, int]] = field(repr=False)


def view(table: Table, seat: int) -> View:
    """Number the observations that `seat` can make."""
    menu = menus(table, seat)
    spread = len(table.menu_size) + 2
    keys = table.seen[table.event, seat].astype(np.int64) * spread + menu[table.next] + 2
    kept, obs = np.unique(keys, return_inverse=True)
    labels = [(table.sights[seat][int(k // spread)], int(k % spread) - 2) for k in kept]
    return View(seat, menu, obs.astype(np.int32), labels)


def menus(table: Table, seat: int) -> NDArray[np.int64]:
    """[S] the seat's menu in each state; NOT_ASKED, or OVER."""
    mine = np.where(table.crew_actors[table.crew] == seat, table.menu, -1).max(axis=1, initial=-1)
    return np.where(table.crew == 0, OVER, np.where(mine >= 0, mine, NOT_ASKED)).astype(np.int64)
