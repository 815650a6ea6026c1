"""Best play by search over the beliefs that can be reached, each held once, between two bounds.

The exploration is that of HSVI (Smith and Simmons 2004); the upper bound of a belief that was not looked into is the
fast informed bound (Hauskrecht 2000), the lower one playing at random. Bounds are kept for single beliefs, not as
vectors, so it is exact, and quick, where good play needs few beliefs: against opponents who are largely known, as in
fully-nested I-POMDPs (Rosello, document 000). It also needs no discount where SARSOP does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.pomdp import POMDP
from fogbound.policies.mixture import fixed_others

MOST_BELIEFS = 2_000_000
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
        from fogbound.solvers.pomdp.belief_graph.solution import BeliefGraphSolution, belief_graph_of

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

            yield Progress(low, low, max(low, high), profile, details, evidence=evidence, unfinished=search.unfinished)
            if done:
                return
