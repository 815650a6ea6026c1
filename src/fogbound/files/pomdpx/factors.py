"""The distribution of one variable under one joint action, for each row of its parents' values."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import FileError
from fogbound.files.numbers import place
from fogbound.files.pomdpx.cells import Cells, cells
from fogbound.files.pomdpx.tables import Function
from fogbound.files.pomdpx.variables import Slot, Variables, strides
from fogbound.files.ranges import Indices
from fogbound.files.tolerance import DOUBTFUL, EXACT, WRONG
from fogbound.forms.table import Floats


@dataclass(frozen=True, eq=False)
class Factor:
    """The distribution of a variable for each row of its parents' values, without impossible values."""

    own: Slot
    parents: tuple[Slot, ...]
    sizes: tuple[int, ...]
    first: Indices  # [rows + 1]
    value: Indices  # [K]
    prob: Floats  # [K]


def factor(made: Function, digits: tuple[int, ...], names: Variables) -> Factor:
    """The distribution for one joint action, checked to be one in every row."""
    assert made.own is not None
    found = cells(made, digits)
    size, parents = found.sizes[-1], found.columns[:-1]
    rows, kept = found.keys // size, found.values > 0
    count = math.prod(found.sizes[:-1])
    met = np.unique(rows)
    if len(met) < count:
        gaps = np.flatnonzero(met != np.arange(len(met)))
        missing = _named(names, parents, found.sizes, int(gaps[0]) if len(gaps) else len(met))
        where = f"no probability of {made.name}{missing}"
        raise made.element.wrong(where, "a distribution for all values of the parents")
    total = np.bincount(rows, weights=found.values, minlength=count)
    off = np.abs(total - 1)
    worst = int(off.argmax())
    if off[worst] > WRONG:
        raise _off(made, found, names, worst, float(total[worst]), int(np.searchsorted(rows, worst)))
    if off[worst] > DOUBTFUL:
        where = _named(names, parents, found.sizes, worst)
        text = f"probabilities of {made.name}{where} add up to {total[worst]:.9g}; made to add up to 1"
        warnings.warn(f"{made.element.path}:{made.element.line}: {text}", stacklevel=2)
    scale = np.where(off > EXACT, total, 1.0)[rows]
    prob = found.values / scale
    first = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(rows[kept], minlength=count), out=first[1:])
    return Factor(made.own, parents, found.sizes[:-1], first, found.keys[kept] % size, prob[kept])


def _off(made: Function, found: Cells, names: Variables, row: int, total: float, cell: int) -> FileError:
    where = _named(names, found.columns[:-1], found.sizes, row)
    text = f"probabilities of {made.name}{where} that add up to {total:.9g}"
    return place(made.element.path, made.entries[int(found.entry[cell])].line, text, "1")


def _named(names: Variables, parents: tuple[Slot, ...], sizes: tuple[int, ...], row: int) -> str:
    """A row of a table in the file's own words."""
    words = []
    for column, step in zip(parents, strides(list(sizes[:-1]))):
        variable = names.of(column)
        words.append(f"{names.name(column)}={variable.values[row // step % variable.size]}")
    return " given " + ", ".join(words) if words else ""
