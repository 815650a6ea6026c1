"""The tree of a game with locks: information sets whose owner must play given probabilities, or at least so much.

A set with an exact lock becomes a chance move, without the actions of probability 0. At a set with a floor f chance
first tosses a coin: with probability f(a) action a is forced, and with the rest, 1 - sum of f, the owner chooses
freely; the total is at least f. The owner is told of the coin, so that perfect recall stays. That gives it nothing
that others could notice: for every strategy that uses the coin one that ignores it has the same realisation weights
(Kuhn 1953). They are those of the perturbed game, r(Ia) >= f(a) r(I), of Farina, Kroer and Sandholm, "Regret
minimization in behaviorally-constrained zero-sum games" (2017).

What lies below a floor is there twice, so a tree grows by up to a factor of 2 for each floor on a path.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, many
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.decisions import Decisions
from fogbound.forms.protocol import Question
from fogbound.forms.sequence import SequenceForm, Treeplex, sequence, treeplex
from fogbound.forms.table import Table
from fogbound.forms.tree import CHANCE, MOST_NODES, Tree, tree

EXACT = 1e-12  # what may be missing to 1 where floors leave no choice
KEPT = 1e-9  # by how much rounding may take a strategy below a floor
LOOK_UP = 4096  # nodes between two looks at whether to stop


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LockedTree(Tree):
    """A tree whose owners have less choice, beside the tree of the game itself.

    Parameters
    ----------
    game : Tree
        The tree without locks.
    floor
        By player and by sequence of that tree: the least probability of each move.
    set_source : [H]
        The set of the game that each set is a copy of.
    set_weight : [H]
        The probability that the owner's own locks bring it there.
    """

    game: Tree = field(repr=False)
    floor: tuple[Floats, ...] = field(repr=False)
    set_source: Ints  # [H]
    set_weight: Floats  # [H]

    def describe(self) -> str:
        locked = sum(bool(self.floor[owner][move].any()) for owner, move in own_moves(self.game))
        return f"{super().describe()}, {many(locked, 'lock')}"

    @classmethod
    def derive(cls, source: Table, question: Question) -> LockedTree:
        """Of a table, without any lock."""
        free = tree(source, **question.most)
        return locked_tree(free, [np.zeros(plex.sequences) for plex in sequence(free).plexes])

    @cached_property
    def game_form(self) -> SequenceForm:
        """The sequence form of the game without locks."""
        return sequence(self.game)

    @cached_property
    def _copies(self) -> tuple[_Copies, ...]:
        return tuple(_copies(self, player) for player in range(len(self.players)))

    def restricted(self, player: int, behaviour: Floats) -> Floats:
        """A behaviour in the game as the choices that it makes where locks leave one; below a floor it is clipped."""
        at = self._copies[player]
        free = at.share > 0
        wish = np.where(free, np.maximum(behaviour[at.source] - at.floor, 0.0), behaviour[at.source])
        total = np.bincount(at.copy, wish)[at.copy]
        even = 1.0 / self.set_size[at.sets][at.copy]
        chosen = np.where(total > 0, wish / np.where(total > 0, total, 1.0), even)
        return np.concatenate([[1.0], np.where(free, chosen, wish)])

    def played(self, player: int, behaviour: Floats) -> tuple[Decisions, Floats]:
        """What the owner does in the game itself: what is forced and what it chooses, over all copies of a set."""
        at, plex = self._copies[player], treeplex(self, player)
        weights = plex.weights(behaviour)
        reach = (weights[plex.parent] * self.set_weight[plex.sets])[at.copy]
        total = at.floor + (1.0 - at.share) * behaviour[1:]
        size = len(self.floor[player])
        met, copies = (np.bincount(at.source, part, size) for part in (reach, np.ones(len(reach))))
        counted = np.where((met[at.source] > 0) & (copies[at.source] > 1), reach, 1.0)
        norm = np.bincount(at.source, counted, size)
        mixed = np.bincount(at.source, counted * total, size) / np.where(norm > 0, norm, 1.0)
        played = np.where(copies > 0, mixed, _even(treeplex(self.game, player), self.floor[player]))
        played[0] = 1.0
        return self.game, played

    def broken(self, player: int, behaviour: Floats) -> int:
        """A set of the game at which a behaviour does not keep a lock; -1: it keeps all."""
        below = np.flatnonzero(behaviour[1:] < self.floor[player][1:] - KEPT) + 1
        if not len(below):
            return -1
        plex = self.game_form.plexes[player]
        return int(plex.sets[np.searchsorted(plex.first, below[0], side="right") - 1])


def _even(plex: Treeplex, floor: Floats) -> Floats:
    """A behaviour that keeps the locks and is uniform otherwise: where a lock of probability 0 stands before."""
    place = np.repeat(np.arange(len(plex.size)), plex.size)
    share = np.bincount(place, floor[1:], len(plex.size)).astype(np.float64)
    return floor + np.concatenate([[1.0], 1.0 - share[place]]) * plex.uniform


class _Copies(NamedTuple):
    """One player's sequences in the locked tree, without the empty one, beside those of the game."""

    sets: NDArray[np.int64]  # [H_i]
    copy: NDArray[np.int64]  # [Q_i] the place of its set
    source: NDArray[np.int64]  # [Q_i] the sequence of the game
    floor: Floats  # [Q_i]
    share: Floats  # [Q_i] of the set: how much is forced


