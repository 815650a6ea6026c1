"""What SARSOP and HSVI share: both bounds at the start, improved by trials, and an answer that proves itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from fogbound.certify.shown import POMDP_RATE
from fogbound.core.cancel import check
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Evidence, Progress, Thinning
from fogbound.driver.stops import StopReason
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP, check_ends, steps_left
from fogbound.policies.mixture import fixed_others
from fogbound.solvers.pomdp.greedy import GreedyVectors
from fogbound.solvers.pomdp.hsvi.convex_hull import lower_by_hull
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import BACKUPS, HULL_AT, NODES, TRIALS, WORK
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE, SARSOP_RULE
from fogbound.solvers.pomdp.hsvi.lower_evidence import (
    EvaluatedPolicyGraph,
    evaluated_policy_graph,
    every_vector,
    vector_graph,
)
from fogbound.solvers.pomdp.hsvi.remembered import declare_search
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.hsvi.thinning import thinned_graph
from fogbound.solvers.pomdp.hsvi.upper_evidence import upper_evidence

HULL_AFTER = 32  # trials until the first linear programs; then whenever there were four times as many
CARELESS = 1e-3  # of the gap: what the evaluation of a smaller controller may cost
POLICY_SHARE = 0.75  # of what the checker can do in time: it is the policy that is played
SOONEST, LATEST = 200_000, 30_000_000  # multiplications between two answers: few at first, then some tenths of a second


class TrialSolver(Protocol):
    """A solver that runs trials: its name, and which policy it leaves behind."""

    name: str

    @property
    def policy(self) -> Literal["controller", "vectors"]: ...


def remembers(form: POMDP, kept: Kept) -> None:
    """Declare what a checkpoint holds."""
    declare_search(mixed_observability(form), kept)


def warm(solver: TrialSolver, form: POMDP, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
    """A search whose lower bound is what the profile's policy earns here, evaluated anew."""
    check_ends(form, solver.name)
    search = HeuristicSearch(mixed_observability(form), {})
    search.begin_from(profile[form.player])
    return search.arrays


def run(
    solver: TrialSolver, form: POMDP, context: Context, trials: tuple[tuple[int, float], ...]
) -> Iterator[Progress]:
    """Alternate the given kinds of trial (rule, share of the gap that is the target) until the bounds meet."""
    check_ends(form, solver.name)
    cut = mixed_observability(form)
    search = HeuristicSearch(cut, context.arrays)
    count = context.arrays["count"]
    rules, ratios = np.array([rule for rule, _ in trials]), np.array([ratio for _, ratio in trials])

    def hull() -> None:
        if count[TRIALS] >= 4 * count[HULL_AT] + HULL_AFTER:
            count[HULL_AT] = count[TRIALS]
            lower_by_hull(search)

    yield _progress(search, cut, solver.policy)
    while True:
        told = _standing(search)
        work = int(min(max(SOONEST, count[WORK] / 2), LATEST))
        done = search.run(rules, ratios, work, context.most, hull, context.stopping)
        if _standing(search) != told:  # where it has ended nothing changes any more
            yield _progress(search, cut, solver.policy)
        if done or context.stopping():
            return


def _standing(search: HeuristicSearch) -> tuple[int, int, StopReason | None]:
    """What changes whenever there is more to tell."""
    count = search.arrays["count"]
    return int(count[TRIALS]), int(count[HULL_AT]), search.unfinished


def upper_by_trials(cut: MixedObservability, goal: float) -> tuple[dict[str, NDArray[Any]], float]:
    """Evidence for an upper bound of about `goal`, or for what some work leads to; and that bound, in floats."""
    search, done = HeuristicSearch(cut, {}), False
    rules, ratios = np.array([HSVI_RULE, SARSOP_RULE]), np.array([0.9, 0.5])
    while not done and search.bounds()[1] > goal and search.arrays["count"][WORK] < LATEST:
        check()
        done = search.run(rules, ratios, SOONEST)
    above, upper = upper_evidence(search)
    if cut.pomdp.discount == 1:
        above["steps_left"] = steps_left(cut.pomdp)
    return above, upper


