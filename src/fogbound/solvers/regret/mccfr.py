"""Monte Carlo CFR: regrets from sampled samples, for games whose sweeps are too long.

Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret minimization in extensive games" (2009).
The regrets of a sample are right on average; what is reported is still the exact exploitability of the averages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.driver.protocol import Context
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.regret.minimiser import Advance, RegretMinimiser, SamplingState, SequenceLayout


@dataclass(frozen=True)
class MCCFR(RegretMinimiser):
    """Monte Carlo CFR (Lanctot et al. 2009): external sampling, or outcome sampling with exploration.

    Works on the sequence form. In two-player zero-sum (or constant-sum) games the average strategies approach an
    equilibrium, elsewhere nothing is promised; the distance from one is computed exactly in either case.

    Parameters
    ----------
    sampling
        "external": chance and the others are sampled, every own action is tried; "outcome": one play is sampled.
    explore
        Outcome sampling: how much the learner strays from its strategy.
    """

    name = "mccfr"

    sampling: Literal["external", "outcome"] = "external"
    explore: float = 0.6

    compiling: ClassVar[float] = 11

    def __post_init__(self) -> None:
        if self.sampling not in ("external", "outcome"):
            raise SpecError(f"mccfr: sampling is {self.sampling!r}, expected external or outcome")
        if not 0 < self.explore <= 1:
            raise SpecError(f"mccfr: explore is {self.explore}, expected above 0 and at most 1")

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("random",)

    def cost(self, form: SequenceForm) -> int:
        return 20 * int(np.sqrt(form.tree.size))

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        from fogbound.solvers.regret import kernels

        sampler = SamplingState.on(form, layout, context)
        size, widest = form.tree.size, int(form.tree.set_size.max(initial=1))
        visited, value, played = np.empty(size, np.int32), np.empty(size), np.empty(widest)
        trace = np.empty((size if self.sampling == "outcome" else 0, 3))
        given = (sampler.shape, sampler.prob, sampler.payoff, sampler.regret, sampler.average, sampler.random)

        def advance(many: int) -> None:
            if self.sampling == "external":
                kernels.external_sampling(many, *given, visited, value, played)
            else:
                kernels.outcome_sampling(many, *given, self.explore, visited, trace, played)

        return advance
