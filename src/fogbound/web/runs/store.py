"""All runs of the server: those that compute, those that wait in sight, and those that are over.

At most `workers` compute at once, each in a process of its own, and at most `queue` wait. A process that dies is
started again and goes on from its checkpoint; one that dies three times is not. What was not over when the server
ended, however it ended, goes on when the next one begins.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fogbound.core.errors import FogboundError, many, one_line
from fogbound.web.files.quota import Upload
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import FAILED, ID, QUEUED, RUNNING, Asked, RunFolder, Tail
from fogbound.web.runs.index import Index, RunRow, row_of
from fogbound.web.settings import Settings

MOST_DEATHS = 3
PATIENCE = 40.0  # seconds to stop and keep, since compiling cannot be cut short; as long again, and it is ended
GRACE = 180.0  # seconds beyond its limit, for building, a first compilation and evidence
LEAVING = 5.0  # seconds that runs have to leave a checkpoint when the server ends
LOOK = 0.1  # seconds between looks at a process
WORKER = (sys.executable, "-m", "fogbound.web.runs.worker")

Resolve = Callable[
    [Asked], dict[str, Any]
]  # what a worker is handed: the game and the others as the library takes them


class _Worker:
    """A process that computes a run."""

    def __init__(self, words: Sequence[str], folder: RunFolder, given: dict[str, Any], seconds: float) -> None:
        with folder.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*words, str(folder.path)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C in the server's terminal is not for it
            )
        self.ends = time.monotonic() + seconds
        self.asked_to_stop = 0.0  # when, or 0
        self.nudges, self.discarded = 0, False
        self.say(json.dumps(given))

    def say(self, line: str) -> None:
        with suppress(OSError):  # it is gone
            assert self.process.stdin is not None
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()

    def leave(self) -> None:
        """Close its input: it leaves a checkpoint and goes."""
        with suppress(OSError):
            assert self.process.stdin is not None
            self.process.stdin.close()

    def watched(self) -> None:
        """Return when the process is over, having seen to it that it ends when it must."""
        while True:
            try:
                self.process.wait(LOOK)
                return
            except subprocess.TimeoutExpired:
                self._hurry(time.monotonic())

    def _hurry(self, now: float) -> None:
        if not self.asked_to_stop and now >= self.ends:
            self.stop()
        waited = now - self.asked_to_stop if self.asked_to_stop else 0.0
        if waited >= 2 * PATIENCE:
            self.process.kill()
        elif waited >= PATIENCE and self.nudges < 2:  # twice Ctrl-C: with what there is, proven or not
            self.nudges += 1
            self.process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        if not self.asked_to_stop:
            self.asked_to_stop = time.monotonic()
            self.say("stop")


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
        self.index = Index(self.folder / "index.sqlite", self._found)
        self.changed = threading.RLock()
        self._queue: list[str] = []
        self._workers: dict[str, _Worker] = {}
        self._deaths: dict[str, int] = {}
        self._tails: dict[str, Tail] = {}
        self._threads: list[threading.Thread] = []
        self._closing = False

    def open(self) -> None:
        """List what there is, and go on with what was not over."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.index.rebuild()
        with self.changed:
            self._closing = False
            waiting = [row for row in self._found() if row.state == QUEUED]
            self._queue = [row.id for row in sorted(waiting, key=lambda row: row.made)]
            self._advance()

    def close(self) -> None:
        """Let those that compute leave a checkpoint, and end."""
        with self.changed:
            self._closing = True
            for worker in self._workers.values():
                worker.leave()
        until = time.monotonic() + LEAVING
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        with self.changed:
            for worker in self._workers.values():
                worker.process.kill()
        for thread in self._threads:
            thread.join(LEAVING)

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
            if folder.id in self._workers:
                return RUNNING
        return str(folder.over().get("state", QUEUED))

    def stopping(self, folder: RunFolder) -> bool:
        """Whether it was told to stop and has yet to."""
        worker = self._workers.get(folder.id)
        return worker is not None and worker.asked_to_stop > 0

    def before(self, folder: RunFolder) -> int:
        """How many wait before it."""
        with self.changed:
            return self._queue.index(folder.id) if folder.id in self._queue else 0

    def tail(self, folder: RunFolder) -> Tail:
        """How it goes: read on from where it was read before, while it is not over."""
        with self.changed:
            if folder.id not in self._workers:
                self._tails.pop(folder.id, None)
            tail = self._tails.get(folder.id) or Tail(folder.trace)
            if folder.id in self._workers:
                self._tails[folder.id] = tail
            tail.read()
            return tail

    def rows(self, most: int = 100) -> list[RunRow]:
        """The newest runs, as the list shows them."""
        with self.changed:
            going = set(self._workers)
        return [row._replace(state=RUNNING) if row.id in going else row for row in self.index.rows(most)]

    def stop(self, folder: RunFolder) -> None:
        """Stop and keep; one that waits is over before it began."""
        with self.changed:
            if folder.id in self._queue:
                self._queue.remove(folder.id)
                folder.end(state=FAILED, why="stopped before it began")
                self._note(folder)
            elif worker := self._workers.get(folder.id):
                worker.stop()

    def go_on(self, folder: RunFolder) -> None:
        """Go on with one that was stopped by hand, to the same bits as if it had not been.

        Raises
        ------
        Refusal
            It cannot, or enough are waiting already.
        """
        with self.changed:
            if folder.id in self._workers or not folder.goes_on:
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
            worker = self._workers.get(folder.id)
            if worker is not None:
                worker.discarded = True
                worker.process.kill()
                return  # whoever watches it removes the rest
            folder.remove()
            self.index.drop(folder.id)

    def _require_room(self) -> None:
        """Refuse when enough are waiting; the lock is held."""
        if len(self._workers) >= self.settings.workers and len(self._queue) >= self.settings.queue:
            waiting, going = len(self._queue), many(len(self._workers), "run")
            raise Refusal(429, f"{going} computing and {waiting} waiting: stop one of them, or come back later")

    def _found(self) -> Iterator[RunRow]:
        """What the folders say."""
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if ID.fullmatch(path.name) and (row := row_of(RunFolder(path))):
                yield row

    def _note(self, folder: RunFolder) -> None:
        if row := row_of(folder):
            self.index.put(row)

    def _advance(self) -> None:
        """Start what may start; the lock is held."""
        while self._queue and len(self._workers) < self.settings.workers and not self._closing:
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
            worker = _Worker(self.worker, folder, given, (asked.seconds or self.settings.seconds) + GRACE)
            self._workers[folder.id] = worker
            thread = threading.Thread(target=self._watch, args=(folder, worker), daemon=True)
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
            thread.start()

    def _watch(self, folder: RunFolder, worker: _Worker) -> None:
        """See a process to its end, and decide what becomes of its run."""
        worker.watched()
        worker.leave()
        with self.changed:
            del self._workers[folder.id]
            self._tails.pop(folder.id, None)
            if worker.discarded:
                folder.remove()
                self.index.drop(folder.id)
            else:
                if not folder.over() and not self._closing:
                    self._died(folder, worker)
                self._note(folder)
            self._advance()

    def _died(self, folder: RunFolder, worker: _Worker) -> None:
        """A process that left no last word: again from its checkpoint, unless it was told to stop or dies each time."""
        self._deaths[folder.id] = deaths = self._deaths.get(folder.id, 0) + 1
        if worker.asked_to_stop:
            folder.end(state=FAILED, why="it did not stop when it was told to, and was ended")
        elif deaths >= MOST_DEATHS:
            folder.end(state=FAILED, why=f"its process died {deaths} times ({_death(worker.process.returncode)})")
        else:
            self._queue.insert(0, folder.id)


def _death(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"code {code}"
