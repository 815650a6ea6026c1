"""The one driver: it owns the clock, the interrupt, the checkpoints and the trace; solvers only think.

A solver is a generator over improving answers. `solve` runs it until the gap is closed, time or iterations
are up, or someone presses Ctrl-C, and always returns the best answer so far.

The provenance of an answer: everything needed to get it again.
"""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.certificates.checking import UNASKED, Checking, expected_seconds
from fogbound.certificates.wording import EQUILIBRIUM, REPLY, TEAM, VALUE
from fogbound.core.cancel import Stoppable, cancelling_only
from fogbound.core.compilation import hearing
from fogbound.core.errors import FileError, FogboundError, SpecError, Stopped
from fogbound.core.identity import Inputs, packages
from fogbound.core.policy import Strategy
from fogbound.core.spec import spec_of
from fogbound.driver import checkpoint as checkpoints
from fogbound.driver.clock import Clock
from fogbound.driver.limits import Compiling, Limits, preparing, signals
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Context, Progress, TraceEntry, interval_of
from fogbound.driver.report import Report, evaluated_figures, not_equilibrium, own_figures, possible_values, report
from fogbound.driver.solution import Solution
from fogbound.driver.solver import AnySolver, require_form, require_solver
from fogbound.driver.stops import StopReason
from fogbound.forms.identity import form_digest
from fogbound.forms.protocol import Form

if TYPE_CHECKING:
    from fogbound.policies.alpha_vectors import AlphaVectors

LEFT = "not certified: left at once, before anything was proven"
WARN_EVERY = 60.0  # seconds between complaints about a checkpoint that cannot be written
SHARE = 10  # a checkpoint is written no more often than it takes a tenth of the time


def run_solver(solver: AnySolver, form: Form | Callable[[], Form], options: RunOptions | None = None) -> Solution:
    """Run `solver` on `form`; several threads may do so at once.

    Parameters
    ----------
    solver
        What looks for the answer.
    form
        What it works on, or a function without arguments that builds it: then the limits cover building as well.
    options
        Limits, seed, files, who watches and who may stop it; the defaults of `RunOptions` where none are given.

    Raises
    ------
    SpecError
        What was handed over is no solver, cannot begin from a profile, or is to go on from a checkpoint as well.
    Stopped
        Before there was a first answer.
    """
    require_solver(solver)
    asked = options or RunOptions()
    limits = asked.limits()
    with signals(limits), hearing(Compiling(limits)):
        form = _built(form, limits)
        require_form(solver, form)
        provenance = make_provenance(solver, form, asked.seed, asked.player, asked.inputs)
        provenance["until"] = asked.until.plain()
        if asked.begun:
            asked.begun(dict(provenance))
        context = _context(asked, asked.until.aim(form.largest), limits)
        trace = _beginning(solver, form, asked, limits, provenance, context)
        run = _Run(solver, form, context, limits, asked, provenance, trace)
        asked.tell("solving")
        progress, stopped = run.improve()
        profile, settled = run.settled(progress)
        solution = run.solution(progress, profile, settled, stopped)
        return replace(solution, stopped=str(limits.asked or stopped), seconds=asked.clock.elapsed())


def _context(asked: RunOptions, aim: float, limits: Limits) -> Context:
    """What the solver is lent, with nothing in its arrays."""
    rng = np.random.default_rng(asked.seed)
    context = Context(rng, most=asked.until.iterations, gap=aim, engine=asked.engine, clock=asked.clock)
    context.stopping = lambda: bool(limits.reason)
    return context


