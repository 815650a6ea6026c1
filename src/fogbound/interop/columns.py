"""Observations as rows of small numbers, one column for each part: what learners are fed with.

An observation that is a tuple says several things, and a learner that is told them apart can generalise over each. So
tuples of one length are taken apart, and what never varies is left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ObservationColumns:
    """Every value as a row.

    Parameters
    ----------
    rows : [values, columns]
        The number of each part among what stands in its column.
    sizes : [columns]
        How many different parts each column has.
    labels
        By column, the part that each number stands for.
    """

    rows: NDArray[np.int64]
    sizes: tuple[int, ...]
    labels: tuple[tuple[Hashable, ...], ...]


def columns(values: Sequence[Hashable]) -> ObservationColumns:
    """Take values apart.

    Parameters
    ----------
    values
        Such as the observations of a player, in the order of their numbers.

    Returns
    -------
    ObservationColumns
        0 stands for None wherever that occurs; whole numbers are in their order, all else in that of its appearance.

    Examples
    --------
    >>> found = columns([(None, None), ("raise", (3, "red")), ("call", (1, "red")), ("call", (3, "black"))])
    >>> found.labels
    ((None, 'raise', 'call'), (None, 1, 3), (None, 'red', 'black'))
    >>> found.rows.tolist()
    [[0, 0, 0], [1, 2, 1], [2, 1, 1], [2, 2, 2]]
    """
    parts = [column for column in _apart(list(values)) if len(set(column)) > 1] or [list(values)]
    labels = tuple(_in_order(column) for column in parts)
    numbers = [{part: k for k, part in enumerate(known)} for known in labels]
    rows = [[number[part] for number, part in zip(numbers, row)] for row in zip(*parts)]
    return ObservationColumns(np.array(rows, np.int64), tuple(map(len, labels)), labels)


def _apart(column: list[Hashable]) -> list[list[Hashable]]:
    """A column as its parts, where all that stands in it, None apart, are tuples of one length."""
    kinds = {
        (isinstance(value, tuple), len(value) if isinstance(value, tuple) else 0)
        for value in column
        if value is not None
    }
    if len(kinds) != 1:
        return [column]
    is_tuple, length = next(iter(kinds))
    if not is_tuple or length == 0:
        return [column]
    spread = [value if isinstance(value, tuple) else (None,) * length for value in column]
    return [part for place in range(length) for part in _apart([value[place] for value in spread])]


def _in_order(column: list[Hashable]) -> tuple[Hashable, ...]:
    known = [part for part in dict.fromkeys(column) if part is not None]
    numbers = [part for part in known if isinstance(part, int) and not isinstance(part, bool)]
    ordered: list[Hashable] = [*sorted(numbers)] if len(numbers) == len(known) else known
    return (None, *ordered) if None in column else tuple(ordered)
