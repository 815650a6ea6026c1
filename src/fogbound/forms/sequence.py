"""The sequence form: a strategy is a weight for each of a player's own action sequences.

Its size is that of the tree, not exponential as the normal form's (Koller, Megiddo and von Stengel 1994),
and payoffs are linear in each player's weights. Everything an equilibrium solver does runs on this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, cut_short, many
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats, Ints, heads
from fogbound.forms.decisions import Decisions
from fogbound.forms.memories import MOST_COMBINATIONS, Memories, grown
from fogbound.forms.protocol import Form, PlayersForm, Question, derive
from fogbound.forms.table import Table
from fogbound.forms.tree import MOST_NODES, Tree, tree, tree_advice, tree_size

SMALL = 50_000  # nodes up to which a tree is always written out
OFTEN = 10  # nodes for each of a table's outcomes from which on it is tried to sum histories out
FEWER, FAR_FEWER = 4, 16  # ... and that is done where so many times fewer payoffs, and combinations, are left
HOPELESS = 1e15  # nodes from which on it is not even tried


@dataclass(frozen=True, eq=False, repr=False)
class Treeplex:
    """One player's decisions: its information sets, parents first, and their sequences.

    Parameters
    ----------
    sets : [H_i]
        The numbers of the information sets among those of all players.
    parent : [H_i]
        The sequence that leads here.
    first : [H_i]
        The sequence of the first move.
    size : [H_i]
        How many moves.
    sequences
        How many sequences there are, the empty one included.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> plex = forms.sequence(games.make("king-ace")).plexes[0]
    >>> plex.weights(plex.uniform).tolist()
    [1.0, 0.5, 0.5, 0.5, 0.5]
    """

    sets: NDArray[np.int64]  # [H_i]
    parent: Ints  # [H_i]
    first: Ints  # [H_i]
    size: Ints  # [H_i]
    sequences: int

    def __repr__(self) -> str:
        return f"<Treeplex, {many(len(self.sets), 'information set')}, {many(self.sequences, 'sequence')}>"

    @cached_property
    def uniform(self) -> Floats:
        """The behaviour that plays every move of a set with equal probability, by sequence."""
        behaviour = np.ones(self.sequences)
        behaviour[1:] = np.repeat(1.0 / self.size, self.size)
        return behaviour

    def behaviour(self, weights: Floats, otherwise: Floats | None = None) -> Floats:
        """Move probabilities by sequence from realisation weights; in sets not reached `otherwise`, or uniform."""
        behaviour = self.uniform.copy() if otherwise is None else otherwise.copy()
        if len(self.parent):
            clipped = np.maximum(weights, 0.0)
            totals = np.add.reduceat(clipped[1:], self.first - 1)
            reached = np.repeat(totals > 0, self.size)
            ratio = clipped[1:] / np.repeat(np.where(totals > 0, totals, 1.0), self.size)
            behaviour[1:] = np.where(reached, ratio, behaviour[1:])
        return behaviour

    def weights(self, behaviour: Floats) -> Floats:
        """Realisation weights by sequence from move probabilities."""
        from fogbound.forms.kernels.treeplex import realise

        weights = np.empty(self.sequences)
        realise(self.parent, self.first, self.size, behaviour, weights)
        return weights


@dataclass(frozen=True, eq=False, repr=False)
class SequenceForm(PlayersForm):
    """n treeplexes, and the chance-weighted payoffs of the K combinations of sequences that meet at ends.

    Parameters
    ----------
    decisions
        The tree, or the memories, that it was made from.
    plexes
        Each player's decisions.
    ends : [K, n]
        The sequence of each player, sorted, each combination once.
    payoff : [K, n]
        What each player is paid there, times the probability of chance's part.
    """

    kind: ClassVar[str] = "sequence"
    made_from: ClassVar[str] = "table"
    also_from: ClassVar[tuple[str, ...]] = ("tree", "memories")
    certified_as: ClassVar[str] = "sequence"

    decisions: Tree | Memories = field(repr=False)
    plexes: tuple[Treeplex, ...]
    ends: Ints  # [K, n]
    payoff: Floats  # [K, n]

    @property
    def spec(self) -> str:
        return self.decisions.spec

    @property
    def players(self) -> tuple[str, ...]:
        return self.decisions.players

    @property
    def origin(self) -> Tree | Memories:
        return self.decisions

    @property
    def tree(self) -> Tree:
        """The tree, for what needs histories: sampling, drawing. FormError where they were summed out."""
        if isinstance(self.decisions, Tree):
            return self.decisions
        raise FormError(
            f"{self.spec}: its histories are too many to be written out, so this needs a smaller game; "
            "linear programs and full regret passes need no histories"
        )

    @property
    def size(self) -> int:
        return sum(plex.sequences for plex in self.plexes)

    def describe(self) -> str:
        sizes = " + ".join(f"{plex.sequences:,}" for plex in self.plexes)
        return f"sequence form, {many(sizes, 'sequence')} ({self.decisions.size:,} {self.decisions.counted_in})"

    @classmethod
    def derive(cls, source: Table | Tree | Memories, question: Question) -> SequenceForm:
        return sequence(source, question.limit)

    @property
    def constant_sum(self) -> float | None:
        return self.decisions.constant_sum

    @property
    def largest(self) -> float:
        return self.decisions.largest

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Those of what it was made from: what certificates are hashed over."""
        return self.decisions.arrays()


