"""The answers that can be looked at: those of runs, and solutions that were opened; by ids, never by paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fogbound import api
from fogbound.core.errors import FogboundError, one_line
from fogbound.naming.titles import spec_title
from fogbound.web.refusal import Refusal
from fogbound.web.settings import Settings

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
MOST_LISTED = 200


@dataclass(frozen=True)
class Listed:
    """One line of the list: what was solved, and how.

    Attributes
    ----------
    id
        By which it is found.
    game, solver
        What was solved, and how; of a file that cannot be read, why.
    value
        What it is worth, in words; empty where the file cannot be read.
    """

    id: str
    game: str
    solver: str
    value: str

    @property
    def title(self) -> str:
        """What people call the game."""
        return spec_title(self.game)


class AnswerShelf:
    """The answers in the server's folder.

    Parameters
    ----------
    settings
        Where the folder is.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lines: dict[tuple[str, int], Listed] = {}

    def path(self, answer: str) -> Path:
        """Where an answer's file is; Refusal where there is none."""
        if not ID.fullmatch(answer):
            raise Refusal(404)
        folder = self.settings.folder
        for path in (folder / "runs" / answer / "solution.npz", folder / "files" / f"{answer}.npz"):
            if path.is_file():
                return path
        raise Refusal(404, "There is no such answer here. It may have been taken away, or is still being solved.")

    def listed(self) -> list[Listed]:
        """Every answer, the newest first."""
        folder = self.settings.folder
        found = [(path.parent.name, path) for path in folder.glob("runs/*/solution.npz")]
        found += [(path.stem, path) for path in folder.glob("files/*.npz")]
        dated = sorted(((_stamp(path), name, path) for name, path in found if ID.fullmatch(name)), reverse=True)
        return [self._line(name, stamp, path) for stamp, name, path in dated[:MOST_LISTED]]

    def file(self, answer: str) -> dict[str, str | int]:
        """Where an answer's file is and when it was written, for the process that looks at it."""
        path = self.path(answer)
        return {"path": str(path), "stamp": _stamp(path)}

    def _line(self, name: str, stamp: int, path: Path) -> Listed:
        if (name, stamp) not in self._lines:
            try:
                held = api.load(path)
                told = f"{held.value_text()} for {held.provenance['players'][held.player]}"
                line = Listed(name, str(held.provenance["game"]), str(held.provenance["solver"]), told)
            except (FogboundError, KeyError, IndexError, TypeError) as error:
                line = Listed(name, "cannot be read", one_line(str(error).replace(str(path), "the file"), 200), "")
            self._lines[name, stamp] = line
        return self._lines[name, stamp]


def _stamp(path: Path) -> int:
    """When a file was written last; 0 where it has gone meanwhile."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
