"""What solvers and their driver say to each other: answers so far, what is lent, when to stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.driver.stops import StopReason
from fogbound.parallel.engine import Engine, here

if TYPE_CHECKING:
    from fogbound.policies.alpha_vectors import AlphaVectors

inf = math.inf


@dataclass(frozen=True)
class Evidence:
    """What a certificate needs beside the profile, and the bounds that it proves in floats, where those are known."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    lower: float | None = None
    upper: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)  # what only becomes known with it
    profile: Callable[[], dict[int, Strategy]] | None = None  # the policies it speaks of, where it was made from others
    alpha_vectors: Callable[[], AlphaVectors | None] | None = None  # that stay with an answer of these policies

    @classmethod
    def missing(cls, why: str, lower: float, upper: float) -> Evidence:
        """None for these bounds; `why`, for people."""
        return cls({}, lower, upper, {"uncertified": why})


@dataclass(frozen=True)
class Thinning:
    """Evidence that can be made smaller: its check takes less time, and proves bounds that are further apart."""

    seconds: Callable[[], float]  # about how long all the evidence and its check would take
    # evidence whose check fits into the seconds that are left, which are fewer each time they are asked for
    make: Callable[[Callable[[], float]], Evidence]
    least: float = 0.0  # seconds of the check that no thinning saves


@dataclass(frozen=True)
class Progress:
    """An answer so far. Bounds are those of the player the solver works for; profile() makes the policies.

    Parameters
    ----------
    value, lower, upper
        The value so far, between these bounds. They are the solver's claims: the driver reports what it recomputes
        from the profile instead, wherever it can.
    profile
        Makes the policies of the answer.
    details
        What only this solver has to say.
    gap
        None for ``upper - lower``, which is NashConv of a zero-sum equilibrium of two players. With more players or
        a general sum, the largest regret of any player.
    iteration
        How many iterations so far, where a yield covers several.
    evidence
        Makes the evidence; asked for once, at the end.
    thinning
        Makes less of it, where the time limit leaves no time to check all.
    values
        Every player's value, where payoffs do not add up to a constant.
    best
        What every player's best reply would earn, likewise.
    more
        Whether the solver has more to tell, however close the bounds: no reason to stop.
    unfinished
        Why the solver ends here although it has not shown what it set out to.
    passing
        Whether the solver's arrays know nothing of it: a run that resumes from a checkpoint reports it again.
    earned
        What the policies of `profile` earn, as the solver evaluates them once they are made: a lower bound, and
        reported instead of `lower` where there is neither time for evidence nor an evaluation by the driver.
    sampled
        Where `value` is a statistic: ``"estimate"``, the mean return of games that the policies played, or
        ``"search"``, that of a search's simulations, which explore: not what the policies earn.
    alpha_vectors
        Makes the alpha vectors of the lower bound, which stay with the answer whatever policy is played; None where
        the solver has none, or the policy is a value function itself.
    """

    value: float
    lower: float
    upper: float
    profile: Callable[[], dict[int, Strategy]]
    details: Mapping[str, Any] = field(default_factory=dict)
    gap: float | None = None
    iteration: int | None = None
    evidence: Callable[[], Evidence] = Evidence
    thinning: Thinning | None = None
    values: tuple[float, ...] = ()
    best: tuple[float, ...] = ()
    more: bool = False
    unfinished: StopReason | None = None
    passing: bool = False
    earned: Callable[[], float] | None = None
    sampled: str = ""
    alpha_vectors: Callable[[], AlphaVectors | None] = lambda: None

    @property
    def distance(self) -> float:
        return self.upper - self.lower if self.gap is None else self.gap


@dataclass
class Context:
    """What the driver lends a solver while it runs.

    A solver keeps everything it must remember in `arrays`, by name: at a yield they are its whole state, so
    they are what a checkpoint holds and what a resumed run finds (empty in a fresh run), once `Solver.remembers` has
    seen that they can be gone on with. Where it computes is not
    part of that state: with another engine a run goes on to the same result. A resumed solver first tells once more
    where it was, so that a run that was over ends there.
    """

    rng: np.random.Generator
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    stopping: Callable[[], bool] = lambda: False  # asked inside calls that take long
    most: float = inf  # the iteration at which the driver will stop: no need to go beyond
    gap: float = 0.0  # the gap at which it will; 0 = it leaves that to the solver
    engine: Engine = here  # for what can be computed side by side
    clock: Clock = field(default_factory=Clock)  # for what is told about times; limits are asked for by `stopping`

    def aim(self, own: float) -> float:
        """The gap to work towards: the solver's own, or the driver's where that is less."""
        return min(own, self.gap) if self.gap > 0 else own

    @property
    def reason(self) -> str:
        """Why to stop now, so that it can stand around what is not handed it: `with cancelling(context)`."""
        return "asked" if self.stopping() else ""


@dataclass(frozen=True)
class Until:
    """When to stop: the first of these that is met. A solver may also simply finish.

    Parameters
    ----------
    gap
        How far apart the bounds may be: see `Solution.gap`.
    seconds, iterations
        How long, and how many.
    relative
        How far apart, as a share of the answer: see `close`.
    default
        Whether nobody named a limit, so that these are the ones for everybody.
    """

    gap: float = 0.0
    seconds: float = inf
    iterations: float = inf
    relative: float = 0.0
    default: bool = False

    def close(self, lower: float, upper: float, largest: float) -> float:
        """The gap that is small enough between these bounds.

        A share is one of the larger bound, or of a hundredth of the `largest` total reward where that is more: a value
        of nearly 0 has no digits to be right in.

        Examples
        --------
        >>> Until(relative=0.01).close(10.0, 20.0, largest=100.0), Until(relative=0.01).close(0.0, 0.0, largest=100.0)
        (0.2, 0.01)
        """
        scale = max(abs(lower), abs(upper), largest / 100)
        return max(self.gap, self.relative * scale) if math.isfinite(scale) else self.gap

    def aim(self, largest: float) -> float:
        """The gap that somebody asked for, for solvers that would be content with more; 0 where nobody did."""
        return self.gap if self.default or self.gap else self.relative * largest / 100

    def plain(self) -> dict[str, Any]:
        """The limits that there are, by name, for files and people."""
        given = {"gap": self.gap, "relative": self.relative, "seconds": self.seconds, "iterations": self.iterations}
        return {key: value for key, value in given.items() if 0 < value < inf} | {"default": self.default}


@dataclass(frozen=True)
class TraceEntry:
    """One line of the trace: the bounds at a time, as the solver claims them.

    `interval` is the 95% interval of a value that is a statistic; files hold the bounds alone.
    """

    iteration: int
    seconds: float
    value: float
    lower: float
    upper: float
    gap: float
    interval: tuple[float, float] | None = field(default=None, kw_only=True, compare=False)


def interval_of(details: Mapping[str, Any]) -> tuple[float, float] | None:
    """The 95% interval that an estimate comes with: statistics, and no bounds."""
    low, high = details.get("interval") or (details.get("low"), details.get("high"))
    return None if low is None or high is None else (float(low), float(high))
