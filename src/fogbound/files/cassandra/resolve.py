"""What a file's entries add up to: for each cell the last entry that speaks of it.

An entry that speaks of whole rows makes all before it void for them. So each row is first given to the last
such entry, going backwards and only as far as rows are left; then the entries for single cells that come
after it are laid over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.files.cassandra.names import ANY
from fogbound.files.cassandra.rows import RESET, Rows
from fogbound.files.ranges import Indices, spread
from fogbound.forms.table import Floats


@dataclass(frozen=True)
class Sparse:
    """The cells that are not zero: row `action * states + state` has those from `first[row]` on."""

    first: Indices  # [rows + 1]
    column: Indices
    value: Floats

    @property
    def row(self) -> Indices:
        """[cells] the row each stands in."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


def resolve(rows: Rows, start: Floats, limit: int) -> Sparse:
    """The table; `start` is the row that `reset` means."""
    owner = owners(rows)
    whole = np.vstack([rows.whole, [(-1, 0, 0, 0, 0)]])  # the last for rows that none owns
    base = np.where(whole[:, 3] == RESET, rows.pool.add(start[None]) if RESET in whole[:, 3] else 0, whole[:, 3])
    pool = base[owner] + whole[owner, 4] * (np.arange(len(owner)) % rows.states.size)
    count = np.frombuffer(rows.pool.count, np.int64) if rows.pool.count else np.zeros(1, np.int64)
    begin = np.cumsum(count) - count
    held = np.where(owner >= 0, count[pool], 0)
    if int(held.sum()) > limit:
        raise LimitError(f"a table of {int(held.sum()):,} numbers that are not zero, the limit is {limit:,}")
    row = np.repeat(np.arange(len(owner)), held)
    inside = spread(begin[pool], held)
    column = np.frombuffer(rows.pool.column, np.int32)[inside].astype(np.int64) if len(inside) else inside
    value = np.frombuffer(rows.pool.value, np.float64)[inside] if len(inside) else np.zeros(0)
    over = _cells(rows, limit)
    later = over[3] > whole[owner, 0][over[0]]
    return _overlaid(rows, (row, column, value), tuple(part[later] for part in over))


def owners(rows: Rows) -> Indices:
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


def _cells(rows: Rows, limit: int) -> tuple[Indices, Indices, Floats, Indices]:
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
            raise LimitError(f"wildcards that stand for more than {limit:,} numbers; raise limit=")
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
    rows: Rows, under: tuple[Indices, Indices, Floats], over: tuple[NDArray[np.int64] | Floats, ...]
) -> Sparse:
    """The whole rows with the cells over them, in order, without zeros."""
    row, column, value = (np.concatenate(pair) for pair in zip(under, over))
    if len(over[0]):
        entry = np.concatenate([np.full(len(under[0]), -1), over[3]])
        key = row * rows.columns + column
        order = np.lexsort((entry, key))
        last = np.ones(len(order), bool)
        last[:-1] = key[order][1:] != key[order][:-1]
        kept = order[last]
        row, column, value = row[kept], column[kept], value[kept]
        some = value > 0
        row, column, value = row[some], column[some], value[some]
    first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows.actions.size * rows.states.size))])
    return Sparse(first, column, value)
