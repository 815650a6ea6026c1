"""Reading a `.dpomdp`, `.posg` or `.zsposg` file: preamble, entries, tables, and the table that they describe."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import LimitError, one_line
from fogbound.files.cassandra.entries import EntryBatch, EntryShape, entry_lots, read_one_by_one, read_together
from fogbound.files.cassandra.preamble import Numbering, starting_belief
from fogbound.files.cassandra.reader import CELL, LIMIT, PAIR
from fogbound.files.cassandra.tables import Columns, Rewards, RowSums, Sparse, TableEntries, resolve
from fogbound.files.cassandra.text import MOST_BYTES, Source
from fogbound.files.dpomdp.preamble import JointNumbering, JointPreamble, joint_preamble, joint_source
from fogbound.forms.arrays import Floats, Longs, ranges
from fogbound.forms.table import Table
from fogbound.forms.table_from_arrays import JointOutcomes, ModelLabels, table_from_outcomes

WORDS = {("T", 1): ("uniform", "identity"), ("T", 2): ("uniform",), ("O", 1): ("uniform",), ("O", 2): ("uniform",)}


def read_dpomdp(path: str | os.PathLike[str], limit: int = LIMIT, largest: int = MOST_BYTES) -> Table:
    """The game in a `.dpomdp` file, in which all players have the same reward.

    Rows that sum to 1 within 1e-4 are set right, with a warning where they are off by more than 1e-6.

    Parameters
    ----------
    path
        The file.
    limit
        How many outcomes there may be; an eighth of it bounds the pairs of a state and a joint action.
    largest
        How many bytes are read at all.

    Returns
    -------
    Table

    Raises
    ------
    FileError
        What is wrong, with file and line.
    LimitError
        The game is larger than `limit` allows.
    """
    return _read(path, limit, largest, shared)


def read_posg(path: str | os.PathLike[str], limit: int = LIMIT, largest: int = MOST_BYTES) -> Table:
    """The game in a `.posg` file, in which every entry `R:` lists one reward for each player; see `read_dpomdp`."""
    return _read(path, limit, largest, own)


def read_zsposg(path: str | os.PathLike[str], limit: int = LIMIT, largest: int = MOST_BYTES) -> Table:
    """The game in a `.zsposg` file, whose rewards the second player pays to the first; see `read_dpomdp`."""
    return _read(path, limit, largest, opposed)


def shared(reward: Floats, players: int) -> Floats:
    """[O, n] everybody has the one reward."""
    return np.repeat(reward, players, axis=1)


def own(reward: Floats, players: int) -> Floats:  # noqa: ARG001
    """[O, n] everybody has a reward of its own."""
    return reward


def opposed(reward: Floats, players: int) -> Floats:  # noqa: ARG001
    """[O, 2] the first player has the one reward, the second loses it."""
    return np.hstack([reward, -reward])


@dataclass(frozen=True)
class JointShape(EntryShape):
    """Entries whose fields may be several words: joint actions, joint observations."""

    rewards: int = 1  # how many an entry lists: those of all players, or one

    def tails(self, named: int) -> tuple[tuple[str, ...], int, str]:
        _, size, what = super().tails(named)
        listed = self.keyword == "R" and self.rewards > 1
        return WORDS.get((self.keyword, named), ()), self.rewards if listed else size, what

    def single(self, named: int, given: int) -> bool:
        return super().single(named, given) and (self.probable or self.rewards == 1)

    def named(self, source: Source, begin: int, end: int) -> tuple[tuple[int, ...], int]:
        """Fields end at colons, and what follows them comes after the last one."""
        parts: list[list[tuple[str, int]]] = [[]]
        colon = begin
        for word, at in source.words(begin, end):
            if word == ":" and len(parts) > len(self.fields):
                raise source.fault(at, "':'", f"a number after {len(self.fields)} fields")
            if word == ":":
                colon = at
                parts.append([])
            else:
                parts[-1].append((word, at))
        for numbering, words in zip(self.fields, parts[:-1]):
            if not words:
                raise source.fault(colon, "':'", f"one of the {numbering.kind}s, or *")
        fields = tuple(_find(source, numbering, words) for numbering, words in zip(self.fields, parts[:-1]))
        if len(fields) < self.least:
            seen, at = source.next_word(end) if not parts[-1] else (repr(parts[-1][0][0]), parts[-1][0][1])
            raise source.fault(at, seen, f"one of the {self.fields[len(fields)].kind}s and a colon")
        return fields, colon + 1


def _find(source: Source, numbering: Numbering, words: list[tuple[str, int]]) -> int:
    if isinstance(numbering, JointNumbering):
        return numbering.find_all(source, words)
    if len(words) > 1:
        raise source.fault(words[1][1], repr(words[1][0]), f"a colon after {words[0][0]!r}")
    return numbering.find(source, *words[0])


class JointRewards:
    """Patterns of a file's entries `R:` with one reward, or one for each player."""

    def __init__(self, given: JointPreamble, each: int) -> None:
        self.each = each
        self.patterns = Rewards(given.states.size, given.observations.size)
        self.listed = [np.zeros((1, each))]  # what no pattern matches is paid nothing

    def take(self, batch: EntryBatch) -> None:
        if self.each == 1:
            self.patterns.take(batch)
            return
        tails = np.asarray(batch.tails, np.float64)
        first = sum(map(len, self.listed))
        self.listed.append(tails)
        self.patterns.take(EntryBatch(batch.numbers, batch.fields, first + np.arange(len(tails), dtype=np.float64)))

    def of(self, outcomes: Columns) -> Floats:
        """[O, each] the rewards of some outcomes."""
        found = self.patterns.of(outcomes)
        return found[:, None] if self.each == 1 else np.concatenate(self.listed)[found.astype(np.int64)]


