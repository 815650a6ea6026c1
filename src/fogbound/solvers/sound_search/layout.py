"""The tree from the side of one player who resolves, so that every subgame is a run of each array.

Both players' decisions are written as treeplexes, in the preorder of public states. The opponent has, beside its
information sets, a *gate* for each of its memories in each public state in which the resolver acts: there the gadget
game of Burch, Johanson and Bowling, "Solving imperfect information games using decomposition" (2014), lets it follow
into the subgame or terminate. The opponent may have come to the subgame in any of its memories, with whatever plan; all
that is known of it is what each memory was worth to it in the solution that I have been playing, and that is what it
gets where it terminates: if it cannot gain by following, in no memory, what I find is as safe as what I have played so
far. A gate that is not at the top of the subgame only follows; then it is where the opponent's counterfactual value is
read off, which the next gadget needs. A memory of the opponent lies below one gate at most in each public state, so a
subgame hangs below its gates.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.bundle import Bundle
from fogbound.forms.arrays import Floats, Ints, Longs, offsets
from fogbound.forms.tree import Tree
from fogbound.solvers.sound_search.public_states import PublicStates, memory_owner

FOLLOW, TERMINATE = 0, 1


@dataclass(frozen=True, eq=False)
class DecisionTree(Bundle):
    """One player's decisions, parents first; sequence 0 is the empty one."""

    parent: np.ndarray  # [H] the sequence that leads here
    first: np.ndarray  # [H] the sequence of the first move
    size: np.ndarray  # [H] how many moves


@dataclass(frozen=True, eq=False)
class SubgameLearner(Bundle):
    """What one player has learned, by sequence; and by decision what it may do and has met."""

    size: np.ndarray  # [H] how many of its moves it may take: gates inside the subgame have one
    regret: np.ndarray  # [Q]
    average: np.ndarray  # [Q] realisation weights, summed with weight t
    behaviour: np.ndarray  # [Q] what is played now
    weight: np.ndarray  # [Q] its realisation weights
    fixed: np.ndarray  # [Q] what a sequence brings by itself: a gate's TERMINATE, a value function's estimate
    counterfactual: np.ndarray  # [Q] work space
    value: np.ndarray  # [H] counterfactual values, summed with weight t


@dataclass(frozen=True, eq=False)
class Ends(Bundle):
    """The ends of the subgame, from both sides."""

    mine: np.ndarray  # [E] my last sequence
    theirs: np.ndarray  # [E]
    gain: np.ndarray  # [E] what I am paid, times chance


@dataclass(frozen=True, eq=False)
class ResolvingLayout:
    """The game tree as player `me` resolves it.

    Attributes
    ----------
    public
        The public states.
    me
        Who resolves.
    mine, theirs
        The decisions of both; the opponent's with gates.
    infoset : [H]
        Of each of my decisions, the tree's information set.
    gate_memory : [H']
        Of each of the opponent's decisions, the memory that it is the gate of; -1 of an information set.
    worth_at : [H']
        Of each gate, the opponent's decision whose value it is granted: itself, or the opponent's last one.
    my_state, their_state : [H], [H']
        The public state of each decision.
    end_state, my_end, their_end, gain : [E]
        The ends: their public states, both players' last sequences, and what I win there (my payoff less half of what
        the players are paid together, so that the opponent loses it) times chance's part.
    my_sequence, their_sequence : [Q]
        Of each player's memories, its last sequence; the opponent's after the gate that it may have.
    moment : [P]
        In how many public states I act from the start to this one, itself included.
    """

    public: PublicStates = field(repr=False)
    me: int
    mine: DecisionTree = field(repr=False)
    theirs: DecisionTree = field(repr=False)
    infoset: Ints = field(repr=False)
    gate_memory: Ints = field(repr=False)
    worth_at: Longs = field(repr=False)
    my_state: Ints = field(repr=False)
    their_state: Ints = field(repr=False)
    end_state: Ints = field(repr=False)
    my_end: Ints = field(repr=False)
    their_end: Ints = field(repr=False)
    gain: Floats = field(repr=False)
    my_sequence: Longs = field(repr=False)
    their_sequence: Longs = field(repr=False)
    moment: Ints = field(repr=False)

    @property
    def my_sequences(self) -> int:
        return 1 + int(self.mine.size.sum())

    @property
    def their_sequences(self) -> int:
        return 1 + int(self.theirs.size.sum())

    @cached_property
    def previous(self) -> Ints:
        """[P] the last public state before this one in which I act; -1 where there is none."""
        last = np.full(len(self.public.parent), -1, np.int32)
        for state, up in enumerate(self.public.parent.tolist()):
            if up >= 0:
                last[state] = up if self.public.acts[up, self.me] else last[up]
        return last

    def run(self, column: Ints, state: int, whole: bool = True) -> slice:
        """Where the subgame of a public state, or that state alone, stands in a column of public states."""
        last = self.public.end[state] if whole else state + 1
        first, end = np.searchsorted(column, [state, last])
        return slice(int(first), int(end))


