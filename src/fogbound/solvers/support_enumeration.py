"""All equilibria of a small two-player game, support by support (Dickhaut and Kaplan 1991; von Stengel 2002).

For each pair of equally many rows R and columns C, two linear systems: the second player's strategy on C that
makes R equally good, and the first's on R that makes C equally good. Solutions that are strategies, and
against which nothing else is better, are the corners of the best-reply polytopes; two corners in which each
support consists of best replies to the other are an equilibrium. In a non-degenerate game both come from one
pair, and these are all equilibria. In a degenerate game supports may differ in size and equilibria may form
continua: then these are their corners, all of them, and every other equilibrium mixes such corners.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import LimitError, SpecError
from fogbound.evaluate.dominance import iterated_dominance
from fogbound.evaluate.names import names
from fogbound.forms.normal import NormalForm, shape
from fogbound.progress import Desk, Progress
from fogbound.solvers.corners import Corner, corners
from fogbound.solvers.dominance import mixed_dominance
from fogbound.solvers.equilibrium import answer, behaviour_of, require_two

MOST_SUPPORTS = 3_000_000  # pairs of supports: a few minutes
SMALL = 64  # strategies of a player up to which mixed dominance is looked for too
SAME = 1e-12  # regrets that differ by less are rounding
UNFINISHED = sys.float_info.min  # the gap while supports are left to look at: a gap of 0 would end the search


@dataclass(frozen=True)
class SupportEnumeration:
    """All equilibria of a small two-player game, general-sum too, support by support, in exact arithmetic.

    In a degenerate game, the corners of the sets of equilibria. The answer's details list them all; its profile
    is the one of least regret, the first found among equals. Strictly dominated strategies are left out.
    With a wanted gap above 0 the search ends at the first equilibrium.
    """

    name = "support-enumeration"

    equal_size: bool = False  # only supports of equal size: all there are, unless the game is degenerate
    most: int = 100  # how many equilibria are enough

    form: ClassVar[str] = "normal"
    finds: ClassVar[str] = "equilibrium"

    def __post_init__(self) -> None:
        if self.most < 1:
            raise SpecError(f"support-enumeration: most is {self.most}, expected at least 1")

    def run(self, form: NormalForm, desk: Desk) -> Iterator[Progress]:
        require_two(form.sequence, "support-enumeration")
        kept = (mixed_dominance if max(form.payoff.shape) <= SMALL else iterated_dominance)(form).kept
        sizes = [len(part) for part in kept]
        supports = math.comb(sum(sizes), sizes[0]) - 1
        if supports > MOST_SUPPORTS:
            raise LimitError(
                f"support-enumeration: {form.spec} has {shape([supports])} pairs of supports, {shape(sizes)} "
                f"undominated strategies, over the limit of {MOST_SUPPORTS:,}. For one equilibrium: lemke-howson"
            )
        found = Found(form, kept, supports)
        yield found.latest()
        first: list[Corner] = []
        second: list[Corner] = []
        for found.looked, mine, theirs in corners(form.payoff[np.ix_(*kept)], self.equal_size):
            met = [(x, y) for x in mine for y in second] + [(x, y) for y in theirs for x in (*first, *mine)]
            first, second = first + mine, second + theirs
            for x, y in met:
                if meet(x, y, self.equal_size):
                    found.add(x, y)
                    if len(found.answers) == self.most:
                        yield found.best(complete=False)
                        return
                    yield found.latest()
            if desk.stopping():
                yield found.latest()
                return
        yield found.best(complete=True)


def meet(x: Corner, y: Corner, equal_size: bool) -> bool:
    """Whether each plays best replies to the other only."""
    same = not equal_size or x.support.bit_count() == y.support.bit_count()
    return same and not x.support & ~y.replies and not y.support & ~x.replies


class Found:
    """The equilibria so far, in the order in which they were found."""

    def __init__(self, form: NormalForm, kept: tuple[tuple[int, ...], ...], supports: int) -> None:
        self.form, self.kept, self.supports, self.looked = form, kept, supports, 0
        self.names = names(form).strategies
        self.answers: list[Progress] = []
        self.listed: list[dict[str, Any]] = []

    def add(self, x: Corner, y: Corner) -> None:
        mixed, told = [], []
        for i, corner in enumerate((x, y)):
            weights = np.zeros(len(self.form.weights[i]))
            weights[list(self.kept[i])] = [float(w) for w in corner.weights]
            mixed.append(weights)
            told.append({self.names[i][k]: float(weights[k]) for k in np.flatnonzero(weights)})
        found = answer(self.form.sequence, behaviour_of(self.form, mixed))
        self.answers.append(found)
        self.listed.append({"strategies": told, "payoffs": [float(v) for v in found.details["values"]]})

    def latest(self) -> Progress:
        """The answer while the search goes on: the last equilibrium, or uniform play. Its gap is never 0."""
        found = self.answers[-1] if self.answers else self._uniform()
        return replace(self._told(found, complete=False), gap=max(found.distance, UNFINISHED))

    def best(self, complete: bool) -> Progress:
        """The answer in the end: the least regret, the first of equals."""
        found = min(self.answers, key=lambda one: round(one.distance / SAME), default=self._uniform())
        return self._told(found, complete)

    def _uniform(self) -> Progress:
        return answer(self.form.sequence, [plex.uniform for plex in self.form.sequence.plexes])

    def _told(self, found: Progress, complete: bool) -> Progress:
        counts = {"supports": self.supports, "looked": self.looked, "complete": complete}
        details = {**found.details, "equilibria": len(self.listed), "list": list(self.listed), **counts}
        return replace(found, details=details, iteration=max(1, self.looked))
