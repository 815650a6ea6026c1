"""The entries `R:` of a file: patterns in their order, looked up only for what can happen.

A reward may depend on action, state, next state and observation; a form needs what is expected of (state,
action). Patterns that fix the same fields form a group; for every outcome each group is asked for its
match, and of the matches the one that stands last in the file counts.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from fogbound.files.cassandra.batch import Batch
from fogbound.files.cassandra.names import ANY
from fogbound.files.ranges import Indices
from fogbound.forms.table import Floats

Columns = tuple[Indices, Indices, Indices, Indices]  # action, state, next state, observation


class Rewards:
    """Patterns (action, state, next state, observation), ANY where one does not matter, and what they pay."""

    def __init__(self, states: int, observations: int) -> None:
        self.states, self.observations = states, observations
        self._fields = (array("i"), array("i"), array("i"), array("i"))
        self._pays, self._entries = array("d"), array("i")

    def take(self, batch: Batch) -> None:
        """One reward each for all that the fields leave open, a row over observations, or one for each next state."""
        fields, pays = batch.fields, np.asarray(batch.tails, np.float64)  # the grammar has no words here
        open_ = np.full((4 - len(fields), len(batch.numbers)), ANY, np.int32)
        if pays.ndim == 1:
            self._extend(np.vstack([fields, open_]), pays, batch.numbers)
            return
        size = pays.shape[1]
        every = np.repeat(np.vstack([fields, open_]), size, axis=1)
        after, observation = np.divmod(np.arange(size), self.observations)
        every[3] = np.tile(observation, len(pays))
        if len(fields) == 2:
            every[2] = np.tile(after, len(pays))
        self._extend(every, pays.ravel(), np.repeat(batch.numbers, size))

    def _extend(self, fields: NDArray[np.int32], pays: Floats, entries: Indices) -> None:
        for kept, column in zip(self._fields, fields):
            kept.frombytes(column.tobytes())
        self._pays.frombytes(pays.tobytes())
        self._entries.frombytes(entries.astype(np.int32).tobytes())

    def of(self, outcomes: Columns) -> Floats:
        """[outcomes] what each pays; nothing where no pattern matches."""
        order = np.argsort(np.array(self._entries), kind="stable")
        fields = [np.array(kept, np.int64)[order] for kept in self._fields]
        pays, best = np.array(self._pays)[order], np.full(len(outcomes[0]), -1)
        fixed = sum((field != ANY) << k for k, field in enumerate(fields)) if len(pays) else np.zeros(0, np.int64)
        for mask in np.unique(fixed).tolist():
            group = np.flatnonzero(fixed == mask)
            members = [np.where(mask >> k & 1, field[group], 0) for k, field in enumerate(fields)]
            asked = [np.where(mask >> k & 1, column, 0) for k, column in enumerate(outcomes)]
            found = self._matches(members, asked)
            best = np.maximum(best, np.where(found >= 0, group[found], -1))
        return np.where(best >= 0, pays[best], 0.0) if len(pays) else np.zeros(len(best))

    def _matches(self, members: list[Indices], asked: list[Indices]) -> Indices:
        """[outcomes] the last member with exactly the fields asked for; -1 = none."""
        tails, rank = np.unique(members[2] * self.observations + members[3], return_inverse=True)
        keys = (members[0] * self.states + members[1]) * len(tails) + rank
        unique, last = np.unique(keys[::-1], return_index=True)
        tail = asked[2] * self.observations + asked[3]
        at = np.minimum(np.searchsorted(tails, tail), len(tails) - 1)
        key = (asked[0] * self.states + asked[1]) * len(tails) + at
        place = np.minimum(np.searchsorted(unique, key), len(unique) - 1)
        hit = (tails[at] == tail) & (unique[place] == key)
        return np.where(hit, len(keys) - 1 - last[place], -1)


def expected(row: Indices, rows: int, prob: Floats, pays: Floats) -> Floats:
    """[rows] the expected reward of outcomes sorted by row; exactly what they pay where all pay the same."""
    first = np.flatnonzero(np.diff(row, prepend=-1))
    constant = np.minimum.reduceat(pays, first) == np.maximum.reduceat(pays, first)
    mean = np.bincount(row, weights=prob * pays, minlength=rows).astype(np.float64)
    mean[row[first][constant]] = pays[first][constant]
    return mean