def _read(path: str | os.PathLike[str], limit: int, largest: int, meaning: Callable[[Floats, int], Floats]) -> Table:
    text = joint_source(os.fspath(path), largest)
    try:
        given = joint_preamble(text, limit // PAIR)
        if meaning is opposed and len(given.agents) != 2:
            raise text.fault(0, f"{len(given.agents)} agents", "2, since what one wins the other loses")
        moves = TableEntries("T", given.actions, given.states, given.states.size, limit // CELL)
        observations = TableEntries("O", given.actions, given.states, given.observations.size, limit // CELL)
        rewards = JointRewards(given, len(given.agents) if meaning is own else 1)
        _take_entries(text, given, moves, observations, rewards, limit // CELL)
        sums = RowSums(text)
        keyword, begin, end = given.start
        start = sums.start(starting_belief(text, given.states, keyword, begin, end), begin, end)
        sums.given(moves)
        sums.given(observations)
        led = sums.rows(resolve(moves, start, limit // CELL), moves)
        seen = sums.rows(resolve(observations, start, limit // CELL), observations)
        outcomes, paid = _outcomes(given, led, seen, rewards, limit)
        paid = meaning(0.0 - paid if given.cost else paid, len(given.agents))
        form = table_from_outcomes(text.path, given.discount, _labels(given), start, JointOutcomes(*outcomes, paid))
    except LimitError as error:
        raise LimitError(f"{one_line(text.path, 200)}: {str(error).removeprefix(f'{text.path}: ')}") from None
    sums.warn()
    return form


def _take_entries(
    text: Source,
    given: JointPreamble,
    moves: TableEntries,
    observed: TableEntries,
    rewards: JointRewards,
    room: int,
) -> None:
    """Read every entry into the table that it belongs to; those with wildcards for some agents are `room` at most."""
    actions, states, observations = given.actions, given.states, given.observations
    tables: dict[str, TableEntries | JointRewards] = {"T": moves, "O": observed, "R": rewards}
    shapes = {
        "T": JointShape("T", (actions, states, states), 1),
        "O": JointShape("O", (actions, states, observations), 1),
        "R": JointShape("R", (actions, states, states, observations), 2, rewards.each),
    }
    for lot in entry_lots(text):
        shape, table = shapes[lot.keyword], tables[lot.keyword]
        for batch in read_together(lot, shape) or read_one_by_one(text, shape, lot):
            for k, numbering in enumerate(shape.fields[: len(batch.fields)]):
                if isinstance(numbering, JointNumbering) and (batch.fields[k] < -1).any():
                    room -= sum(map(numbering.many, batch.fields[k].tolist()))
                    if room < 0:
                        raise LimitError(
                            "wildcards for some agents stand for too many numbers; in Python, limit=N raises it"
                        )
                    batch = _multiplied_out(batch, k, numbering)
            table.take(batch)


def _multiplied_out(batch: EntryBatch, field: int, numbering: JointNumbering) -> EntryBatch:
    """An entry for each of the joint actions that a pattern stands for."""
    members = [numbering.members(number) for number in batch.fields[field].tolist()]
    line = np.repeat(np.arange(len(members)), [len(each) for each in members])
    fields = batch.fields[:, line]
    fields[field] = np.concatenate(members)
    tails = [batch.tails[k] for k in line.tolist()] if isinstance(batch.tails, list) else batch.tails[line]
    return EntryBatch(batch.numbers[line], fields, tails)


def _outcomes(
    given: JointPreamble, led: Sparse, seen: Sparse, rewards: JointRewards, limit: int
) -> tuple[tuple[Longs, Longs, Longs, Longs, Floats], Floats]:
    """Each transition with each joint observation that it may show, and what is paid for it."""
    size = given.states.size
    arrived = led.row // size * size + led.column
    shown = np.diff(seen.first)[arrived]
    if (total := int(shown.sum())) > limit:
        raise LimitError(f"{total:,} outcomes (state, joint action, next state, observation), the limit is {limit:,}")
    inside = ranges(seen.first[arrived], shown)
    row, after, observation = np.repeat(led.row, shown), np.repeat(led.column, shown), seen.column[inside]
    prob = np.repeat(led.value, shown) * seen.value[inside]
    paid = rewards.of((row // size, row % size, after, observation))
    return (row % size, row // size, after, observation, prob), paid


def _labels(given: JointPreamble) -> ModelLabels:
    actions, observations = (
        tuple(_bare(part) for part in numbering.each) for numbering in (given.actions, given.observations)
    )
    return ModelLabels(given.agents, _bare(given.states), actions, observations)


def _bare(numbering: Numbering) -> Sequence[Hashable]:
    """Labels without the quotes that told a name from a keyword."""
    return [label.strip('"') if isinstance(label, str) else label for label in numbering.labels]