def _copies(tree: LockedTree, player: int) -> _Copies:
    sets = tree.sets_of(player)
    size = tree.set_size[sets]
    copy = np.repeat(np.arange(len(sets)), size)
    move = np.arange(len(copy)) - (np.cumsum(size) - size)[copy]
    source = tree.game.set_first[tree.set_source[sets]][copy] + move
    floor = tree.floor[player][source]
    share = np.bincount(copy, floor, len(sets)).astype(np.float64)
    return _Copies(sets, copy, source, floor, share[copy])


def locked_tree(source: Tree, floor: Sequence[Floats], limit: int | None = None) -> LockedTree:
    """The tree of a game in which players keep locks.

    Parameters
    ----------
    source
        The tree of the game.
    floor
        By player and by sequence: the least probability of each move, 0 where there is no lock. Where those of a set
        add up to 1 its owner has no choice.
    limit
        How many nodes there may be.

    Returns
    -------
    LockedTree
        On which every solver of trees and sequence forms finds answers of the game with these locks.

    Raises
    ------
    LimitError
        There would be more than `limit` nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from fogbound import forms, games
    >>> from fogbound.forms.locked_tree import locked_tree
    >>> tree = forms.tree(games.make("king-ace"))
    >>> free = np.zeros(5)
    >>> locked_tree(tree, [np.array([0, 0.25, 0.75, 0, 0]), free])
    <tree, 21 nodes, 1 + 2 information sets, 1 lock, of king-ace>
    >>> locked_tree(tree, [np.array([0, 0.25, 0, 0, 0]), free]).size > tree.size
    True
    """
    shares = tuple(np.array(part, np.float64) for part in floor)
    for owner, moves in own_moves(source):
        total = shares[owner][moves].sum()
        if total >= 1 - EXACT:
            shares[owner][moves] /= total
    most, growing = limit or MOST_NODES, _Growing(source, shares)
    while growing.waiting:
        if not len(growing.mover) % LOOK_UP:
            check()
        growing.write(growing.waiting.popleft())
        if len(growing.mover) > most:
            raise LimitError(
                f"{source.spec}: over {most:,} nodes with these floors, {source.size:,} without them, since what lies "
                "below a floor is there twice; lock fewer information sets, lock them exactly, or raise limit="
            )
    return growing.tree()


def own_moves(tree: Decisions) -> Iterator[tuple[int, slice]]:
    """(owner, its sequences) of each information set, in their order."""
    for owner, first, size in zip(tree.set_owner.tolist(), tree.set_first.tolist(), tree.set_size.tolist()):
        yield owner, slice(first, first + size)


class _Own(NamedTuple):
    """What the next memory of a player will hold."""

    coins: int = 0  # how those of its floors fell, as bits
    sequence: int = 0
    weight: float = 1.0  # the probability of all that its locks forced, or left free


class _Node(NamedTuple):
    """A node that is still to be written down."""

    source: int  # the node of the game
    chosen: bool  # whether a coin has fallen here, and leaves the choice free
    parent: int
    prob: float
    reach: float
    memory: tuple[int, ...]
    own: tuple[_Own, ...]

    def with_own(self, player: int, own: _Own) -> tuple[_Own, ...]:
        return (*self.own[:player], own, *self.own[player + 1 :])


