"""The one supervisor of the processes that compute for the server: start, follow, ask, stop, limit and end them.

The server writes to the input of a process. The first line is a JSON object: what it computes, and its limits. A line
`stop` asks for what was found so far. The end of the input means that the server is gone, and the process ends itself:
a killed server leaves no process behind. `child.py` is the other side.
"""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

NOWHERE = Path(os.devnull)
PATIENCE = 40.0  # seconds to stop, since compiling cannot be cut short; as long again, and it is killed
LEAVING = 5.0  # seconds that processes have to leave when the server ends
POLL = 0.1  # seconds between two looks at a process
MOST_ANSWER = 4_000_000  # bytes


class ChildProcess:
    """A child of the server.

    Parameters
    ----------
    words
        The program and its arguments.
    given
        The first line of its input: at least the limits that `child.read_task` applies.
    printed, log
        Files that its output and its errors are appended to; without `printed` the output answers `ask`.
    seconds
        After which it is asked to stop.
    patience
        Seconds after which one that was asked to stop is interrupted (twice: the second time it gives up its
        certificate), and after twice which it is killed.
    """

    def __init__(
        self,
        words: Sequence[str],
        given: Mapping[str, Any],
        *,
        printed: Path | None = None,
        log: Path = NOWHERE,
        seconds: float = math.inf,
        patience: float = PATIENCE,
    ) -> None:
        with (printed or NOWHERE).open("ab") as output, log.open("ab") as errors:
            self._child = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if printed is None else output,
                stderr=errors,
                start_new_session=True,  # Ctrl-C in the server's terminal is not for it
            )
        self.began, self.seconds, self.patience = time.monotonic(), seconds, patience
        self.asked_to_stop = 0.0  # when, or 0
        self._nudges = 0
        self._answers: queue.Queue[bytes] = queue.Queue()
        if printed is None:
            threading.Thread(target=self._read, daemon=True).start()
        self._tell(json.dumps(given))

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def code(self) -> int | None:
        """The exit code; None while it runs."""
        code: int | None = self._child.poll()
        return code

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self.began

    def ask(self, question: str, seconds: float) -> bytes:
        """The line that it answers; TimeoutError where none comes in time, or the process is gone."""
        self._tell(question)
        with suppress(queue.Empty):
            if answer := self._answers.get(timeout=seconds):
                return answer
        raise TimeoutError

    def stop(self) -> None:
        """Ask it to stop with what it has; one that does not is interrupted and then killed by whoever waits for it."""
        if not self.asked_to_stop:
            self.asked_to_stop = time.monotonic()
            self._tell("stop")

    def leave(self) -> None:
        """Close its input: it leaves as if the server were gone."""
        with suppress(OSError):
            assert self._child.stdin is not None
            self._child.stdin.close()

    def kill(self) -> None:
        """End it now."""
        self._child.kill()

    def wait(self) -> int:
        """The exit code once it is over, which its limits see to."""
        while True:
            try:
                code: int = self._child.wait(POLL)
            except subprocess.TimeoutExpired:
                self._enforce()
            else:
                self.leave()
                return code

    def _enforce(self) -> None:
        if self.age >= self.seconds:
            self.stop()
        waited = time.monotonic() - self.asked_to_stop if self.asked_to_stop else -1.0
        if waited >= 2 * self.patience:
            self.kill()
        elif waited >= self.patience and self._nudges < 2:
            self._nudges += 1
            self._child.send_signal(signal.SIGINT)

    def _tell(self, line: str) -> None:
        with suppress(OSError, ValueError):  # it is gone, or was told to leave
            assert self._child.stdin is not None
            self._child.stdin.write(line.encode() + b"\n")
            self._child.stdin.flush()

    def _read(self) -> None:
        """Queue what it prints, line by line, and an empty line when it is gone."""
        assert self._child.stdout is not None
        with suppress(OSError, ValueError), self._child.stdout as printed:
            while line := printed.readline(MOST_ANSWER):
                self._answers.put(line)
        self._answers.put(b"")


class Supervisor:
    """The processes of one kind that run, by name. `lock` guards them; callbacks run under it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.closing = False
        self._running: dict[str, ChildProcess] = {}
        self._threads: list[threading.Thread] = []

    def __len__(self) -> int:
        return len(self._running)

    def __contains__(self, name: str) -> bool:
        return name in self._running

    def get(self, name: str) -> ChildProcess | None:
        """The process of that name, while it runs."""
        return self._running.get(name)

    def watch(self, name: str, process: ChildProcess, over: Callable[[ChildProcess], None]) -> None:
        """Keep a process until it is over, in a thread of its own, and then call `over`."""

        def watching() -> None:
            process.wait()
            with self.lock:
                del self._running[name]
                over(process)

        thread = threading.Thread(target=watching, name=f"process {name}", daemon=True)
        with self.lock:
            self._running[name] = process
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()

    def close(self) -> None:
        """Let all of them leave, and kill those that do not."""
        with self.lock:
            self.closing = True
            for process in self._running.values():
                process.leave()
        until = time.monotonic() + LEAVING
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        with self.lock:
            for process in self._running.values():
                process.kill()
        for thread in self._threads:
            thread.join(LEAVING)
