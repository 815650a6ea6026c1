"""Reading a `.dpomdp`, `.posg` or `.zsposg` file: preamble, entries, tables, and the table that they describe."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fogbound.core.errors import LimitError, one_line
from fogbound.files.cassandra.entries import EntryBatch, EntryShape, read_entries
from fogbound.files.cassandra.preamble import Numbering
from fogbound.files.cassandra.reader import CELL, LIMIT, PAIR, read_outcomes
from fogbound.files.cassandra.tables import Columns, Rewards, RowSums
from fogbound.files.cassandra.text import MOST_BYTES, Source
from fogbound.files.dpomdp.preamble import JointNumbering, JointPreamble, joint_preamble, joint_source
from fogbound.forms.arrays import Floats
from fogbound.forms.table import Table
from fogbound.forms.table_from_outcomes import JointOutcomes, ModelLabels, table_from_outcomes


def read_joint(path: str | os.PathLike[str], limit: int = LIMIT, largest: int = MOST_BYTES) -> Table:
    """The game in a file whose ending says what rewards mean.

    In a `.dpomdp` file all players have the same reward; in a `.posg` file every entry `R:` lists one for each player;
    the second player pays those of a `.zsposg` file to the first. Rows that sum to 1 within 1e-4 are set right, with a
    warning where they are off by more than 1e-6.

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
    text, ending = joint_source(os.fspath(path), largest), Path(path).suffix
    sums = RowSums(text)
    try:
        given = joint_preamble(text, limit // PAIR)
        players = len(given.agents)
        if ending == ".zsposg" and players != 2:
            raise text.fault(0, f"{players} agents", "2, since what one wins the other loses")
        rewards = JointRewards(given, players if ending == ".posg" else 1)
        entries = _entries(text, given, rewards.each, limit // CELL)
        start, outcomes, prob = read_outcomes(given, entries, rewards, sums, limit)
        action, state, after, observation = outcomes
        paid = rewards.of(outcomes)
        paid = 0.0 - paid if given.cost else paid
        if ending != ".posg":
            paid = np.hstack([paid, -paid]) if ending == ".zsposg" else np.repeat(paid, players, axis=1)
        listed = JointOutcomes(state, action, after, observation, prob, paid)
        form = table_from_outcomes(text.path, given.discount, _labels(given), start, listed)
    except LimitError as error:
        raise LimitError(f"{one_line(text.path, 200)}: {str(error).removeprefix(f'{text.path}: ')}") from None
    sums.warn()
    return form


@dataclass(frozen=True)
class JointShape(EntryShape):
    """Entries whose fields may be several words: joint actions, joint observations."""

    rewards: int = 1  # how many an entry lists: those of all players, or one

    def tails(self, named: int) -> tuple[tuple[str, ...], int, str]:
        words, size, what = super().tails(named)
        listed = self.keyword == "R" and self.rewards > 1
        return tuple(word for word in words if word != "reset"), self.rewards if listed else size, what

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


def _entries(text: Source, given: JointPreamble, rewards: int, room: int) -> Iterator[tuple[str, EntryBatch]]:
    """Every entry with its keyword; those with wildcards for some agents stand for `room` numbers at most."""
    shapes = JointShape.of(given.actions, given.states, given.observations)
    shapes["R"] = replace(shapes["R"], rewards=rewards)
    for keyword, batch in read_entries(text, shapes):
        for k, numbering in enumerate(shapes[keyword].fields[: len(batch.fields)]):
            if isinstance(numbering, JointNumbering) and (batch.fields[k] < -1).any():
                room -= sum(map(numbering.many, batch.fields[k].tolist()))
                if room < 0:
                    raise LimitError(
                        "wildcards for some agents stand for too many numbers; in Python, limit=N raises it"
                    )
                batch = _multiplied_out(batch, k, numbering)
        yield keyword, batch


def _multiplied_out(batch: EntryBatch, field: int, numbering: JointNumbering) -> EntryBatch:
    """An entry for each of the joint actions that a pattern stands for."""
    members = [numbering.members(number) for number in batch.fields[field].tolist()]
    line = np.repeat(np.arange(len(members)), [len(each) for each in members])
    fields = batch.fields[:, line]
    fields[field] = np.concatenate(members)
    tails = [batch.tails[k] for k in line.tolist()] if isinstance(batch.tails, list) else batch.tails[line]
    return EntryBatch(batch.numbers[line], fields, tails)


def _labels(given: JointPreamble) -> ModelLabels:
    actions, observations = (
        tuple(_bare(part) for part in numbering.each) for numbering in (given.actions, given.observations)
    )
    return ModelLabels(given.agents, _bare(given.states), actions, observations)


def _bare(numbering: Numbering) -> Sequence[Hashable]:
    """Labels without the quotes that told a name from a keyword."""
    return [label.strip('"') if isinstance(label, str) else label for label in numbering.labels]
