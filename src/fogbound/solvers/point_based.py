"""Point-based value iteration: backups only at beliefs that can be met, each the price of a few products.

Pineau, Gordon and Thrun, "Point-based value iteration: an anytime algorithm for POMDPs" (2003); Spaan and Vlassis,
"Perseus: randomized point-based value iteration for POMDPs" (2005).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.forms.pomdp import POMDP
from fogbound.progress import Desk, Progress
from fogbound.solvers import lp
from fogbound.solvers.beliefs.first_bounds import Members, from_above
from fogbound.solvers.vectors.above import at_start, informed
from fogbound.solvers.vectors.backup import Reached, back_up, reach
from fogbound.solvers.vectors.model import model_of
from fogbound.solvers.vectors.points import Points
from fogbound.solvers.vectors.sets import Dynamics, VectorSets, first_sets

STILL = 1e-8  # a gain of less than this share of the largest entry is not worth a vector
INFORMED_WORK = 3e8  # multiplications spent on the upper bound, at most


@dataclass(frozen=True)
class PointBased:
    """Good policies for larger POMDPs: the lower bound rises with every sweep, the upper one is the informed bound.

    Perseus' sweeps back up random points until every point has gained; "all" backs up every point. A vector is only
    given up for one that is nowhere below it, so the policy that follows the vectors earns at least what they say. It
    assumes that the discount is below 1 or that play surely ends in the long run.
    """

    name = "pbvi"

    backup: Literal["all", "perseus"] = "perseus"
    points: int = 500
    expansion: Literal["random", "far"] = "far"  # random play from the start, or ever farther from what is there

    form: ClassVar[str] = "pomdp"
    finds: ClassVar[str] = "best response"

    def __post_init__(self) -> None:
        if self.backup not in ("all", "perseus"):
            raise SpecError(f"pbvi: backup is {self.backup!r}, expected all or perseus")
        if self.expansion not in ("random", "far"):
            raise SpecError(f"pbvi: expansion is {self.expansion!r}, expected random or far")
        if self.points < 1:
            raise SpecError(f"pbvi: points is {self.points}, expected 1 or more")

    def run(self, form: POMDP, desk: Desk) -> Iterator[Progress]:
        run = _Run(model_of(form, self.name), desk)
        if not desk.arrays:
            run.begin()
            yield run.answer()
        elif desk.arrays["done"][0]:
            yield run.answer()
        while not desk.arrays["done"][0]:
            try:
                run.sweep(self)
            except lp.Cancelled:
                return
            yield run.answer()


class _Run:
    """A run in progress. Each sweep draws from a generator of its own, so that one cut short leaves no trace."""

    def __init__(self, model: Members, desk: Desk) -> None:
        self.model, self.cut, self.desk = model, model.blocks, desk
        self.steps = Dynamics(self.cut)

    def begin(self) -> None:
        arrays = self.desk.arrays
        above, _ = informed(self.cut, from_above(self.model), self.desk.stopping, INFORMED_WORK)
        arrays["upper"] = np.array([at_start(self.cut, above)])
        arrays["seed"], arrays["sweeps"] = self.desk.rng.integers(0, 2**62, 1), np.zeros(1, np.int64)
        arrays["closed"], arrays["done"] = np.zeros(1, bool), np.zeros(1, bool)
        first_sets(self.model).store(arrays)
        Points.start(self.steps).store(arrays)

    def answer(self) -> Progress:
        arrays, sets = self.desk.arrays, VectorSets.stored(self.desk.arrays, self.cut)
        lower = float(sets.vectors[0].max())
        details = {"vectors": sets.count, "points": int(arrays["points"].sum())}
        upper = max(lower, float(arrays["upper"][0]))
        return Progress(lower, lower, upper, partial(sets.profile, self.cut), details)

    def sweep(self, how: PointBased) -> None:
        """More points where more are wanted, then backups; all or nothing of it is kept."""
        arrays = self.desk.arrays
        rng = np.random.default_rng([int(arrays["seed"][0]), int(arrays["sweeps"][0])])
        sets, points = VectorSets.stored(arrays, self.cut), Points.stored(arrays, self.steps)
        closed = bool(arrays["closed"][0]) or self.expand(points, how, rng)
        gained = self.improve(sets, points, rng, everywhere=how.backup == "all")
        sets.store(arrays)
        points.store(arrays)
        arrays["sweeps"] = arrays["sweeps"] + 1
        arrays["closed"], arrays["done"] = np.array([closed]), np.array([closed and not gained])

    def expand(self, points: Points, how: PointBased, rng: np.random.Generator) -> bool:
        """Look for more points; whether there will never be more."""
        if how.expansion == "random":
            points.walk(how.points, rng)
            return True
        before = points.count
        points.spread(how.points, rng)
        return points.count == before or points.count >= how.points

    def improve(self, sets: VectorSets, points: Points, rng: np.random.Generator, everywhere: bool) -> bool:
        """Back up points in random order, passing over those that have gained already; whether one has gained at all.

        The start comes last, so that the lower bound speaks of the vectors that are left.
        """
        still = STILL * max(float(np.abs(vectors).max(initial=0.0)) for vectors in sets.vectors)
        matrices = [points.matrix(block) for block in range(self.cut.size)]
        before = [(here @ sets.vectors[block].T).max(axis=1, initial=-np.inf) for block, here in enumerate(matrices)]
        now, reached = [values.copy() for values in before], dict[int, Reached]()
        waiting = [(block, k) for block in range(1, self.cut.size) for k in range(len(matrices[block]))]
        for place in [*rng.permutation(len(waiting)).tolist(), None]:
            block, k = (0, 0) if place is None else waiting[place]
            if not everywhere and now[block][k] > before[block][k]:
                continue
            if self.desk.stopping():
                raise lp.Cancelled("the sweep was stopped before it was done")
            if block not in reached:
                reached[block] = reach(self.steps, block, matrices[block])
            vector, slot = back_up(self.steps, sets, block, matrices[block], reached[block], k)
            if matrices[block][k] @ vector > now[block][k] + (still if block else 0.0):
                sets.add(block, vector, slot)
                now[block] = np.maximum(now[block], matrices[block] @ vector)
        return any(len(old) and float((new - old).max()) > still for new, old in zip(now, before))
