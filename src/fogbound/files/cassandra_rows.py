"""The entries `T:` or `O:` of a file as they come: single cells, and whole rows.

A later entry overrides an earlier one, cell by cell, so the order is kept; rows go to a pool in which only
what is not zero is stored. Nothing of the size of the dense table is ever made.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError, brief
from fogbound.files.cassandra_names import ANY, Numbering
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

    def __init__(self, keyword: str, actions: Numbering, states: Numbering, columns: int, limit: int) -> None:
        self.keyword, self.kind = keyword, {"T": "transitions", "O": "observations"}[keyword]
        self.actions, self.states, self.columns = actions, states, columns
        self.entries = 0
        self.cells: tuple[array[Any], ...] = tuple(array(kind) for kind in "iiidi")  # those without wildcards
        self.wild: dict[Wild, tuple[float, int]] = {}
        self.whole: list[tuple[int, int, int, int, int]] = []  # entry, action, state, pool row, 1 = and on by state
        self.pool = Pool(columns, limit)
        self._shared: dict[float | str, int] = {}  # pool rows that many entries use

    def named(self, row: int) -> str:
        """A row, in the words of the file."""
        action, state = divmod(row, self.states.size)
        return f"action {brief(self.actions.labels[action])}, state {brief(self.states.labels[state])}"

    def take(self, fields: tuple[int, ...], tail: float | Floats | str) -> None:
        """One entry: a cell; a row, or one for each state, in numbers or in a word."""
        if isinstance(tail, float):
            self.take_lot([[field] for field in fields], [tail])
            return
        action, state = fields[0], fields[1] if len(fields) > 1 else ANY
        if isinstance(tail, str):
            pool, by_state = self._word(tail), tail == "identity"
        else:
            pool, by_state = self.pool.add(tail.reshape(-1, self.columns)), len(fields) == 1
        self.whole.append((self.entries, action, state, pool, int(by_state)))
        self.entries += 1

    def take_lot(self, fields: list[list[int]], values: list[float]) -> None:
        """Entries for single cells, for all that their wildcards stand for."""
        first = self.entries
        self.entries += len(values)
        action, state, column = np.array(fields, np.int32)
        plain = (action != ANY) & (state != ANY) & (column != ANY)
        entry = np.arange(first, first + len(values), dtype=np.int32)
        for kept, part in zip(self.cells, (action, state, column, np.array(values), entry)):
            kept.frombytes(part[plain].tobytes())
        for k in np.flatnonzero(~plain).tolist():
            if column[k] == ANY:
                self.whole.append((first + k, int(action[k]), int(state[k]), self._constant(values[k]), 0))
            else:
                self.wild[int(action[k]), int(state[k]), int(column[k])] = (values[k], first + k)

    def _word(self, word: str) -> int:
        """The pool row, or the first of those, that a word means."""
        if word == "reset":
            return RESET
        return self._constant(1.0 / self.columns) if word == "uniform" else self._identity()

    def _constant(self, value: float) -> int:
        if value not in self._shared:
            self._shared[value] = self.pool.add(np.full((1, self.columns), value))
        return self._shared[value]

    def _identity(self) -> int:
        if "identity" not in self._shared:
            size, self._shared["identity"] = self.states.size, len(self.pool.count)
            self.pool.extend(np.ones(size, np.int64), np.arange(size), np.ones(size))
        return self._shared["identity"]
