"""Whether play surely ends, whatever is done: without a discount, only then has every policy a value."""

from __future__ import annotations

import numpy as np

from fogbound.core.errors import FormError
from fogbound.forms.pomdp import POMDP


def check_ends(pomdp: POMDP, solver: str) -> None:
    """With discount 1, play must end with probability 1 under every policy; otherwise say where it need not."""
    if pomdp.discount < 1 or pomdp.ends:
        return
    stuck = endless(pomdp)
    if len(stuck):
        from fogbound.core.errors import brief

        raise FormError(
            f"{solver}: {pomdp.spec} is not discounted and need not end: play can go on for ever from "
            f"{brief(pomdp.label(int(stuck[0])))} (and {len(stuck) - 1:,} more states). Cut the game with "
            "horizon(game, steps), or give it a discount below 1"
        )


def endless(pomdp: POMDP) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """States from which some choice of actions keeps play going for ever: the largest set that can keep to itself."""
    inside = np.diff(pomdp.row) > 0
    possible = pomdp.prob > 0
    while True:
        stays = np.logical_and.reduceat(inside[pomdp.next] | ~possible, pomdp.out[:-1])[
            1:
        ]  # all successors inside
        keeps = np.zeros(pomdp.size, bool)
        live = np.flatnonzero(np.diff(pomdp.row) > 0)
        keeps[live] = np.logical_or.reduceat(stays, pomdp.row[live] - 1) & inside[live]
        if (keeps == inside).all():
            return np.flatnonzero(inside)
        inside = keeps


def steps_left(pomdp: POMDP) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """[S] the most steps that can be expected to remain (undiscounted; play must surely end).

    Policy iteration on a decision process that pays 1 a step.
    """
    from scipy.sparse import csr_matrix, eye
    from scipy.sparse.linalg import splu

    live = np.flatnonzero(np.diff(pomdp.row) > 0)
    source = np.repeat(np.arange(len(pomdp.action)), np.diff(pomdp.out))
    moves = csr_matrix((pomdp.prob, (source, pomdp.next)), shape=(len(pomdp.action), pomdp.size))
    chosen, steps = pomdp.row[live].copy(), np.zeros(pomdp.size)
    while True:
        steps[live] = splu((eye(len(live), format="csr") - moves[chosen][:, live]).tocsc()).solve(np.ones(len(live)))
        ahead = 1 + np.asarray(moves @ steps)
        best = np.maximum.reduceat(ahead, pomdp.row[live])
        better = best > ahead[chosen] * (1 + 1e-9)
        if not better.any():
            steps[live] = np.maximum(steps[live], best)
            return steps
        first, last = pomdp.row[live], pomdp.row[live + 1]
        for k in np.flatnonzero(better):
            chosen[k] = first[k] + int(np.argmax(ahead[first[k] : last[k]]))
