"""Policies that plan as if all were seen, after one step (QMDP) or one step later (the fast informed bound).

Littman, Cassandra and Kaelbling, "Learning policies for partially observable environments: scaling up" (1995);
Hauskrecht, "Value-function approximations for partially observable Markov decision processes" (2000). Both value
functions are true upper bounds. What the policies that follow them earn is not known from them, so it is estimated by
playing: the value reported is a statistic with an interval, and there is no lower bound.

Several rounds of simulated games as one estimate, small enough to be kept in a checkpoint.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.kept import MOST, Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.evaluation.simulate import ValueEstimate, simulate
from fogbound.forms.arrays import Floats
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.pomdp import POMDP
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.mixture import fixed_others
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, model_of, qmdp_bound

Z95 = 1.959963984540054


@dataclass(frozen=True)
class RunningEstimate:
    """How many games, their mean return, its squared deviations, and what the games that were cut may still add."""

    games: int = 0
    mean: float = 0.0
    squares: float = 0.0
    least: float = 0.0  # on average over all games
    most: float = 0.0

    def plus(self, more: ValueEstimate) -> RunningEstimate:
        """Both together (Chan, Golub and LeVeque 1983)."""
        games = self.games + more.games
        share, step = more.games / games, more.mean - self.mean
        squares = self.squares + more.error**2 * more.games * (more.games - 1) + step**2 * self.games * share
        ends = (edge - inner for edge, inner in zip(more.interval, more.sampled))
        least, most = ((1 - share) * old + share * new for old, new in zip((self.least, self.most), ends))
        return RunningEstimate(games, self.mean + share * step, squares, least, most)

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean, with all that the games that were cut might still have been paid."""
        half = Z95 * math.sqrt(self.squares / (self.games - 1) / self.games) if self.games > 1 else math.inf
        return self.mean - half + self.least, self.mean + half + self.most

    def array(self) -> Floats:
        return np.array(astuple(self), np.float64)

    @classmethod
    def declare(cls, kept: Kept) -> None:
        """Declare what `array` wrote."""
        games, _, squares, *_ = kept.reals("tally", (len(fields(cls)),)).tolist()
        kept.require("tally", games == int(games) and 0 <= games <= MOST and squares >= 0, "a number of games")

    @classmethod
    def of(cls, array: NDArray[Any]) -> RunningEstimate:
        """What `array` wrote."""
        games, *rest = array.tolist()
        return cls(int(games), *rest)


ROUND = 20, 250  # games played side by side: at first, and at most
UNCERTIFIED = "such vectors bound the optimum from above, and prove nothing of what following them earns"
STATISTICAL = "value: mean return of simulated games, at most the upper bound; low to high: its 95 % interval, no bound"


@dataclass(frozen=True)
class QMDP(Solver[POMDP]):
    """The action that is best if all is seen from the next step on; so it pays nothing to learn more.

    Littman, Cassandra and Kaelbling (1995). The upper bound holds; what the policy earns is estimated, with a 95 %
    interval.

    Parameters
    ----------
    games
        Simulated to estimate what the policy earns.
    """

    name = "qmdp"

    games: int = 1_000

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"

    def __post_init__(self) -> None:
        if self.games < 2:
            raise SpecError(f"{self.name}: games is {self.games}, expected 2 or more")

    def remembers(self, form: POMDP, kept: Kept) -> None:
        kept.reals("q_values", (len(mixed_observability(form).reward),))
        kept.flags("converged", (1,))
        RunningEstimate.declare(kept)

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        model, arrays = model_of(form, self.name), context.arrays
        if not arrays:
            arrays["q_values"], arrays["converged"] = qmdp_bound(model), np.zeros(1, bool)
        if not arrays["converged"][0]:
            q_values, converged = self.sharpened(model, arrays["q_values"], context)
            arrays |= {"q_values": q_values, "converged": np.array([converged]), "tally": RunningEstimate().array()}
        upper = model.bound_at_start(arrays["q_values"])
        profile = {form.player: greedy(model, arrays["q_values"]), **fixed_others(form)}
        tally = RunningEstimate.of(arrays["tally"])
        if tally.games:  # resumed
            yield _answer(tally, upper, profile)
        while tally.games < self.games:
            some = min(max(ROUND[0], tally.games), ROUND[1], self.games - tally.games)
            tally = tally.plus(simulate(form, profile[form.player], max(some, 2), context.rng))
            arrays["tally"] = tally.array()
            yield _answer(tally, upper, profile)

    def sharpened(self, model: UnderlyingMDP, q_values: Floats, context: Context) -> tuple[Floats, bool]:  # noqa: ARG002
        """[rows] the bound to follow, and whether it has converged."""
        return q_values, True


@dataclass(frozen=True)
class FIB(QMDP):
    """The action that is best if the state is seen one step late: a tighter bound.

    The fast informed bound (Hauskrecht 2000), followed greedily. What the policy earns is estimated, as for QMDP.

    Parameters
    ----------
    games
        Simulated to estimate what the policy earns.
    """

    name = "fib"

    def sharpened(self, model: UnderlyingMDP, q_values: Floats, context: Context) -> tuple[Floats, bool]:
        return model.fast_informed_bound(q_values, context.stopping)


def greedy(model: UnderlyingMDP, q_values: Floats) -> AlphaVectors:
    """The policy that follows a bound on every (choice, state): one vector an action, -inf where it is not legal.

    A state that has a copy in a block of the start takes what its later block says: both are the same but for rounding.
    """
    cut, member = model.blocks, model.owner
    live = cut.block[member] > 0
    actions, place = np.unique(np.repeat(cut.action, np.diff(cut.offset))[live], return_inverse=True)
    vectors = np.full((len(actions), cut.pomdp.size), -np.inf)
    vectors[place, cut.state[member[live]]] = q_values[live]  # later entries, of later blocks, overwrite earlier ones
    return AlphaVectors(cut.pomdp, vectors, actions)


def _answer(tally: RunningEstimate, upper: float, profile: dict[int, Strategy]) -> Progress:
    low, high = tally.interval()
    details = {
        "statistical": STATISTICAL,
        "uncertified": UNCERTIFIED,
        "estimate": tally.mean,
        "low": low if math.isfinite(low) else None,
        "high": high if math.isfinite(high) else None,
        "games": tally.games,
    }
    return Progress(
        min(tally.mean, upper), -math.inf, upper, lambda: profile, details, iteration=tally.games, sampled="estimate"
    )
