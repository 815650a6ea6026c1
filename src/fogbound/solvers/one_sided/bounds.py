"""The two bounds of a one-sided game: vectors below, points above, and what was learnt while finding them.

Horak, Bosansky, Kovarik and Kiekintveld (2023). A vector is what one strategy of the blind player guarantees in every
state of a partition; a point is a belief with what the other player can hold it to.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.arrays import Floats, Ints, ranges
from fogbound.forms.one_sided.form import OneSided
from fogbound.policies.stored_bounds import StoredBounds
from fogbound.solvers.one_sided.initial_bounds import initial_bounds, playing_evenly
from fogbound.solvers.one_sided.kernels import model as stage_model
from fogbound.solvers.one_sided.kernels import upper_bound as stage_points
from fogbound.solvers.one_sided.kernels.model import MOST_COLUMNS, BoundArrays
from fogbound.solvers.one_sided.kernels.search import UNMIXED, bounds_at
from fogbound.solvers.one_sided.kernels.upper_bound import MOST_FACETS
from fogbound.solvers.one_sided.shaping import ShapedGame, shaped_game

# The room that bounds of a one-sided game take: pools of records that are made, and made larger.


NAMES = tuple(place.name for place in fields(BoundArrays))
POOLS = {"older": 0, "at": 0, "why": 0, "value": 1, "link": 2, "weight": 2}  # whose use is counted where
LISTS = ("vectors", "facets", "spare", "points")
KEPT = {"vectors": 0, "facets": 0, "points": 2}  # in files; how many numbers a record holds beside one for each state
Arrays = MutableMapping[str, Any]


def stage_room(scaled: ShapedGame) -> Ints:
    """[records, values, links] that a stage of each bound may add together."""
    game, wide = scaled.game, scaled.wide
    most = int(np.diff(game.branch[game.slot]).max(initial=0))  # branches of a partition
    ways = int(np.diff(game.branch).max(initial=0))  # of a slot
    facets = MOST_FACETS * most
    column, cover = 1 + ways, 1 + 2 * wide
    return np.array([facets + 2, (facets + 2) * (wide + 2), 1 + MOST_COLUMNS * column + scaled.rows + most * cover])


def make_lists(arrays: Arrays, parts: int, states: int) -> None:
    """Empty lists, and pools where there are none."""
    for name in LISTS:
        arrays.setdefault(name, np.full(parts, -1, np.int64))
    arrays.setdefault("crown", np.full(states, -1, np.int64))
    for name in POOLS:
        arrays.setdefault(name, np.zeros(0, np.float64 if name in ("value", "weight") else np.int64))
    arrays.setdefault("used", np.zeros(3, np.int64))


def without_reasons(arrays: Arrays, sizes: Ints) -> dict[str, NDArray[Any]]:
    """The lists and what they hold, in as little room as they need; sizes [P] says how many states partitions have."""
    numbers: list[int] = []
    found: dict[str, list[int]] = {name: [] for name in ("vectors", "facets", "points", "older", "length")}
    for name, more in KEPT.items():
        for size, newest in zip(sizes.tolist(), arrays[name].tolist(), strict=True):
            own, record = [], newest
            while record >= 0:
                own.append(record)
                record = int(arrays["older"][record])
            first = len(numbers)
            numbers += reversed(own)
            found["older"] += [-1, *range(first, len(numbers) - 1)][: len(own)]
            found["length"] += [size + more] * len(own)
            found[name].append(len(numbers) - 1 if own else -1)
    kept = {name: np.array(column, np.int64) for name, column in found.items()}
    length = kept.pop("length")
    at = np.cumsum(length) - length
    value = arrays["value"][ranges(arrays["at"][numbers], length)]
    return {**kept, "at": at, "value": value, "used": np.array([len(numbers), len(value)]), "corner": arrays["corner"]}


def make_room(arrays: Arrays, more: Ints) -> None:
    """Room for so many more records, values and links; for half as many again as there was, where that is more."""
    needed = (arrays["used"] + more).tolist()
    for name, place in POOLS.items():
        array: NDArray[Any] = arrays[name]
        if len(array) <= needed[place]:
            size = max(needed[place] + 1, len(array) * 3 // 2)
            arrays[name] = np.concatenate([array, np.zeros(size - len(array), array.dtype)])


MOVED = ("at", "value", "link")  # one of each pool's arrays: where they lie tells whether there has been more room
STAGE_TOLERANCE = 0.01  # of the gap that a walk aims at: how exactly stage games are solved


class OneSidedBounds:
    """Bounds on the value of `form`, improved by walks. With a mask only some slots of the blind player count.

    All that it knows is in `arrays`, by name, so that it can be kept and gone on with.
    """

    def __init__(
        self, form: OneSided, mask: NDArray[np.bool_] | None = None, arrays: MutableMapping[str, Any] | None = None
    ) -> None:
        self.form, self.scaled = form, shaped_game(form)
        self.base = form.paid + float((form.start * self.scaled.least).sum())
        self.mask = np.ones(len(form.action), bool) if mask is None else _checked(form, mask)
        self.game = replace(self.scaled.game, allowed=self.mask)
        self.arrays: MutableMapping[str, Any] = {} if arrays is None else arrays
        self.room, self.work = stage_room(self.scaled), self.scaled.work()
        self._here: stage_model.StageArrays | None = None
        if "corner" not in self.arrays:
            self._begin()
        self.parts = np.flatnonzero(np.add.reduceat(form.start, form.first[:-1]) > 0) if form.size else np.zeros(0, int)

    @property
    def known(self) -> stage_model.BoundArrays:
        """The bounds, for kernels."""
        return self.here.bounds

    @property
    def here(self) -> stage_model.StageArrays:
        """All that a stage is solved with, for kernels: made anew when pools have been."""
        found = self._here
        if found is None or any(
            getattr(found.bounds, name) is not self.arrays[name] for name in ("at", "value", "link")
        ):
            bounds = stage_model.BoundArrays(*(self.arrays[name] for name in NAMES))
            found = self._here = stage_model.StageArrays(self.game, bounds, self.work)
        return found

    @property
    def touched(self) -> NDArray[np.bool_]:
        """[J] whether the blind player ever mixed an action into a stage's strategy."""
        found: NDArray[np.bool_] = self.arrays["touched"]
        return found

    @property
    def walks(self) -> int:
        """How many walks were begun."""
        return int(self.arrays["walks"][0])

    def _begin(self) -> None:
        """The first bounds; vectors that are there already stay."""
        form, game, arrays, parts = self.form, self.game, self.arrays, len(self.game.first) - 1
        arrays["corner"], low = initial_bounds(self.scaled, game)
        arrays["touched"], arrays["walks"] = np.zeros(len(form.action), bool), np.zeros(1, np.int64)
        make_lists(arrays, parts, form.size)
        records, _, links = arrays["used"].tolist()
        why, link, weight = playing_evenly(game, records)
        make_room(arrays, np.array([2 * parts, 2 * form.size, len(link)]) + self.room)
        known = self.known
        known.why[self._add("vectors", low)] = links + why
        known.link[links : links + len(link)], known.weight[links : links + len(link)] = link, weight
        known.used[2] += len(link)
        self._add("facets", np.zeros(form.size))

    def _add(self, name: str, values: Floats) -> slice:
        """A record of each partition with its states' values, as the newest of its list: their numbers."""
        known, parts = self.known, len(self.game.first) - 1
        records, begin, _ = known.used.tolist()
        new, lists = slice(records, records + parts), self.arrays[name]
        known.older[new], known.at[new], known.why[new] = lists, begin + self.game.first[:-1], -1
        known.value[begin : begin + len(values)] = values
        lists[:] = np.arange(records, records + parts)
        known.used[:2] += parts, len(values)
        return new

    def bounds(self) -> tuple[float, float]:
        """The value of the game lies between these."""
        lower = upper = self.base
        for p in self.parts.tolist():
            low, high = self.at(p, self.form.start[self.form.first[p] : self.form.first[p + 1]], shift=False)
            lower, upper = lower + low, upper + high
        return lower, upper

    def at(self, partition: int, belief: Floats, shift: bool = True) -> tuple[float, float]:
        """Bounds at a belief over a partition, which need not be normalised."""
        own = slice(int(self.form.first[partition]), int(self.form.first[partition + 1]))
        self.work.tau[: own.stop - own.start] = belief
        low, high = bounds_at(self.here, partition)
        base = float((belief * self.scaled.least[own]).sum()) if shift else 0.0
        return base + self.scaled.scale * low, base + self.scaled.scale * max(low, high)

    def cover(self, partition: int, belief: Floats) -> list[tuple[int, float]]:
        """The points that the upper bound at a belief comes from, with weights; what they leave is for the corners."""
        self.at(partition, belief)
        make_room(self.arrays, self.room)
        known, first = self.known, int(self.arrays["used"][2])
        end = stage_points.note_cover(self.here, partition, len(belief), first)
        return list(zip(known.link[first + 1 : end].tolist(), known.weight[first + 1 : end].tolist(), strict=True))

    def touch(self, mixed: Iterable[tuple[int, float]]) -> None:
        """Remember which slots were mixed."""
        for slot, share in mixed:
            if share > UNMIXED:
                self.touched[slot] = True

    def grow(self) -> None:
        """Make room for what a stage of each bound may add."""
        make_room(self.arrays, self.room)

    def vectors(self, partition: int) -> Floats:
        """[n, states] what strategies of the blind player guarantee in the states of a partition."""
        own = slice(int(self.form.first[partition]), int(self.form.first[partition + 1]))
        size = own.stop - own.start
        values = self._values("vectors", partition, size)
        found: Floats = self.scaled.least[own] + self.scaled.scale * values
        return found

    def points(self, partition: int) -> tuple[Floats, Floats]:
        """[n, states] beliefs, and [n] what the blind player can have there at most; the states alone come first."""
        own = slice(int(self.form.first[partition]), int(self.form.first[partition + 1]))
        size = own.stop - own.start
        kept = self._values("points", partition, size + 2)
        beliefs = np.concatenate([np.eye(size), kept[:, :size]])
        values = np.concatenate([self.arrays["corner"][own], kept[:, size]])
        return beliefs, (beliefs * self.scaled.least[own]).sum(axis=1) + self.scaled.scale * values

    def stored(self, blind: bool) -> StoredBounds:
        """The bounds as a file holds them, for one of the two players: without reasons, which play does not need."""
        kept = without_reasons(self.arrays, np.diff(self.form.first))
        return StoredBounds(blind, {**kept, "mask": self.mask.astype(np.int64)})

    def records(self, name: str, partition: int) -> list[int]:
        """The numbers of a partition's vectors or points, the newest first."""
        found, record = [], int(self.arrays[name][partition])
        while record >= 0:
            found.append(record)
            record = int(self.arrays["older"][record])
        return found

    def _values(self, name: str, partition: int, size: int) -> Floats:
        """[n, size] the values of a partition's records."""
        at = self.arrays["at"][self.records(name, partition)].astype(np.int64)
        found: Floats = self.arrays["value"][at[:, None] + np.arange(size)]
        return found


def _checked(form: OneSided, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask, contiguous; FormError where it is of another game, or leaves the blind player nothing to do."""
    if mask.shape != form.action.shape or mask.dtype != bool:
        raise FormError(f"{form.spec}: a mask of {mask.shape} {mask.dtype}, expected one truth value an action")
    empty = np.flatnonzero(~np.logical_or.reduceat(mask, form.slot[:-1]))
    if len(empty):
        raise FormError(f"{form.spec}: the mask leaves no action in partition {empty[0]}")
    return np.ascontiguousarray(mask)
