"""Best play by search over the beliefs that can be reached, each stored once, between two bounds.

The exploration is that of HSVI (Smith and Simmons 2004); the upper bound of a belief that was not looked into is the
fast informed bound (Hauskrecht 2000), the lower one playing at random. Bounds are those of single beliefs, not
vectors, so it is exact, and quick, where good play needs few beliefs: against opponents who are largely known, as in
fully-nested I-POMDPs (Rosello, document 000). It also needs no discount where SARSOP does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress, Thinning
from fogbound.driver.solver import Solver
from fogbound.evaluation.plan_values import completed, policy_graph_value
from fogbound.forms.arrays import ranges
from fogbound.forms.player_view import PlayerView
from fogbound.forms.pomdp import POMDP
from fogbound.policies.mixture import fixed_others
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.policies.vocabulary import Vocabulary
from fogbound.solvers.pomdp.belief_graph.fsc import FSCUnion, controller_of_kind, fsc_of_policy
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph, Problem
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import BeliefPolicy
from fogbound.solvers.pomdp.belief_graph.search import GraphSearch, SolvedProblem
from fogbound.solvers.pomdp.belief_graph.upper_evidence import claim_evidence
from fogbound.solvers.pomdp.greedy import policy_graph_evidence


def belief_graph_of(form: POMDP) -> tuple[BeliefGraph, Problem]:
    """The belief graph of a POMDP, and its own start as a problem in it."""
    belief_graph, begun = BeliefGraph.of(form), slice(0, int(form.out[1]))
    starts = (form.next[begun].astype(np.int64), form.obs[begun].astype(np.int64))
    return belief_graph, belief_graph.open(*starts, form.prob[begun].copy(), float(form.reward[0]))


class BeliefGraphSolution:
    """What a search knows when it is asked, in the forms that are wanted at the end."""

    def __init__(self, form: POMDP, search: GraphSearch) -> None:
        self.form, self.search = form, search

    @cached_property
    def chosen(self) -> tuple[BeliefPolicy, bool]:
        """The plan in the graph; to play it nobody needs its value, which may take long."""
        return self.search.chosen()

    @cached_property
    def solved(self) -> SolvedProblem:
        return self.search.evaluated(*self.chosen)

    @cached_property
    def plan(self) -> PolicyGraph | None:
        """The plan in the POMDP's own numbers; None where it is at random from some belief on."""
        (plan, _), graph = self.chosen, self.search.belief_graph.graph  # in this order: choosing lets the graph grow
        if (np.diff(plan.take) == 0).any():
            return None
        rows = plan.row[1:]
        state = graph.state[graph.first[plan.listed[1:]]]
        label = self.form.action[self.form.row[state] + rows - graph.rows[plan.listed[1:]]]
        many = graph.out[plan.row + 1] - graph.out[plan.row]
        own = ranges(graph.out[plan.row], many)
        node = np.repeat(np.arange(len(plan.row)) - 1, many)
        arrows = np.stack([node, graph.obs[own], plan.number[graph.child[own]] - 1], axis=1).astype(np.int64)
        begin, every = arrows[node < 0][:, 1:], arrows[node >= 0]
        return completed(PolicyGraph(self.form, label.astype(np.int64), begin, every)).minimal()

    def controller(self) -> Strategy:
        """The policy that plays the game."""
        if self.plan is not None:
            return self.plan.controller()
        own = FSCUnion(PlayerView(self.form.player, np.zeros(0), np.zeros(0), self.form.observations))  # type: ignore[arg-type]
        built = fsc_of_policy(self.search.belief_graph, self.chosen[0], self.form.action[1:].astype(np.int64))
        words = Vocabulary.of(self.form, self.form.player)
        return controller_of_kind(own, own.add(built), self.form.actions, vocabulary=words)

    def evidence(self) -> Evidence:
        """What the checker needs, where the plan is complete and the claims come to rest."""
        belief_graph, solved = self.search.belief_graph, self.solved
        details = {"controller_nodes": len(solved.plan.listed) - 1 if self.plan is None else self.plan.size}
        above = None
        if self.plan is not None:  # else there is nothing to show below, and claims for all beliefs take long
            above = claim_evidence(belief_graph, self.search.problem, np.arange(belief_graph.states))
        if above is None or self.plan is None:
            return Evidence({}, solved.start_value, solved.upper, details)
        arrays, upper = above
        exact = policy_graph_value(self.plan)
        below = policy_graph_evidence(self.plan, exact.pair, exact.value, exact.steps)
        return Evidence({**below, **arrays}, solved.start_value, max(upper, solved.start_value), details)


MOST_BELIEFS = 2_000_000
ASSEMBLY = 2.0  # of the seconds that the search took so far: what policy, evidence and check are expected to take
READING = 100_000  # outcomes that may be looked at to settle the policy, beyond as many again as the search looked at


@dataclass(frozen=True)
class BeliefSearch(Solver[POMDP]):
    """Optimal policy of a POMDP, exact where it needs finitely many beliefs, also without a discount.

    Without a discount it is about policies with which play surely ends, and every state must be able to end.

    Parameters
    ----------
    most
        Beliefs at which it is left at the bounds so far.
    """

    name = "belief-search"

    most: int = MOST_BELIEFS

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"
    compiling: ClassVar[float] = 29

    def __post_init__(self) -> None:
        if self.most < 1:
            raise SpecError(f"belief-search: most is {self.most}, expected at least 1")

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        from fogbound.solvers.pomdp.belief_graph.search import GraphSearch, SearchLimits

        began = context.clock.elapsed()
        belief_graph, problem = belief_graph_of(form)
        search = GraphSearch(belief_graph, problem, SearchLimits(context.stopping, self.most, reading=READING))
        answer = BeliefGraphSolution(form, search)
        while True:
            done = search.step()
            low, high = search.bounds()
            details: dict[str, Any] = {"beliefs": belief_graph.beliefs}

            def profile() -> dict[int, Strategy]:
                return {form.player: answer.controller(), **fixed_others(form)}

            def evidence() -> Evidence:
                return answer.evidence()

            spent = context.clock.elapsed() - began
            reserved = Thinning(partial(float, ASSEMBLY * spent), lambda _: answer.evidence())
            yield Progress(
                low, low, max(low, high), profile, details, evidence=evidence, thinning=reserved,
                unfinished=search.unfinished,
            )  # fmt: skip
            if done:
                return
