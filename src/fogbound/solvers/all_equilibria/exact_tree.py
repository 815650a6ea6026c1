"""A game tree in exact arithmetic: chance and payoffs as fractions, moves by sequence, behaviour of any profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fogbound.forms.tree import CHANCE, END, Tree
from fogbound.solvers.matrix import exact

Payoffs = tuple[Fraction, ...]
Plan = tuple[Fraction, ...]  # realisation weights of a player, by sequence; 0 is the empty sequence
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class ExactTree:
    """The tree with fractions, as plain lists by node and by information set.

    Parameters
    ----------
    players
        How many players there are.
    mover, parent, infoset
        By node, as in `forms.tree`.
    children
        By node, the nodes below, in the order of the moves.
    chance
        By node, the probability of the edge into it where chance moves above, else 1.
    payoff
        By node, what the players get at an end; empty elsewhere.
    sequence
        By node, the last sequence of each player on the way there.
    set_owner, set_first, set_size, set_nodes
        By information set: the player, the sequence of the first move, how many moves, the nodes.
    """

    players: int
    mover: list[int]
    parent: list[int]
    infoset: list[int]
    children: list[range]
    chance: list[Fraction]
    payoff: list[Payoffs]
    sequence: list[tuple[int, ...]]
    set_owner: list[int]
    set_first: list[int]
    set_size: list[int]
    set_nodes: list[list[int]]

    def sequences_at(self, infoset: int) -> range:
        """The sequences of the moves of an information set."""
        return range(self.set_first[infoset], self.set_first[infoset] + self.set_size[infoset])

    def own_sequence(self, infoset: int) -> int:
        """The sequence of its owner that leads to an information set (perfect recall: there is one)."""
        return self.sequence[self.set_nodes[infoset][0]][self.set_owner[infoset]]

    def subtree(self, root: int) -> list[int]:
        """The nodes from `root` on, parents first."""
        found = [root]
        for node in found:
            found.extend(self.children[node])
        return found

    @cached_property
    def chance_reach(self) -> list[Fraction]:
        """By node, the product of the chance probabilities above."""
        reach = [ONE] * len(self.mover)
        for node in range(1, len(reach)):
            reach[node] = reach[self.parent[node]] * self.chance[node]
        return reach

    @cached_property
    def simultaneous(self) -> bool:
        """Whether every play asks every player at most once, at the same information set: a normal form."""
        chosen = [h for h in range(len(self.set_owner)) if self.set_size[h] > 1]
        owners = [self.set_owner[h] for h in chosen]
        if len(set(owners)) < len(owners) or CHANCE in self.mover:
            return False
        ends = sum(kind == END for kind in self.mover)
        return all(sum(len(self._ends_below(n)) for n in self.set_nodes[h]) == ends for h in chosen)

    def _ends_below(self, node: int) -> list[int]:
        return [n for n in self.subtree(node) if self.mover[n] == END]

    def move_probability(self, node: int, plans: Sequence[Plan]) -> Fraction | None:
        """The probability of the move into a node under the players' plans; None where its owner never comes there."""
        up = self.parent[node]
        if self.mover[up] == CHANCE:
            return self.chance[node]
        player = self.mover[up]
        before = plans[player][self.sequence[up][player]]
        return None if before == 0 else plans[player][self.sequence[node][player]] / before


def exact_tree(form: Tree) -> ExactTree:
    """The tree in fractions: floats within rounding of a simple fraction are taken to be it."""
    size, n = form.size, len(form.players)
    mover, parent, infoset = form.mover.tolist(), form.parent.tolist(), form.infoset.tolist()
    bounds, first = form.child.tolist(), form.set_first.tolist()
    children = [range(bounds[node], bounds[node + 1]) for node in range(size)]
    chance = _chances(form, children)
    payoff: list[Payoffs] = [()] * size
    for end, paid in zip(form.ends.tolist(), exact.rationals(form.payoff[form.ends]).tolist()):
        payoff[end] = tuple(Fraction(v) for v in paid)
    sequence: list[tuple[int, ...]] = [(0,) * n] * size
    set_nodes: list[list[int]] = [[] for _ in first]
    for node in range(size):
        if infoset[node] >= 0:
            set_nodes[infoset[node]].append(node)
        for place, below in enumerate(children[node]):
            came = list(sequence[node])
            if mover[node] >= 0:
                came[mover[node]] = first[infoset[node]] + place
            sequence[below] = tuple(came)
    return ExactTree(
        n,
        mover,
        parent,
        infoset,
        children,
        chance,
        payoff,
        sequence,
        form.set_owner.tolist(),
        first,
        form.set_size.tolist(),
        set_nodes,
    )


def _chances(form: Tree, children: Sequence[range]) -> list[Fraction]:
    """The probabilities of all edges: simple fractions where those sum to 1, else the floats divided by their sum."""
    chance = [ONE] * form.size
    for node in np.flatnonzero(form.mover == CHANCE).tolist():
        floats = form.prob[list(children[node])]
        near = [Fraction(p) for p in exact.rationals(floats).tolist()]
        if sum(near) != 1:
            near = [Fraction(p) for p in floats.tolist()]
        total = sum(near, ZERO)
        for below, p in zip(children[node], near):
            chance[below] = p / total
    return chance
