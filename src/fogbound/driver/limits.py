"""When a call must end, and why: one place for building the form, solving it, and the evidence in the end.

Three things end a call early: its seconds are over, somebody cancels it, somebody presses Ctrl-C. The form and the
search stop at once, but a form that takes less than `GRACE` seconds is built whatever the limit: there is no answer
without one. After Ctrl-C policies, evidence and check may take `WRAP_UP` seconds, so that an answer follows soon. A
second signal leaves at once with the answer that exists, proven or not.

A limit of time covers reading the model, building the form, solving, the evidence and its check: `TIME_RULE` says so
wherever people read it. For that the search ends before the limit, by as long as the check is expected to take and by
`MAKING` of the limit at most for making the evidence. It gives up no more than `RESERVE` of the time that is left
beside the part of the check that no thinning saves, and no more than `MOST` of what building left. Estimates err, so
the check may run over the limit by an eighth of it, `GRACE` seconds at most. Without a limit of time, the check begins
where it is expected to take `CHECK_SECONDS` at most.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from typing import Any

from fogbound.certificates.checking import CHECK_SECONDS
from fogbound.core.cancel import Cancel, Stoppable, ambient, cancelling_only
from fogbound.core.compilation import hearing
from fogbound.core.errors import Stopped
from fogbound.driver.clock import Clock
from fogbound.driver.stops import StopReason

GRACE, WRAP_UP = 1.0, 0.5  # seconds: beyond a limit of time; and after somebody wants it to stop
RESERVE = 0.5  # of a limit of time: what the search leaves to the evidence and its check, beside what no thinning saves
MOST = (
    0.65  # of what building leaves of it, with what no thinning saves: a certificate of a poor answer is worth little
)
MAKING = 0.1  # of it, at most, for making the evidence, which no estimate of its check covers
SHARE = 0.85  # of the time that is left: what the check may be expected to take, since estimates err
COMPILATION = "the first compilation of a solver is not counted"
CHECK_RULE = (
    f"for as long as that takes, within the time limit where there is one; by default it takes {CHECK_SECONDS:g} "
    "seconds at most, and what would take longer is left to fogbound verify"
)
TIME_RULE = (
    "a time limit covers reading, building, solving, the evidence and its check, and where time is short the evidence "
    f"is thinned: the certified bounds are then wider than the solver's, and the answer says by how much; {COMPILATION}"
)

Tell = Callable[[str], None]


def nobody(_event: str) -> None:
    """Who is told what nobody wants to know."""


class Limits:
    """Why to stop now, in a word: the seconds of one call, and everybody who may stop it.

    Parameters
    ----------
    seconds
        How long building and solving may take, on `clock`.
    cancel
        The caller's token; those around the call are asked as well.
    tell
        Told "stopping" as soon as it is known that somebody wants the call to stop.
    wrap_up
        Seconds for policies and evidence from then on.
    grace
        Seconds that building may take whatever the limit.
    """

    def __init__(
        self,
        seconds: float,
        clock: Clock,
        cancel: Stoppable | None = None,
        tell: Tell = nobody,
        wrap_up: float = WRAP_UP,
        grace: float = GRACE,
    ) -> None:
        self.seconds, self.clock, self.caught, self.wrap_up, self.grace = seconds, clock, Cancel(), wrap_up, grace
        self.tokens: tuple[Stoppable, ...] = (self.caught, *([cancel] if cancel is not None else []), *ambient())
        self.asked_at = inf  # when it was first known that somebody wants it to stop
        self.at_once = False  # whether somebody wants it so much that nothing is proven any more
        self.reserve = 0.0  # seconds of the limit that the search leaves to the evidence and its check
        self.begun = inf  # when the search had its first answer
        self.tell = tell

    @property
    def asked(self) -> str:
        """Why somebody wants it to stop; empty where nobody does."""
        reason = next(filter(None, (token.reason for token in self.tokens)), "")
        if reason and self.asked_at == inf:
            self.tell("stopping")
            self.asked_at = self.clock.elapsed()
        return reason

    @property
    def reason(self) -> str:
        """Why the search is to stop now; empty = go on."""
        return self.asked or (StopReason.SECONDS if self.clock.elapsed() >= self.seconds - self.reserve else "")

    @property
    def left(self) -> float:
        """Seconds until the limit."""
        return self.seconds - self.clock.elapsed()

    def keep_for_evidence(self, expected: float, least: float, allowed: float) -> None:
        """Let the search end early enough for the evidence and its check, where the check is allowed.

        No thinning brings the check below its `least` seconds; nothing is reserved where even those are too much.
        """
        self.begun = min(self.begun, self.clock.elapsed())
        room = self.seconds - self.begun  # reading and building took what the search cannot give up
        check, most = min(expected, allowed), MOST * room
        making = min(MAKING * self.seconds, GRACE + check)
        if least > min(allowed, most) or self.seconds == inf:
            self.reserve = 0.0
        else:
            self.reserve = min(making + check / SHARE, least + RESERVE * (room - least), most)

    def interrupt(self, reason: str) -> None:
        """Note a signal, and say so at once. Its handler may have cut into a line that is being told: then later."""
        self.caught.set(reason)
        with suppress(RuntimeError):  # "reentrant call": the next call of `asked` says it
            _ = self.asked

    def for_building(self) -> Stoppable:
        """What building a form is given."""
        return _Part(self, max(self.seconds, self.clock.before + self.grace), 0.0)

    def for_evidence(self) -> Stoppable:
        """What policies and evidence are given, from now on: what is left of the time, and a little more."""
        more = max(min(GRACE, self.seconds / 8), self.wrap_up if self.asked else 0.0)
        now = self.clock.elapsed()  # a last checkpoint was written meanwhile, which is not for evidence to pay for
        return _Part(self, max(self.seconds, now) + more, self.wrap_up, now)


@contextmanager
def preparing(limits: Limits, what: str) -> Iterator[None]:
    """Inside the block `check` asks the limits of building: `Stopped` says that there is no answer yet, and why."""
    try:
        with signals(limits), hearing(Compiling(limits)), cancelling_only(limits.for_building()):
            yield
        if limits.asked:
            raise Stopped(limits.asked)
    except Stopped as stop:
        more = ". Give it more time, or a smaller game" if stop.reason == StopReason.SECONDS else ""
        raise Stopped(stop.reason, f"stopped while {what} ({stop.reason}): no answer yet{more}") from stop


class Compiling:
    """What is compiled for the first time is announced, and takes nobody's time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def __call__(self, begins: bool) -> None:
        self.limits.clock.pause(begins)
        if begins:
            self.limits.tell("compiling")


