"""The one driver: it owns the clock, the interrupt, the checkpoints and the trace; solvers only think.

A solver is a generator over improving answers. `solve` runs it until the gap is closed, time or iterations
are up, or someone presses Ctrl-C, and always returns the best answer so far.
"""

from __future__ import annotations

import hashlib
import math
import platform
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

import fogbound
from fogbound import archive
from fogbound.core.errors import FileError, FogboundError
from fogbound.core.policy import Player
from fogbound.core.spec import spec_of
from fogbound.evaluate.certificate import Certificate, certify

F = TypeVar("F", contravariant=True)
inf = math.inf


@dataclass(frozen=True)
class Progress:
    """An answer so far. Bounds are those of the player the solver works for; profile() makes the policies."""

    value: float
    lower: float
    upper: float
    profile: Callable[[], dict[int, Player]]
    details: Mapping[str, Any] = field(default_factory=dict)
    gap: float | None = None  # where it is not simply upper - lower

    @property
    def distance(self) -> float:
        return self.upper - self.lower if self.gap is None else self.gap


@dataclass
class Desk:
    """What the driver lends a solver while it runs.

    A solver keeps everything it must remember in `arrays`, by name: at a yield they are its whole state, so
    they are what a checkpoint holds and what a resumed run finds (empty in a fresh run).
    """

    rng: np.random.Generator
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    stopping: Callable[[], bool] = lambda: False  # asked inside calls that take long


class Solver(Protocol[F]):
    """A frozen dataclass whose fields are the paper's parameters."""

    form: ClassVar[str]  # the name of the form it works on

    def run(self, form: F, desk: Desk) -> Iterator[Progress]:
        """Yield as the answer improves; never print, never read a clock."""


@dataclass(frozen=True)
class Until:
    """When to stop: the first of these that is met. A solver may also simply finish."""

    gap: float = 0.0
    seconds: float = inf
    iterations: float = inf


@dataclass(frozen=True)
class Moment:
    """One line of the trace: the bounds at a time."""

    iteration: int
    seconds: float
    value: float
    lower: float
    upper: float
    gap: float


@dataclass(frozen=True, eq=False)
class Solution:
    """An answer with its bounds, the policies that reach it, how it was found, and how to check it."""

    profile: dict[int, Player]
    player: int
    value: float
    lower: float
    upper: float
    gap: float
    iterations: int
    seconds: float
    stopped: str  # gap, finished, seconds, iterations, interrupted, terminated
    trace: tuple[Moment, ...] = field(repr=False)
    recipe: dict[str, Any] = field(repr=False)
    certificate: Certificate | None = field(default=None, repr=False)
    details: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def certified(self) -> str:
        """Which bounds the independent checker has confirmed: both, lower, or none yet."""
        return self.certificate.proves if self.certificate is not None and self.certificate.checked else "none"


def solve(
    solver: Solver[Any],
    form: Any,
    until: Until | None = None,
    seed: int = 0,
    watch: Callable[[Moment], None] | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    every: float = 5.0,
    certified: bool = True,
    player: int | None = None,
) -> Solution:
    """Run `solver` on `form`.

    Value and bounds are those of `player`: the form's own where it has one, otherwise seat 0 unless told.
    `watch` sees every step of the trace. `checkpoint` names a file that is rewritten every `every` seconds
    and at the end; `resume` names one to go on from, to the same result as an uninterrupted run.
    """
    until = until or Until()
    recipe = make_recipe(solver, form, seed, player)
    desk, trace = Desk(np.random.default_rng(seed)), list[Moment]()
    if resume is not None:
        trace = _restore(resume, recipe, desk)
    before = trace[-1].seconds if trace else 0.0
    began = time.monotonic()

    def elapsed() -> float:
        return before + time.monotonic() - began

    progress: Progress | None = None
    stopped, saved = "finished", time.monotonic()
    with _signals() as caught:
        desk.stopping = lambda: bool(caught) or elapsed() >= until.seconds
        for found in solver.run(form, desk):
            progress = _facing(found, form, recipe["player"])
            moment = Moment(
                len(trace) + 1, elapsed(), progress.value, progress.lower, progress.upper, progress.distance
            )
            trace.append(moment)
            if watch:
                watch(moment)
            if checkpoint is not None and time.monotonic() - saved >= every:
                _checkpoint(checkpoint, recipe, desk, trace)
                saved = time.monotonic()
            stop = _reason(moment, until, caught)
            if stop:
                stopped = stop
                break
        if progress is None:
            raise FogboundError(f"{recipe['solver']}: stopped before the first answer")
        if checkpoint is not None:
            _checkpoint(checkpoint, recipe, desk, trace)
        return _solution(progress, form, stopped, trace, recipe, certified)


def _reason(moment: Moment, until: Until, caught: list[str]) -> str:
    """Why to stop now, or an empty string."""
    if caught:
        return caught[0]
    if moment.gap <= until.gap:
        return "gap"
    if moment.iteration >= until.iterations:
        return "iterations"
    return "seconds" if moment.seconds >= until.seconds else ""


