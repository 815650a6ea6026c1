"""The index of runs: a list that is quick to ask, made from the folders and made anew from them when it is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from fogbound.web.runs.folder import QUEUED, RunFolder

TABLE = (
    "CREATE TABLE runs (id TEXT PRIMARY KEY, made REAL, state TEXT, game TEXT, solver TEXT, lower REAL, upper REAL, "
    "gap REAL, seconds REAL, why TEXT)"
)
FIELDS = "id, made, state, game, solver, lower, upper, gap, seconds, why"


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


class Index:
    """A table of runs in a file of SQLite: what the folders say, made anew from them when it is lost or damaged.

    Each call opens the file, so that any thread may ask.

    Parameters
    ----------
    path
        The file.
    found
        Reads the rows from the folders.
    """

    def __init__(self, path: Path, found: Callable[[], Iterable[RunRow]]) -> None:
        self.path, self.found = path, found

    def rebuild(self) -> None:
        """Make the table hold what the folders say, whatever was there."""
        rows = list(self.found())
        try:
            self._fill(rows)
        except sqlite3.DatabaseError:
            for ending in ("", "-wal", "-shm"):
                with suppress(OSError):
                    Path(f"{self.path}{ending}").unlink()
            self._fill(rows)

    def put(self, row: RunRow) -> None:
        """A new row, or a new state of one."""
        marks = ", ".join("?" * len(row))
        self._do(f"INSERT OR REPLACE INTO runs ({FIELDS}) VALUES ({marks})", row)

    def drop(self, run: str) -> None:
        """No such run any more."""
        self._do("DELETE FROM runs WHERE id = ?", (run,))

    def rows(self, most: int = 100) -> list[RunRow]:
        """The newest runs, newest first."""
        return [RunRow(*found) for found in self._do(f"SELECT {FIELDS} FROM runs ORDER BY made DESC LIMIT ?", (most,))]

    def _fill(self, rows: list[RunRow]) -> None:
        connection = sqlite3.connect(self.path, timeout=10)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            with connection:
                connection.execute("DROP TABLE IF EXISTS runs")
                connection.execute(TABLE)
                connection.executemany(f"INSERT INTO runs VALUES ({', '.join('?' * len(RunRow._fields))})", rows)
        finally:
            connection.close()

    def _do(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        try:
            return self._done(statement, values)
        except sqlite3.DatabaseError:  # lost or damaged while we are running: the folders know
            self.rebuild()
            return self._done(statement, values)

    def _done(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        connection = sqlite3.connect(self.path, timeout=10)
        try:
            with connection:
                return connection.execute(statement, values).fetchall()
        finally:
            connection.close()
