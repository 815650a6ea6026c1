"""The rows of a table while it grows: what a row leads to is kept once where the author hands out the same again.

Authors often remember what follows a joint action, and a game may have a hundred times as many rows as different
things that can follow. A `Dist` that somebody else still holds may come again, so what it came to is remembered by
its identity; one that only the enumeration holds cannot.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.replay import Event

COLUMNS = ("kind", "next", "event")
BATCH = 1 << 16  # rows that may wait in lists
MOST_OUTCOMES = 2**31 - 1  # columns are of 32 bits


class OutcomeColumns(NamedTuple):
    """The arrays of `Table` of the same names."""

    out: Ints
    next: Ints
    event: Ints
    prob: Floats


class RowBuilder:
    """Growing columns: `kind` says of each row which of the different lots of outcomes it leads to.

    Most kinds have one outcome, which is certain: the others are kept apart. New values are appended to lists, which
    is fast, and moved to arrays now and then, which are small.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.batch = min(BATCH, self.most)  # rows after which `overfull` must be asked
        self.kind: list[int] = []
        self.next: list[int] = []
        self.event: list[int] = []
        self.kind_of: dict[int, int] = {}  # the kind of a distribution by its identity
        self.held: list[Dist[Any]] = []  # keeps them alive, so that an identity stays theirs
        self._moved = {name: array("i") for name in COLUMNS}
        self._width = array("i")  # outcomes of each kind, as far as counted
        self._wide, self._prob = array("i"), array("d")  # kinds with several outcomes, and how likely these are
        self._outcomes = 0  # of the rows that were moved

    def __len__(self) -> int:
        return len(self._moved["kind"]) + len(self.kind)

    def hold(self, dist: Dist[Any], kind: int) -> None:
        """Remember what a distribution came to, which its author may hand out again."""
        self.kind_of[id(dist)] = kind
        self.held.append(dist)

    def widen(self, kind: int, prob: list[float]) -> None:
        """Note that a new kind has several outcomes, and how likely each is."""
        self._narrow(kind)
        self._width.append(len(prob))
        self._wide.append(kind)
        self._prob.fromlist(prob)
        self.batch = min(self.batch, self.most // len(prob))

    def _narrow(self, kinds: int) -> None:
        """Note that kinds not yet counted, below `kinds`, have one outcome."""
        self._width.extend(array("i", [1]) * (kinds - len(self._width)))

    def overfull(self) -> bool:
        """Whether there are more outcomes than allowed; what is in the lists is moved on the way."""
        rows = len(self._moved["kind"])
        for name, moved in self._moved.items():
            column = getattr(self, name)
            moved.fromlist(column)
            column.clear()
        self._narrow(len(self._moved["next"]) - len(self._prob) + len(self._wide))
        self._outcomes += int(_view(self._width)[_view(self._moved["kind"])[rows:]].sum())
        return self._outcomes > self.most

    def columns(self) -> OutcomeColumns:
        """All rows written out, one after the other."""
        self.overfull()
        self.kind_of.clear()
        self.held.clear()
        kind, next_, event = (_view(self._moved[name]) for name in COLUMNS)
        width, wide = _view(self._width), _view(self._wide)
        first, prob = ends(width), np.ones(len(next_))
        prob[_spread(first[wide], width[wide])] = _view(self._prob)
        if len(kind) == len(width):  # nothing came again
            return OutcomeColumns(first, next_, event, prob)
        out = ends(width[kind])
        outcome = _spread(first[kind], width[kind]) if len(wide) else kind
        return OutcomeColumns(out, next_[outcome], event[outcome], prob[outcome])


def _spread(first: Ints, count: Ints) -> Ints:
    """The numbers from each of `first` on, `count` of them, one run after the other."""
    last = ends(count)
    return np.repeat(first - last[:-1], count) + np.arange(last[-1], dtype=np.int32)


def _view(column: array[Any]) -> NDArray[Any]:
    """A column without a copy. As long as somebody holds it the column cannot grow."""
    kind = np.float64 if column.typecode == "d" else np.int32
    return np.frombuffer(column, kind) if len(column) else np.empty(0, kind)


def ends(count: Ints) -> Ints:
    """Where each of so many runs begins, when one follows the other, and where the last one ends."""
    place = np.zeros(len(count) + 1, np.int32)
    np.cumsum(count, dtype=np.int32, out=place[1:])
    return place


def event_columns(events: Sequence[Event], players: int) -> tuple[Ints, tuple[list[Observation], ...]]:
    """What each player sees of each event, by number, and what the numbers stand for."""
    ids: list[dict[Observation, int]] = [{} for _ in range(players)]
    seen = [
        [numbers.setdefault(Observation(public, private[i]), len(numbers)) for i, numbers in enumerate(ids)]
        for _, public, private in events
    ]
    return np.array(seen, np.int32).reshape(-1, players), tuple(map(list, ids))


def padded_lists(lists: Sequence[Sequence[int]]) -> Ints:
    """Ragged lists of ids as a rectangle, padded with -1."""
    rectangle = np.full((len(lists), max([1, *map(len, lists)])), -1, np.int32)
    for r, ids in enumerate(lists):
        rectangle[r, : len(ids)] = ids
    return rectangle
