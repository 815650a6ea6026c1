"""What the entries of a `.pomdp` file add up to: sparse T and O of which every row sums to 1, and expected rewards.

The entries `R:` of a file: patterns in their order, looked up only for what can happen.

A reward may depend on action, state, next state and observation; a form needs what is expected of (state,
action). Patterns that fix the same fields form a group; for every outcome each group is asked for its
match, and of the matches the one that stands last in the file counts.

What a file's entries add up to: for each cell the last entry that speaks of it.

An entry that speaks of whole rows makes all before it void for them. So each row is first given to the last
such entry, going backwards and only as far as rows are left; then the entries for single cells that come
after it are laid over.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FileError, LimitError, brief
from fogbound.files.cassandra.entries import EntryBatch, entry_places
from fogbound.files.cassandra.preamble import ANY, Numbering
from fogbound.files.cassandra.text import Source
from fogbound.files.reading import SUM_DOUBTFUL, SUM_WRONG, divisors, warn_of_sums
from fogbound.forms.arrays import Floats, Longs, heads, last_of_each, offsets, positions, ranges

Columns = tuple[Longs, Longs, Longs, Longs]  # action, state, next state, observation


class TakesEntries(Protocol):
    """What the entries of one keyword add up to."""

    def take(self, batch: EntryBatch) -> None: ...


class Rewards:
    """Patterns (action, state, next state, observation), ANY where one does not matter, and their rewards."""

    def __init__(self, states: int, observations: int) -> None:
        self.states, self.observations = states, observations
        self._fields = (array("i"), array("i"), array("i"), array("i"))
        self._rewards, self._entries = array("d"), array("i")

    def take(self, batch: EntryBatch) -> None:
        """One reward each for all that the fields leave open, a row over observations, or one for each next state."""
        fields, rewards = batch.fields, np.asarray(batch.tails, np.float64)  # the grammar has no words here
        open_ = np.full((4 - len(fields), len(batch.numbers)), ANY, np.int32)
        if rewards.ndim == 1:
            self._extend(np.vstack([fields, open_]), rewards, batch.numbers)
            return
        size = rewards.shape[1]
        every = np.repeat(np.vstack([fields, open_]), size, axis=1)
        after, observation = np.divmod(np.arange(size), self.observations)
        every[3] = np.tile(observation, len(rewards))
        if len(fields) == 2:
            every[2] = np.tile(after, len(rewards))
        self._extend(every, rewards.ravel(), np.repeat(batch.numbers, size))

    def _extend(self, fields: NDArray[np.int32], rewards: Floats, entries: Longs) -> None:
        for kept, column in zip(self._fields, fields):
            kept.frombytes(column.tobytes())
        self._rewards.frombytes(rewards.tobytes())
        self._entries.frombytes(entries.astype(np.int32).tobytes())

    def of(self, outcomes: Columns) -> Floats:
        """[outcomes] the reward of each, 0 where no pattern matches."""
        order = np.argsort(np.array(self._entries), kind="stable")
        fields = [np.array(kept, np.int64)[order] for kept in self._fields]
        rewards, best = np.array(self._rewards)[order], np.full(len(outcomes[0]), -1)
        fixed = sum((field != ANY) << k for k, field in enumerate(fields)) if len(rewards) else np.zeros(0, np.int64)
        for mask in np.unique(fixed).tolist():
            group = np.flatnonzero(fixed == mask)
            members = [np.where(mask >> k & 1, field[group], 0) for k, field in enumerate(fields)]
            asked = [np.where(mask >> k & 1, column, 0) for k, column in enumerate(outcomes)]
            match = self._matches(members, asked)
            best = np.maximum(best, np.where(match >= 0, group[match], -1))
        return np.where(best >= 0, rewards[best], 0.0) if len(rewards) else np.zeros(len(best))

    def _matches(self, members: list[Longs], asked: list[Longs]) -> Longs:
        """[outcomes] the last member with exactly the fields asked for; -1 = none."""
        tails, rank = np.unique(members[2] * self.observations + members[3], return_inverse=True)
        keys = (members[0] * self.states + members[1]) * len(tails) + rank
        unique, last = np.unique(keys[::-1], return_index=True)
        tail = asked[2] * self.observations + asked[3]
        at = positions(tails, tail)
        place = positions(unique, (asked[0] * self.states + asked[1]) * len(tails) + at)
        return np.where((at >= 0) & (place >= 0), len(keys) - 1 - last[place], -1)


def expected_rewards(row: Longs, rows: int, prob: Floats, rewards: Floats) -> Floats:
    """[rows] the expected reward of outcomes sorted by row; exactly theirs where all have the same."""
    first = np.flatnonzero(heads(row))
    constant = np.minimum.reduceat(rewards, first) == np.maximum.reduceat(rewards, first)
    mean = np.bincount(row, weights=prob * rewards, minlength=rows).astype(np.float64)
    mean[row[first][constant]] = rewards[first][constant]
    return mean


RESET = -2  # the pool row of entries that lead back to the start, which may be given after them
Wild = tuple[int, int, int]  # action, state, column


class RowPool:
    """Rows of numbers, of which only those that are not zero are stored."""

    def __init__(self, columns: int, limit: int) -> None:
        self.columns, self.limit = columns, limit
        self.count, self.column, self.value = array("q"), array("i"), array("d")

    def add(self, values: Floats) -> int:
        """Store a matrix, row by row; the number of its first row."""
        first = len(self.count)
        row, column = np.nonzero(values)
        self.extend(np.bincount(row, minlength=len(values)), column, values[row, column])
        return first

    def extend(self, count: NDArray[np.int64], column: NDArray[np.int64], value: Floats) -> None:
        """Store rows of `count` cells each."""
        if len(self.column) + len(column) > self.limit:
            raise LimitError(
                f"rows with more than {self.limit:,} numbers that are not zero; in Python, limit=N raises it"
            )
        self.count.frombytes(count.astype(np.int64).tobytes())
        self.column.frombytes(column.astype(np.int32).tobytes())
        self.value.frombytes(value.astype(np.float64).tobytes())


class TableEntries:
    """Entries for a table of [actions][states][columns]."""

    def __init__(self, keyword: str, actions: Numbering, states: Numbering, columns: int, limit: int) -> None:
        self.keyword, self.kind = keyword, {"T": "transitions", "O": "observations"}[keyword]
        self.actions, self.states, self.columns = actions, states, columns
        self.cells: tuple[array[Any], ...] = tuple(array(kind) for kind in "iiidi")  # those without wildcards
        self.wild: dict[Wild, tuple[float, int]] = {}
        self.pool = RowPool(columns, limit)
        self._whole: tuple[array[int], ...] = tuple(array("q") for _ in range(5))
        self._shared: dict[float | str, int] = {}  # pool rows that many entries use

    def named(self, row: int) -> str:
        """A row, in the words of the file."""
        action, state = divmod(row, self.states.size)
        return f"action {brief(self.actions.labels[action])}, state {brief(self.states.labels[state])}"

    @property
    def whole(self) -> Longs:
        """[entries, 5] those for whole rows, in order: entry, action, state, pool row, 1 = and on by state."""
        table = np.array([np.array(column) for column in self._whole], np.int64).T
        return table[np.argsort(table[:, 0])]

    def take(self, batch: EntryBatch) -> None:
        """Entries for cells; for a row, or one for each state, in numbers or in a word."""
        tails = batch.tails
        if isinstance(tails, list):
            pool = np.array([self._word(word) for word in tails], np.int64)
            self._take_whole(batch, pool, np.array([word == "identity" for word in tails]))
        elif tails.ndim == 2:
            first, high = self.pool.add(tails.reshape(-1, self.columns)), tails.shape[1] // self.columns
            by_state = np.full(len(tails), len(batch.fields) == 1)
            self._take_whole(batch, first + high * np.arange(len(tails)), by_state)
        else:
            self._take_cells(batch, tails)

    def _take_whole(self, batch: EntryBatch, pool: Longs, by_state: NDArray[np.bool_]) -> None:
        action = batch.fields[0]
        state = batch.fields[1] if len(batch.fields) > 1 else np.full(len(action), ANY)
        for kept, part in zip(self._whole, (batch.numbers, action, state, pool, by_state)):
            kept.frombytes(part.astype(np.int64).tobytes())

    def _take_cells(self, batch: EntryBatch, values: Floats) -> None:
        action, state, column = batch.fields
        plain = (action != ANY) & (state != ANY) & (column != ANY)
        for kept, part in zip(self.cells, (action, state, column, values, batch.numbers.astype(np.int32))):
            kept.frombytes(part[plain].tobytes())
        whole = np.flatnonzero(column == ANY)
        if len(whole):
            pool = np.array([self._constant(value) for value in values[whole].tolist()], np.int64)
            one = EntryBatch(batch.numbers[whole], batch.fields[:, whole], [])
            self._take_whole(one, pool, np.zeros(len(whole), bool))
        wild = np.flatnonzero(~plain & (column != ANY))
        keys = zip(*(part[wild].tolist() for part in (action, state, column)))
        said = zip(values[wild].tolist(), batch.numbers[wild].tolist())
        self.wild.update(zip(keys, said))

    def _word(self, word: str) -> int:
        """The pool row, or the first of those, that a word means."""
        if word == "reset":
            return RESET
        return self._constant(1.0 / self.columns) if word == "uniform" else self._identity()

    def _constant(self, value: float) -> int:
        if value not in self._shared:
            self._shared[value] = self.pool.add(np.full((1, self.columns), value))
        return self._shared[value]

    def _identity(self) -> int:
        if "identity" not in self._shared:
            size, self._shared["identity"] = self.states.size, len(self.pool.count)
            self.pool.extend(np.ones(size, np.int64), np.arange(size), np.ones(size))
        return self._shared["identity"]


@dataclass(frozen=True)
class Sparse:
    """The cells that are not zero: row `action * states + state` has those from `first[row]` on."""

    first: Longs  # [rows + 1]
    column: Longs
    value: Floats

    @property
    def row(self) -> Longs:
        """[cells] the row each stands in."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


