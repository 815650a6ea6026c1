"""Values as lines of JSON, read strictly: what JSON does not know is refused, and so is a name that stands twice."""

from __future__ import annotations

import json
from typing import Any


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