def resolving_layout(public: PublicStates, me: int) -> ResolvingLayout:
    """Lay a tree of two players out for `me`."""
    tree, they = public.tree, 1 - me
    my_sets, their_sets = tree.sets_of(me), tree.sets_of(they)
    my_sets = my_sets[np.argsort(public.of_memory[tree.set_memory[my_sets]], kind="stable")]
    owner = memory_owner(tree)
    gates = np.flatnonzero((owner == they) & public.acts[public.of_memory, me])
    memory = np.concatenate([gates, tree.set_memory[their_sets]])
    is_gate = np.arange(len(memory)) < len(gates)
    order = np.lexsort((memory, ~is_gate, public.of_memory[memory]))
    memory, is_gate = memory[order], is_gate[order]
    infoset = np.concatenate([np.full(len(gates), -1), their_sets])[order]
    my_size = tree.set_size[my_sets]
    their_size = np.where(is_gate, 2, tree.set_size[infoset])
    my_first, their_first = 1 + offsets(my_size)[:-1], 1 + offsets(their_size)[:-1]
    gate_at = np.full(len(tree.memory_up), -1, np.int64)
    gate_at[memory[is_gate]] = their_first[is_gate]
    renamed = _renumbered(tree.set_first, my_sets, my_first, my_size)
    renamed_theirs = _renumbered(tree.set_first, infoset[~is_gate], their_first[~is_gate], their_size[~is_gate])
    my_sequence = np.zeros(len(owner), np.int64)
    my_sequence[owner == me] = renamed[tree.memory_sequence[owner == me]]
    above, below = _attached(public, they, gate_at, renamed_theirs)
    ends = tree.ends[np.argsort(public.of_node[tree.ends], kind="stable")]
    return ResolvingLayout(
        public,
        me,
        _decision_tree(my_sequence[tree.set_memory[my_sets]], my_first, my_size),
        _decision_tree(np.where(is_gate, above[memory], below[memory]), their_first, their_size),
        my_sets,
        np.where(is_gate, memory, -1),
        _worth_at(public, me, memory, is_gate),
        public.of_memory[tree.set_memory[my_sets]],
        public.of_memory[memory],
        public.of_node[ends],
        my_sequence[tree.memory[ends, me]],
        below[tree.memory[ends, they]],
        (tree.payoff[ends, me] - (tree.constant_sum or 0.0) / 2) * tree.reach[ends],
        my_sequence,
        below,
        _moments(public, me),
    )


def _decision_tree(parent: Ints, first: Ints, size: Ints) -> DecisionTree:
    """A bundle of these, as kernels want them."""
    return DecisionTree(*(np.ascontiguousarray(column, np.int64) for column in (parent, first, size)))


def _renumbered(set_first: Ints, sets: Ints, first: Longs, size: Ints) -> Longs:
    """[the tree's sequences of a player] their numbers when its `sets` stand in this order."""
    number = np.zeros(1 + int(size.sum()), np.int64)
    for old, new, many in zip(set_first[sets].tolist(), first.tolist(), size.tolist()):
        number[old : old + many] = np.arange(new, new + many)
    return number


def _attached(public: PublicStates, player: int, gate_at: Longs, renamed: Longs) -> tuple[Longs, Longs]:
    """[Q] of each memory of `player`: the sequence that leads there, before and after the gate that it may have."""
    tree = public.tree
    owner = memory_owner(tree)
    above, below = np.zeros(len(owner), np.int64), np.zeros(len(owner), np.int64)
    for level in _memories_by_length(tree):
        own = level[owner[level] == player]
        up = tree.memory_up[own]
        moved = (up >= 0) & (tree.memory_sequence[own] != tree.memory_sequence[up])
        above[own] = np.where(moved, renamed[tree.memory_sequence[own]], np.where(up >= 0, below[up], 0))
        below[own] = np.where(gate_at[own] >= 0, gate_at[own] + FOLLOW, above[own])
    return above, below


