"""Beliefs with claimed values, and the witnesses that say how to bound what follows from them.

A point is a belief over states with one list of actions; its weights are clipped and divided by their own sum.
For each point and each of its actions, in order, there is a slice of witnesses: one for each observation that
may come (with positive probability, whether or not play goes on), in increasing order; or FIB_ROW alone, which
bounds the action by sum_s b(s) Q(s, a). A point that claims less than such a bound is raised to it.

A witness j >= 0 takes as much of point j out of the belief that follows as it holds, and puts the rest on the
states themselves. There a value is at most max_a Q(s, a), or what a point on that one state claims.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .array import Array
from .fields import floats, shape
from .pomdp_fib import Belief, Informed, informed, mean
from .pomdp_form import Process
from .pomdp_witness import CORNERS, FIB, FIB_ROW, read_beliefs, read_witnesses
from .refused import Refused


@dataclass(frozen=True)
class Points:
    """Points and corners (the states), above the fast informed bound."""

    fib: Informed
    belief: list[Belief]
    total: list[int]  # [point] sum of its weights
    value: list[int]  # [point] over its total times the bound's power
    corner: list[int]  # [state] over that power
    gap: list[int]  # [point] what it claims beyond its states' corners, in the unit of `value`
    witnesses: list[list[list[int]]]  # [point][action]

    def follow(self, rows: Sequence[tuple[int, int]], witnesses: Sequence[int]) -> Fraction | int:
        """The bound on what follows a weighted mix of rows, over unit * power * the sum of the weights."""
        found: dict[int, Belief] = {}
        for row, weight in rows:
            for seen, after in self.fib.lead[row].items():
                into = found.setdefault(seen, {})
                for state, part in after.items():
                    into[state] = into.get(state, 0) + weight * part
        if len(witnesses) != len(found):
            raise Refused(f"{len(witnesses)} witnesses for {len(found)} observations after row {rows[0][0]}")
        return sum(self._bound(found[seen], witness) for seen, witness in zip(sorted(found), witnesses))

    def violation(self) -> Fraction:
        """The largest r + g (what follows by the witnesses) - u, over points and actions, or 0."""
        fib, worst = self.fib, Fraction(0)
        rate, widen = fib.process.discount.numerator, fib.scale // fib.power
        for point, belief in enumerate(self.belief):
            for place, witnesses in enumerate(self.witnesses[point]):
                if witnesses != [FIB_ROW]:
                    rows = _rows(fib.process, belief, place)
                    right = sum(weight * fib.pay[row] for row, weight in rows) + rate * self.follow(rows, witnesses)
                    worst = max(worst, Fraction(right - self.value[point] * widen, self.total[point] * fib.scale))
        return worst

    def _bound(self, belief: Belief, witness: int) -> Fraction | int:
        if witness == FIB:
            return self.fib.bound(belief)
        corners = mean(belief, self.corner)
        return corners if witness == CORNERS else corners + _held(belief, self.belief[witness]) * self.gap[witness]


def read_points(process: Process, certificate: Mapping[str, Array]) -> Points:
    """Points, their witnesses and the bound beneath them; Refused at the first fault."""
    (count,) = shape(certificate, "point_value", 1)
    values = floats(certificate, "point_value", count)
    fib, claimed = informed(process, floats(certificate, "fib", len(process.total)), values)
    belief = read_beliefs(process, certificate, count)
    witnesses = read_witnesses(certificate, [len(process.labels[min(own)]) for own in belief])
    total = [sum(own.values()) for own in belief]
    value, corner = [], list(fib.top)
    for point, own in enumerate(belief):
        direct = [_rows(process, own, place) for place, cut in enumerate(witnesses[point]) if cut == [FIB_ROW]]
        bounds = [sum(weight * fib.claim[row] for row, weight in rows) for rows in direct]
        value.append(max([claimed[point] * total[point], *bounds]))
        if len(own) == 1:
            corner[min(own)] = min(corner[min(own)], value[-1])
    gap = [above - mean(own, corner) for above, own in zip(value, belief)]
    return Points(fib, belief, total, value, corner, gap, witnesses)


def _rows(process: Process, belief: Belief, place: int) -> list[tuple[int, int]]:
    """The rows of one action, weighted as the belief weighs their states."""
    return [(process.row[state] + place, weight) for state, weight in belief.items()]


def _held(belief: Belief, point: Belief) -> Fraction:
    """How often the point's weights fit into the belief: min_s b(s) / point(s)."""
    above, below = 1, 0
    for state, part in point.items():
        weight = belief.get(state, 0)
        if weight == 0:
            return Fraction(0)
        if weight * below < above * part:
            above, below = weight, part
    return Fraction(above, below)
