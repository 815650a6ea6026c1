"""The JSON header inside a solution file: member 'header.npy', bytes of UTF-8."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from .array import Array
from .refused import Refused


def read_header(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The header as a dictionary; Refused unless it is one clean JSON object."""
    member = arrays.get("header")
    if member is None or member.dtype != "|u1" or len(member.shape) != 1:
        raise Refused("no header: expected member 'header.npy', one line of |u1 bytes")
    try:
        header = json.loads(
            member.data.decode("utf-8"),
            parse_constant=_constant,
            parse_float=_number,
            object_pairs_hook=_object,
        )
    except Refused:
        raise
    except RecursionError:
        raise Refused("the header's JSON is nested too deeply") from None
    except ValueError as fault:
        raise Refused(f"the header is not JSON: {fault}") from None
    if not isinstance(header, dict):
        raise Refused("the header is not a JSON object")
    return header


def _constant(name: str) -> NoReturn:
    raise Refused(f"the header holds {name}")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise Refused(f"the header holds the number {text[:40]}, which is no finite float")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different: with two, two readers could see two headers."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused("the header names a key twice")
    return found
