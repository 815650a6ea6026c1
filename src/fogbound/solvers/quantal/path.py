"""The logit path from uniform play, followed by predictor and corrector in the logarithms of probabilities.

With x = exp b and q the worth of each choice, the equations are those of `solvers/markov/kernels/logit.py`, set by set:

  sum over a set's choices of x = 1,    b - b' = l (q - q')  (against the first choice of the set).

At rationality l = 0 everybody plays uniformly. The path from there, the *principal branch*, is one curve in almost all
games, and tends to an equilibrium (McKelvey and Palfrey 1995, 1998); it may turn back, so that l is not what is counted
along it (Turocy 2005, 2010). A step predicts along the tangent and corrects by Newton's method at right angles to it.

The path of a Markov game is followed in compiled loops of its own. There values are unknowns too, and only the end is
wanted, so that a step keeps the derivatives of its prediction. Here every point is shown, to all digits, and what a
choice is worth depends on how likely its set is reached: derivatives are taken anew at every correction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.solvers.quantal.choices import LogitChoices

FIRST_STEP, SHORTEST, LONGEST = 0.1, 1e-9, 1e6
CORRECTIONS, CLOSE, FAR = 6, 1e-8, 1e-3  # a correction is over when it moves less, and more by part of how far 0 is
CONTRACTS = 0.3  # how much of itself a correction may leave; the step grows and shrinks accordingly
FARTHEST = 1e7  # rationality at which to give up


@dataclass(frozen=True)
class LogitPoint:
    """A point of the path: logarithms of probabilities, and the rationality."""

    b: Floats
    rationality: float

    @property
    def x(self) -> Floats:
        return np.asarray(np.exp(self.b))


def equations(game: LogitChoices, b: Floats, rationality: float) -> tuple[Floats, Floats]:
    """([K] what the equations leave, [K, K + 1] their derivatives by b and by the rationality)."""
    worth, slope = game.values(b)
    head = game.first[game.place]
    left = b - b[head] - rationality * (worth - worth[head])
    many = len(b)
    matrix = np.zeros((many, many + 1))
    matrix[:, :many] = np.eye(many) - rationality * (slope - slope[head])
    matrix[np.arange(many), head] -= 1.0
    matrix[:, many] = worth[head] - worth
    x = np.exp(b)
    matrix[game.first] = 0.0
    matrix[game.first[game.place], np.arange(many)] = x
    left[game.first] = np.bincount(game.place, x) - 1.0
    return left, matrix


def principal_branch(game: LogitChoices) -> Iterator[LogitPoint]:
    """The points of the path, uniform play first; it ends where it cannot be followed, or far enough out."""
    point = np.append(np.log(game.uniform), 0.0)
    tangent, step = np.zeros(len(point)), FIRST_STEP
    tangent[-1] = 1.0
    yield LogitPoint(point[:-1], 0.0)
    while step > SHORTEST and point[-1] < FARTHEST:
        check()
        tried, shrink = _corrected(game, point + step * tangent, tangent)
        if tried is None:
            step *= min(0.5, 1.0 / max(shrink, 1.0))
            continue
        if tried[-1] < 0:
            return
        turned = _tangent(game, tried, tangent)
        if turned is None:
            return
        point, tangent = tried, turned
        step = min(step * min(2.0, max(0.5, 1.0 / max(shrink, 1e-3))), LONGEST)
        yield LogitPoint(point[:-1], float(point[-1]))


def _corrected(game: LogitChoices, point: Floats, tangent: Floats) -> tuple[Floats | None, float]:
    """The point of the path across from a predicted one, None where corrections do not settle; how hard it was."""
    before, contraction = 0.0, 0.0
    for turn in range(CORRECTIONS):
        left, matrix = equations(game, point[:-1], float(point[-1]))
        try:
            move = np.linalg.solve(np.vstack([matrix, tangent]), np.append(left, 0.0))
        except np.linalg.LinAlgError:
            return None, 2.0
        length = float(np.linalg.norm(move))
        if not length < 1e6:
            return None, 2.0
        if turn:
            contraction = max(contraction, length / max(before, 1e-300))
            if contraction > CONTRACTS and length > CLOSE * (1.0 + FAR * float(np.linalg.norm(point))):
                return None, 2.0
        point, before = point - move, length
        if length <= CLOSE * (1.0 + FAR * float(np.linalg.norm(point))):
            return point, float(np.sqrt(contraction / (0.5 * CONTRACTS)))
    return None, 2.0


def _tangent(game: LogitChoices, point: Floats, tangent: Floats) -> Floats | None:
    """The direction of the path, the way that it was going."""
    _, matrix = equations(game, point[:-1], float(point[-1]))
    last = np.zeros(len(point))
    last[-1] = 1.0
    try:
        found = np.linalg.solve(np.vstack([matrix, tangent]), last)
    except np.linalg.LinAlgError:
        return None
    return np.asarray(found / np.linalg.norm(found))


def at(game: LogitChoices, before: LogitPoint, after: LogitPoint, rationality: float) -> LogitPoint | None:
    """The point between two others that has this rationality, by Newton's method; None where it is not found."""
    share = (rationality - before.rationality) / (after.rationality - before.rationality)
    b = before.b + share * (after.b - before.b)
    for _ in range(50):
        left, matrix = equations(game, b, rationality)
        try:
            move = np.linalg.solve(matrix[:, :-1], left)
        except np.linalg.LinAlgError:
            return None
        b = b - move
        if not np.isfinite(b).all() or float(np.abs(move).max()) > 1e6:
            return None
        if float(np.abs(move).max()) < 1e-13 * (1.0 + float(np.abs(b).max())):
            break
    return LogitPoint(b, rationality)


def residual(game: LogitChoices, b: Floats, rationality: float) -> float:
    """How far the choices are from logit responses to each other: the largest difference of a probability."""
    worth, _ = game.values(b)
    better = rationality * worth
    top = np.maximum.reduceat(better, game.first)
    weight = np.exp(better - top[game.place])
    response = weight / np.bincount(game.place, weight)[game.place]
    return float(np.abs(np.exp(b) - response).max(initial=0.0))