def _solution(
    progress: Progress, form: Any, stopped: str, trace: list[Moment], recipe: dict[str, Any], certified: bool
) -> Solution:
    """The answer as it is reported: policies extracted, evaluated again, and certified where that is quick."""
    profile = progress.profile()
    player = int(recipe["player"])
    lower, upper, gap, certificate = progress.lower, progress.upper, progress.distance, None
    if certified:
        certificate = certify(form, profile, player)
    value = progress.value
    if certificate is not None:
        certificate, lower, upper = _settle(certificate, progress)
        equilibrium = progress.gap is not None
        value = (lower + upper) / 2 if equilibrium else min(max(value, lower), upper)
        gap = (upper - lower) / 2 if equilibrium else upper - lower
    last = trace[-1]
    return Solution(
        profile=profile,
        player=player,
        value=value,
        lower=lower,
        upper=upper,
        gap=gap,
        iterations=last.iteration,
        seconds=last.seconds,
        stopped=stopped,
        trace=tuple(trace),
        recipe=recipe,
        certificate=certificate,
        details=dict(progress.details),
    )


def _settle(certificate: Certificate, progress: Progress) -> tuple[Certificate, float, float]:
    """The bounds to report: the certified ones where the checker has spoken, the solver's own otherwise.

    A chain certificate speaks of what the policy is worth, which is a lower bound on what can be had; the
    upper bound then stays the solver's.
    """
    if not certificate.checked:
        return certificate.claiming(progress.lower, progress.upper), progress.lower, progress.upper
    if certificate.kind == "chain-profile":
        return certificate, certificate.lower, max(progress.upper, certificate.lower)
    return certificate, certificate.lower, certificate.upper


def _facing(progress: Progress, form: Any, player: int) -> Progress:
    """An equilibrium from the other seat: in a constant-sum game of two, what one gains the other loses."""
    total = getattr(form, "constant_sum", None)
    if player == 0 or hasattr(form, "player") or total is None:
        return progress
    return replace(progress, value=total - progress.value, lower=total - progress.upper, upper=total - progress.lower)


def make_recipe(solver: Any, form: Any, seed: int, player: int | None = None) -> dict[str, Any]:
    """Everything needed to get the same answer again."""
    return {
        "game": form.spec,
        "form": type(form).__name__,
        "solver": spec_of(solver),
        "player": int(getattr(form, "player", player or 0)),
        "seed": seed,
        "form_sha256": form_digest(form),
        "versions": {
            "fogbound": fogbound.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "numba", "highspy")},
            "platform": platform.platform(terse=True),
            "machine": platform.machine(),
        },
    }


def form_digest(form: Any) -> str:
    """A hash of a form's arrays: two forms with the same hash are the same problem."""
    digest = hashlib.sha256()
    for name, array in sorted(form.arrays().items()):
        plain = archive.canonical(array)
        shape = ",".join(map(str, plain.shape))
        digest.update(f"{name}\0{plain.dtype.str}\0{shape}\0".encode() + plain.tobytes())
    return digest.hexdigest()


@contextmanager
def _signals() -> Iterator[list[str]]:
    """Note the first Ctrl-C or SIGTERM instead of dying; a second Ctrl-C leaves at once."""
    caught: list[str] = []
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return

    def note(number: int, frame: Any) -> None:  # noqa: ARG001
        if caught and number == signal.SIGINT:
            raise KeyboardInterrupt
        caught.append("interrupted" if number == signal.SIGINT else "terminated")

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_HUGE = float(np.finfo(np.float64).max)
_COLUMNS = ("iteration", "seconds", "value", "lower", "upper", "gap")


def trace_array(trace: list[Moment] | tuple[Moment, ...]) -> NDArray[np.float64]:
    """The trace as rows of numbers, for files."""
    rows = np.array([[getattr(m, c) for c in _COLUMNS] for m in trace], np.float64).reshape(-1, len(_COLUMNS))
    finite: NDArray[np.float64] = np.clip(rows, -_HUGE, _HUGE)  # files hold finite numbers only
    return finite


def trace_from(rows: NDArray[Any]) -> list[Moment]:
    """The trace that `trace_array` wrote."""
    rows = np.where(rows >= _HUGE, inf, np.where(rows <= -_HUGE, -inf, rows))
    return [Moment(int(row[0]), *map(float, row[1:])) for row in rows]


def _checkpoint(path: str | Path, recipe: dict[str, Any], desk: Desk, trace: list[Moment]) -> None:
    state = desk.rng.bit_generator.state
    header = {
        "recipe": recipe,
        "rng": {"state": str(state["state"]["state"]), "inc": str(state["state"]["inc"])},
    }
    arrays = {f"state/{name}": array for name, array in desk.arrays.items()}
    archive.save(path, "checkpoint", header, {**arrays, "trace": trace_array(trace)})


def _restore(path: str | Path, recipe: dict[str, Any], desk: Desk) -> list[Moment]:
    """Fill the desk from a checkpoint of the same problem; refuse one of another."""
    header, arrays = archive.load(path, "checkpoint")
    try:
        for key in ("game", "solver", "seed", "form_sha256"):
            if header["recipe"][key] != recipe[key]:
                raise FileError(
                    f"{path}: is a checkpoint of {key} {header['recipe'][key]!r}, cannot go on with {recipe[key]!r}"
                )
        inner = {key: int(header["rng"][key]) for key in ("state", "inc")}
        desk.rng.bit_generator.state = {**desk.rng.bit_generator.state, "state": inner}
        trace = trace_from(arrays.pop("trace"))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileError(f"{path}: damaged checkpoint, {error!r} is missing or wrong") from error
    prefix = "state/"
    desk.arrays.update({name[len(prefix) :]: a.copy() for name, a in arrays.items() if name.startswith(prefix)})
    return trace