class _Part:
    """Part of a call: until `end`, or `grace` seconds after a request to stop, counted from `begin` on."""

    def __init__(self, limits: Limits, end: float, grace: float, begin: float = 0.0) -> None:
        self.limits, self.end, self.grace, self.begin = limits, end, grace, begin

    @property
    def reason(self) -> str:
        asked, now = self.limits.asked, self.limits.clock.elapsed()
        if asked and (self.limits.at_once or now >= max(self.limits.asked_at, self.begin) + self.grace):
            return asked
        return StopReason.SECONDS if now >= self.end else ""


class _Handler:
    """Notes the first signal instead of dying, for this call and those around it; a second one leaves at once."""

    def __init__(self, limits: Limits, before: Any) -> None:
        self.limits, self.before = limits, before

    def __call__(self, number: int, frame: Any) -> None:
        if self.limits.caught.reason:
            self.hurry()
            raise KeyboardInterrupt(self.limits.caught.reason)
        if isinstance(self.before, _Handler):
            self.before(number, frame)
        self.limits.interrupt(StopReason.INTERRUPTED if number == signal.SIGINT else StopReason.TERMINATED)

    def hurry(self) -> None:
        """Let this call, and those around it, prove nothing any more."""
        self.limits.at_once = True
        if isinstance(self.before, _Handler):
            self.before.hurry()


@contextmanager
def signals(limits: Limits) -> Iterator[None]:
    """Inside the block Ctrl-C and SIGTERM stop the call softly. Signals reach the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, _Handler(limits, signal.getsignal(number))) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
