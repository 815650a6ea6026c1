"""A node of a search in Python: UCB1 over its actions, with what hooks know of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log, sqrt


def spread_of(given: float, low: float, high: float) -> float:
    """How far returns lie apart: as given, or as met so far; 1 where none were met, or all are the same."""
    return given or (high - low if high > low else 1.0)


class UCBNode:
    """N(h), N(ha) and the returns of each action of a node, added up.

    Initial values of the states that arrived, where there are any, count as so many tries of each action; preferred
    actions are tried so often before any other (see `kernels.choice` for the same in kernels).
    """

    __slots__ = ("arrived", "count", "counts", "initial", "preferred", "totals")

    def __init__(self, actions: int) -> None:
        self.count, self.counts, self.totals = 0, [0] * actions, [0.0] * actions
        self.arrived, self.initial = 0, list[float]()  # states, and their initial values added up, by action
        self.preferred: Sequence[int] = ()

    def arrive(self, values: Iterable[float]) -> None:
        """Add the initial values of one more state that came here."""
        self.arrived += 1
        self.initial = list(map(sum, zip(self.initial, values))) if self.initial else list(values)

    def ucb1(self, scale: float, tries: float = 0.0) -> int:
        """Actions never tried first, in order; then the one with the highest upper confidence bound."""
        if self.initial or self.preferred:
            return self._informed(scale, tries)
        if self.count < len(self.counts):
            return self.counts.index(0)
        bonus = scale * sqrt(log(self.count))
        upper = [total / n + bonus / sqrt(n) for total, n in zip(self.totals, self.counts)]
        return upper.index(max(upper))

    def _informed(self, scale: float, tries: float) -> int:
        """The same where something is known, `tries` tries' worth."""
        places: Sequence[int] = range(len(self.counts))
        if self.preferred and self.count < tries * len(self.preferred):
            places = self.preferred
        if not self.initial:
            untried = next((place for place in places if not self.counts[place]), None)
            return max(places, key=lambda place: self._upper(place, scale, 0.0)) if untried is None else untried
        return max(places, key=lambda place: self._upper(place, scale, tries))

    def _upper(self, place: int, scale: float, tries: float) -> float:
        known = tries * self.initial[place] / self.arrived if self.initial else 0.0
        n = self.counts[place] + tries
        return (self.totals[place] + known) / n + scale * sqrt(log(max(self.count + tries, 1.0)) / n)

    def learn(self, action: int, value: float) -> None:
        """Count a try of an action and its return."""
        self.count += 1
        self.counts[action] += 1
        self.totals[action] += value
