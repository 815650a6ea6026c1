"""Exact arithmetic for small matrix games: payoffs as integers, pivots without fractions.

Degenerate games, where payoffs tie, are common (every game on a slide is one) and make floats err in which
tie they see. A payoff is a float, that is a rational number; one that lies within rounding of a simple
fraction, such as the sum of three sixths, is taken to be it. Scaling and shifting a player's payoffs moves no
equilibrium, so integers can stand for them.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats
from fogbound.solvers.linear_programs.highs import power_of_two

Integers = NDArray[Any]  # Python's own integers, of any length
SIMPLE = 10_000  # the largest denominator of a simple fraction
NEAR, ZERO = 1e-13, 1e-15  # what rounding may have moved it by: of itself, or of the largest payoff
MOST_BITS = 64  # of a common denominator, if simple fractions are to save work


def integers(payoff: Floats) -> Integers:
    """One player's payoffs times a positive number, as integers."""
    scale = Fraction(power_of_two(payoff))
    values, where = np.unique(payoff, return_inverse=True)
    exact = [Fraction(v) / scale for v in values.tolist()]
    ratios = [_simple(v, scale) for v in exact]
    if math.lcm(*(r.denominator for r in ratios)).bit_length() > MOST_BITS:
        ratios = exact
    common = math.lcm(*(r.denominator for r in ratios))
    whole = np.array([r.numerator * (common // r.denominator) for r in ratios], object)
    return whole[where.reshape(payoff.shape)]


def rationals(payoff: Floats) -> Integers:
    """Payoffs as the fractions that they are, or are within rounding of."""
    scale = Fraction(power_of_two(payoff))
    values, where = np.unique(payoff, return_inverse=True)
    whole = np.array([scale * _simple(Fraction(v) / scale, scale) for v in values.tolist()], object)
    return whole[where.reshape(payoff.shape)]


def _simple(value: Fraction, scale: Fraction) -> Fraction:
    """A share of the largest payoff as a simple fraction, or one that is simple as a payoff: 1 beside 10^19 is no 0."""
    near = value.limit_denominator(SIMPLE)
    close = abs(near - value) <= max(NEAR * abs(value), ZERO)
    if close and (near or not value):
        return near
    paid = (value * scale).limit_denominator(SIMPLE) / scale
    if abs(paid - value) <= NEAR * abs(value):
        return paid
    return near if close else value


def pivot(table: Integers, row: int, column: int, before: int) -> Integers:
    """One integer pivot step (Bareiss 1968; von Stengel 2007, section 3.5): all entries stay integers.

    `before` is the last pivot, 1 at first; it divides every new entry exactly.
    """
    after: Integers = table * table[row, column] - np.outer(table[:, column], table[row])
    after //= before
    after[row] = table[row]
    return after


def solve_exactly(matrix: Integers, right: Integers) -> list[Fraction] | None:
    """The x with matrix x = right, or None where the square matrix is singular."""
    size = len(matrix)
    table: Integers = np.hstack([matrix, right[:, None]])
    left, place, last = list(range(size)), [0] * size, 1
    for column in range(size):
        row = next((r for r in left if table[r, column] != 0), None)
        if row is None:
            return None
        pivoted = pivot(table, row, column, last)
        last, table = table[row, column], pivoted
        left.remove(row)
        place[column] = row
    return [Fraction(table[row, size], last) for row in place]
