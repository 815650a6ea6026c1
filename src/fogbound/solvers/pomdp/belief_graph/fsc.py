"""Finite-state controllers in the numbers of a player's view: the union of a player's, and how policies become one.

Controllers of neighbouring levels are often equal, or agree from some point on. In the union what is equal has one
number: equal levels are seen to be equal, and what was found out against a node serves every level that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import FileError, PolicyError, brief
from fogbound.core.game import Observation
from fogbound.core.policy import Mixed, Strategy
from fogbound.driver.checkpoint_schema import Entries
from fogbound.forms.arrays import Floats, Longs, offsets, ranges
from fogbound.forms.kernels.induced import MIXED, UNIFORM, WAITS, FSCNodes
from fogbound.forms.player_view import OVER, PlayerView, player_view
from fogbound.forms.table import Table
from fogbound.policies.controller import Controller
from fogbound.policies.controller import controller as as_controller
from fogbound.policies.uniform import Uniform
from fogbound.policies.vocabulary import Vocabulary
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import BeliefPolicy
from fogbound.solvers.pomdp.paired_nodes import paired_controller


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
    mixed, followed = np.diff(nodes.choice)[kept], np.diff(nodes.arrow)[kept]
    choices, arrows = ranges(nodes.choice[kept], mixed), ranges(nodes.arrow[kept], followed)
    return FSCNodes(
        *(nodes.label[kept], offsets(mixed), nodes.choice_action[choices], nodes.choice_prob[choices]),
        *(offsets(followed), nodes.arrow_key[arrows], named[nodes.arrow_to[arrows]]),
    )


def controller_of_kind(
    automaton: FSCUnion,
    kind: int,
    actions: list[Hashable],
    note: Callable[[int], str] | None = None,
    vocabulary: Vocabulary | None = None,
) -> Controller | Uniform:
    """A kind of controller as a policy: `actions` are the labels' words, `note` a word about a node.

    Its vocabulary is that of the view, which is a table's, unless another is given.
    """
    begin, nodes, view = automaton.kinds[kind], automaton.nodes, automaton.view
    if not begin.any():
        return Uniform()

    def follow(node: int) -> Iterator[tuple[Hashable | None, dict[int, int]]]:
        arrows: dict[int, dict[int, int]] = {}  # by own action
        for a in range(nodes.arrow[node], nodes.arrow[node + 1]):
            action, seen = divmod(int(nodes.arrow_key[a]), len(view.observations))
            if nodes.arrow_to[a]:
                arrows.setdefault(action - 1, {})[seen] = int(nodes.arrow_to[a])
        for action, after in arrows.items():
            yield None if action < 0 else actions[action], after

    def choice(node: int) -> Dist[Hashable] | None:
        label = int(nodes.label[node])
        if label >= 0:
            return Dist.sure(actions[label])
        if label != MIXED:
            return None
        parts = range(nodes.choice[node], nodes.choice[node + 1])
        return Dist(tuple((actions[nodes.choice_action[k]], float(nodes.choice_prob[k])) for k in parts))

    first = {z: int(node) for z, node in enumerate(begin) if node}
    words = vocabulary or Vocabulary(tuple(dict.fromkeys(seen for seen, _ in view.observations)), tuple(actions))
    return paired_controller(view.observations, first, follow, choice, note, words, at_random=True)


def fsc_of_policy(belief_graph: BeliefGraph, plan: BeliefPolicy, action: Longs, forgiving: bool = False) -> FSC:
    """One node for each belief of the plan but the first, which is the start.

    `action` labels the rows of the belief graph's process. Where the plan stops is a node that plays at random for
    ever. With `forgiving` a node also goes on after actions that it does not take, wherever the plan covers what
    follows.
    """
    graph, many = belief_graph.graph, len(belief_graph.observations)
    choices: list[list[tuple[int, float]]] = []
    arrows: list[list[tuple[int, int]]] = []

    def follow(row: int, label: int) -> list[tuple[int, int]]:
        outcomes = range(graph.out[row], graph.out[row + 1])
        after = [(int(graph.obs[o]), int(plan.number[graph.child[o]]) - 1) for o in outcomes]
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


CertificateArrays = Mapping[str, NDArray[Any]]


def certified_policies(table: Table, arrays: CertificateArrays) -> dict[tuple[int, int], Strategy]:
    """By (level, player), level 0 included: what the certificate says that it plays."""
    try:
        everyone = range(len(table.players))
        kinds = {(level, player): kind for level, player, kind in arrays["levels"].tolist()}
        kinds |= {(0, player): 0 for player in everyone}
        policies: dict[tuple[int, int], Strategy] = {}
        for player in everyone:
            own = player_view(table, player)
            automaton, known = FSCUnion(own), dict[int, Strategy]()  # levels that play alike share a policy
            for key, kind in kinds.items():
                if key[1] == player:
                    if kind not in known:
                        built = automaton.add(_fsc_from_certificate(table, own, arrays, kind))
                        known[kind] = controller_of_kind(automaton, built, table.actions)
                    policies[key] = known[kind]
        return policies
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise FileError(f"the certificate's arrays do not fit together ({type(error).__name__}: {error})") from error


def _fsc_from_certificate(table: Table, own: PlayerView, arrays: CertificateArrays, kind: int) -> FSC:
    """One kind in the numbers of its player's view. Node 0 is random play for ever, which needs no arrows."""
    player, width = own.player, len(table.legal_size) + 2
    observations = {seen: number for number, seen in enumerate(table.observations[player])}
    place = {observations[seen] * width + legal + 2: z for z, (seen, legal) in enumerate(own.observations)}
    many = len(own.observations)
    chosen: dict[int, dict[int, float]] = {}
    for (node, _, action), p in zip(
        arrays[f"a{player}_choice_key"].tolist(), arrays[f"a{player}_choice_weight"].tolist()
    ):
        chosen.setdefault(node, {})[action] = p
    lines = [line for line in arrays[f"a{player}_arrow"].tolist() if line[0] and line[3]]
    begins = arrays[f"b{player}_{kind}"].tolist()
    nodes = sorted({0, *(node for _, node in begins), *(n for line in lines for n in (line[0], line[3])), *chosen})
    number = {node: k for k, node in enumerate(nodes)}
    arrows: list[list[tuple[int, int]]] = [[] for _ in nodes]
    for node, action, seen, after in lines:
        arrows[number[node]].append(((action + 1) * many + place[seen], number[after]))
    begin = np.full(many, -1, np.int64)
    for seen, node in begins:
        begin[place[seen]] = number[node]
    return FSC.from_lists([list(chosen.get(node, {}).items()) for node in nodes], arrows, begin)


