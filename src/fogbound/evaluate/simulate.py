"""What a policy earns in a POMDP, estimated by playing: a statistic with its interval, never called a bound.

All games run side by side, one step at a time. Memory is a value, so games in which the policy remembers the
same share one number: it is asked once for each memory, not once for each game.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.policy import Player
from fogbound.evaluate.numbered import Numbered
from fogbound.evaluate.stepping import Draws
from fogbound.forms.bayes import START, Numbers
from fogbound.forms.pomdp import POMDP

STEPS = 10_000
TOLERANCE = 1e-4  # of the range of pay: what a discounted run may leave out


@dataclass(frozen=True)
class Estimate:
    """The mean discounted pay of `games` runs.

    `sampled` is the normal interval of what was paid until runs ended or were cut. `interval` adds the most and
    the least that the cut ones might still have been paid: without a discount that knows no bound, so a side on
    which anything may follow is infinite.
    """

    mean: float
    error: float  # standard error of the mean
    level: float  # of both intervals
    sampled: tuple[float, float]
    interval: tuple[float, float]
    games: int
    cut: int  # runs that were stopped before their end
    steps: float  # played in a run, on average


def simulate(
    form: POMDP,
    policy: Player,
    games: int,
    rng: np.random.Generator,
    steps: int = STEPS,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> Estimate:
    """Play `games` games by `policy` (mixed ones are drawn for each game).

    A run is cut after `steps` steps, and with a discount as soon as all that can follow is worth less than
    `tolerance` of the range of pay.
    """
    if games < 1 or steps < 0 or not 0 < level < 1 or not tolerance > 0:
        asked = f"games {games}, steps {steps}, level {level}, tolerance {tolerance}"
        raise SpecError(f"simulate: {asked}, expected at least 1, at least 0, between 0 and 1, above 0")
    if form.discount < 1:
        fade = math.log(tolerance * (1 - form.discount)) / math.log(form.discount) if form.discount else 1
        steps = min(steps, max(1, math.ceil(fade)))
    runs = _Runs(form, policy, games, rng)
    while len(runs.live) and runs.count < steps:
        runs.step()
    return _estimate(form, runs, level)


def _estimate(form: POMDP, runs: _Runs, level: float) -> Estimate:
    games, cut, mean = len(runs.paid), len(runs.live), float(runs.paid.mean())
    error = float(runs.paid.std(ddof=1)) / math.sqrt(games) if games > 1 else math.inf
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    pay = form.reward[START + 1 :]
    ends = (float(pay.min(initial=0.0)), float(pay.max(initial=0.0)))  # what a step may pay; once it is over, 0
    left = runs.scale / (1 - form.discount) if form.discount < 1 else math.inf
    least, most = (cut / games * end * left if cut and end else 0.0 for end in ends)
    sampled, interval = (mean - half, mean + half), (mean - half + least, mean + half + most)
    return Estimate(mean, error, level, sampled, interval, games, cut, runs.taken / games)


class _Runs:
    """Many games in progress: the state and the memory of each that still runs, what each has been paid."""

    def __init__(self, form: POMDP, policy: Player, games: int, rng: np.random.Generator) -> None:
        self.form, self.rng, self.draws = form, rng, Draws(form)
        self.policy = Numbered(form, policy)
        self.paid = np.full(games, form.reward[START])
        self.live = np.arange(games)
        self.count, self.taken, self.scale = 0, 0, 1.0
        outcomes = self.draws(np.full(games, START), rng)
        memory = self.policy.first(form.obs[outcomes], rng)
        self._arrive(outcomes, memory)

    def step(self) -> None:
        """One step of every game that runs."""
        form = self.form
        place = self.policy.place(self.memory, self.obs, self.rng)
        rows = form.row[self.state].astype(np.int64) + place
        self.paid[self.live] += self.scale * form.reward[rows]
        outcomes = self.draws(rows, self.rng)
        memory = self.policy.after(self.memory, form.action[rows], form.obs[outcomes])
        self.count, self.taken, self.scale = self.count + 1, self.taken + len(rows), self.scale * form.discount
        self._arrive(outcomes, memory)

    def _arrive(self, outcomes: Numbers, memory: Numbers) -> None:
        """Drop the games that are over."""
        state = self.form.next[outcomes]
        runs = self.form.row[state + 1] > self.form.row[state]
        self.live = self.live[runs]
        self.state, self.obs, self.memory = state[runs], self.form.obs[outcomes[runs]], memory[runs]
