"""The two bounds of a one-sided game: vectors below, points above, and what was learnt while finding them.

Horak, Bosansky, Kovarik and Kiekintveld (2023). A vector is what one strategy of the blind player guarantees in every
state of a partition; a point is a belief with what the other player can hold it to.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Floats
from fogbound.kernels import stage_model, stage_points, stage_search
from fogbound.policies.stored import StoredBounds
from fogbound.solvers.one_sided.first import first_bounds, playing_evenly
from fogbound.solvers.one_sided.pools import NAMES, make_lists, make_room, stage_room, without_reasons
from fogbound.solvers.one_sided.shifted import shifted

DEEPEST = 200
TURN = 3  # one walk of so many goes to new beliefs, the others through those of known points
SHARE = 0.01  # of the gap that a walk aims at: how exactly stage games are solved


class Bounded:
    """Bounds on the value of `form`, improved by `explore`. With a mask only some slots of the blind player count.

    All that it knows is in `arrays`, by name, so that it can be kept and gone on with.
    """

    def __init__(
        self, form: OneSided, mask: NDArray[np.bool_] | None = None, arrays: MutableMapping[str, Any] | None = None
    ) -> None:
        self.form, self.scaled = form, shifted(form)
        self.game = self.scaled.game
        self.base = form.paid + float((form.start * self.scaled.least).sum())
        self.mask = np.ones(len(form.action), bool) if mask is None else mask
        self.arrays: MutableMapping[str, Any] = {} if arrays is None else arrays
        self.room, self.work = stage_room(self.scaled), stage_model.new_work(self.scaled.wide)
        if "corner" not in self.arrays:
            self._begin()
        self.parts = np.flatnonzero(np.add.reduceat(form.start, form.first[:-1]) > 0) if form.size else np.zeros(0, int)

    @property
    def known(self) -> stage_model.Bounds:
        """The bounds, for kernels."""
        return stage_model.Bounds(*(self.arrays[name] for name in NAMES))

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
        arrays["corner"], low = first_bounds(self.scaled, self.mask)
        arrays["touched"], arrays["walks"] = np.zeros(len(form.action), bool), np.zeros(1, np.int64)
        make_lists(arrays, parts, form.size)
        records, _, links = arrays["used"].tolist()
        why, link, weight = playing_evenly(game, self.mask, records)
        make_room(arrays, np.array([2 * parts, 2 * form.size, len(link)]) + self.room)
        known = self.known
        for p in range(parts):
            number = stage_model.add_record(known, known.vectors, p, int(game.first[p + 1] - game.first[p]))
            known.why[number] = links + why[p]
        known.value[known.used[1] - form.size : known.used[1]] = low
        known.link[links : links + len(link)], known.weight[links : links + len(link)] = link, weight
        known.used[2] += len(link)
        for p in range(parts):
            stage_model.add_record(known, known.facets, p, int(game.first[p + 1] - game.first[p]))  # 0 everywhere

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
        low, high = stage_search.gap_at(self.game, self.known, partition, self.work)
        base = float((belief * self.scaled.least[own]).sum()) if shift else 0.0
        return base + self.scaled.scale * float(low), base + self.scaled.scale * float(high)

    def cover(self, partition: int, belief: Floats) -> list[tuple[int, float]]:
        """The points that the upper bound at a belief comes from, with weights; what they leave is for the corners."""
        self.at(partition, belief)
        make_room(self.arrays, self.room)
        work, known, first = self.work, self.known, int(self.arrays["used"][2])
        many = len(belief)
        end = stage_points.note_cover(
            *(self.game, known, partition, work.tau, work.chosen[:many], work.cover[:many], first)
        )
        return list(zip(known.link[first + 1 : end].tolist(), known.weight[first + 1 : end].tolist(), strict=True))

    def explore(self, gap: float, share: float = SHARE) -> None:
        """One walk from each partition in which play may begin, for a gap at the start of at most `gap`.

        Stage games are solved to a `share` of the gap.
        """
        scaled, form = self.scaled, self.form
        aim = gap / scaled.scale
        slack = 0.5 * (1 - form.discount) * aim
        rules = stage_search.Rules(aim, form.discount, slack, share * aim, DEEPEST, self.tightens())
        for p in self.parts.tolist():
            start = form.start[form.first[p] : form.first[p + 1]]
            while True:
                belief = np.zeros((DEEPEST + 1, scaled.wide))
                belief[0, : len(start)] = start / start.sum()
                if stage_search.explore(
                    *(self.game, self.known, p, belief, rules, self.mask, scaled.rows),
                    *(self.work, self.touched, self.room),
                ):
                    break
                self.grow()

    def tightens(self) -> bool:
        """Whether the next walk, which begins now, leads through beliefs of known points."""
        self.arrays["walks"][0] += 1
        return bool((self.arrays["walks"][0] - 1) % TURN)

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
