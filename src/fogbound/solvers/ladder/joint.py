"""Two automata playing a table against each other: what may happen, and what each pair of kinds is worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.table import START, Floats, Table
from fogbound.forms.view import OVER
from fogbound.kernels.meeting import MIXED, WAITS, follow
from fogbound.solvers.reachable.nodes import Automaton

Longs = NDArray[np.int64]
Point = tuple[int, int, int]  # state, node of seat 0, node of seat 1
Act = tuple[int, int, float]  # place in the menu, label, probability
Line = tuple[int, int, int]  # node, own action and what is told; or node, menu and action


@dataclass(frozen=True, eq=False)
class Match:
    """The Markov chain of two kinds, with what each of its points is still worth to both seats."""

    point: Longs  # [P, 3]
    value: Floats  # [P, 2]
    steps: Floats  # [P] expected to remain


@dataclass(frozen=True, eq=False)
class Joint:
    """A table of two with the automaton of each seat; it remembers the arrows and the choices it was asked about."""

    table: Table
    automata: list[Automaton]
    arrows: tuple[dict[Line, int], dict[Line, int]] = field(default_factory=lambda: ({}, {}))  # that were followed
    choices: tuple[dict[Line, float], dict[Line, float]] = field(default_factory=lambda: ({}, {}))  # that were made

    @cached_property
    def told(self) -> list[Longs]:
        """[seat][O] what a seat is told of an outcome, as the checker numbers it: its sight, and its menu then."""
        spread = len(self.table.menu_size) + 2
        seen = self.table.seen[self.table.event].astype(np.int64)
        return [seen[:, s] * spread + own.view.menu[self.table.next] + 2 for s, own in enumerate(self.automata)]

    def acts(self, seat: int, node: int, state: int) -> list[Act]:
        """What a node may do in a state; one act of waiting where it is not asked."""
        table, nodes = self.table, self.automata[seat].nodes
        menu = int(self.automata[seat].view.menu[state])
        if menu < 0:
            return [(0, WAITS, 1.0)]
        labels = table.menu_actions[menu, : table.menu_size[menu]].tolist()
        own = int(nodes.label[node])
        if own < 0 and own != MIXED:
            return [(place, label, 1.0 / len(labels)) for place, label in enumerate(labels)]
        parts = range(nodes.choice[node], nodes.choice[node + 1])
        chances = {int(nodes.choice_action[k]): float(nodes.choice_prob[k]) for k in parts} if own < 0 else {own: 1.0}
        found = [(place, label, chances[label]) for place, label in enumerate(labels) if chances.get(label, 0.0) > 0]
        self.choices[seat].update({(node, menu, label): p for _, label, p in found})
        return found

    def after(self, seat: int, node: int, label: int, outcome: int) -> int:
        """The node after an own act and an outcome; 0 once play is over."""
        own = self.automata[seat]
        if own.view.menu[self.table.next[outcome]] == OVER:
            return 0
        key = (label + 1) * len(own.view.observations) + int(own.view.obs[outcome])
        found = int(follow(own.nodes, node, key))
        self.arrows[seat][node, label, int(self.told[seat][outcome])] = found
        return found

    def step(self, point: Point) -> Iterator[tuple[float, int, Point]]:
        """(probability, outcome, point that follows) of all that may happen."""
        table, (state, *nodes) = self.table, point
        second = self.automata[1].view.menu[state]
        wide = int(table.menu_size[second]) if second >= 0 else 1
        for one, mine, p in self.acts(0, nodes[0], state):
            for two, yours, q in self.acts(1, nodes[1], state):
                row = int(table.row[state]) + one * wide + two
                for o in range(table.out[row], table.out[row + 1]):
                    after = (self.after(0, nodes[0], mine, o), self.after(1, nodes[1], yours, o))
                    yield p * q * float(table.prob[o]), o, (int(table.next[o]), *after)

    def match(self, first: int, second: int) -> Match:
        """Play between a kind of seat 0 and a kind of seat 1, evaluated by one linear system."""
        from scipy.sparse import csr_matrix, eye
        from scipy.sparse.linalg import splu

        table, found = self.table, dict[Point, int]()
        over, begins = table.crew == 0, [own.kinds[k] for own, k in zip(self.automata, (first, second))]
        for o in range(table.out[START], table.out[START + 1]):
            if not over[table.next[o]]:
                nodes = [int(begin[own.view.obs[o]]) for begin, own in zip(begins, self.automata)]
                found.setdefault((int(table.next[o]), nodes[0], nodes[1]), len(found))
        queue, entries = list(found), list[tuple[int, int, float]]()
        pay = []
        for source, point in enumerate(queue):  # grows while it is walked
            paid = np.zeros(2)
            for p, o, after in self.step(point):
                paid += p * table.pay[table.event[o]]
                if not over[after[0]]:
                    if after not in found:
                        found[after] = len(found)
                        queue.append(after)
                    entries.append((source, found[after], p))
            pay.append(paid)
        size = len(queue)
        rows, columns, chances = zip(*entries) if entries else ((), (), ())
        inner = csr_matrix((chances, (rows, columns)), shape=(size, size))
        try:
            solver = splu((eye(size, format="csr") - table.discount * inner).tocsc())
            value, steps = solver.solve(np.array(pay)), solver.solve(np.ones(size))
        except RuntimeError as error:
            raise FormError(f"{table.spec}: these two never end their game ({error})") from error
        return Match(np.array(queue, np.int64), value, steps)
