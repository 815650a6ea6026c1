"""The nodes of all of a player's controllers in one union, each future once.

Controllers of neighbouring levels are often equal, or agree from some point on. Held together, what is equal has
one number: equal levels are seen to be equal, and what was found out against a node serves every level that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.driver.checkpoint_schema import Entries
from fogbound.forms.arrays import Floats, Ints, Longs, offsets
from fogbound.forms.kernels.induced import MIXED, UNIFORM, WAITS, FSCNodes
from fogbound.forms.player_view import NOT_ASKED, PlayerView
from fogbound.policies.controller import Controller
from fogbound.policies.uniform import Uniform
from fogbound.policies.vocabulary import Vocabulary
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import BeliefPolicy


@dataclass(frozen=True, eq=False)
class FSC:
    """A controller in the numbers of its player's view; arrows lead to its own nodes."""

    label: Annotated[Longs, Entries("nodes", into="actions", low=MIXED)]  # an action, or WAITS, UNIFORM, MIXED
    arrow: Annotated[Longs, Entries("nodes", begins="arrows", extra=1)]
    arrow_key: Annotated[Longs, Entries("arrows", into="keys")]  # (action + 1) * observations + observation, rising
    arrow_to: Annotated[Longs, Entries("arrows", into="nodes")]
    begin: Annotated[Longs, Entries("observations", into="nodes", none=True)]  # -1 where play cannot begin so
    choice: Annotated[Longs, Entries("nodes", begins="choices", extra=1)]  # of mixed nodes
    choice_action: Annotated[Longs, Entries("choices", into="actions")]
    choice_prob: Annotated[Floats, Entries("choices", float, low=0.0, high=1.0)]

    @classmethod
    def uniform(cls, view: PlayerView) -> FSC:
        """Playing at random for ever: one node, to which everything leads back."""
        return cls.from_lists([[]], [[]], np.zeros(len(view.observations), np.int64))

    @classmethod
    def from_lists(
        cls, choices: Sequence[Sequence[tuple[int, float]]], arrows: Sequence[Sequence[tuple[int, int]]], begin: Longs
    ) -> FSC:
        """Of nodes that each list (action, probability), none for playing at random, and arrows (key, node)."""
        labels = [UNIFORM if not own else own[0][0] if len(own) == 1 else MIXED for own in choices]
        mixed = [list(own) if len(own) > 1 else [] for own in choices]
        key, to = np.array([pair for own in arrows for pair in sorted(own)], np.int64).reshape(-1, 2).T.copy()
        return cls(
            label=np.array(labels, np.int64),
            arrow=offsets(np.array([len(own) for own in arrows])),
            arrow_key=key,
            arrow_to=to,
            begin=begin,
            choice=offsets(np.array([len(own) for own in mixed])),
            choice_action=np.array([action for own in mixed for action, _ in own], np.int64),
            choice_prob=np.array([p for own in mixed for _, p in own], np.float64),
        )


class FSCUnion:
    """All nodes of one player. Node 0 plays at random for ever; it is also where a missing arrow leads."""

    def __init__(self, view: PlayerView) -> None:
        self.view = view
        nothing, pointer = np.zeros(0, np.int64), np.zeros(2, np.int64)
        self.nodes = FSCNodes(np.array([UNIFORM]), pointer, nothing, np.zeros(0), pointer.copy(), nothing, nothing)
        self.kinds: list[Longs] = []  # each kind of controller: its first node by observation, 0 = random play
        self._numbers: dict[bytes, int] = {}
        self._reached: dict[int, Longs] = {}

    @property
    def size(self) -> int:
        return len(self.nodes.label)

    def add(self, fsc: FSC) -> int:
        """The kind of a controller: that of an equal one where there is one."""
        return self.named(fsc)[0]

    def named(self, fsc: FSC) -> tuple[int, Longs]:
        """The kind of a controller, and which of our nodes each of its own is."""
        names = self._named(fsc)
        begin = np.where(fsc.begin >= 0, names[fsc.begin], 0) if len(names) else np.zeros_like(fsc.begin)
        number = self._numbers.setdefault(begin.tobytes(), len(self.kinds))
        if number == len(self.kinds):
            self.kinds.append(begin)
        return number, names

    def _named(self, fsc: FSC) -> Longs:
        """[n] our number for each of its nodes; new futures are added."""
        from fogbound.solvers.pomdp.belief_graph.kernels.equivalence import first_marks, futures

        both = _joined(self.nodes, fsc)
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
            self._reached[kind] = self._reachable(kind)
        return self._reached[kind]

    def _reachable(self, kind: int) -> Longs:
        nodes = self.nodes
        reached = dict.fromkeys(self.kinds[kind].tolist())
        reached.pop(0, None)
        queue = list(reached)
        for node in queue:  # grows while it is walked
            for after in nodes.arrow_to[nodes.arrow[node] : nodes.arrow[node + 1]].tolist():
                if after and after not in reached:
                    reached[after] = None
                    queue.append(after)
        return np.array(queue, np.int64)

    def asked(self, nodes: Longs) -> int:
        """How many of some nodes have a move to make."""
        return int((self.nodes.label[nodes] != WAITS).sum())


def _joined(nodes: FSCNodes, fsc: FSC) -> FSCNodes:
    """The union with an FSC's nodes behind its own."""
    old, arrows = len(nodes.label), len(nodes.arrow_key)
    return FSCNodes(
        np.concatenate([nodes.label, fsc.label]),
        np.concatenate([nodes.choice, len(nodes.choice_action) + fsc.choice[1:]]),
        np.concatenate([nodes.choice_action, fsc.choice_action]),
        np.concatenate([nodes.choice_prob, fsc.choice_prob]),
        np.concatenate([nodes.arrow, arrows + fsc.arrow[1:]]),
        np.concatenate([nodes.arrow_key, fsc.arrow_key]),
        np.concatenate([nodes.arrow_to, old + fsc.arrow_to]),
    )


