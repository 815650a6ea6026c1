"""What one player sees of a table, whoever the others are: its legal actions, its observation of each outcome.

An observation is what is seen together with the legal actions that follow (or not being asked, or the end), numbered
once for the whole table; so policies that were found against one opponent can be followed against another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import Observation
from fogbound.forms.arrays import Ints
from fogbound.forms.table import Table

OVER, NOT_ASKED = -2, -1
ROOM = 4  # places to count in, for each key


@dataclass(frozen=True, eq=False)
class PlayerView:
    """One player's side of a table with S states and O outcomes."""

    player: int
    legal: Ints  # [S] its legal actions in each state; NOT_ASKED, or OVER
    obs: Ints  # [O] its observation of each outcome
    observations: list[tuple[Observation, int]] = field(repr=False)


def player_view(table: Table, player: int) -> PlayerView:
    """Number the observations that `player` can make."""
    legal = legal_by_state(table, player)
    own, rank = np.unique(legal, return_inverse=True)
    below = len(table.observations[player]) * len(own)
    kind: Any = np.int32 if below < 2**31 else np.int64
    keys: Ints = (table.seen[:, player].astype(kind) * len(own))[table.event]
    keys += rank.astype(kind)[table.next]
    kept, obs = _numbered(keys, below)
    labels = [(table.observations[player][k // len(own)], int(own[k % len(own)])) for k in kept.tolist()]
    return PlayerView(player, legal, obs.astype(np.int32, copy=False), labels)


def _numbered(keys: Ints, below: int) -> tuple[Ints, Ints]:
    """(the different keys in order, the place of each key among them); counted where there is room, else sorted."""
    if below > ROOM * len(keys):
        kept, places = np.unique(keys, return_inverse=True)
        return kept, places
    occurs = np.zeros(below, bool)
    occurs[keys] = True
    place = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(occurs), place[keys]


def legal_by_state(table: Table, player: int) -> NDArray[np.int64]:
    """[S] the player's legal actions in each state; NOT_ASKED, or OVER."""
    mine = np.where(table.actor_set_players[table.actor_set] == player, table.legal, -1).max(axis=1, initial=-1)
    return np.where(table.actor_set == 0, OVER, np.where(mine >= 0, mine, NOT_ASKED)).astype(np.int64)