def sequence(source: AnyGame | Form, limit: int | None = None) -> SequenceForm:
    """The sequence form of a game, its table, its tree or its memories.

    Where a game has few states and many histories these are not written out but summed out: see `forms.memories`.

    Parameters
    ----------
    source
        The game, or a form on the way.
    limit
        How many nodes its tree, or combinations its memories, may have; by default as many as their builders allow.

    Returns
    -------
    SequenceForm
        One treeplex a player, and the payoffs of the combinations of sequences.

    Raises
    ------
    FormError, LimitError, GameError
        There is neither a tree nor a form from memories: see `forms.tree` and `forms.memories`.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.sequence(games.make("king-ace"))
    >>> form.size, form.constant_sum
    (10, 0.0)
    """
    at_hand = source if isinstance(source, Tree | Memories) else _unrolled(derive(source, Table), limit)
    check()
    plexes = tuple(treeplex(at_hand, player) for player in range(len(at_hand.players)))
    if isinstance(at_hand, Memories):
        return SequenceForm(at_hand, plexes, at_hand.ends, at_hand.payoff)
    ends = at_hand.ends
    where = at_hand.memory_sequence[at_hand.memory[ends]]
    reward = at_hand.payoff[ends] * at_hand.reach[ends, None]
    order = np.lexsort(where.T[::-1])
    fresh = np.flatnonzero(heads(*where[order].T))
    return SequenceForm(at_hand, plexes, where[order[fresh]], np.add.reduceat(reward[order], fresh, axis=0))


def _unrolled(game: Table, limit: int | None) -> Tree | Memories:
    """Histories written out where they are few, or hardly anything is gained by summing them out; else summed out."""
    nodes, _ = tree_size(game)
    within = MOST_NODES if limit is None else limit
    if nodes <= SMALL or (nodes <= within and nodes < OFTEN * len(game.next)):
        return tree(game, within)
    try:
        if nodes > HOPELESS:
            raise LimitError(f"{game.spec}: {nodes:.6g} histories")
        most = MOST_COMBINATIONS if limit is None else limit
        return grown(game, int(min(most, nodes // FAR_FEWER)), int(min(most, nodes // FEWER)))
    except LimitError:
        if nodes <= within:
            return tree(game, within)
        raise LimitError(
            f"{game.spec}: {nodes:.6g} nodes, over the limit of {within:,}, so there is no tree, and too many "
            f"combinations of what players may remember. {tree_advice(nodes)}cut it, such as {cut_short(game.spec)}, "
            "answer one given opponent, or use a solver that only samples"
        ) from None


def treeplex(game: Decisions, player: int) -> Treeplex:
    """One player's decisions."""
    sets = game.sets_of(player)
    parent = game.memory_sequence[game.set_memory[sets]]
    size = game.set_size[sets]
    return Treeplex(sets, parent, game.set_first[sets], size, 1 + int(size.sum()))
