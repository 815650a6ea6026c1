"""The most and the least that play can earn from each state of a POMDP on: what one earns who sees everything.

No policy earns more, so whatever promises more is wrong; and none earns less than the least. Value iteration from
above (or, for the least, from below): every sweep leaves a bound, so it may end when it has come close enough.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.forms.pomdp import POMDP, steps_left

SWEEPS = 2_000
WORK = 2_000_000_000  # multiplications
STILL = 1e-6  # of the largest entry: a sweep that changes less is the last


def greatest_total_reward(pomdp: POMDP) -> Floats:
    """[S] an upper bound on the sum of rewards from each state on, near the value of the underlying decision process.

    It is infinite where nothing is discounted, play need not end and something is paid: then nothing bounds it.
    """
    from scipy.sparse import csr_matrix

    live = np.flatnonzero(np.diff(pomdp.row) > 0)
    value, best = np.zeros(pomdp.size), float(pomdp.reward[1:].max(initial=0.0))
    value[live] = best * _steps(pomdp)[live] if best > 0 else 0.0
    if not len(live) or not np.isfinite(value).all():
        return value
    source = np.repeat(np.arange(len(pomdp.action)), np.diff(pomdp.out))
    moves = csr_matrix((pomdp.prob * pomdp.discount, (source, pomdp.next)), shape=(len(pomdp.action), pomdp.size))
    for _ in range(max(1, min(SWEEPS, WORK // len(pomdp.prob)))):
        check()
        swept = np.maximum.reduceat(pomdp.reward + moves @ value, pomdp.row[live])
        change = float((value[live] - swept).max())
        value[live] = np.minimum(value[live], swept)
        if change <= STILL * float(np.abs(value).max()):
            break
    return value


def least_total_reward(pomdp: POMDP) -> Floats:
    """[S] a lower bound on the sum of rewards from each state on, whatever is done: the worst play is bounded by it.

    It is infinite where nothing is discounted, play need not end and something is to be paid.
    """
    return np.asarray(-greatest_total_reward(replace(pomdp, reward=-pomdp.reward)))


def _steps(pomdp: POMDP) -> Floats:
    """[S] the most steps that can be expected to remain, as a discounted sum."""
    if pomdp.discount < 1:
        return np.full(pomdp.size, 1 / (1 - pomdp.discount))
    return np.full(pomdp.size, np.inf) if len(pomdp.endless) else steps_left(pomdp)
