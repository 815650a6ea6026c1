"""The one driver: it owns the clock, the interrupt, the checkpoints and the trace; solvers only think.

A solver is a generator over improving answers. `solve` runs it until the gap is closed, time or iterations
are up, or someone presses Ctrl-C, and always returns the best answer so far.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.certify import CHECK_SECONDS, UNASKED, Checking, expected_seconds
from fogbound.core.cancel import Cancel, Stoppable, cancelling_only
from fogbound.core.compilation import hearing
from fogbound.core.errors import FileError, FogboundError, FormError, SpecError, Stopped, brief
from fogbound.core.identity import Inputs
from fogbound.core.policy import Strategy
from fogbound.driver import checkpoint as checkpoints
from fogbound.driver.clock import Clock
from fogbound.driver.limits import HASTE, Compiling, Limits, Tell, nobody, preparing, signals
from fogbound.driver.measured import possible_values
from fogbound.driver.protocol import Context, Progress, Solver, TraceEntry, Until
from fogbound.driver.provenance import VALUE, make_provenance
from fogbound.driver.report import Report, evaluated_figures, not_equilibrium, own_figures, report
from fogbound.driver.solution import Solution
from fogbound.driver.stops import StopReason
from fogbound.forms.protocol import Form
from fogbound.parallel.engine import Engine, here

__all__ = ["Context", "Progress", "Solution", "Solver", "TraceEntry", "Until", "solve"]

LEFT = "not certified: left at once, before anything was proven"
WARN_EVERY = 60.0  # seconds between complaints about a checkpoint that cannot be written
SHARE = 10  # a checkpoint is written no more often than it takes a tenth of the time


def solve(
    solver: Solver[Any],
    form: Form | Callable[[], Form],
    until: Until | None = None,
    seed: int = 0,
    watch: Callable[[TraceEntry], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    every: float = 5.0,
    certified: bool = True,
    check_seconds: float = CHECK_SECONDS,
    player: int | None = None,
    cancel: Cancel | None = None,
    engine: Engine | None = None,
    tell: Tell | None = None,
    clock: Clock | None = None,
    start: Mapping[int, Strategy] | None = None,
    begun: Callable[[dict[str, Any]], None] | None = None,
    haste: float = HASTE,
    inputs: Inputs | None = None,
) -> Solution:
    """Run `solver` on `form`; several threads may do so at once.

    Parameters
    ----------
    solver
        What looks for the answer.
    form
        What it works on, or a function without arguments that builds it: then the limits cover building as well.
    until
        When to stop. `limits.TIME_RULE` says what its seconds cover.
    seed
        Same seed, same result.
    watch
        Sees every entry of the trace.
    checkpoint, every
        A file that is rewritten at most every so many seconds, for a tenth of the time, and at the end.
    resume
        A checkpoint to go on from, to the same result as an uninterrupted run, whatever the engine.
    certified
        Whether evidence is collected and put before the independent checker, where that is quick.
    check_seconds
        What is quick: the check begins if it is expected to take no longer, and is cut off when it does. A time limit
        wins over it.
    player
        Whose value and bounds are reported: the form's own where it has one, otherwise player 0 unless told.
    cancel
        A token with which another thread stops the run; the best answer so far is returned.
    engine
        Where to compute what can be computed side by side: `parallel.here`, unless it is `parallel.processes(4)`.
    tell
        Called with a word when something begins: building, compiling, solving, certifying, checking and how long that
        will take; and stopping, as soon as somebody wants that.
    clock
        One that is running already, where what was done before counts as well.
    start
        A profile to begin from, for solvers that can: it is evaluated anew, so that nothing it promises is believed.
    begun
        Called with the provenance as soon as the form is there: what is solved, and what its bounds will mean.
    haste
        Seconds that policies and evidence may take after somebody wanted it to stop.
    inputs
        The files that the answer depends on, by content: a checkpoint of other inputs is refused.

    Raises
    ------
    SpecError
        The solver cannot begin from a profile, or is to go on from a checkpoint as well.
    Stopped
        Before there was a first answer.
    """
    until, clock, tell = until or Until(), clock or Clock(), tell or nobody
    limits = Limits(until.seconds, clock, cancel, tell, haste)
    with signals(limits), hearing(Compiling(limits)):
        form = _built(form, limits)
        require_form(solver, form)
        provenance = {**make_provenance(solver, form, seed, player, inputs), "until": until.plain()}
        if begun:
            begun(dict(provenance))
        rng, aim = np.random.default_rng(seed), until.aim(form.largest)
        context = Context(rng, most=until.iterations, gap=aim, engine=engine or here, clock=clock)
        context.stopping = lambda: bool(limits.reason)
        trace = list[TraceEntry]()
        if start is not None:
            with preparing(limits, "the start was being evaluated"):
                context.arrays.update(_warm(solver, form, start, resume))
        if resume is not None:
            trace = checkpoints.restore(resume, solver, form, provenance, context)
        if trace:
            clock.put_forward(trace[-1].seconds)
        if not context.arrays:  # nothing is remembered, so that all of it is told again
            trace = []
        run = _Run(solver, form, context, limits, until, provenance, trace, check_seconds if certified else None)
        tell("solving")
        progress, stopped = run.improve(watch, _Checkpointer(checkpoint, every, clock) if checkpoint else None)
        profile, settled = run.settled(progress, tell)
        solution = run.solution(progress, profile, settled, stopped)
        return replace(solution, stopped=str(limits.asked or stopped), seconds=clock.elapsed())


def _warm(solver: Solver[Any], form: Form, start: Mapping[int, Strategy], resume: object) -> dict[str, NDArray[Any]]:
    """What a run that begins from a profile finds in its arrays."""
    name = str(getattr(solver, "name", type(solver).__name__))
    if resume is not None:
        raise SpecError(f"{name}: a run begins from a solution or goes on from a checkpoint, not both")
    if not hasattr(solver, "warm"):
        raise SpecError(
            f"{name} cannot begin from a solution; those that can: cfr(sampling=full), cfr-plus, dcfr, predictive-cfr, "
            "shapley, hoffman-karp, sarsop, hsvi"
        )
    arrays: dict[str, NDArray[Any]] = solver.warm(form, start)
    return arrays


def _built(form: Form | Callable[[], Form], limits: Limits) -> Form:
    """The form, and not beyond the limits where it has yet to be built."""
    if not callable(form):
        return form
    limits.tell("building")
    with preparing(limits, "the form was being built"):
        return form()


@dataclass(frozen=True)
class _Run:
    """One solver on one form: its answers, one better than the other, until there is a reason to stop."""

    solver: Solver[Any]
    form: Form
    context: Context
    limits: Limits
    until: Until
    provenance: dict[str, Any]
    trace: list[TraceEntry]
    check_seconds: float | None  # what the check may take; None: nothing is certified

    @property
    def player(self) -> int:
        return int(self.provenance["player"])

    def improve(
        self, watch: Callable[[TraceEntry], None] | None, checkpointer: _Checkpointer | None
    ) -> tuple[Progress, str]:
        """The last answer, and why it is the last."""
        progress: Progress | None = None
        stopped, known = "", len(self.trace)  # entries of which the solver's arrays know
        try:
            with closing(self._answers()) as answers:
                for number, progress in enumerate(answers):
                    entry = self._again(progress) if number == 0 else None
                    if entry is None:
                        entry = self._entry(progress)
                        self.trace.append(entry)
                    if not progress.passing:
                        known = len(self.trace)
                    self._keep_time(progress)
                    if watch:
                        watch(entry)
                    stopped = self._reason(entry, progress)
                    if stopped:
                        break
                    if checkpointer and checkpointer.due():
                        checkpointer.keep(self.provenance, self.context, self.trace[:known])
        except KeyboardInterrupt:  # the second one: what there is, at once
            if progress is None or not self.limits.at_once:
                raise
            return progress, self.limits.asked
        except Stopped as stop:
            if progress is not None:
                raise
            raise self._nothing(stop.reason) from stop
        if progress is None:
            raise self._nothing(self.limits.reason)
        stopped = (
            stopped or self.limits.reason or progress.unfinished or StopReason.FINISHED
        )  # cut short inside a long call
        if checkpointer:
            checkpointer.keep(self.provenance, self.context, self.trace[:known])
        return progress, stopped

    def _answers(self) -> Generator[Progress, None, None]:
        """The solver's answers, for the player who asks.

        Until there is one, what the solver builds may be cut off, by the time limit too; later it is asked to stop and
        keeps what it has.
        """
        around: tuple[Stoppable, ...] = (self.limits.for_building(),)
        answers = self.solver.run(self.form, self.context)
        try:
            while True:
                with cancelling_only(*around):
                    progress = next(answers, None)
                if progress is None:
                    return
                around = ()
                yield _for_player(progress, self.form, self.player)
        finally:
            if isinstance(answers, Generator):
                answers.close()  # those who compute for it may go

    def _entry(self, progress: Progress) -> TraceEntry:
        number = progress.iteration or (self.trace[-1].iteration if self.trace else 0) + 1
        figures = (progress.value, progress.lower, progress.upper, progress.distance)
        return TraceEntry(number, self.context.clock.elapsed(), *figures)

    def _keep_time(self, progress: Progress) -> None:
        """Reserve time for the evidence of an answer, as far as there is a limit of time."""
        if self.check_seconds and self.limits.seconds < np.inf:
            less = progress.thinning
            expected, least = (less.seconds(), less.least) if less else self.by_form
            self.limits.keep_for_evidence(expected, least, self.check_seconds)

    @cached_property
    def by_form(self) -> tuple[float, float]:
        """What the check is expected to take, and takes at least; nothing where the form does not tell."""
        expected = expected_seconds(self.form, self.player)
        return (0.0, 0.0) if expected is None else (expected, expected)

    def _again(self, progress: Progress) -> TraceEntry | None:
        """The last entry, as of now, where a resumed solver tells once more where it was."""
        if not self.trace:
            return None
        last, told = self.trace[-1], self._entry(progress)
        number = told.iteration if progress.iteration else last.iteration
        return told if (told := replace(told, iteration=number)) == replace(last, seconds=told.seconds) else None

    def _reason(self, entry: TraceEntry, progress: Progress) -> str:
        """Why to stop now, or an empty string."""
        if self.limits.asked:
            return self.limits.asked
        if entry.gap <= self.until.close(entry.lower, entry.upper, self.form.largest) and not progress.more:
            return StopReason.GAP
        if entry.iteration >= self.until.iterations:
            return StopReason.ITERATIONS
        return self.limits.reason

    def _nothing(self, reason: str) -> FogboundError:
        """What is raised where there is no answer."""
        who = self.provenance["solver"]
        if not reason:
            return FogboundError(f"{who}: stopped before the first answer")
        more = ". Give it more time, or a smaller game" if reason == StopReason.SECONDS else ""
        return Stopped(reason, f"{who}: stopped before the first answer ({reason}){more}")

    def settled(self, progress: Progress, tell: Tell) -> tuple[dict[int, Strategy], Report]:
        """The policies of an answer, and its figures: evaluated again and, where that is wanted, checked.

        Whatever goes wrong with evidence or check, the answer is reported, and why it is not certified.
        """
        profile: dict[int, Strategy] = {}
        if self.limits.at_once:
            return _at_once(progress), own_figures(progress, LEFT)
        part = self.limits.for_evidence()
        try:
            with cancelling_only():  # policies are owed whatever the time
                profile = progress.profile()
            if self.check_seconds is None:
                with cancelling_only(part):
                    return profile, evaluated_figures(progress, self.form, profile, self.player)
            tell("certifying")
            with cancelling_only(part):
                settled = report(progress, self.form, profile, self.player, self._checking(tell))
                return settled.profile or profile, settled
        except Stopped as stop:
            asked = f"stopped ({stop.reason}) before the evidence was there" if self.check_seconds else UNASKED
            why = f"not yet certified: {asked}"
            if not profile:
                return profile, own_figures(progress, why)
            with cancelling_only(part):
                return profile, evaluated_figures(progress, self.form, profile, self.player, why)
        except KeyboardInterrupt:
            if not self.limits.at_once:
                raise
            return profile or _at_once(progress), own_figures(progress, LEFT)
        except Exception as fault:
            if not profile:  # the solver has no answer: that is no matter of certificates
                raise
            why = f"not certified: {self._no_certificate(fault)}"
            return profile, evaluated_figures(progress, self.form, profile, self.player, why)

    def _possible(self, settled: Report) -> dict[str, Any]:
        """Of an answer without bounds, what the rewards allow."""
        if np.isfinite(settled.lower) or np.isfinite(settled.upper) or self.limits.at_once:
            return {}
        with cancelling_only(self.limits.for_evidence()):
            found = possible_values(self.form, self.player)
        return {} if found is None else {"possible": list(found)}

    def _checking(self, tell: Tell) -> Checking:
        """What evidence and check may take. After Ctrl-C nothing is thinned: the answer is the best there is."""
        left = np.inf if self.limits.asked else self.limits.left
        return Checking(self.check_seconds or 0.0, self.limits.clock.elapsed, tell, left)

    def _no_certificate(self, fault: Exception) -> str:
        """Why no certificate could be made; what nobody foresaw is warned of as well."""
        why = f"no certificate could be made ({str(fault) or type(fault).__name__})"
        if not isinstance(fault, FogboundError):
            warnings.warn(f"{self.form.spec}: {why}", stacklevel=2)
        return why

    def _provenance(self, settled: Report) -> dict[str, Any]:
        """Where the answer comes from. Evidence on histories may show a constant sum that single steps do not have."""
        proof = settled.certificate
        return self.provenance | ({"answer": VALUE} if proof and proof.kind.startswith("zero-sum-") else {})

    def solution(self, progress: Progress, profile: dict[int, Strategy], settled: Report, stopped: str) -> Solution:
        """The answer as it is reported."""
        last, finds = self.trace[-1], str(self.provenance["finds"])
        why = not_equilibrium(settled, finds, self.form, self.until)
        basis = settled.basis() | ({"not_equilibrium": why} if why else {}) | self._possible(settled)
        return Solution(
            profile=profile,
            player=self.player,
            value=settled.value + 0.0,  # never -0.0
            lower=settled.lower + 0.0,
            upper=settled.upper + 0.0,
            gap=settled.gap + 0.0,
            iterations=last.iteration,
            seconds=last.seconds,
            stopped=str(stopped),
            trace=tuple(self.trace),
            provenance=self._provenance(settled),
            certificate=settled.certificate,
            details={**progress.details, **settled.details, **basis},
        )


def _at_once(progress: Progress) -> dict[int, Strategy]:
    """The policies of an answer that is wanted now; none where somebody is too impatient even for that."""
    try:
        with cancelling_only():
            return progress.profile()
    except KeyboardInterrupt:
        return {}


def require_form(solver: Solver[Any], form: Any) -> None:
    """Refuse a form that the solver does not work on: what was found, what is needed, and how to get it."""
    wanted, name = solver.form, getattr(solver, "name", "") or type(solver).__name__
    if isinstance(form, (wanted, *getattr(solver, "without_form", ())[:1])):
        return
    found = form.describe() if isinstance(form, Form) else brief(form)
    raise FormError(
        f"{name} works on a {wanted.kind} form, found {found}: hand the game to fogbound.solve, or derive the form "
        f"with fogbound.forms.derive(game, {wanted.__name__})"
    )


class _Checkpointer:
    """Writes checkpoints now and then. A full disk must not end a long run: it is warned of, and tried again."""

    def __init__(self, path: str | os.PathLike[str], every: float, clock: Clock) -> None:
        self.path, self.every, self.clock = path, every, clock
        self.last, self.warned = clock.elapsed(), -WARN_EVERY
        self.took = 0.0  # seconds, the last time: arrays grow while a run goes on

    def due(self) -> bool:
        return self.clock.elapsed() - self.last >= max(self.every, SHARE * self.took)

    def keep(self, provenance: dict[str, Any], context: Context, trace: list[TraceEntry]) -> None:
        begun = self.clock.elapsed()
        self._write(provenance, context, trace)
        self.last = self.clock.elapsed()
        self.took = self.last - begun

    def _write(self, provenance: dict[str, Any], context: Context, trace: list[TraceEntry]) -> None:
        try:
            checkpoints.save(self.path, provenance, context, trace)
        except FileError as error:
            now = self.clock.elapsed()
            if now - self.warned >= WARN_EVERY:
                self.warned = now
                warnings.warn(f"no checkpoint was written: {error}", stacklevel=3)


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
