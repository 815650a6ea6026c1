"""A factored model multiplied out for one joint action: cells of functions, distributions of variables, joint
outcomes.

A function of a factored model for one joint action, multiplied out over the columns that matter there.

Which columns matter often depends on the action (checking one rock tells nothing of the others), so a function
is first cut down to the entries of the action; what every remaining entry passes over with `*` is left out.

The joint distribution of one step, one variable after another over lists of what is possible so far.

Nothing is ever a matrix of states by states: each variable multiplies the list by the values that its row
allows, mostly one. Numbers in mixed radix stand for whole states, so a variable's value is a digit.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.files.pomdpx.functions import (
    ANY,
    EACH,
    GIVEN,
    IDENTITY,
    UNIFORM,
    Function,
    TimedVariable,
    Variables,
    When,
    strides,
)
from fogbound.files.reading import SUM_DOUBTFUL, SUM_WRONG, divisors, fault_at
from fogbound.forms.arrays import Floats, Ints, Longs, last_of_each, offsets, positions, ranges

MOST_CELLS = 5_000_000
Spoken = tuple[Longs, Floats, Ints]  # cells, their numbers, the entries that say so


@dataclass(frozen=True, eq=False)
class FunctionCells:
    """The cells of which the entries speak, in order, with the entry that had the last word on each."""

    columns: tuple[TimedVariable, ...]
    sizes: tuple[int, ...]
    keys: Longs  # [K] the cell, a number in mixed radix, last column fastest; ascending
    values: Floats  # [K]
    entry: Ints  # [K]


def function_cells(made: Function, digits: tuple[int, ...]) -> FunctionCells:
    """What `made` says when the action variables have the values `digits`."""
    acted = {i: digits[column.which] for i, column in enumerate(made.columns) if column.when == When.ACTION}
    chosen = np.ones(len(made.entries), bool)
    for i, digit in acted.items():
        chosen &= (made.patterns[:, i] == digit) | (made.patterns[:, i] < 0)
    numbers = np.flatnonzero(chosen)
    kept = [
        i
        for i, column in enumerate(made.columns)
        if i not in acted and (column == made.own or (made.patterns[numbers, i] != ANY).any())
    ]
    sizes = [made.sizes[i] for i in kept]
    if math.prod(sizes) >= 1 << 62:
        raise _too_large(made, made.element.line, math.prod(sizes))
    spoken = _last_words(_spoken(made, numbers, kept, acted))
    return FunctionCells(tuple(made.columns[i] for i in kept), tuple(sizes), *spoken)


def _spoken(made: Function, numbers: Longs, kept: list[int], acted: dict[int, int]) -> Iterator[Spoken]:
    """The cells of the chosen entries, those of the same shape together."""
    total = 0
    for k, alike in enumerate(_alike(made, numbers, kept)):
        pattern, kind = made.patterns[alike[0]], made.kinds[alike[0]]
        alone = k == 0  # it comes first, so there is nothing that its zeros could override
        slim = alone and kind == IDENTITY and (pattern[kept] == EACH).sum() == 2
        each = math.prod(made.sizes[i] for i in kept if pattern[i] < 0) // (made.sizes[-1] if slim else 1)
        total += len(alike) * each
        if total > MOST_CELLS:
            raise _too_large(made, made.entries[alike[-1]].line, total)
        key, value = _diagonal(made, alike, kept) if slim else _expanded(made, alike, kept, acted)
        spoken = value != 0 if alone else np.ones(value.shape, bool)
        entry = np.repeat(alike.astype(np.int32), spoken.sum(axis=1))
        yield key[spoken], value[spoken], entry


def _alike(made: Function, numbers: Longs, kept: list[int]) -> Iterator[Longs]:
    """The first entry, then the others by which columns they leave open; without those wholly overridden later."""
    if not len(numbers):
        return
    covered = np.maximum(made.patterns[numbers][:, kept], ANY)[::-1]
    last = len(numbers) - 1 - np.unique(covered, axis=0, return_index=True)[1]
    numbers = numbers[np.sort(last)]
    yield numbers[:1]
    rest = numbers[1:]
    shape = np.column_stack([np.minimum(made.patterns[rest], 0), made.kinds[rest]])
    _, group = np.unique(shape, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    yield from np.split(rest[order], np.flatnonzero(np.diff(group.ravel()[order])) + 1) if len(rest) else ()


def _last_words(parts: Iterator[Spoken]) -> Spoken:
    """All cells in order; where several entries speak of one, the last."""
    none: Spoken = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int32))
    key, value, entry = (np.concatenate(columns) for columns in zip(none, *parts))
    last = last_of_each(key, entry)
    return key[last], value[last], entry[last]


def _fixed(made: Function, alike: Longs, kept: list[int]) -> tuple[Longs, list[int]]:
    """[entries] the number of each one's cell that has zeros in all open columns, and the stride of each column."""
    steps = strides([made.sizes[i] for i in kept])
    digits = np.maximum(made.patterns[alike][:, kept], 0)
    return digits.astype(np.int64) @ np.array(steps, np.int64), steps


