"""How often each pair of a node and a state is visited: one transposed linear system."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fogbound.core.errors import FormError
from fogbound.evaluate.occupancy_walk import Walk
from fogbound.forms.table import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

DIRECT = 50_000  # pairs up to which a discounted system is factorised; beyond, sweeps
SETTLED = 1e-14


def visits(walk: Walk) -> Floats:
    """Solve x = start + discount * (what comes from x), over the pairs."""
    from scipy.sparse import csr_matrix, eye
    from scipy.sparse.linalg import splu

    form, size, on = walk.form, len(walk.pairs), walk.target >= 0
    if not size:
        return np.zeros(0)
    come = csr_matrix((form.discount * walk.weight[on], (walk.target[on], walk.source[on])), shape=(size, size))
    if form.discount == 1.0:
        _check_ends(walk)
    if size > DIRECT and form.discount < 1.0:
        return _swept(come, walk.start, form.discount)
    try:
        found: Floats = splu((eye(size, format="csr") - come).tocsc()).solve(walk.start)
    except RuntimeError as error:
        raise FormError(f"{form.spec}: play ends too rarely for its visits to be counted ({error})") from error
    if not np.isfinite(found).all():
        raise FormError(f"{form.spec}: play ends too rarely for its visits to be counted")
    return np.maximum(found, 0.0)


def _swept(come: csr_matrix, start: Floats, discount: float) -> Floats:
    """The same step by step, until what is still to come does not count."""
    total = here = start
    for _ in range(math.ceil(math.log(SETTLED) / math.log(discount)) if discount else 0):
        here = come @ here
        total = total + here
        if here.sum() <= SETTLED * (1 - discount) * total.sum():
            break
    return total


def _check_ends(walk: Walk) -> None:
    """Where nothing is discounted every pair must be able to reach an end, or its visits have no number."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    size, over = len(walk.pairs), walk.target < 0
    before = np.where(over, size, walk.target)
    back = csr_matrix((np.ones(len(before)), (before, walk.source)), shape=(size + 1, size + 1))
    if len(breadth_first_order(back, size, return_predecessors=False)) <= size:
        raise FormError(
            f"{walk.form.spec}: with these policies some play never ends, and with discount 1 it visits nodes without "
            "end. Cut it with horizon(game, steps), or give the game a discount below 1"
        )
