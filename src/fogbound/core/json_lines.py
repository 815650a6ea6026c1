"""Values as lines of JSON, read strictly: what JSON does not know is refused, and so is a name that stands twice."""

from __future__ import annotations

import json
import os
from typing import Any

from fogbound.core.bounded import read_bytes

MOST_BYTES = 1 << 30


def json_line(value: Any) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")) + "\n"


def parse_line(line: bytes) -> Any:
    """The JSON of a line; ValueError for anything else.

    Examples
    --------
    >>> parse_line(b'{"a": 1}')
    {'a': 1}
    >>> parse_line(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: a name stands twice in one object
    """

    def refuse(constant: str) -> Any:
        raise ValueError(f"found {constant}, expected a number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name stands twice in one object")
        return dict(pairs)

    try:
        return json.loads(line.decode(), parse_constant=refuse, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("lists within lists, too deep to read") from None


def read_lines(path: str | os.PathLike[str]) -> bytes:
    """A file of lines, whole; FileError where it cannot be read, or is larger than any should be."""
    return read_bytes(path, MOST_BYTES)
