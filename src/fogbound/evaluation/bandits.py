"""What learning costs: the regret of rules that pull a bandit's arms without knowing what they pay.

A rule sees only what the arm that it pulled has paid, 1 or nothing. Its pseudo-regret after n pulls is what the best
arm would have paid on average, less what the arms that it pulled do: no rule keeps it below a multiple of log n on
every bandit (Lai and Robbins 1985), and a rule that stops learning, or never does, pays a share of n. All runs go side
by side, one array entry each. Document 004, section 2.1.3, prints UCB1 with a slip: see `PrintedUCB`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import e, inf, log, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import SpecError
from fogbound.core.registry import Registry

Floats = NDArray[np.float64]  # [runs, arms] unless told
Longs = NDArray[np.int64]  # [runs] the arm that each run pulls
Z95 = 1.959963984540054
POINTS = 20  # rounds at which a curve is recorded


class Learner(Protocol):
    """Many runs of a rule side by side."""

    def choose(self, rng: np.random.Generator) -> Longs: ...

    def learn(self, arm: Longs, paid: Floats) -> None: ...


class BanditRule(Protocol):
    """A rule with its parameters; `learner` begins several runs of it."""

    def learner(self, runs: int, arms: int, rounds: int) -> Learner: ...


class _Counting:
    """How often each arm was pulled and what it has paid."""

    def __init__(self, rule: Any, runs: int, arms: int) -> None:
        self.rule, self.round = rule, 0
        self.pulls, self.paid = np.zeros((runs, arms)), np.zeros((runs, arms))
        self.every = np.arange(runs)

    def learn(self, arm: Longs, paid: Floats) -> None:
        self.round += 1
        self.pulls[self.every, arm] += 1
        self.paid[self.every, arm] += paid


class _EachFirst(_Counting, ABC):
    """Arms that never were pulled come first."""

    def choose(self, rng: np.random.Generator) -> Longs:
        if self.round < self.pulls.shape[1]:
            return np.full(len(self.every), self.round)
        return self.then(rng)

    @abstractmethod
    def then(self, rng: np.random.Generator) -> Longs:
        """Which arms come next, once each has been pulled."""


@dataclass(frozen=True)
class UCB1:
    """The arm whose mean and bonus are highest: Auer, Cesa-Bianchi and Fischer (2002).

    Parameters
    ----------
    width
        The bonus is sqrt(width log n / pulls); 2 in the paper.
    """

    width: float = 2.0

    def __post_init__(self) -> None:
        if not 0 <= self.width < inf:
            raise SpecError(f"ucb1: width is {self.width}, expected 0 or more")

    def learner(self, runs: int, arms: int, rounds: int) -> Learner:  # noqa: ARG002
        return _UCB1(self, runs, arms)


class _UCB1(_EachFirst):
    def then(self, rng: np.random.Generator) -> Longs:  # noqa: ARG002
        bonus = np.sqrt(self.rule.width * log(self.round) / self.pulls)
        return np.asarray((self.paid / self.pulls + bonus).argmax(axis=1))


@dataclass(frozen=True)
class PrintedUCB:
    """UCB1 as document 004 prints it: the bonus is added to the last index, and the mean is forgotten.

    UCB(t) = UCB(t − 1) + sqrt(2 log N / visit). After its first pull an arm's index begins with what it paid then (the
    printed infinity would last for ever); from there on no payment matters any more, and arms that were pulled less
    catch up, so that all are pulled alike: the regret grows like n.
    """

    def learner(self, runs: int, arms: int, rounds: int) -> Learner:  # noqa: ARG002
        return _PrintedUCB(self, runs, arms)


class _PrintedUCB(_EachFirst):
    index: Floats | None = None

    def then(self, rng: np.random.Generator) -> Longs:  # noqa: ARG002
        last = self.paid if self.index is None else self.index
        self.index = last + np.sqrt(2 * log(self.round) / self.pulls)
        return np.asarray(self.index.argmax(axis=1))


@dataclass(frozen=True)
class EpsilonGreedy:
    """The best arm so far, but any arm with probability `epsilon`, for ever.

    Parameters
    ----------
    epsilon
        How often it explores.
    """

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        _require_share("epsilon-greedy", "epsilon", self.epsilon)

    def learner(self, runs: int, arms: int, rounds: int) -> Learner:  # noqa: ARG002
        return _EpsilonGreedy(self, runs, arms)


class _EpsilonGreedy(_EachFirst):
    def then(self, rng: np.random.Generator) -> Longs:
        best = (self.paid / self.pulls).argmax(axis=1)
        any_arm = rng.integers(self.pulls.shape[1], size=len(best))
        return np.where(rng.random(len(best)) < self.rule.epsilon, any_arm, best)


@dataclass(frozen=True)
class Thompson:
    """The arm that is best in a draw from what is believed: Thompson (1933), with uniform priors."""

    def learner(self, runs: int, arms: int, rounds: int) -> Learner:  # noqa: ARG002
        return _Thompson(self, runs, arms)


class _Thompson(_Counting):
    def choose(self, rng: np.random.Generator) -> Longs:
        return np.asarray(rng.beta(1 + self.paid, 1 + self.pulls - self.paid).argmax(axis=1))


class _Mixing(ABC):
    """Draws an arm from shares; what was paid, over how likely it was to be seen, estimates what every arm pays."""

    def __init__(self, rule: Any, runs: int, arms: int, gamma: float) -> None:
        self.rule, self.gamma, self.every = rule, gamma, np.arange(runs)
        self.sums, self.shares = np.zeros((runs, arms)), np.full((runs, arms), 1 / arms)

    def choose(self, rng: np.random.Generator) -> Longs:
        inside = self.preferred()
        self.shares = (1 - self.gamma) * inside + self.gamma / inside.shape[1]
        return _drawn(self.shares, rng)

    def learn(self, arm: Longs, paid: Floats) -> None:
        self.sums[self.every, arm] += paid / self.shares[self.every, arm]

    @abstractmethod
    def preferred(self) -> Floats:
        """The shares [run, arm] that the rule itself would draw from."""


@dataclass(frozen=True)
class Exp3:
    """Shares that grow exponentially with the estimated pay: Auer, Cesa-Bianchi, Freund and Schapire (2002).

    Made for arms that an adversary pays, so that it explores more than stochastic arms ask for.

    Parameters
    ----------
    gamma
        The share of uniform draws; 0 takes the paper's for the number of rounds.
    """

    gamma: float = 0.0

    def __post_init__(self) -> None:
        _require_share("exp3", "gamma", self.gamma)

    def learner(self, runs: int, arms: int, rounds: int) -> Learner:
        tuned = min(1.0, sqrt(arms * log(arms) / ((e - 1) * rounds)))
        return _Exp3(self, runs, arms, self.gamma or tuned)


class _Exp3(_Mixing):
    def preferred(self) -> Floats:
        logs = self.gamma * self.sums / self.sums.shape[1]
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class RegretMatching:
    """Shares in proportion to the positive regrets, which are estimated: Hart and Mas-Colell (2001).

    Parameters
    ----------
    gamma
        The share of uniform draws, without which regrets cannot be estimated.
    """

    gamma: float = 0.05

    def __post_init__(self) -> None:
        _require_share("regret-matching", "gamma", self.gamma)

    def learner(self, runs: int, arms: int, rounds: int) -> Learner:  # noqa: ARG002
        return _RegretMatching(self, runs, arms, self.gamma)


class _RegretMatching(_Mixing):
    def learn(self, arm: Longs, paid: Floats) -> None:
        super().learn(arm, paid)
        self.sums -= paid[:, None]

    def preferred(self) -> Floats:
        regret = np.maximum(self.sums, 0.0)
        total = regret.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0, regret / np.where(total > 0, total, 1.0), 1 / regret.shape[1]))


def _require_share(rule: str, name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise SpecError(f"{rule}: {name} is {value}, expected 0 to 1")


def _drawn(shares: Floats, rng: np.random.Generator) -> Longs:
    upto = np.cumsum(shares, axis=1)
    return np.asarray((rng.random(len(shares))[:, None] * upto[:, -1:] >= upto).sum(axis=1))


RULES: Registry[BanditRule] = Registry(
    "bandit rule",
    {
        "ucb1": "fogbound.evaluation.bandits:UCB1",
        "printed-ucb": "fogbound.evaluation.bandits:PrintedUCB",
        "epsilon-greedy": "fogbound.evaluation.bandits:EpsilonGreedy",
        "thompson": "fogbound.evaluation.bandits:Thompson",
        "exp3": "fogbound.evaluation.bandits:Exp3",
        "regret-matching": "fogbound.evaluation.bandits:RegretMatching",
    },
)


@dataclass(frozen=True)
class RegretCurve:
    """The mean pseudo-regret of a rule over many runs, with 95 % intervals.

    Attributes
    ----------
    rule
        The rule's name.
    rounds
        After how many pulls each figure is.
    mean, low, high
        The mean and its interval.
    """

    rule: str
    rounds: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Plain rows, which `draw.sweep` takes: ``sweep(rows, x="pulls", y="regret", by="rule")``."""
        columns = zip(self.rounds, self.mean, self.low, self.high)
        return [{"rule": self.rule, "pulls": n, "regret": m, "low": a, "high": b} for n, m, a, b in columns]


