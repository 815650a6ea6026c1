"""A function of a factored model for one joint action, multiplied out over the columns that matter there.

Which columns matter often depends on the action (checking one rock tells nothing of the others), so a function
is first cut down to the entries of the action; what every remaining entry passes over with `*` is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.files.numbers import place
from fogbound.files.pomdpx.tables import ANY, EACH, GIVEN, IDENTITY, UNIFORM, Function
from fogbound.files.pomdpx.variables import Slot, When, strides
from fogbound.files.ranges import Indices
from fogbound.forms.table import Floats, Ints

MOST_CELLS = 5_000_000
Spoken = tuple[Indices, Floats, Ints]  # cells, their numbers, the entries that say so


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
    told = {i: digits[column.which] for i, column in enumerate(made.columns) if column.when == When.ACTION}
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
    found = _last_words(_spread(made, numbers, kept, told))
    return Cells(tuple(made.columns[i] for i in kept), tuple(sizes), *found)


def _spread(made: Function, numbers: Indices, kept: list[int], told: dict[int, int]) -> Iterator[Spoken]:
    """The cells of the chosen entries, those of the same shape together."""
    total = 0
    for k, alike in enumerate(_alike(made, numbers, kept)):
        pattern, kind = made.patterns[alike[0]], made.kinds[alike[0]]
        alone = k == 0  # it comes first, so there is nothing that its zeros could override
        slim = alone and kind == IDENTITY and (pattern[kept] == EACH).sum() == 2
        each = math.prod(made.sizes[i] for i in kept if pattern[i] < 0) // (made.sizes[-1] if slim else 1)
        total += len(alike) * each
        if total > MOST_CELLS:
            raise _too_large(made, made.entries[alike[-1]].line, total)
        key, value = _diagonal(made, alike, kept) if slim else _expanded(made, alike, kept, told)
        spoken = value != 0 if alone else np.ones(value.shape, bool)
        entry = np.repeat(alike.astype(np.int32), spoken.sum(axis=1))
        yield key[spoken], value[spoken], entry


def _alike(made: Function, numbers: Indices, kept: list[int]) -> Iterator[Indices]:
    """The first entry, then the others by which columns they leave open; without those wholly overridden later."""
    if not len(numbers):
        return
    covered = np.maximum(made.patterns[numbers][:, kept], ANY)[::-1]
    last = len(numbers) - 1 - np.unique(covered, axis=0, return_index=True)[1]
    numbers = numbers[np.sort(last)]
    yield numbers[:1]
    rest = numbers[1:]
    shape = np.column_stack([np.minimum(made.patterns[rest], 0), made.kinds[rest]])
    _, group = np.unique(shape, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    yield from np.split(rest[order], np.flatnonzero(np.diff(group.ravel()[order])) + 1) if len(rest) else ()


def _last_words(parts: Iterator[Spoken]) -> Spoken:
    """All cells in order; where several entries speak of one, the last."""
    none: Spoken = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int32))
    key, value, entry = (np.concatenate(columns) for columns in zip(none, *parts))
    order = np.lexsort((entry, key))
    final = np.ones(len(order), bool)
    final[:-1] = key[order][1:] != key[order][:-1]
    order = order[final]
    return key[order], value[order], entry[order]


def _fixed(made: Function, alike: Indices, kept: list[int]) -> tuple[Indices, list[int]]:
    """[entries] the number of each one's cell that has zeros in all open columns, and what a step in each is worth."""
    worth = strides([made.sizes[i] for i in kept])
    digits = np.maximum(made.patterns[alike][:, kept], 0)
    return digits.astype(np.int64) @ np.array(worth, np.int64), worth


def _expanded(made: Function, alike: Indices, kept: list[int], told: dict[int, int]) -> tuple[Indices, Floats]:
    """[entries, cells] the cells of entries of one shape, and the number in each."""
    first, worth = _fixed(made, alike, kept)
    keys, pattern = np.zeros(1, np.int64), made.patterns[alike[0]]
    for i, step in zip(kept, worth):
        if pattern[i] < 0:
            keys = (keys[:, None] + np.arange(made.sizes[i]) * step).ravel()
    shape = [len(alike), *(made.sizes[i] if pattern[i] < 0 else 1 for i in kept)]
    values = np.broadcast_to(_numbers(made, alike, kept, told), shape).reshape(len(alike), -1)
    return first[:, None] + keys, values


def _numbers(made: Function, alike: Indices, kept: list[int], told: dict[int, int]) -> Floats:
    """The numbers of entries, an axis for each kept column, of length 1 where they do not depend on it."""
    if made.kinds[alike[0]] == UNIFORM:
        return np.full([1] * (1 + len(kept)), 1 / made.sizes[-1])
    each = [i for i, code in enumerate(made.patterns[alike[0]]) if code == EACH]
    if made.kinds[alike[0]] == GIVEN:
        given = np.array([made.entries[e].numbers for e in alike])
    else:
        given = np.eye(made.sizes[-1])[None]
    cut = given.reshape([len(given), *(made.sizes[i] for i in each)])
    cut = cut[(slice(None), *(told.get(i, slice(None)) for i in each))]
    return cut.reshape([len(given), *(made.sizes[i] if i in each else 1 for i in kept)])


def _diagonal(made: Function, alike: Indices, kept: list[int]) -> tuple[Indices, Floats]:
    """The ones of an identity that overrides nothing."""
    first, worth = _fixed(made, alike, kept)
    pattern, keys = made.patterns[alike[0]], np.zeros(1, np.int64)
    for i, step in zip(kept, worth):
        if pattern[i] == ANY:
            keys = (keys[:, None] + np.arange(made.sizes[i]) * step).ravel()
    both = sum(step for i, step in zip(kept, worth) if pattern[i] == EACH)
    keys = first[:, None] + (keys[:, None] + np.arange(made.sizes[-1]) * both).ravel()
    return keys, np.ones(keys.shape)


def _too_large(made: Function, line: int, size: int) -> LimitError:
    error = place(made.element.path, line, f"{size:,} numbers for {made.name}", f"at most {MOST_CELLS:,}")
    return LimitError(str(error))
