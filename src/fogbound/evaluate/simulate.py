"""What a policy earns in a POMDP, estimated by playing: a statistic with its interval, never called a bound.

All games run side by side, one step at a time. Memory is a value, so games in which the policy remembers the
same share one number: it is asked once for each memory, not once for each game.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.profile import Profile, policy_of
from fogbound.evaluate.sampling import OutcomeDraws, POMDPLabels
from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.forms.bayes_filter import START
from fogbound.forms.induced import FixedPlayer
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, derive

# A policy that plays many games at once: memories are values, so each is numbered and asked about once.


SURE = 2.0  # above every draw: the running sum from the last possible place on


class NumberedPolicy:
    """A `FixedPlayer` of a POMDP: arrays of numbers in, one entry a game, arrays of numbers out."""

    def __init__(self, form: POMDP, policy: Strategy) -> None:
        self.player = FixedPlayer(POMDPLabels(form), form.player, policy)
        self.prior = np.array(self.player.prior) / sum(self.player.prior)
        self.legal = np.array([legal for _, legal in form.observations], np.int64)
        self.sizes = len(form.legal_sets) + 1, len(form.actions) + 1, len(form.observations)
        self.chosen: dict[int, int] = {}  # (memory, legal) to a row of `upto`
        widest = max((len(legal) for legal in form.legal_sets), default=1)
        self.upto: Floats = np.full((16, widest), SURE)  # [choices, places] running sums of probabilities

    def first(self, obs: Ints, rng: np.random.Generator) -> Longs:
        """The memories that games begin with."""
        games, types, observations = len(obs), len(self.prior), self.sizes[2]
        drawn = rng.choice(types, games, p=self.prior) if types > 1 else np.zeros(games, np.int64)
        return _each(drawn * observations + obs, lambda key: self._first(*divmod(key, observations)))

    def place(self, memory: Longs, obs: Ints, rng: np.random.Generator) -> Longs:
        """Where among its legal actions each game's action stands; 0 where the player can only wait."""
        legal = self.legal[obs]
        asked = np.flatnonzero(legal >= 0)
        places = np.zeros(len(memory), np.int64)
        choices = _each(memory[asked] * self.sizes[0] + legal[asked], self._choice)
        places[asked] = (rng.random(len(asked))[:, None] >= self.upto[choices]).sum(axis=1)
        return places

    def after(self, memory: Longs, action: Ints, obs: Ints) -> Longs:
        """The memories after a step."""
        return _each((memory * self.sizes[1] + action + 1) * self.sizes[2] + obs, self._after)

    def _first(self, type_: int, obs: int) -> int:
        return self.player.begin(obs)[type_][0].number

    def _choice(self, key: int) -> int:
        """The row of `upto` that holds what the policy does with a memory, asked to choose from a list."""
        row = self.chosen.get(key)
        if row is None:
            memory, legal = divmod(key, self.sizes[0])
            choice = self.player.act(self.player.memories[memory], legal)
            row = self.chosen[key] = len(self.chosen)
            if row == len(self.upto):
                self.upto = np.concatenate([self.upto, np.full_like(self.upto, SURE)])
            shares = np.zeros(choice.places[-1] + 1)
            shares[list(choice.places)] = choice.probs
            self.upto[row, : len(shares) - 1] = np.cumsum(shares)[:-1]
        return row

    def _after(self, key: int) -> int:
        (memory, action), obs = divmod(key // self.sizes[2], self.sizes[1]), key % self.sizes[2]
        return self.player.update(self.player.memories[memory], action - 1, obs).number


def _each(keys: NDArray[np.int64], answer: Callable[[int], int]) -> Longs:
    """The answer to every key, asked once for those that are equal."""
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([answer(key) for key in distinct.tolist()], np.int64)[place]


STEPS = 10_000
TOLERANCE = 1e-4  # of the range of rewards: what a discounted run may leave out


@dataclass(frozen=True)
class ValueEstimate:
    """The mean discounted reward of `games` runs.

    `sampled` is the normal interval of what was paid until runs ended or were cut. `interval` adds the most and
    the least that the cut ones might still have been paid: without a discount that knows no bound, so a side on
    which anything may follow is infinite.

    Attributes
    ----------
    mean
        The mean discounted reward.
    error
        The standard error of the mean.
    level
        The level of both intervals.
    sampled
        The interval of what was paid until runs ended or were cut.
    interval
        The interval of the value, whatever the cut runs might still have been paid.
    games
        How many runs there were.
    cut
        Runs that were stopped before their end.
    steps
        Steps of a run, on average.
    """

    mean: float
    error: float
    level: float
    sampled: tuple[float, float]
    interval: tuple[float, float]
    games: int
    cut: int
    steps: float


def simulate(
    form: AnyGame | Form,
    policy: Profile,
    games: int,
    rng: np.random.Generator,
    steps: int = STEPS,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> ValueEstimate:
    """Play `games` games by `policy` (mixed ones are drawn for each game).

    A run is cut after `steps` steps, and with a discount as soon as all that can follow counts for less than
    `tolerance` of the range of rewards.

    Parameters
    ----------
    form
        The POMDP of the player who plays, or what it can be derived from: a game of one player.
    policy
        How it plays: a policy, or a profile that has one for the form's player.
    games
        How many runs, at least 1.
    rng
        All randomness comes from here.
    steps
        After how many steps a run is cut.
    level
        Of the intervals, between 0 and 1.
    tolerance
        Of the range of rewards: what a discounted run may leave out.

    Returns
    -------
    ValueEstimate
        A statistic with its intervals, never a bound.

    Raises
    ------
    SpecError
        A number is out of its range.
    PolicyError
        The profile has no policy for the form's player.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> form = fb.forms.pomdp(fb.game("tiger"))
    >>> played = fb.evaluate.simulate(form, fb.policies.Uniform(), games=1_000, rng=np.random.default_rng(0))
    >>> played.interval[0] < fb.evaluate.value(fb.game("tiger"), fb.policies.Uniform())[0] < played.interval[1]
    True
    """
    if games < 1 or steps < 0 or not 0 < level < 1 or not tolerance > 0:
        asked = f"games {games}, steps {steps}, level {level}, tolerance {tolerance}"
        raise SpecError(f"simulate: {asked}, expected at least 1, at least 0, between 0 and 1, above 0")
    form = derive(form, POMDP)
    if form.discount < 1:
        fade = math.log(tolerance * (1 - form.discount)) / math.log(form.discount) if form.discount else 1
        steps = min(steps, max(1, math.ceil(fade)))
    runs = _Runs(form, policy_of(policy, form.player), games, rng)
    while len(runs.live) and runs.count < steps:
        runs.step()
    return _estimate(form, runs, level)


def _estimate(form: POMDP, runs: _Runs, level: float) -> ValueEstimate:
    games, cut, mean = len(runs.paid), len(runs.live), float(runs.paid.mean())
    error = float(runs.paid.std(ddof=1)) / math.sqrt(games) if games > 1 else math.inf
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    reward = form.reward[START + 1 :]
    ends = (float(reward.min(initial=0.0)), float(reward.max(initial=0.0)))  # the rewards of a step; once it is over, 0
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
