"""Whether the rows of a `.pomdp` file are distributions, to the digits that files round to."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import islice

import numpy as np

from fogbound.core.errors import FileError
from fogbound.files.cassandra.names import ANY
from fogbound.files.cassandra.resolve import Sparse, owners
from fogbound.files.cassandra.rows import Rows
from fogbound.files.cassandra.scan import places
from fogbound.files.cassandra.text import Source
from fogbound.files.tolerance import DOUBTFUL, EXACT, WRONG
from fogbound.forms.table import Floats


@dataclass
class Sums:
    """Sets sums right that are nearly 1, and remembers how far off they were."""

    source: Source
    off: int = 0
    worst: float = 0.0

    def start(self, belief: Floats, begin: int, end: int) -> Floats:
        """The belief at the start, summing to 1."""
        total = float(belief.sum())
        if abs(total - 1) > WRONG:
            at = self.source.last(begin, end)
            raise self.source.fault(at, f"probabilities that sum to {total:.9g}", "a start that sums to 1")
        self._remember(np.array([total]))
        return belief / total if abs(total - 1) > EXACT else belief

    def given(self, rows: Rows) -> None:
        """Refuse a table with a row that no entry speaks of, before anything is made of it."""
        spoken = (owners(rows) >= 0).reshape(rows.actions.size, rows.states.size)
        spoken[np.array(rows.cells[0]), np.array(rows.cells[1])] = True
        for one_action, one_state in {(action, state) for action, state, _ in rows.wild}:
            spoken[_all(one_action), _all(one_state)] = True
        if not spoken.all():
            found = f"no {rows.kind} for {rows.named(int(np.argmin(spoken)))}"
            raise self.source.fault(self.source.last(0, len(self.source.text)), found, "probabilities that sum to 1")

    def rows(self, table: Sparse, rows: Rows) -> Sparse:
        """All rows of a table, each summing to 1."""
        total = np.bincount(table.row, weights=table.value, minlength=len(table.first) - 1).astype(np.float64)
        if (wrong := np.abs(total - 1) > WRONG).any():
            raise self._fault(int(np.argmax(wrong)), total, rows)
        self._remember(total)
        scale = np.where(np.abs(total - 1) > EXACT, total, 1.0)
        return Sparse(table.first, table.column, table.value / scale[table.row])

    def warn(self) -> None:
        """Say so, once, where a sum was set right that was further off than rounding to six digits explains."""
        if self.off:
            warnings.warn(
                f"{self.source.path}: {self.off:,} rows of probabilities sum to 1 only within {self.worst:.2g}; "
                "they were divided by their sums",
                stacklevel=3,
            )

    def _remember(self, total: Floats) -> None:
        far = np.abs(total - 1)
        self.off += int((far > DOUBTFUL).sum())
        self.worst = max(self.worst, float(far.max()))

    def _fault(self, row: int, total: Floats, rows: Rows) -> FileError:
        """The error for a row, at its last entry."""
        action, state = divmod(row, rows.states.size)
        owner = int(owners(rows)[row])
        whole, _, _, _, by_state = rows.whole[owner].tolist() if owner >= 0 else (-1, 0, 0, 0, 0)
        entry = max(whole, _latest_cell(rows, action, state))
        begin, end = next(islice(places(self.source, rows.keyword), entry, None))
        at = self.source.last(begin, end)
        if whole == entry and by_state:
            at = self.source.nth(begin, end, (state + 1) * rows.columns)  # of a matrix, whose first word is the action
        return self.source.fault(at, f"{rows.kind} for {rows.named(row)} that sum to {total[row]:.9g}", "a sum of 1")


def _all(number: int) -> slice:
    return slice(None) if number == ANY else slice(number, number + 1)


def _latest_cell(rows: Rows, action: int, state: int) -> int:
    """The last entry for a single cell of a row; -1 = none."""
    actions, states, _, _, entries = (np.array(part) for part in rows.cells)
    mine = entries[(actions == action) & (states == state)]
    wild = [e for (a, s, _), (_, e) in rows.wild.items() if a in (action, ANY) and s in (state, ANY)]
    return max(int(mine.max(initial=-1)), max(wild, default=-1))
