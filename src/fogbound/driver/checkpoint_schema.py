"""The arrays of a solver's state, declared once: names, types, lengths and what their entries may be.

A state that lies in named arrays is declared by annotations of a bundle's fields (`Annotated[np.ndarray, Entries(…)]`).
From that follow how the arrays are made and lengthened and what a checkpoint of them is
refused for (`Schema.read`); what holds between several of them is asked for afterwards, of what `read` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.kept import ANY, LARGEST, MOST, Kept

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Entries:
    """One array: how long it is and what its entries are.

    Parameters
    ----------
    length
        The name of a size: one entry for each of these things. Or a number.
    dtype
        int, float or bool.
    low, high
        Limits of the entries; none: all numbers of a reasonable size, whole ones from 0 on.
    into
        The name of a size: entries are numbers of such things, from 0 on.
    begins
        The name of a size: entries say where runs begin among these things.
    none
        Whether an entry may be -1 for none.
    older
        Entries number other things of the same kind, each older than its own, or -1: lists that end.
    bits
        Entries are sets of 64 bits, of which any may be.
    extra
        Entries beyond the length: 1 where the end of the last run stands behind where runs begin.
    slots
        A hash table with two slots for each: never saved, since it is filled again.
    """

    length: str | int
    dtype: type = int
    low: float | None = None
    high: float | None = None
    into: str = ""
    begins: str = ""
    none: bool = False
    older: bool = False
    bits: bool = False
    extra: int = 0
    slots: bool = False

    @property
    def numbers(self) -> str | int:
        """The size whose things the entries number, "" for none."""
        return self.length if self.older else self.into

    def zeros(self, size: int) -> NDArray[Any]:
        """An array with room for `size` entries, before anything is in it."""
        if self.slots:
            return np.full(2 * size, -1, np.int64)
        return np.zeros(size + self.extra, np.dtype(self.dtype))

    def limits(self, size: int, sizes: Mapping[str, int]) -> tuple[Any, Any]:
        """The least and the largest entry, of all or of each, in an array of `size` entries."""
        if self.bits:
            return ANY
        if self.older:
            return -1, np.arange(size) - 1
        low: Any = -LARGEST if self.dtype is float else -1 if self.none else 0
        high: Any = LARGEST if self.dtype is float else MOST
        if self.into or self.begins:
            high = sizes[self.into] - 1 if self.into else sizes[self.begins]
        return low if self.low is None else self.low, high if self.high is None else self.high


class Schema(dict[str, Entries]):
    """The arrays of a state by name.

    Examples
    --------
    >>> import numpy as np
    >>> from fogbound.driver.checkpoint_schema import Entries, Schema
    >>> from fogbound.driver.kept import Kept
    >>> schema = Schema(next=Entries("nodes", into="nodes", none=True))
    >>> schema.read(Kept("run.npz", {"next": np.array([1, 7])}), {"nodes": 2})
    Traceback (most recent call last):
    fogbound.core.errors.FileError: run.npz: this checkpoint cannot be gone on with: next[1] is 7, expected at most 1
    """

    @classmethod
    def of(cls, bundles: Mapping[str, type]) -> Schema:
        """The annotated fields of bundles, by label; an array is called by its bundle's label and its field."""
        found = cls()
        for label, bundle in bundles.items():
            for name, hint in get_type_hints(bundle, include_extras=True).items():
                if get_origin(hint) is Annotated:
                    found[f"{label}_{name}".lstrip("_")] = hint.__metadata__[0]
        return found

    def read(
        self, kept: Kept, sizes: Mapping[str, int], room: Mapping[str, int] | None = None, label: str = ""
    ) -> Arrays:
        """The arrays of a checkpoint as they were declared, without room to spare; refused where they are not.

        Parameters
        ----------
        kept
            The checkpoint.
        sizes
            How many there are of everything; what is not named is as long as the first array of such things.
        room
            How long the arrays are that have room to spare, by what they have an entry for.
        label
            What the names begin with in the checkpoint.
        """
        found: Arrays = {}
        sizes = {**self._measured(kept, sizes, label), **sizes}
        for name, one in self.items():
            if one.slots:
                continue
            length = one.length
            size = (length if isinstance(length, int) else sizes[length]) + one.extra
            spare = (room or {}).get(str(length))
            shape = (size if spare is None else spare + one.extra,)
            if one.dtype is bool:
                found[name] = kept.flags(label + name, shape)
            else:
                ask = kept.reals if one.dtype is float else kept.integers
                found[name] = ask(label + name, shape, *one.limits(size, sizes), used=size)
            if one.extra:
                kept.runs(label + name, found[name], sizes[one.begins])
        return found

    def _measured(self, kept: Kept, sizes: Mapping[str, int], label: str) -> dict[str, int]:
        """Sizes that nobody names: as many as the first array has that has an entry for each."""
        found: dict[str, int] = {}
        for name, one in self.items():
            if isinstance(one.length, str) and one.length not in {*sizes, *found} and not one.extra:
                found[one.length] = kept.length(label + name)
        return found
