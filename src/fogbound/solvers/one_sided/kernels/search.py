"""Where a trial through beliefs of the blind player leads: the choices of PG-HSVI.

Horak, Bosansky and Pechoucek (2017); in the form of Horak, Bosansky, Kovarik and Kiekintveld, "Solving zero-sum
one-sided partially observable stochastic games" (2023): the blind player's action comes from the upper stage game,
the other's from the lower one, and what is looked at next is where the gap exceeds what may be left there, weighted
by how likely it is. The upper bound comes down slowly, since points say little of beliefs around them and were found
from worse ones: so most trials lead through the beliefs of known points instead of new ones.
"""

from __future__ import annotations

from fogbound.compiled.kernel import NONE, kernel
from fogbound.solvers.one_sided.kernels.model import best_record, sawtooth, successor_belief
from fogbound.solvers.one_sided.kernels.upper_bound import hull

UNMIXED, UNLIKELY = 1e-9, 1e-12  # shares and probabilities up to which nothing is looked at


@kernel
def bounds_at(here, partition):
    """The most that a vector guarantees at the unnormalised belief work.tau, and what the hull of points says there."""
    game, bounds = here.game, here.bounds
    many = game.state_start[partition + 1] - game.state_start[partition]
    return best_record(bounds, bounds.vectors, partition, many, here.work.tau)[0], hull(here, partition)


@kernel
def promising(here, partition, used, left):
    """The successor with the largest weighted excess of the gap over `left`; -1 when there is none.

    The blind player's mixture is work.shares of the actions work.picks[:used, 0], the other's work.lower_y.
    """
    game, bounds, work = here.game, here.bounds, here.work
    base, picks, shares, tau = game.reply_start[game.state_start[partition]], work.picks, work.shares, work.tau
    most, chosen = 0.0, NONE
    for j in range(used):
        if shares[j] > UNMIXED:
            for successor in range(game.successor_start[picks[j, 0]], game.successor_start[picks[j, 0] + 1]):
                total = successor_belief(game, successor, work.lower_y, base, tau)
                if total > UNLIKELY:
                    q = game.target[successor]
                    quick = sawtooth(game, bounds, q, tau)[0]
                    low = best_record(bounds, bounds.vectors, q, game.state_start[q + 1] - game.state_start[q], tau)[0]
                    if shares[j] * (quick - low - left * total) > most:
                        excess = shares[j] * (hull(here, q) - low - left * total)
                        if excess > most:
                            most, chosen = excess, successor
    return chosen


@kernel
def forward(here, partition, successor):
    """work.tau becomes the belief after an observation against work.lower_y, unnormalised. Its sum."""
    game, work = here.game, here.work
    return successor_belief(game, successor, work.lower_y, game.reply_start[game.state_start[partition]], work.tau)


@kernel
def heaviest(here, partition):
    """Of the points that cover work.tau, as the hull left them, the one whose gap weighs most; -1: there is none."""
    game, bounds, work = here.game, here.bounds, here.work
    many = game.state_start[partition + 1] - game.state_start[partition]
    best, point = 0.0, NONE
    for r in range(many):
        if work.cover[r] > 0.0:
            at = bounds.at[work.chosen[r]]
            for s in range(many):
                work.facet[s] = bounds.value[at + s]
            low = best_record(bounds, bounds.vectors, partition, many, work.facet)[0]
            weight = work.cover[r] * (bounds.value[at + many] - low)
            if weight > best:
                best, point = weight, work.chosen[r]
    return point