def _expanded(made: Function, alike: Longs, kept: list[int], acted: dict[int, int]) -> tuple[Longs, Floats]:
    """[entries, cells] the cells of entries of one shape, and the number in each."""
    first, steps = _fixed(made, alike, kept)
    keys, pattern = np.zeros(1, np.int64), made.patterns[alike[0]]
    for i, step in zip(kept, steps):
        if pattern[i] < 0:
            keys = (keys[:, None] + np.arange(made.sizes[i]) * step).ravel()
    shape = [len(alike), *(made.sizes[i] if pattern[i] < 0 else 1 for i in kept)]
    values = np.broadcast_to(_numbers(made, alike, kept, acted), shape).reshape(len(alike), -1)
    return first[:, None] + keys, values


def _numbers(made: Function, alike: Longs, kept: list[int], acted: dict[int, int]) -> Floats:
    """The numbers of entries, an axis for each kept column, of length 1 where they do not depend on it."""
    if made.kinds[alike[0]] == UNIFORM:
        return np.full([1] * (1 + len(kept)), 1 / made.sizes[-1])
    each = [i for i, code in enumerate(made.patterns[alike[0]]) if code == EACH]
    if made.kinds[alike[0]] == GIVEN:
        given = np.array([made.entries[e].numbers for e in alike])
    else:
        given = np.eye(made.sizes[-1])[None]
    cut = given.reshape([len(given), *(made.sizes[i] for i in each)])
    cut = cut[(slice(None), *(acted.get(i, slice(None)) for i in each))]
    return cut.reshape([len(given), *(made.sizes[i] if i in each else 1 for i in kept)])


def _diagonal(made: Function, alike: Longs, kept: list[int]) -> tuple[Longs, Floats]:
    """The ones of an identity that overrides nothing."""
    first, steps = _fixed(made, alike, kept)
    pattern, keys = made.patterns[alike[0]], np.zeros(1, np.int64)
    for i, step in zip(kept, steps):
        if pattern[i] == ANY:
            keys = (keys[:, None] + np.arange(made.sizes[i]) * step).ravel()
    both = sum(step for i, step in zip(kept, steps) if pattern[i] == EACH)
    keys = first[:, None] + (keys[:, None] + np.arange(made.sizes[-1]) * both).ravel()
    return keys, np.ones(keys.shape)


def _too_large(made: Function, line: int, size: int) -> LimitError:
    error = fault_at(made.element.path, line, f"{size:,} numbers for {made.name}", f"at most {MOST_CELLS:,}")
    return LimitError(str(error))


@dataclass(frozen=True, eq=False)
class Factor:
    """The distribution of a variable for each row of its parents' values, without impossible values."""

    own: TimedVariable
    parents: tuple[TimedVariable, ...]
    sizes: tuple[int, ...]
    first: Longs  # [rows + 1]
    value: Longs  # [K]
    prob: Floats  # [K]


