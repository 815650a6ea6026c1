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

The probabilities of the rows that an action plays over a support are integers over one unit: their least common
denominator where that fits in 512 bits (then all is exact), else 2**256, rounded down. What the rounding took from an
outcome is put on the state itself, where the value is at most max_a Q(s, a): see `Points.rewards`. A belief is a sum of
its parts, and the value is convex, so the bounds stay bounds.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..arithmetic import exact, shares, up
from ..arrays import Array, Refused, cut, floats, integers, pointers, shape, within
from .form import POMDP, Outcome, remaining_steps
from .supports import Following, Pick, States, Weights, dot, least_ratio, picked

EXACT_BITS, FIXED_BITS = 512, 256
Belief = dict[int, int]  # state -> weight, where play goes on, by rising states
Column = tuple[int, ...]  # what is claimed for one action, by state
Columns = list[tuple[Pick, list[Column]]]  # for each list of actions, its states, and the different columns there


@dataclass(frozen=True)
class FastInformedBound:
    """Claims Q, and rewards, as integers over `power`."""

    pomdp: POMDP
    power: int
    reward: list[int]  # [row]
    claim: list[int]  # [row] Q
    top: list[int]  # [state] the largest claim there; 0 where play is over

    def columns(self, states: States) -> Columns:
        """The claims in some states: for each list of actions that these have, action by action."""
        places: dict[tuple[int, ...], list[int]] = {}
        for place, state in enumerate(states):
            places.setdefault(self.pomdp.labels[state], []).append(place)
        return [
            (picked(own, len(states)), self.columns_of([states[k] for k in own], range(len(labels))))
            for labels, own in places.items()
        ]

    def columns_of(self, states: Sequence[int], actions: Iterable[int]) -> list[Column]:
        """The claims of some actions, by their places among those of each state; of equal ones, the first."""
        row, claim = self.pomdp.row, self.claim
        first = [row[state] for state in states]
        columns = (tuple([claim[own + action] for own in first]) for action in actions)
        return list(dict.fromkeys(columns))

    def violation(self) -> Fraction:
        """The largest r + g sum_z max_a' sum_s' P(s', z) Q(s', a') - Q(s, a), or 0."""
        rate, base, later = self.pomdp.discount.numerator, self.pomdp.discount.denominator, self._later
        worst, below = 0, 1
        rows = zip(self.pomdp.outcomes, self.pomdp.total, self.reward, self.claim)
        next(rows)  # the start is not a move
        for outcomes, total, reward, claim in rows:
            excess = (reward - claim) * base * total + rate * later(outcomes)
            if excess > 0 and excess * below > worst * total:
                worst, below = excess, total
        return Fraction(worst, below * base * self.power)

    def _later(self, outcomes: list[Outcome]) -> int:
        """sum_z max_a' sum_s' P(s', z) Q(s', a') of a row's outcomes, over power times their total."""
        top = self.top
        if len(outcomes) == 1:
            ((_, state, part),) = outcomes
            return part * top[state]
        if len({seen for seen, _, _ in outcomes}) == len(outcomes):  # nothing is hidden
            return sum([part * top[state] for _, state, part in outcomes])
        beliefs: dict[int, Belief] = {}
        for seen, state, part in outcomes:
            if self.pomdp.runs(state):
                after = beliefs.setdefault(seen, {})
                after[state] = after.get(state, 0) + part
        return sum(map(self._best, beliefs.values()))

    def _best(self, belief: Belief) -> int:
        """max_a sum_s b(s) Q(s, a); a sum over the lists of actions in the belief."""
        if len(belief) == 1:
            ((state, weight),) = belief.items()
            return weight * self.top[state]
        return informed_bound(self.columns(tuple(belief)), list(belief.values()))


def informed_bound(columns: Columns, weights: Weights) -> int:
    """max_a sum_s b(s) Q(s, a), by the columns of the belief's support; a sum over the lists of actions in it."""
    return sum([max([dot(pick(weights), column) for column in own]) for pick, own in columns])


def informed(pomdp: POMDP, claimed: Sequence[float], others: Sequence[float]) -> tuple[FastInformedBound, list[int]]:
    """The bound from one claim for each row, and `others` as integers over its power."""
    numbers, power = exact([*pomdp.reward, *claimed, *others])
    rows = len(pomdp.total)
    reward, claim, rest = numbers[:rows], numbers[rows : 2 * rows], numbers[2 * rows :]
    top = [max(claim[a:b], default=0) for a, b in zip(pomdp.row, pomdp.row[1:])]
    return FastInformedBound(pomdp, power, reward, claim, top), rest


