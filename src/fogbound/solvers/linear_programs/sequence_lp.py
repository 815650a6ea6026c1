"""An equilibrium of a two-player zero-sum game by one linear program, on the sequence form or on the matrix.

Koller, Megiddo and von Stengel, "Fast algorithms for finding randomized strategies in game trees" (1994):
player 0's realisation weights x are chosen to maximise what player 1's best reply leaves, and the best
reply is written by its dual, one value v for each of player 1's information sets. The LP's own dual is
player 1's strategy, so one solve gives both.

The matrix (von Neumann, Dantzig) is the reduced normal form of the game; its mixed strategies are turned back into
behaviour on the tree (Kuhn 1953), so that the answer can be played, evaluated and certified like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fogbound.core.errors import FormError
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.sequence import SequenceForm, Treeplex
from fogbound.solvers.equilibrium import EquilibriumSolver, answer, behaviour_of
from fogbound.solvers.linear_programs import highs


@dataclass(frozen=True)
class SequenceLP(EquilibriumSolver[SequenceForm]):
    """Exact equilibrium of a two-player zero-sum (or constant-sum) game tree, by linear programming.

    Works on the sequence form: the program is as large as the tree, not as the set of pure strategies (Koller, Megiddo
    and von Stengel 1994; von Stengel 1996). Needs two players and payoffs that add up to the same total at every end.

    Parameters
    ----------
    method
        How HiGHS solves the program: "simplex", "ipm" (interior point), "hipo", or "auto", which picks by size.
    """

    name = "sequence-lp"

    method: Literal["auto", "simplex", "ipm", "hipo"] = "auto"

    scope: ClassVar[Scope] = ZERO_SUM
    form: ClassVar[type[SequenceForm]] = SequenceForm

    def __post_init__(self) -> None:
        if self.method not in ("auto", "simplex", "ipm", "hipo"):
            raise FormError(f"sequence-lp: method is {self.method!r}, expected auto, simplex, ipm or hipo")

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        self.require(form, "sequence-lp")
        yield answer(form, [plex.uniform for plex in form.plexes], {}, iteration=1)
        try:
            x, y, steps = optimal_weights(form, 0, context.stopping, self.method)
        except highs.Cancelled:
            return
        played = [plex.behaviour(w) for plex, w in zip(form.plexes, (x, y))]
        yield answer(form, played, {"pivots": steps}, iteration=2)


def optimal_weights(
    form: SequenceForm,
    player: int,
    stopping: Callable[[], bool],
    method: str = "auto",
    gain: Floats | None = None,
    share: float = 1.0,
) -> tuple[Floats, Floats, int]:
    """Realisation weights x of `player` with the most gain.x + share * (what the other's best reply leaves).

    Also the other's weights at that equilibrium, times `share`, and how many steps the LP took. `gain` is 0 by default.
    Columns: x (the player's sequences), then v (the empty set's value and one for each set of the other). Rows: x is a
    realisation plan; and v at the set of each sequence q of the other is at most what q brings now plus the v of the
    sets right below q.
    """
    from scipy.sparse import block_array

    mine, theirs = form.plexes[player], form.plexes[1 - player]
    scale = highs.power_of_two(form.payoff[:, player])
    values = -constraints(theirs).T  # v(set of q) - sum of v below q, moved to the other side
    matrix = block_array([[constraints(mine), None], [payoff_matrix(form, player, scale), values]])
    sets = 1 + len(theirs.parent)
    cost = np.zeros(mine.sequences + sets)
    cost[mine.sequences] = share
    if gain is not None:
        cost[: mine.sequences] = gain / scale
    plan = np.zeros(1 + len(mine.parent))
    plan[0] = 1.0
    solution = highs.maximise(
        cost,
        np.concatenate([np.zeros(mine.sequences), np.full(sets, -np.inf)]),
        np.full(len(cost), np.inf),
        matrix,
        np.concatenate([plan, np.zeros(theirs.sequences)]),
        np.concatenate([plan, np.full(theirs.sequences, np.inf)]),
        method,
        stopping,
    )
    return solution.primal[: mine.sequences], np.abs(solution.dual[len(plan) :]), solution.iterations


def payoff_matrix(form: SequenceForm, player: int, scale: float = 1.0):  # type: ignore[no-untyped-def]  # scipy is untyped
    """[sequences of the other, sequences of the player] what the player is paid where both end, over `scale`."""
    from scipy.sparse import csr_matrix

    shape = form.plexes[1 - player].sequences, form.plexes[player].sequences
    return csr_matrix((form.payoff[:, player] / scale, (form.ends[:, 1 - player], form.ends[:, player])), shape=shape)


def constraints(plex: Treeplex):  # type: ignore[no-untyped-def]  # scipy is untyped
    """E with E x = (1, 0, …): row 0 fixes the empty sequence, row 1+h passes on its parent's weight."""
    from scipy.sparse import csr_matrix

    sets = np.arange(1, 1 + len(plex.parent))
    rows = np.concatenate([[0], sets, np.repeat(sets, plex.size)])
    columns = np.concatenate([[0], plex.parent, np.arange(1, plex.sequences)])
    entries = np.concatenate([[1.0], -np.ones(len(sets)), np.ones(plex.sequences - 1)])
    return csr_matrix((entries, (rows, columns)), shape=(1 + len(sets), plex.sequences))


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