def factor(made: Function, digits: tuple[int, ...], names: Variables) -> Factor:
    """The distribution for one joint action, checked to be one in every row."""
    assert made.own is not None
    table = function_cells(made, digits)
    size, parents = table.sizes[-1], table.columns[:-1]
    rows, kept = table.keys // size, table.values > 0
    count = math.prod(table.sizes[:-1])
    met = np.unique(rows)
    if len(met) < count:
        gaps = np.flatnonzero(met != np.arange(len(met)))
        missing = _named(names, parents, table.sizes, int(gaps[0]) if len(gaps) else len(met))
        found = f"no probability of {made.name}{missing}"
        raise made.element.wrong(found, "a distribution for all values of the parents")
    total = np.bincount(rows, weights=table.values, minlength=count).astype(np.float64)
    off = np.abs(total - 1)
    worst = int(off.argmax())
    where = _named(names, parents, table.sizes, worst)
    if off[worst] > SUM_WRONG:
        entry = made.entries[int(table.entry[int(np.searchsorted(rows, worst))])]
        text = f"probabilities of {made.name}{where} that add up to {total[worst]:.9g}"
        raise fault_at(made.element.path, entry.line, text, "1")
    if off[worst] > SUM_DOUBTFUL:
        text = f"probabilities of {made.name}{where} add up to {total[worst]:.9g}; made to add up to 1"
        warnings.warn(f"{made.element.path}:{made.element.line}: {text}", stacklevel=2)
    prob = table.values / divisors(total)[rows]
    first = offsets(np.bincount(rows[kept], minlength=count))
    return Factor(made.own, parents, table.sizes[:-1], first, table.keys[kept] % size, prob[kept])


def _named(names: Variables, parents: tuple[TimedVariable, ...], sizes: tuple[int, ...], row: int) -> str:
    """A row of a table in the file's own words."""
    words = []
    for column, step in zip(parents, strides(list(sizes[:-1]))):
        variable = names.of(column)
        words.append(f"{names.name(column)}={variable.values[row // step % variable.size]}")
    return " given " + ", ".join(words) if words else ""


class Overflow(LimitError):
    """More outcomes than may be held: how many were met."""

    def __init__(self, met: int) -> None:
        super().__init__(f"{met:,} outcomes")
        self.met = met


@dataclass(eq=False)
class PossibleOutcomes:
    """What is possible so far: for each line where it began, the numbers of the states and observations, how likely."""

    variables: Variables
    source: Ints
    codes: dict[When, Longs]
    prob: Floats

    def digit(self, column: TimedVariable) -> Longs:
        sizes = self.variables.sizes(column.when)
        digits: Longs = self.codes[column.when] // strides(sizes)[column.which] % sizes[column.which]
        return digits

    def row(self, columns: tuple[TimedVariable, ...], sizes: tuple[int, ...]) -> Longs:
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
            self.source = np.repeat(self.source, count)
            self.codes = {when: np.repeat(code, count) for when, code in self.codes.items()}
            self.prob = np.repeat(self.prob, count)
            begin = ranges(begin, count)
        step = strides(self.variables.sizes(factor.own.when))[factor.own.which]
        self.codes[factor.own.when] = self.codes[factor.own.when] + factor.value[begin] * step
        self.prob = self.prob * factor.prob[begin]


def beginning(variables: Variables, factors: list[Factor], most: int) -> PossibleOutcomes:
    """The states in which it may start."""
    return _drawn(variables, factors, {When.BEFORE: np.zeros(1, np.int64)}, most)


def step_outcomes(variables: Variables, factors: list[Factor], states: Longs, most: int) -> PossibleOutcomes:
    """What one action may lead to from each of `states`."""
    none = np.zeros(len(states), np.int64)
    return _drawn(variables, factors, {When.BEFORE: states, When.AFTER: none, When.OBSERVATION: none}, most)


def _drawn(variables: Variables, factors: list[Factor], codes: dict[When, Longs], most: int) -> PossibleOutcomes:
    size = len(codes[When.BEFORE])
    possible = PossibleOutcomes(variables, np.arange(size, dtype=np.int32), codes, np.ones(size))
    for factor in factors:
        possible.draw(factor, most)
    return possible


def expected_reward(possible: PossibleOutcomes, rewards: list[FunctionCells], states: Longs) -> Floats:
    """[len(states)] the expected reward of the action, whatever part of the step the rewards look at."""
    expected = np.zeros(len(states))
    before = PossibleOutcomes(possible.variables, np.zeros(len(states), np.int32), {When.BEFORE: states}, np.ones(0))
    for reward in rewards:
        if all(column.when == When.BEFORE for column in reward.columns):
            expected += _look(reward, before)
        else:
            share = _look(reward, possible) * possible.prob
            expected += np.bincount(possible.source, weights=share, minlength=len(states))
    return expected


def _look(reward: FunctionCells, possible: PossibleOutcomes) -> Floats:
    """The reward of each line, 0 where no entry speaks of it."""
    rows = possible.row(reward.columns, reward.sizes)
    return np.append(reward.values, 0.0)[positions(reward.keys, rows)]  # -1 is the one appended