def _unit(totals: Sequence[int]) -> int:
    """The least common denominator of some rows, or a power of two where that is long."""
    common = 1
    for total in set(totals):
        common = math.lcm(common, total)
        if common.bit_length() > EXACT_BITS:
            return 1 << FIXED_BITS
    return common


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
        parts = shares(weights[a:b])[0]
        beliefs.append({state: part for state, part in sorted(zip(own, parts)) if part})
    return beliefs


def read_witnesses(certificate: Mapping[str, Array], actions: Sequence[int]) -> list[list[list[int]]]:
    """The witnesses of each point and each of its actions, when the points have so many actions."""
    (size,) = shape(certificate, "witness", 1)
    flat = integers(certificate, "witness", size)
    cuts = [flat[a:b] for a, b in pointers(certificate, "witness_start", sum(actions), size)]
    within([witness for own in cuts if own != [FIB_ROW] for witness in own], FIB, len(actions), "witness")
    return cut(cuts, actions)


@dataclass
class _Support:
    """What is known of beliefs over some states."""

    states: States
    corner: list[int]
    columns: Columns | None = None  # once they are asked for
    picks: dict[States, Pick | None] = field(default_factory=dict)  # of other supports, which may lie within

    def pick(self, within: States) -> Pick | None:
        """Picks the weights of other states out of those of this support; None where it lacks one."""
        if within not in self.picks:
            place = {state: k for k, state in enumerate(self.states)}
            lacking = any(state not in place for state in within)
            self.picks[within] = None if lacking else picked([place[state] for state in within], len(self.states))
        return self.picks[within]


MOST_NUMBERS = 1 << 20  # in all supports that are remembered


class Points:
    """Points and corners (the states), above the fast informed bound.

    Parameters
    ----------
    fib
        The bound.
    belief, value
        By point, its belief, and what it claims, over the bound's power and the sum of its weights.
    corner
        By state, over the bound's power.
    witnesses
        By point and action.
    """

    def __init__(
        self,
        fib: FastInformedBound,
        belief: Sequence[Belief],
        value: list[int],
        corner: list[int],
        witnesses: list[list[list[int]]],
    ) -> None:
        self.fib, self.value, self.corner, self.witnesses = fib, value, corner, witnesses
        self.alike = by_support(belief)
        self.states: list[States] = [()] * len(belief)
        for states, own in self.alike.items():
            for point in own:
                self.states[point] = states
        self.weights = [list(own.values()) for own in belief]
        self.total = [sum(own) for own in self.weights]
        self._supports: dict[States, _Support] = {}
        self._numbers = 0
        self.gap = [  # [point] what it claims beyond its states' corners, in the unit of `value`
            above - dot(own, self._support(states).corner)
            for above, own, states in zip(value, self.weights, self.states)
        ]

    def bound(self, follow: Following, weights: Weights, witnesses: Sequence[int]) -> tuple[int, int]:
        """The bound on what follows a belief, as a fraction: over unit * power * the belief's total."""
        if len(witnesses) != len(follow.after):
            many = len(follow.after)
            raise Refused(f"{len(witnesses)} witnesses for {many} observations after row {follow.rows[0]}")
        above, below = 0, 1
        for after, witness in zip(follow.after, witnesses):
            if after.states:
                own, support = after.of(weights), self._support(after.states)
                if witness == FIB:
                    above += below * self._informed(support, own)
                    continue
                above += below * dot(own, support.corner)
                pick = support.pick(self.states[witness]) if witness >= 0 else None
                if pick is not None:
                    weight, part = least_ratio(pick(own), self.weights[witness])
                    above, below = above * part + below * weight * self.gap[witness], below * part
        return above, below

    def rewards(self, follow: Following) -> list[int]:
        """[row] over unit * power * the discount's denominator: the reward, and the top of what rounding took."""
        pomdp, top = self.fib.pomdp, self.fib.top
        over, base = pomdp.discount.numerator, pomdp.discount.denominator
        found = [self.fib.reward[row] * follow.unit * base for row in follow.rows]
        for place, row in enumerate(follow.rows if follow.taken else ()):
            rate = over if row else base  # the start is followed by the first step without discount
            later = rate * sum(rest * top[state] for state, rest in follow.taken.get(row, {}).items())
            found[place] -= -later // pomdp.total[row]
        return found

    def largest_violation(self) -> Fraction | None:
        """The largest r + g (what follows by the witnesses) - u, over points and their actions that have witnesses."""
        worst, scale = None, 1
        for states, points in self.alike.items():
            for place in range(len(self.fib.pomdp.labels[states[0]])):
                judged = [point for point in points if self.witnesses[point][place] != [FIB_ROW]]
                if judged:
                    for excess, own_scale in self._excess(states, place, judged):
                        if worst is None or excess * scale > worst * own_scale:
                            worst, scale = excess, own_scale
        return None if worst is None else Fraction(worst, scale)

    def _excess(self, states: States, place: int, points: Sequence[int]) -> Iterator[tuple[int, int]]:
        """By point over these states, the violation of one action, as a fraction."""
        pomdp = self.fib.pomdp
        rate, base = pomdp.discount.numerator, pomdp.discount.denominator
        follow = self.following([pomdp.row[state] + place for state in states])
        rewards, widen = self.rewards(follow), follow.unit * base
        for point in points:
            own = self.weights[point]
            above, below = self.bound(follow, own, self.witnesses[point][place])
            here = dot(own, rewards) - self.value[point] * widen
            yield here * below + rate * above, self.total[point] * widen * self.fib.power * below

    def following(self, rows: list[int]) -> Following:
        """What follows these rows, in their own unit."""
        pomdp = self.fib.pomdp
        return Following(pomdp, rows, _unit([pomdp.total[row] for row in rows]))

    def _informed(self, support: _Support, weights: Weights) -> int:
        if support.columns is None:
            support.columns = self.fib.columns(support.states)
            self._numbers += sum(len(column) for _, own in support.columns for column in own)
        return informed_bound(support.columns, weights)

    def _support(self, states: States) -> _Support:
        if states not in self._supports:
            if self._numbers > MOST_NUMBERS:
                self._supports.clear()
                self._numbers = 0
            self._supports[states] = _Support(states, [self.corner[state] for state in states])
            self._numbers += len(states)
        return self._supports[states]


