"""Policies that plan as if all were seen, after one step (QMDP) or one step later (the fast informed bound).

Littman, Cassandra and Kaelbling, "Learning policies for partially observable environments: scaling up" (1995);
Hauskrecht, "Value-function approximations for partially observable Markov decision processes" (2000). Both value
functions are true upper bounds. What the policies that follow them earn is not known from them, so it is estimated by
playing: the value reported is a statistic with an interval, and there is no lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.policy import Player
from fogbound.evaluate.simulate import simulate
from fogbound.forms.blocks import Blocks
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Floats
from fogbound.policies.alpha import AlphaVectors
from fogbound.policies.others import others
from fogbound.progress import Desk, Progress
from fogbound.solvers.beliefs.first_bounds import from_above
from fogbound.solvers.vectors.above import at_start, informed
from fogbound.solvers.vectors.model import model_of
from fogbound.solvers.vectors.tally import Tally

ROUND = 20, 250  # games played side by side: at first, and at most
STATISTICAL = "value: mean pay of simulated games, at most the upper bound; low to high: its 95 % interval, no bound"


@dataclass(frozen=True)
class QMDP:
    """The action that is best if all is seen from the next step on; so it pays nothing to learn more."""

    name = "qmdp"

    games: int = 1_000  # simulated to estimate what the policy earns

    form: ClassVar[str] = "pomdp"
    finds: ClassVar[str] = "best response"

    def __post_init__(self) -> None:
        if self.games < 2:
            raise SpecError(f"{self.name}: games is {self.games}, expected 2 or more")

    def run(self, form: POMDP, desk: Desk) -> Iterator[Progress]:
        model, arrays = model_of(form, self.name), desk.arrays
        cut = model.blocks
        if not arrays:
            arrays["worth"], arrays["settled"] = from_above(model), np.zeros(1, bool)
        if not arrays["settled"][0]:
            worth, settled = self.sharpened(cut, arrays["worth"], desk)
            arrays |= {"worth": worth, "settled": np.array([settled]), "tally": Tally().array()}
        upper = at_start(cut, arrays["worth"])
        profile = {form.me: greedy(cut, arrays["worth"]), **others(form)}
        tally = Tally.of(arrays["tally"])
        if tally.games >= self.games:  # resumed with nothing left to do
            yield _answer(tally, upper, profile)
        while tally.games < self.games:
            some = min(max(ROUND[0], tally.games), ROUND[1], self.games - tally.games)
            tally = tally.plus(simulate(form, profile[form.me], max(some, 2), desk.rng))
            arrays["tally"] = tally.array()
            yield _answer(tally, upper, profile)

    def sharpened(self, cut: Blocks, worth: Floats, desk: Desk) -> tuple[Floats, bool]:  # noqa: ARG002
        """[rows] the bound to follow, and whether it is settled."""
        return worth, True


@dataclass(frozen=True)
class FIB(QMDP):
    """The action that is best if the state is seen one step late: a tighter bound."""

    name = "fib"

    def sharpened(self, cut: Blocks, worth: Floats, desk: Desk) -> tuple[Floats, bool]:
        return informed(cut, worth, desk.stopping)


def greedy(cut: Blocks, worth: Floats) -> AlphaVectors:
    """The policy that follows a bound on every (slot, state): one vector an action, -inf where it is not legal.

    A state that has a copy in a block of the start takes what its later block says: both are the same but for rounding.
    """
    form, sizes = cut.pomdp, np.diff(cut.offset)
    slot = np.repeat(np.arange(len(cut.action)), sizes)
    block = np.repeat(np.arange(cut.size), np.diff(cut.slot))[slot]
    member = cut.first[block] + np.arange(len(slot)) - cut.offset[slot]
    live = block > 0
    actions, place = np.unique(cut.action[slot[live]], return_inverse=True)
    vectors = np.full((len(actions), form.size), -np.inf)
    vectors[place, cut.state[member[live]]] = worth[live]  # later entries, of later blocks, overwrite earlier ones
    return AlphaVectors(form, vectors, actions)


def _answer(tally: Tally, upper: float, profile: dict[int, Player]) -> Progress:
    low, high = tally.interval()
    details = {
        "statistical": STATISTICAL,
        "estimate": tally.mean,
        "low": low if math.isfinite(low) else None,
        "high": high if math.isfinite(high) else None,
        "games": tally.games,
    }
    return Progress(min(tally.mean, upper), -math.inf, upper, lambda: profile, details, iteration=tally.games)
