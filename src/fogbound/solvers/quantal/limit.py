"""The equilibrium that a point far out on the logit path shows: its support, solved for by Newton's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats
from fogbound.solvers.quantal.choices import LogitChoices

LIKELY = 0.1  # choices above LIKELY / rationality are taken for the support
NEWTON, EXACT = 30, 1e-13
NOTHING = -1e6  # the logarithm of what is not played
Mask = NDArray[np.bool_]


def limit(game: LogitChoices, point: Floats) -> Floats | None:
    """[K] probabilities that make every played choice of a reached set equally good; None where there are none.

    What comes out negative is on its way to 0, and is left out. Sets that the support never reaches keep what the path
    has there: it does not matter to anybody else.
    """
    x = np.exp(point[:-1])
    played = x > LIKELY / max(float(point[-1]), 1.0)
    while played.any():
        found = _equally_good(game, x, played)
        if found is None:
            return None
        if not (vanishing := played & (found <= 0)).any():
            return found
        played &= ~vanishing
    return None


def _equally_good(game: LogitChoices, x: Floats, played: Mask) -> Floats | None:
    """[K] the solution on a support; with 0 or less where it has none."""
    reached = _reached(game, played)
    free = np.flatnonzero(played & reached[game.place])
    sets = np.unique(game.place[free])
    row = np.searchsorted(sets, game.place[free])  # of each free choice, its set among those
    many = len(free)
    now = np.where(reached[game.place], 0.0, x)
    now[free] = x[free] / np.bincount(row, x[free])[row]
    worth, slope = game.values(_logarithm(now))
    value = np.bincount(row, now[free] * worth[free])
    for _ in range(NEWTON):
        left = np.concatenate([worth[free] - value[row], np.bincount(row, now[free], len(sets)) - 1.0])
        if float(np.abs(left).max(initial=0.0)) < EXACT:
            break
        matrix = np.zeros((many + len(sets), many + len(sets)))
        matrix[:many, :many] = slope[np.ix_(free, free)] / now[free]
        matrix[np.arange(many), many + row] = -1.0
        matrix[many + row, np.arange(many)] = 1.0
        move = np.linalg.lstsq(matrix, left, rcond=1e-12)[0]
        if not np.isfinite(move).all():
            return None
        now[free], value = now[free] - move[:many], value - move[many:]
        if (now[free] <= 0).any():
            return now
        worth, slope = game.values(_logarithm(now))
    return now


def _logarithm(x: Floats) -> Floats:
    return np.where(x > 0, np.log(np.maximum(x, 1e-300)), NOTHING)


def _reached(game: LogitChoices, played: Mask) -> Mask:
    """[sets] whether the support leads there: the others by some way, the owner by its own choices."""
    missing = (~played).astype(float)
    others = np.zeros(len(game.first), bool)
    others[game.reached[(game.reaching @ missing) == 0]] = True
    own = (game.before @ missing - missing == 0)[game.first]  # the choices before the set itself
    return np.asarray(others & own)