def by_support(beliefs: Sequence[Belief]) -> dict[States, list[int]]:
    """The beliefs over each support."""
    alike: dict[States, list[int]] = {}
    for point, own in enumerate(beliefs):
        alike.setdefault(tuple(own), []).append(point)
    return alike


def read_points(pomdp: POMDP, certificate: Mapping[str, Array]) -> Points:
    """Points, their witnesses and the bound beneath them; Refused at the first fault."""
    (count,) = shape(certificate, "point_value", 1)
    values = floats(certificate, "point_value", count)
    fib, claimed = informed(pomdp, floats(certificate, "fib", len(pomdp.total)), values)
    belief = read_beliefs(pomdp, certificate, count)
    witnesses = read_witnesses(certificate, [len(pomdp.labels[min(own)]) for own in belief])
    value, corner = [claim * sum(own.values()) for claim, own in zip(claimed, belief)], list(fib.top)
    for states, points in by_support(belief).items():
        columns = dict[tuple[int, ...], list[Column]]()  # by the actions that the fast informed bound does for
        for point in points:
            direct = tuple(place for place, named in enumerate(witnesses[point]) if named == [FIB_ROW])
            if direct not in columns:
                columns[direct] = fib.columns_of(states, direct)
            weights = list(belief[point].values())
            value[point] = max([value[point], *(dot(weights, column) for column in columns[direct])])
        if len(states) == 1:
            corner[states[0]] = min(corner[states[0]], *(value[point] for point in points))
    return Points(fib, belief, value, corner, witnesses)


POINTS = (
    *("fib", "point_start", "point_state", "point_weight", "point_value"),
    *("witness_start", "witness", "root"),
)


def upper(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best value is not above (without 'steps_left': of policies with which play surely ends)."""
    per_fault = remaining_steps(pomdp, certificate)
    points = read_points(pomdp, certificate)
    root = integers(certificate, "root", *shape(certificate, "root", 1))
    within(root, FIB, len(points.states), "root")
    bound = _at_start(points, root)
    broken = max(Fraction(0), points.largest_violation() or Fraction(0), points.fib.violation())
    if broken == 0:
        return bound
    if per_fault is None:
        reason = f"claims that are off by {up(broken)!r} prove nothing without discount"
        raise Refused(f"array 'steps_left' is missing, and {reason}: give it, or claims that hold exactly")
    return bound + broken * per_fault


def _at_start(points: Points, witnesses: Sequence[int]) -> Fraction:
    """The reward of the start, and what follows it by its witnesses."""
    follow, base = points.following([0]), points.fib.pomdp.discount.denominator
    above, below = points.bound(follow, [1], witnesses)
    scale = follow.unit * points.fib.power
    return Fraction(points.rewards(follow)[0], scale * base) + Fraction(above, scale * below)
