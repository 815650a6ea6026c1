"""The entries `R:` of a file: patterns in their order, looked up only for what can happen.

A reward may depend on action, state, next state and observation; a form needs what is expected of (state,
action). Patterns that fix the same fields form a group; for every outcome each group is asked for its
match, and of the matches the one that stands last in the file counts.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from fogbound.files.cassandra_names import ANY
from fogbound.forms.table import Floats

Indices = NDArray[np.int64]
Columns = tuple[Indices, Indices, Indices, Indices]  # action, state, next state, observation


class Rewards:
    """Patterns (action, state, next state, observation), ANY where one does not matter, and what they pay."""

    def __init__(self, states: int, observations: int) -> None:
        self.states, self.observations = states, observations
        self._fields = (array("i"), array("i"), array("i"), array("i"))
        self._pays = array("d")

    def one(self, fields: tuple[int, ...], pay: float) -> None:
        """The same reward for all that `fields`, of which the last may be missing, leave open."""
        for kept, field in zip(self._fields, (*fields, ANY, ANY)):
            kept.append(field)
        self._pays.append(pay)

    def many(self, fields: tuple[int, ...], pays: Floats) -> None:
        """A row over observations, or a matrix over next states and observations."""
        size = len(pays)
        observation = np.arange(size) % self.observations
        after = np.arange(size) // self.observations if len(fields) == 2 else np.full(size, fields[2])
        for kept, column in zip(self._fields, (np.full(size, fields[0]), np.full(size, fields[1]), after, observation)):
            kept.frombytes(column.astype(np.int32).tobytes())
        self._pays.frombytes(pays.tobytes())

    def of(self, outcomes: Columns) -> Floats:
        """[outcomes] what each pays; nothing where no pattern matches."""
        fields = [np.array(kept, np.int64) for kept in self._fields]
        pays, best = np.array(self._pays), np.full(len(outcomes[0]), -1)
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
    mean = np.bincount(row, weights=prob * pays, minlength=rows)
    mean[row[first][constant]] = pays[first][constant]
    return mean
