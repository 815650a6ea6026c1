"""Small linear programs that grow, solved by HiGHS again and again from where they stood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError
from fogbound.solvers.lp import Floats, configured


class Lines(NamedTuple):
    """The entries that are not 0, line by line: where each line starts, their places in it, their values."""

    starts: NDArray[np.int32]
    places: NDArray[np.int32]
    values: Floats


def lines(entries: Floats) -> Lines:
    """Of a dense matrix [lines, places]."""
    filled = entries != 0
    starts = np.zeros(len(entries) + 1, np.int32)
    np.cumsum(filled.sum(axis=1), out=starts[1:])
    places = np.flatnonzero(filled)
    return Lines(starts[:-1], (places % max(entries.shape[1], 1)).astype(np.int32), entries.ravel()[places])


def full(entries: Floats) -> Lines:
    """Of a dense matrix [lines, places] in which next to nothing is 0."""
    many, places = entries.shape
    starts = np.arange(many, dtype=np.int32) * np.int32(places)
    return Lines(starts, np.broadcast_to(np.arange(places, dtype=np.int32), entries.shape).ravel(), entries.ravel())


def empty(many: int) -> Lines:
    """Lines with nothing in them."""
    return lines(np.zeros((many, 0)))


class Growing:
    """A maximisation that gets more columns and rows, and is solved again from where it stood.

    Made for games that are restricted to few actions and grow: models are small and many, so that setting one up
    takes longer than solving it. `new_rows` says what happens before most solves: after more rows, or other bounds of
    rows, the dual simplex method goes on, after more columns or other costs the primal one. Nothing is scaled: callers'
    numbers are near 1, and columns that differ by little come out more exactly.
    """

    def __init__(self, new_rows: bool) -> None:
        import highspy

        self._solver = configured(highspy, "simplex", 0)
        self._optimal = highspy.HighsModelStatus.kOptimal
        options = {"presolve": "off", "simplex_strategy": 1 if new_rows else 4, "simplex_scale_strategy": 0}
        for name, value in options.items():
            self._solver.setOptionValue(name, value)

    def clear(self) -> None:
        """Begin again with nothing: cheaper than another model."""
        self._solver.clearModel()

    def add_columns(self, cost: Floats, lower: Floats, upper: Floats, entries: Lines, first_row: int = 0) -> None:
        """Columns as lines over the rows from `first_row` on."""
        starts, rows, values = entries
        self._solver.addCols(len(cost), -cost, lower, upper, len(values), starts, rows + np.int32(first_row), values)

    def add_rows(self, lower: Floats, upper: Floats, entries: Lines) -> None:
        """Rows as lines over the columns."""
        self._solver.addRows(len(lower), lower, upper, len(entries.values), *entries)

    def reprice(self, cost: Floats) -> None:
        """Other costs of the first columns."""
        self._solver.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), -cost)

    def rebound(self, lower: Floats, upper: Floats) -> None:
        """Other bounds of the first rows."""
        self._solver.changeRowsBounds(len(lower), np.arange(len(lower), dtype=np.int32), lower, upper)

    def solve(self) -> tuple[Floats, Floats]:
        """(x of the columns, what one more unit of each row's bound is worth)."""
        self._solver.run()
        if self._solver.getModelStatus() != self._optimal:
            self._start_over()
        solution = self._solver.getSolution()
        return np.array(solution.col_value), -np.array(solution.row_dual)

    def _start_over(self) -> None:
        """From where it stood it did not get there: from the beginning, then."""
        self._solver.clearSolver()
        self._solver.run()
        status = self._solver.getModelStatus()
        if status != self._optimal:
            found = self._solver.modelStatusToString(status)
            raise FogboundError(f"the growing linear program ended as {found!r}, expected 'Optimal'")
