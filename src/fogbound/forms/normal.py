"""The reduced normal form: a matrix with one row or column for each pure strategy of a player.

A reduced strategy says what to do only where the player can still come when it follows it. The number of
strategies is exponential in the number of information sets, so this is for small games and for slides.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame
from fogbound.forms.sequence import SequenceForm, Treeplex, sequence
from fogbound.forms.table import Floats, Table
from fogbound.forms.tree import History, Tree

MOST_ENTRIES = 4_000_000


@dataclass(frozen=True, eq=False)
class NormalForm:
    """`payoff[j0, j1, …, i]` is what player i gets when the players use strategies j0, j1, …"""

    sequence: SequenceForm = field(repr=False)
    weights: tuple[Floats, ...] = field(repr=False)  # per player [strategy, sequence]: 1 where it plays along
    payoff: Floats  # [J0, …, Jn-1, n]

    @property
    def spec(self) -> str:
        return self.sequence.spec

    @property
    def constant_sum(self) -> float | None:
        return self.sequence.constant_sum

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The tree's arrays: what certificates are hashed over."""
        return self.sequence.arrays()

    @cached_property
    def strategies(self) -> tuple[list[dict[History, Hashable]], ...]:
        """Each pure strategy in words: what the player knows -> what it does there."""
        return tuple([_in_words(self.sequence, i, row) for row in weights] for i, weights in enumerate(self.weights))


def normal(source: AnyGame | Table | Tree | SequenceForm, limit: int = MOST_ENTRIES) -> NormalForm:
    """The reduced normal form; LimitError when the matrix would have over `limit` entries."""
    form = source if isinstance(source, SequenceForm) else sequence(source)
    counts = [count_strategies(plex) for plex in form.plexes]
    if entries(counts) > limit:
        raise LimitError(
            f"{form.spec}: {shape(counts)} pure strategies, over the limit of {limit:,} entries, so there is no normal "
            "form. Use the sequence form (sequence-lp), which grows with the tree only"
        )
    weights = tuple(np.array(_strategies(plex)) for plex in form.plexes)
    payoff = np.zeros((*counts, len(counts)))
    for end, pay in zip(form.ends, form.payoff):
        cell: Any = np.ones(())
        for i, q in enumerate(end):
            cell = np.multiply.outer(cell, weights[i][:, q])
        payoff += np.multiply.outer(cell, pay)
    return NormalForm(form, weights, payoff)


def entries(counts: list[int]) -> int:
    """How many numbers the matrices of all players hold together, as an exact integer."""
    return math.prod(counts) * len(counts)


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
    """All reduced pure strategies as 0/1 realisation weights, the last set's choice changing fastest."""
    below: dict[int, list[int]] = {}
    for h, q in enumerate(plex.parent.tolist()):
        below.setdefault(q, []).append(h)

    def plans(q: int) -> list[tuple[int, ...]]:
        """The sets of sequences that can be played on from q."""
        options = []
        for h in below.get(q, []):
            first = int(plex.first[h])
            options.append([(c, *rest) for c in range(first, first + int(plex.size[h])) for rest in plans(c)])
        return [tuple(c for part in choice for c in part) for choice in product(*options)]

    rows = []
    for plan in plans(0):
        row = np.zeros(plex.sequences)
        row[[0, *plan]] = 1.0
        rows.append(row)
    return rows


def _in_words(form: SequenceForm, player: int, row: Floats) -> dict[History, Hashable]:
    plex, game = form.plexes[player], form.tree
    words = {}
    for h, first, size in zip(plex.sets, plex.first, plex.size):
        played = np.flatnonzero(row[first : first + size])
        if len(played):
            words[game.history(player, int(game.set_memory[h]))] = game.moves(int(h))[int(played[0])]
    return words