def _picked(nodes: FSCNodes, kept: Longs, named: Longs) -> FSCNodes:
    """Only the nodes `kept`, with their arrows renamed."""
    choice, choices = _slices(nodes.choice, kept)
    arrow, arrows = _slices(nodes.arrow, kept)
    return FSCNodes(
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


def controller_of(
    automaton: FSCUnion,
    kind: int,
    actions: list[Hashable],
    note: Callable[[int], str] | None = None,
    vocabulary: Vocabulary | None = None,
) -> Controller | Uniform:
    """A kind of controller as a policy: `actions` are the labels' words, `note` a word about a node.

    Its vocabulary is that of the view, which is a table's, unless another is given.
    """
    if not automaton.kinds[kind].any():
        return Uniform()
    seen = dict.fromkeys(seen for seen, _ in automaton.view.observations)
    return replace(
        _Assembly(automaton, actions, note).run(kind), vocabulary=vocabulary or Vocabulary(tuple(seen), tuple(actions))
    )


class _Assembly:
    """Two observations can come with one observation: asked to move, or not. Such a pair of nodes becomes one."""

    def __init__(self, automaton: FSCUnion, actions: list[Hashable], note: Callable[[int], str] | None) -> None:
        self.automaton, self.actions, self.note = automaton, actions, note
        self.nodes: dict[tuple[int, int], int] = {}  # (node if asked, node if not); 0 = impossible, or at random

    def run(self, kind: int) -> Controller:
        begin = self.automaton.kinds[kind]
        first = self._paired({z: int(node) for z, node in enumerate(begin) if node})
        arrows: dict[tuple[int, Hashable | None, Observation], int] = {}
        done = 0
        while done < len(self.nodes):
            for pair in list(self.nodes)[done:]:
                for node in pair:
                    for action, after in self._arrows(node).items():
                        word = None if action < 0 else self.actions[action]
                        arrows |= {(done, word, seen): to for seen, to in self._paired(after).items()}
                done += 1
        choices = tuple(self._choice(asked) for asked, _ in self.nodes)
        notes = tuple(self.note(asked or idle) for asked, idle in self.nodes) if self.note else ()
        return Controller(first, arrows, choices, notes, at_random=True)

    def _arrows(self, node: int) -> dict[int, dict[int, int]]:
        """By own action: the node after each observation."""
        nodes, many = self.automaton.nodes, len(self.automaton.view.observations)
        arrows: dict[int, dict[int, int]] = {}
        for a in range(nodes.arrow[node], nodes.arrow[node + 1]):
            key, target = int(nodes.arrow_key[a]), int(nodes.arrow_to[a])
            if target:
                arrows.setdefault(key // many - 1, {})[key % many] = target
        return arrows

    def _paired(self, after: Mapping[int, int]) -> dict[Observation, int]:
        pairs: dict[Observation, list[int]] = {}
        for z, node in sorted(after.items()):
            seen, legal = self.automaton.view.observations[z]
            pairs.setdefault(seen, [0, 0])[1 if legal == NOT_ASKED else 0] = node
        return {seen: self.nodes.setdefault((a, b), len(self.nodes)) for seen, (a, b) in pairs.items()}

    def _choice(self, node: int) -> Dist[Hashable] | None:
        nodes = self.automaton.nodes
        label = int(nodes.label[node])
        if label >= 0:
            return Dist.sure(self.actions[label])
        if label != MIXED:
            return None
        parts = range(nodes.choice[node], nodes.choice[node + 1])
        return Dist(tuple((self.actions[nodes.choice_action[k]], float(nodes.choice_prob[k])) for k in parts))


def fsc_of_policy(
    belief_graph: BeliefGraph, plan: BeliefPolicy, action: Longs, observation: Longs, many: int, forgiving: bool = False
) -> FSC:
    """One node for each belief of the plan but the first, which is the start.

    `action` labels the rows of the belief graph's process, `observation` says which of the table's `many` observations
    each of the belief graph's is. A belief at which the plan stops becomes a node that plays at random for ever. With
    `forgiving` a node also goes on after actions that it does not take, wherever the plan covers what follows.
    """
    graph = belief_graph.graph
    choices: list[list[tuple[int, float]]] = []
    arrows: list[list[tuple[int, int]]] = []

    def follow(row: int, label: int) -> list[tuple[int, int]]:
        outcomes = range(graph.out[row], graph.out[row + 1])
        after = [(int(observation[graph.obs[o]]), int(plan.number[graph.child[o]]) - 1) for o in outcomes]
        return [((label + 1) * many + seen, node) for seen, node in after if node >= 0]

    for k, belief in enumerate(plan.listed[1:].tolist(), 1):
        first = int(belief_graph.process.row[graph.state[graph.first[belief]]])
        taken = range(plan.take[k], plan.take[k + 1])
        own = [(int(action[first + plan.row[t] - graph.rows[belief]]), t) for t in taken]
        choices.append([(label, float(plan.share[t])) for label, t in own])
        followed = [(label, int(plan.row[t])) for label, t in own]
        if forgiving and own:
            followed = [(int(action[first + a]), int(graph.rows[belief]) + a) for a in range(graph.many[belief])]
        arrows.append([pair for label, row in followed for pair in follow(row, label)])
    begin = np.full(many, -1, np.int64)
    for seen, node in follow(int(plan.row[0]), -1):
        begin[seen] = node
    return FSC.from_lists(choices, arrows, begin)