def resolve(rows: TableEntries, start: Floats, limit: int) -> Sparse:
    """The table; `start` is the row that `reset` means."""
    owner = owners(rows)
    whole = np.vstack([rows.whole, [(-1, 0, 0, 0, 0)]])  # the last for rows that none owns
    base = np.where(whole[:, 3] == RESET, rows.pool.add(start[None]) if RESET in whole[:, 3] else 0, whole[:, 3])
    pool = base[owner] + whole[owner, 4] * (np.arange(len(owner)) % rows.states.size)
    count = np.frombuffer(rows.pool.count, np.int64) if rows.pool.count else np.zeros(1, np.int64)
    begin = np.cumsum(count) - count
    counts = np.where(owner >= 0, count[pool], 0)
    if int(counts.sum()) > limit:
        raise LimitError(f"a table of {int(counts.sum()):,} numbers that are not zero, the limit is {limit:,}")
    row = np.repeat(np.arange(len(owner)), counts)
    inside = ranges(begin[pool], counts)
    column = np.frombuffer(rows.pool.column, np.int32)[inside].astype(np.int64) if len(inside) else inside
    value = np.frombuffer(rows.pool.value, np.float64)[inside] if len(inside) else np.zeros(0)
    over = _cells(rows, limit)
    later = over[3] > whole[owner, 0][over[0]]
    return _overlaid(rows, (row, column, value), tuple(part[later] for part in over))


