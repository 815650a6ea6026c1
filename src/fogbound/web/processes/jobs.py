"""Commands of Fogbound in processes of their own: what they print is kept in the server's folder, whole or not at all.

A job has a name. While it runs, what it says of its progress stands in NAME.log; what it printed becomes NAME.json when
it is over. A server that was killed loses the job and nothing that was finished before.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fogbound.core.errors import one_line
from fogbound.web.processes.child import COMMAND
from fogbound.web.processes.supervisor import ChildProcess, Supervisor
from fogbound.web.refusal import Refusal

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
STOPPED = 130  # the exit code of a command that was stopped, and told what it had
LAST_WORDS = 4_000  # bytes of a log that are read for its last line
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class JobState:
    """How a job stands.

    Attributes
    ----------
    running
        Whether it runs.
    seconds
        For how long, while it runs.
    said
        Its last line about itself.
    failed
        Why the last one came to nothing; empty where it did not fail.
    """

    running: bool
    seconds: float = 0.0
    said: str = ""
    failed: str = ""


class Jobs:
    """The jobs of one kind, in a folder.

    Parameters
    ----------
    folder
        Where what they print is kept.
    most
        How many may run at once.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most = folder, most
        self._processes = Supervisor()
        self._failed: dict[str, str] = {}

    def path(self, name: str) -> Path:
        """Where what a job printed is kept."""
        if not NAME.fullmatch(name):
            raise Refusal(404)
        return self.folder / f"{name}.json"

    def start(self, name: str, words: Sequence[str]) -> None:
        """Run ``fogbound WORDS`` under a name; Refusal where it runs already, or enough does."""
        kept = self.path(name)
        with self._processes.lock:
            if name in self._processes:
                raise Refusal(409, "this is being computed already")
            if len(self._processes) >= self.most:
                raise Refusal(429, f"{self.most} of these are being computed already: wait for one of them, or stop it")
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path in (_part(kept), _log(kept)):
                path.unlink(missing_ok=True)
            process = ChildProcess(COMMAND, {"words": list(words)}, printed=_part(kept), log=_log(kept))
            self._failed.pop(name, None)
            self._processes.watch(name, process, lambda process: self._over(name, kept, process.code))

    def state(self, name: str) -> JobState:
        """How a job stands."""
        kept = self.path(name)
        with self._processes.lock:
            found, failed = self._processes.get(name), self._failed.get(name, "")
        return JobState(False, failed=failed) if found is None else JobState(True, found.age, last_line(_log(kept)))

    def stop(self, name: str) -> None:
        """Ask a job to stop; what it has by then, it prints."""
        if found := self._processes.get(name):
            found.stop()

    def close(self) -> None:
        """End all that run."""
        self._processes.close()

    def _over(self, name: str, kept: Path, code: int | None) -> None:
        with suppress(OSError):
            if code in (0, STOPPED) and _part(kept).stat().st_size:
                os.replace(_part(kept), kept)
            else:
                self._failed[name] = last_line(_log(kept)) or f"it ended with code {code}"


def _part(kept: Path) -> Path:
    return kept.with_suffix(".part")


def _log(kept: Path) -> Path:
    return kept.with_suffix(".log")


def last_line(log: Path, most: int = 200) -> str:
    """The last thing that was said, without colours."""
    try:
        with open(log, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - LAST_WORDS))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in _COLOURS.sub("", text).replace("\r", "\n").splitlines()]
    return one_line(next((line for line in reversed(lines) if line), "").removeprefix("fogbound: "), most)
