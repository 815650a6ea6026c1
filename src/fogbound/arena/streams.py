"""Where the random numbers of a game come from: one stream for all, or chance and every seat apart.

With split streams a deal can be played again under another seating: chance draws at each step what it drew there
before, and a seat draws the same numbers whoever sits in it. What differs between two such games is the policies, which
is why the difference of duplicate games varies less than that of two fresh ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fogbound.core.dist import Rng

CHANCE, SEATS = 0, 1  # whose stream it is


class Streams(Protocol):
    """Who draws from what: chance by the step, a policy by its seat."""

    def chance(self, step: int) -> Rng: ...  # the start is step 0

    def seat(self, player: int) -> Rng: ...


@dataclass(frozen=True)
class OneStream:
    """Everybody draws from the same generator, in the order of play."""

    rng: Rng

    def chance(self, step: int) -> Rng:  # noqa: ARG002
        return self.rng

    def seat(self, player: int) -> Rng:  # noqa: ARG002
        return self.rng


@dataclass(frozen=True)
class SplitStreams:
    """The streams of one deal: chance by (deal, step), each policy by (seat, deal).

    Parameters
    ----------
    seed
        Of the whole tournament.
    deal
        Which deal.

    Examples
    --------
    >>> one, again = SplitStreams(7, 3), SplitStreams(7, 3)
    >>> skipped = one.chance(0).random()  # what is drawn elsewhere does not matter
    >>> one.chance(4).random() == again.chance(4).random() != again.chance(5).random()
    True
    """

    seed: int
    deal: int

    def chance(self, step: int) -> Rng:
        return _LazyStream(self.seed, (CHANCE, self.deal, step))

    def seat(self, player: int) -> Rng:
        return _LazyStream(self.seed, (SEATS, self.deal, player))


class _LazyStream:
    """A generator that is made when the first number is drawn: at most steps of most games nothing is."""

    __slots__ = ("_key", "_made", "_seed")

    def __init__(self, seed: int, key: tuple[int, int, int]) -> None:
        self._seed, self._key = seed, key
        self._made: Rng | None = None

    def random(self) -> float:
        if self._made is None:
            self._made = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=self._key))
        return self._made.random()
