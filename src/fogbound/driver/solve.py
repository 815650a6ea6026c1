"""The one driver: it owns the clock, the interrupt, the checkpoints and the trace; solvers only think.

A solver is a generator over improving answers. `solve` runs it until the gap is closed, time or iterations
are up, or someone presses Ctrl-C, and always returns the best answer so far.
"""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from fogbound.core.errors import FileError, FogboundError, FormError, brief
from fogbound.driver import checkpoint as checkpoints
from fogbound.driver.protocol import Context, Progress, Solver, TraceEntry, Until
from fogbound.driver.provenance import make_provenance
from fogbound.driver.report import report
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form

__all__ = ["Context", "Progress", "Solution", "Solver", "TraceEntry", "Until", "solve"]

WARN_EVERY = 60.0  # seconds between complaints about a checkpoint that cannot be written


def solve(
    solver: Solver[Any],
    form: Form,
    until: Until | None = None,
    seed: int = 0,
    watch: Callable[[TraceEntry], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    every: float = 5.0,
    certified: bool = True,
    player: int | None = None,
) -> Solution:
    """Run `solver` on `form`.

    Value and bounds are those of `player`: the form's own where it has one, otherwise player 0 unless told.
    `watch` sees every step of the trace. `checkpoint` names a file that is rewritten every `every` seconds
    and at the end; `resume` names one to go on from, to the same result as an uninterrupted run.
    """
    require_form(solver, form)
    until = until or Until()
    provenance = make_provenance(solver, form, seed, player)
    context, trace = Context(np.random.default_rng(seed), most=until.iterations), list[TraceEntry]()
    if resume is not None:
        trace = checkpoints.restore(resume, provenance, context)
    before = trace[-1].seconds if trace else 0.0
    began = time.monotonic()

    def elapsed() -> float:
        return before + time.monotonic() - began

    progress: Progress | None = None
    stopped, checkpointer = "finished", _Checkpointer(checkpoint, every) if checkpoint is not None else None
    with _signals() as caught:
        context.stopping = lambda: bool(caught) or elapsed() >= until.seconds
        for found in solver.run(form, context):
            progress = _for_player(found, form, provenance["player"])
            number = progress.iteration or (trace[-1].iteration if trace else 0) + 1
            figures = (progress.value, progress.lower, progress.upper, progress.distance)
            moment = TraceEntry(number, elapsed(), *figures)
            trace.append(moment)
            if watch:
                watch(moment)
            if checkpointer and checkpointer.due():
                checkpointer.keep(provenance, context, trace)
            stop = _reason(moment, until, caught, progress.more)
            if stop:
                stopped = stop
                break
        if stopped == "finished" and (caught or elapsed() >= until.seconds):
            stopped = caught[0] if caught else "seconds"  # the solver was cut short inside a long call
        if progress is None:
            raise FogboundError(f"{provenance['solver']}: stopped before the first answer")
        if checkpointer:
            checkpointer.keep(provenance, context, trace)
        solution = _solution(progress, form, stopped, trace, provenance, certified)
        return replace(solution, stopped=caught[0] if caught else solution.stopped, seconds=elapsed())


def require_form(solver: Solver[Any], form: Any) -> None:
    """Refuse a form that the solver does not work on: what was found, what is needed, and how to get it."""
    wanted, name = solver.form, getattr(solver, "name", "") or type(solver).__name__
    if isinstance(form, wanted):
        return
    found = form.describe() if isinstance(form, Form) else brief(form)
    raise FormError(
        f"{name} works on a {wanted.kind} form, found {found}: hand the game to fogbound.solve, or derive the form "
        f"with fogbound.forms.derive(game, {wanted.__name__})"
    )


class _Checkpointer:
    """Writes checkpoints now and then. A full disk must not end a long run: it is warned of, and tried again."""

    def __init__(self, path: str | os.PathLike[str], every: float) -> None:
        self.path, self.every = path, every
        self.last, self.warned = time.monotonic(), -WARN_EVERY

    def due(self) -> bool:
        return time.monotonic() - self.last >= self.every

    def keep(self, provenance: dict[str, Any], context: Context, trace: list[TraceEntry]) -> None:
        self.last = time.monotonic()
        try:
            checkpoints.save(self.path, provenance, context, trace)
        except FileError as error:
            if self.last - self.warned >= WARN_EVERY:
                self.warned = self.last
                warnings.warn(f"no checkpoint was written: {error}", stacklevel=3)


def _reason(moment: TraceEntry, until: Until, caught: list[str], more: bool) -> str:
    """Why to stop now, or an empty string."""
    if caught:
        return caught[0]
    if moment.gap <= until.gap and not more:
        return "gap"
    if moment.iteration >= until.iterations:
        return "iterations"
    return "seconds" if moment.seconds >= until.seconds else ""


def _solution(
    progress: Progress, form: Form, stopped: str, trace: list[TraceEntry], provenance: dict[str, Any], certified: bool
) -> Solution:
    """The answer as it is reported: policies extracted, evaluated again, and certified where that is quick."""
    profile, player = progress.profile(), int(provenance["player"])
    settled = report(progress, form, profile, player, certified)
    last = trace[-1]
    return Solution(
        profile=profile,
        player=player,
        value=settled.value + 0.0,  # never -0.0
        lower=settled.lower + 0.0,
        upper=settled.upper + 0.0,
        gap=settled.gap + 0.0,
        iterations=last.iteration,
        seconds=last.seconds,
        stopped=stopped,
        trace=tuple(trace),
        provenance=provenance,
        certificate=settled.certificate,
        details={**progress.details, **settled.details},
    )


def _for_player(progress: Progress, form: Form, player: int) -> Progress:
    """The same answer from another player: in a constant-sum game of two, what one gains the other loses."""
    if player == 0 or form.player is not None:
        return progress
    total = form.constant_sum
    if total is None or len(form.players) != 2:
        if not progress.values:
            raise FogboundError(f"{form.spec}: this solver speaks for player 0 only, not for player {player}")
        value, best = progress.values[player], progress.best[player]
        return replace(progress, value=value, lower=value, upper=best)
    return replace(progress, value=total - progress.value, lower=total - progress.upper, upper=total - progress.lower)


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