def owners(rows: TableEntries) -> Longs:
    """[rows] which of the whole-row entries speaks last of each; -1 = none."""
    action, state = rows.whole[:, 1:3].T
    last = np.arange(len(action))  # of entries for the same rows, the last assigned is kept
    owner = np.full((rows.actions.size, rows.states.size), -1)
    of_action, of_state = (np.full(size, -1) for size in owner.shape)
    one_action, one_state = action != ANY, state != ANY
    both, neither = one_action & one_state, ~one_action & ~one_state
    owner[action[both], state[both]] = last[both]
    of_action[action[one_action & ~one_state]] = last[one_action & ~one_state]
    of_state[state[one_state & ~one_action]] = last[one_state & ~one_action]
    for other in of_action[:, None], of_state[None], last[neither].max(initial=-1):
        np.maximum(owner, other, out=owner)
    return owner.ravel()


def _cells(rows: TableEntries, limit: int) -> tuple[Longs, Longs, Floats, Longs]:
    """Row, column, value and entry of all single cells, wildcards multiplied out."""
    action, state, column, value, entry = (np.array(part) for part in rows.cells)
    parts = [(action.astype(np.int64) * rows.states.size + state, column, value, entry)]
    room = limit - len(column)
    for kind in (True, False), (False, True), (True, True):
        keys = [key for key in rows.wild if (key[0] == ANY, key[1] == ANY) == kind]
        if not keys:
            continue
        many = (rows.actions.size if kind[0] else 1) * (rows.states.size if kind[1] else 1)
        room -= many * len(keys)
        if room < 0:
            raise LimitError(f"wildcards that stand for more than {limit:,} numbers; in Python, limit=N raises it")
        action, state, column = np.array(keys, np.int64).T
        said = [rows.wild[key] for key in keys]
        actions = np.arange(rows.actions.size)[:, None, None] if kind[0] else action
        states = np.arange(rows.states.size)[:, None] if kind[1] else state
        shape = (rows.actions.size if kind[0] else 1, rows.states.size if kind[1] else 1, len(keys))
        row = np.broadcast_to(actions * rows.states.size + states, shape).ravel()
        rest = (column, np.array([v for v, _ in said]), np.array([e for _, e in said]))
        column, value, entry = (np.broadcast_to(part, shape).ravel() for part in rest)
        parts.append((row, column, value, entry))
    row, column, value, entry = (np.concatenate(group) for group in zip(*parts))
    return row, column.astype(np.int64), value.astype(np.float64), entry.astype(np.int64)


