"""The corners of the best-reply polytopes of a two-player game, each found with its support.

A mixed strategy is a corner when as many independent best replies as it has supports determine it. Linear systems
are screened in floats, many at once, and what floats cannot rule out is decided in exact arithmetic; so are
all systems that are nearly singular.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers import exact
from fogbound.solvers.exact import Integers
from fogbound.solvers.lp import power_of_two

BLOCK = 1_024  # systems that are screened at once
SINGULAR = 1e-6  # determinant over the product of the rows' lengths: below, floats are not trusted
SURELY = 1e-8  # payoffs are at most 1: a violation above this is no rounding
Sets = NDArray[np.int64]  # [systems, size]


@dataclass(frozen=True)
class Corner:
    """A mixed strategy, the strategies it plays and the best replies to it, both as bits."""

    weights: tuple[Fraction, ...]
    support: int
    replies: int


def corners(payoff: Floats, equal_size: bool) -> Iterator[tuple[int, list[Corner], list[Corner]]]:
    """(systems looked at so far, new corners of the first player, new ones of the second), small supports first.

    With `equal_size` only corners that come from one pair of supports for both players.
    """
    rows, columns = payoff.shape[:2]
    to_second, to_first = payoff[..., 1].T, payoff[..., 0]  # [replies, strategies]: what replies bring
    whole = exact.integers(to_second), exact.integers(to_first)
    known: tuple[set[Corner], set[Corner]] = (set(), set())
    looked = 0
    for size in range(1, min(rows, columns) + 1):
        for chosen in combinations(range(rows), size):
            pairs = combinations(range(columns), size)
            while block := list(islice(pairs, BLOCK)):
                second = np.array(block)
                first = np.broadcast_to(np.array(chosen), second.shape)
                mine, theirs = screened(to_second, second, first), screened(to_first, first, second)
                if equal_size:
                    mine = theirs = mine & theirs
                fresh: tuple[list[Corner], list[Corner]] = ([], [])
                for who, (pay, likely) in enumerate(zip(whole, (mine, theirs))):
                    for k in np.flatnonzero(likely).tolist():
                        sets = (block[k], chosen) if who == 0 else (chosen, block[k])
                        found = corner(pay, *sets)
                        if found and found not in known[who]:
                            known[who].add(found)
                            fresh[who].append(found)
                looked += len(block)
                yield looked, *fresh


def screened(pay: Floats, equal: Sets, support: Sets) -> NDArray[np.bool_]:
    """Which systems may have a corner: all but those that floats are sure about."""
    pay, many, size = pay / power_of_two(pay), *support.shape
    systems = np.zeros((many, size + 1, size + 1))
    systems[:, :size, :size] = pay[equal[:, :, None], support[:, None, :]]
    systems[:, :size, size], systems[:, size, :size] = -1.0, 1.0
    lengths = np.linalg.norm(systems, axis=2).prod(axis=1)
    likely: NDArray[np.bool_] = np.abs(np.linalg.det(systems)) <= SINGULAR * lengths
    sure = np.flatnonzero(~likely)
    right = np.zeros((len(sure), size + 1, 1))
    right[:, size] = 1.0
    solved = np.linalg.solve(systems[sure], right)[..., 0]
    positive = (solved[:, :size] > -SURELY).all(axis=1)
    sure, weights, worth = sure[positive], solved[positive, :size], solved[positive, size]
    gains = np.einsum("rns,ns->nr", pay[:, support[sure]], weights)
    likely[sure] = (gains <= worth[:, None] + SURELY).all(axis=1)
    return likely


def corner(pay: Integers, equal: tuple[int, ...], support: tuple[int, ...]) -> Corner | None:
    """The strategy on all of `support` to which all of `equal` are best replies, if these determine one."""
    size = len(support)
    system, right = np.zeros((size + 1, size + 1), object), np.zeros(size + 1, object)
    system[:size, :size] = pay[np.ix_(equal, support)]
    system[:size, size], system[size, :size], right[size] = -1, 1, 1
    solved = exact.solve(system, right)
    if solved is None or min(solved[:size]) <= 0:
        return None
    weights, worth = solved[:size], solved[size]
    gains = pay[:, support] @ np.array(weights, object)
    if max(gains) > worth:
        return None
    spread = [Fraction(0)] * pay.shape[1]
    for s, weight in zip(support, weights):
        spread[s] = weight
    replies = sum(1 << r for r, gain in enumerate(gains) if gain == worth)
    return Corner(tuple(spread), sum(1 << s for s in support), replies)
