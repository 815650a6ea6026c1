"""The entries `T:` or `O:` of a file as they come: single cells, and whole rows.

A later entry overrides an earlier one, cell by cell, so the order is kept; rows go to a pool in which only
what is not zero is stored. Nothing of the size of the dense table is ever made.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.files.cassandra_names import ANY
from fogbound.forms.table import Floats

RESET = -2  # the pool row of entries that lead back to the start, which may be given after them
Wild = tuple[int, int, int]  # action, state, column


class Pool:
    """Rows of numbers, of which only those that are not zero are stored."""

    def __init__(self, columns: int, limit: int) -> None:
        self.columns, self.limit = columns, limit
        self.count, self.column, self.value = array("q"), array("i"), array("d")

    def add(self, values: Floats) -> int:
        """Store a matrix, row by row; the number of its first row."""
        first = len(self.count)
        row, column = np.nonzero(values)
        self.extend(np.bincount(row, minlength=len(values)), column, values[row, column])
        return first

    def extend(self, count: NDArray[np.int64], column: NDArray[np.int64], value: Floats) -> None:
        """Store rows of `count` cells each."""
        if len(self.column) + len(column) > self.limit:
            raise LimitError(f"rows with more than {self.limit:,} numbers that are not zero; raise limit=")
        self.count.frombytes(count.astype(np.int64).tobytes())
        self.column.frombytes(column.astype(np.int32).tobytes())
        self.value.frombytes(value.astype(np.float64).tobytes())


class Rows:
    """Entries for a table of [actions][states][columns]."""

    def __init__(self, actions: int, states: int, columns: int, limit: int) -> None:
        self.actions, self.states, self.columns = actions, states, columns
        self.begins, self.ends = array("q"), array("q")  # where each entry stands in the text
        self.cells = (array("i"), array("i"), array("i"), array("d"), array("i"))  # those without wildcards
        self.wild: dict[Wild, tuple[float, int]] = {}
        self.whole: list[tuple[int, int, int, int, int]] = []  # entry, action, state, pool row, 1 = and on by state
        self.pool = Pool(columns, limit)
        self._shared: dict[float | str, int] = {}  # pool rows that many entries use

    def place(self, begin: int, end: int) -> None:
        """Say where the entry stands that comes next."""
        self.begins.append(begin)
        self.ends.append(end)

    @property
    def _entry(self) -> int:
        return len(self.begins) - 1

    def cell(self, action: int, state: int, column: int, value: float) -> None:
        """One probability, for all that the wildcards stand for."""
        if column == ANY:
            self._whole(action, state, self._constant(value))
        elif action == ANY or state == ANY:
            self.wild[action, state, column] = (value, self._entry)
        else:
            actions, states, columns, values, entries = self.cells
            actions.append(action)
            states.append(state)
            columns.append(column)
            values.append(value)
            entries.append(self._entry)

    def rows(self, action: int, state: int, values: Floats | str) -> None:
        """One row, or with state ANY one for each state, in numbers or in a word."""
        if isinstance(values, str):
            self._word(action, state, values)
        elif state == ANY and len(values) != self.columns:
            self._whole(action, ANY, self.pool.add(values.reshape(self.states, self.columns)), 1)
        else:
            self._whole(action, state, self.pool.add(values.reshape(1, self.columns)))

    def _word(self, action: int, state: int, word: str) -> None:
        if word == "uniform":
            self._whole(action, state, self._constant(1.0 / self.columns))
        elif word == "reset":
            self._whole(action, state, RESET)
        else:
            self._whole(action, ANY, self._identity(), 1)

    def _whole(self, action: int, state: int, pool: int, onward: int = 0) -> None:
        self.whole.append((self._entry, action, state, pool, onward))

    def _constant(self, value: float) -> int:
        if value not in self._shared:
            self._shared[value] = self.pool.add(np.full((1, self.columns), value))
        return self._shared[value]

    def _identity(self) -> int:
        if "identity" not in self._shared:
            self._shared["identity"] = len(self.pool.count)
            self.pool.extend(np.ones(self.states, np.int64), np.arange(self.states), np.ones(self.states))
        return self._shared["identity"]
