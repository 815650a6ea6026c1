"""Counterfactual regret minimisation, in full sweeps or from samples: each player learns to regret nothing.

Zinkevich et al. 2007. In a two-player zero-sum game the average strategies approach an equilibrium; with more
players or other payoffs the regret of the average profile is reported and nothing is promised. `CFR` is the slides'
version by default (chance sampled, players in turn); CFR+ is Tammelin 2014; DCFR Brown and Sandholm 2019;
predictive CFR+ Farina, Kroer and Sandholm 2021; PDCFR+ Xu et al. 2024; CFR-BR Johanson et al. 2012. Monte Carlo CFR,
for games whose sweeps are too long, is Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret
minimization in extensive games" (2009): the regrets of a sample are right on average; what is reported is still the
exact exploitability of the averages. Baselines make them vary less: Schmid, Burch, Lanctot, Moravcik, Kadlec and
Bowling, "Variance reduction in Monte Carlo counterfactual regret minimization (VR-MCCFR) for extensive form games
using baselines" (2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.regret.minimiser import (
    DISCOUNTED,
    PLUS,
    PREDICTIVE,
    PREDICTIVE_DISCOUNTED,
    VANILLA,
    Advance,
    Powers,
    RegretMinimiser,
    SamplingState,
    SequenceLayout,
    iteration_of,
    prepare,
)

Arrays = tuple[NDArray[Any], ...]


class FullSweeps(RegretMinimiser):
    """CFR that goes through the whole sequence form, once for each player an iteration."""

    kind: ClassVar[int] = VANILLA
    alternating: bool = True

    @property
    def keeps(self) -> tuple[str, ...]:
        return "hint", "behaviour", "weight"

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        weight = np.concatenate([plex.weights(plex.uniform) for plex in form.plexes])
        zeros = {name: np.zeros(len(weight)) for name in ("regret", "hint", "average")}
        prepare(context, **zeros, behaviour=layout.uniform.copy(), weight=weight)
        learnt = tuple(context.arrays[name] for name in ("regret", "hint", "average", "behaviour", "weight"))
        shape, work = (*layout.shape, layout.end_of), np.zeros(len(weight))

        def advance(many: int) -> None:
            self.sweep(iteration_of(context) + 1, many, shape, form.payoff, learnt, work)

        return advance

    def sweep(self, begin: int, many: int, shape: Arrays, payoff: Floats, learnt: Arrays, work: Floats) -> None:
        """Iterations from number `begin` on; arrays as the kernels describe them."""
        from fogbound.solvers.regret.kernels import full_sweeps

        full_sweeps(begin, many, self.kind, self.alternating, self.powers, shape, payoff, learnt, work)


@dataclass(frozen=True)
class CFRPlus(FullSweeps):
    """CFR+ (Tammelin 2014): regrets never below zero, players in turn, later strategies weigh more.

    Works on the sequence form. In two-player zero-sum (or constant-sum) games the average strategies approach an
    equilibrium, elsewhere nothing is promised; the distance from one is computed exactly in either case.

    Parameters
    ----------
    averaging
        Iteration t counts t ** averaging in the average.
    """

    name = "cfr-plus"

    averaging: float = 1.0

    compiling: ClassVar[float] = 9
    kind: ClassVar[int] = PLUS

    @property
    def powers(self) -> Powers:
        return 0.0, 0.0, self.averaging


@dataclass(frozen=True)
class DCFR(FullSweeps):
    """Discounted CFR (Brown and Sandholm 2019): early regrets fade, negative ones fastest.

    Works on the sequence form. In two-player zero-sum (or constant-sum) games the average strategies approach an
    equilibrium, elsewhere nothing is promised; the distance from one is computed exactly in either case.

    Parameters
    ----------
    alpha
        Positive regrets of iteration t fade by t ** alpha / (t ** alpha + 1).
    beta
        The same for negative regrets.
    gamma
        Iteration t counts t ** gamma in the average.
    """

    name = "dcfr"

    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0

    kind: ClassVar[int] = DISCOUNTED

    @property
    def powers(self) -> Powers:
        return self.alpha, self.beta, self.gamma


@dataclass(frozen=True)
class PredictiveCFR(FullSweeps):
    """Predictive CFR+ (Farina, Kroer and Sandholm 2021): play as if the last regret came again.

    Works on the sequence form. In two-player zero-sum (or constant-sum) games the average strategies approach an
    equilibrium, elsewhere nothing is promised; the distance from one is computed exactly in either case.

    Parameters
    ----------
    averaging
        Iteration t counts t ** averaging in the average.
    """

    name = "predictive-cfr"

    averaging: float = 2.0

    kind: ClassVar[int] = PREDICTIVE

    @property
    def powers(self) -> Powers:
        return 0.0, 0.0, self.averaging


@dataclass(frozen=True)
class PDCFRPlus(FullSweeps):
    """Predictive discounted CFR+ (Xu et al. 2024): predictive CFR+ whose early regrets fade, as those of DCFR do.

    "Minimizing weighted counterfactual regret with optimistic online mirror descent", arXiv 2404.13891. Works on the
    sequence form. In two-player zero-sum (or constant-sum) games the average strategies approach an
    equilibrium, elsewhere nothing is promised; the distance from one is computed exactly in either case.

    Parameters
    ----------
    alpha
        Regrets of iteration t fade by t ** alpha / (t ** alpha + 1) before the next is added, or predicted.
    gamma
        Iteration t counts t ** gamma in the average.
    """

    name = "pdcfr-plus"

    alpha: float = 2.3
    gamma: float = 5.0

    kind: ClassVar[int] = PREDICTIVE_DISCOUNTED

    @property
    def powers(self) -> Powers:
        return self.alpha, 0.0, self.gamma


@dataclass(frozen=True)
class CFRBR(FullSweeps):
    """CFR-BR (Johanson, Bard, Burch and Bowling 2012): one player minimises regret, the other always replies best.

    "Finding optimal abstract strategies in extensive-form games". Works on the sequence form of a two-player zero-sum
    (or constant-sum) game. Who replies best regrets nothing, so the averages of both approach an equilibrium at the
    learner's pace; the distance from one is computed exactly.

    Parameters
    ----------
    learner
        Who minimises regret, by index.
    plus
        Whether regrets are never below zero, as in CFR+; false: as in the paper, which is older.
    averaging
        Iteration t counts t ** averaging in the averages; the paper has 0.
    """

    name = "cfr-br"

    learner: int = 0
    plus: bool = True
    averaging: float = 1.0

    scope: ClassVar[Scope] = ZERO_SUM

    def __post_init__(self) -> None:
        if self.learner not in (0, 1):
            raise SpecError(f"cfr-br: learner is {self.learner}, expected 0 or 1")

    @property
    def powers(self) -> Powers:
        return 0.0, 0.0, self.averaging

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        self.require(form, "cfr-br")
        yield from super().run(form, context)

    def sweep(self, begin: int, many: int, shape: Arrays, payoff: Floats, learnt: Arrays, work: Floats) -> None:
        from fogbound.solvers.regret.kernels import sweeps_against_best_responses

        kind = PLUS if self.plus else VANILLA
        sweeps_against_best_responses(begin, many, kind, self.learner, self.averaging, shape, payoff, learnt, work)


@dataclass(frozen=True)
class CFR(FullSweeps):
    """CFR: with `sampling=chance` the slides' pseudo-code, one chance outcome a sample; with `full` whole sweeps.

    Zinkevich, Johanson, Bowling and Piccione (2007).

    Works on the sequence form. In two-player zero-sum (or constant-sum) games the average strategies approach an
    equilibrium, elsewhere nothing is promised; the distance from one is computed exactly in either case.

    Parameters
    ----------
    sampling
        "chance": one chance outcome a sample; "full": the whole tree every iteration.
    alternating
        Players learn in turn, each knowing what the others have just learned; else all at once.
    """

    name = "cfr"

    sampling: Literal["chance", "full"] = "chance"
    alternating: bool = True

    def __post_init__(self) -> None:
        if self.sampling not in ("chance", "full"):
            raise SpecError(f"cfr: sampling is {self.sampling!r}, expected chance or full")
        if self.sampling == "chance" and not self.alternating:
            raise SpecError("cfr: with sampling=chance players take turns; use sampling=full for alternating=false")

    @property
    def keeps(self) -> tuple[str, ...]:
        return super().keeps if self.sampling == "full" else ("random", "behaviour")

    def cost(self, form: SequenceForm) -> int:
        return form.tree.size if self.sampling == "chance" else super().cost(form)

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        if self.sampling == "full":
            return super().advance(form, layout, context)
        from fogbound.solvers.regret.kernels import chance_sampling

        sampler = SamplingState.on(form, layout, context)
        prepare(context, behaviour=layout.uniform.copy())
        size, n = form.tree.size, len(form.plexes)
        work = (np.empty(size, np.int32), np.empty(size), np.empty((size, n)), np.empty(size, np.int32))

        def advance(many: int) -> None:
            kept = (sampler.regret, sampler.average, context.arrays["behaviour"])
            chance_sampling(many, sampler.shape, sampler.prob, sampler.payoff, *kept, sampler.random, *work)

        return advance


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
    baseline
        Outcome sampling: how fast baselines follow sampled values, which makes the estimates of regrets vary less
        (VR-MCCFR, Schmid et al. 2019, who take 0.5); 0: none.
    """

    name = "mccfr"

    sampling: Literal["external", "outcome"] = "external"
    explore: float = 0.6
    baseline: float = 0.0

    compiling: ClassVar[float] = 11

    def __post_init__(self) -> None:
        if self.sampling not in ("external", "outcome"):
            raise SpecError(f"mccfr: sampling is {self.sampling!r}, expected external or outcome")
        if not 0 < self.explore <= 1:
            raise SpecError(f"mccfr: explore is {self.explore}, expected above 0 and at most 1")
        if not 0 <= self.baseline <= 1:
            raise SpecError(f"mccfr: baseline is {self.baseline}, expected 0 to 1")
        if self.baseline and self.sampling != "outcome":
            raise SpecError("mccfr: baselines are for sampling=outcome; leave baseline out, or sample outcomes")

    @property
    def keeps(self) -> tuple[str, ...]:
        return ("random", "baseline") if self.baseline else ("random",)

    def cost(self, form: SequenceForm) -> int:
        return 20 * int(np.sqrt(form.tree.size))

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        from fogbound.solvers.regret import kernels

        sampler = SamplingState.on(form, layout, context)
        size, widest = form.tree.size, int(form.tree.set_size.max(initial=1))
        visited, value, played = np.empty(size, np.int32), np.empty(size), np.empty(widest)
        trace = np.empty((size if self.sampling == "outcome" else 0, 3))
        given = (sampler.shape, sampler.prob, sampler.payoff, sampler.regret, sampler.average, sampler.random)
        if self.baseline:
            prepare(context, baseline=np.zeros(form.tree.payoff.shape))

        def advance(many: int) -> None:
            if self.sampling == "external":
                kernels.external_sampling(many, *given, visited, value, played)
            elif self.baseline:
                learnt = context.arrays["baseline"]
                kernels.baseline_sampling(many, *given, self.explore, self.baseline, learnt, visited, trace, played)
            else:
                kernels.outcome_sampling(many, *given, self.explore, visited, trace, played)

        return advance
