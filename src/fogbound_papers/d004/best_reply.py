"""How much of the exact best reply to random players POMCP finds in King Up, where both are known.

The sweep over public states (`public_states`) says what random play scores and what the best reply to it does. Between
the two lies all that a planner can gain against such players; POMCP, which holds the others for random, gains a share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance

from fogbound.games.king_up.game import KingUp
from fogbound.solvers.search.planner import Z95
from fogbound.solvers.search.pomcp import POMCP
from fogbound_papers.claim import UNSTATED, Claim
from fogbound_papers.d004.public_states import ExactFigures

SOLVER = POMCP(simulations=1_000, exploration=1.0)  # chosen among 0.15 to 1.5 on games of another seed
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


def share(
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


def claims(found: Share) -> Iterator[Claim]:
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