def _beginning(
    solver: AnySolver, form: Form, asked: RunOptions, limits: Limits, provenance: dict[str, Any], context: Context
) -> list[TraceEntry]:
    """Fill the arrays of a run that begins from a profile or a checkpoint; the trace so far."""
    if asked.start is not None:
        if asked.resume is not None:
            raise SpecError(f"{solver.name}: a run begins from a solution or goes on from a checkpoint, not both")
        if not solver.takes_start:
            raise SpecError(f"{solver.name} cannot begin from a solution")
        with preparing(limits, "the start was being evaluated"):
            context.arrays.update(solver.warm(form, asked.start))
    if asked.resume is None:
        return []
    trace = checkpoints.restore(asked.resume, solver, form, provenance, context)
    if trace:
        asked.clock.put_forward(trace[-1].seconds)
    return trace if context.arrays else []  # nothing is remembered, so that all of it is told again


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

    solver: AnySolver
    form: Form
    context: Context
    limits: Limits
    options: RunOptions
    provenance: dict[str, Any]
    trace: list[TraceEntry]

    @property
    def player(self) -> int:
        return int(self.provenance["player"])

    def improve(self) -> tuple[Progress, str]:
        """The last answer, and why it is the last."""
        asked = self.options
        checkpointer = _Checkpointer(asked.checkpoint, asked.every, asked.clock) if asked.checkpoint else None
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
                    if asked.watch:
                        asked.watch(entry)
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
        return TraceEntry(number, self.context.clock.elapsed(), *figures, interval=interval_of(progress.details))

    def _keep_time(self, progress: Progress) -> None:
        """Reserve time for the evidence of an answer, as far as there is a limit of time."""
        if self.options.check_seconds and self.limits.seconds < np.inf:
            less = progress.thinning
            expected, least = (less.seconds(), less.least) if less else self.by_form
            self.limits.keep_for_evidence(expected, least, self.options.check_seconds)

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
        if entry.gap <= self.options.until.close(entry.lower, entry.upper, self.form.largest) and not progress.more:
            return StopReason.GAP
        if entry.iteration >= self.options.until.iterations:
            return StopReason.ITERATIONS
        return self.limits.reason

    def _nothing(self, reason: str) -> FogboundError:
        """What is raised where there is no answer."""
        who = self.provenance["solver"]
        if not reason:
            return FogboundError(f"{who}: stopped before the first answer")
        more = ". Give it more time, or a smaller game" if reason == StopReason.SECONDS else ""
        return Stopped(reason, f"{who}: stopped before the first answer ({reason}){more}")

    def settled(self, progress: Progress) -> tuple[dict[int, Strategy], Report]:
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
            if self.options.check_seconds is None:
                with cancelling_only(part):
                    return profile, evaluated_figures(progress, self.form, profile, self.player)
            self.options.tell("certifying")
            with cancelling_only(part):
                settled = report(progress, self.form, profile, self.player, self._checking())
                return settled.profile or profile, settled
        except Stopped as stop:
            asked = f"stopped ({stop.reason}) before the evidence was there" if self.options.check_seconds else UNASKED
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

    def _checking(self) -> Checking:
        """What evidence and check may take. After Ctrl-C nothing is thinned: the answer is the best there is."""
        left = np.inf if self.limits.asked else self.limits.left
        return Checking(self.options.check_seconds or 0.0, self.limits.clock.elapsed, self.options.tell, left)

    def _no_certificate(self, fault: Exception) -> str:
        """Why no certificate could be made; what nobody foresaw is warned of as well."""
        why = f"no certificate could be made ({str(fault) or type(fault).__name__})"
        if not isinstance(fault, FogboundError):
            warnings.warn(f"{self.form.spec}: {why}", stacklevel=2)
        return why

    def _provenance(self, settled: Report) -> dict[str, Any]:
        """Where the answer comes from. Evidence on histories may show a constant sum that single steps do not have."""
        proof = settled.certificate
        return self.provenance | ({"answer": VALUE} if proof and proof.kind.zero_sum else {})

    def solution(self, progress: Progress, profile: dict[int, Strategy], settled: Report, stopped: str) -> Solution:
        """The answer as it is reported."""
        last, finds = self.trace[-1], str(self.provenance["finds"])
        why = not_equilibrium(settled, finds, self.form, self.options.until)
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
            alpha_vectors=self._alpha_vectors(settled.alpha_vectors or progress.alpha_vectors),
        )

    def _alpha_vectors(self, make: Callable[[], AlphaVectors | None]) -> AlphaVectors | None:
        """The vectors of the lower bound, unless somebody waits for the answer."""
        if self.limits.at_once:
            return None
        try:
            with cancelling_only():
                return make()
        except KeyboardInterrupt:
            if not self.limits.at_once:
                raise
            return None


def _at_once(progress: Progress) -> dict[int, Strategy]:
    """The policies of an answer that is wanted now; none where somebody is too impatient even for that."""
    try:
        with cancelling_only():
            return progress.profile()
    except KeyboardInterrupt:
        return {}


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


def make_provenance(
    solver: AnySolver, form: Form, seed: int, player: int | None = None, inputs: Inputs | None = None
) -> dict[str, Any]:
    """Everything needed to get the same answer again; `inputs`, the files that it depends on, by content."""
    return {
        "game": form.spec,
        "players": list(form.players),
        "form": form.kind,
        "problem": form.describe(),
        "answer": kind_of_answer(form),
        "solver": spec_of(solver),
        "finds": solver.finds,
        "player": form.player if form.player is not None else player or 0,
        "seed": seed,
        "form_sha256": form_digest(form),
        "inputs": {role: files for role, files in (inputs or {}).items() if files},
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """What computed it: this version, those of what it stands on, and the kind of machine."""
    return {**packages(), "platform": platform.platform(terse=True), "machine": platform.machine()}


def kind_of_answer(form: Form) -> str:
    """What the bounds of an answer on this form mean.

    value
        They hold against anyone: two players of a constant sum, or a blind one against one who sees everything.
    reply
        They are about what is best against what is given: chance, fixed opponents, beliefs about them.
    equilibrium
        They hold for a profile: what it earns, and what a best reply to it would.
    team
        They are about what all players can win together who are paid alike.
    """
    if form.certified_as == "team":
        return TEAM
    if form.kind == "one-sided":
        return VALUE
    if form.player is not None or len(form.players) == 1 or form.certified_as in ("reply", "restricted", "level-k"):
        return REPLY
    return VALUE if form.constant_sum is not None and len(form.players) == 2 else EQUILIBRIUM
