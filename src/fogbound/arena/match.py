"""Many games between policies, with intervals: statistics, never called bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.arena.playing import MOST_STEPS, play
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Player

Z95 = 1.959963984540054  # two-sided 95 %


@dataclass(frozen=True)
class Standing:
    """One seat's results; intervals are 95 %, Wilson's for the win rate, normal for the score."""

    policy: str
    wins: float
    wins_interval: tuple[float, float]
    score: float
    score_interval: tuple[float, float]
    lost: int  # games in which its controller met something it was not made for


@dataclass(frozen=True)
class Match:
    """The results of `games` games. Those that never end (cycles, cut off) are ties of all, unless discounted."""

    games: int
    ties: str
    tied: int
    cycles: int
    cut: int
    players: tuple[Standing, ...]
    interrupted: bool = False  # stopped by Ctrl-C: these are the games until then


def match(
    game: AnyGame,
    policies: Sequence[Player],
    games: int = 1_000,
    seed: int = 0,
    ties: str = "split",
    names: Sequence[str] | None = None,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
) -> Match:
    """Play `games` games, each with a seed of its own derived from `seed` and its number.

    The highest return wins. `ties="split"` shares a win between those who tie, `"first"` gives it to the
    lowest seat.
    """
    if ties not in ("split", "first"):
        raise SpecError(f"match: ties is {ties!r}, expected split or first")
    if games < 1:
        raise SpecError(f"match: games is {games}, expected at least 1")
    n = len(policies)
    returns, wins, lost = np.zeros((games, n)), np.zeros((games, n)), np.zeros(n, np.int64)
    tied = cycles = cut = 0
    interrupted = False
    for number in range(games):
        source = np.random.SeedSequence(seed, spawn_key=(number,))
        try:
            played = play(game, policies, np.random.default_rng(source), most_steps)
        except KeyboardInterrupt:
            if number == 0:
                raise
            interrupted, returns, wins = True, returns[:number], wins[:number]
            break
        cycles, cut = cycles + (played.ended == "cycle"), cut + (played.ended == "cut")
        returns[number], lost = played.returns, lost + played.lost
        open_end = played.ended == "cut" or (played.ended == "cycle" and game.discount == 1)
        best = [i for i in range(n) if open_end or played.returns[i] == max(played.returns)]
        tied += len(best) > 1
        wins[number, best if ties == "split" else best[:1]] = 1 / (len(best) if ties == "split" else 1)
        if watch:
            watch(number + 1)
    labels = names or [type(p).__name__.lower() for p in policies]
    standings = [_standing(labels[i], wins[:, i], returns[:, i], int(lost[i])) for i in range(n)]
    return Match(len(returns), ties, tied, cycles, cut, tuple(standings), interrupted)


def _standing(name: str, wins: NDArray[np.float64], returns: NDArray[np.float64], lost: int) -> Standing:
    n = len(wins)
    rate, mean = float(wins.mean()), float(returns.mean())
    half = Z95 * float(returns.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf
    return Standing(name, rate, wilson(rate, n), mean, (mean - half, mean + half), lost)


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a proportion: sensible also at 0, at 1 and for few games."""
    centre = (rate + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * math.sqrt(rate * (1 - rate) / n + Z95**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)
