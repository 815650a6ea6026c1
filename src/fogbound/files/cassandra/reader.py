"""Reading a `.pomdp` file: preamble, entries, tables, and the form they describe."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from fogbound.core.errors import LimitError, one_line
from fogbound.files.cassandra.entries import EntryBatch, EntryShape, read_entries
from fogbound.files.cassandra.preamble import Preamble, preamble, starting_belief
from fogbound.files.cassandra.tables import (
    Columns,
    Rewards,
    RowSums,
    TableEntries,
    TakesEntries,
    expected_rewards,
    resolve,
)
from fogbound.files.cassandra.text import MOST_BYTES, source
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
    sums = RowSums(text)
    try:
        given = preamble(text, limit // PAIR)
        rewards = Rewards(given.states.size, given.observations.size)
        shapes = EntryShape.of(given.actions, given.states, given.observations)
        start, outcomes, prob = read_outcomes(given, read_entries(text, shapes), rewards, sums, limit)
        action, state, after, observation = outcomes
        size, wide = given.states.size, given.actions.size
        mean = expected_rewards(action * size + state, size * wide, prob, rewards.of(outcomes)).reshape(wide, size).T
        form = pomdp_from_arrays(
            text.path,
            given.discount,
            given.states.labels,
            given.actions.labels,
            given.observations.labels,
            start,
            (state, action, after, observation, prob),
            0.0 - mean if given.cost else mean,
        )
    except LimitError as error:
        raise LimitError(f"{one_line(text.path, 200)}: {error}") from None
    sums.warn()
    return form


def read_outcomes(
    given: Preamble, entries: Iterable[tuple[str, EntryBatch]], rewards: TakesEntries, sums: RowSums, limit: int
) -> tuple[Floats, Columns, Floats]:
    """The start, and each transition with each observation that it may show, with its probability."""
    size, room = given.states.size, limit // CELL
    moves = TableEntries("T", given.actions, given.states, size, room)
    observations = TableEntries("O", given.actions, given.states, given.observations.size, room)
    tables: dict[str, TakesEntries] = {"T": moves, "O": observations, "R": rewards}
    for keyword, batch in entries:
        tables[keyword].take(batch)
    start = np.full(size, 1.0 / size)
    if given.start is not None:
        start = sums.start(starting_belief(sums.source, given.states, *given.start), *given.start[1:])
    sums.given(moves)
    sums.given(observations)
    led, seen = (sums.rows(resolve(table, start, room), table) for table in (moves, observations))
    arrived = led.row // size * size + led.column
    shown = np.diff(seen.first)[arrived]
    if (total := int(shown.sum())) > limit:
        found = f"{total:,} outcomes (state, {given.actions.kind}, next state, observation)"
        raise LimitError(f"{found}, the limit is {limit:,}")
    inside = ranges(seen.first[arrived], shown)
    row, after = np.repeat(led.row, shown), np.repeat(led.column, shown)
    outcomes = row // size, row % size, after, seen.column[inside]
    return start, outcomes, np.repeat(led.value, shown) * seen.value[inside]