@dataclass(frozen=True, eq=False)
class HSVISolution:
    """What the search knows at one moment, in the forms that are asked for at the end."""

    search: HeuristicSearch
    policy: str  # controller or vectors

    @cached_property
    def followed(self) -> EvaluatedPolicyGraph:
        return evaluated_policy_graph(self.search)

    def profile(self) -> dict[int, Strategy]:
        form = self.search.blocks.pomdp
        if self.policy == "vectors":  # earns at least what the controller does: at each belief the best of them goes on
            return self.greedy.profile()
        return _profile(form, self.followed)

    @cached_property
    def greedy(self) -> GreedyVectors:
        return GreedyVectors.settled(self.search.blocks, every_vector(self.search))

    def earned(self) -> float:
        """What the policy earns, evaluated when it was extracted: the search may know less of its own vectors."""
        return self.greedy.value() if self.policy == "vectors" else self.followed.total

    def evidence(self) -> Evidence:
        above, upper = self._above()
        if self.policy == "vectors":
            below, details = self.greedy.evidence(), {}
        else:
            below = self.followed.evidence()
            details = {"controller_nodes": self.followed.plan.size}
        lower = self.earned()
        return Evidence({**below, **above}, lower, max(upper, lower), details)  # they may cross by rounding

    def proving(self) -> float:
        """About how many seconds the check of all the evidence would take."""
        sizes, state, steps = np.diff(self.search.blocks.first), self.search.state, self.search.check_steps
        pairs, states = float(state.vectors.count @ sizes), float(state.points.count @ sizes)
        return (steps.fixed + pairs * steps.pair + states * steps.point) / POMDP_RATE

    @property
    def least(self) -> float:
        """The seconds of the check that no thinning saves: reading the model."""
        return self.search.check_steps.fixed / POMDP_RATE

    def thinned(self, seconds: float) -> Evidence:
        """Evidence whose check takes about so long: all of it, or a smaller controller and fewer points."""
        steps = self.search.check_steps
        budget = max(seconds * POMDP_RATE - steps.fixed, 0.0)
        own = steps.pair * len(self.greedy.graph.value if self.policy == "vectors" else self.followed.pair)
        below = min(own, POLICY_SHARE * budget)
        above, upper = self._above(budget - below)
        if below >= own:
            whole = self.followed.evidence() if self.policy == "controller" else self.greedy.evidence()
            return Evidence({**whole, **above}, self.earned(), max(upper, self.earned()))
        return self._smaller(below / steps.pair, above, upper)

    def _smaller(self, pairs: float, above: dict[str, NDArray[Any]], upper: float) -> Evidence:
        """Evidence with a smaller policy, which is the one that is then played."""
        graph, form = thinned_graph(self.search, vector_graph(self.search), pairs), self.search.blocks.pomdp
        if self.policy == "vectors":
            greedy = GreedyVectors.settled(self.search.blocks, graph)
            below, lower, played = greedy.evidence(), greedy.value(), greedy.profile
        else:
            small = evaluated_policy_graph(self.search, graph, CARELESS)
            below, lower, played = small.evidence(), small.total, lambda: _profile(form, small)
        details = {"controller_nodes": len(graph.choice)}
        return Evidence({**below, **above}, lower, max(upper, lower), details, played)

    def _above(self, budget: float = np.inf) -> tuple[dict[str, NDArray[Any]], float]:
        above, upper = upper_evidence(self.search, budget)
        if self.search.blocks.pomdp.discount == 1:
            above["steps_left"] = steps_left(self.search.blocks.pomdp)
        return above, upper


def _profile(form: POMDP, followed: EvaluatedPolicyGraph) -> dict[int, Strategy]:
    """The player that follows a plan, and the others as they were fixed."""
    return {form.player: followed.plan.controller(), **fixed_others(form)}


def _progress(search: HeuristicSearch, cut: MixedObservability, policy: str) -> Progress:
    count, state = search.arrays["count"], search.state
    lower, upper = search.bounds()
    answer = HSVISolution(search, policy)
    details: dict[str, Any] = {
        "blocks": cut.size - 1,
        "largest_block": int(np.diff(cut.first).max()),
        "trials": int(count[TRIALS]),
        "backups": int(count[BACKUPS]),
        "beliefs": int(state.used[NODES]),
        "vectors": int(state.vectors.count.sum()),
        "points": int(state.points.count.sum()),
    }
    return Progress(
        lower, lower, max(upper, lower), answer.profile, details, iteration=int(count[TRIALS]) + 1,
        evidence=answer.evidence, thinning=Thinning(answer.proving, answer.thinned, answer.least),
        unfinished=search.unfinished, earned=answer.earned,
    )  # fmt: skip
