"""Paths of solutions, followed by predictor and corrector, and the logit responses that our paths are made of.

m equations in m + 1 unknowns are solved along curves. From a point of one a step predicts along the tangent (Euler) and
corrects by Newton's method at right angles to it (Allgower and Georg 1990, chapter 6). What is counted along the curve
is its own length and none of the unknowns, so that it may turn back in any of them: turning points are passed
(Turocy 2005). Both logit paths are followed so: that of quantal responses in trees and matrices (McKelvey and Palfrey
1995, 1998; Turocy 2005, 2010), and that of Markov games (Herings and Peeters 2004; Eibelshäuser and Poensgen 2019).

With b the logarithms of probabilities, q the worth of each choice and l the rationality, choices that are made together
(an information set's, or a player's in a state) respond by the logit rule where

  sum over them of exp b = 1,    b - b' = l (q - q')  (against the first of them).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Longs

FIRST_STEP, SHORTEST, LONGEST = 0.1, 1e-9, 1e6
MORE, LESS = 2.0, 0.5  # how much a step may grow or shrink
CORRECTIONS, WILD = 6, 1e6  # a correction that moves further is none
CLOSE, FAR = 1e-8, 1e-3  # a correction is over when it moves less, and more by part of how far the point is from 0
ASTRAY = 0.5  # of the step: a prediction that is off by more may have come near to another branch
FIRST = 1e-3  # the least that a step counts for in this
SERVES = 0.05  # what a correction may leave to the next before derivatives are made anew
FRESH = 1e-4  # how far from where they were made they still tell the tangent

Equations = Callable[[Floats], tuple[Floats, Callable[[], Floats]]]
"""Of a point [m + 1]: what the equations leave there [m]; when asked, their derivatives by the unknowns [m, m + 1]."""


@dataclass(frozen=True, eq=False)
class Position:
    """Where a follower stands: the point [m + 1], the way that the path goes there, how far to step next.

    This is all that it remembers: whoever keeps it can go on to the same bits.
    """

    point: Floats
    tangent: Floats
    step: float = FIRST_STEP


def path_start(point: Floats) -> Position:
    """A point from which the last unknown, the homotopy's own, grows and nothing else is known to move."""
    tangent = np.zeros(len(point))
    tangent[-1] = 1.0
    return Position(point, tangent)


def advanced(equations: Equations, here: Position, contracts: float) -> Position | None:
    """The next position of the path; None where even the shortest step does not settle.

    Parameters
    ----------
    equations
        What is solved.
    here
        A position on the path.
    contracts
        How much of itself a correction may leave to the next one; less is more careful, and takes shorter steps.
    """
    step = here.step
    while step >= SHORTEST:
        check()
        with np.errstate(over="ignore", invalid="ignore"):  # a step that was too long is refused by its length
            found, shrink = _corrected(equations, here, step, contracts)
        if found is not None:
            point, tangent = found
            return Position(point, tangent, min(step * min(MORE, max(LESS, 1.0 / shrink)), LONGEST))
        step *= min(LESS, 1.0 / shrink)
    return None


def _corrected(
    equations: Equations, here: Position, step: float, contracts: float
) -> tuple[tuple[Floats, Floats] | None, float]:
    """((the point across from the predicted one, the tangent there), None where none settles; how hard it was).

    Factors serve as long as corrections become much shorter by them, and are made anew otherwise.
    """
    point = here.point + step * here.tangent
    factors: Factors | None = None
    before = contraction = astray = 0.0
    for turn in range(CORRECTIONS):
        left, derivatives = equations(point)
        if factors is None:
            factors, moved = Factors.of(np.vstack([derivatives(), here.tangent])), 0.0
            if factors is None:
                break
        move = factors.solve(np.append(left, 0.0))
        length = float(np.linalg.norm(move))
        if not length < WILD:
            break
        if turn:
            contraction = max(contraction, length / max(before, 1e-300))
        else:
            astray = length / max(step, FIRST)
        if contraction > contracts or astray > ASTRAY:
            return None, max(_shrink(contraction, astray, contracts), 1.0)
        slow = length > SERVES * before if turn else length > SERVES
        point, before, moved = point - move, length, moved + length
        if length <= CLOSE * (1.0 + FAR * float(np.linalg.norm(point))):
            tangent = _tangent(equations, point, here.tangent, factors if moved < FRESH else None)
            return None if tangent is None else (point, tangent), _shrink(contraction, astray, contracts)
        factors = None if slow else factors
    return None, 1.0 / LESS


def _shrink(contraction: float, astray: float, contracts: float) -> float:
    """By how much the step was too long: above 1 where it should be shorter."""
    return max(float(np.sqrt(contraction / (0.5 * contracts))), float(np.sqrt(astray / contracts)), 1e-3)


def _tangent(equations: Equations, point: Floats, before: Floats, factors: Factors | None) -> Floats | None:
    """The way that the path goes at a point, in the sense that it went before; by factors made near enough, if any."""
    factors = factors or Factors.of(np.vstack([equations(point)[1](), before]))
    if factors is None:
        return None
    ahead = np.zeros(len(point))
    ahead[-1] = 1.0
    found = factors.solve(ahead)
    return np.asarray(found / np.linalg.norm(found))


@dataclass(frozen=True, eq=False)
class Factors:
    """A square matrix as its LU factors."""

    matrix: Floats
    places: Longs

    @classmethod
    def of(cls, matrix: Floats) -> Factors | None:
        """The factors, which take the matrix's place; None where it is singular."""
        from fogbound.solvers.homotopy.kernels import factorise

        places = np.empty(len(matrix), np.int64)
        return cls(matrix, places) if factorise(matrix, places) else None

    def solve(self, right: Floats) -> Floats:
        """The solution, in place of the right side."""
        from fogbound.solvers.homotopy.kernels import solve_factorised

        solve_factorised(self.matrix, self.places, right)
        return right


def between(before: Position, after: Position, shares: Floats) -> Floats:
    """[shares, m + 1] points of the path on the way from one position to the next, by Hermite's cubic.

    It has the points and the tangents of both ends, and is off by the fourth power of the step.
    """
    t, length = shares[:, None], float(np.linalg.norm(after.point - before.point))
    start, leave = (1 + 2 * t) * (1 - t) ** 2, t * (1 - t) ** 2 * length
    end, arrive = t**2 * (3 - 2 * t), t**2 * (t - 1) * length
    return np.asarray(start * before.point + leave * before.tangent + end * after.point + arrive * after.tangent)


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
