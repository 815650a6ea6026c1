"""Upper bounds from more sight than there is: QMDP and the fast informed bound, and what they say at the start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.forms.blocks import Blocks
from fogbound.forms.table import Floats
from fogbound.solvers.beliefs.packing import pack
from fogbound.solvers.vectors.sets import Dynamics

STILL = 1e-9  # sweeps end when they change nothing by more than this share of the largest entry
inf = float("inf")


def informed(blocks: Blocks, worth: Floats, stopping: Callable[[], bool], work: float = inf) -> tuple[Floats, bool]:
    """[rows] the fast informed bound by sweeps from an upper bound, and whether they have settled.

    Every sweep leaves an upper bound, so it may be cut short: when `stopping`, or after `work` multiplications.
    """
    from fogbound.kernels.informed import informed_sweep

    packed, rows = pack(blocks), len(blocks.reward)
    packed.W[rows : 2 * rows] = worth
    scale = float(np.abs(packed.W[: 2 * rows]).max(initial=0.0))
    entries = np.diff(np.append(blocks.start[blocks.begin], len(blocks.to)))
    each = rows + int((entries * np.diff(blocks.slot)[blocks.target]).sum())
    settled, spent = False, 0.0
    while not settled and spent < work and not stopping():
        settled = bool(informed_sweep(packed.M, packed.W, blocks.size) <= STILL * scale)
        spent += each
    return packed.W[rows : 2 * rows].copy(), settled


def at_start(blocks: Blocks, worth: Floats) -> float:
    """What a bound on every (slot, state) says of the start: the best action for each first sight."""
    steps = Dynamics(blocks)
    total = float(blocks.reward[0])
    for branch in steps.branches(0):
        reached = np.asarray(steps.moves(0, branch).toarray()[0])
        spans = [(blocks.offset[q], blocks.offset[q + 1]) for q in steps.slots(steps.target(branch))]
        total += max(float(reached @ worth[low:high]) for low, high in spans)
    return total
