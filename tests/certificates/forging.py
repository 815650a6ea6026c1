"""Forged solution files: every field of the header and every array, changed in every way that its type allows.

Forgeries are generated from the file itself, so a field that is new tomorrow is forged tomorrow.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fogbound import archive

HEX = re.compile(r"-?0x[01]\.[0-9a-f]+p[+-]\d+|-?0x0\.0p\+0|-?inf")
Path = tuple[Any, ...]


class Forgery(NamedTuple):
    """A change to a file: where, and how."""

    where: str
    change: Callable[[dict[str, Any], dict[str, Any]], None]


def forge(path: Any, forgery: Forgery) -> None:
    """Write the file again, changed."""
    header, arrays = archive.load(path, "solution")
    header = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
    forgery.change(header, arrays)
    archive.write(path, archive.dumps("solution", header, arrays))


def forgeries(path: Any) -> list[Forgery]:
    """All of them, for one file."""
    header, arrays = archive.load(path, "solution")
    header = {key: value for key, value in header.items() if key not in ("fogbound", "schema")}
    listed = [
        Forgery(f"{'.'.join(map(str, where))} = {str(other)[:40]!r}", setting(where, other))
        for where, value in leaves(header)
        for other in alternatives(value)
    ]
    listed += [Forgery(f"{'.'.join(map(str, where))} left out", _dropping(where)) for where, _ in leaves(header)]
    for name, array in arrays.items():
        listed += [Forgery(f"{name}: {how}", _replacing(name, other)) for how, other in other_arrays(array)]
        listed.append(Forgery(f"{name} left out", lambda h, a, name=name: a.pop(name)))
        listed += [
            Forgery(f"{name} for {other}", _swapping(name, other))
            for other in arrays
            if name < other and arrays[other].dtype == array.dtype and arrays[other].shape == array.shape
        ]
    listed.append(Forgery("a field more", lambda h, a: h.update(extra=1)))
    listed.append(Forgery("an array more", lambda h, a: a.update(extra=np.zeros(3))))
    return listed


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every scalar of a JSON value, and every list as a whole."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
        return
    yield path, value
    if isinstance(value, list):
        for k, part in enumerate(value[:3]):
            yield from leaves(part, (*path, k))


def alternatives(value: Any) -> list[Any]:
    """What could stand there instead."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str) and HEX.fullmatch(value):
        number = float.fromhex(value)
        others = [number + 1, number - 1, 2000.0, -2000.0, 1e300, -1e300, 0.0]
        return [other.hex() for other in others if other != number]
    if isinstance(value, int):
        return [value + 1, value - 1, 10**6, str(value)]
    if isinstance(value, float):
        return [value + 1, value - 1, 0.0]
    if isinstance(value, str):
        return ["", "other", value + "\x1b[2J", "uniform"]
    if isinstance(value, list):
        return [list(reversed(value)), value[:-1], [*value, *value[:1]]]
    return [0] if value is None else []


def other_arrays(array: Any) -> Iterator[tuple[str, Any]]:
    """Ways to change an array."""
    if not array.size:
        yield "an entry more", np.append(array, np.zeros(1, array.dtype))
        return
    for place in {0, array.size // 2, array.size - 1}:
        step = 1 if array.dtype.kind in "iu" else 0.37 * (1 + abs(np.clip(array.flat[place], -1e300, 1e300)))
        for name, by in ((f"[{place}] raised", step), (f"[{place}] lowered", -step)):
            changed = array.copy()
            with np.errstate(over="ignore"):  # the largest number, raised, is the smallest
                changed.flat[place] = (
                    (int(changed.flat[place]) + by) % 256 if array.dtype.kind == "u" else array.flat[place] + by
                )
            yield name, changed
    yield "reversed", np.ascontiguousarray(array[::-1])
    yield "cut", array[:-1]
    yield "all zero", np.zeros_like(array)


def setting(where: Path, other: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        _parent(header, where)[where[-1]] = copy.deepcopy(other)

    return change


def _dropping(where: Path) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        del _parent(header, where)[where[-1]]

    return change


def _replacing(name: str, other: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda header, arrays: arrays.update({name: other})


def _swapping(one: str, two: str) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda header, arrays: arrays.update({one: arrays[two], two: arrays[one]})


def _parent(header: dict[str, Any], where: Path) -> Any:
    for key in where[:-1]:
        header = header[key]
    return header
