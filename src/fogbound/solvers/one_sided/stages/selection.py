"""Where a walk goes next, in plain Python: for walks with linear programs, and to hold the compiled choice against.

Horak, Bosansky, Kovarik and Kiekintveld (2023).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.solvers.one_sided.kernels.model import GameArrays
from fogbound.solvers.one_sided.kernels.search import UNLIKELY, UNMIXED


def promising(
    game: GameArrays,
    partition: int,
    y: Floats,
    mixed: list[tuple[int, float]],
    left: float,
    bounds: Callable[[int, Floats], tuple[float, float]],
) -> int:
    """The branch with the largest weighted excess of the gap over `left`; -1 when there is none.

    The blind player mixes its slots as `mixed` says, the other its rows as `y`; bounds (partition, tau) are (lower,
    upper) at an unnormalised belief.
    """
    most, found = 0.0, -1
    for slot, share in mixed:
        for branch in range(*game.branch[slot : slot + 2].tolist()) if share > UNMIXED else ():
            tau, total = successor_belief(game, partition, branch, y)
            if total > UNLIKELY:
                low, high = bounds(int(game.target[branch]), tau)
                excess = share * (high - low - left * total)
                if excess > most:
                    most, found = excess, branch
    return found


def successor_belief(game: GameArrays, partition: int, branch: int, y: Floats) -> tuple[Floats, float]:
    """What the blind player is left with after a branch, not normalised, and its sum: added one by one."""
    target, own = int(game.target[branch]), slice(game.entry[branch], game.entry[branch + 1])
    first, size = game.first[target], int(game.first[target + 1] - game.first[target])
    base = game.row[game.first[partition]]
    weight = y[game.source[own] - base] * game.prob[own]
    tau = np.bincount(game.to[own] - first, weight, size).astype(np.float64)  # no entries: whole numbers
    return tau, float(sum(weight.tolist()))
