"""What `fogbound reproduce` is at, on standard error: a spinner for those who look, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fogbound.cli.watching import PLAIN_EVERY
from fogbound.cli.words import whisper

Show = Callable[[str], None]


@contextmanager
def following(title: str) -> Iterator[Show]:
    """Something to call with the words for each piece of work that begins."""
    if not sys.stderr.isatty():
        yield _plain(title)
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title)
        yield lambda words: progress.update(task, description=f"{title[:3]}  {words}   (Ctrl-C returns what is there)")


def _plain(title: str) -> Show:
    """Lines at most every few seconds, so that a log stays short."""
    last = time.monotonic()

    def show(words: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PLAIN_EVERY:
            last = time.monotonic()
            whisper(f"{title[:3]}: {words}")

    return show
