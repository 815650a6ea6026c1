"""The game tree: every history as a node, every player's knowledge as an information set.

Breadth first: children are contiguous, parents stand before children. What a player knows (its *memory*)
is its own actions and all it has seen, kept as a trie, so perfect recall holds by construction.
Simultaneous movers are written one after the other, each knowing nothing of the others' moves.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, GameError, LimitError, brief, cut_short, many
from fogbound.core.game import AnyGame
from fogbound.core.memory import advice, available
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.decisions import Decisions
from fogbound.forms.knowledge import clash
from fogbound.forms.protocol import Question, canonical_arrays, derive
from fogbound.forms.recurrence import topological_order
from fogbound.forms.table import Table

CHANCE, END = -1, -2
MOST_NODES = 1_000_000
BYTES_PER_NODE = 170  # of memory, for a tree and the sequence form on it, as measured
FIRST_SLOTS = 1 << 10  # of the hash table of memories with many siblings; grown as needed
SUM_TOLERANCE = 1e-9
UNROLLED = (  # columns of the table, in the order in which the kernel takes them
    *("actor_set", "actor_set_players", "actor_set_size", "legal", "legal_actions", "legal_size"),
    *("row", "out", "next", "event", "seen"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Decisions):
    """N nodes, n players; memories and information sets as in `Decisions`.

    Parameters
    ----------
    mover : [N]
        Who moves; CHANCE or END.
    parent : [N]
        The node above; -1 at the root.
    child : [N+1]
        Where the children of a node begin; a child's move is its place among them.
    prob : [N]
        Probability of the edge into a node whose parent is chance, else 1.
    reach : [N]
        Product of the chance probabilities above.
    payoff : [N, n]
        Discounted rewards so far; at an end, all of it.
    infoset : [N]
        The information set of the mover; -1 where nobody moves.
    memory : [N, n]
        The number of what each player knows there.
    state : [N]
        The table's state, -1 where there is none.
    states
        The table's states, by number.
    origin
        The table that it was made from.
    """

    kind: ClassVar[str] = "tree"
    made_from: ClassVar[str] = "table"
    certified_as: ClassVar[str] = "tree"
    counted_in: ClassVar[str] = "nodes"

    mover: Ints  # [N]
    parent: Ints  # [N]
    child: Ints  # [N+1]
    prob: Floats  # [N]
    reach: Floats  # [N]
    payoff: Floats  # [N, n]
    infoset: Ints  # [N]
    memory: Ints  # [N, n]
    state: Ints  # [N]
    states: Sequence[Hashable] = field(repr=False)
    origin: Table | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        return len(self.mover)

    def describe(self) -> str:
        return f"tree, {many(self.size, 'node')}, {many(self.sets_in_words, 'information set')}"

    @classmethod
    def derive(cls, source: Table, question: Question) -> Tree:
        return tree(source, **question.most)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.mover == END)

    @cached_property
    def constant_sum(self) -> float | None:
        """What the players' payoffs add up to at every end, or None where it varies."""
        sums = self.payoff[self.ends].sum(axis=1)
        scale = float(np.abs(self.payoff[self.ends]).max(initial=0.0))
        if len(sums) == 0 or np.ptp(sums) > SUM_TOLERANCE * scale:
            return None
        return float(np.median(sums))

    @property
    def largest(self) -> float:
        return float(np.abs(self.payoff[self.ends]).max(initial=0.0))

    @property
    def payoff_range(self) -> float:
        """The largest difference between two payoffs of one player."""
        paid = self.payoff[self.ends]
        return float(np.ptp(paid, axis=0).max(initial=0.0)) if len(paid) else 0.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The tree in the canonical layout that certificates are hashed over and checked against."""
        fields = canonical_arrays(self, ("parent", "infoset"), ("prob", "payoff"), players=len(self.players))
        return {"player": self.mover.astype("<i8"), **fields}


def tree(source: AnyGame | Table, limit: int = MOST_NODES) -> Tree:
    """Unroll a game (or its table) into its tree.

    Parameters
    ----------
    source
        The game, or its table.
    limit
        How many nodes there may be. They are counted before anything is built.

    Returns
    -------
    Tree
        Every history as a node, every player's knowledge as an information set.

    Raises
    ------
    FormError
        Play can come back to a state, so that histories never end.
    LimitError
        There are more than `limit` nodes; the message has the exact number.
    GameError
        A player's legal actions depend on something it does not know.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> forms.tree(games.make("king-ace"))
    <tree, 21 nodes, 2 + 2 information sets, of king-ace>
    """
    game = derive(source, Table)
    check()
    nodes, depth = tree_size(game)
    if nodes > limit:
        raise LimitError(
            f"{game.spec}: {nodes:.6g} nodes, over the limit of {limit:,}, so there is no tree. {tree_advice(nodes)}"
            f"cut it, such as {cut_short(game.spec)}, answer one given opponent, or use a solver that only "
            "samples"
        )
    unrolled = _unroll(game, int(nodes), depth)
    mover, state, _, parent, child, infoset, _ = unrolled.node
    set_memory, set_legal, set_first, set_owner = unrolled.sets
    return Tree(
        spec=game.spec,
        players=game.players,
        mover=mover,
        parent=parent,
        child=child,
        prob=unrolled.edge,
        reach=unrolled.reach,
        payoff=unrolled.payoff,
        infoset=infoset,
        memory=unrolled.memory,
        state=state,
        memory_up=unrolled.trie[0],
        memory_code=unrolled.code,
        memory_sequence=unrolled.trie[1],
        memory_infoset=unrolled.trie[2],
        set_memory=set_memory,
        set_legal=set_legal,
        set_owner=set_owner,
        set_first=set_first,
        set_size=game.legal_size[set_legal],
        legal_sets=tuple(game.legal_labels(m) for m in range(len(game.legal_size))),
        actions=game.actions,
        observations=game.observations,
        states=game.states,
        origin=game,
    )


@dataclass(frozen=True, eq=False)
class _Unrolled:
    """What the kernel fills; its docstring says what stands where."""

    node: tuple[Ints, ...]
    edge: Floats
    reach: Floats
    payoff: Floats
    memory: Ints
    trie: tuple[Ints, ...]
    code: NDArray[np.int64]
    sets: tuple[Ints, ...]


def _unroll(game: Table, size: int, depth: int) -> _Unrolled:
    """Allocate for the worst case (pages that stay untouched cost nothing), unroll, and keep what was used."""
    from fogbound.forms.kernels import tree as kernel

    n = len(game.players)
    most, observations = n * (size + 1), np.array([len(s) for s in game.observations], np.int64)
    if (len(game.actions) + 1) * int(observations.max()) >= 2**31:
        raise LimitError(f"{game.spec}: too many different actions and observations for one tree")
    node = tuple(np.empty(size + extra, np.int32) for extra in (0, 0, 0, 0, 1, 0, 0))
    edge, reach, payoff, memory = np.empty(size), np.empty(size), np.empty((size, n)), np.empty((size, n), np.int32)
    trie, code = tuple(np.empty(most, np.int32) for _ in range(5)), np.empty(most, np.int64)
    sets = tuple(np.empty(size, np.int32) for _ in range(4))
    cursor, sequences, slots = np.zeros(7, np.int64), np.ones(n, np.int32), FIRST_SLOTS
    keys, ids = np.empty(slots, np.int64), np.zeros(slots, np.int32)
    power = game.discount ** np.arange(depth + 2, dtype=np.float64)
    arrays = tuple(getattr(game, name) for name in UNROLLED)
    status = kernel.FULL
    while status == kernel.FULL:
        check()
        status = kernel.unroll(
            *(arrays, game.prob, game.reward, power, observations),
            *(node, edge, reach, payoff, memory, trie, code, sets, keys, ids, cursor, sequences),
        )
        if status == kernel.FULL:
            slots *= 4
            keys, ids = np.empty(slots, np.int64), np.zeros(slots, np.int32)
            kernel.rehash(trie[0], code, trie[3], n, int(cursor[kernel.MEMORIES]), keys, ids)
    if status == kernel.CLASH:
        _raise_clash(game, node[0], node[1], node[5], int(cursor[kernel.CLASH_NODE]), sets[1])
    memories, infosets = int(cursor[kernel.MEMORIES]), int(cursor[kernel.INFOSETS])
    trie_columns, infoset_columns = tuple(a[:memories].copy() for a in trie), tuple(a[:infosets].copy() for a in sets)
    return _Unrolled(node, edge, reach, payoff, memory, trie_columns, code[:memories].copy(), infoset_columns)


def tree_advice(nodes: float) -> str:
    """The memory that a tree of this size would take, and whether a larger limit would help."""
    return advice(BYTES_PER_NODE * nodes, int(nodes), available())


def tree_size(game: Table) -> tuple[float, int]:
    """How many nodes the tree has, and how many steps the longest history: without building it."""
    from fogbound.forms.kernels import tree as kernel

    size, order = game.size, require_acyclic(game)
    count, depth = np.zeros(size), np.zeros(size, np.int32)
    movers = game.actor_set, game.actor_set_size, game.legal, game.legal_size
    kernel.count_nodes(order, *movers, game.row, game.out, game.next, count, depth)
    first = game.next[: game.out[1]]
    return float(count[first].sum()) + (len(first) > 1), int(depth[first].max())


def require_acyclic(game: Table) -> Ints:
    """The states, successors first; refuse a game in which one can recur."""
    order, recurs = topological_order(game)
    if recurs >= 0:
        raise FormError(
            f"{game.spec}: play can come back to state {brief(game.states[recurs])}, so histories never end and "
            f"there is no tree. Cut it, such as {cut_short(game.spec)}, or use a solver of POMDPs or Markov games"
        )
    return order


def _raise_clash(game: Table, player: Ints, state: Ints, infoset: Ints, node: int, set_legal: Ints) -> None:
    """Name two states that a player cannot tell apart although its legal actions differ."""
    first = int(np.flatnonzero(infoset[:node] == infoset[node])[0])
    place = game.actor_set_players[game.actor_set[state[node]]].tolist().index(player[node])
    one = (int(state[first]), int(set_legal[infoset[node]]))
    raise GameError(clash(game, int(player[node]), one, (int(state[node]), int(game.legal[state[node], place]))))
