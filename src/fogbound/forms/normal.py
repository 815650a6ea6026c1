"""The reduced normal form: a matrix with one row or column for each pure strategy of a player.

A reduced strategy says what to do only where the player can still come when it follows it. The number of
strategies is exponential in the number of information sets, so this is for small games and for slides.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, many
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats
from fogbound.forms.decisions import History
from fogbound.forms.protocol import PlayersForm, Question, derive
from fogbound.forms.sequence import SequenceForm, Treeplex
from fogbound.forms.table import Table
from fogbound.forms.tree import Tree

MOST_ENTRIES = 4_000_000


@dataclass(frozen=True, eq=False, repr=False)
class NormalForm(PlayersForm):
    """`payoff[j0, j1, …, i]` is what player i gets when the players use strategies j0, j1, …

    Parameters
    ----------
    sequence
        The sequence form that it was made from.
    weights
        Of each player, [strategy, sequence]: 1 where the strategy plays along.
    payoff : [J0, …, Jn-1, n]
        What each player gets, by everybody's strategy.
    """

    kind: ClassVar[str] = "normal"
    made_from: ClassVar[str] = "sequence"
    certified_as: ClassVar[str] = "tree"

    sequence: SequenceForm = field(repr=False)
    weights: tuple[Floats, ...] = field(repr=False)
    payoff: Floats  # [J0, …, Jn-1, n]

    @property
    def spec(self) -> str:
        return self.sequence.spec

    @property
    def players(self) -> tuple[str, ...]:
        return self.sequence.players

    @property
    def origin(self) -> SequenceForm:
        return self.sequence

    @property
    def size(self) -> int:
        return int(self.payoff.size)

    def describe(self) -> str:
        return "normal form, " + many(" x ".join(f"{len(w):,}" for w in self.weights), "strategy")

    @classmethod
    def derive(cls, source: SequenceForm, question: Question) -> NormalForm:  # noqa: ARG003
        return normal(source)

    @property
    def constant_sum(self) -> float | None:
        return self.sequence.constant_sum

    @property
    def largest(self) -> float:
        return self.sequence.largest

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The tree's arrays: what certificates are hashed over."""
        return self.sequence.arrays()

    @cached_property
    def strategies(self) -> tuple[list[dict[History, Hashable]], ...]:
        """Each pure strategy in words: what the player knows -> what it does there."""
        return tuple([_in_words(self.sequence, i, row) for row in weights] for i, weights in enumerate(self.weights))


def normal(source: AnyGame | Table | Tree | SequenceForm, limit: int = MOST_ENTRIES) -> NormalForm:
    """The reduced normal form: the payoffs of every combination of pure strategies.

    Parameters
    ----------
    source
        The game, or a form on the way.
    limit
        How many entries the matrix may have, over all players. They are counted before anything is built.

    Returns
    -------
    NormalForm

    Raises
    ------
    LimitError
        The matrix would have over `limit` entries; the message has its shape.
    FormError, GameError
        There is no tree: see `forms.tree`.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.normal(games.make("king-ace"))
    >>> form.payoff[..., 0].shape
    (4, 4)
    >>> [list(words.values()) for words in form.strategies[1]]
    [['call', 'call'], ['call', 'fold'], ['fold', 'call'], ['fold', 'fold']]
    """
    form = derive(source, SequenceForm)
    counts = [count_strategies(plex) for plex in form.plexes]
    if entries(counts) > limit:
        raise LimitError(
            f"{form.spec}: {many(shape(counts), 'pure strategy')}, over the limit of {limit:,} entries, so there is no "
            "normal form. Use a solver on the sequence form, which grows with the tree only"
        )
    weights = tuple(np.array(_strategies(plex)) for plex in form.plexes)
    return NormalForm(form, weights, _payoffs(form, weights))


def _payoffs(form: SequenceForm, weights: tuple[Floats, ...]) -> Floats:
    """[J0, …, n] by summing over the ends that each combination of strategies reaches."""
    if len(weights) == 2:
        return _bimatrix(form, weights)
    payoff = np.zeros((*(len(w) for w in weights), len(weights)))
    for end, reward in zip(form.ends, form.payoff):
        check()
        cell: Any = np.ones(())
        for i, q in enumerate(end):
            cell = np.multiply.outer(cell, weights[i][:, q])
        payoff += np.multiply.outer(cell, reward)
    return payoff


def _bimatrix(form: SequenceForm, weights: tuple[Floats, ...]) -> Floats:
    """The same for two players, as sparse products."""
    from scipy.sparse import csr_matrix

    rows, columns = (csr_matrix(w) for w in weights)
    shape = (rows.shape[1], columns.shape[1])
    parts = []
    for i in range(2):
        check()
        ends = csr_matrix((form.payoff[:, i], (form.ends[:, 0], form.ends[:, 1])), shape=shape)
        parts.append((rows @ ends @ columns.T).toarray())
    return np.stack(parts, axis=-1)


def entries(counts: list[int]) -> int:
    """How many numbers the matrices of all players hold together, as an exact integer."""
    return max(math.prod(counts) * len(counts), 64 * max(counts))  # a strategy itself takes room too


def shape(counts: list[int]) -> str:
    """The shape of the matrix in words."""
    return " x ".join(f"{c:,}" if c < 10**9 else f"{float(min(c, 10**300)):.3g}" for c in counts)


def count_strategies(plex: Treeplex) -> int:
    """How many reduced pure strategies a player has, as an exact integer."""
    below = [1] * plex.sequences
    for h in range(len(plex.parent) - 1, -1, -1):
        first = int(plex.first[h])
        below[plex.parent[h]] *= sum(below[first : first + int(plex.size[h])])
    return below[0]


def _strategies(plex: Treeplex) -> list[Floats]:
    """All reduced pure strategies as 0/1 realisation weights, the last set's choice changing fastest.

    From the last set to the first: the plans below each move are known, and a set's plans are combined with
    those of the sets beside it.
    """
    plans: list[list[tuple[int, ...]]] = [[()] for _ in range(plex.sequences)]
    for h in range(len(plex.parent) - 1, -1, -1):
        check()
        first, parent = int(plex.first[h]), int(plex.parent[h])
        here = [(q, *rest) for q in range(first, first + int(plex.size[h])) for rest in plans[q]]
        plans[parent] = [one + beside for one in here for beside in plans[parent]]
    rows = np.zeros((len(plans[0]), plex.sequences))
    rows[:, 0] = 1.0
    for row, plan in zip(rows, plans[0]):
        row[list(plan)] = 1.0
    return list(rows)


def _in_words(form: SequenceForm, player: int, row: Floats) -> dict[History, Hashable]:
    plex, game = form.plexes[player], form.decisions
    words = {}
    for h, first, size in zip(plex.sets, plex.first, plex.size):
        played = np.flatnonzero(row[first : first + size])
        if len(played):
            words[game.history(player, int(game.set_memory[h]))] = game.moves(int(h))[int(played[0])]
    return words
