"""Average reward by a vanishing discount: both bounds from the refinements of a discount next to 1.

With the discount at 1 - c, (1 - c) times what a controller earns from any pair that it reaches is close to its average,
and (1 - c) times the largest upper bound of any state is no less than the average of any policy: relative values are
what is left when the discount vanishes (Blackwell 1962; for POMDPs Platzman 1980). The independent checker judges the
same values by the inequalities of the average itself (`verify.pomdp.average`), which need no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Evidence, Progress, Thinning
from fogbound.driver.solver import Criterion, Solver
from fogbound.driver.stops import StopReason
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.solvers.pomdp.average_reward.form import AverageReward
from fogbound.solvers.pomdp.hsvi.cyclic_start import MOST_ACTIONS, MOST_STATES, near_one
from fogbound.solvers.pomdp.hsvi.near_one import point_process, refine_within
from fogbound.solvers.pomdp.hsvi.point_mdp import PointMDP
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch, declare_search
from fogbound.solvers.pomdp.hsvi.solution import EvaluatedPolicyGraph, HSVISolution
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP

VANISHING = 1e-7  # 1 - discount
MET = 1e-6  # bounds at the start this close, relative to their size, have met
CORNERS = -1  # the checker's word for a belief that is split into its states


@dataclass(frozen=True)
class AverageRewardSearch(Solver[AverageReward]):
    """Best average reward of a POMDP in which play never ends, with both bounds, as a finite-state controller.

    The discount of the model plays no part. The bounds hold for every such model, whatever chains its policies make.
    They can meet only where the best average does not depend on the state, as in unichain and weakly communicating
    models; elsewhere the lower bound is that of the worst chain that the controller may end up in, and the upper bound
    that of the best state. Takes models with up to 300 states and 12 actions.
    """

    name = "average-reward"
    compiling: ClassVar[float] = 13

    form: ClassVar[type[AverageReward]] = AverageReward
    finds: ClassVar[str] = "best average reward"
    criterion: ClassVar[Criterion] = "average"
    preferred: ClassVar[bool] = True

    def remembers(self, form: AverageReward, kept: Kept) -> None:
        declare_search(_blocks(form), kept)

    def run(self, form: AverageReward, context: Context) -> Iterator[Progress]:
        """Refine both bounds until nothing more is to be had, and tell after each refinement."""
        blocks = _blocks(form)
        if not near_one(UnderlyingMDP(blocks)):
            raise LimitError(
                f"average-reward: {form.spec} has {len(blocks.state) - 1:,} states in sets that can be confused, "
                f"expected at most {MOST_STATES - 1} and from 2 to {MOST_ACTIONS} actions in a state"
            )
        search = HeuristicSearch(blocks, context.arrays)
        yield AverageSolution(search).progress()
        while refine_within(search, context):
            yield AverageSolution(search).progress()


def _blocks(form: AverageReward) -> MixedObservability:
    return mixed_observability(replace(form.pomdp, discount=1 - VANISHING))


@dataclass(frozen=True, eq=False)
class AverageSolution:
    """What the refinements know at one moment, as averages."""

    search: HeuristicSearch

    @cached_property
    def controller(self) -> EvaluatedPolicyGraph:
        """The controller of the start's best vector, evaluated with the vanishing discount."""
        answer = HSVISolution(self.search, "controller").answer
        assert isinstance(answer, EvaluatedPolicyGraph)
        return answer

    @property
    def lower(self) -> float:
        """The average of the controller, by the least value of a pair that it reaches."""
        return VANISHING * float(self.controller.value.min())

    @property
    def upper(self) -> float:
        """What no average exceeds, by the largest value of a state; that of the start is another matter."""
        return VANISHING * float(self.search.state.points.corner[1:].max())

    def profile(self) -> dict[int, Strategy]:
        return self.controller.profile()

    def evidence(self) -> Evidence:
        """Relative values of the controller's pairs and of the points, in the checker's layout."""
        shown = self.controller.evidence()
        del shown["steps"]
        shown["value"] = shown["value"] - shown["value"].max()
        arrays, upper = relative_points(self.search)
        lower = self.lower
        return Evidence({**shown, **arrays}, lower, max(lower, upper), {"controller_nodes": self.controller.plan.size})

    def proving(self) -> float:
        """About how many seconds the check takes."""
        return HSVISolution(self.search, "controller").proving()

    def progress(self) -> Progress:
        """The answer so far."""
        search, lower, upper = self.search, self.lower, max(self.lower, self.upper)
        low, high = search.bounds()
        apart = high - low > MET * max(abs(low), abs(high))
        details: dict[str, Any] = {
            "vectors": int(search.state.vectors.count.sum()),
            "points": int(search.state.points.count.sum()),
        }
        return Progress(
            lower, lower, upper, self.profile, details, iteration=search.trials + 1,
            evidence=self.evidence, thinning=Thinning(self.proving, lambda _: self.evidence()),
            unfinished=StopReason.STALLED if apart and search.refined else None,
        )  # fmt: skip


def relative_points(search: HeuristicSearch) -> tuple[dict[str, NDArray[Any]], float]:
    """Points with relative values and witnesses, without the start; and the average that they prove, in floats."""
    process = point_process(search)
    process.solve()
    blocks, look, corners = search.blocks, process.look, process.corners
    moves = process.moves(look)
    relative = process.value - process.value[1:].max()
    state = [np.flatnonzero(weight) for weight in process.points.weight[1:]]
    members = np.concatenate([blocks.first[b] + s for b, s in zip(process.points.home[1:], state)])
    mine = look.belief > 0
    ahead = look.reward[mine] + (moves @ relative)[mine] / (1 - VANISHING) - relative[look.belief[mine]]
    slices, witness = _witnesses(process, corners)
    arrays = {
        "point_start": np.cumsum([0, *map(len, state)]).astype(np.int64),
        "point_state": blocks.state[members].astype(np.int64),
        "point_weight": np.concatenate([w[s] for w, s in zip(process.points.weight[1:], state)]),
        "point_value": relative[1:],
        "witness_start": slices,
        "witness": witness,
    }
    return arrays, float(ahead.max())


def _witnesses(process: PointMDP, corners: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of every row but the start's, a slice of witnesses: one for each observation that may come, in their order."""
    look = process.look
    own = np.flatnonzero(look.belief[look.row] > 0)
    own = own[np.lexsort((look.outcome[own], look.row[own]))]
    first = int(np.flatnonzero(look.belief > 0)[0])
    count = np.bincount(look.row[own] - first, minlength=len(look.belief) - first)
    split = look.split[own]
    slices = np.append(0, np.cumsum(count)).astype(np.int64)
    return slices, np.where(split >= corners, split - 1, CORNERS).astype(np.int64)
