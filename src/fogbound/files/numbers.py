"""Numbers in model files, read strictly, and the one line that says where a file is wrong.

Python's own `float` also takes `1_9`, `nan`, `infinity` and the digits of every script; none of those is a
number in a model file, and reading one as a number would hide a damaged file.
"""

from __future__ import annotations

import math
import os
import re

from fogbound.core.errors import FileError, one_line

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
MOST_DIGITS = 9  # of a count: what is larger is no size that could be held
MOST_FOUND = 120  # characters of the file that a message repeats
_NUMBER = re.compile(NUMBER)
_COUNT = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}")


def number(text: str) -> float | None:
    """The finite number that `text` spells; none when it spells no number, or one too large for a float."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def count(text: str) -> int | None:
    """The non-negative integer that `text` spells, without sign, of at most nine digits."""
    return int(text) if _COUNT.fullmatch(text) else None


def place(path: str | os.PathLike[str], line: int, found: str, expected: str) -> FileError:
    """The error `FILE:LINE: found X, expected Y`, in one printable line of at most 500 characters."""
    where = one_line(str(path), 200)
    return FileError(one_line(f"{where}:{line}: found {one_line(found, MOST_FOUND)}, expected {expected}"))
