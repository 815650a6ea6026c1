"""A function of a factored model for one joint action, multiplied out over the columns that matter there.

Which columns matter often depends on the action (checking one rock tells nothing of the others), so a function
is first cut down to the entries of the action; what every remaining entry passes over with `*` is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.files.numbers import place
from fogbound.files.pomdpx.tables import ANY, EACH, GIVEN, IDENTITY, UNIFORM, Entry, Function
from fogbound.files.pomdpx.variables import Slot, When, strides
from fogbound.files.ranges import Indices
from fogbound.forms.table import Floats, Ints

MOST_CELLS = 5_000_000


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of which the entries speak, in order, with the entry that had the last word on each."""

    columns: tuple[Slot, ...]
    sizes: tuple[int, ...]
    keys: Indices  # [K] the cell, a number in mixed radix, last column fastest; ascending
    values: Floats  # [K]
    entry: Ints  # [K]


def cells(made: Function, digits: tuple[int, ...]) -> Cells:
    """What `made` says when the action variables have the values `digits`."""
    acting = [i for i, column in enumerate(made.columns) if column.when == When.ACTION]
    told = {i: digits[made.columns[i].which] for i in acting}
    chosen = np.ones(len(made.entries), bool)
    for i, digit in told.items():
        chosen &= (made.patterns[:, i] == digit) | (made.patterns[:, i] < 0)
    numbers = np.flatnonzero(chosen)
    kept = [
        i
        for i, column in enumerate(made.columns)
        if i not in told and (column == made.own or (made.patterns[numbers, i] != ANY).any())
    ]
    sizes = [made.sizes[i] for i in kept]
    if math.prod(sizes) >= 1 << 62:
        raise _too_large(made, made.element.line, math.prod(sizes))
    found = _spread(made, numbers, kept, told)
    return Cells(tuple(made.columns[i] for i in kept), tuple(sizes), *found)


def _spread(
    made: Function, numbers: NDArray[np.intp], kept: list[int], told: dict[int, int]
) -> tuple[Indices, Floats, Ints]:
    """All cells of all chosen entries; where several speak of one, the last."""
    worth = strides([made.sizes[i] for i in kept])
    patterns = made.patterns[numbers]
    plain = (patterns[:, [*kept, *told]] >= 0).all(axis=1) if len(numbers) else np.zeros(0, bool)
    keys = [patterns[plain][:, kept].astype(np.int64) @ np.array(worth, np.int64)]
    values = [np.array([made.entries[e].numbers[0] for e in numbers[plain]], np.float64)]
    entry = [numbers[plain].astype(np.int32)]
    total = len(keys[0])
    for e in numbers[~plain]:
        one, alone = made.entries[e], bool(e == numbers[0])
        slim = alone and one.kind == IDENTITY and sum(one.pattern[i] == EACH for i in kept) == 2
        total += math.prod(made.sizes[i] for i in kept if one.pattern[i] < 0) // (made.sizes[-1] if slim else 1)
        if total > MOST_CELLS:
            raise _too_large(made, one.line, total)
        key, number = _diagonal(made, one, kept, worth) if slim else _expanded(made, one, kept, worth, told, alone)
        keys.append(key)
        values.append(number)
        entry.append(np.full(len(key), e, np.int32))
    key, number, last = np.concatenate(keys), np.concatenate(values), np.concatenate(entry)
    order = np.lexsort((last, key))
    final = np.ones(len(order), bool)
    final[:-1] = key[order][1:] != key[order][:-1]
    order = order[final]
    return key[order], number[order], last[order]


def _expanded(
    made: Function, entry: Entry, kept: list[int], worth: list[int], told: dict[int, int], alone: bool
) -> tuple[Indices, Floats]:
    """The cells of an entry with `*` or `-`; zeros only where they may override something."""
    shape = [made.sizes[i] if entry.pattern[i] < 0 else 1 for i in kept]
    values = np.broadcast_to(_numbers(made, entry, kept, told), shape).ravel()
    keys = np.zeros(1, np.int64)
    for i, step in zip(kept, worth):
        code = entry.pattern[i]
        digit = np.arange(made.sizes[i], dtype=np.int64) if code < 0 else np.array([code], np.int64)
        keys = (keys[:, None] + digit * step).ravel()
    spoken = values != 0 if alone else np.ones(len(values), bool)
    return keys[spoken], values[spoken]


def _numbers(made: Function, entry: Entry, kept: list[int], told: dict[int, int]) -> Floats:
    """The numbers of an entry, an axis for each kept column, of length 1 where they do not depend on it."""
    if entry.kind == UNIFORM:
        return np.full([1] * len(kept), 1 / made.sizes[-1])
    each = [i for i, code in enumerate(entry.pattern) if code == EACH]
    given = entry.numbers if entry.kind == GIVEN else np.eye(made.sizes[-1])
    cut = given.reshape([made.sizes[i] for i in each])[tuple(told.get(i, slice(None)) for i in each)]
    return cut.reshape([made.sizes[i] if i in each else 1 for i in kept])


def _diagonal(made: Function, entry: Entry, kept: list[int], worth: list[int]) -> tuple[Indices, Floats]:
    """The ones of an identity that overrides nothing."""
    keys, size = np.zeros(1, np.int64), made.sizes[-1]
    step = sum(worth[k] for k, i in enumerate(kept) if entry.pattern[i] == EACH)
    for k, i in enumerate(kept):
        code = entry.pattern[i]
        if code == ANY:
            keys = (keys[:, None] + np.arange(made.sizes[i], dtype=np.int64) * worth[k]).ravel()
        elif code >= 0:
            keys = keys + code * worth[k]
    keys = (keys[:, None] + np.arange(size, dtype=np.int64) * step).ravel()
    return keys, np.ones(len(keys))


def _too_large(made: Function, line: int, size: int) -> LimitError:
    error = place(made.element.path, line, f"{size:,} numbers for {made.name}", f"at most {MOST_CELLS:,}")
    return LimitError(str(error))