class _Growing:
    """A locked tree, written down breadth first."""

    def __init__(self, game: Tree, floor: tuple[Floats, ...]) -> None:
        n, own = len(game.players), (_Own(),) * len(game.players)
        self.game, self.floor = game, floor
        self.least: list[list[float]] = [floor[owner][moves].tolist() for owner, moves in own_moves(game)]
        self.share = [1.0 if sum(part) >= 1 - EXACT else sum(part) for part in self.least]
        self.shape = game.mover.tolist(), game.infoset.tolist(), game.child.tolist(), game.prob.tolist()
        self.known: list[list[int]] = game.memory.tolist()
        self.mover: list[int] = []
        self.infoset: list[int] = []
        self.child: list[int] = []
        self.nodes: list[_Node] = []
        self.memories = {(player, 0): player for player in range(n)}  # (memory of the game, coins): its number
        self.trie = [(-1, player, _Own()) for player in range(n)]  # memory above, memory of the game, what it holds
        self.sets: dict[int, tuple[int, int, int]] = {}  # memory: (number, set of the game, first sequence)
        self.sequences = [1] * n
        memory = tuple(self._remember(m, i, own[i]) if m >= n else i for i, m in enumerate(self.known[0]))
        self.waiting = deque([_Node(0, False, -1, float(game.prob[0]), float(game.reach[0]), memory, own)])

    def write(self, node: _Node) -> None:
        """Write a node down, and let its children wait."""
        movers, infosets, child, prob = self.shape
        at, mover, infoset = len(self.mover), movers[node.source], infosets[node.source]
        self.child.append(at + 1 + len(self.waiting))
        moves = range(child[node.source], child[node.source + 1])
        locked = infoset >= 0 and self.share[infoset] > 0 and not node.chosen
        number = -1
        if mover < 0:
            self.waiting.extend(self._after(node, at, c, prob[c] if mover == CHANCE else 1.0, node.own) for c in moves)
        elif locked:
            self.waiting.extend(self._forced(node, at, mover, infoset, moves))
        else:
            number, first = self._set(node.memory[mover], infoset, mover)
            for k, c in enumerate(moves):
                own = node.own[mover]._replace(sequence=first + k)
                self.waiting.append(self._after(node, at, c, 1.0, node.with_own(mover, own)))
        self.mover.append(CHANCE if locked else mover)
        self.infoset.append(number)
        self.nodes.append(node)

    def _forced(self, node: _Node, at: int, mover: int, infoset: int, moves: range) -> Iterator[_Node]:
        """What may follow at a lock: each move that is forced, and where there is a choice left, the choice."""
        own, rest = node.own[mover], 1.0 - self.share[infoset]
        for p, c in zip(self.least[infoset], moves):
            if p > 0:
                coins = 2 * own.coins + 1 if rest else own.coins
                yield self._after(node, at, c, p, node.with_own(mover, _Own(coins, own.sequence, own.weight * p)))
        if rest:
            free = node.with_own(mover, _Own(2 * own.coins, own.sequence, own.weight * rest))
            yield _Node(node.source, True, at, rest, node.reach * rest, node.memory, free)

    def _after(self, node: _Node, at: int, source: int, prob: float, own: tuple[_Own, ...]) -> _Node:
        """A child, at which players may know more."""
        pairs = enumerate(zip(self.known[source], self.known[node.source], node.memory))
        memory = tuple(up if m == before else self._remember(m, up, own[i]) for i, (m, before, up) in pairs)
        return _Node(source, False, at, prob, node.reach * prob, memory, own)

    def _remember(self, memory: int, up: int, own: _Own) -> int:
        number = self.memories.setdefault((memory, own.coins), len(self.trie))
        if number == len(self.trie):
            self.trie.append((up, memory, own))
        return number

    def _set(self, memory: int, infoset: int, owner: int) -> tuple[int, int]:
        """The number of the information set of this memory, and its first sequence."""
        if memory not in self.sets:
            self.sets[memory] = len(self.sets), infoset, self.sequences[owner]
            self.sequences[owner] += len(self.least[infoset])
        number, _, first = self.sets[memory]
        return number, first

    def tree(self) -> LockedTree:
        """All of it as arrays."""
        game, nodes, source = self.game, self.nodes, np.array([node.source for node in self.nodes], np.int64)
        set_memory = np.array(list(self.sets), np.int32)
        held = np.array([infoset for _, infoset, _ in self.sets.values()], np.int64)
        known = np.array([memory for _, memory, _ in self.trie], np.int64)
        memory_infoset = np.full(len(known), -1, np.int32)
        memory_infoset[set_memory] = np.arange(len(set_memory))
        weight = np.array([own.weight for _, _, own in self.trie])
        return LockedTree(
            spec=game.spec,
            players=game.players,
            mover=np.array(self.mover, np.int32),
            parent=np.array([node.parent for node in nodes], np.int32),
            child=np.array([*self.child, len(source)], np.int32),
            prob=np.array([node.prob for node in nodes]),
            reach=np.array([node.reach for node in nodes]),
            payoff=game.payoff[source],
            infoset=np.array(self.infoset, np.int32),
            memory=np.array([node.memory for node in nodes], np.int32),
            state=game.state[source],
            states=game.states,
            memory_up=np.array([up for up, _, _ in self.trie], np.int32),
            memory_code=game.memory_code[known],
            memory_sequence=np.array([own.sequence for _, _, own in self.trie], np.int32),
            memory_infoset=memory_infoset,
            set_memory=set_memory,
            set_legal=game.set_legal[held],
            set_owner=game.set_owner[held],
            set_first=np.array([first for _, _, first in self.sets.values()], np.int32),
            set_size=game.set_size[held],
            legal_sets=game.legal_sets,
            actions=game.actions,
            observations=game.observations,
            game=game,
            floor=self.floor,
            set_source=held,
            set_weight=weight[set_memory],
        )
