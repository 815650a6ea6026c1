"""King Up exactly, by sweeps over what everybody sees: random play, and best replies to players who play at random.

Lists decide what is paid and never how play goes on, so that states of one deal stand for those of all. And letters can
be renamed (the ring is turned; with `lists=any`, in every way) so that any list becomes any other: a player's value is
the same whatever its list is, and with random players whatever the others' are. One deal is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import AnyGame
from fogbound.evaluation.uniform_play import UniformSweep
from fogbound.forms.state_graph import LIMIT, StateGraph, state_graph
from fogbound.games.king_up.game import KingUp
from fogbound.games.king_up.kernels import LEFT, LEVEL


@dataclass(frozen=True)
class StageCounts:
    """Public states by what is done next."""

    set: int
    push: int
    vote: int

    @property
    def total(self) -> int:
        return self.set + self.push + self.vote


@dataclass(frozen=True)
class ExactFigures:
    """What is known of a King Up without error.

    Parameters
    ----------
    states
        Public states as the rules tell them apart.
    told_apart
        The same where a piece that nobody has set is told from those that were rejected, which no rule asks for.
    random
        Points of each seat where all play at random.
    replies
        Points of each seat that replies best where all others play at random.
    """

    states: StageCounts
    told_apart: StageCounts
    random: tuple[float, ...]
    replies: tuple[float, ...]


def exact_figures(game: KingUp, limit: int = LIMIT) -> ExactFigures:
    """Enumerate the public states of a King Up, and sweep over them once.

    Parameters
    ----------
    game
        The rules.
    limit
        How many states are too many.

    Examples
    --------
    >>> from fogbound.games import make
    >>> from fogbound_papers.d004.public_states import exact_figures
    >>> found = exact_figures(make("king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)"))
    >>> found.states.total, [round(points, 6) for points in found.random]
    (55, [13.166667, 13.166667])
    """
    states = public_states(game, limit)
    found, (start,) = UniformSweep(states).run(), states.start
    points = found.uniform[start] * game.unit, found.reply[start] * game.unit
    return ExactFigures(*_stages(game, states), *(tuple(map(float, seats)) for seats in points))


def public_states(game: AnyGame, limit: int = LIMIT) -> StateGraph:
    """The states of one deal, which are those of all."""
    compiled, (deal, _) = game.compiled_rules(), game.start().pairs[0]
    return state_graph(compiled, [compiled.state_row(deal.state)], limit)


def _stages(game: KingUp, states: StateGraph) -> tuple[StageCounts, StageCounts]:
    """How many states there are in each stage; and where it is told which piece was never set."""
    rows = states.rows
    setting, voting = rows[:, LEFT] > 0, rows[:, LEVEL + game.height] != 0
    union = np.bitwise_or.reduce(rows[:, LEVEL:], axis=1)
    pushing = ~setting & ~voting & (union != 0)
    never = 0 if game.ground == "rest" else game.pieces - game.rounds * game.seats
    off = game.pieces - np.bitwise_count(union)
    ways = np.array([comb(gone, never) for gone in range(game.pieces + 1)])[off]

    def counted(weights: NDArray[np.int64]) -> StageCounts:
        return StageCounts(int(setting.sum()), int(weights[pushing].sum()), int(weights[voting].sum()))

    return counted(np.ones_like(ways)), counted(ways)
