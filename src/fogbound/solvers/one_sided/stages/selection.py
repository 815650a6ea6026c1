"""Where a trial goes next, in plain Python: for trials with linear programs, and to hold the compiled choice against.

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
    """The successor with the largest weighted excess of the gap over `left`; -1 when there is none.

    The blind player mixes its actions as `mixed` says, the other its replies as `y`; bounds (partition, tau) are
    (lower, upper) at an unnormalised belief.
    """
    most, best = 0.0, -1
    for action, share in mixed:
        for successor in range(*game.successor_start[action : action + 2].tolist()) if share > UNMIXED else ():
            tau, total = successor_belief(game, partition, successor, y)
            if total > UNLIKELY:
                low, high = bounds(int(game.target[successor]), tau)
                excess = share * (high - low - left * total)
                if excess > most:
                    most, best = excess, successor
    return best


def successor_belief(game: GameArrays, partition: int, successor: int, y: Floats) -> tuple[Floats, float]:
    """What the blind player is left with after an observation, not normalised, and its sum: added one by one."""
    target, own = (
        int(game.target[successor]),
        slice(game.transition_start[successor], game.transition_start[successor + 1]),
    )
    first, size = game.state_start[target], int(game.state_start[target + 1] - game.state_start[target])
    base = game.reply_start[game.state_start[partition]]
    weight = y[game.source[own] - base] * game.prob[own]
    tau = np.bincount(game.to[own] - first, weight, size).astype(np.float64)  # no transitions: whole numbers
    return tau, float(sum(weight.tolist()))
