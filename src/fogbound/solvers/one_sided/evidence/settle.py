"""With mixtures and covers fixed: what the claims of an upper bound come down to, and the tolls that faults cost.

A toll says how much paying 1 in every claim that a cover uses comes to; covers may be too large, so it can exceed the
number of steps.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.evidence.cover import Reply
from fogbound.solvers.one_sided.evidence.stage import Stage

SWEEPS, CLOSE = 5_000, 1e-10


def settled(
    form: OneSided,
    corner: Floats,
    replies: list[Reply],
    stages: list[Stage],
    beliefs: list[Floats],
    firsts: list[int],
    steps: Floats | None,
) -> tuple[Floats, Floats, Floats]:
    """([points] values, [points] tolls, [S] tolls of corners)."""
    base = np.full(form.size, 1 / (1 - form.discount)) if steps is None else steps
    now, lasting, line, column, weight, heads = [], [], [], [], [], [0]
    for own, step in zip(replies, stages):
        paid, longer = step.pay @ own.y, np.ones(len(step.pay))
        for slot, after, lead, one in zip(step.slot.tolist(), step.target, step.step, own.covers):
            left = own.y @ lead
            for point, share in one:
                left = left - share * beliefs[point]
                line.append(heads[-1] + slot)
                column.append(point)
                weight.append(form.discount * share)
            left, first = np.maximum(left, 0.0), int(form.first[after])
            paid[slot] += form.discount * float(left @ corner[first : first + len(left)])
            longer[slot] += form.discount * float(left @ base[first : first + len(left)])
        now.append(paid)
        lasting.append(longer)
        heads.append(heads[-1] + len(paid))
    if not replies:
        return np.zeros(0), np.zeros(0), base
    matrix = sparse.csr_matrix((weight, (line, column)), (heads[-1], len(replies)))
    top = np.array([float(belief @ corner[f : f + len(belief)]) for belief, f in zip(beliefs, firsts)])
    return _limit(matrix, now, heads, top), _limit(matrix, lasting, heads, np.ones(len(replies))), base


def _limit(matrix: sparse.csr_matrix, first: list[Floats], heads: list[int], begin: Floats) -> Floats:
    """The limit of x = max over slots of (first + matrix x), from `begin` on."""
    constant, x = np.concatenate(first), begin
    for _ in range(SWEEPS):
        found: Floats = np.maximum.reduceat(constant + matrix @ x, heads[:-1])
        change = float(np.abs(found - x).max())
        x = found
        if change <= CLOSE * max(1.0, float(np.abs(x).max())) or not np.isfinite(change):
            break
    return x
