"""A level as a player whose memory can be read: what it believes about the state and about the level it faces.

A level's controller is minimal: one node may stand for several beliefs that call for the same play. A belief controller
plays the same moves with one memory a belief, so that what it believes is not lost.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.forms.kernels.induced import MIXED
from fogbound.forms.player_view import NOT_ASKED, OVER
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy
from fogbound.solvers.level_k.induced import TwoPlayerModel

NOWHERE = -1  # after something that it held impossible; it plays uniformly from there
Memory = tuple[int, int]  # its belief if it is asked to move, its belief if it is not: an observation need not tell
NestedBelief = tuple[tuple[int, tuple[int, ...], float], ...]  # (state of the table, levels of the other, probability)


class BeliefController:
    """One level above 0 of one player of two."""

    def __init__(self, hierarchy: SolvedHierarchy, level: int, player: int) -> None:
        self.hierarchy, self.level, self.player = hierarchy, level, player
        self.fsc, self.view = hierarchy.solution(level, player).fsc, hierarchy.automata[player].view
        self.numbers = {action: number for number, action in enumerate(hierarchy.table.actions)}
        self.observations: dict[Observation, list[int]] = {}
        for number, (seen, legal) in enumerate(self.view.observations):
            if legal != OVER:
                self.observations.setdefault(seen, []).append(number)
        owners = ((node, k) for node in range(len(self.fsc.label)) for k in self._arrows(node))
        keys, targets = self.fsc.arrow_key, self.fsc.arrow_to
        self.after = {(node, int(keys[k])): int(targets[k]) for node, k in owners}

    def _arrows(self, node: int) -> range:
        return range(self.fsc.arrow[node], self.fsc.arrow[node + 1])

    def begin(self, observation: Observation) -> Memory:
        return self._memory({z: int(self.fsc.begin[z]) for z in self.observations.get(observation, ())})

    def update(self, memory: Memory, action: Hashable | None, observation: Observation) -> Memory:
        node, number = (memory[1], -1) if action is None else (memory[0], self.numbers[action])
        first = (number + 1) * len(self.view.observations)
        return self._memory(
            {z: self.after.get((node, first + z), NOWHERE) for z in self.observations.get(observation, ())}
        )

    def _memory(self, nodes: dict[int, int]) -> Memory:
        """Of all observations that show one observation, at most one that asks and one that does not are believed
        in.
        """
        asked, idle = NOWHERE, NOWHERE
        for z, node in nodes.items():
            if node != NOWHERE and self.view.observations[z][1] == NOT_ASKED:
                idle = node
            elif node != NOWHERE:
                asked = node
        return asked, idle

    def act(self, memory: Memory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        node = memory[0]
        label = int(self.fsc.label[node]) if node != NOWHERE else MIXED - 1
        if label >= 0:
            return Dist.sure(self.hierarchy.table.actions[label])
        if label != MIXED:
            return Dist.uniform(actions)
        pointer, action, share = self.fsc.choice, self.fsc.choice_action, self.fsc.choice_prob
        parts = range(pointer[node], pointer[node + 1])
        return Dist(tuple((self.hierarchy.table.actions[action[k]], float(share[k])) for k in parts))

    def nested_belief(self, memory: Memory, asked: bool) -> NestedBelief | None:
        """What it believes; None where it is lost, or was not found by search over beliefs."""
        node, side = memory[0 if asked else 1], self.hierarchy.sides[self.player]
        reply = self.hierarchy.reply(self.hierarchy.solution(self.level, self.player))
        if node == NOWHERE or reply.by != "beliefs" or not isinstance(side, TwoPlayerModel):
            return None
        graph, pairs, levels = reply.asked.belief_graph.graph, side.pairs, self._levels()
        belief, weights = int(reply.solved.plan.listed[node + 1]), dict[tuple[int, tuple[int, ...]], float]()
        for entry in range(graph.first[belief], graph.first[belief + 1]):
            point = int(graph.state[entry])
            key = int(pairs.state[point]), levels.get(int(pairs.node[point]), ())
            weights[key] = weights.get(key, 0.0) + float(graph.weight[entry])
        return tuple((state, believed, p) for (state, believed), p in sorted(weights.items()))

    def _levels(self) -> dict[int, tuple[int, ...]]:
        """The lower levels of the other player that each node of its automaton may be."""
        other, levels = self.hierarchy.automata[1 - self.player], dict[int, tuple[int, ...]]()
        for level, kind in enumerate(self.hierarchy.kinds[1 - self.player][: self.level]):
            for node in other.reach(kind).tolist() or [0]:
                levels[node] = (*levels.get(node, ()), level)
        return levels
