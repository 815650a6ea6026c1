"""What a checkpoint holds, taken array by array as its solver declares it: nothing else reaches a kernel.

A checkpoint is a file like any other, and may have been forged. Compiled loops follow the numbers in its
arrays without looking, so a solver declares of each array its type, its shape and what its entries may be, and of all
of them together what its loops rely on. What does not fit is refused in one line. What does fit may still be wrong, and
so bounds are only ever called certified by the checker, which knows nothing of checkpoints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FileError, brief
from fogbound.forms.arrays import Floats, Ints, Longs, ranges

LARGEST = 1e100  # of any value: sums and products of such numbers are still numbers
MOST = 1 << 53  # of any count
ANY = int(np.iinfo(np.int64).min), int(np.iinfo(np.int64).max)  # limits of bits, and of what somebody else looks at
ROUNDING = 1e-6  # up to which probabilities sum to one

Shape = tuple[int | None, ...]  # None: any length
Limit = int | float | list[float] | NDArray[Any]  # of all entries, or of each


class Kept:
    """The arrays of a checkpoint, which a solver asks for by what they must be.

    Every question but `in` and `length` marks an array as declared and returns it; `close` refuses those that nobody
    declared. `limits` says of declared numbers what the first `used` of them may be, for tests that forge them.

    Examples
    --------
    >>> import numpy as np
    >>> from fogbound.driver.kept import Kept
    >>> kept = Kept("run.npz", {"next": np.array([1, 7])})
    >>> kept.integers("next", (2,), low=-1, high=1)
    Traceback (most recent call last):
    fogbound.core.errors.FileError: run.npz: this checkpoint cannot be gone on with: next[1] is 7, expected at most 1
    """

    def __init__(self, where: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.where, self._arrays, self._declared = where, arrays, set[str]()
        self.limits: dict[str, tuple[Limit, Limit, int | None]] = {}  # low, high, used

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def integers(self, name: str, shape: Shape, low: Limit = 0, high: Limit = MOST, used: int | None = None) -> Longs:
        """Whole numbers from `low` to `high`; of an array with room to grow the first `used`, returned alone."""
        self.limits[name] = low, high, used
        return self._within(name, self._first(self._array(name, np.dtype(np.int64), shape), name, used), low, high)

    def reals(
        self,
        name: str,
        shape: Shape,
        low: Limit = -LARGEST,
        high: Limit = LARGEST,
        used: int | None = None,
        missing: bool = False,
    ) -> Floats:
        """Numbers from `low` to `high`, in the same way; infinity where a limit is, NaN where one may be missing."""
        self.limits[name] = low, high, used
        array = self._first(self._array(name, np.dtype(np.float64), shape), name, used)
        self._within(name, array[~np.isnan(array)] if missing else array, low, high)
        return array

    def flags(self, name: str, shape: Shape) -> NDArray[np.bool_]:
        """Yes or no."""
        return self._array(name, np.dtype(np.bool_), shape)

    def runs(self, name: str, first: Longs, cells: int) -> None:
        """Refuse an array that does not say where runs begin in a column of this length, from 0 to its end."""
        self.require(name, first[:1] == 0, "0")
        self.require(name, np.diff(first, prepend=0) >= 0, "numbers that never fall")
        self.equals(name, first[-1:], cells)

    def rising(self, name: str, numbers: Longs, first: Longs) -> None:
        """Refuse numbers that do not rise within each run."""
        run = np.repeat(np.arange(len(first) - 1), np.diff(first))
        self.require(name, (np.diff(numbers) > 0) | (np.diff(run) > 0), "numbers that rise")

    def length(self, name: str) -> int:
        """How many entries an array has; 0 where it is missing, which is said when it is declared."""
        return len(self._arrays[name]) if name in self and self._arrays[name].ndim else 0

    def declared(self, name: str) -> NDArray[Any]:
        """An array that has been declared, all of it."""
        return self._arrays[name] if name in self._declared else self._refuse(f"{name} is not declared")

    def equals(self, name: str, found: NDArray[Any], expected: Limit) -> None:
        """Refuse what differs from what it can only be."""
        wanted = np.broadcast_to(expected, found.shape)
        if not np.array_equal(found, wanted):
            place = np.flatnonzero(found != wanted)[0]
            self._refuse(f"{name}[{place}] is {found.flat[place]}, expected {wanted.flat[place]}")

    def require(self, name: str, holds: NDArray[np.bool_] | bool, expected: str) -> None:
        """Refuse an array some of whose entries do not hold what is expected of them."""
        wrong = np.flatnonzero(~np.atleast_1d(holds))
        if len(wrong):
            self._refuse(f"{name}[{wrong[0]}] is not what it must be, expected {expected}")

    def chances(self, name: str, sums: NDArray[Any]) -> None:
        """Refuse distributions that do not sum to one."""
        self.require(name, np.abs(sums - 1.0) <= ROUNDING, "probabilities that sum to 1")

    def lists(self, name: str, newest: Longs, older: Longs, what: str) -> Longs:
        """[records] the list that each record is in, -1: none; lists begin with the newest record, and no two meet."""
        owner = np.full(len(older), -1, np.int64)
        which = np.flatnonzero(newest >= 0)
        at = newest[which]
        while len(at):
            alone = len(np.unique(at)) == len(at) and bool((owner[at] < 0).all())
            self.require(name, alone, f"lists of {what} that neither meet nor turn back")
            owner[at], at = which, older[at]
            which, at = which[at >= 0], at[at >= 0]
        return owner

    def close(self) -> None:
        """Refuse what nobody declared."""
        unknown = [name for name in self._arrays if name not in self._declared]
        if unknown:
            self._refuse(f"it holds {brief(unknown[0], 40)}, which no run of this solver keeps")

    def _array(self, name: str, kind: np.dtype[Any], shape: Shape) -> NDArray[Any]:
        if name not in self._arrays:
            self._refuse(f"{name} is missing")
        self._declared.add(name)
        array = self._arrays[name]
        same = len(array.shape) == len(shape) and all(
            wanted in (None, found) for found, wanted in zip(array.shape, shape)
        )
        if array.dtype != kind or not same:
            self._refuse(f"{name} is {_described(array.dtype, array.shape)}, expected {_described(kind, shape)}")
        return array

    def _first(self, array: NDArray[Any], name: str, used: int | None) -> NDArray[Any]:
        if used is not None and len(array) < used:
            self._refuse(f"{name} has {len(array):,} entries, expected the {used:,} that are in use")
        return array[:used]

    def _within(self, name: str, array: NDArray[Any], low: Limit, high: Limit) -> NDArray[Any]:
        for limit, holds, words in ((low, array >= low, "at least"), (high, array <= high, "at most")):
            if not holds.all():  # NaN neither
                place = tuple(int(k) for k in np.argwhere(~holds)[0])
                bound = np.broadcast_to(limit, array.shape)[place]
                self._refuse(f"{name}[{', '.join(map(str, place))}] is {array[place]}, expected {words} {bound}")
        return array

    def _refuse(self, why: str) -> NoReturn:
        raise FileError(f"{self.where}: this checkpoint cannot be gone on with: {why}")


def _described(kind: np.dtype[Any], shape: Shape) -> str:
    return f"{kind}[{', '.join('any' if length is None else f'{length:,}' for length in shape)}]"


def run_sums(weights: Floats, first: Ints, count: Ints) -> Floats:
    """[runs] the sum of the weights of each run, which may be empty."""
    total = np.bincount(np.repeat(np.arange(len(count)), count), weights[ranges(first, count)], len(count))
    return np.asarray(total, np.float64)
