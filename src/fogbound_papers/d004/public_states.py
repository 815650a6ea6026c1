"""King Up exactly, by sweeps over what everybody sees: random play, and best replies to players who play at random.

Lists decide what is paid and never how play goes on, so that states of one deal stand for those of all. And letters can
be renamed (the ring is turned; with `lists=any`, in every way) so that any list becomes any other: a player's value is
the same whatever its list is, and with random players whatever the others' are. One deal is enough.

How much of the exact best reply to random players POMCP finds in King Up, where both are known.

The sweep over public states (`public_states`) says what random play scores and what the best reply to it does. Between
the two lies all that a planner can gain against such players; POMCP, which holds the others for random, gains a share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb, sqrt
from statistics import fmean, variance

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import AnyGame
from fogbound.evaluation.uniform_play import UniformSweep
from fogbound.forms.state_graph import LIMIT, StateGraph, state_graph
from fogbound.games.king_up.game import KingUp
from fogbound.games.king_up.kernels import LEFT, LEVEL
from fogbound.solvers.search.planner import Z95
from fogbound.solvers.search.pomcp import POMCP
from fogbound_papers.claim import UNSTATED, Claim


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
    states = public_state_graph(game, limit)
    found, (start,) = UniformSweep(states).run(), states.start
    points = found.uniform[start] * game.unit, found.reply[start] * game.unit
    return ExactFigures(*_stages(game, states), *(tuple(map(float, seats)) for seats in points))


def public_state_graph(game: AnyGame, limit: int = LIMIT) -> StateGraph:
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


SOLVER = POMCP(simulations=1_000, exploration=1.0, reuse=False)  # chosen among 0.15 to 1.5 on games of another seed
QUICK_GAMES, FULL_GAMES = 60, 10_000
AIM = 0.9


@dataclass(frozen=True)
class Share:
    """What a planner gains over random play as a share of what the exact best reply gains, all seats together.

    Parameters
    ----------
    games
        In all seats, as many in each.
    points
        The mean score in each seat.
    share
        The planner's gains, divided by the best reply's; sums over the seats.
    half
        Half the width of the 95 % interval of the share.
    """

    games: int
    points: tuple[float, ...]
    share: float
    half: float

    @property
    def interval(self) -> tuple[float, float]:
        return self.share - self.half, self.share + self.half


def share_gained(
    game: KingUp,
    exact: ExactFigures,
    games: int,
    solver: POMCP = SOLVER,
    seed: int = 1,
    watch: Callable[[str], None] = lambda _: None,
) -> Share:
    """Play `games` games, the planner in every seat in turn, the others at random.

    Parameters
    ----------
    game
        The rules.
    exact
        What random play and best replies score in it.
    games
        How many; at least two in each seat.
    solver
        The planner.
    seed
        Same seed, same games.
    watch
        Told where it stands.

    Returns
    -------
    Share
    """
    each = max(2, games // game.seats)
    scores = []
    for seat in range(game.seats):
        watch(f"King Up: pomcp in seat {seat + 1} against random players")
        table = solver.policy(game, seat, seed).episodes()
        scores.append([game.unit * table.play(f"{seed} {seat} {number}").gained for number in range(each)])
    gained = sum(fmean(points) - random for points, random in zip(scores, exact.random))
    possible = sum(exact.replies) - sum(exact.random)
    error = sqrt(sum(variance(points) / each for points in scores))
    points = tuple(map(fmean, scores))
    return Share(each * game.seats, points, gained / possible, Z95 * error / possible)


def share_claims(found: Share) -> Iterator[Claim]:
    """One row; the document has no opponent whose best reply is known."""
    low, high = found.interval
    lies = "below" if high < AIM else "above" if low > AIM else "around"
    points = " / ".join(f"{each:.2f}" for each in found.points)
    yield Claim(
        "POMCP's share of what the exact best reply to two random players gains", UNSTATED, UNSTATED,
        f"{found.share:.1%} ± {found.half:.1%}", "not stated",
        f"{found.games:,} games in which `pomcp` ({SOLVER.simulations:,} simulations a move, exploration "
        f"{SOLVER.exploration:g}) holds the others for random, as they are: {points} points in seats 1 / 2 / 3, less "
        "those of random play, divided by what the "
        f"exact best replies have more than random play; the 95 % interval lies {lies} {AIM:.0%}",
    )  # fmt: skip
