"""The nodes of all of a seat's controllers in one automaton, each future once.

Controllers of neighbouring levels are often equal, or agree from some point on. Held together, what is equal has
one number: equal levels are seen to be equal, and what was found out against a node serves every level that has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats, Ints
from fogbound.forms.view import View
from fogbound.kernels.meeting import UNIFORM, WAITS, Nodes

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Machine:
    """A controller in the numbers of its seat's view; arrows lead to its own nodes."""

    label: Longs  # [n] an action, or WAITS, UNIFORM, MIXED
    arrow: Longs  # [n+1]
    arrow_key: Longs  # (action + 1) * observations + observation, rising within a node
    arrow_to: Longs
    begin: Longs  # [observations] the first node, -1 where play cannot begin so
    choice: Longs | None = None  # [n+1] of mixed nodes
    choice_action: Longs | None = None
    choice_prob: Floats | None = None

    @classmethod
    def uniform(cls, view: View) -> Machine:
        """Playing at random for ever: one node, to which everything leads back."""
        nothing = np.zeros(0, np.int64)
        begin = np.zeros(len(view.observations), np.int64)
        return cls(np.array([UNIFORM]), np.zeros(2, np.int64), nothing, nothing, begin)

    @property
    def choices(self) -> tuple[Longs, Longs, Floats]:
        if self.choice is None or self.choice_action is None or self.choice_prob is None:
            return np.zeros(len(self.label) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0)
        return self.choice, self.choice_action, self.choice_prob


class Automaton:
    """All nodes of one seat. Node 0 plays at random for ever; it is also where a missing arrow leads."""

    def __init__(self, view: View) -> None:
        self.view = view
        nothing, pointer = np.zeros(0, np.int64), np.zeros(2, np.int64)
        self.nodes = Nodes(np.array([UNIFORM]), pointer, nothing, np.zeros(0), pointer.copy(), nothing, nothing)
        self.kinds: list[Longs] = []  # each kind of controller: its first node by observation, 0 = random play
        self._numbers: dict[bytes, int] = {}
        self._reached: dict[int, Longs] = {}

    @property
    def size(self) -> int:
        return len(self.nodes.label)

    def add(self, machine: Machine) -> int:
        """The kind of a controller: that of an equal one where there is one."""
        return self.named(machine)[0]

    def named(self, machine: Machine) -> tuple[int, Longs]:
        """The kind of a controller, and which of our nodes each of its own is."""
        names = self._named(machine)
        begin = np.where(machine.begin >= 0, names[machine.begin], 0) if len(names) else np.zeros_like(machine.begin)
        number = self._numbers.setdefault(begin.tobytes(), len(self.kinds))
        if number == len(self.kinds):
            self.kinds.append(begin)
        return number, names

    def _named(self, machine: Machine) -> Longs:
        """[n] our number for each of its nodes; new futures are added."""
        from fogbound.kernels.alike import first_marks, futures

        both = _joined(self.nodes, machine)
        marks = futures(
            first_marks(both.label, both.choice, both.choice_action, both.choice_prob),
            *(both.arrow, both.arrow_key, both.arrow_to),
        )
        old = self.size
        _, first, named = np.unique(marks, return_index=True, return_inverse=True)
        fresh = np.sort(first[first >= old])  # np.unique names a future by its first node, so by an old one if any
        number = np.empty(len(marks), np.int64)
        number[:old], number[fresh] = np.arange(old), old + np.arange(len(fresh))
        all_named = number[first[named]]
        if len(fresh):
            self.nodes = _picked(both, np.concatenate([np.arange(old), fresh]), all_named)
        return all_named[old:]

    def reach(self, kind: int) -> Longs:
        """The nodes of a kind, nearest to the start first; playing at random for ever counts as none."""
        if kind not in self._reached:
            self._reached[kind] = self._walk(kind)
        return self._reached[kind]

    def _walk(self, kind: int) -> Longs:
        nodes = self.nodes
        found = dict.fromkeys(self.kinds[kind].tolist())
        found.pop(0, None)
        queue = list(found)
        for node in queue:  # grows while it is walked
            for after in nodes.arrow_to[nodes.arrow[node] : nodes.arrow[node + 1]].tolist():
                if after and after not in found:
                    found[after] = None
                    queue.append(after)
        return np.array(queue, np.int64)

    def asked(self, nodes: Longs) -> int:
        """How many of some nodes have a move to make."""
        return int((self.nodes.label[nodes] != WAITS).sum())


def _joined(nodes: Nodes, machine: Machine) -> Nodes:
    """The automaton with a machine's nodes behind its own."""
    old, arrows = len(nodes.label), len(nodes.arrow_key)
    choice, action, prob = machine.choices
    return Nodes(
        np.concatenate([nodes.label, machine.label]),
        np.concatenate([nodes.choice, len(nodes.choice_action) + choice[1:]]),
        np.concatenate([nodes.choice_action, action]),
        np.concatenate([nodes.choice_prob, prob]),
        np.concatenate([nodes.arrow, arrows + machine.arrow[1:]]),
        np.concatenate([nodes.arrow_key, machine.arrow_key]),
        np.concatenate([nodes.arrow_to, old + machine.arrow_to]),
    )


def _picked(nodes: Nodes, kept: Longs, named: Longs) -> Nodes:
    """Only the nodes `kept`, with their arrows renamed."""
    choice, choices = _slices(nodes.choice, kept)
    arrow, arrows = _slices(nodes.arrow, kept)
    return Nodes(
        nodes.label[kept],
        choice,
        nodes.choice_action[choices],
        nodes.choice_prob[choices],
        arrow,
        nodes.arrow_key[arrows],
        named[nodes.arrow_to[arrows]],
    )


def _slices(pointer: Ints, kept: Longs) -> tuple[Longs, Any]:
    """The slices of some nodes: new pointers, and which entries they hold."""
    many = pointer[kept + 1] - pointer[kept]
    start = np.concatenate([[0], np.cumsum(many)])
    entries = np.arange(start[-1]) - np.repeat(start[:-1] - pointer[kept], many)
    return start, entries
