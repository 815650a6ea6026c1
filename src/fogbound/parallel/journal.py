"""The journal of a run of many jobs: what each came to, a line each, so that whoever is killed goes on from there.

The first line says of which run it is; each other is the row of one job, by its number. Lines are written whole and
synced, in the order in which jobs are done; a last line that was cut off is no line. When the run is over the rows
stand in the order of their numbers, so that the file does not tell who computed it. A journal is read with suspicion:
it may be of another run, damaged or forged, and then costs a line that names its place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core.atomic import write
from fogbound.core.errors import FileError, brief, one_line
from fogbound.core.identity import difference, read_inputs
from fogbound.core.json_lines import json_line, parse_line, read_lines

try:
    import fcntl
except ImportError:  # no such locks here: nobody keeps two runs apart
    fcntl = None  # type: ignore[assignment]

SCHEMA = 1
MOST_JOBS = 1 << 40
INPUTS = "inputs"  # what a run is about: the files that it depends on, by content
Row = dict[str, Any]
Rows = dict[int, Row]
CheckRow = Callable[[int, Row], None]  # raises ValueError for what cannot be


_open = set[int]()  # the files of journals that this process writes to


def _leave_to_parent() -> None:
    """Close the journals in a forked process: a lock lasts as long as any process holds the file open."""
    for file in _open:
        os.close(file)
    _open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


@dataclass(frozen=True)
class JournalContent:
    """A journal as it was read.

    Attributes
    ----------
    kind
        What kind of run it is of.
    about
        Which run it is of.
    rows
        By number, what the jobs came to.
    """

    kind: str
    about: dict[str, Any]
    rows: Rows

    def text(self) -> str:
        """The whole file, its rows in the order of their numbers: the same content, the same text."""
        rows = (row_line(number, self.rows[number]) for number in sorted(self.rows))
        return "".join([header_line(self.kind, self.about), *rows])


class RunJournal:
    """A journal that a run goes on from and adds to: a context, in which nobody else writes to it.

    Parameters
    ----------
    path
        Where it is, or is to be.
    kind
        What kind of run it is of.
    about
        Which run it is of: plain values; a journal of another is refused.
    check
        Called with the number and the row of every line that is read; raises ValueError for what cannot be.

    Examples
    --------
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "squares.jsonl")
    >>> for known in (0, 2):
    ...     with RunJournal(path, "squares", {"of": 3}, lambda number, row: None) as journal:
    ...         assert len(journal.rows) == known
    ...         journal.add({2: {"square": 4}, 0: {"square": 0}} if not known else {1: {"square": 1}})
    ...         journal.settle()
    >>> print(open(path).read(), end="")
    {"fogbound":"squares","schema":1,"about":{"of":3}}
    {"number":0,"square":0}
    {"number":1,"square":1}
    {"number":2,"square":4}
    """

    def __init__(self, path: str | os.PathLike[str], kind: str, about: Mapping[str, Any], check: CheckRow) -> None:
        self.path, self.kind, self.check = path, kind, check
        self.about = parse_line(json_line(dict(about)).encode())  # as a file would say it
        self.rows: Rows = {}
        self._file = -1
        self._in_order = True

    def __enter__(self) -> RunJournal:
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_APPEND, 0o666)
        except OSError as error:
            raise FileError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        _open.add(self._file)
        try:
            self._lock()
            self._go_on()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        _open.discard(self._file)
        os.close(self._file)

    def add(self, rows: Mapping[int, Row]) -> None:
        """Write what some jobs came to, so that it lasts."""
        if not rows:
            return
        last = max(self.rows, default=-1)
        self._in_order &= list(rows) == sorted(rows) and next(iter(rows)) > last
        self._append("".join(row_line(number, row) for number, row in rows.items()))
        self.rows.update(rows)

    def settle(self) -> None:
        """Put the rows into the order of their numbers, where they are not: when the run is over."""
        if not self._in_order:
            write(self.path, JournalContent(self.kind, self.about, self.rows).text().encode())
            self._in_order = True

    def _lock(self) -> None:
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            raise FileError(f"{self.path}: is no plain file, expected one for a journal")
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FileError(f"{self.path}: another run writes to it; wait, or name another file") from None

    def _go_on(self) -> None:
        """Read what there is; begin the file where there is nothing."""
        data = read_lines(self.path)
        begins = header_line(self.kind, self.about).encode()
        if len(data) < len(begins) and begins.startswith(data):  # nothing, or a first line that was cut off
            os.ftruncate(self._file, 0)
            self._append(begins.decode())
            return
        content, end = parse_journal(self.path, data, self.kind, self.check, self.about)
        self.rows = content.rows
        self._in_order = list(self.rows) == sorted(self.rows)
        os.ftruncate(self._file, end)

    def _append(self, text: str) -> None:
        data = text.encode()
        try:
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
        except OSError as error:
            raise FileError(f"{self.path}: cannot be written: {error.strerror or error}") from error


def header_line(kind: str, about: Mapping[str, Any]) -> str:
    """The first line of a journal."""
    return json_line({"fogbound": kind, "schema": SCHEMA, "about": about})


def row_line(number: int, row: Mapping[str, Any]) -> str:
    """The line of a job."""
    return json_line({"number": number, **row})


def parse_journal(
    path: str | os.PathLike[str],
    data: bytes,
    kind: str | None = None,
    check: CheckRow | None = None,
    wanted: Mapping[str, Any] | None = None,
) -> tuple[JournalContent, int]:
    """What a journal says, of this kind and run where these are given, and where its last whole line ends."""
    *lines, rest = data.split(b"\n")
    about: dict[str, Any] = {}
    found, rows = kind or "", Rows()
    for place, line in enumerate(lines or [rest], 1):
        try:
            if not lines:
                raise ValueError("the first line is cut off" if rest else "the file is empty")
            entry = parse_line(line)
            if place == 1:
                found, about = _header(entry, kind)
                if wanted is not None:
                    require_same(path, about, wanted, found)
                continue
            number = _number(entry, rows)
            rows[number] = {key: value for key, value in entry.items() if key != "number"}
            if check:
                check(number, rows[number])
        except ValueError as error:
            raise FileError(f"{path}:{place}: {one_line(str(error), 200)}") from None
    return JournalContent(found, about, rows), len(data) - len(rest)


def _header(entry: Any, kind: str | None) -> tuple[str, dict[str, Any]]:
    if not isinstance(entry, dict) or set(entry) != {"fogbound", "schema", "about"}:
        raise ValueError('no journal of a run, expected {"fogbound": …, "schema": …, "about": …}')
    if not isinstance(entry["fogbound"], str) or (kind is not None and entry["fogbound"] != kind):
        raise ValueError(f"a journal of a {brief(entry['fogbound'])}, expected one of a {kind}")
    if type(entry["schema"]) is not int or not 1 <= entry["schema"] <= SCHEMA:
        raise ValueError(f"written in schema {brief(entry['schema'])}, this version reads up to {SCHEMA}")
    if not isinstance(entry["about"], dict):
        raise ValueError("does not say which run it is of")
    return entry["fogbound"], entry["about"]


def _number(entry: Any, rows: Rows) -> int:
    if not isinstance(entry, dict) or type(entry.get("number")) is not int:
        raise ValueError("expected an object with the number of a job")
    number: int = entry["number"]
    if not 0 <= number < MOST_JOBS:
        raise ValueError(f"number is {number}, expected 0 or more")
    if number in rows:
        raise ValueError(f"job {number} stands twice")
    return number


def require_same(path: str | os.PathLike[str], found: Mapping[str, Any], wanted: Mapping[str, Any], kind: str) -> None:
    """Refuse a journal of another run, with the first difference; of inputs, with the name of the one that changed."""
    for name in {**wanted, **found}:
        if found.get(name) == wanted.get(name):
            continue
        seen = f"has {name} {brief(found.get(name))}, expected {brief(wanted.get(name))}"
        if name == INPUTS and name in wanted:
            earlier = "it was written by an earlier version of Fogbound"
            seen = difference(read_inputs(found[name]), read_inputs(wanted[name])) if name in found else earlier
        raise FileError(f"{path}: is of another {kind}: {seen}; name another file, or remove this one")


def merge_journals(
    paths: Sequence[str | os.PathLike[str]], checks: Mapping[str, Callable[[Any], CheckRow]]
) -> JournalContent:
    """The rows of several journals of one run together.

    Parameters
    ----------
    paths
        Where they are, at least one.
    checks
        By kind of run, what makes the check of rows from what the run is about.

    Returns
    -------
    JournalContent

    Raises
    ------
    FileError
        They are of different runs, damaged, or differ in what a job came to.
    """
    contents = [parse_journal(path, read_lines(path))[0] for path in paths]
    first = contents[0]
    if first.kind not in checks:
        raise FileError(f"{paths[0]}: a journal of a {brief(first.kind)}, expected one of a {' or a '.join(checks)}")
    rows: Rows = {}
    for path, content in zip(paths, contents):
        if content.kind != first.kind:
            raise FileError(f"{path}: a journal of a {content.kind}, {paths[0]} is one of a {first.kind}")
        _check_all(path, content, checks[first.kind])
        require_same(path, content.about, first.about, first.kind)
        for number, row in content.rows.items():
            if rows.setdefault(number, row) != row:
                raise FileError(f"{path}: job {number} came to something else than in a journal before it")
    return JournalContent(first.kind, first.about, rows)


def _check_all(path: str | os.PathLike[str], content: JournalContent, make: Callable[[Any], CheckRow]) -> None:
    try:
        check = make(content.about)
        for number, row in content.rows.items():
            check(number, row)
    except ValueError as error:
        raise FileError(f"{path}: {one_line(str(error), 200)}") from None


def missing_jobs(rows: Iterable[int], jobs: int) -> list[int]:
    """The numbers of the jobs that have no row."""
    known = set(rows)
    return [number for number in range(jobs) if number not in known]
