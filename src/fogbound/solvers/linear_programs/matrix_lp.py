"""An equilibrium of a two-player zero-sum matrix game by linear programming (von Neumann, Dantzig).

The matrix is the reduced normal form of the game; its mixed strategies are turned back into behaviour on
the tree (Kuhn 1953), so that the answer can be played, evaluated and certified like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer, behaviour_of
from fogbound.solvers.linear_programs import highs


@dataclass(frozen=True)
class MatrixLP(EquilibriumSolver[NormalForm]):
    """Exact equilibrium of a two-player zero-sum game's payoff matrix, by linear programming.

    Works on the normal form, so for small games only (von Neumann 1928, Dantzig 1951). Needs two players and payoffs
    that add up to a constant.
    """

    name = "matrix-lp"

    scope: ClassVar[Scope] = ZERO_SUM
    form: ClassVar[type[NormalForm]] = NormalForm

    def run(self, form: NormalForm, context: Context) -> Iterator[Progress]:
        self.require(form.sequence, "matrix-lp")
        yield answer(form.sequence, [plex.uniform for plex in form.sequence.plexes], {}, iteration=1)
        try:
            mixed = solve_matrix(form.payoff[..., 0], context)
        except highs.Cancelled:
            return
        yield answer(form.sequence, behaviour_of(form, mixed), {}, iteration=2)


def solve_matrix(payoff: Floats, context: Context) -> tuple[Floats, Floats]:
    """Mixed strategies (row player maximises) of a zero-sum matrix game: max v, x'A >= v, x in the simplex."""
    from scipy.sparse import csr_matrix

    rows, columns = payoff.shape
    scaled = payoff / highs.power_of_two(payoff)
    best_replies = np.hstack([scaled.T, -np.ones((columns, 1))])
    simplex = np.concatenate([np.ones(rows), [0.0]])
    cost = np.concatenate([np.zeros(rows), [1.0]])
    solution = highs.maximise(
        cost,
        np.concatenate([np.zeros(rows), [-np.inf]]),
        np.full(rows + 1, np.inf),
        csr_matrix(np.vstack([simplex, best_replies])),
        np.concatenate([[1.0], np.zeros(columns)]),
        np.concatenate([[1.0], np.full(columns, np.inf)]),
        stopping=context.stopping,
    )
    return np.maximum(solution.primal[:rows], 0.0), np.abs(solution.dual[1:])
