"""Progress on standard error: nothing for what is quick, live bounds for what is not, plain when not a terminal.

What `fogbound reproduce` is at, on standard error: a spinner for those who look, else a line now and then.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from fogbound.cli.console import whisper
from fogbound.core.numerals import number
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solution import gap_words, range_words, value_words
from fogbound.solvers import SOLVERS

PATIENCE = 0.7  # seconds before anything is shown
PLAIN_AFTER, PLAIN_EVERY = 2.0, 10.0  # seconds to the first line, and between lines, when it is no terminal
BAR = 36


@contextmanager
def working(words: str) -> Iterator[None]:
    """A spinner with `words` while the block runs, if it takes long and someone is looking; else lines."""
    if not sys.stderr.isatty():
        with _now_and_then(lambda: f"{words} …"):
            yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(words)
        yield


SAID = {"compiling", "stopping"}  # what people are told at once, whoever looks


class Following:
    """What the driver says as it goes: entries of the trace, a word when something begins, sentences to pass on.

    `solver` is the name of the one that is run, once that is known.
    """

    def __init__(self, title: str) -> None:
        self.title, self.doing, self.solver = title, "reading", ""
        self.trace: list[TraceEntry] = []
        self._said = set[str]()

    def watch(self, entry: TraceEntry) -> None:
        self.trace.append(entry)

    def tell(self, word: str) -> None:
        """A word is what is being done now; more than one are for people."""
        if " " not in word:
            self.doing = word
            if word in ("building", "solving"):  # another run, perhaps: what was seen is of the one before
                self.trace = []
        if word in self._said or (" " not in word and word not in SAID):
            return
        self._said.add(word)
        whisper(f"fogbound: {self._sentence(word)}")

    def leave_out(self, words: Iterable[str]) -> None:
        """Do not tell these: they are said elsewhere."""
        self._said.update(words)

    def _sentence(self, word: str) -> str:
        """A word that people are told, as a sentence."""
        if word == "compiling":
            measured = SOLVERS.load(self.solver).compiling if self.solver in SOLVERS else 0.0
            long = f"usually about {measured:g} s" if measured else "it may take some seconds"
            return f"compiling for this machine, once: {long}"
        return f"{word} …" if word in SAID else word

    def line(self) -> str:
        """Where it stands, in a line."""
        return f"{self.title}: {_bounds_line(self.trace[-1]) if self.trace else self.doing + ' …'}"


@contextmanager
def following(title: str) -> Iterator[Following]:
    """Guaranteed, at most and gap as they improve, and what is done before and after."""
    followed, began = Following(title), time.monotonic()
    if not sys.stderr.isatty():
        with _now_and_then(followed.line):
            yield followed
        return
    from rich.console import Console
    from rich.live import Live

    def now() -> Any:
        waited = time.monotonic() - began
        if waited < PATIENCE:
            return ""
        shown = followed.trace
        return _bounds_picture(followed.title, shown, waited) if shown else f"{followed.line()}   {waited:.0f} s"

    with Live(console=Console(stderr=True), transient=True, refresh_per_second=4, get_renderable=now):
        yield followed


@contextmanager
def _now_and_then(line: Callable[[], str]) -> Iterator[None]:
    """A line on standard error after two seconds, and every ten from then on, while the block runs."""
    done = threading.Event()

    def speak() -> None:
        wait = PLAIN_AFTER
        while not done.wait(wait):
            whisper(line())
            wait = PLAIN_EVERY

    threading.Thread(target=speak, daemon=True).start()
    try:
        yield
    finally:
        done.set()


@contextmanager
def shielded() -> Iterator[None]:
    """Ctrl-C waits until the block is done: for the moment in which an answer is printed and saved."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _bounds_line(moment: TraceEntry) -> str:
    return f"{moment.seconds:.1f} s, step {moment.iteration:,}: {_where(moment)}"


def _where(moment: TraceEntry) -> str:
    """The bounds, or the estimate of an answer without bounds: the running mean and half of its 95% interval."""
    if math.isinf(moment.lower) and math.isinf(moment.upper):
        half = "" if moment.interval is None else f" ± {number((moment.interval[1] - moment.interval[0]) / 2, 2)}"
        return f"estimate {value_words(moment.value)}{half}"
    return range_words(moment.lower, moment.upper) + gap_words(moment.gap)


def _bounds_picture(title: str, trace: list[TraceEntry], waited: float) -> Any:
    """The latest bounds as a bar between the first ones: the fog that is left."""
    from rich.text import Text

    first = next((m for m in trace if abs(m.lower) < 1e300 and abs(m.upper) < 1e300), trace[-1])
    now = trace[-1]
    steps = f"{waited:.0f} s, step {now.iteration:,}   Ctrl-C stops and keeps the best answer so far", "bright_black"
    if not (math.isfinite(now.lower) and math.isfinite(now.upper)):
        return Text.assemble((f"{title}\n", "bold"), f"{_where(now)}\n", steps)
    width = max(first.upper - first.lower, 1e-300)
    left = min(BAR, max(0, round(BAR * (now.lower - first.lower) / width))) if width < 1e300 else 0
    right = min(BAR - left, max(0, round(BAR * (first.upper - now.upper) / width))) if width < 1e300 else 0
    bar = "╌" * left + "░" * (BAR - left - right) + "╌" * right
    return Text.assemble(
        (f"{title}\n", "bold"),
        (f"{number(now.lower, 8):>14} ", "cyan"),
        (bar, "bright_black"),
        (f" {number(now.upper, 8):<14}", "red"),
        f" gap {number(now.gap, 3)}\n",
        steps,
    )


@contextmanager
def counting(words: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """A bar over `total` equal pieces of work, when someone is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=total)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def counting_lines(words: str, total: int) -> Iterator[Callable[[int], None]]:
    """The same for work whose pieces take long: a bar, or lines now and then where nobody looks."""
    if sys.stderr.isatty():
        with counting(words, total) as bar:
            assert bar is not None
            yield bar
        return
    done = 0

    def count(now: int) -> None:
        nonlocal done
        done = now

    with _now_and_then(lambda: f"{words}: {done:,} of {total:,}"):
        yield count


Show = Callable[[str], None]


@contextmanager
def document_progress(title: str) -> Iterator[Show]:
    """Something to call with the words for each piece of work that begins."""
    if not sys.stderr.isatty():
        yield _plain_lines(title)
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title)
        yield lambda words: progress.update(task, description=f"{title[:3]}  {words}   (Ctrl-C returns what is there)")


def _plain_lines(title: str) -> Show:
    """Lines at most every few seconds, so that a log stays short."""
    last = time.monotonic()

    def show(words: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PLAIN_EVERY:
            last = time.monotonic()
            whisper(f"{title[:3]}: {words}")

    return show
