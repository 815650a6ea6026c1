"""Lists of integers over supports against the fractions and dictionaries that they stand for."""

from fractions import Fraction

import numpy as np
import pytest

from fogbound.verify.pomdp import upper as uppers
from fogbound.verify.pomdp.form import POMDP
from fogbound.verify.pomdp.supports import Following, least_ratio, picked
from fogbound.verify.pomdp.upper import CORNERS, FIB, FIB_ROW, FastInformedBound, Points


def random_process(seed: int, states: int = 7, actions: int = 2, seen: int = 3) -> POMDP:
    """A random process whose last state is over; odd states have their actions under other labels."""
    rng = np.random.default_rng(seed)
    row = [1 + actions * min(s, states - 1) for s in range(states + 1)]
    outcomes = [[(0, s, 1) for s in range(states - 1)]]
    for _ in range(row[-1] - 1):
        drawn = rng.integers([0, 0, 1], [seen, states, 99], (int(rng.integers(1, 6)), 3)).tolist()
        outcomes.append([(z, s, w) for z, s, w in drawn])
    labels = [tuple(range(s % 2, s % 2 + actions)) for s in range(states - 1)] + [()]
    total = [sum(weight for _, _, weight in own) for own in outcomes]
    return POMDP(Fraction(7, 8), row, labels, outcomes, total, [0.0] * row[-1])


def random_points(seed: int, count: int = 12) -> tuple[Points, list[dict[int, int]]]:
    """Points over even or over odd states with any claims and any witnesses, some of them over the same states."""
    pomdp, rng = random_process(seed), np.random.default_rng([seed, 1])
    rows, power = len(pomdp.total), 1 << 40
    numbers = rng.integers(-(1 << 45), 1 << 45, 2 * rows).tolist()
    claim = numbers[rows:]
    top = [max(claim[a:b], default=0) for a, b in zip(pomdp.row, pomdp.row[1:])]
    fib = FastInformedBound(pomdp, power, numbers[:rows], claim, top)
    belief = []
    for _ in range(count):
        own = np.sort(rng.choice([0, 2, 4] if rng.random() < 0.7 else [1, 3, 5], int(rng.integers(1, 4)), False))
        belief.append({int(s): int(rng.integers(1, 1 << int(rng.integers(2, 60)))) for s in own})
    witnesses = [[_witnesses(pomdp, own, place, count, rng) for place in range(2)] for own in belief]
    value = [int(rng.integers(-(1 << 45), 1 << 45)) * sum(own.values()) for own in belief]
    return Points(fib, belief, value, [one - int(rng.integers(1 << 40)) for one in top], witnesses), belief


def _witnesses(pomdp, own, place, count, rng):
    if rng.random() < 0.2:
        return [FIB_ROW]
    seen = {z for state in own for z, _, _ in pomdp.outcomes[pomdp.row[state] + place]}
    return rng.integers(FIB, count, len(seen)).tolist()


def says(points: Points, belief: list[dict[int, int]], after: dict[int, Fraction], witness: int) -> Fraction:
    """What a witness says about an unnormalised belief, over the power."""
    fib = points.fib
    if witness == FIB:
        kinds = {fib.pomdp.labels[state] for state in after}
        return sum(
            max(
                sum(w * fib.claim[fib.pomdp.row[s] + a] for s, w in after.items() if fib.pomdp.labels[s] == kind)
                for a in range(len(kind))
            )
            for kind in kinds
        ) + Fraction(0)
    corners = sum(weight * points.corner[state] for state, weight in after.items()) + Fraction(0)
    if witness == CORNERS:
        return corners
    point = belief[witness]
    share = min(after.get(state, Fraction(0)) / part for state, part in point.items())
    below = sum(part * points.corner[state] for state, part in point.items())
    return corners + share * (points.value[witness] - below)


