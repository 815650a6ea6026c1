"""Sawtooth interpolation: how much of which point a belief holds (Hauskrecht 2000), for many beliefs at once."""

from __future__ import annotations

import numpy as np

from fogbound.compiled.kernel import kernel


@kernel
def best_points(ahead, block, mass, belief, lists, gap, chosen, share):
    """For each unnormalised belief, the point that lowers its bound most, and how much of that point it holds.

    ahead [rows, width] of blocks block [rows] with sums mass [rows]; points belief [points, width] with their gap below
    the corners [points], those of block b in lists[b] to lists[b + 1] with the lowest gap first. Fills chosen [rows]
    and share [rows]; -1 and 0 where the corners alone are as good. A guess that `chosen` comes with is tried first.
    """
    for row in range(len(ahead)):
        guess, best = chosen[row], 0.0
        chosen[row], share[row] = -1, 0.0
        if guess >= 0:
            held = _held(ahead, row, belief, guess, 0.0)
            if gap[guess] * held < 0:
                best, chosen[row], share[row] = gap[guess] * held, guess, held
        for point in range(lists[block[row]], lists[block[row] + 1]):
            if gap[point] * mass[row] >= best:
                break
            held = _held(ahead, row, belief, point, best / gap[point])
            if held > 0:
                best = gap[point] * held
                chosen[row], share[row] = point, held


@kernel
def _held(ahead, row, belief, point, enough):
    """How often a point fits into a belief; 0 as soon as that is no more than `enough`."""
    share = np.inf
    for t in range(belief.shape[1]):
        if belief[point, t] > 0:
            share = min(share, ahead[row, t] / belief[point, t])
            if share <= enough:
                return 0.0
    return share
