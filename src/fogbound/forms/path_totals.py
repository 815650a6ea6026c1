"""The least and the most that can be paid along any way to an end: what a sum of payoffs lies between."""

from __future__ import annotations

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.forms.table import START, Table
from fogbound.forms.topological_order import topological_order


def path_totals(game: Table) -> Floats:
    """[2, n + 1] the least and the most that each player, and all together, can be paid on one way to an end.

    Whatever the players do, and with whatever luck. Play must end: states do not recur.
    """
    from fogbound.forms.kernels.tree import totals

    order, _ = topological_order(game)
    reward = np.column_stack([game.reward, game.reward.sum(axis=1)])
    low, high = np.zeros((game.size, reward.shape[1])), np.zeros((game.size, reward.shape[1]))
    totals(order, game.row, game.out, game.next, game.event, reward, game.discount, low, high)
    first = slice(game.out[START], game.out[START + 1])
    paid, to = reward[game.event[first]], game.next[first]
    return np.stack([(paid + low[to]).min(axis=0), (paid + high[to]).max(axis=0)])
