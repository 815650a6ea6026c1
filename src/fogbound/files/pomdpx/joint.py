"""The joint distribution of one step, one variable after another over lists of what is possible so far.

Nothing is ever a matrix of states by states: each variable multiplies the list by the values that its row
allows, mostly one. Numbers in mixed radix stand for whole states, so a variable's value is a digit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.files.pomdpx.cells import Cells
from fogbound.files.pomdpx.factors import Factor
from fogbound.files.pomdpx.variables import Slot, Variables, When, strides
from fogbound.files.ranges import Indices, spread
from fogbound.forms.table import Floats, Ints


class Overflow(LimitError):
    """More outcomes than may be held: how many were met."""

    def __init__(self, met: int) -> None:
        super().__init__(f"{met:,} outcomes")
        self.met = met


@dataclass(eq=False)
class Possible:
    """What is possible so far: for each line where it began, the numbers of the states and sights, how likely."""

    variables: Variables
    source: Ints
    codes: dict[When, Indices]
    prob: Floats

    def digit(self, slot: Slot) -> Indices:
        sizes = self.variables.sizes(slot.when)
        digits: Indices = self.codes[slot.when] // strides(sizes)[slot.which] % sizes[slot.which]
        return digits

    def row(self, columns: tuple[Slot, ...], sizes: tuple[int, ...]) -> Indices:
        """The number of each line's row in a table over `columns`."""
        rows = np.zeros(len(self.source), np.int64)
        for column, step in zip(columns, strides(list(sizes))):
            rows += self.digit(column) * step
        return rows

    def draw(self, factor: Factor, most: int) -> None:
        """Let one more variable take its values."""
        rows = self.row(factor.parents, factor.sizes)
        begin = factor.first[rows]
        count = factor.first[rows + 1] - begin
        total = int(count.sum())
        if total > most:
            raise Overflow(total)
        if total > len(rows) or (count != 1).any():
            self._repeat(count)
            begin = spread(begin, count)
        step = strides(self.variables.sizes(factor.own.when))[factor.own.which]
        self.codes[factor.own.when] = self.codes[factor.own.when] + factor.value[begin] * step
        self.prob = self.prob * factor.prob[begin]

    def _repeat(self, count: Indices) -> None:
        self.source = np.repeat(self.source, count)
        self.codes = {when: np.repeat(code, count) for when, code in self.codes.items()}
        self.prob = np.repeat(self.prob, count)


def beginning(variables: Variables, factors: list[Factor], most: int) -> Possible:
    """The states in which it may start."""
    none = {When.BEFORE: np.zeros(1, np.int64)}
    possible = Possible(variables, np.zeros(1, np.int32), none, np.ones(1))
    for factor in factors:
        possible.draw(factor, most)
    return possible


def outcomes(variables: Variables, factors: list[Factor], states: Indices, most: int) -> Possible:
    """What one action may lead to from each of `states`."""
    size = len(states)
    codes = {When.BEFORE: states, When.AFTER: np.zeros(size, np.int64), When.SIGHT: np.zeros(size, np.int64)}
    possible = Possible(variables, np.arange(size, dtype=np.int32), codes, np.ones(size))
    for factor in factors:
        possible.draw(factor, most)
    return possible


def expected(possible: Possible, rewards: list[Cells], states: Indices) -> Floats:
    """[len(states)] what the action is expected to pay, whatever part of the step the rewards look at."""
    pay = np.zeros(len(states))
    before = Possible(possible.variables, np.zeros(len(states), np.int32), {When.BEFORE: states}, np.ones(0))
    for reward in rewards:
        if all(column.when == When.BEFORE for column in reward.columns):
            pay += _look(reward, before)
        else:
            worth = _look(reward, possible) * possible.prob
            pay += np.bincount(possible.source, weights=worth, minlength=len(states))
    return pay


def _look(reward: Cells, possible: Possible) -> NDArray[np.float64]:
    """The reward of each line; what no entry speaks of pays nothing."""
    rows = possible.row(reward.columns, reward.sizes)
    if not len(reward.keys):
        return np.zeros(len(rows))
    at = np.minimum(np.searchsorted(reward.keys, rows), len(reward.keys) - 1)
    return np.where(reward.keys[at] == rows, reward.values[at], 0.0)
