"""The folder of a run: everything that is known of it, in files that a killed server or worker cannot leave half done.

`run.json` says what was asked, `about.json` what is being solved, `trace.jsonl` how it goes, `checkpoint.npz` is to go
on from, `solution.npz` and `over.json` are what came of it. A run without `over.json` is not over, whoever died.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from fogbound.core.atomic import write
from fogbound.driver.protocol import TraceEntry

ID = re.compile(r"[0-9a-f]{32}")
QUEUED, RUNNING, KEPT, FAILED = "queued", "running", "kept", "failed"
MOST_HEADER = 1_000_000  # bytes of one of our own JSON files: more is none of ours


@dataclass(frozen=True)
class Asked:
    """What somebody wants to have solved, in plain values.

    Parameters
    ----------
    game
        As a request names it.
    solver
        Its spec; empty where one is to be chosen.
    player
        Whose value, by number or name.
    against
        How the others play, as a request names it; empty for anyone.
    gap
        A number, a share such as ``1%``, or empty.
    seconds, iterations
        Limits; None for none.
    seed
        For solvers that draw.
    made
        When, in seconds since the epoch: the order of the list.
    """

    game: str
    solver: str = ""
    player: str = "0"
    against: str = ""
    gap: str = ""
    seconds: float | None = None
    iterations: int | None = None
    seed: int = 0
    made: float = 0.0

    def limits(self) -> dict[str, Any]:
        """The stop rules as `fogbound.solve` takes them."""
        gap = self.gap if "%" in self.gap else float(self.gap) if self.gap else None
        return {"gap": gap, "seconds": self.seconds, "iterations": self.iterations}


class RunFolder:
    """The files of one run.

    Parameters
    ----------
    path
        The folder; its name is the run's id.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.name
        self.checkpoint, self.solution = path / "checkpoint.npz", path / "solution.npz"
        self.trace, self.lock, self.log = path / "trace.jsonl", path / "lock", path / "log"

    def begin(self, asked: Asked) -> None:
        """Make the folder, for what is asked."""
        self.path.mkdir(parents=True, mode=0o700)
        self._write("run.json", asdict(asked))

    def asked(self) -> Asked | None:
        """What is asked; None where the file is damaged or missing."""
        try:
            asked = Asked(**self._read("run.json"))
            asked.limits()
        except (TypeError, ValueError):  # other fields, or no numbers: no run of ours
            return None
        return asked

    def about(self) -> dict[str, Any]:
        """The provenance, once the form is there; else nothing."""
        return self._read("about.json")

    def tell_about(self, provenance: dict[str, Any]) -> None:
        """Keep the provenance."""
        self._write("about.json", provenance)

    def over(self) -> dict[str, Any]:
        """What came of it, once it is over; else nothing."""
        return self._read("over.json")

    def end(self, **told: Any) -> None:
        """It is over: what is told of it is the last word."""
        self._write("over.json", told)

    @property
    def goes_on(self) -> bool:
        """Whether it was stopped by hand and can go on from there."""
        return self.over().get("stopped") == "interrupted" and self.checkpoint.is_file()

    def again(self) -> None:
        """It is not over after all; its answer stays until there is a better one."""
        (self.path / "over.json").unlink(missing_ok=True)

    def entries(self) -> list[TraceEntry]:
        """The trace as far as it is written."""
        tail = Tail(self.trace)
        tail.read()
        return tail.entries

    def remove(self) -> None:
        """All of it."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _read(self, name: str) -> dict[str, Any]:
        try:
            with (self.path / name).open("rb") as file:
                found = json.loads(file.read(MOST_HEADER))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def _write(self, name: str, told: dict[str, Any]) -> None:
        write(self.path / name, json.dumps(told, ensure_ascii=False).encode())


class Tail:
    """The end of a trace that is being written: what was read is not read again.

    Parameters
    ----------
    path
        The file: a line is an entry as a list, or ``{"doing": word}``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: list[TraceEntry] = []
        self.doing = ""
        self._at, self._file = 0, 0

    def read(self) -> None:
        """Read on."""
        try:
            with self.path.open("rb") as file:
                self._begin_anew_if(file.fileno())
                file.seek(self._at)
                data = file.read()
        except OSError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        for line in whole.splitlines():
            self._take(line)

    def _begin_anew_if(self, handle: int) -> None:
        """A resumed run puts another file there."""
        found = os.fstat(handle)
        if found.st_ino != self._file or found.st_size < self._at:
            self.entries, self._at, self._file = [], 0, found.st_ino

    def _take(self, line: bytes) -> None:
        try:
            told = json.loads(line)
            if isinstance(told, dict):
                self.doing = str(told["doing"])
            else:
                interval = (float(told[6][0]), float(told[6][1])) if len(told) > 6 and told[6] else None
                self.entries.append(TraceEntry(int(told[0]), *map(float, told[1:6]), interval=interval))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            return  # a line of a disk that was full


class RunRow(NamedTuple):
    """One run in the list."""

    id: str
    made: float
    state: str
    game: str
    solver: str
    lower: float | None
    upper: float | None
    gap: float | None
    seconds: float | None
    why: str


def row_of(folder: RunFolder) -> RunRow | None:
    """What the files of a run say of it; None where they are none of a run's."""
    asked, about, over = folder.asked(), folder.about(), folder.over()
    if asked is None:
        return None
    lower, upper, gap, seconds = (_figure(over.get(name)) for name in ("lower", "upper", "gap", "seconds"))
    return RunRow(
        folder.id,
        asked.made,
        str(over.get("state", QUEUED)),
        str(about.get("game") or asked.game),
        str(about.get("solver") or asked.solver),
        lower,
        upper,
        gap,
        seconds,
        str(over.get("why", "")),
    )


def _figure(found: object) -> float | None:
    return float(found) if isinstance(found, int | float) else None
