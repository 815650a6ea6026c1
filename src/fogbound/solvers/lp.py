"""Linear programs, solved by HiGHS. Only this file and `lp_growing` know highspy.

Interruptible: a long solve runs in a thread that is cancelled when `stopping()` says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError

Floats = NDArray[np.float64]
TOLERANCE = 1e-10  # HiGHS' smallest
LONG = 20_000  # non-zeros from which a solve is run in a thread, so that it can be cancelled
SIMPLEX_BELOW = 1_000_000  # non-zeros; liar's dice (390,000) takes simplex 2.8 s and an interior point 7.4 s
POLL = 0.05


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
    solver = configured(highspy, method, columns.nnz)
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


def configured(highspy: Any, method: str, nonzeros: int) -> Any:
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
            extra = "; pip install 'fogbound[hipo]'" if value == "hipo" else ""
            raise FogboundError(f"HiGHS does not take {name} = {value!r}{extra}")
    return solver


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
