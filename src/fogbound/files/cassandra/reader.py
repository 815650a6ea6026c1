"""Reading a `.pomdp` file: preamble, entries, tables, and the form they describe."""

from __future__ import annotations

import os

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, one_line
from fogbound.files.cassandra.entries import EntryShape, entry_lots, read_one_by_one, read_together
from fogbound.files.cassandra.preamble import Preamble, preamble, starting_belief
from fogbound.files.cassandra.tables import Rewards, RowSums, Sparse, TableEntries, expected_rewards, resolve
from fogbound.files.cassandra.text import MOST_BYTES, Source, source
from fogbound.forms.arrays import Floats, ranges
from fogbound.forms.pomdp import POMDP, pomdp_from_arrays

LIMIT = 20_000_000  # outcomes (state, action, next state, observation)
CELL, PAIR = 4, 8  # outcomes that a number of T or O, and a pair (state, action), is counted as


def read_pomdp(path: str | os.PathLike[str], limit: int = LIMIT, largest: int = MOST_BYTES) -> POMDP:
    """The POMDP in a `.pomdp` file; FileError, with file and line, for what is none.

    Rows that sum to 1 within 1e-4 are set right, with a warning where they are off by more than 1e-6. `limit`
    bounds the outcomes, an eighth of it the pairs (state, action), and a quarter the numbers in T and in O that
    are not zero; `largest` bounds the bytes that are read at all.
    """
    text = source(path, largest)
    try:
        given = preamble(text, limit // PAIR)
        moves = TableEntries("T", given.actions, given.states, given.states.size, limit // CELL)
        observations = TableEntries("O", given.actions, given.states, given.observations.size, limit // CELL)
        rewards = Rewards(given.states.size, given.observations.size)
        _take_entries(text, given, {"T": moves, "O": observations, "R": rewards})
        sums = RowSums(text)
        start = _start(text, given, sums)
        sums.given(moves)
        sums.given(observations)
        led = sums.rows(resolve(moves, start, limit // CELL), moves)
        seen = sums.rows(resolve(observations, start, limit // CELL), observations)
        form = _form(text.path, given, start, led, seen, rewards, limit)
    except LimitError as error:
        raise LimitError(f"{one_line(text.path, 200)}: {error}") from None
    sums.warn()
    return form


def _take_entries(text: Source, given: Preamble, tables: dict[str, TableEntries | Rewards]) -> None:
    """Read every entry into the table it belongs to."""
    actions, states, observations = given.actions, given.states, given.observations
    shapes = {
        "T": EntryShape("T", (actions, states, states), 1),
        "O": EntryShape("O", (actions, states, observations), 1),
        "R": EntryShape("R", (actions, states, states, observations), 2),
    }
    for lot in entry_lots(text):
        check()
        shape, table = shapes[lot.keyword], tables[lot.keyword]
        for batch in read_together(lot, shape) or read_one_by_one(text, shape, lot):
            table.take(batch)


def _start(text: Source, given: Preamble, sums: RowSums) -> Floats:
    if given.start is None:
        return np.full(given.states.size, 1.0 / given.states.size)
    keyword, begin, end = given.start
    return sums.start(starting_belief(text, given.states, keyword, begin, end), begin, end)


def _form(spec: str, given: Preamble, start: Floats, led: Sparse, seen: Sparse, rewards: Rewards, limit: int) -> POMDP:
    """Each transition with each observation that it may show, and the expected reward."""
    size, wide = given.states.size, given.actions.size
    arrived = led.row // size * size + led.column
    shown = np.diff(seen.first)[arrived]
    if (total := int(shown.sum())) > limit:
        raise LimitError(f"{total:,} outcomes (state, action, next state, observation), the limit is {limit:,}")
    inside = ranges(seen.first[arrived], shown)
    row, after, observation = np.repeat(led.row, shown), np.repeat(led.column, shown), seen.column[inside]
    prob = np.repeat(led.value, shown) * seen.value[inside]
    paid = rewards.of((row // size, row % size, after, observation))
    mean = expected_rewards(row, size * wide, prob, paid).reshape(wide, size).T
    return pomdp_from_arrays(
        spec,
        given.discount,
        given.states.labels,
        given.actions.labels,
        given.observations.labels,
        start,
        (row % size, row // size, after, observation, prob),
        0.0 - mean if given.cost else mean,
    )
