"""Equilibria of three and more players: all pure ones, and the mixed ones that Newton's method finds on supports.

Mixed equilibria of three players may be irrational, so each comes either as fractions that are an equilibrium exactly,
or as rounded numbers with their regret. Nothing is claimed about mixed equilibria that are not found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import many
from fogbound.evaluation.dominance import iterated_dominance
from fogbound.forms.arrays import Floats
from fogbound.solvers.all_equilibria.exact_game import ExactGame, Mixed, Profile
from fogbound.solvers.linear_programs.highs import power_of_two
from fogbound.solvers.matrix.many_supports import equilibria_on, support_profiles

MOST_COMBINATIONS = 20_000  # of supports
FEW, STARTS, FEWER_STARTS = 60, 20, 5  # combinations, and the points from which Newton's method begins on each
SIMPLE = 1_000  # the largest denominator of a probability that is tried as a fraction


@dataclass(frozen=True)
class SearchResult:
    """Profiles with the most that a player gains by deviating, and what is known of those that are missing."""

    profiles: tuple[tuple[Profile, Fraction], ...]
    statement: str


def search_equilibria(game: ExactGame, seed: int = 0) -> SearchResult:
    """The pure equilibria of a game, all of them, and mixed ones as far as Newton's method finds them."""
    pure = [(profile, Fraction(0)) for profile in exact_pure_equilibria(game)]
    kept = iterated_dominance(game.form).kept
    combinations = math.prod(2 ** len(part) - 1 for part in kept)
    if combinations > MOST_COMBINATIONS:
        return SearchResult(
            tuple(pure),
            f"all pure equilibria; mixed ones were not looked for, since there are over {MOST_COMBINATIONS:,} "
            "combinations of supports",
        )
    starts = STARTS if combinations <= FEW else FEWER_STARTS
    mixed, degenerate = _mixed(game, kept, starts, seed)
    said = (
        f"all pure equilibria; mixed ones as far as Newton's method found them from {starts} points on each of "
        f"{many(combinations, 'combination')} of supports: there may be others"
    )
    if degenerate:
        said += f", and {many(degenerate, 'support')} of those listed may hold a continuum"
    return SearchResult((*pure, *mixed), said)


def exact_pure_equilibria(game: ExactGame) -> list[Profile]:
    """The cells in which every player's strategy is a best reply, exactly."""
    stable = np.ones(game.widths, bool)
    for i, own in enumerate(game.payoffs):
        stable &= (own == own.max(axis=i, keepdims=True)).astype(bool)
    found = []
    for cell in np.argwhere(stable).tolist():
        strategies = zip(cell, game.widths)
        found.append(tuple(tuple(Fraction(int(k == j)) for j in range(wide)) for k, wide in strategies))
    return found


def _mixed(
    game: ExactGame, kept: Sequence[Sequence[int]], starts: int, seed: int
) -> tuple[list[tuple[Profile, Fraction]], int]:
    """(profiles with their regrets, how many lie in a support with free directions)."""
    payoff: Floats = game.form.payoff[np.ix_(*kept, range(game.players))]
    scaled, rng = payoff / power_of_two(payoff), np.random.default_rng(seed)
    found, degenerate = [], 0
    for chosen in support_profiles(payoff.shape[:-1]):
        check()
        if all(len(part) == 1 for part in chosen):
            continue
        for one in equilibria_on(scaled, chosen, starts, rng):
            floats = [np.zeros(wide) for wide in game.widths]
            for i, own in enumerate(one.mixed):
                floats[i][list(kept[i])] = own
            found.append(_exactly(game, floats))
            degenerate += one.degenerate
    return found, degenerate


def _exactly(game: ExactGame, floats: Sequence[Floats]) -> tuple[Profile, Fraction]:
    """Simple fractions where these are an equilibrium, else the floats themselves, with their regret."""
    simple = tuple(_normalised([Fraction(v).limit_denominator(SIMPLE) for v in own.tolist()]) for own in floats)
    if (least := regret(game, simple)) == 0:
        return simple, least
    rounded = tuple(_normalised([Fraction(v) for v in own.tolist()]) for own in floats)
    return rounded, regret(game, rounded)


def _normalised(weights: Sequence[Fraction]) -> Mixed:
    total = sum(weights, Fraction(0))
    return tuple(w / total for w in weights)


def regret(game: ExactGame, profile: Profile) -> Fraction:
    """The most that a player gains by deviating alone."""
    gains = []
    for i, own in enumerate(profile):
        worth = game.worth(i, profile)
        gains.append(max(worth) - sum((p * v for p, v in zip(own, worth)), Fraction(0)))
    return max(gains)
