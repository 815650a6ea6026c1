"""Counterfactual regret minimisation in full sweeps: each player learns to regret nothing.

Zinkevich et al. 2007. In a two-player zero-sum game the average strategies approach an equilibrium; with more
players or other payoffs the regret of the average profile is reported and nothing is promised. `CFR` is the slides'
version by default (chance sampled, players in turn); CFR+ is Tammelin 2014; DCFR Brown and Sandholm 2019;
predictive CFR+ Farina, Kroer and Sandholm 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.driver.protocol import Context
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.regret.minimiser import (
    Advance,
    RegretMinimiser,
    SamplingState,
    SequenceLayout,
    iteration_of,
    prepare,
)

SWEPT = ("hint", "behaviour", "weight")  # what full sweeps keep
Powers = tuple[float, float, float]  # alpha, beta: how regrets fade; gamma: iteration t weighs t ** gamma


def sweeping(
    form: SequenceForm, layout: SequenceLayout, context: Context, kind: int, alternating: bool, powers: Powers
) -> Advance:
    """Full sweeps over the sequence form, one for each player an iteration."""
    from fogbound.solvers.regret import kernels

    weight = np.concatenate([plex.weights(plex.uniform) for plex in form.plexes])
    zeros = {name: np.zeros(len(weight)) for name in ("regret", "hint", "average")}
    prepare(context, **zeros, behaviour=layout.uniform.copy(), weight=weight)
    state = [context.arrays[name] for name in ("regret", "hint", "average", "behaviour", "weight")]
    fixed = (layout.infoset_offset, layout.offset, layout.parent, layout.first, layout.size, layout.end_of, form.payoff)
    counterfactual_value, sweep = np.zeros(len(weight)), _untyped(kernels.sweep)

    def advance(many: int) -> None:
        sweep(iteration_of(context) + 1, many, kind, alternating, powers, *fixed, *state, counterfactual_value)

    return advance


def _untyped(function: Any) -> Any:
    """Compiled functions take what they take: checkers need not know."""
    return function


@dataclass(frozen=True)
class CFRPlus(RegretMinimiser):
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

    @property
    def power(self) -> float:
        return self.averaging

    @property
    def keeps(self) -> tuple[str, ...]:
        return SWEPT

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        from fogbound.solvers.regret.kernels import PLUS

        return sweeping(form, layout, context, PLUS, True, (0.0, 0.0, self.averaging))


@dataclass(frozen=True)
class DCFR(RegretMinimiser):
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

    @property
    def power(self) -> float:
        return self.gamma

    @property
    def keeps(self) -> tuple[str, ...]:
        return SWEPT

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        from fogbound.solvers.regret.kernels import DISCOUNTED

        return sweeping(form, layout, context, DISCOUNTED, True, (self.alpha, self.beta, self.gamma))


@dataclass(frozen=True)
class PredictiveCFR(RegretMinimiser):
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

    @property
    def power(self) -> float:
        return self.averaging

    @property
    def keeps(self) -> tuple[str, ...]:
        return SWEPT

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        from fogbound.solvers.regret.kernels import PREDICTIVE

        return sweeping(form, layout, context, PREDICTIVE, True, (0.0, 0.0, self.averaging))


@dataclass(frozen=True)
class CFR(RegretMinimiser):
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
        return SWEPT if self.sampling == "full" else ("random", "behaviour")

    def cost(self, form: SequenceForm) -> int:
        return form.tree.size if self.sampling == "chance" else super().cost(form)

    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        from fogbound.solvers.regret.kernels import VANILLA, chance_sampling

        if self.sampling == "full":
            return sweeping(form, layout, context, VANILLA, self.alternating, (0.0, 0.0, 0.0))
        sampler = SamplingState.on(form, layout, context)
        prepare(context, behaviour=layout.uniform.copy())
        size, n = form.tree.size, len(form.plexes)
        work = (np.empty(size, np.int32), np.empty(size), np.empty((size, n)), np.empty(size, np.int32))

        def advance(many: int) -> None:
            kept = (sampler.regret, sampler.average, context.arrays["behaviour"])
            chance_sampling(many, sampler.shape, sampler.prob, sampler.payoff, *kept, sampler.random, *work)

        return advance
