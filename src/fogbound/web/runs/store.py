"""All runs of the server: those that compute, those that wait in sight, and those that are over.

At most `workers` compute at once, each in a process of its own, and at most `queue` wait. A process that dies is
started again and goes on from its checkpoint; one that dies three times is not. What was not over when the server
ended, however it ended, goes on when the next one begins.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fogbound.core.errors import FogboundError, many, one_line
from fogbound.web.processes.supervisor import ChildProcess, Supervisor
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import FAILED, ID, QUEUED, RUNNING, Asked, RunFolder, RunRow, Tail, row_of
from fogbound.web.settings import Settings
from fogbound.web.shelf import Upload

MOST_DEATHS = 3
GRACE = 180.0  # seconds beyond its limit, for building, a first compilation and evidence
WORKER = (sys.executable, "-m", "fogbound.web.runs.worker")

Resolve = Callable[[Asked], dict[str, Any]]  # what a worker is given: the game and the others as the library takes them


class Runs:
    """The runs in a folder.

    Parameters
    ----------
    settings
        Where, how many at once, how many may wait, and what each may take.
    resolve
        From what a request names to what the library takes: ``{"game": …, "against": …}``.
    worker
        The program that computes a run; it is handed the folder.
    """

    def __init__(self, settings: Settings, resolve: Resolve, worker: Sequence[str] = WORKER) -> None:
        self.settings, self.resolve, self.worker = settings, resolve, worker
        self.folder = settings.folder / "runs"
        self.processes = Supervisor()
        self.changed = self.processes.lock
        self._rows: dict[str, RunRow] = {}
        self._queue: list[str] = []
        self._deaths: dict[str, int] = {}
        self._discarded: set[str] = set()
        self._tails: dict[str, Tail] = {}

    def open(self) -> None:
        """List what there is, and go on with what was not over."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self.changed:
            self.processes.closing = False
            self._rows = {row.id: row for row in self._found()}
            waiting = [row for row in self._rows.values() if row.state == QUEUED]
            self._queue = [row.id for row in sorted(waiting, key=lambda row: row.made)]
            self._advance()

    def close(self) -> None:
        """Let those that compute leave a checkpoint, and end."""
        self.processes.close()

    def submit(self, asked: Asked) -> str:
        """Begin a run, or let it wait; its id.

        Raises
        ------
        Refusal
            Enough are waiting already.
        """
        with self.changed:
            self._require_room()
            folder = RunFolder(self.folder / secrets.token_hex(16))
            folder.begin(replace(asked, made=time.time()))
            self._note(folder)
            self._queue.append(folder.id)
            self._advance()
        return folder.id

    def keep(self, path: Path, asked: Asked, about: dict[str, Any], over: dict[str, Any]) -> str:
        """A solution that was opened becomes a run that is over: it can be looked at and played like any other."""
        folder = RunFolder(self.folder / secrets.token_hex(16))
        folder.begin(replace(asked, made=time.time()))
        os.link(path, folder.solution)
        folder.tell_about(about)
        folder.end(**over)
        self._note(folder)
        return folder.id

    def uploads(self) -> list[Upload]:
        """The solutions that came as files, and became runs."""
        listed = []
        for path in self.folder.glob("*"):
            folder = RunFolder(path)
            if "opened" in folder.over():
                with suppress(OSError):
                    told = folder.solution.stat()
                    listed.append(Upload(told.st_mtime, told.st_size, partial(self.discard, folder)))
        return listed

    def get(self, run: str) -> RunFolder:
        """The folder of a run; Refusal where there is none."""
        folder = RunFolder(self.folder / run)
        if not ID.fullmatch(run) or folder.path.is_symlink() or folder.asked() is None:
            raise Refusal(404)
        return folder

    def state(self, folder: RunFolder) -> str:
        """queued, running, kept or failed."""
        with self.changed:
            if folder.id in self.processes:
                return RUNNING
        return str(folder.over().get("state", QUEUED))

    def stopping(self, folder: RunFolder) -> bool:
        """Whether it was told to stop and has yet to."""
        process = self.processes.get(folder.id)
        return process is not None and process.asked_to_stop > 0

    def before(self, folder: RunFolder) -> int:
        """How many wait before it."""
        with self.changed:
            return self._queue.index(folder.id) if folder.id in self._queue else 0

    def tail(self, folder: RunFolder) -> Tail:
        """How it goes: read on from where it was read before, while it is not over."""
        with self.changed:
            if folder.id not in self.processes:
                self._tails.pop(folder.id, None)
            tail = self._tails.get(folder.id) or Tail(folder.trace)
            if folder.id in self.processes:
                self._tails[folder.id] = tail
            tail.read()
            return tail

    def rows(self, most: int = 100) -> list[RunRow]:
        """The newest runs, as the list shows them."""
        with self.changed:
            newest = sorted(self._rows.values(), key=lambda row: -row.made)[:most]
            return [row._replace(state=RUNNING) if row.id in self.processes else row for row in newest]

    def stop(self, folder: RunFolder) -> None:
        """Stop and keep; one that waits is over before it began."""
        with self.changed:
            if folder.id in self._queue:
                self._queue.remove(folder.id)
                folder.end(state=FAILED, why="stopped before it began")
                self._note(folder)
            elif process := self.processes.get(folder.id):
                process.stop()

    def go_on(self, folder: RunFolder) -> None:
        """Go on with one that was stopped by hand, to the same bits as if it had not been.

        Raises
        ------
        Refusal
            It cannot, or enough are waiting already.
        """
        with self.changed:
            if folder.id in self.processes or not folder.goes_on:
                raise Refusal(409, "This run cannot go on: it was not stopped by hand, or it is going on already.")
            self._require_room()
            folder.again()
            self._note(folder)
            self._queue.append(folder.id)
            self._advance()

    def discard(self, folder: RunFolder) -> None:
        """End it, and throw away all that there is of it."""
        with self.changed:
            if folder.id in self._queue:
                self._queue.remove(folder.id)
            if process := self.processes.get(folder.id):
                self._discarded.add(folder.id)  # removed when its process is over
                process.kill()
            else:
                self._remove(folder)

    def _require_room(self) -> None:
        """Refuse when enough are waiting; the lock is held."""
        if len(self.processes) >= self.settings.workers and len(self._queue) >= self.settings.queue:
            waiting, going = len(self._queue), many(len(self.processes), "run")
            raise Refusal(429, f"{going} computing and {waiting} waiting: stop one of them, or come back later")

    def _found(self) -> Iterator[RunRow]:
        """What the folders say."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if ID.fullmatch(path.name) and (row := row_of(RunFolder(path))):
                yield row

    def _note(self, folder: RunFolder) -> None:
        if row := row_of(folder):
            with self.changed:
                self._rows[row.id] = row

    def _remove(self, folder: RunFolder) -> None:
        self._discarded.discard(folder.id)
        folder.remove()
        self._rows.pop(folder.id, None)

    def _advance(self) -> None:
        """Start what may start; the lock is held."""
        while self._queue and len(self.processes) < self.settings.workers and not self.processes.closing:
            folder = RunFolder(self.folder / self._queue.pop(0))
            asked = folder.asked()
            if asked is None:
                continue
            try:
                given = {**self.resolve(asked), "memory": self.settings.memory}
            except FogboundError as error:  # a game of one's own that is no longer named, a file that is gone
                folder.end(state=FAILED, why=one_line(str(error)))
                self._note(folder)
                continue
            seconds = (asked.seconds or self.settings.seconds) + GRACE
            process = ChildProcess(
                [*self.worker, str(folder.path)], given, printed=folder.log, log=folder.log, seconds=seconds
            )
            self.processes.watch(folder.id, process, partial(self._over, folder))

    def _over(self, folder: RunFolder, process: ChildProcess) -> None:
        """Decide what becomes of a run whose process is over; the lock is held."""
        self._tails.pop(folder.id, None)
        if folder.id in self._discarded:
            self._remove(folder)
        else:
            if not folder.over() and not self.processes.closing:
                self._died(folder, process)
            self._note(folder)
        self._advance()

    def _died(self, folder: RunFolder, process: ChildProcess) -> None:
        """A process that left no last word: again from its checkpoint, unless it was told to stop or dies each time."""
        self._deaths[folder.id] = deaths = self._deaths.get(folder.id, 0) + 1
        if process.asked_to_stop:
            folder.end(state=FAILED, why="it did not stop when it was told to, and was ended")
        elif deaths >= MOST_DEATHS:
            folder.end(state=FAILED, why=f"its process died {deaths} times ({_death(process.code or 0)})")
        else:
            self._queue.insert(0, folder.id)


def _death(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"code {code}"
