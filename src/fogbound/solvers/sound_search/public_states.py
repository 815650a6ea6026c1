"""Public states: what everybody knows that everybody knows, derived from what each player can tell apart.

Two histories belong to one public state when some player cannot tell them apart, or when a chain of such pairs leads
from one to the other. Whoever resolves must keep all of it in view: what I would do with another card limits what the
opponent may conclude from what I do with this one. Nothing has to be declared: the tree knows every player's memory, a
node says which memories go together, and public states are the connected components of that graph.

Every step is seen by everybody, so the histories of a public state are of one length, and players never forget, so the
public states form a tree themselves. They are numbered in preorder: a subgame is a run of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Ints, Longs, offsets
from fogbound.forms.tree import Tree

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PublicStates:
    """P public states in preorder; number 0 is the start, before anybody has seen anything.

    Attributes
    ----------
    tree
        The game tree.
    of_memory : [Q]
        The public state in which a player remembers so.
    parent : [P]
        The public state one step before; -1 of the start.
    end : [P]
        The public states after `s` are s + 1 .. end[s] - 1.
    acts : [P, n]
        Whether some history in it asks this player to move.

    Examples
    --------
    >>> import fogbound as fb
    >>> public_states(fb.forms.tree(fb.game("card-poker(ranks=3)")))
    <10 public states of card-poker(ranks=3)>
    """

    tree: Tree = field(repr=False)
    of_memory: Ints  # [Q]
    parent: Ints  # [P]
    end: Ints  # [P]
    acts: Flags  # [P, n]

    def __repr__(self) -> str:
        return f"<{len(self.parent):,} public states of {self.tree.spec}>"

    @cached_property
    def of_node(self) -> Ints:
        """[N] the public state of each node."""
        return self.of_memory[self.tree.memory[:, 0]]

    def memories(self, state: int, player: int) -> Longs:
        """What `player` may remember in a public state, in the tree's order."""
        order, first = self._listed
        inside = order[first[state] : first[state + 1]]
        own: Longs = inside[memory_owner(self.tree)[inside] == player]
        return own

    def first_nodes(self, state: int) -> Longs:
        """The nodes with which a public state begins: where several move at once, those of who is written first."""
        tree, of_node = self.tree, self.of_node
        inside = np.flatnonzero(of_node == state)
        up = tree.parent[inside]
        begins: Longs = inside[(up < 0) | (of_node[up] != state)]
        return begins

    @cached_property
    def _listed(self) -> tuple[Longs, Longs]:
        """Memories by public state, and where those of each begin."""
        return np.argsort(self.of_memory, kind="stable"), offsets(np.bincount(self.of_memory))


def public_states(tree: Tree) -> PublicStates:
    """Derive the public states of a game from what its players remember."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    memories, players = len(tree.memory_up), len(tree.players)
    pairs = np.concatenate([*(tree.memory[:, [0, i]] for i in range(1, players)), *_roots(players)])
    graph = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(memories, memories))
    many, label = connected_components(graph, directed=False)
    above = np.full(many, -1, np.int64)
    later = tree.memory_up >= 0
    above[label[later]] = label[tree.memory_up[later]]
    place, end = _preorder(above, label[0], first_memory=_first(label, many))
    parent = np.full(many, -1, np.int32)
    parent[place] = np.where(above >= 0, place[above], -1)
    of_memory = place[label].astype(np.int32)
    acts = np.zeros((many, players), bool)
    acts[of_memory[tree.set_memory], tree.set_owner] = True
    return PublicStates(tree, of_memory, parent, end.astype(np.int32), acts)


def memory_owner(tree: Tree) -> Longs:
    """[Q] whose memory each is."""
    owner = np.zeros(len(tree.memory_up), np.int64)
    for player in range(len(tree.players)):
        owner[tree.memory[:, player]] = player
        owner[player] = player
    return owner


def _roots(players: int) -> list[NDArray[np.int32]]:
    """Before anything was seen all players are in one place, also where no node stands there."""
    return [np.array([[0, i]], np.int32) for i in range(1, players)]


def _first(label: Ints, many: int) -> Longs:
    """[components] the least memory of each."""
    first = np.full(many, len(label), np.int64)
    np.minimum.at(first, label, np.arange(len(label)))
    return first


def _preorder(above: Longs, root: int, first_memory: Longs) -> tuple[Longs, Longs]:
    """(the preorder number of each component, and by that number where its subtree ends); siblings in memory order."""
    order = np.argsort(first_memory)  # memories stand after those that they follow, so parents come first
    size = np.ones(len(above), np.int64)
    for component in order[::-1].tolist():
        if component != root:
            size[above[component]] += size[component]
    place, free = np.zeros(len(above), np.int64), np.zeros(len(above), np.int64)
    free[root] = 1
    for component in order.tolist():
        if component != root:
            up = above[component]
            place[component] = free[up]
            free[up] += size[component]
            free[component] = place[component] + 1
    end = np.empty(len(above), np.int64)
    end[place] = place + size
    return place, end