def by_fractions(points: Points, belief: list[dict[int, int]]) -> Fraction:
    """The largest violation, point by point and action by action."""
    fib, pomdp, found = points.fib, points.fib.pomdp, []
    for point, own in enumerate(belief):
        size = sum(own.values())
        for place, witnesses in enumerate(points.witnesses[point]):
            if witnesses == [FIB_ROW]:
                continue
            after: dict[int, dict[int, Fraction]] = {}
            earned = Fraction(0)
            for state, weight in own.items():
                row = pomdp.row[state] + place
                earned += Fraction(weight * fib.reward[row], size)
                for seen, to, part in pomdp.outcomes[row]:
                    into = after.setdefault(seen, {})
                    if pomdp.runs(to):
                        into[to] = into.get(to, Fraction(0)) + Fraction(weight * part, size * pomdp.total[row])
            later = sum(says(points, belief, after[z], w) for z, w in zip(sorted(after), witnesses))
            found.append((earned + pomdp.discount * later - Fraction(points.value[point], size)) / fib.power)
    return max(found)


@pytest.mark.parametrize("seed", range(20))
def test_points_are_judged_as_by_fractions(seed, monkeypatch):
    points, belief = random_points(seed)
    exact = by_fractions(points, belief)
    assert points.largest_violation() == exact
    monkeypatch.setattr(uppers, "MOST_NUMBERS", 0)  # nothing is remembered
    assert points.largest_violation() == exact


@pytest.mark.parametrize("seed", range(10))
def test_the_informed_bound_is_judged_as_by_fractions(seed):
    points, belief = random_points(seed)
    fib, pomdp = points.fib, points.fib.pomdp
    found = [Fraction(0)]
    for row in range(1, len(pomdp.total)):
        after: dict[int, dict[int, Fraction]] = {}
        for seen, to, part in pomdp.outcomes[row]:
            if pomdp.runs(to):
                into = after.setdefault(seen, {})
                into[to] = into.get(to, Fraction(0)) + Fraction(part, pomdp.total[row])
        later = sum(says(points, belief, own, FIB) for own in after.values())
        found.append((fib.reward[row] + pomdp.discount * later - fib.claim[row]) / fib.power)
    assert fib.violation() == max(found)


@pytest.mark.parametrize("unit", [1, 7, 1 << 20])
def test_what_rounding_takes_is_what_is_missing(unit):
    pomdp = random_process(3)
    rows = [pomdp.row[state] for state in (0, 2, 4)]
    follow, weights = Following(pomdp, rows, unit), [5, 1, 9]
    found: dict[int, Fraction] = {}
    for after in follow.after:
        assert list(after.states) == sorted(set(after.states))
        for state, weight in zip(after.states, after.of(weights)):
            found[state] = found.get(state, Fraction(0)) + Fraction(weight, unit)
    for row, weight in zip(rows, weights):
        for state, rest in follow.taken.get(row, {}).items():
            found[state] += Fraction(weight * rest, unit * pomdp.total[row])
    wanted: dict[int, Fraction] = {}
    for row, weight in zip(rows, weights):
        for _, state, part in pomdp.outcomes[row]:
            if pomdp.runs(state):
                wanted[state] = wanted.get(state, Fraction(0)) + Fraction(weight * part, pomdp.total[row])
    assert found == wanted


@pytest.mark.parametrize("seed", range(30))
def test_the_least_ratio_is_exact(seed):
    rng = np.random.default_rng(seed)
    below = [int(one) + 1 for one in rng.integers(1 << int(rng.integers(1, 60)), size=9)]
    above = [int(one) * (1 << 90) for one in rng.integers(1, 1 << 60, size=9)]
    near = 3 + (1 << 200)  # whole parts do not tell these apart
    for mine in (above, [3 * one for one in below], [near * one + k % 2 for k, one in enumerate(below)]):
        assert Fraction(*least_ratio(mine, below)) == min(map(Fraction, mine, below))
    assert Fraction(*least_ratio([*above[:-1], 0], below)) == 0


def test_places_are_picked():
    assert list(picked([0, 1, 2], 3)([7, 8, 9])) == [7, 8, 9]
    assert list(picked([2], 3)([7, 8, 9])) == [9]
    assert list(picked([2, 0], 3)([7, 8, 9])) == [9, 7]
    assert list(picked([], 3)([7, 8, 9])) == []
