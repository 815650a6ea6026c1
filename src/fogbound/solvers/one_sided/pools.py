"""The room that bounds of a one-sided game take: pools of records that are made, and made larger."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.one_sided_layout import spread
from fogbound.forms.table import Ints
from fogbound.kernels.stage_hull import MOST_FACETS
from fogbound.kernels.stage_model import MOST_COLUMNS, Bounds
from fogbound.solvers.one_sided.shifted import Shifted

NAMES = tuple(place.name for place in fields(Bounds))
POOLS = {"older": 0, "at": 0, "why": 0, "value": 1, "link": 2, "weight": 2}  # whose use is counted where
LISTS = ("vectors", "facets", "spare", "points")
KEPT = {"vectors": 0, "facets": 0, "points": 2}  # in files; how many numbers a record holds beside one for each state
Arrays = MutableMapping[str, Any]


def stage_room(scaled: Shifted) -> Ints:
    """[records, values, links] that a stage of each bound may add together."""
    game, wide = scaled.game, scaled.wide
    most = int(np.diff(game.branch[game.slot]).max(initial=0))  # branches of a partition
    ways = int(np.diff(game.branch).max(initial=0))  # of a slot
    facets = MOST_FACETS * most
    column, cover = 1 + ways, 1 + 2 * wide
    return np.array([facets + 2, (facets + 2) * (wide + 2), 1 + MOST_COLUMNS * column + scaled.rows + most * cover])


def make_lists(arrays: Arrays, parts: int, states: int) -> None:
    """Empty lists, and pools where there are none."""
    for name in LISTS:
        arrays.setdefault(name, np.full(parts, -1, np.int64))
    arrays.setdefault("crown", np.full(states, -1, np.int64))
    for name in POOLS:
        arrays.setdefault(name, np.zeros(0, np.float64 if name in ("value", "weight") else np.int64))
    arrays.setdefault("used", np.zeros(3, np.int64))


def without_reasons(arrays: Arrays, sizes: Ints) -> dict[str, NDArray[Any]]:
    """The lists and what they hold, in as little room as they need; sizes [P] says how many states partitions have."""
    numbers: list[int] = []
    found: dict[str, list[int]] = {name: [] for name in ("vectors", "facets", "points", "older", "length")}
    for name, more in KEPT.items():
        for size, newest in zip(sizes.tolist(), arrays[name].tolist(), strict=True):
            own, record = [], newest
            while record >= 0:
                own.append(record)
                record = int(arrays["older"][record])
            first = len(numbers)
            numbers += reversed(own)
            found["older"] += [-1, *range(first, len(numbers) - 1)][: len(own)]
            found["length"] += [size + more] * len(own)
            found[name].append(len(numbers) - 1 if own else -1)
    kept = {name: np.array(column, np.int64) for name, column in found.items()}
    length = kept.pop("length")
    at = np.cumsum(length) - length
    value = arrays["value"][spread(arrays["at"][numbers], length)]
    return {**kept, "at": at, "value": value, "used": np.array([len(numbers), len(value)]), "corner": arrays["corner"]}


def make_room(arrays: Arrays, more: Ints) -> None:
    """Room for so many more records, values and links; for half as many again as there was, where that is more."""
    needed = (arrays["used"] + more).tolist()
    for name, place in POOLS.items():
        array: NDArray[Any] = arrays[name]
        if len(array) <= needed[place]:
            size = max(needed[place] + 1, len(array) * 3 // 2)
            arrays[name] = np.concatenate([array, np.zeros(size - len(array), array.dtype)])
