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
from fogbound.files.cassandra.batch import Batch
from fogbound.files.cassandra.names import ANY, Numbering
from fogbound.files.ranges import Indices
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
        self.cells: tuple[array[Any], ...] = tuple(array(kind) for kind in "iiidi")  # those without wildcards
        self.wild: dict[Wild, tuple[float, int]] = {}
        self.pool = Pool(columns, limit)
        self._whole: tuple[array[int], ...] = tuple(array("q") for _ in range(5))
        self._shared: dict[float | str, int] = {}  # pool rows that many entries use

    def named(self, row: int) -> str:
        """A row, in the words of the file."""
        action, state = divmod(row, self.states.size)
        return f"action {brief(self.actions.labels[action])}, state {brief(self.states.labels[state])}"

    @property
    def whole(self) -> Indices:
        """[entries, 5] those for whole rows, in order: entry, action, state, pool row, 1 = and on by state."""
        table = np.array([np.array(column) for column in self._whole], np.int64).T
        return table[np.argsort(table[:, 0])]

    def take(self, batch: Batch) -> None:
        """Entries for cells; for a row, or one for each state, in numbers or in a word."""
        tails = batch.tails
        if isinstance(tails, list):
            pool = np.array([self._word(word) for word in tails], np.int64)
            self._take_whole(batch, pool, np.array([word == "identity" for word in tails]))
        elif tails.ndim == 2:
            first, high = self.pool.add(tails.reshape(-1, self.columns)), tails.shape[1] // self.columns
            by_state = np.full(len(tails), len(batch.fields) == 1)
            self._take_whole(batch, first + high * np.arange(len(tails)), by_state)
        else:
            self._take_cells(batch, tails)

    def _take_whole(self, batch: Batch, pool: Indices, by_state: NDArray[np.bool_]) -> None:
        action = batch.fields[0]
        state = batch.fields[1] if len(batch.fields) > 1 else np.full(len(action), ANY)
        for kept, part in zip(self._whole, (batch.numbers, action, state, pool, by_state)):
            kept.frombytes(part.astype(np.int64).tobytes())

    def _take_cells(self, batch: Batch, values: Floats) -> None:
        action, state, column = batch.fields
        plain = (action != ANY) & (state != ANY) & (column != ANY)
        for kept, part in zip(self.cells, (action, state, column, values, batch.numbers.astype(np.int32))):
            kept.frombytes(part[plain].tobytes())
        whole = np.flatnonzero(column == ANY)
        if len(whole):
            pool = np.array([self._constant(value) for value in values[whole].tolist()], np.int64)
            one = Batch(batch.numbers[whole], batch.fields[:, whole], [])
            self._take_whole(one, pool, np.zeros(len(whole), bool))
        wild = np.flatnonzero(~plain & (column != ANY))
        keys = zip(*(part[wild].tolist() for part in (action, state, column)))
        said = zip(values[wild].tolist(), batch.numbers[wild].tolist())
        self.wild.update(zip(keys, said))

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
