"""A kind of controller in an automaton as a policy that plays the game."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from fogbound.core.dist import Dist
from fogbound.core.game import Seen
from fogbound.forms.view import NOT_ASKED
from fogbound.kernels.meeting import MIXED
from fogbound.policies.controller import Controller
from fogbound.policies.uniform import Uniform
from fogbound.solvers.reachable.nodes import Automaton


def controller_of(
    automaton: Automaton, kind: int, actions: list[Hashable], note: Callable[[int], str] | None = None
) -> Controller | Uniform:
    """A kind of controller as a policy: `actions` are the labels' words, `note` a word about a node."""
    if not automaton.kinds[kind].any():
        return Uniform()
    return _Assembly(automaton, actions, note).run(kind)


class _Assembly:
    """Two observations can come with one sight: asked to move, or not. Such a pair of nodes becomes one."""

    def __init__(self, automaton: Automaton, actions: list[Hashable], note: Callable[[int], str] | None) -> None:
        self.automaton, self.actions, self.note = automaton, actions, note
        self.nodes: dict[tuple[int, int], int] = {}  # (node if asked, node if not); 0 = impossible, or at random

    def run(self, kind: int) -> Controller:
        begin = self.automaton.kinds[kind]
        first = self._paired({z: int(node) for z, node in enumerate(begin) if node})
        arrows: dict[tuple[int, Hashable | None, Seen], int] = {}
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
        return Controller(first, arrows, choices, notes)

    def _arrows(self, node: int) -> dict[int, dict[int, int]]:
        """By own action: the node after each observation."""
        nodes, many = self.automaton.nodes, len(self.automaton.view.observations)
        found: dict[int, dict[int, int]] = {}
        for a in range(nodes.arrow[node], nodes.arrow[node + 1]):
            key, target = int(nodes.arrow_key[a]), int(nodes.arrow_to[a])
            if target:
                found.setdefault(key // many - 1, {})[key % many] = target
        return found

    def _paired(self, after: Mapping[int, int]) -> dict[Seen, int]:
        pairs: dict[Seen, list[int]] = {}
        for z, node in sorted(after.items()):
            seen, menu = self.automaton.view.observations[z]
            pairs.setdefault(seen, [0, 0])[1 if menu == NOT_ASKED else 0] = node
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