def fsc_of(table: Table, view: PlayerView, policy: Strategy) -> FSC:
    """Any policy with finitely many memories as an FSC of its player."""
    if isinstance(policy, Uniform):
        return FSC.uniform(view)
    if isinstance(policy, Mixed):
        raise PolicyError("level 0 is a mixture, expected one policy: its behaviour, or one of its members")
    plain = policy if isinstance(policy, Controller) else as_controller(table, view.player, policy)
    numbers = {action: k for k, action in enumerate(table.actions)}
    by_sight: dict[Observation, list[int]] = {}
    for z, (seen, legal) in enumerate(view.observations):
        if legal != OVER:
            by_sight.setdefault(seen, []).append(z)
    many = len(view.observations)
    arrows: list[list[tuple[int, int]]] = [[] for _ in plain.choices]
    for (node, action, seen), target in plain.arrows.items():
        if target >= 0:
            own = -1 if action is None else numbers.get(action, -2)
            arrows[node] += [((own + 1) * many + z, target) for z in by_sight.get(seen, []) if own > -2]
    begin = np.full(many, -1, np.int64)
    for seen, node in plain.first.items():
        begin[by_sight.get(seen, [])] = node
    choices: list[list[tuple[int, float]]] = []
    for dist in plain.choices:
        unknown = [a for a, p in dist or () if p > 0 and a not in numbers]
        if unknown:
            raise PolicyError(f"{table.spec}: level 0 plays {brief(unknown[0])}, which is no action of this game")
        choices.append([(numbers[a], p) for a, p in dist or () if p > 0])
    return FSC.from_lists(choices, arrows, begin)
