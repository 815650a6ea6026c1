"""First bounds of a one-sided game: if the blind player saw everything, and if it only played at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import NONE, ZERO, inlined, kernel
from fogbound.solvers.one_sided.kernels.master import dual_simplex, put_column, read


@dataclass(frozen=True, eq=False)
class WorstCase(Bundle):
    """What is found."""

    values: np.ndarray  # [S] what follows
    worst: np.ndarray  # [S] the worst that can happen in a step from each state
    reward: np.ndarray  # [cells] the reward of a step when `values` have been taken off the states' values
    ahead: np.ndarray  # [replies of a partition] an action's rewards, and the discounted values of what follows


@kernel
def look_ahead(steps, least, action, base, discount):
    """Look ahead from an action's replies."""
    low, ahead = steps.reward_start[action], least.ahead
    many = steps.reward_start[action + 1] - low
    first, last = steps.successor_start[action], steps.successor_start[action + 1]
    for k in range(many):
        ahead[k] = 0.0
    for e in range(steps.transition_start[first], steps.transition_start[last]):
        ahead[steps.source[e] - base] += steps.prob[e] * least.values[steps.to[e]]
    for k in range(many):
        ahead[k] = steps.reward[low + k] + discount * ahead[k]


@kernel
def worst_case_sweep(steps, least, partitions, discount):
    """The worst that can happen in a step, and rewards with values taken off: `worst` and `reward`."""
    worst, values, ahead = least.worst, least.values, least.ahead
    for p in range(partitions):
        base = steps.reply_start[steps.state_start[p]]
        for s in range(steps.state_start[p], steps.state_start[p + 1]):
            worst[s] = np.inf
        for j in range(steps.action_start[p], steps.action_start[p + 1]):
            look_ahead(steps, least, j, base, discount)
            for s in range(steps.state_start[p], steps.state_start[p + 1]):
                for k in range(steps.reply_start[s], steps.reply_start[s + 1]):
                    worst[s] = min(worst[s], ahead[k - base])
                    least.reward[steps.reward_start[j] + k - base] = ahead[k - base] - values[s]


MOST_USED = 100  # columns of a matrix game


@dataclass(frozen=True, eq=False)
class Sweep(Bundle):
    """What is swept over."""

    values: np.ndarray  # [S]
    table: np.ndarray  # [actions, replies] of a partition: the value of each pair when these follow
    mixture: np.ndarray  # [K] how the other plays, in each state as if both saw it


@kernel
def payoffs(game, sweep, partition):
    """Fill the table of a partition. The number of its actions."""
    values, table = sweep.values, sweep.table
    base, reward, source = game.reply_start[game.state_start[partition]], game.reward, game.source
    to, prob = game.to, game.prob
    replies, many = game.reply_start[game.state_start[partition + 1]] - base, 0
    for action in range(game.action_start[partition], game.action_start[partition + 1]):
        if game.allowed[action]:
            begin = game.reward_start[action]
            for k in range(replies):
                table[many, k] = reward[begin + k]
            first, last = game.successor_start[action], game.successor_start[action + 1]
            for e in range(game.transition_start[first], game.transition_start[last]):
                table[many, source[e] - base] += prob[e] * values[to[e]]
            many += 1
    return many


@kernel
def rising_sweep(game, sweep, partitions, together):
    """One sweep from below, in place. The largest change.

    Of what both could have if they worked together, or else of what the blind player is guaranteed at random.
    """
    change, values, table = 0.0, sweep.values, sweep.table
    for p in range(partitions):
        actions, base = payoffs(game, sweep, p), game.reply_start[game.state_start[p]]
        for s in range(game.state_start[p], game.state_start[p + 1]):
            value = -np.inf if together else np.inf
            for k in range(game.reply_start[s] - base, game.reply_start[s + 1] - base):
                most, total = -np.inf, 0.0
                for a in range(actions):
                    most = max(most, table[a, k])
                    total += table[a, k]
                value = max(value, most) if together else min(value, total / actions)
            if value > values[s]:
                change = max(change, value - values[s])
                values[s] = value
    return change


@kernel
def seen_sweep(game, work, sweep, partitions):
    """One sweep of Shapley's iteration (1953) from above, in place: as if both saw the state. The largest change.

    Values and the mixture hold together: values only fall, so that what a mixture was found for still bounds it.
    """
    change, values = 0.0, sweep.values
    for p in range(partitions):
        actions = payoffs(game, sweep, p)
        for s in range(game.state_start[p], game.state_start[p + 1]):
            value = matrix_value(game, work, sweep, p, s, actions)
            for k in range(game.reply_start[s], game.reply_start[s + 1]):
                sweep.mixture[k] = work.y[k - game.reply_start[game.state_start[p]]]
            if value < values[s]:
                change = max(change, values[s] - value)
                values[s] = value
    return change


@inlined
def matrix_value(game, work, sweep, partition, state, actions):
    """A bound from above on the value of one state's matrix game: what the mixture work.y of replies holds it to."""
    table, first, y = sweep.table, game.state_start[partition], work.y
    base = game.reply_start[first]
    low, high = game.reply_start[state] - base, game.reply_start[state + 1] - base
    for s in range(game.state_start[partition + 1] - first):
        work.belief[s] = 0.0
    work.belief[state - first] = 1.0
    for k in range(low, high):
        y[k] = 1.0  # at first evenly
    used, restricted = ZERO, -np.inf
    while True:
        total = 0.0
        for k in range(low, high):
            total += y[k]
        best, column = -np.inf, NONE
        for a in range(actions):
            value = 0.0
            for k in range(low, high):
                value += table[a, k] * y[k] / total
            if value > best:
                best, column = value, a
        if used and (best <= restricted + 1e-9 or used >= MOST_USED):
            return best
        for k in range(low, high):
            work.columns[used, k] = table[column, k]
        put_column(game, work, partition, used)
        used += 1
        if not dual_simplex(work):
            return best
        restricted = read(work, high)
