"""One equilibrium of a two-player game, whatever its payoffs, by following a path (Lemke and Howson 1964).

As in von Stengel, "Computing equilibria for two-person games" (2002), and in chapter 3 of "Algorithmic game
theory" (2007): the best-reply polytope of each player is a tableau; a strategy, of either player, is a *label*,
and a pair of vertices is an equilibrium when every label is met: unplayed, or a best reply. One label is dropped
at the artificial equilibrium (0, 0), and complementary pivots lead to a true one. Ties are broken
lexicographically, so degenerate games cannot cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, SpecError
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Scope
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer, behaviour_of
from fogbound.solvers.linear_programs.highs import power_of_two
from fogbound.solvers.matrix import exact

MOST_EXACT = 50  # strategies of both players together; above, pivots are floats
TINY = 1e-12  # what counts as zero in a float tableau
MOST_PIVOTS = 200_000  # float tableaux only: rounding might go round in circles
GOOD = 1e-9  # regret, relative to the largest payoff, that needs no second try
Stopping = Callable[[], bool]


@dataclass(frozen=True)
class LemkeHowson(EquilibriumSolver[NormalForm]):
    """One equilibrium of a two-player game, general-sum too, along the Lemke–Howson path of a dropped label.

    Other labels may lead to other equilibria: 0 .. m-1 are the first player's strategies, then the second's.
    Exact integer pivots up to 50 strategies in all; floats above, where the other labels are tried in turn
    should the answer have regret. The path can be exponentially long, though it hardly ever is.

    Parameters
    ----------
    label
        The strategy that is dropped at the start.
    """

    name = "lemke-howson"

    label: int = 0

    scope: ClassVar[Scope] = Scope(2, 2)
    form: ClassVar[type[NormalForm]] = NormalForm

    def __post_init__(self) -> None:
        if self.label < 0:
            raise SpecError(f"lemke-howson: label is {self.label}, expected 0 or more")

    def run(self, form: NormalForm, context: Context) -> Iterator[Progress]:
        self.require(form.sequence, "lemke-howson")
        rows, columns = form.payoff.shape[:2]
        if self.label >= rows + columns:
            most = f"expected 0 to {rows + columns - 1}: {form.spec} has {rows} + {columns} strategies"
            raise FormError(f"lemke-howson: label is {self.label}, {most}")
        best = answer(form.sequence, [plex.uniform for plex in form.sequence.plexes])
        yield best
        enough = GOOD * power_of_two(form.payoff)
        for turn in range(rows + columns):
            label = (self.label + turn) % (rows + columns)
            pair = polytopes(form.payoff)
            pivots = follow_path(pair, label, context.stopping)
            if pivots is None:  # stopped, or lost in rounding: the answer so far stands
                yield best
                if context.stopping():
                    return
                continue
            mixed = [tableau.mixed() for tableau in pair]
            details = {"label": label, "pivots": pivots, "arithmetic": "exact" if pair[0].exact else "float"}
            details["shown"] = (
                f"the equilibrium at the end of the path of label {label}; other labels may lead to others"
            )
            progress = answer(form.sequence, behaviour_of(form, mixed))
            if progress.distance <= best.distance:
                best = replace(progress, details={**progress.details, **details})
            yield best
            if progress.distance <= enough:
                return


@dataclass
class Tableau:
    """A best-reply polytope {z >= 0: U z <= 1}: its basic solutions are a player's mixed strategies, unscaled."""

    table: NDArray[Any]  # [constraints, labels + 1]: a column for each label, then the right-hand side
    basis: list[int]  # [constraints] the label that each row is solved for
    played: range  # the labels of the strategies that z mixes
    slack: range  # the others: columns of the inverse of the basis, which break ties
    exact: bool
    last: int = 1  # the last pivot of an exact tableau: every basic column has it on its row

    def enter(self, label: int) -> int:
        """Bring the label's variable into the basis; the label that leaves."""
        row = self._leaving(label)
        if self.exact:
            pivoted = exact.pivot(self.table, row, label, self.last)
            self.last, self.table = self.table[row, label], pivoted
        else:
            self.table[row] /= self.table[row, label]
            rest = self.table[:, label].copy()
            rest[row] = 0.0
            self.table -= np.outer(rest, self.table[row])
        left, self.basis[row] = self.basis[row], label
        return left

    def _leaving(self, label: int) -> int:
        """The row of the lexicographically least ratio: unique, whatever ties (von Stengel 2007, section 3.6)."""
        ratio: Any = Fraction if self.exact else np.divide
        tiny, column = 0 if self.exact else TINY, self.table[:, label]
        rows = [i for i, entry in enumerate(column) if entry > tiny]
        for place in (-1, *self.slack):
            ratios = [ratio(self.table[i, place], column[i]) for i in rows]
            least = min(ratios, default=0) + tiny
            rows = [i for i, r in zip(rows, ratios) if r <= least]
            if len(rows) == 1:
                break
        if not rows:
            raise ArithmeticError  # rounding has made the polytope look unbounded
        return rows[0]

    def mixed(self) -> Floats:
        """The basic solution as probabilities."""
        weights = [0] * len(self.played)
        for row, label in enumerate(self.basis):
            if label in self.played:
                weights[label - self.played.start] = self.table[row, -1]
        total = sum(weights)
        return np.array([float(Fraction(w, total) if self.exact else max(w, 0.0) / total) for w in weights])


def polytopes(payoff: Floats) -> tuple[Tableau, Tableau]:
    """The first player's strategies x with B'x <= 1, the second's y with Ay <= 1, for payoffs made positive."""
    rows, columns = payoff.shape[:2]
    small = rows + columns <= MOST_EXACT
    mine, theirs = (exact.integers(part) if small else _floats(part) for part in (payoff[..., 0], payoff[..., 1]))
    mine, theirs = (part - part.min() + 1 for part in (mine, theirs))
    first, second, kind = range(rows), range(rows, rows + columns), mine.dtype
    x = np.hstack([theirs.T, np.eye(columns, dtype=kind), np.ones((columns, 1), kind)])
    y = np.hstack([np.eye(rows, dtype=kind), mine, np.ones((rows, 1), kind)])
    return Tableau(x, list(second), first, second, small), Tableau(y, list(first), second, first, small)


def _floats(payoff: Floats) -> Floats:
    """Payoffs between 0 and 1, so that tolerances mean something."""
    scaled: Floats = (payoff - payoff.min()) / (np.ptp(payoff) or 1.0)
    return scaled


def follow_path(pair: tuple[Tableau, Tableau], dropped: int, stopping: Stopping) -> int | None:
    """Pivot from the artificial equilibrium until `dropped` is met again; how often, None where it was not."""
    turn, label, pivots = int(dropped not in pair[0].played), dropped, 0
    while pivots == 0 or label != dropped:
        if stopping() or (pivots >= MOST_PIVOTS and not pair[0].exact):
            return None
        try:
            label = pair[turn].enter(label)
        except ArithmeticError:
            return None
        turn, pivots = 1 - turn, pivots + 1
    return pivots
