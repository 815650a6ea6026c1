"""What the page of a run shows: its figures under the names that are true of them, its picture, what one keeps."""

from __future__ import annotations

import hashlib
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fogbound import api, draw
from fogbound.certificates.wording import EQUILIBRIUM, POLICY, bound_words
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many
from fogbound.core.numerals import number
from fogbound.draw.chart import duration
from fogbound.driver.protocol import TraceEntry
from fogbound.solvers import SOLVERS
from fogbound.web.runs.folder import FAILED, KEPT, QUEUED, RUNNING, Asked, RunFolder
from fogbound.web.runs.store import Runs
from fogbound.web.site import Site

WIDE, PHONE = 820, 342  # pixels
FEW = 12  # entries from which on a curve of the gap says more than one of bounds
DOING = {
    "": "Starting …",
    "reading": "Reading the game …",
    "building": "Building the form …",
    "compiling": "Compiling for this machine, once …",
    "solving": "Solving …",
    "certifying": "Asking the independent checker …",
    "checking": "Asking the independent checker …",
    "stopping": "Stopping …",
}


@dataclass(frozen=True)
class Figure:
    """A number with its name: what stands at the top of the page."""

    name: str
    value: float | None
    tone: str = ""
    note: str = ""


@dataclass(frozen=True)
class ShownRun:
    """A run as its page shows it at one moment.

    Attributes
    ----------
    id, asked, state, about, over
        As the files have it.
    trace
        How it went so far.
    doing
        What it is at, in a few words.
    version
        Changes whenever anything that is shown does: the id of an event.
    seconds
        How long it has taken.
    title
        The game, as people name it.
    goes_on
        Whether it was stopped by hand and can go on.
    """

    id: str
    asked: Asked
    state: str
    about: dict[str, Any]
    over: dict[str, Any]
    trace: tuple[TraceEntry, ...]
    doing: str
    version: str
    seconds: float
    title: str
    goes_on: bool

    @property
    def going(self) -> bool:
        return self.state in (QUEUED, RUNNING)

    @property
    def stops_at(self) -> str:
        """Its limits in words."""
        asked = self.asked
        named = [f"gap {asked.gap}"] if asked.gap else []
        named += [duration(asked.seconds)] if asked.seconds else []
        named += [many(asked.iterations, "step")] if asked.iterations else []
        return " or ".join(named) or "gap 0.1% or 60 s"

    @property
    def answer(self) -> str:
        return str(self.about.get("answer", ""))

    @property
    def words(self) -> tuple[str, str]:
        return bound_words(self.answer, self.proves, str(self.over.get("among") or POLICY))

    @property
    def proves(self) -> str:
        """Which bounds there is evidence for; both, as long as the run goes on."""
        return str(self.over.get("proves") or "both")

    @property
    def solver(self) -> str:
        return str(self.about.get("solver") or self.asked.solver)

    @property
    def player(self) -> str:
        """Whose bounds these are, by name where that is known."""
        players, index = self.about.get("players", ()), self.about.get("player", 0)
        return str(players[index]) if len(players) > index else f"player {self.asked.player}"

    @property
    def last(self) -> TraceEntry | None:
        """Where it stands: in the end, what the answer says."""
        over = self.over
        if self.state == KEPT:
            figures = [over[name] for name in ("value", "lower", "upper", "gap")]
            interval = self.trace[-1].interval if self.trace else None
            return TraceEntry(over["iterations"], over["seconds"], *figures, interval=interval)
        return self.trace[-1] if self.trace else None

    @property
    def figures(self) -> list[Figure]:
        """Lower, upper, gap and time."""
        last, (low, high) = self.last, self.words
        gap = "Regret" if self.answer == EQUILIBRIUM else "Gap"
        aim = f"stop at {self.asked.gap}" if self.asked.gap and self.going else ""
        steps = many(last.iteration, "step") if last else ""
        took = {RUNNING: "Running", QUEUED: "Waiting"}.get(self.state, "Took")
        if last is None:
            return [Figure(_said(low), None), Figure(_said(high), None), Figure(gap, None, "", aim), Figure(took, None)]
        if math.isinf(last.lower) and math.isinf(last.upper):
            estimate = None if math.isnan(last.value) else last.value
            return [Figure("Estimate", estimate, "", _half(last)), Figure(took, self.seconds, "time", steps)]
        return [
            Figure(_said(low), last.lower, "gain"),
            Figure(_said(high), last.upper, "loss"),
            Figure(gap, last.gap, "", aim),
            Figure(took, self.seconds, "time", steps),
        ]

    @property
    def kept(self) -> str:
        """What one has, or would have if it stopped now."""
        if self.state == KEPT:
            return str(self.over["kept"])
        if self.state == FAILED:
            return str(self.over.get("why", ""))
        if not self.trace:
            return "Nothing yet: there is no first answer."
        last = self.trace[-1]
        return api.kept(self.answer, self.player, last.lower, last.upper, last.gap)

    @property
    def closing(self) -> bool:
        """Whether the gap on a logarithmic axis says more than the bounds do: where these soon lie on each other."""
        name = self.solver.partition("(")[0]
        learns = name in SOLVERS and ".regret." in SOLVERS.place(SOLVERS.meant(name))
        return (learns or self.answer == EQUILIBRIUM) and len(self.trace) >= FEW

    def chart(self, kind: str, width: int = WIDE) -> Drawing:
        """Bounds over time, or the gap on a logarithmic axis.

        Parameters
        ----------
        kind
            ``gap``, ``bounds``, or empty for what says more.
        width
            How wide it is drawn.
        """
        if kind == "gap" or (not kind and self.closing):
            return draw.gaps({self.solver.partition("(")[0]: self.trace}, title=None, width=width)
        return draw.bounds(self.trace, title=None, words=self.words, width=width)


def shown(site: Site, folder: RunFolder) -> ShownRun:
    """A run as it stands now."""
    runs: Runs = site.runs
    asked, state = folder.asked(), runs.state(folder)
    about, over = site.shelf.named(folder.about()), site.shelf.named(folder.over())
    assert asked is not None
    tail = runs.tail(folder)
    trace = tuple(tail.entries)
    doing = DOING.get(tail.doing, "")
    if state == QUEUED:
        before = runs.before(folder)
        doing = f"Waiting: {many(before, 'run')} before it." if before else "Waiting for its turn."
    elif runs.stopping(folder):
        late = tail.doing == "compiling"
        doing = "Stopping, once what is being compiled is there …" if late else DOING["stopping"]
    elif state != RUNNING:
        doing = "Kept." if state == KEPT else "Nothing was kept."
    seconds = float(over.get("seconds") or 0.0)
    if state == RUNNING and trace:
        with suppress(OSError):  # discarded this moment
            seconds = trace[-1].seconds + max(0.0, time.time() - folder.trace.stat().st_mtime)
    version = _digest(state, trace[-1:], len(trace), doing, sorted(about))
    return ShownRun(
        folder.id, asked, state, about, over, trace, doing, version, seconds, site.title(asked.game), folder.goes_on
    )


def _digest(*seen: object) -> str:
    return hashlib.blake2s(repr(seen).encode(), digest_size=8).hexdigest()


def _half(entry: TraceEntry) -> str:
    """Half of the 95% interval of an estimate, in words; empty where there is none."""
    return "" if entry.interval is None else f"± {number((entry.interval[1] - entry.interval[0]) / 2, 2)} (95%)"


def _said(words: str) -> str:
    return words[:1].upper() + words[1:]
