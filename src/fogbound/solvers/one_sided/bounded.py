"""The two bounds of a one-sided game: vectors below, points above, and what was learnt while finding them.

Horak, Bosansky, Kovarik and Kiekintveld (2023). A vector is what one strategy of the blind player guarantees in every
state of a partition; a point is a belief with what the other player can hold it to.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Floats
from fogbound.kernels import stage_model, stage_search, stage_start
from fogbound.kernels.stage_lower import MOST_COLUMNS
from fogbound.policies.stored import StoredBounds
from fogbound.solvers.one_sided.shifted import shifted

Longs = NDArray[np.int64]
FIRST_GAP = 1e-5  # share of the scale up to which the first bounds are swept
SWEEPS = 2_000
DEEPEST = 200
NAMES = stage_model.Bounds._fields


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
        if "corner" not in self.arrays:
            self._begin()
        ways = np.diff(self.game.branch[self.game.slot])  # branches of each partition
        self.records = (MOST_COLUMNS + 1) * int(ways.max(initial=0)) + 2  # that one pair of stages may add
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

    def _begin(self) -> None:
        """First bounds: the blind player sees everything; it plays at random."""
        game, scaled = self.game, self.scaled
        table = np.zeros((scaled.slots, scaled.rows))
        corner, low = np.zeros(self.form.size), np.zeros(self.form.size)
        change = self._sweep(lambda: stage_start.together_sweep(game, corner, self.mask, table))
        if self.form.discount < 1:
            corner += change * self.form.discount / (1 - self.form.discount)
        belief, y, shares = np.zeros(scaled.wide), np.zeros(scaled.rows), np.zeros(MOST_COLUMNS)
        self._sweep(lambda: stage_start.seen_sweep(game, corner, self.mask, table, belief, y, shares))
        self._sweep(lambda: stage_start.random_sweep(game, low, self.mask, table))
        parts = len(game.first) - 1
        room = 4 * parts + 4_096
        self.arrays["corner"] = corner
        self.arrays.update({name: np.full(parts, -1, np.int64) for name in ("vectors", "facets", "points")})
        self.arrays.update({name: np.zeros(room, np.int64) for name in ("older", "at")})
        self.arrays["value"] = np.zeros(2 * self.form.size + 4_096 * (scaled.wide + 2))
        self.arrays["used"] = np.zeros(2, np.int64)
        self.arrays["touched"] = np.zeros(len(self.form.action), bool)
        known = self.known
        for p in range(parts):
            own = slice(game.first[p], game.first[p + 1])
            for lists, values in ((known.vectors, low[own]), (known.facets, np.zeros(own.stop - own.start))):
                at = stage_model.add_record(known, lists, p, own.stop - own.start)
                known.value[at : at + own.stop - own.start] = values

    def _sweep(self, sweep: Any) -> float:
        change = np.inf
        undiscounted = self.form.discount == 1
        for _ in range(self.form.size + 2 if undiscounted else SWEEPS):
            change = sweep()
            if change <= (0.0 if undiscounted else FIRST_GAP):
                return float(change)
        if undiscounted:
            raise FormError(f"{self.form.spec}: without a discount play must end within a bounded number of steps")
        return float(change)

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
        tau, facet = np.zeros(self.scaled.wide), np.zeros(self.scaled.wide)
        tau[: own.stop - own.start] = belief
        low, high = stage_search.gap_at(self.game, self.known, partition, tau, facet)
        base = float((belief * self.scaled.least[own]).sum()) if shift else 0.0
        return base + self.scaled.scale * float(low), base + self.scaled.scale * float(high)

    def explore(self, gap: float, share: float = 0.03) -> None:
        """One walk from each partition in which play may begin, for a gap at the start of at most `gap`.

        Stage games are solved to a `share` of the gap.
        """
        scaled, form = self.scaled, self.form
        aim = gap / scaled.scale
        slack = 0.5 * (1 - form.discount) * aim
        for p in self.parts.tolist():
            start = form.start[form.first[p] : form.first[p + 1]]
            while True:
                belief = np.zeros((DEEPEST + 1, scaled.wide))
                belief[0, : len(start)] = start / start.sum()
                if stage_search.explore(
                    *(self.game, self.known, p, belief, aim, form.discount, slack, share * aim, DEEPEST),
                    *(self.mask, scaled.rows, self.touched, self.records),
                ):
                    break
                self.grow()

    def grow(self) -> None:
        """Make room for more records."""
        wide = self.scaled.wide + 2
        for name, more in (("older", self.records), ("at", self.records), ("value", self.records * wide)):
            array = self.arrays[name]
            self.arrays[name] = np.concatenate([array, np.zeros(max(len(array), 2 * more), array.dtype)])

    def vectors(self, partition: int) -> Floats:
        """[n, states] what strategies of the blind player guarantee in the states of a partition."""
        own = slice(int(self.form.first[partition]), int(self.form.first[partition + 1]))
        size = own.stop - own.start
        values = self._records("vectors", partition, size).reshape(-1, size)
        found: Floats = self.scaled.least[own] + self.scaled.scale * values
        return found

    def points(self, partition: int) -> tuple[Floats, Floats]:
        """[n, states] beliefs, and [n] what the blind player can have there at most; the states alone come first."""
        own = slice(int(self.form.first[partition]), int(self.form.first[partition + 1]))
        size = own.stop - own.start
        kept = self._records("points", partition, size + 2).reshape(-1, size + 2)
        beliefs = np.concatenate([np.eye(size), kept[:, :size]])
        values = np.concatenate([self.arrays["corner"][own], kept[:, size]])
        return beliefs, (beliefs * self.scaled.least[own]).sum(axis=1) + self.scaled.scale * values

    def stored(self, blind: bool) -> StoredBounds:
        """The bounds as a file holds them, for one of the two players."""
        records, values = self.arrays["used"].tolist()
        kept = {name: np.array(self.arrays[name]) for name in NAMES}
        kept |= {"older": kept["older"][:records], "at": kept["at"][:records], "value": kept["value"][:values]}
        return StoredBounds(blind, {**kept, "mask": self.mask.astype(np.int64)})

    def _records(self, name: str, partition: int, size: int) -> Floats:
        record, parts = int(self.arrays[name][partition]), []
        while record >= 0:
            at = int(self.arrays["at"][record])
            parts.append(self.arrays["value"][at : at + size])
            record = int(self.arrays["older"][record])
        return np.concatenate(parts) if parts else np.zeros(0)
