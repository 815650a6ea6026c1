"""A level as a player whose memory can be read: what it believes about the state and about the level it faces.

A level's controller is minimal: one node may stand for several beliefs that call for the same play. A mind plays the
same moves with one memory a belief, so that what it believes is not lost.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.core.dist import Dist
from fogbound.core.game import Seen
from fogbound.forms.view import NOT_ASKED, OVER
from fogbound.kernels.meeting import MIXED
from fogbound.solvers.ladder import Climb
from fogbound.solvers.ladder.duel import Duel

NOWHERE = -1  # after something that it held impossible; it plays uniformly from there
Memory = tuple[int, int]  # its belief if it is asked to move, its belief if it is not: a sight need not tell
Thought = tuple[tuple[int, tuple[int, ...], float], ...]  # (state of the table, levels of the other, probability)


class Mind:
    """One level above 0 of one seat of two."""

    def __init__(self, climb: Climb, level: int, seat: int) -> None:
        self.climb, self.level, self.seat = climb, level, seat
        self.machine, self.view = climb.rung(level, seat).machine, climb.automata[seat].view
        self.numbers = {action: number for number, action in enumerate(climb.table.actions)}
        self.sights: dict[Seen, list[int]] = {}
        for number, (seen, menu) in enumerate(self.view.observations):
            if menu != OVER:
                self.sights.setdefault(seen, []).append(number)
        owners = ((node, k) for node in range(len(self.machine.label)) for k in self._arrows(node))
        keys, targets = self.machine.arrow_key, self.machine.arrow_to
        self.after = {(node, int(keys[k])): int(targets[k]) for node, k in owners}

    def _arrows(self, node: int) -> range:
        return range(self.machine.arrow[node], self.machine.arrow[node + 1])

    def begin(self, seen: Seen) -> Memory:
        return self._memory({z: int(self.machine.begin[z]) for z in self.sights.get(seen, ())})

    def update(self, memory: Memory, action: Hashable | None, seen: Seen) -> Memory:
        node, number = (memory[1], -1) if action is None else (memory[0], self.numbers[action])
        first = (number + 1) * len(self.view.observations)
        return self._memory({z: self.after.get((node, first + z), NOWHERE) for z in self.sights.get(seen, ())})

    def _memory(self, nodes: dict[int, int]) -> Memory:
        """Of all observations that show one sight, at most one that asks and one that does not are believed in."""
        asked, idle = NOWHERE, NOWHERE
        for z, node in nodes.items():
            if node != NOWHERE and self.view.observations[z][1] == NOT_ASKED:
                idle = node
            elif node != NOWHERE:
                asked = node
        return asked, idle

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        node = memory[0]
        label = int(self.machine.label[node]) if node != NOWHERE else MIXED - 1
        if label >= 0:
            return Dist.sure(self.climb.table.actions[label])
        if label != MIXED:
            return Dist.uniform(actions)
        pointer, action, share = self.machine.choices
        parts = range(pointer[node], pointer[node + 1])
        return Dist(tuple((self.climb.table.actions[action[k]], float(share[k])) for k in parts))

    def thought(self, memory: Memory, asked: bool) -> Thought | None:
        """What it believes; None where it is lost, or was not found by search over beliefs."""
        node, side = memory[0 if asked else 1], self.climb.sides[self.seat]
        reply = self.climb.reply(self.climb.rung(self.level, self.seat))
        if node == NOWHERE or reply.by != "beliefs" or not isinstance(side, Duel):
            return None
        graph, pairs, levels = reply.asked.survey.graph, side.meeting.pairs, self._levels()
        belief, found = int(reply.found.plan.listed[node + 1]), dict[tuple[int, tuple[int, ...]], float]()
        for entry in range(graph.first[belief], graph.first[belief + 1]):
            point = int(graph.state[entry])
            key = int(pairs.state[point]), levels.get(int(pairs.node[point]), ())
            found[key] = found.get(key, 0.0) + float(graph.weight[entry])
        return tuple((state, believed, p) for (state, believed), p in sorted(found.items()))

    def _levels(self) -> dict[int, tuple[int, ...]]:
        """The lower levels of the other seat that each node of its automaton may be."""
        other, found = self.climb.automata[1 - self.seat], dict[int, tuple[int, ...]]()
        for level, kind in enumerate(self.climb.kinds[1 - self.seat][: self.level]):
            for node in other.reach(kind).tolist() or [0]:
                found[node] = (*found.get(node, ()), level)
        return found
