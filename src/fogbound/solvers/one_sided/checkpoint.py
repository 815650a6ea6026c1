"""What a checkpoint of bounds on a one-sided game must hold, so that no kernel is led astray by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.checkpoint_schema import Arrays
from fogbound.driver.kept import LARGEST, Kept, run_sums
from fogbound.forms.arrays import Floats, Longs, ranges
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.bounds import LISTS, NAMES, bound_pools
from fogbound.solvers.one_sided.kernels.derivations import FACET, KINDS, POINT, UNKNOWN, VECTOR, unsound_record
from fogbound.solvers.one_sided.kernels.model import BoundArrays
from fogbound.solvers.one_sided.shaping import largest_value, shaped_game

BELOW = 1e-12  # rounding at points: a facet of 0 must never be above one (`kernels.upper_bound.drop_facets`)
MEASURED = 1e-6  # up to which a point's gap is what its value and the corners say
ROLES = {"vectors": VECTOR, "facets": FACET, "free_facets": FACET, "points": POINT}


def declare_bounds(form: OneSided, kept: Kept) -> None:
    """Declare all arrays of `OneSidedBounds` on this form."""
    kept.flags("touched", (len(form.action_label),))
    trials = kept.integers("trials", (1,))
    if "mark" in kept:  # the gap, and the trials at which it was last seen to shrink: from the first report on
        kept.reals("mark", (2,), 0.0, [LARGEST, float(trials[0])])
    found, used = bound_pools({}).read(kept, {"partitions": len(form.state_start) - 1, "states": form.size})
    for name in ("corner", "value"):
        kept.require(name, np.abs(found[name]) <= 2 * largest_value(form) + 1, "values of a shaped game")
    many = used["records"]
    records = _Records(form, kept, found, np.full(many, UNKNOWN, np.int64), np.zeros(many, bool))
    records.declare_lists()
    records.declare_vertices()
    records.declare_derivations()
    records.declare_points()


@dataclass(frozen=True, eq=False)
class _Records:
    """Vectors, facets and points; of each its role as far as it is known, in the words of `kernels.derivations`."""

    form: OneSided
    kept: Kept
    found: Arrays
    role: Longs  # [records]
    listed: NDArray[np.bool_]  # [records] whether it is in a list

    @property
    def at(self) -> Longs:
        """[records] where its values begin"""
        return self.found["at"]

    @property
    def value(self) -> Floats:
        """Of all records, one after the other."""
        return self.found["value"]

    @property
    def sizes(self) -> Longs:
        """[partitions] states"""
        return np.diff(self.form.state_start)

    def of(self, kind: int) -> Longs:
        """The records of a kind, as far as they are known."""
        return np.flatnonzero((self.role >= 0) & (self.role % KINDS == kind))

    def values(self, records: Longs, more: int = 0) -> tuple[Longs, Longs]:
        """How many values each record has, and where they are; refused where that is not in the pool."""
        sizes = self.sizes[self.role[records] // KINDS]
        self.kept.require("at", self.at[records] + sizes + more <= len(self.value), "room for a record's values")
        return sizes, ranges(self.at[records], sizes)

    def declare_lists(self) -> None:
        """Lists that lead from one record to the next and end; that of facets at one that is 0 everywhere."""
        parts, newest = len(self.sizes), np.concatenate([self.found[name] for name in LISTS])
        owner = self.kept.lists("older", newest, self.found["older"], "vectors, facets and points")
        kinds = np.array([ROLES[name] for name in LISTS])
        self.listed[:] = owner >= 0
        self.role[self.listed] = (KINDS * (owner % parts) + kinds[owner // parts])[self.listed]
        facets = np.flatnonzero(owner // parts == LISTS.index("facets"))
        self.values(facets)
        _, ends = self.values(facets[self.found["older"][facets] < 0])
        self.kept.require("facets", self.value[ends] == 0, "lists that end with a facet of 0")
        self.values(self.of(FACET))

    def declare_vertices(self) -> None:
        """Points on one state alone, which are in no list."""
        vertex = self.found["vertex"]
        states = np.flatnonzero(vertex >= 0)
        records, part = vertex[states], np.searchsorted(self.form.state_start, states, side="right") - 1
        alone = len(np.unique(records)) == len(records) and (self.role[records] == UNKNOWN).all()
        self.kept.require("vertex", alone, "points of their own")
        self.role[records] = KINDS * part + POINT
        self.values(records, 2)
        there = self.value[self.at[records] + states - self.form.state_start[part]]
        self.kept.require("vertex", there == 1, "points on one state alone")

    def declare_derivations(self) -> None:
        """What vectors and points were found from; records that are in no list any more become known by it."""
        arrays = BoundArrays(**{name: self.kept.declared(name) for name in NAMES})
        known, queue = np.concatenate([self.of(VECTOR), self.of(POINT)]), np.zeros(len(self.role), np.int64)
        queue[: len(known)] = known
        wrong = unsound_record(shaped_game(self.form).game, arrays, self.role, queue, np.int64(len(known)))
        self.kept.require("derivation", np.arange(len(self.role)) != wrong, "a derivation from vectors, or from points")

    def declare_points(self) -> None:
        """Values that are not below 0, and by how much they are below the corners, for those that are in lists."""
        points = self.of(POINT)
        sizes, places = self.values(points, 2)
        value, gap = self.value[self.at[points] + sizes], self.value[self.at[points] + sizes + 1]
        self.kept.require("value", value >= -BELOW, "values of points that are not below 0")
        states = ranges(self.form.state_start[self.role[points] // KINDS], sizes)
        first = np.cumsum(sizes) - sizes
        corners = run_sums(self.value[places] * self.found["corner"][states], first, sizes)
        measured = ~self.listed[points] | (np.abs(value - corners - gap) <= MEASURED)
        self.kept.require("value", measured, "points measured by the corners")
