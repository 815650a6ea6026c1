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
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.protocol import NOTHING, Described, Question
from fogbound.forms.table import Table
from fogbound.forms.tree import MOST_NODES, Tree, tree


@dataclass(frozen=True, eq=False, repr=False)
class Treeplex:
    """One player's decisions: its information sets, parents first, and their sequences.

    Parameters
    ----------
    sets : [H_i]
        The numbers of the information sets in the tree.
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
        return f"<Treeplex, {len(self.sets):,} information sets, {self.sequences:,} sequences>"

    @cached_property
    def uniform(self) -> Floats:
        """The behaviour that plays every move of a set with equal probability, by sequence."""
        behaviour = np.ones(self.sequences)
        behaviour[1:] = np.repeat(1.0 / self.size, self.size)
        return behaviour

    def behaviour(self, weights: Floats) -> Floats:
        """Move probabilities by sequence from realisation weights; uniform where a set is not reached."""
        behaviour = self.uniform.copy()
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
class SequenceForm(Described):
    """n treeplexes, and the chance-weighted payoffs of the K combinations of sequences that meet at ends.

    Parameters
    ----------
    tree
        The tree that it was made from.
    plexes
        Each player's decisions.
    ends : [K, n]
        The sequence of each player, sorted, each combination once.
    payoff : [K, n]
        Each player's payoff there, times the probability of chance's part.
    """

    kind: ClassVar[str] = "sequence"
    made_from: ClassVar[str] = "tree"
    against: ClassVar[str] = NOTHING
    certified_as: ClassVar[str] = "tree"

    tree: Tree = field(repr=False)
    plexes: tuple[Treeplex, ...]
    ends: Ints  # [K, n]
    payoff: Floats  # [K, n]

    @property
    def spec(self) -> str:
        return self.tree.spec

    @property
    def players(self) -> tuple[str, ...]:
        return self.tree.players

    @property
    def origin(self) -> Tree:
        return self.tree

    @property
    def player(self) -> None:
        """A sequence form is about nobody in particular."""

    @property
    def size(self) -> int:
        return sum(plex.sequences for plex in self.plexes)

    def describe(self) -> str:
        sizes = " + ".join(f"{plex.sequences:,}" for plex in self.plexes)
        return f"sequence form, {sizes} sequences ({self.tree.size:,} nodes)"

    @classmethod
    def derive(cls, source: Tree, question: Question) -> SequenceForm:  # noqa: ARG003
        return sequence(source)

    @property
    def constant_sum(self) -> float | None:
        return self.tree.constant_sum

    @property
    def largest(self) -> float:
        return self.tree.largest

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The tree's arrays: what certificates are hashed over."""
        return self.tree.arrays()


def sequence(source: AnyGame | Table | Tree, limit: int = MOST_NODES) -> SequenceForm:
    """The sequence form of a game, its table or its tree.

    Parameters
    ----------
    source
        The game, or a form on the way.
    limit
        How many nodes its tree may have.

    Returns
    -------
    SequenceForm
        One treeplex a player, and the payoffs of the combinations of sequences that meet at ends.

    Raises
    ------
    FormError, LimitError, GameError
        There is no tree: see `forms.tree`.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.sequence(games.make("king-ace"))
    >>> form.size, form.constant_sum
    (10, 0.0)
    """
    game = source if isinstance(source, Tree) else tree(source, limit)
    check()
    plexes = tuple(_treeplex(game, player) for player in range(len(game.players)))
    ends = game.ends
    where = game.memory_sequence[game.memory[ends]]
    reward = game.payoff[ends] * game.reach[ends, None]
    order = np.lexsort(where.T[::-1])
    moved = (np.diff(where[order], axis=0) != 0).any(axis=1)
    fresh = np.flatnonzero(np.concatenate([[True], moved]))
    return SequenceForm(game, plexes, where[order[fresh]], np.add.reduceat(reward[order], fresh, axis=0))


def _treeplex(game: Tree, player: int) -> Treeplex:
    sets = game.sets_of(player)
    parent = game.memory_sequence[game.set_memory[sets]]
    size = game.set_size[sets]
    return Treeplex(sets, parent, game.set_first[sets], size, 1 + int(size.sum()))
