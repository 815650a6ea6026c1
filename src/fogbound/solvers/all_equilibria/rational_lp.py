"""Linear programs in exact arithmetic: a small dense simplex on integers, with Bland's rule against cycling.

Labels of equilibria are claims, so nothing that decides them may round. The programs are small (a row for each strategy
or node), and every pivot keeps the table in integers (Bareiss 1968).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fogbound.core.cancel import check
from fogbound.solvers.matrix.exact import Integers, pivot

Row = Sequence[Fraction | int]
Constraint = tuple[Row, Fraction | int]  # (coefficients, right-hand side)


@dataclass(frozen=True)
class RationalOptimum:
    """The value of a linear program and a point that attains it."""

    value: Fraction
    point: tuple[Fraction, ...]


def maximise_exactly(cost: Row, equal: Sequence[Constraint], most: Sequence[Constraint] = ()) -> RationalOptimum | None:
    """Maximise cost · x over x >= 0 with row · x = right for `equal` and row · x <= right for `most`.

    Parameters
    ----------
    cost
        The objective. The program must be bounded.
    equal, most
        The constraints.

    Returns
    -------
    RationalOptimum or None
        None where no x satisfies the constraints.

    Examples
    --------
    >>> maximise_exactly([1, 2], [([1, 1], 1)], [([0, 1], Fraction(1, 3))]).value
    Fraction(4, 3)
    """
    width, slacks = len(cost), len(most)
    rows: list[list[Fraction | int]] = [[*row, *[0] * slacks, right] for row, right in equal]
    for k, (row, right) in enumerate(most):
        rows.append([*row, *(int(k == j) for j in range(slacks)), right])
    simplex = _Simplex(rows, [*cost, *[0] * slacks])
    return simplex.solve(width)


def feasible(equal: Sequence[Constraint], most: Sequence[Constraint], width: int) -> tuple[Fraction, ...] | None:
    """A point of {x >= 0 : equal and most hold}, or None where it is empty."""
    found = maximise_exactly([0] * width, equal, most)
    return None if found is None else found.point


class _Simplex:
    """The table: a row for each constraint, then the costs of phase 1 and of phase 2. All entries are integers.

    `before` is the common denominator of all entries: the last pivot.
    """

    def __init__(self, rows: Sequence[Row], cost: Row) -> None:
        self.width, self.many, self.before = len(cost), len(rows), 1
        self.table: Integers = np.zeros((self.many + 2, self.width + self.many + 1), object)
        for r, row in enumerate(rows):
            whole = whole_row(row)
            sign = -1 if whole[-1] < 0 else 1
            self.table[r, : self.width] = [sign * v for v in whole[:-1]]
            self.table[r, self.width + r] = 1
            self.table[r, -1] = sign * whole[-1]
        self.scale = math.lcm(*(Fraction(c).denominator for c in cost)) if cost else 1
        self.table[self.many + 1, : self.width] = [-int(c * self.scale) for c in cost]
        if self.many:
            self.table[self.many] = -self.table[: self.many].sum(axis=0)
        self.table[self.many, self.width : self.width + self.many] = 0
        self.basis = [self.width + r for r in range(self.many)]

    def solve(self, shown: int) -> RationalOptimum | None:
        self._improve(self.many, self.width + self.many)
        if self.table[self.many, -1] != 0:
            return None
        self._drive_out()
        self._improve(self.many + 1, self.width)
        point = [Fraction(0)] * self.width
        for r, b in enumerate(self.basis):
            if b < self.width:
                point[b] = Fraction(self.table[r, -1], self.before)
        return RationalOptimum(Fraction(self.table[self.many + 1, -1], self.before * self.scale), tuple(point[:shown]))

    def _improve(self, objective: int, columns: int) -> None:
        """Pivot until the costs of `objective` are not negative; of several columns and rows, the first ones."""
        while True:
            check()
            entering = next((c for c in range(columns) if self.table[objective, c] < 0), None)
            if entering is None:
                return
            rows = [r for r in range(self.many) if self.table[r, entering] > 0]
            if not rows:
                raise ValueError("the linear program is unbounded")
            ratio = {r: Fraction(self.table[r, -1], self.table[r, entering]) for r in rows}
            self._pivot(min(rows, key=lambda r: (ratio[r], self.basis[r])), entering)

    def _drive_out(self) -> None:
        """Replace artificial variables in the basis, all zero now, wherever their row has another variable."""
        for r in range(self.many):
            if self.basis[r] < self.width:
                continue
            column = next((c for c in range(self.width) if self.table[r, c] != 0), None)
            if column is None:
                continue
            if self.table[r, column] < 0:
                self.table[r] = -self.table[r]
            self._pivot(r, column)

    def _pivot(self, row: int, column: int) -> None:
        self.table, self.before = pivot(self.table, row, column, self.before), self.table[row, column]
        self.basis[row] = column


def whole_row(row: Row) -> list[int]:
    """A row times the least common denominator of its entries, which is positive."""
    common = math.lcm(*(Fraction(v).denominator for v in row))
    return [int(v * common) for v in row]