def _overlaid(
    rows: TableEntries, under: tuple[Longs, Longs, Floats], over: tuple[NDArray[np.int64] | Floats, ...]
) -> Sparse:
    """The whole rows with the cells over them, in order, without zeros."""
    row, column, value = (np.concatenate(pair) for pair in zip(under, over))
    if len(over[0]):
        entry = np.concatenate([np.full(len(under[0]), -1), over[3]])
        kept = last_of_each(row * rows.columns + column, entry)
        row, column, value = row[kept], column[kept], value[kept]
        some = value > 0
        row, column, value = row[some], column[some], value[some]
    return Sparse(offsets(np.bincount(row, minlength=rows.actions.size * rows.states.size)), column, value)


@dataclass
class RowSums:
    """Sets sums right that are nearly 1, and remembers how far off they were."""

    source: Source
    off: int = 0
    worst: float = 0.0

    def start(self, belief: Floats, begin: int, end: int) -> Floats:
        """The belief at the start, summing to 1."""
        total = float(belief.sum())
        if abs(total - 1) > SUM_WRONG:
            at = self.source.last(begin, end)
            raise self.source.fault(at, f"probabilities that sum to {total:.9g}", "a start that sums to 1")
        self._remember(np.array([total]))
        return belief / divisors(np.array(total))

    def given(self, rows: TableEntries) -> None:
        """Refuse a table with a row that no entry speaks of, before anything is made of it."""
        spoken = (owners(rows) >= 0).reshape(rows.actions.size, rows.states.size)
        spoken[np.array(rows.cells[0]), np.array(rows.cells[1])] = True
        for one_action, one_state in {(action, state) for action, state, _ in rows.wild}:
            spoken[_every(one_action), _every(one_state)] = True
        if not spoken.all():
            found = f"no {rows.kind} for {rows.named(int(np.argmin(spoken)))}"
            raise self.source.fault(self.source.last(0, len(self.source.text)), found, "probabilities that sum to 1")

    def rows(self, table: Sparse, rows: TableEntries) -> Sparse:
        """All rows of a table, each summing to 1."""
        total = np.bincount(table.row, weights=table.value, minlength=len(table.first) - 1).astype(np.float64)
        if (wrong := np.abs(total - 1) > SUM_WRONG).any():
            raise self._fault(int(np.argmax(wrong)), total, rows)
        self._remember(total)
        return Sparse(table.first, table.column, table.value / divisors(total)[table.row])

    def warn(self) -> None:
        """Say so, once, where a sum was set right that was further off than rounding to six digits explains."""
        warn_of_sums(self.source.path, self.off, self.worst, 3)

    def _remember(self, total: Floats) -> None:
        far = np.abs(total - 1)
        self.off += int((far > SUM_DOUBTFUL).sum())
        self.worst = max(self.worst, float(far.max()))

    def _fault(self, row: int, total: Floats, rows: TableEntries) -> FileError:
        """The error for a row, at its last entry."""
        action, state = divmod(row, rows.states.size)
        owner = int(owners(rows)[row])
        whole, _, _, _, by_state = rows.whole[owner].tolist() if owner >= 0 else (-1, 0, 0, 0, 0)
        entry = max(whole, _latest_cell(rows, action, state))
        begin, end = next(islice(entry_places(self.source, rows.keyword), entry, None))
        at = self.source.last(begin, end)
        if whole == entry and by_state:
            named = sum(1 for _ in self.source.words(begin, end)) - rows.states.size * rows.columns
            at = self.source.nth(begin, end, named + (state + 1) * rows.columns - 1)  # of a matrix
        return self.source.fault(at, f"{rows.kind} for {rows.named(row)} that sum to {total[row]:.9g}", "a sum of 1")


def _every(number: int) -> slice:
    return slice(None) if number == ANY else slice(number, number + 1)


def _latest_cell(rows: TableEntries, action: int, state: int) -> int:
    """The last entry for a single cell of a row; -1 = none."""
    actions, states, _, _, entries = (np.array(part) for part in rows.cells)
    mine = entries[(actions == action) & (states == state)]
    wild = [e for (a, s, _), (_, e) in rows.wild.items() if a in (action, ANY) and s in (state, ANY)]
    return max(int(mine.max(initial=-1)), max(wild, default=-1))
