"""Exact-belief search with bounds: what to do now, and between which numbers its value lies.

Online planning as in Ross, Pineau, Paquet and Chaib-draa, "Online planning algorithms for POMDPs" (2008), by AEMS2
(`kernels.py`). Where the model can be written down but not solved in the time there is: the bounds that SARSOP begins
with (blind policies, the fast informed bound), or those that some of its trials lead to, are sharpened at the belief
that matters now.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.pomdp import POMDP, check_ends
from fogbound.policies.mixture import fixed_others

if TYPE_CHECKING:
    from fogbound.solvers.search.lookahead.planner import LookaheadPolicy, LookaheadSearch

FEW_STATES = 2_000  # that some seconds of SARSOP are enough for
HINT = "sarsop solves a model of this size in seconds, better and for every belief at once"
WAYS = 64  # down and up at the start before the first answer; then twice as many each time
ZETA, TARGET = 0.9, 0.5  # of the trials, as in `sarsop`
WORK = 1_000_000  # multiplications between two looks at whether to stop


@dataclass(frozen=True)
class Lookahead(Solver[POMDP]):
    """Bounds at the current belief, by search from there at every move (AEMS2: Ross and Chaib-draa 2007).

    At the start both bounds can be certified; the certified plan is the one that the lower bound stands for, while
    the policy that plays searches anew at every move. Assumes a discount below 1, or play that surely ends.

    Parameters
    ----------
    nodes
        Beliefs that a search may hold: for a move, and for the bounds at the start.
    milliseconds
        For a move, at most, whatever `nodes` says; then what is played depends on the machine. 0: as long as it takes.
    trials
        Trials of SARSOP before the first move, whose vectors and points then bound what was not looked into.
    """

    name = "lookahead"

    nodes: int = 1_000
    milliseconds: float = 0.0
    trials: int = 0

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"

    def __post_init__(self) -> None:
        if self.nodes < 1:
            raise SpecError(f"lookahead: nodes is {self.nodes}, expected 1 or more")
        if not 0 <= self.milliseconds < float("inf"):
            raise SpecError(f"lookahead: milliseconds is {self.milliseconds}, expected a number of 0 or more")
        if self.trials < 0:
            raise SpecError(f"lookahead: trials is {self.trials}, expected 0 or more")

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        from fogbound.solvers.search.lookahead.planner import LookaheadPolicy, LookaheadSearch

        check_ends(form, self.name)
        search = LookaheadSearch(mixed_observability(form), {})
        self._trials(search, context)
        bounds = {name: array.copy() for name, array in search.bounds.arrays.items()}  # not to be computed again
        policy = LookaheadPolicy(form, self.nodes, self.milliseconds, bounds)
        search.plant(0, np.ones(1))
        ways, done = WAYS, False
        while not done:
            done = search.advance(self.nodes, ways)
            ways *= 2
            yield _answer(search, policy)
            if context.stopping():
                return

    def _trials(self, search: LookaheadSearch, context: Context) -> None:
        """What SARSOP learns about the whole model before anything is asked."""
        from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE, SARSOP_RULE
        from fogbound.solvers.pomdp.hsvi.sarsop import improve_bounds

        trials = ((HSVI_RULE, ZETA), (SARSOP_RULE, TARGET))
        while search.bounds.trials < self.trials and not context.stopping():
            if improve_bounds(search.bounds, trials, WORK, most=self.trials + 1):
                return


def _answer(search: LookaheadSearch, policy: LookaheadPolicy) -> Progress:
    form = policy.pomdp
    lower, upper = search.interval
    details: dict[str, Any] = {"beliefs": search.nodes}
    if form.size < FEW_STATES and upper > lower:
        details["hint"] = HINT

    def profile() -> dict[int, Strategy]:
        return {form.player: policy, **fixed_others(form)}

    def shown() -> Evidence:
        from fogbound.solvers.search.lookahead.evidence import evidence

        return evidence(search)

    return Progress(lower, lower, upper, profile, details, iteration=search.nodes, evidence=shown)
