"""Beliefs as rows of integer weights over a support, the list of their states, which many beliefs share.

All that depends on the states alone is collected once for each support. What remains for a belief is a few products
and sums of lists, which Python runs through at the speed of its integers.

What follows a belief over a support, action by action, comes in a unit of its own: the least common denominator of the
rows that the action plays there. It is much shorter than that of all rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, repeat
from operator import eq, floordiv, itemgetter, lshift, mul, sub

from .form import POMDP

States = tuple[int, ...]
Weights = Sequence[int]  # of a belief, in the order of its support
Pick = Callable[[Weights], Weights]
FINE = 64  # bits by which quotients are told apart before they are compared exactly


def dot(weights: Weights, figures: Sequence[int]) -> int:
    """sum_s b(s) f(s), both in the order of one support."""
    return sum(map(mul, weights, figures))


def picked(places: Sequence[int], size: int) -> Pick:
    """A function that picks these places of a sequence of that size."""
    if len(places) == size and all(map(eq, places, range(size))):
        return _all
    if len(places) == 1:
        (only,) = places
        return lambda weights: (weights[only],)
    return itemgetter(*places) if places else _none


def _all(weights: Weights) -> Weights:
    return weights


def _none(_: Weights) -> Weights:
    return ()


def least_ratio(above: Weights, below: Weights) -> tuple[int, int]:
    """The pair with the smallest above[k] / below[k], where all of `below` are positive and none of `above` negative.

    Where x < y, the whole part of x is at most that of y: only those with the least whole part are compared exactly.
    """
    if not all(above):
        return 0, 1
    shift = max(FINE + max(below).bit_length() - max(above).bit_length(), 0)
    quotients = list(map(floordiv, map(lshift, above, repeat(shift)), below))
    least = min(quotients)
    if quotients.count(least) == 1:
        place = quotients.index(least)
        return above[place], below[place]
    a, b = 1, 0
    for weight, part, quotient in zip(above, below, quotients):
        if quotient == least and weight * b < a * part:
            a, b = weight, part
    return a, b


@dataclass(frozen=True)
class After:
    """The unnormalised belief after an observation, linear in the weights of the belief before it."""

    states: States  # rising
    pick: Pick  # of the belief before: for each entry, the weight of the state that it comes from
    parts: list[int]  # of each entry, by rising states
    ends: Pick | None  # the last entry of each state; None where each has one entry

    def of(self, weights: Weights) -> Weights:
        """The weights of the belief that follows, over the unit and the belief's total."""
        products = map(mul, self.parts, self.pick(weights))
        if self.ends is None:
            return list(products)
        sums = self.ends(list(accumulate(products)))
        return [sums[0], *map(sub, sums[1:], sums)]


class Following:
    """What follows rows that are mixed with weights: by observation, where play goes on, and what rounding took.

    Parameters
    ----------
    pomdp, rows
        Rows of one process, one for each state of a support.
    unit
        What probabilities are parts of, rounded down: exactly, where it is a multiple of the rows' totals.
    """

    def __init__(self, pomdp: POMDP, rows: Sequence[int], unit: int) -> None:
        self.rows, self.unit = rows, unit
        self.taken: dict[int, dict[int, int]] = {}  # by row and state, over the unit times the row's total
        self.after: list[After] = []  # by rising observations
        runs, entries = pomdp.runs, dict[int, list[tuple[int, int, int]]]()
        for place, row in enumerate(rows):
            each, left = divmod(unit, pomdp.total[row])
            for seen, state, part in pomdp.outcomes[row]:
                into = entries.get(seen)
                if into is None:
                    into = entries[seen] = []
                if runs(state):
                    whole = self._rounded(row, pomdp.total[row], state, part) if left else part * each
                    into.append((state, place, whole))
        self.after = [_after(sorted(own), len(rows)) for _, own in sorted(entries.items())]

    def _rounded(self, row: int, total: int, state: int, part: int) -> int:
        """A part over the unit, rounded down; what that takes is noted."""
        whole, rest = divmod(part * self.unit, total)
        taken = self.taken.setdefault(row, {})
        taken[state] = taken.get(state, 0) + rest
        return whole


def _after(entries: list[tuple[int, int, int]], size: int) -> After:
    """The belief that comes from entries (state, place before, part), by rising states."""
    states, places, parts = (list(column) for column in zip(*entries)) if entries else ([], [], [])
    pick = picked(places, size)
    if len(set(states)) == len(states):
        return After(tuple(states), pick, parts, None)
    last = [k for k, (a, b) in enumerate(pairwise([*states, -1])) if a != b]
    return After(tuple(states[k] for k in last), pick, parts, picked(last, len(states)))