def bandit_regret(
    rule: str | BanditRule,
    chances: Sequence[float],
    rounds: int = 1_000,
    runs: int = 200,
    rng: np.random.Generator | None = None,
) -> RegretCurve:
    """What a rule loses against the best arm, on average over runs, as it learns.

    Parameters
    ----------
    rule
        A rule, or its spec: ``"ucb1"``, ``"printed-ucb"``, ``"epsilon-greedy(epsilon=0.1)"``, ``"thompson"``,
        ``"exp3"`` or ``"regret-matching"``.
    chances
        How likely each arm pays 1; otherwise it pays nothing.
    rounds
        How many pulls.
    runs
        How many runs side by side.
    rng
        What is drawn comes from it; one of seed 0 unless given.

    Returns
    -------
    RegretCurve

    Raises
    ------
    SpecError
        For chances that are none, or fewer than one round or run.

    Examples
    --------
    >>> ucb, printed = (bandit_regret(rule, [0.4, 0.6], rounds=2_000).mean[-1] for rule in ("ucb1", "printed-ucb"))
    >>> ucb < 60, printed > 190  # 0.1 a pull is what pulling both arms alike loses
    (True, True)
    """
    arms = np.array(chances, float)
    if arms.ndim != 1 or len(arms) < 1 or not ((arms >= 0) & (arms <= 1)).all():
        raise SpecError(f"bandit: chances are {list(chances)}, expected numbers from 0 to 1, one for each arm")
    if rounds < 1 or runs < 1:
        raise SpecError(f"bandit: {rounds} rounds in {runs} runs, expected at least 1 of each")
    rng = rng or np.random.default_rng(0)
    made = RULES.make(rule) if isinstance(rule, str) else rule
    learner, loss, regret = made.learner(runs, len(arms), rounds), arms.max() - arms, np.zeros(runs)
    recorded = sorted({round(k) for k in np.linspace(1, rounds, POINTS)})
    curve: list[tuple[float, float]] = []
    for n in range(1, rounds + 1):
        check()
        arm = learner.choose(rng)
        learner.learn(arm, (rng.random(runs) < arms[arm]).astype(float))
        regret += loss[arm]
        if n == recorded[len(curve)]:
            half = Z95 * regret.std(ddof=1) / sqrt(runs) if runs > 1 else inf
            curve.append((float(regret.mean()), float(half)))
    mean, low, high = ([m + sign * h for m, h in curve] if sign else [m for m, _ in curve] for sign in (0, -1, 1))
    named = rule if isinstance(rule, str) else type(rule).__name__
    return RegretCurve(named, tuple(recorded), tuple(mean), tuple(low), tuple(high))
