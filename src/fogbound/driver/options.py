"""Everything that a run is told besides its solver and its form: one value, collected once and handed down once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fogbound.certificates.checking import CHECK_SECONDS
from fogbound.core.cancel import Cancel
from fogbound.core.identity import Inputs
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.driver.limits import WRAP_UP, Limits, Tell, nobody
from fogbound.driver.protocol import TraceEntry, Until
from fogbound.parallel.engine import Engine, here


@dataclass(frozen=True)
class RunOptions:
    """How a run goes: its limits, its seed, its files, who watches it and who may stop it.

    Parameters
    ----------
    until
        When to stop. `limits.TIME_RULE` says what its seconds cover.
    seed
        Same seed, same result.
    watch
        Sees every entry of the trace.
    checkpoint, every
        A file that is rewritten at most every that many seconds, for a tenth of the time, and at the end.
    resume
        A checkpoint to go on from, to the same result as an uninterrupted run, on any engine.
    check_seconds
        Evidence is collected, and the independent checker begins if it is expected to take no longer; it is cut off
        when it does. A time limit wins over it. None: no evidence is collected.
    player
        Whose value and bounds are reported: the form's own where it has one, otherwise player 0 by default.
    cancel
        A token with which another thread stops the run; the best answer so far is returned.
    engine
        Where to compute what can be computed side by side, such as `parallel.processes(4)`.
    tell
        Called with a word when something begins: building, compiling, solving, certifying, checking and how long that
        will take; and stopping, as soon as somebody wants that.
    clock
        One that is running already, where what was done before counts as well.
    start
        A profile to begin from, for solvers that can: it is evaluated anew, so that nothing it promises is believed.
    begun
        Called with the provenance as soon as the form is there: what is solved, and what its bounds will mean.
    wrap_up
        Seconds that policies and evidence may take after somebody wanted the run to stop.
    inputs
        The files that the answer depends on, by content: a checkpoint of other inputs is refused.
    """

    until: Until = field(default_factory=Until)
    seed: int = 0
    watch: Callable[[TraceEntry], None] | None = None
    checkpoint: str | os.PathLike[str] | None = None
    resume: str | os.PathLike[str] | None = None
    every: float = 5.0
    check_seconds: float | None = CHECK_SECONDS
    player: int | None = None
    cancel: Cancel | None = None
    engine: Engine = here
    tell: Tell = nobody
    clock: Clock = field(default_factory=Clock)
    start: Mapping[int, Strategy] | None = None
    begun: Callable[[dict[str, Any]], None] | None = None
    wrap_up: float = WRAP_UP
    inputs: Inputs = field(default_factory=dict)

    def limits(self) -> Limits:
        """The limits of time and those who may stop the run."""
        return Limits(self.until.seconds, self.clock, self.cancel, self.tell, self.wrap_up)
