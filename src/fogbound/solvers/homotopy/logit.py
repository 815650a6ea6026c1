"""Logit responses, which the paths of `quantal-response` and `markov-nash` are made of, and their curves for pictures.

With b the logarithms of probabilities, q the worth of each choice and l the rationality, choices that are made together
(an information set's, or a player's in a state) respond by the logit rule where

  sum over them of exp b = 1,    b - b' = l (q - q')  (against the first of them).
"""

from __future__ import annotations

import numpy as np

from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.homotopy.follower import Position, between

MOST_SHOWN, MOST_NUMBERS = 400, 60_000  # points of a curve, and numbers in them, that an answer keeps for a picture
PROBABLE, RATIONAL, MOST_BETWEEN = 0.02, 0.1, 32  # how far neighbours of a curve may be apart: probability, log of l


def logit_residual(b: Floats, rationality: float, head: Longs, worth: Floats) -> Floats:
    """[K] what the logit responses leave.

    Parameters
    ----------
    b : [K]
        The logarithm of each choice's probability.
    rationality
        l.
    head : [K]
        The first of the choices that are made together with each.
    worth : [K]
        q.
    """
    left = b - b[head] - rationality * (worth - worth[head])
    first = np.flatnonzero(head == np.arange(len(b)))
    left[first] = np.bincount(head, np.exp(b), len(b))[first] - 1.0
    return np.asarray(left)


def logit_derivatives(b: Floats, rationality: float, head: Longs, worth: Floats, slope: Floats) -> Floats:
    """[K, W + 1] their derivatives, where those of q by the W >= K unknowns, of which b are the first, are `slope`."""
    many, wide = slope.shape
    every = np.arange(many)
    matrix = np.empty((many, wide + 1))
    matrix[:, :wide] = rationality * (slope[head] - slope)
    matrix[every, every] += 1.0
    matrix[every, head] -= 1.0
    matrix[:, wide] = worth[head] - worth
    matrix[every[head == every]] = 0.0
    matrix[head, every] = np.exp(b)
    return matrix


def curve(before: Position, after: Position, choices: int) -> Floats:
    """[points, 1 + choices] rationality and probabilities after one position up to the next, near to each other."""
    probable = np.abs(np.exp(after.point[:choices]) - np.exp(before.point[:choices])).max(initial=0.0)
    low, high = sorted((before.point[-1], after.point[-1]))
    rational = np.log(high / low) if low > 0 else 0.0
    many = int(np.clip(np.ceil(max(probable / PROBABLE, rational / RATIONAL)), 1, MOST_BETWEEN))
    points = between(before, after, np.arange(1, many + 1) / many)
    return np.column_stack([points[:, -1], np.minimum(np.exp(points[:, :choices]), 1.0)])


def thinned(points: Floats, end: Floats | None = None) -> list[list[float | None]]:
    """A curve as an answer keeps it: rationality, then how likely each choice is; None = the end that it tends to."""
    most = max(2, min(len(points), MOST_SHOWN, MOST_NUMBERS // points.shape[1]))
    chosen = points[np.unique(np.linspace(0, len(points) - 1, most).astype(np.int64))]
    shown: list[list[float | None]] = [[float(one[0]), *one[1:].round(6).tolist()] for one in chosen]
    return shown if end is None else [*shown, [None, *end.round(6).tolist()]]
