"""What a policy earns in a POMDP, estimated by playing: a statistic with its interval, never called a bound.

All games run side by side, one step at a time. Memory is a value, so games in which the policy remembers the
same share one number: it is asked once for each memory, not once for each game.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.core.policy import AnyPolicy, Strategy, kinds
from fogbound.evaluate.sampling import OutcomeDraws
from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.forms.bayes_filter import START
from fogbound.forms.induced import moves
from fogbound.forms.pomdp import POMDP, WAIT

# A policy that plays many games at once: memories are values, so each is numbered and asked about once.


SURE = 2.0  # above every draw: the running sum from the last possible place on


class NumberedPolicy:
    """Arrays of numbers in, one entry a game, arrays of numbers out."""

    def __init__(self, form: POMDP, policy: Strategy) -> None:
        self.form = form
        likely = [(kind, p) for kind, p in kinds(policy) if p > 0]
        self.types: list[AnyPolicy] = [kind for kind, _ in likely]
        self.prior = np.array([p for _, p in likely]) / sum(p for _, p in likely)
        self.numbers: dict[tuple[int, Any], int] = {}
        self.memories: list[tuple[int, Any]] = []
        self.known: dict[int, int] = {}  # (memory, action, observation) to the memory after it
        self.chosen: dict[int, int] = {}  # (memory, menu) to a row of `upto`
        self.observations, self.legal_sets = zip(*form.observations)
        self.menu_of = np.array(self.legal_sets, np.int64)
        widest = max((len(legal) for legal in form.legal_sets), default=1)
        self.upto: Floats = np.full((16, widest), SURE)  # [choices, places] running sums of probabilities

    def first(self, obs: Ints, rng: np.random.Generator) -> Longs:
        """The memories that games begin with."""
        games, observations = len(obs), len(self.observations)
        kind = rng.choice(len(self.types), games, p=self.prior) if len(self.types) > 1 else np.zeros(games, np.int64)
        return _each(kind * observations + obs, lambda key: self._first(*divmod(key, observations)))

    def place(self, memory: Longs, obs: Ints, rng: np.random.Generator) -> Longs:
        """Where in its menu each game's action stands; 0 where the player can only wait."""
        legal_sets, legal = len(self.form.legal_sets) + 1, self.menu_of[obs]
        asked = np.flatnonzero(legal >= 0)
        places = np.zeros(len(memory), np.int64)
        keys = memory[asked] * legal_sets + legal[asked]
        choices = _each(keys, lambda key: self._choice(key, *divmod(key, legal_sets)))
        places[asked] = (rng.random(len(asked))[:, None] >= self.upto[choices]).sum(axis=1)
        return places

    def after(self, memory: Longs, action: Ints, obs: Ints) -> Longs:
        """The memories after a step."""
        actions, observations = len(self.form.actions) + 1, len(self.observations)
        keys = (memory * actions + action + 1) * observations + obs
        return _each(keys, lambda key: self._after(key, actions, observations))

    def _number(self, kind: int, memory: Any) -> int:
        number = self.numbers.setdefault((kind, memory), len(self.memories))
        if number == len(self.memories):
            self.memories.append((kind, memory))
        return number

    def _first(self, kind: int, obs: int) -> int:
        return self._number(kind, self.types[kind].begin(self.observations[obs]))

    def _choice(self, key: int, memory: int, legal: int) -> int:
        """The row of `upto` that holds what the policy does with this memory, asked for this menu."""
        row = self.chosen.get(key)
        if row is None:
            kind, value = self.memories[memory]
            pairs = moves(self.types[kind], value, self.form.legal_sets[legal])
            row = self.chosen[key] = len(self.chosen)
            if row == len(self.upto):
                self.upto = np.concatenate([self.upto, np.full_like(self.upto, SURE)])
            shares = np.zeros(pairs[-1][0] + 1)
            shares[[place for place, _ in pairs]] = [p for _, p in pairs]
            self.upto[row, : len(shares) - 1] = np.cumsum(shares)[:-1]
        return row

    def _after(self, key: int, actions: int, observations: int) -> int:
        found = self.known.get(key)
        if found is None:
            (memory, action), obs = divmod(key // observations, actions), key % observations
            kind, value = self.memories[memory]
            label = None if action - 1 == WAIT else self.form.actions[action - 1]
            found = self.known[key] = self._number(kind, self.types[kind].update(value, label, self.observations[obs]))
        return found


def _each(keys: NDArray[np.int64], answer: Callable[[int], int]) -> Longs:
    """The answer to every key, asked once for those that are equal."""
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([answer(key) for key in distinct.tolist()], np.int64)[place]


STEPS = 10_000
TOLERANCE = 1e-4  # of the range of pay: what a discounted run may leave out


@dataclass(frozen=True)
class ValueEstimate:
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
    policy: Strategy,
    games: int,
    rng: np.random.Generator,
    steps: int = STEPS,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> ValueEstimate:
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


def _estimate(form: POMDP, runs: _Runs, level: float) -> ValueEstimate:
    games, cut, mean = len(runs.paid), len(runs.live), float(runs.paid.mean())
    error = float(runs.paid.std(ddof=1)) / math.sqrt(games) if games > 1 else math.inf
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    pay = form.reward[START + 1 :]
    ends = (float(pay.min(initial=0.0)), float(pay.max(initial=0.0)))  # what a step may pay; once it is over, 0
    left = runs.scale / (1 - form.discount) if form.discount < 1 else math.inf
    least, most = (cut / games * end * left if cut and end else 0.0 for end in ends)
    sampled, interval = (mean - half, mean + half), (mean - half + least, mean + half + most)
    return ValueEstimate(mean, error, level, sampled, interval, games, cut, runs.taken / games)


class _Runs:
    """Many games in progress: the state and the memory of each that still runs, what each has been paid."""

    def __init__(self, form: POMDP, policy: Strategy, games: int, rng: np.random.Generator) -> None:
        self.form, self.rng, self.draws = form, rng, OutcomeDraws(form)
        self.policy = NumberedPolicy(form, policy)
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

    def _arrive(self, outcomes: Longs, memory: Longs) -> None:
        """Drop the games that are over."""
        state = self.form.next[outcomes]
        runs = self.form.row[state + 1] > self.form.row[state]
        self.live = self.live[runs]
        self.state, self.obs, self.memory = state[runs], self.form.obs[outcomes[runs]], memory[runs]
