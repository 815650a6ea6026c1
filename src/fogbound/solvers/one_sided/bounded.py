"""The two bounds of a one-sided game: vectors below, points above, and what was learnt while finding them.

Horak, Bosansky, Kovarik and Kiekintveld (2023). A vector is what one strategy of the blind player guarantees in every
state of a partition; a point is a belief with what the other player can hold it to.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Floats
from fogbound.kernels import stage_model, stage_points
from fogbound.kernels.stage_search import UNMIXED, bounds_at
from fogbound.policies.stored import StoredBounds
from fogbound.solvers.one_sided.first import first_bounds, playing_evenly
from fogbound.solvers.one_sided.pools import NAMES, make_lists, make_room, stage_room, without_reasons
from fogbound.solvers.one_sided.shifted import shifted

MOVED = ("at", "value", "link")  # one of each pool's arrays: where they lie tells whether there has been more room
SHARE = 0.01  # of the gap that a walk aims at: how exactly stage games are solved


class Bounded:
    """Bounds on the value of `form`, improved by walks. With a mask only some slots of the blind player count.

    All that it knows is in `arrays`, by name, so that it can be kept and gone on with.
    """

    def __init__(
        self, form: OneSided, mask: NDArray[np.bool_] | None = None, arrays: MutableMapping[str, Any] | None = None
    ) -> None:
        self.form, self.scaled = form, shifted(form)
        self.base = form.paid + float((form.start * self.scaled.least).sum())
        self.mask = np.ones(len(form.action), bool) if mask is None else _checked(form, mask)
        self.game = replace(self.scaled.game, allowed=self.mask)
        self.arrays: MutableMapping[str, Any] = {} if arrays is None else arrays
        self.room, self.work = stage_room(self.scaled), self.scaled.work()
        self._here: stage_model.Here | None = None
        if "corner" not in self.arrays:
            self._begin()
        self.parts = np.flatnonzero(np.add.reduceat(form.start, form.first[:-1]) > 0) if form.size else np.zeros(0, int)

    @property
    def known(self) -> stage_model.Bounds:
        """The bounds, for kernels."""
        return self.here.bounds

    @property
    def here(self) -> stage_model.Here:
        """All that a stage is solved with, for kernels: made anew when pools have been."""
        found = self._here
        if found is None or any(
            getattr(found.bounds, name) is not self.arrays[name] for name in ("at", "value", "link")
        ):
            bounds = stage_model.Bounds(*(self.arrays[name] for name in NAMES))
            found = self._here = stage_model.Here(self.game, bounds, self.work)
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
        arrays["corner"], low = first_bounds(self.scaled, game)
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
