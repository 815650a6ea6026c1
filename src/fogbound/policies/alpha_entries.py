"""Alpha vectors by the states on which they are defined.

Point-based solvers make a vector for one set of states that the player cannot tell apart; elsewhere it has no value.
RockSample(7, 8) has 12,545 states in sets of 256, so the entries take a fiftieth of the matrix. Vectors over the same
states form a group, and a belief is evaluated on the groups that contain all of its states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from fogbound.forms.arrays import Floats, Ints, Longs, offsets, ranges, starts


@dataclass(frozen=True, eq=False)
class VectorGroup:
    """The vectors that are defined on the same states.

    Parameters
    ----------
    states : [n]
        The states, rising.
    members : [k]
        The numbers of the vectors.
    values : [k, n]
        Their values.
    """

    states: Ints
    members: Longs
    values: Floats

    def places(self, states: Ints) -> Longs | None:
        """The columns of these states; None where the vectors are not defined on one of them."""
        place = np.searchsorted(self.states, states)
        there = bool((place < len(self.states)).all()) and bool((self.states[place] == states).all())
        return place if there else None


@dataclass(frozen=True, eq=False)
class AlphaEntries:
    """K vectors over `size` states, as runs of entries.

    Parameters
    ----------
    size
        How many states there are.
    first : [K+1]
        Where the entries of each vector begin.
    states : [entries]
        The state of each entry, rising within a vector.
    values : [entries]
        Its value.
    """

    size: int
    first: Longs = field(repr=False)
    states: Ints = field(repr=False)
    values: Floats = field(repr=False)

    @classmethod
    def of(cls, dense: Floats) -> AlphaEntries:
        """The entries of a matrix [K, S] that are not -inf."""
        rows, states = np.nonzero(dense != -np.inf)
        return cls(dense.shape[1], starts(rows, len(dense)), states.astype(np.int32), dense[rows, states])

    @classmethod
    def of_entries(cls, size: int, vector: Ints, states: Ints, values: Floats, many: int) -> AlphaEntries:
        """Entries (vector, state, value) in any order, each pair once; `many` vectors."""
        order = np.lexsort((states, vector))
        return cls(size, starts(vector[order], many), states[order].astype(np.int32), values[order])

    def __len__(self) -> int:
        return len(self.first) - 1

    def dense(self) -> Floats:
        """[K, S] with -inf where a vector is not defined."""
        vectors = np.full((len(self), self.size), -np.inf)
        vectors[np.repeat(np.arange(len(self)), np.diff(self.first)), self.states] = self.values
        return vectors

    def taken(self, vectors: Ints) -> AlphaEntries:
        """These vectors alone, in this order."""
        count = np.diff(self.first)[vectors]
        entry = ranges(self.first[vectors], count)
        return AlphaEntries(self.size, offsets(count), self.states[entry], self.values[entry])

    def joined(self, others: AlphaEntries) -> AlphaEntries:
        """These vectors, then others over the same states."""
        first = np.concatenate([self.first, self.first[-1] + others.first[1:]])
        states, values = np.concatenate([self.states, others.states]), np.concatenate([self.values, others.values])
        return AlphaEntries(self.size, first, states, values)

    @property
    def defined_everywhere(self) -> bool:
        """Whether every vector has a value in every state."""
        return len(self.states) == len(self) * self.size

    @cached_property
    def groups(self) -> tuple[VectorGroup, ...]:
        """The vectors by the states on which they are defined, in the order of their first members."""
        members: dict[bytes, list[int]] = {}
        for k, (begin, end) in enumerate(pairwise(self.first.tolist())):
            members.setdefault(self.states[begin:end].tobytes(), []).append(k)
        return tuple(self._group(np.array(own, np.int64)) for own in members.values())

    def _group(self, own: Longs) -> VectorGroup:
        begin, end = int(self.first[own[0]]), int(self.first[own[0] + 1])
        if own[-1] - own[0] + 1 == len(own):
            values = self.values[begin : int(self.first[own[-1] + 1])]
        else:
            values = self.values[ranges(self.first[own], np.full(len(own), end - begin))]
        return VectorGroup(self.states[begin:end], own, values.reshape(len(own), end - begin))

    @cached_property
    def _by_state(self) -> tuple[Longs, Longs]:
        """The groups that are defined on each state, as runs."""
        group = np.repeat(np.arange(len(self.groups)), [len(one.states) for one in self.groups])
        state = np.concatenate([np.zeros(0, np.int32), *(one.states for one in self.groups)])
        order = np.argsort(state, kind="stable")
        return starts(state[order], self.size), group[order]

    def at(self, states: Ints, weights: Floats) -> Floats:
        """[K] the value of each vector at a belief; -inf where it is not defined on all of its states."""
        found = np.full(len(self), -np.inf)
        for members, values in self._on(states):
            found[members] = values @ weights
        return found

    def dominates(self, states: Ints, values: Floats, rounding: float = 0.0) -> bool:
        """Whether one of the vectors is as good in all of these states, up to rounding."""
        return any(bool((own >= values - rounding).all(axis=1).any()) for _, own in self._on(states))

    def _on(self, states: Ints) -> Iterator[tuple[Longs, Floats]]:
        """The vectors that are defined on all of these states, by group, with their values there."""
        first, group = self._by_state
        for k in group[first[states[0]] : first[states[0] + 1]].tolist():
            one = self.groups[k]
            place = one.places(states)
            if place is not None:
                yield one.members, one.values.take(place, axis=1)

    def layers(self) -> list[list[VectorGroup]]:
        """The groups, in layers of which no two groups share a state."""
        layers: list[list[VectorGroup]] = []
        taken = np.zeros((0, self.size), bool)
        for group in self.groups:
            free = np.flatnonzero(~taken[:, group.states].any(axis=1))
            if len(free):
                k = int(free[0])
            else:
                k, taken = len(layers), np.concatenate([taken, np.zeros((1, self.size), bool)])
                layers.append([])
            taken[k, group.states] = True
            layers[k].append(group)
        return layers

    def merged(self, actions: Ints) -> tuple[AlphaEntries, Longs]:
        """Fewer vectors that have the same value at every belief on which one of these is defined; their actions.

        Vectors that start with the same action and share no state become one: a belief never holds states of two
        groups possible, so it meets one part of it only.
        """
        parts: list[Sequence[Longs]] = []
        starting: list[int] = []
        for layer in self.layers():
            for action in np.unique(actions).tolist():
                own = [group.members[actions[group.members] == action] for group in layer]
                for k in range(max(map(len, own))):
                    parts.append([members[k : k + 1] for members in own if k < len(members)])
                    starting.append(action)
        joined = [np.concatenate(one) for one in parts]
        chosen = self.taken(np.concatenate([np.zeros(0, np.int64), *joined]))
        row = np.repeat(np.repeat(np.arange(len(joined)), [len(one) for one in joined]), np.diff(chosen.first))
        vectors = AlphaEntries.of_entries(self.size, row, chosen.states, chosen.values, len(joined))
        return vectors, np.array(starting, np.int64)
