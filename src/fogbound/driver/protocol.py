"""What solvers and their driver say to each other: answers so far, what is lent, when to stop."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.forms.protocol import Form
from fogbound.parallel.engine import Engine, here

F = TypeVar("F", contravariant=True)
inf = math.inf


@dataclass(frozen=True)
class Evidence:
    """What a certificate needs beside the profile, and the bounds that it proves in floats, where those are known."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    lower: float | None = None
    upper: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)  # what only becomes known with it

    @classmethod
    def missing(cls, why: str, lower: float, upper: float) -> Evidence:
        """None for these bounds; `why`, for people."""
        return cls({}, lower, upper, {"uncertified": why})


@dataclass(frozen=True)
class Progress:
    """An answer so far. Bounds are those of the player the solver works for; profile() makes the policies."""

    value: float
    lower: float
    upper: float
    profile: Callable[[], dict[int, Strategy]]
    details: Mapping[str, Any] = field(default_factory=dict)
    gap: float | None = None  # of an equilibrium: NashConv over the number of players; else upper - lower
    iteration: int | None = None  # how many iterations so far, where a yield covers several
    evidence: Callable[[], Evidence] = Evidence  # asked for once, at the end
    values: tuple[float, ...] = ()  # every player's value, where pay does not add up to a constant ...
    best: tuple[float, ...] = ()  # ... and what its best reply would earn
    more: bool = False  # however close the bounds, the solver has more to tell: no reason to stop

    @property
    def distance(self) -> float:
        return self.upper - self.lower if self.gap is None else self.gap


@dataclass
class Context:
    """What the driver lends a solver while it runs.

    A solver keeps everything it must remember in `arrays`, by name: at a yield they are its whole state, so
    they are what a checkpoint holds and what a resumed run finds (empty in a fresh run), once `Solver.remembers` has
    seen that they can be gone on with. Where it computes is not
    part of that state: with another engine a run goes on to the same result.
    """

    rng: np.random.Generator
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    stopping: Callable[[], bool] = lambda: False  # asked inside calls that take long
    most: float = inf  # the iteration at which the driver will stop: no need to go beyond
    engine: Engine = here  # for what can be computed side by side
    clock: Clock = field(default_factory=Clock)  # for what is told about times; limits are asked for by `stopping`

    @property
    def reason(self) -> str:
        """Why to stop now, so that it can stand around what is not handed it: `with cancelling(context)`."""
        return "asked" if self.stopping() else ""


class Solver(Protocol[F]):
    """A frozen dataclass whose fields are the paper's parameters.

    One that keeps arrays also has `remembers(form, kept)`, which declares them to a `driver.kept.Kept`: what was not
    declared is not taken from a checkpoint.
    """

    form: ClassVar[type[Form]]  # what it works on

    def run(self, form: F, context: Context) -> Iterator[Progress]:
        """Yield as the answer improves; never print, never read a clock."""


@dataclass(frozen=True)
class Until:
    """When to stop: the first of these that is met. A solver may also simply finish."""

    gap: float = 0.0
    seconds: float = inf
    iterations: float = inf


@dataclass(frozen=True)
class TraceEntry:
    """One line of the trace: the bounds at a time."""

    iteration: int
    seconds: float
    value: float
    lower: float
    upper: float
    gap: float
