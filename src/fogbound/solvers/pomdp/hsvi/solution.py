"""What a search leaves behind: a policy that is evaluated exactly, evidence for both bounds, and less of it in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from fogbound.certificates.pomdp import POMDP_RATE
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Evidence, Progress, Thinning
from fogbound.solvers.pomdp.greedy import GreedyVectors
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import BACKUPS, NODES
from fogbound.solvers.pomdp.hsvi.lower_evidence import (
    EvaluatedPolicyGraph,
    evaluated_policy_graph,
    every_vector,
    vector_graph,
)
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.hsvi.thinning import thinned_graph
from fogbound.solvers.pomdp.hsvi.upper_evidence import upper_evidence

CARELESS = 1e-3  # of the gap: what the evaluation of a smaller controller may cost
POLICY_SHARE = 0.75  # of what the checker can do in time: it is the policy that is played


@dataclass(frozen=True, eq=False)
class HSVISolution:
    """What the search knows at one moment, in the forms that are asked for at the end."""

    search: HeuristicSearch
    policy: str  # controller or vectors

    @cached_property
    def answer(self) -> GreedyVectors | EvaluatedPolicyGraph:
        """The policy. Vectors earn at least what the controller does: at each belief the best of them goes on."""
        if self.policy == "vectors":
            return GreedyVectors.settled(self.search.blocks, every_vector(self.search))
        return evaluated_policy_graph(self.search)

    def profile(self) -> dict[int, Strategy]:
        return self.answer.profile()

    def earned(self) -> float:
        """What the policy earns, evaluated when it was extracted: the search may know less of its own vectors."""
        return self.answer.earned()

    def evidence(self) -> Evidence:
        return _evidence(self.answer, upper_evidence(self.search))

    def proving(self) -> float:
        """About how many seconds the check of all the evidence would take."""
        sizes, state, steps = self.search.sizes, self.search.state, self.search.check_steps
        pairs, states = float(state.vectors.count @ sizes), float(state.points.count @ sizes)
        return (steps.fixed + pairs * steps.pair + states * steps.point) / POMDP_RATE

    @property
    def least(self) -> float:
        """The seconds of the check that no thinning saves: reading the model."""
        return self.search.check_steps.fixed / POMDP_RATE

    def thinned(self, seconds: float) -> Evidence:
        """Evidence whose check takes about so long: all of it, or a smaller policy, which is then played."""
        steps = self.search.check_steps
        budget = max(seconds * POMDP_RATE - steps.fixed, 0.0)
        own = steps.pair * self.answer.pairs
        below = min(own, POLICY_SHARE * budget)
        above = upper_evidence(self.search, budget - below)
        if below >= own:
            return _evidence(self.answer, above)
        graph = thinned_graph(self.search, vector_graph(self.search), below / steps.pair)
        smaller: GreedyVectors | EvaluatedPolicyGraph
        if self.policy == "vectors":
            smaller = GreedyVectors.settled(self.search.blocks, graph)
        else:
            smaller = evaluated_policy_graph(self.search, graph, CARELESS)
        shown = _evidence(smaller, above)
        return replace(shown, details={"controller_nodes": len(graph.choice)}, profile=smaller.profile)

    def progress(self) -> Progress:
        """The answer so far."""
        search, state = self.search, self.search.state
        lower, upper = search.bounds()
        details: dict[str, Any] = {
            "blocks": search.blocks.size - 1,
            "largest_block": int(search.sizes.max()),
            "trials": search.trials,
            "backups": int(state.count[BACKUPS]),
            "beliefs": int(state.used[NODES]),
            "vectors": int(state.vectors.count.sum()),
            "points": int(state.points.count.sum()),
        }
        return Progress(
            lower, lower, max(upper, lower), self.profile, details, iteration=search.trials + 1,
            evidence=self.evidence, thinning=Thinning(self.proving, self.thinned, self.least),
            unfinished=search.unfinished,
            earned=self.earned,
        )  # fmt: skip


def _evidence(below: GreedyVectors | EvaluatedPolicyGraph, above: tuple[dict[str, NDArray[Any]], float]) -> Evidence:
    """Both sides of the evidence; the bounds may cross by rounding."""
    arrays, upper = above
    lower = below.earned()
    return Evidence({**below.evidence(), **arrays}, lower, max(upper, lower), below.details())
