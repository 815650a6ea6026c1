"""What all readers of other people's files share: text with a bound, numbers read strictly, the line that is wrong,
sums of rows that are nearly 1.

How far from 1 the probabilities of a row may add up: files round theirs to a few digits.
"""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Collection

import numpy as np

from fogbound.core.bounded import read_bytes
from fogbound.core.errors import FileError, one_line
from fogbound.core.registry import suggestion
from fogbound.forms.arrays import Floats

NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
MOST_DIGITS = 9  # of a count: what is larger is no size that could be held
MOST_COUNT = 10**MOST_DIGITS - 1
MOST_FOUND = 120  # characters of the file that a message repeats
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")  # characters that are no text; all white space is
_NUMBER = re.compile(NUMBER)
_COUNT = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}")


def finite_number(text: str) -> float | None:
    """The finite number that `text` spells; none when it spells no number, or one too large for a float."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def count(text: str) -> int | None:
    """The non-negative integer that `text` spells, without sign, of at most nine digits."""
    return int(text) if _COUNT.fullmatch(text) else None


def fault_at(path: str | os.PathLike[str], line: int, found: str, expected: str) -> FileError:
    """The error `FILE:LINE: found X, expected Y`, in one printable line of at most 500 characters."""
    where = one_line(str(path), 200)
    return FileError(one_line(f"{where}:{line}: found {one_line(found, MOST_FOUND)}, expected {expected}"))


def hint(word: str, words: Collection[str]) -> str:
    """`; did you mean …?`, where there are few enough names to look through."""
    return suggestion(word, words) if len(words) <= 2_000 and len(word) <= 80 else ""


def read_text(path: str | os.PathLike[str], most: int, encoding: str, control: re.Pattern[str] = CONTROL) -> str:
    """The text of a file, its lines ending in \\n; FileError where it is none, or has a character of `control`."""
    data = read_bytes(path, most, "a smaller file; in Python, largest=N raises the limit")
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise fault_at(path, line, f"the byte 0x{data[error.start]:02x}", f"text in {encoding.upper()}") from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    require_text(path, text, control)
    return text


def require_text(path: str | os.PathLike[str], text: str, control: re.Pattern[str] = CONTROL) -> None:
    """Refuse a text that has a character of `control`: no name or label may hold one."""
    if strange := control.search(text):
        line = text.count("\n", 0, strange.start()) + 1
        raise fault_at(path, line, f"the byte 0x{ord(strange.group()):02x}", "a text file")


SUM_WRONG = 1e-4  # further off is a fault of the file
SUM_EXACT = 1e-12  # what adding up may cost: such a row is left as it is
SUM_DOUBTFUL = 1e-6 + SUM_EXACT  # one in the sixth digit is rounding; further off is set right with a warning


def divisors(total: Floats) -> Floats:
    """What rows with these sums are divided by to sum to 1: their sums, but where only adding up is to blame."""
    return np.where(np.abs(total - 1) > SUM_EXACT, total, 1.0)


def warn_of_sums(path: str, doubtful: int, worst: float, stacklevel: int) -> None:
    """Say, once a file, that rows were set right that were further off than rounding to six digits explains."""
    if doubtful:
        warnings.warn(
            f"{one_line(path, 200)}: {doubtful:,} rows of probabilities sum to 1 only within {worst:.2g}; "
            "they were divided by their sums",
            stacklevel=stacklevel + 1,
        )
