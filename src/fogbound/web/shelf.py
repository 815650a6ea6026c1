"""Files that were opened: kept by what is in them, found again by that name alone."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from fogbound.core.atomic import write
from fogbound.core.errors import one_line
from fogbound.web.refusal import Refusal

ID = re.compile(r"[0-9a-f]{64}")
SOLUTION = ".npz"
MODELS = (".pomdp", ".pomdpx", ".osposg", ".dpomdp", ".posg", ".zsposg")
ENDINGS = (*MODELS, SOLUTION)
MOST_NAME = 80
MOST_FILES, MOST_BYTES = 100, 256 * 1024**2
RULE = f"The server keeps the last {MOST_FILES} files that were opened, {MOST_BYTES // 1024**2} MB in all."


@dataclass(frozen=True)
class Opened:
    """A file that was opened.

    Attributes
    ----------
    id
        By which it is found again.
    name
        What whoever sent it called it.
    path
        Where it is kept.
    found
        What was found in it.
    """

    id: str
    name: str
    path: Path
    found: dict[str, Any]


class Shelf:
    """The files in a folder: `<sha256><ending>`, and beside each what was found in it.

    Parameters
    ----------
    folder
        Where.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, name: str, data: bytes) -> tuple[str, str, Path]:
        """Put a file onto the shelf: its id, the name as it may be shown, and where it is.

        Raises
        ------
        Refusal
            Its ending says that nobody here reads it.
        """
        plain = PureWindowsPath(PurePosixPath(name).name).name
        ending = Path(plain).suffix.lower()
        if ending not in ENDINGS:
            raise Refusal(
                415, f"{one_line(plain, MOST_NAME) or 'a file'}: what can be opened ends in {', '.join(ENDINGS)}"
            )
        found = hashlib.sha256(ending.encode() + b"\0" + data).hexdigest()
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / f"{found}{ending}"
        write(path, data)
        return found, one_line(plain, MOST_NAME), path

    def note(self, file: Opened) -> None:
        """Keep what was found in a file."""
        told = {"name": file.name, "ending": file.path.suffix, "found": file.found}
        write(self.folder / f"{file.id}.json", json.dumps(told, ensure_ascii=False).encode())

    def remove(self, path: Path) -> None:
        """Take away a file in which nothing was found."""
        path.unlink(missing_ok=True)

    def get(self, name: str) -> Opened:
        """The file of this id, which is used now; Refusal where there is none."""
        file = self._read(name)
        with suppress(OSError):
            os.utime(file.path)
        return file

    def _read(self, name: str) -> Opened:
        """The file of this id; Refusal where there is none."""
        if not ID.fullmatch(name):
            raise Refusal(404)
        try:
            told = json.loads((self.folder / f"{name}.json").read_bytes())
            ending = told["ending"]
        except (OSError, ValueError, KeyError, TypeError):
            raise Refusal(404) from None
        path = self.folder / f"{name}{ending}"
        if ending not in ENDINGS or not path.is_file() or path.is_symlink():
            raise Refusal(404)
        return Opened(name, str(told["name"]), path, told["found"])

    def named(self, told: Any, **known: str) -> Any:
        """The same with every path on the shelf replaced by the name that its file came with.

        Parameters
        ----------
        told
            Plain values: text, lists, dicts.
        known
            Names by id, of files that are not noted yet.
        """
        if isinstance(told, dict):
            return {key: self.named(value, **known) for key, value in told.items()}
        if isinstance(told, list):
            return [self.named(value, **known) for value in told]
        if not isinstance(told, str) or str(self.folder) not in told:
            return told
        return self._path().sub(lambda found: known.get(found[1]) or self._name(found[1]), told)

    def _path(self) -> re.Pattern[str]:
        return re.compile(rf"{re.escape(str(self.folder))}[/\\]({ID.pattern})\.\w+")

    def _name(self, file: str) -> str:
        try:
            return self._read(file).name
        except Refusal:
            return "a file"

    def uploads(self) -> list[Upload]:
        """What is kept of files that were sent: each with what was found in it."""
        listed = []
        for path in self.folder.glob("*"):
            if path.suffix in ENDINGS:
                with suppress(OSError):
                    told = path.stat()
                    listed.append(Upload(told.st_mtime, told.st_size, partial(self._forget, path)))
        return listed

    def _forget(self, path: Path) -> None:
        path.with_suffix(".json").unlink(missing_ok=True)
        self.remove(path)

    def all(self) -> list[Opened]:
        """What is there, by name."""
        found = []
        for path in self.folder.glob("*.json"):
            try:
                found.append(self._read(path.stem))
            except Refusal:
                continue
        return sorted(found, key=lambda file: file.name)


@dataclass(frozen=True)
class Upload:
    """A file that somebody sent.

    Attributes
    ----------
    when
        When it was sent or used last: the oldest goes first.
    size
        Its size in bytes.
    remove
        Removes it.
    """

    when: float
    size: int
    remove: Callable[[], None]


def trim(kept: Iterable[Upload], most_files: int = MOST_FILES, most_bytes: int = MOST_BYTES) -> None:
    """Remove the oldest files until those that are left are few and small enough.

    Parameters
    ----------
    kept
        What is there, the file that came last included.
    most_files, most_bytes
        How many files there may be, and how large they may be together.

    Examples
    --------
    >>> removed = []
    >>> files = [Upload(when, 10, lambda when=when: removed.append(when)) for when in (3, 1, 2)]
    >>> trim(files, most_files=2)
    >>> trim(files, most_bytes=10)
    >>> removed
    [1, 1, 2]
    """
    rest = sorted(kept, key=lambda upload: upload.when, reverse=True)
    total = sum(upload.size for upload in rest)
    while rest and (len(rest) > most_files or total > most_bytes):
        oldest = rest.pop()
        oldest.remove()
        total -= oldest.size
