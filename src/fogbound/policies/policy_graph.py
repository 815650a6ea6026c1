"""A controller in the numbers of a POMDP: what each node plays, and where it goes after each observation.

This is what point-based solvers leave behind: every vector remembers the action it starts with and the vector that it
goes on with after each observation, so the vectors *are* a finite-state controller, which can be evaluated exactly
(Hansen 1998). APPL's and ZMDP's policies need the belief to be tracked; this one only needs to be followed.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.forms.arrays import Ints, ranges, starts
from fogbound.forms.pomdp import NOT_ASKED, POMDP, WAIT
from fogbound.policies.controller import Controller
from fogbound.policies.vocabulary import Vocabulary

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9))


@dataclass(frozen=True, eq=False)
class PolicyGraph:
    """N nodes. A node that the start or an arrow does not name for an observation is never in need of it.

    Parameters
    ----------
    pomdp
        The POMDP that it is a policy of.
    action : [N]
        The label of what the node plays; WAIT where it only waits.
    begin : [b, 2]
        A first observation, and the node that follows it.
    arrow : [m, 3]
        A node, an observation, and the node that follows.
    """

    pomdp: POMDP = field(repr=False)
    action: Ints  # [N]
    begin: Ints  # [b, 2]
    arrow: Ints  # [m, 3]

    @property
    def size(self) -> int:
        return len(self.action)

    def minimal(self) -> PolicyGraph:
        """The smallest plan that does the same."""
        return self.merged()[0]

    def merged(self) -> tuple[PolicyGraph, Ints]:
        """The minimal plan, and [N] which of its nodes stands for each of ours (-1 = never entered).

        Nodes with equal futures are one (Moore 1956); what is never entered is dropped.

        Futures are compared by 64-bit hashes: a collision could only make another plan, and a plan's value is always
        computed after it is minimal.
        """
        if not self.size:
            return self, np.zeros(0, np.int64)
        live = self._entered()
        classes = np.unique(self.action, return_inverse=True)[1].astype(np.uint64)
        count = len(np.unique(classes[live]))
        source, seen, target = self.arrow.T
        while True:
            marks = (seen.astype(np.uint64) + np.uint64(1)) * _MIX[1] ^ (classes[target] + np.uint64(1)) * _MIX[0]
            marks = (marks ^ (marks >> np.uint64(31))) * _MIX[2]
            sums = np.zeros(self.size, np.uint64)
            np.add.at(sums, source, marks)
            _, finer = np.unique(np.stack([classes, sums]), axis=1, return_inverse=True)
            classes = finer.ravel().astype(np.uint64)
            if len(np.unique(classes[live])) == count:
                break
            count = len(np.unique(classes[live]))
        return self._merged(live, classes.astype(np.int64))

    def _entered(self) -> Ints:
        """Nodes that play can enter, nearest to the start first."""
        order = np.argsort(self.arrow[:, 0], kind="stable")
        source, target = self.arrow[order, 0], self.arrow[order, 2]
        first = starts(source, self.size)
        entered, layers = np.zeros(self.size, bool), list[Ints]()
        reached = self.begin[:, 1]
        while len(reached):  # breadth first, a layer at a time
            layer = reached[np.sort(np.unique(reached, return_index=True)[1])]
            entered[layer] = True
            layers.append(layer)
            after = target[ranges(first[layer], first[layer + 1] - first[layer])]
            reached = after[~entered[after]]
        return np.concatenate(layers).astype(np.int64) if layers else np.zeros(0, np.int64)

    def _merged(self, live: Ints, classes: Ints) -> tuple[PolicyGraph, Ints]:
        """One node a class: the first of it that play enters."""
        _, first = np.unique(classes[live], return_index=True)
        kept = live[np.sort(first)]
        number = np.full(int(classes.max()) + 1, -1, np.int64)
        number[classes[kept]] = np.arange(len(kept))
        named = number[classes]
        mine = np.isin(self.arrow[:, 0], kept)
        arrow = np.stack([named[self.arrow[mine, 0]], self.arrow[mine, 1], named[self.arrow[mine, 2]]], axis=1)
        begin = np.stack([self.begin[:, 0], named[self.begin[:, 1]]], axis=1)
        entered = np.zeros(self.size, bool)
        entered[live] = True
        return PolicyGraph(self.pomdp, self.action[kept], begin, arrow), np.where(entered, named, -1)

    def controller(self, notes: tuple[str, ...] = ()) -> Controller:
        """The plan as a policy that plays the game.

        Two observations can come with one observation: asked to move, or not. Being asked is news that comes with the
        question, so the two nodes share one: an own action goes on from the first, waiting from the second.
        """
        return _Assembly(self, notes).run()


class _Assembly:
    def __init__(self, plan: PolicyGraph, notes: tuple[str, ...]) -> None:
        self.plan, self.given = plan, notes
        self.after: dict[int, dict[int, int]] = {}
        for node, z, target in plan.arrow.tolist():
            self.after.setdefault(node, {})[z] = target
        self.nodes: dict[tuple[int, int], int] = {}  # (node if asked, node if not), -1 = impossible
        self.choices: list[Dist[Hashable] | None] = []
        self.notes: list[str] = []

    def run(self) -> Controller:
        labels, words = self.plan.pomdp.actions, Vocabulary.of(self.plan.pomdp, self.plan.pomdp.player)
        first = self._follow(dict(self.plan.begin.tolist()))
        arrows: dict[tuple[int, Hashable | None, Observation], int] = {}
        done = 0
        while done < len(self.nodes):
            for pair in list(self.nodes)[done:]:
                for node in pair:
                    if node >= 0:
                        action = int(self.plan.action[node])
                        word = None if action == WAIT else labels[action]
                        for seen, target in self._follow(self.after.get(node, {})).items():
                            arrows[done, word, seen] = target
                done += 1
        return Controller(first, arrows, tuple(self.choices), tuple(self.notes), words)

    def _follow(self, arrows: Mapping[int, int]) -> dict[Observation, int]:
        pairs: dict[Observation, list[int]] = {}
        for z, target in sorted(arrows.items()):
            seen, legal = self.plan.pomdp.observations[z]
            if legal >= NOT_ASKED:
                pairs.setdefault(seen, [-1, -1])[0 if legal >= 0 else 1] = target
        return {seen: self._node((asked, idle)) for seen, (asked, idle) in pairs.items()}

    def _node(self, pair: tuple[int, int]) -> int:
        if pair not in self.nodes:
            self.nodes[pair] = len(self.nodes)
            asked = pair[0]
            self.choices.append(
                Dist.sure(self.plan.pomdp.actions[int(self.plan.action[asked])]) if asked >= 0 else None
            )
            self.notes.append(self.given[asked if asked >= 0 else pair[1]] if self.given else "")
        return self.nodes[pair]
