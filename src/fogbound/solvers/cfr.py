"""Counterfactual regret minimisation in full sweeps: each player learns to regret nothing.

Zinkevich et al. 2007. In a two-player zero-sum game the average strategies approach an equilibrium; with more
players or other pay the regret of the average profile is reported and nothing is promised. `CFR` is the slides'
version by default (chance sampled, players in turn); CFR+ is Tammelin 2014; DCFR Brown and Sandholm 2019;
predictive CFR+ Farina, Kroer and Sandholm 2021.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.forms.sequence import SequenceForm
from fogbound.progress import Desk
from fogbound.solvers.regret import Advance, Learner, Slots, iteration_of, prepare
from fogbound.solvers.walks import Walker

Powers = tuple[float, float, float]  # alpha, beta: how regrets fade; gamma: iteration t weighs t ** gamma


def sweeping(form: SequenceForm, laid: Slots, desk: Desk, kind: int, alternating: bool, powers: Powers) -> Advance:
    """Full sweeps over the sequence form, one for each player an iteration."""
    from fogbound.kernels import cfr as kernel

    weight = np.concatenate([plex.weights(plex.uniform) for plex in form.plexes])
    zeros = {name: np.zeros(len(weight)) for name in ("regret", "hint", "average")}
    prepare(desk, **zeros, behaviour=laid.uniform.copy(), weight=weight)
    state = [desk.arrays[name] for name in ("regret", "hint", "average", "behaviour", "weight")]
    fixed = (laid.plex_of, laid.offset, laid.parent, laid.first, laid.size, laid.end_of, form.payoff)
    gain, sweep = np.zeros(len(weight)), _untyped(kernel.sweep)

    def advance(many: int) -> None:
        sweep(iteration_of(desk) + 1, many, kind, alternating, powers, *fixed, *state, gain)

    return advance


def _untyped(function: Any) -> Any:
    """Compiled functions take what they take: checkers need not know."""
    return function


@dataclass(frozen=True)
class CFRPlus(Learner):
    """CFR+ (Tammelin 2014): regrets never below zero, players in turn, later strategies weigh more."""

    name = "cfr-plus"

    averaging: float = 1.0  # iteration t counts t ** averaging in the average

    def advance(self, form: SequenceForm, laid: Slots, desk: Desk) -> Advance:
        from fogbound.kernels.cfr import PLUS

        return sweeping(form, laid, desk, PLUS, True, (0.0, 0.0, self.averaging))


@dataclass(frozen=True)
class DCFR(Learner):
    """Discounted CFR (Brown and Sandholm 2019): early regrets fade, negative ones fastest."""

    name = "dcfr"

    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0

    def advance(self, form: SequenceForm, laid: Slots, desk: Desk) -> Advance:
        from fogbound.kernels.cfr import DISCOUNTED

        return sweeping(form, laid, desk, DISCOUNTED, True, (self.alpha, self.beta, self.gamma))


@dataclass(frozen=True)
class PredictiveCFR(Learner):
    """Predictive CFR+ (Farina, Kroer and Sandholm 2021): play as if the last regret came again."""

    name = "predictive-cfr"

    averaging: float = 2.0  # iteration t counts t ** averaging in the average

    def advance(self, form: SequenceForm, laid: Slots, desk: Desk) -> Advance:
        from fogbound.kernels.cfr import PREDICTIVE

        return sweeping(form, laid, desk, PREDICTIVE, True, (0.0, 0.0, self.averaging))


@dataclass(frozen=True)
class CFR(Learner):
    """CFR: with `sampling=chance` the slides' pseudo-code, one chance outcome a walk; with `full` whole sweeps."""

    name = "cfr"

    sampling: Literal["chance", "full"] = "chance"
    alternating: bool = True

    def __post_init__(self) -> None:
        if self.sampling not in ("chance", "full"):
            raise SpecError(f"cfr: sampling is {self.sampling!r}, expected chance or full")
        if self.sampling == "chance" and not self.alternating:
            raise SpecError("cfr: with sampling=chance players take turns; use sampling=full for alternating=false")

    def cost(self, form: SequenceForm) -> int:
        return form.tree.size if self.sampling == "chance" else super().cost(form)

    def advance(self, form: SequenceForm, laid: Slots, desk: Desk) -> Advance:
        from fogbound.kernels.cfr import VANILLA
        from fogbound.kernels.walks import walk_chance

        if self.sampling == "full":
            return sweeping(form, laid, desk, VANILLA, self.alternating, (0.0, 0.0, 0.0))
        walker = Walker.on(form, laid, desk)
        prepare(desk, behaviour=laid.uniform.copy())
        size, n = form.tree.size, len(form.plexes)
        work = (np.empty(size, np.int32), np.empty(size), np.empty((size, n)), np.empty(size, np.int32))

        def advance(many: int) -> None:
            kept = (walker.regret, walker.average, desk.arrays["behaviour"])
            walk_chance(many, walker.shape, walker.prob, walker.payoff, *kept, walker.random, *work)

        return advance
