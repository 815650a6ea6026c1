"""No policy earns more: an upper bound on the value of a partially observable process.

Let V(b) be the best value from a belief b: unnormalised, over running states with one list of actions. As the
supremum of values of policies, each linear in b, it is convex, and V(c b) = c V(b); so V of a sum of beliefs is
at most the sum of their V. With b_z what action a and observation z make of b (one part for each list of
actions; what is over has value 0), V(b) <= max_a r(b, a) + g sum_z V(b_z).

Tolls. w, linear in b, with w(s) >= 1 + g sum_s' P(s' | s, a) w(s') for all rows, and w >= 1: see
`form.remaining_steps`.

Fast informed bound. If r + g sum_z max_a' sum_s' P(s', z | s, a) Q(s', a') <= Q(s, a) + rho1, with rho1 >= 0,
then Q' = Q + rho1 w satisfies this with no rho1, since w does not depend on a'. So F'(b) = max_a sum_s b(s)
Q'(s, a) has F'(b) >= max_a r + g sum_z F'(b_z) (a sum of maxima is above a maximum of sums), and what is left
after n steps vanishes, as g < 1 or as play ends: V <= F' = F + rho1 w, where F is what Q says.

Points (b_i, u_i). Let d be the least number >= rho1 with V(b_i) <= u_i + d w(b_i) for all i; it exists, as w >= 1.
What a witness says, X, satisfies V(b) <= X + d w(b): for F that was just shown, and otherwise b is
split into c b_j and single states, where V(s) <= max_a Q(s, a) + rho1 w(s) (or a point claims less),
and w is linear. With rho >= 0 the largest violation of u_i >= r(b_i, a) + g sum_z X_z over points and actions,

  r(b_i, a) + g sum_z V(b_z) <= u_i + rho + d g sum_z w(b_z) <= u_i + rho + d (w(b_i) - 1).

An action with FIB_ROW has V <= u_i + rho1 w(b_i), u_i having been raised to sum_s b(s) Q(s, a). So if d were
above max(rho, rho1), V(b_i) < u_i + d w(b_i) for all i, and d not the least. Hence d <= max(rho, rho1), and the
value of the process is at most r_0 + sum_z X_z + max(rho, rho1) w(b_0), over the first observations z.

No discount and no toll. If g = 1 and rho = rho1 = 0, no toll is paid and none is needed. Let U(b) be the least
total price at which b can be put together from parts: any part p at F(p), and c b_j at c u_j. Then U of a sum is
at most the sum of the U, U is at most what any witness says, and U(b) >= -C |b|, where -C is the least of 0 and
all claims. Take any way to put b together, and an action a: r + sum_z U(what follows) is over all parts together
at most the sum over the parts, and there at most F(p), as rho1 = 0 (a part priced at F), or c u_j, as rho = 0 (for
FIB_ROW, as rho1 = 0 and u_j was raised). So r(b, a) + sum_z U(b_z) <= U(b) for every b and a. By induction over n,
what any policy earns in its first n steps, plus U of what is then believed, is expected to be at most
B = r_0 + sum_z X_z; so its first n steps earn at most B + C Pr(play goes on after n steps). Hence no policy with
which play surely ends earns more than B, however long that takes; and one that may go on for ever earns at most
B + C Pr(it does), also in the upper limit. With 'steps_left', play always ends, and B bounds every policy.

A point is a belief over states with one list of actions; its weights are clipped and divided by their own sum.
For each point and each of its actions, in order, there is a slice of witnesses: one for each observation that
may come (with positive probability, whether or not play goes on), in increasing order; or FIB_ROW alone, which
bounds the action by sum_s b(s) Q(s, a). A point that claims less than such a bound is raised to it.

A witness j >= 0 takes as much of point j out of the belief that follows as it holds, and puts the rest on the
states themselves. There a value is at most max_a Q(s, a), or what a point on that one state claims.

The fast informed bound: one number Q(s, a) is claimed for each row: what a player could have that acts now, and from
its next move on also knows the state it was in before. Hauskrecht, "Value-function approximations for POMDPs" (2000).

Probabilities are integers over one unit: the rows' least common denominator where that fits in 512 bits (then
all is exact), else 2**256, rounded down. What the rounding took from an outcome is put on the state itself,
where the value is at most max_a Q(s, a): see `step_reward`. A belief is a sum of its parts, and the value is convex, so
the bounds stay bounds.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact, shares, up
from ..arrays import Array, Refused, cut, floats, integers, pointers, shape, within
from .form import POMDP, remaining_steps

EXACT_BITS, FIXED_BITS = 512, 256
Belief = dict[int, int]  # state -> weight, where play goes on


@dataclass(frozen=True)
class FastInformedBound:
    """Claims Q with integer probabilities. `scale` is unit * power * the discount's denominator."""

    pomdp: POMDP
    unit: int  # of probabilities
    power: int  # of claims
    scale: int  # of rewards, and of what follows from them
    claim: list[int]  # [row] Q over power
    top: list[int]  # [state] the largest claim there, over power; 0 where play is over
    lead: list[dict[int, Belief]]  # [row] after each observation that may come, over unit
    step_reward: list[int]  # [row] over scale: the reward, and the (discounted) top of what rounding took, rounded up

    def bound(self, belief: Belief) -> int:
        """max_a sum_s b(s) Q(s, a), over power times the belief's unit; a sum over the lists of actions in it."""
        pomdp, claim = self.pomdp, self.claim
        if len(belief) == 1:  # nothing is hidden
            ((state, weight),) = belief.items()
            return weight * self.top[state]
        by_actions: dict[tuple[int, ...], list[int]] = {}
        for state, weight in belief.items():
            first, own = pomdp.row[state], pomdp.labels[state]
            sums = by_actions.setdefault(own, [0] * len(own))
            for place in range(len(own)):
                sums[place] += weight * claim[first + place]
        return sum(map(max, by_actions.values()))

    def violation(self) -> Fraction:
        """The largest r + g sum_z max_a' sum_s' P(s', z) Q(s', a') - Q(s, a), or 0."""
        rate, worst = self.pomdp.discount.numerator, 0
        for row in range(1, len(self.claim)):
            later = sum(self.bound(after) for after in self.lead[row].values())
            worst = max(worst, self.step_reward[row] + rate * later - self.claim[row] * (self.scale // self.power))
        return Fraction(worst, self.scale)


def informed(pomdp: POMDP, claimed: Sequence[float], others: Sequence[float]) -> tuple[FastInformedBound, list[int]]:
    """The bound from one claim for each row, and `others` as integers over its power."""
    numbers, power = exact([*pomdp.reward, *claimed, *others])
    rows, unit = len(pomdp.total), _unit(pomdp.total)
    reward, claim, rest = numbers[:rows], numbers[rows : 2 * rows], numbers[2 * rows :]
    top = [max(claim[a:b], default=0) for a, b in zip(pomdp.row, pomdp.row[1:])]
    over, below = pomdp.discount.numerator, pomdp.discount.denominator
    lead: list[dict[int, Belief]] = []
    step_reward = []
    for row, (outcomes, total) in enumerate(zip(pomdp.outcomes, pomdp.total)):
        beliefs: dict[int, Belief] = {}
        taken = 0
        for seen, state, part in outcomes:
            after = beliefs.setdefault(seen, {})
            if pomdp.runs(state):
                whole, rest_of_it = divmod(part * unit, total)
                after[state] = after.get(state, 0) + whole
                taken += rest_of_it * top[state]
        lead.append(beliefs)
        rate = over if row else below  # the start is followed by the first step without discount
        step_reward.append(reward[row] * unit * below - (-rate * taken // total))
    return FastInformedBound(pomdp, unit, power, unit * power * below, claim, top, lead, step_reward), rest


def _unit(totals: Sequence[int]) -> int:
    """The least common denominator of the rows, or a power of two where that is long."""
    common = 1
    for total in set(totals):
        common = math.lcm(common, total)
        if common.bit_length() > EXACT_BITS:
            return 1 << FIXED_BITS
    return common


def mean(weights: Mapping[int, int], figures: Sequence[int]) -> int:
    """sum_s b(s) f(s)."""
    return sum(weight * figures[state] for state, weight in weights.items())


CORNERS, FIB, FIB_ROW = -1, -2, -3  # other witnesses are points


def read_beliefs(pomdp: POMDP, certificate: Mapping[str, Array], count: int) -> list[Belief]:
    """Each point's belief in the shortest integers; states of no weight are left out."""
    (size,) = shape(certificate, "point_state", 1)
    states, weights = integers(certificate, "point_state", size), floats(certificate, "point_weight", size)
    within(states, 0, len(pomdp.labels), "point_state")
    beliefs = []
    for point, (a, b) in enumerate(pointers(certificate, "point_start", count, size)):
        own = states[a:b]
        legal_sets = {pomdp.labels[state] for state in own}
        if len(legal_sets) != 1 or () in legal_sets:
            raise Refused(f"point {point} needs states in which play goes on, all with the same list of actions")
        if len(set(own)) != len(own):
            raise Refused(f"point {point} lists a state twice")
        beliefs.append({state: part for state, part in zip(own, shares(weights[a:b])[0]) if part})
    return beliefs


def read_witnesses(certificate: Mapping[str, Array], actions: Sequence[int]) -> list[list[list[int]]]:
    """The witnesses of each point and each of its actions, when the points have so many actions."""
    (size,) = shape(certificate, "witness", 1)
    flat = integers(certificate, "witness", size)
    cuts = [flat[a:b] for a, b in pointers(certificate, "witness_start", sum(actions), size)]
    within([witness for own in cuts if own != [FIB_ROW] for witness in own], FIB, len(actions), "witness")
    return cut(cuts, actions)


@dataclass(frozen=True)
class Points:
    """Points and corners (the states), above the fast informed bound."""

    fib: FastInformedBound
    belief: list[Belief]
    total: list[int]  # [point] sum of its weights
    value: list[int]  # [point] over its total times the bound's power
    corner: list[int]  # [state] over that power
    gap: list[int]  # [point] what it claims beyond its states' corners, in the unit of `value`
    witnesses: list[list[list[int]]]  # [point][action]

    def follow(self, rows: Sequence[tuple[int, int]], witnesses: Sequence[int]) -> Fraction | int:
        """The bound on what follows a weighted mix of rows, over unit * power * the sum of the weights."""
        beliefs: dict[int, Belief] = {}
        for row, weight in rows:
            for seen, after in self.fib.lead[row].items():
                into = beliefs.setdefault(seen, {})
                for state, part in after.items():
                    into[state] = into.get(state, 0) + weight * part
        if len(witnesses) != len(beliefs):
            raise Refused(f"{len(witnesses)} witnesses for {len(beliefs)} observations after row {rows[0][0]}")
        return sum(self._bound(beliefs[seen], witness) for seen, witness in zip(sorted(beliefs), witnesses))

    def violations(self) -> Iterator[Fraction]:
        """r + g (what follows by the witnesses) - u, of every point and action that has witnesses."""
        fib = self.fib
        rate, widen = fib.pomdp.discount.numerator, fib.scale // fib.power
        for point, belief in enumerate(self.belief):
            for place, witnesses in enumerate(self.witnesses[point]):
                if witnesses != [FIB_ROW]:
                    rows = _rows(fib.pomdp, belief, place)
                    right = rate * self.follow(rows, witnesses)
                    right += sum(weight * fib.step_reward[row] for row, weight in rows)
                    yield Fraction(right - self.value[point] * widen, self.total[point] * fib.scale)

    def _bound(self, belief: Belief, witness: int) -> Fraction | int:
        if witness == FIB:
            return self.fib.bound(belief)
        corners = mean(belief, self.corner)
        return corners if witness == CORNERS else corners + _held(belief, self.belief[witness]) * self.gap[witness]


def read_points(pomdp: POMDP, certificate: Mapping[str, Array]) -> Points:
    """Points, their witnesses and the bound beneath them; Refused at the first fault."""
    (count,) = shape(certificate, "point_value", 1)
    values = floats(certificate, "point_value", count)
    fib, claimed = informed(pomdp, floats(certificate, "fib", len(pomdp.total)), values)
    belief = read_beliefs(pomdp, certificate, count)
    witnesses = read_witnesses(certificate, [len(pomdp.labels[min(own)]) for own in belief])
    total = [sum(own.values()) for own in belief]
    value, corner = [], list(fib.top)
    for point, own in enumerate(belief):
        direct = [_rows(pomdp, own, place) for place, named in enumerate(witnesses[point]) if named == [FIB_ROW]]
        bounds = [sum(weight * fib.claim[row] for row, weight in rows) for rows in direct]
        value.append(max([claimed[point] * total[point], *bounds]))
        if len(own) == 1:
            corner[min(own)] = min(corner[min(own)], value[-1])
    gap = [above - mean(own, corner) for above, own in zip(value, belief)]
    return Points(fib, belief, total, value, corner, gap, witnesses)


def _rows(pomdp: POMDP, belief: Belief, place: int) -> list[tuple[int, int]]:
    """The rows of one action, weighted as the belief weighs their states."""
    return [(pomdp.row[state] + place, weight) for state, weight in belief.items()]


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


POINTS = (
    *("fib", "point_start", "point_state", "point_weight", "point_value"),
    *("witness_start", "witness", "root"),
)


def upper(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best value is not above (without 'steps_left': of policies with which play surely ends)."""
    per_fault = remaining_steps(pomdp, certificate)
    points = read_points(pomdp, certificate)
    root = integers(certificate, "root", *shape(certificate, "root", 1))
    within(root, FIB, len(points.belief), "root")
    fib = points.fib
    value = fib.step_reward[0] + pomdp.discount.denominator * points.follow([(0, 1)], root)
    bound, broken = Fraction(value, fib.scale), max(Fraction(0), *points.violations(), fib.violation())
    if broken == 0:
        return bound
    if per_fault is None:
        reason = f"claims that are off by {up(broken)!r} prove nothing without discount"
        raise Refused(f"array 'steps_left' is missing, and {reason}: give it, or claims that hold exactly")
    return bound + broken * per_fault
