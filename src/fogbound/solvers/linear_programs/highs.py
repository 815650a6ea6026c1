"""Small linear programs that grow, solved by HiGHS again and again from where they stood."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError
from fogbound.forms.arrays import Floats

TOLERANCE = 1e-10  # HiGHS' smallest
LONG = 20_000  # non-zeros from which a solve is run in a thread, so that it can be cancelled
SIMPLEX_BELOW = 1_000_000  # non-zeros; liar's dice (390,000) takes simplex 2.8 s and an interior point 7.4 s
POLL = 0.05
NO_HIPO = ("aarch64", "arm64")  # machines for which highspy[extras] has no wheel


@dataclass(frozen=True)
class Optimum:
    """A primal and a dual optimal solution."""

    value: float
    primal: Floats  # [columns]
    dual: Floats  # [rows]
    iterations: int


class Cancelled(FogboundError):
    """The solve was stopped before it found an optimum."""


def maximise(
    cost: Floats,
    lower: Floats,
    upper: Floats,
    matrix: Any,  # scipy sparse [rows, columns]
    row_lower: Floats,
    row_upper: Floats,
    method: str = "auto",
    stopping: Callable[[], bool] | None = None,
) -> Optimum:
    """max cost.x subject to lower <= x <= upper and row_lower <= matrix x <= row_upper."""
    import highspy

    columns = matrix.tocsc()
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = columns.shape[1], columns.shape[0]
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, lower, upper
    model.row_lower_, model.row_upper_ = row_lower, row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = columns.indptr, columns.indices
    model.a_matrix_.value_ = columns.data
    solver = _configured(highspy, method, columns.nnz)
    solver.passModel(model)
    _run(solver, columns.nnz, stopping)
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInterrupt:
        raise Cancelled("the linear program was stopped before it was solved")
    if status != highspy.HighsModelStatus.kOptimal:
        raise FogboundError(f"the linear program ended as {solver.modelStatusToString(status)!r}, expected 'Optimal'")
    solution, info = solver.getSolution(), solver.getInfo()
    steps = max(info.simplex_iteration_count, 0) + max(info.ipm_iteration_count, 0)
    return Optimum(
        float(info.objective_function_value), np.array(solution.col_value), np.array(solution.row_dual), steps
    )


def _configured(highspy: Any, method: str, nonzeros: int) -> Any:
    """A solver that answers alike on every machine, as exactly as it can."""
    solver = highspy.Highs()
    chosen = ("simplex" if nonzeros < SIMPLEX_BELOW else "ipm") if method == "auto" else method
    options = {
        "output_flag": False,
        "threads": 1,  # the same answer on every machine
        "solver": chosen,
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "small_matrix_value": 1e-12,  # rare deals have small weights, and they count
    }
    for name, value in options.items():
        if solver.setOptionValue(name, value) != highspy.HighsStatus.kOk:
            extra = f"; {_how_to_get_hipo()}" if value == "hipo" else ""
            raise FogboundError(f"HiGHS does not take {name} = {value!r}{extra}")
    return solver


def _how_to_get_hipo() -> str:
    """The extra that brings HiPO, or that there is none for this machine."""
    if (machine := platform.machine()) in NO_HIPO:
        return f"HiPO has no wheel for this machine ({machine}): use method=ipm"
    return "pip install 'fogbound[hipo]'"


def _run(solver: Any, nonzeros: int, stopping: Callable[[], bool] | None) -> None:
    if nonzeros < LONG or stopping is None:
        solver.run()
        return
    solver.HandleUserInterrupt = True
    solver.startSolve()
    done = False
    while not done:
        done, _ = solver.wait(POLL)
        if not done and stopping():
            solver.cancelSolve()


def power_of_two(values: Floats) -> float:
    """A power of two near the largest entry: dividing by it is exact, and makes absolute tolerances relative."""
    top = float(np.abs(values).max(initial=0.0))
    return 2.0 ** min(math.frexp(top)[1], 1023) if top > 0 else 1.0


class SparseVectors(NamedTuple):
    """The entries that are not 0, line by line: where each line starts, their places in it, their values."""

    starts: NDArray[np.int32]
    indices: NDArray[np.int32]
    values: Floats


def sparse_vectors(entries: Floats) -> SparseVectors:
    """Of a dense matrix [lines, places]."""
    filled = entries != 0
    starts = np.zeros(len(entries) + 1, np.int32)
    np.cumsum(filled.sum(axis=1), out=starts[1:])
    indices = np.flatnonzero(filled)
    return SparseVectors(starts[:-1], (indices % max(entries.shape[1], 1)).astype(np.int32), entries.ravel()[indices])


def dense_vectors(entries: Floats) -> SparseVectors:
    """Of a dense matrix [lines, places] in which next to nothing is 0."""
    many, indices = entries.shape
    starts = np.arange(many, dtype=np.int32) * np.int32(indices)
    return SparseVectors(
        starts, np.broadcast_to(np.arange(indices, dtype=np.int32), entries.shape).ravel(), entries.ravel()
    )


def empty_vectors(many: int) -> SparseVectors:
    """Lines with nothing in them."""
    return sparse_vectors(np.zeros((many, 0)))


class GrowingLP:
    """A maximisation that gets more columns and rows, and is solved again from where it stood.

    Made for games that are restricted to few actions and grow: models are small and many, so that setting one up
    takes longer than solving it. `new_rows` says what happens before most solves: after more rows, or other bounds of
    rows, the dual simplex method goes on, after more columns or other costs the primal one. Nothing is scaled: callers'
    numbers are near 1, and columns that differ by little come out more exactly.
    """

    def __init__(self, new_rows: bool) -> None:
        import highspy

        self._solver = _configured(highspy, "simplex", 0)
        self._optimal = highspy.HighsModelStatus.kOptimal
        options = {"presolve": "off", "simplex_strategy": 1 if new_rows else 4, "simplex_scale_strategy": 0}
        for name, value in options.items():
            self._solver.setOptionValue(name, value)

    def clear(self) -> None:
        """Begin again with nothing: cheaper than another model."""
        self._solver.clearModel()

    def add_columns(
        self, cost: Floats, lower: Floats, upper: Floats, entries: SparseVectors, first_row: int = 0
    ) -> None:
        """Columns as lines over the rows from `first_row` on."""
        starts, rows, values = entries
        self._solver.addCols(len(cost), -cost, lower, upper, len(values), starts, rows + np.int32(first_row), values)

    def add_rows(self, lower: Floats, upper: Floats, entries: SparseVectors) -> None:
        """Rows as lines over the columns."""
        self._solver.addRows(len(lower), lower, upper, len(entries.values), *entries)

    def change_costs(self, cost: Floats) -> None:
        """Other costs of the first columns."""
        self._solver.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), -cost)

    def change_row_bounds(self, lower: Floats, upper: Floats) -> None:
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
