"""Arrays that kernels fill from the front and Python lengthens: how much is used, how long they are, what is kept.

Kernels grow nothing by themselves: they take what they need from the end of the pools and stop when there is no room.
A pool is a number of columns of one length, declared in a `Schema`; where one pool is too short, it and all that are
half full become twice as long, so that growth costs a constant share of what is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.checkpoint_schema import Schema
from fogbound.driver.kept import Kept
from fogbound.forms.arrays import Longs, offsets, ranges

T = TypeVar("T")


class GrowingPools:
    """Pools of columns in a dictionary of named arrays, `used` and `capacity` [pools] among them.

    Parameters
    ----------
    pools
        Their names, in the order of `used`; that may count other things behind them.
    schema
        All columns; those whose length is no pool keep theirs.
    arrays
        Where the arrays are, or will be: whoever saves them saves all that there is.
    """

    def __init__(self, pools: Sequence[str], schema: Schema, arrays: MutableMapping[str, NDArray[Any]]) -> None:
        self.pools, self.schema, self.arrays = tuple(pools), schema, arrays

    @property
    def used(self) -> Longs:
        """[pools] entries that are taken of each."""
        return self.arrays["used"][: len(self.pools)]

    @property
    def capacity(self) -> Longs:
        """[pools] entries that there is room for."""
        return self.arrays["capacity"]

    def begin(self, capacity: Longs, sizes: Mapping[str, int], counters: int = 0) -> None:
        """Empty pools of so many entries, and the columns that do not grow; arrays that are there stay."""
        self.arrays.setdefault("used", np.zeros(len(self.pools) + counters, np.int64))
        self.arrays.setdefault("capacity", np.zeros(len(self.pools), np.int64))
        for name, one in self.schema.items():
            if one.length not in self.pools and name not in self.arrays:
                fixed = one.zeros(one.length if isinstance(one.length, int) else sizes[one.length])
                self.arrays[name] = np.full_like(fixed, -1) if one.numbers else fixed
        self.lengthen(np.maximum(capacity, self.capacity))

    def bundle(self, kind: type[T], fields: Iterable[str], label: str = "") -> T:
        """The arrays as kernels see them, until one of them is replaced."""
        return kind(**{name: self.arrays[f"{label}{name}"] for name in fields})

    def wanted(self, more: Longs) -> Longs:
        """[pools] how long they should be for so many more entries: those too short, or half full by then, double."""
        used, capacity = self.used, self.capacity
        short = used + more > capacity
        grown = np.where(short | (short.any() & (2 * used > capacity)), 2 * capacity, capacity)
        return np.where(short, np.maximum(grown, used + 2 * more), grown)

    def make_room(self, more: Longs) -> bool:
        """Have room for so many more entries of each pool; whether arrays were replaced."""
        return self.lengthen(self.wanted(more))

    def double(self) -> bool:
        """Twice the room in pools that are half full; in all, if none is."""
        full = 2 * self.used >= self.capacity
        return self.lengthen(np.where(full | ~full.any(), 2 * self.capacity, self.capacity))

    def lengthen(self, capacity: Longs) -> bool:
        """Let the pools have so many entries; whether arrays were replaced."""
        grows = {pool: int(n) for pool, n, now in zip(self.pools, capacity, self.capacity) if n > now}
        for name, one in self.schema.items():
            pool = str(one.length)
            if pool in grows or (pool in self.pools and name not in self.arrays):
                longer = one.zeros(grows.get(pool, 0))
                if name in self.arrays and not one.slots:
                    longer[: self._filled(name)] = self.arrays[name][: self._filled(name)]
                self.arrays[name] = longer
        self.arrays["capacity"] = np.array(capacity, np.int64)
        return bool(grows)

    def entry_bytes(self) -> Longs:
        """[pools] bytes of an entry in all columns."""
        widths = [8 * (2 if one.slots else 1) for one in self.schema.values()]
        of = [one.length for one in self.schema.values()]
        return np.array([sum(w for w, pool in zip(widths, of) if pool == own) for own in self.pools])

    @property
    def bytes(self) -> int:
        """Of all pools, used or not."""
        return int(self.capacity @ self.entry_bytes())

    def keep(self, pool: str, kept: Longs, number: Longs, runs: Mapping[str, Longs]) -> None:
        """Keep some entries of a pool, with the runs that they begin in others; whatever numbers them is renumbered.

        Parameters
        ----------
        pool, kept
            Its name, and the entries that stay, in their order.
        number : [used + 1]
            The new number of each entry, those that go included; -1 for none, and last.
        runs
            By column, how long the runs are that the kept entries begin.
        """
        for name, one in self.schema.items():
            if one.length == pool and name in runs:
                cells = ranges(self.arrays[name][kept], runs[name])
                self._gather(one.begins, cells)
                self.arrays[name][: len(kept) + one.extra] = offsets(runs[name])[: len(kept) + one.extra]
        self._gather(pool, kept, except_for=runs)
        for name, one in self.schema.items():
            if one.numbers == pool:
                self.arrays[name][: self._filled(name)] = number[self.arrays[name][: self._filled(name)]]

    def _gather(self, pool: str, cells: Longs, except_for: Mapping[str, Longs] | tuple[str, ...] = ()) -> None:
        """Have only these entries of a pool, in this order."""
        for name, one in self.schema.items():
            if one.length == pool and name not in except_for:
                self.arrays[name][: len(cells)] = self.arrays[name][cells]
        self.used[self.pools.index(pool)] = len(cells)

    def copies(self) -> dict[str, NDArray[Any]]:
        """Copies of what is used, without room to spare, and how much room there was."""
        names = [name for name, one in self.schema.items() if not one.slots]
        copied = {name: self.arrays[name][: self._filled(name)].copy() for name in names}
        return copied | {name: self.arrays[name].copy() for name in ("used", "capacity")}

    def take(self, copied: Mapping[str, NDArray[Any]]) -> None:
        """Go on from copies, with the room that there was; hash tables are empty."""
        self.arrays.update({name: copied[name] for name in copied if name != "capacity"})
        self.arrays["used"] = copied["used"].copy()
        self.arrays["capacity"] = np.zeros(len(self.pools), np.int64)
        self.lengthen(copied["capacity"])

    def _filled(self, name: str) -> int | None:
        """How many entries of a column are used; none: all, since it does not grow."""
        one = self.schema[name]
        return int(self.used[self.pools.index(str(one.length))]) + one.extra if one.length in self.pools else None

    def read(
        self, kept: Kept, sizes: Mapping[str, int], label: str = "", counters: int = 0, copied: bool = False
    ) -> tuple[dict[str, NDArray[Any]], dict[str, int]]:
        """What a checkpoint holds of the pools, as it was declared, and the sizes with what is used of them.

        Parameters
        ----------
        kept
            The checkpoint.
        sizes
            How many there are of what does not grow.
        label
            What the names begin with in the checkpoint.
        counters
            What `used` counts beside the pools.
        copied
            Whether it holds `copies`.
        """
        many = len(self.pools)
        used = kept.integers(f"{label}used", (many + counters,))[:many]
        capacity = kept.integers(f"{label}capacity", (many,), used)
        sizes = {**sizes, **dict(zip(self.pools, used.tolist()))}
        room = None if copied else dict(zip(self.pools, capacity.tolist()))
        return self.schema.read(kept, sizes, room, label), sizes
