"""One line of a log of games, written and strictly read: what is wrong is said in one ValueError."""

from __future__ import annotations

import json
import math
from typing import Any

from fogbound.core.errors import FileError, brief
from fogbound.core.game import Seen
from fogbound.core.labels import from_json, to_json
from fogbound.forms.tree import History

Histories = tuple[History | None, ...]
Returns = tuple[float, ...]


def dumps(value: Any) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")) + "\n"


def written(histories: Histories, returns: Returns) -> str:
    """One game as a line; FileError for labels that are no plain values."""
    told = [None if h is None else [_sight(h[0]), *([to_json(a), _sight(s)] for a, s in h[1:])] for h in histories]
    return dumps({"histories": told, "returns": list(returns)})


def _sight(seen: Seen) -> list[Any]:
    return [to_json(seen.public), to_json(seen.private)]


def loads(line: bytes) -> Any:
    """The JSON of a line; nothing that JSON does not know, no name twice."""

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


def read(entry: Any, seats: int | None) -> tuple[Histories, Returns]:
    """One game; `seats` is how many players it must have."""
    if not isinstance(entry, dict) or set(entry) != {"histories", "returns"}:
        raise ValueError("expected an object with histories and returns, and nothing else")
    histories, returns = entry["histories"], entry["returns"]
    if not isinstance(histories, list) or not isinstance(returns, list) or not histories:
        raise ValueError("histories and returns must be lists, with an entry for each seat")
    wanted = seats or len(histories)
    if (len(histories), len(returns)) != (wanted, wanted):
        raise ValueError(f"{len(histories)} histories and {len(returns)} returns, expected {wanted} of each")
    return tuple(h if h is None else _history(h) for h in histories), tuple(map(_pay, returns))


def _pay(value: Any) -> float:
    if type(value) not in (int, float) or abs(value) > 1e300 or not math.isfinite(value):
        raise ValueError(f"found the return {brief(value)}, expected a number")
    return float(value)


def _history(entry: Any) -> History:
    if not isinstance(entry, list) or not entry:
        raise ValueError("a history must be null, or a list that begins with the first sight")
    return (_seen(entry[0]), *((_label(action), _seen(sight)) for action, sight in map(_pair, entry[1:])))


def _seen(entry: Any) -> Seen:
    public, private = _pair(entry)
    return Seen(_label(public), _label(private))


def _pair(entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, list) or len(entry) != 2:
        raise ValueError(f"found {brief(entry)}, expected a pair: [public, private], or [action, sight]")
    return entry[0], entry[1]


def _label(value: Any) -> Any:
    try:
        label = from_json(value)
        to_json(label)  # refuses what JSON can say and labels cannot be, such as 1e999
    except FileError as error:
        raise ValueError(str(error)) from None
    return label