def _worth_at(public: PublicStates, me: int, memory: Longs, is_gate: NDArray[np.bool_]) -> Longs:
    """[H'] of each gate the decision that it is granted the value of.

    The opponent has got there by a move of its own. Whatever that was worth, it is enough that the opponent gains
    nothing over what it had *before*: granting that leaves me more freedom and is as safe. So it is, where I have not
    moved meanwhile and nothing else was seen, which would split the value among several memories.
    """
    tree, worth_at = public.tree, np.arange(len(memory))
    decision = {int(known): h for h, known in enumerate(memory.tolist()) if not is_gate[h]}
    up, sequence, theirs = tree.memory_up, tree.memory_sequence, memory_owner(tree) != me
    follow = Counter(zip(up[theirs].tolist(), sequence[theirs].tolist()))
    for h in np.flatnonzero(is_gate).tolist():
        known = int(memory[h])
        before = int(up[known])
        moved = before >= 0 and sequence[known] != sequence[before]
        if moved and follow[before, int(sequence[known])] == 1 and not public.acts[public.of_memory[before], me]:
            worth_at[h] = decision[before]
    return worth_at


def _moments(public: PublicStates, me: int) -> NDArray[np.int64]:
    count = np.zeros(len(public.parent), np.int64)
    for state, up in enumerate(public.parent.tolist()):
        count[state] = (count[up] if up >= 0 else 0) + public.acts[state, me]
    return count


def _memories_by_length(tree: Tree) -> list[Longs]:
    """The memories of all players by their length, the empty ones first."""
    depth = np.zeros(len(tree.memory_up), np.int64)
    for memory, up in enumerate(tree.memory_up.tolist()):
        if up >= 0:
            depth[memory] = depth[up] + 1
    first = offsets(np.bincount(depth))
    order = np.argsort(depth, kind="stable")
    return [order[a:b] for a, b in pairwise(first.tolist())]


@dataclass(frozen=True, eq=False)
class Gadget:
    """What is known at the top of a subgame.

    Attributes
    ----------
    plan : [my sequences]
        With which weight I have played each sequence above the subgame: my range.
    values : [gates at the top]
        What each is worth to the opponent (a counterfactual value); None where it is not asked.
    ranges : [gates at the top]
        Where it is not asked: with which weight it is taken to come to each.
    """

    plan: Floats
    values: Floats | None = None
    ranges: Floats | None = None


@dataclass(frozen=True, eq=False)
class Subgame:
    """The part of a layout below one public state, with both learners; `limit` is the moment at which it is cut off."""

    layout: ResolvingLayout
    state: int
    limit: int
    my_sets: Longs
    their_sets: Longs
    ends: Ends
    me: SubgameLearner
    they: SubgameLearner

    @property
    def size(self) -> int:
        """How many nodes of both players' decision trees a sweep visits: information sets, and the gadget's."""
        inner_gates = (self.layout.gate_memory[self.their_sets] >= 0) & (self.they.size[self.their_sets] == 1)
        return len(self.my_sets) + len(self.their_sets) - int(inner_gates.sum())


def cut_subgame(layout: ResolvingLayout, state: int, gadget: Gadget, limit: int) -> Subgame:
    """Cut the subgame of a public state out, up to the `limit`-th moment at which I act."""
    from fogbound.solvers.sound_search.kernels.subgame import play_evenly

    mine = np.arange(len(layout.my_state))[layout.run(layout.my_state, state)]
    mine = mine[layout.moment[layout.my_state[mine]] < limit]
    theirs = np.arange(len(layout.their_state))[layout.run(layout.their_state, state)]
    moment, is_gate = layout.moment[layout.their_state[theirs]], layout.gate_memory[theirs] >= 0
    theirs = theirs[moment < limit + is_gate]
    top = theirs[(layout.their_state[theirs] == state) & (layout.gate_memory[theirs] >= 0)]
    run = layout.run(layout.end_state, state)
    kept = np.flatnonzero(layout.moment[layout.end_state[run]] < limit) + run.start
    ends = Ends(layout.my_end[kept], layout.their_end[kept], layout.gain[kept])
    me, they = _learner(layout.mine, layout.my_sequences), _learner(layout.theirs, layout.their_sequences)
    me.weight[:] = gadget.plan
    they.size[theirs[layout.gate_memory[theirs] >= 0]] = 1
    they.weight[0] = 1.0
    first = layout.theirs.first[top]
    if gadget.values is not None:
        they.size[top] = 2
        they.weight[layout.theirs.parent[top]] = 1.0
        they.fixed[first + TERMINATE] = gadget.values
    elif gadget.ranges is not None:
        they.weight[first + FOLLOW] = gadget.ranges
        theirs = np.setdiff1d(theirs, top)
    play_evenly(layout.mine, me, mine)
    play_evenly(layout.theirs, they, theirs)
    return Subgame(layout, state, limit, mine, theirs, ends, me, they)


def _learner(decisions: DecisionTree, sequences: int) -> SubgameLearner:
    names = ("regret", "average", "behaviour", "weight", "fixed", "counterfactual")
    by_sequence = {name: np.zeros(sequences) for name in names}
    return SubgameLearner(size=decisions.size.copy(), value=np.zeros(len(decisions.size)), **by_sequence)
