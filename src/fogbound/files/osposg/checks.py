"""What must hold between the lines of an `.osposg` file, each breach with the line where it is found."""

from __future__ import annotations

import warnings

import numpy as np

from fogbound.core.errors import one_line
from fogbound.files.osposg.cells import Cells
from fogbound.files.osposg.outline import Outline
from fogbound.files.osposg.text import Lines
from fogbound.files.tolerance import DOUBTFUL, EXACT, WRONG
from fogbound.forms.one_sided_layout import Indices
from fogbound.forms.table import Floats


def check_within(text: Lines, at: int, column: Indices, many: int, kind: str) -> None:
    """Refuse a number that names nothing; `at` is the line of the column's first."""
    if len(column) and column.max() >= many:
        k = int(np.argmax(column >= many))
        raise text.fault(at + k, f"{kind} {column[k]}", f"a number from 0 to {many - 1}")


def check_once(text: Lines, at: int, columns: tuple[Indices, ...], words: int, what: str) -> None:
    """Refuse a second line about the same, which the first `words` words say; it is found at the later of the two."""
    order = np.lexsort(columns)
    same = np.ones(max(len(order) - 1, 0), bool)
    for column in columns:
        same &= np.diff(column[order]) == 0
    if same.any():
        line = at + int(np.min(order[1:][same]))
        raise text.fault(line, f"a second {what} for {' '.join(text.words(line)[:words])}", "one")


def check_chances(text: Lines, at: int, prob: Floats) -> None:
    """Refuse what is no probability."""
    wrong = (prob < 0) | (prob > 1 + WRONG)
    if wrong.any():
        k = int(np.argmax(wrong))
        raise text.fault(at + k, f"the probability {prob[k]:g}", "a number from 0 to 1")


def set_right(text: Lines, at: int, cells: Cells, cell: Indices, prob: Floats) -> Floats:
    """Probabilities that sum to 1 for every state and pair of actions; those nearly so are divided by their sums."""
    total = np.bincount(cell, weights=prob, minlength=cells.many)
    far = np.abs(total - 1)
    if (far > WRONG).any():
        wrong = int(np.argmax(far > WRONG))
        mine = np.flatnonzero(cell == wrong)
        line = at + int(mine[-1] if len(mine) else len(cell) - 1)
        found = f"probabilities that sum to {total[wrong]:.9g}" if len(mine) else "no transition"
        raise text.fault(line, f"{found} for {cells.words(wrong)}", "probabilities that sum to 1")
    if (doubtful := int((far > DOUBTFUL).sum())) > 0:
        warnings.warn(
            f"{one_line(text.path, 200)}: {doubtful:,} rows of probabilities sum to 1 only within {far.max():.2g}; "
            "they were divided by their sums",
            stacklevel=5,
        )
    return np.asarray(prob / np.where(far > EXACT, total, 1.0)[cell], np.float64)


def check_follows(text: Lines, given: Outline, line: Indices, slot: Indices, obs: Indices, part: Indices) -> None:
    """Player 1 must know the partition a step leads to from what it did and saw."""
    key = slot * given.counts[4] + obs
    order = np.lexsort((part, key))
    wrong = np.flatnonzero((np.diff(key[order]) == 0) & (np.diff(part[order]) != 0))
    if len(wrong):
        pair = order[wrong[0]], order[wrong[0] + 1]
        here, there = pair if line[pair[0]] < line[pair[1]] else pair[::-1]
        raise text.fault(
            int(line[there]),
            f"a step to partition {part[there]}",
            f"partition {part[here]}, as in line {line[here] + 1}: player 1 does and sees the same in both",
        )
