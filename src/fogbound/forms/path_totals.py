"""The least and the most that can be paid along any way to an end: what a sum of payoffs lies between."""

from __future__ import annotations

import math

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.forms.recurrence import topological_order
from fogbound.forms.table import START, Table


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


def return_ranges(game: Table, most_steps: float = math.inf) -> Floats | None:
    """[2, n] the least and the most that each player can be paid in one play, whatever is played.

    Exact where every play ends; where states recur, from the smallest and largest reward of a step, the discount and
    the number of steps, or of the end where nothing else is paid. None where none of these bounds it.
    """
    if topological_order(game)[1] < 0:
        return path_totals(game)[:, : len(game.players)]
    begun = int(game.out[START + 1])  # outcomes of the start, which are paid before the first step
    paid = game.reward[game.event[begun:]]
    goes_on = game.actor_set[game.next[begun:]] != 0
    if not paid[goes_on].any():  # nothing but the end is paid, once
        most_steps = 1
    later = reward_sums(paid, game.discount, most_steps)
    first = game.reward[game.event[:begun]]
    return None if later is None else later + np.stack([first.min(axis=0), first.max(axis=0)])


def reward_sums(reward: Floats, discount: float, most_steps: float = math.inf) -> Floats | None:
    """[2, ...] the least and the most that discounted rewards can add up to, from [R, ...] the rewards of a step.

    Play may end at any step, and pays nothing then. None without a discount or a limit on the number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> reward_sums(np.array([-1.0, 2.0]), 0.5).tolist()
    [-2.0, 4.0]
    """
    steps = most_steps if discount >= 1 else min(most_steps, 1 / (1 - discount))
    if math.isinf(steps):
        return None
    return np.stack([reward.min(axis=0, initial=0.0), reward.max(axis=0, initial=0.0)]) * steps
