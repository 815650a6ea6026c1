"""What the greedy policy of a set of vectors surely earns in a partially observable process: a lower bound.

Each vector k has an action that every state on which it is defined offers, values alpha_k(s) there, and a successor
k_z for each observation z that its action may lead to, defined on all states in which play can then go on.

Let b be a belief: unnormalised, over running states with one list of actions, and U(b) the largest alpha_k . b over
the vectors that are defined on all states that b holds possible. The greedy policy G tracks the belief and takes the
action of such a vector, whichever it is where several are best. With b_z what that action and z make of b (one part
for each list of actions, which is seen too; a sum of maxima is above a maximum of sums),

  r(b, a_k) + g sum_z U(b_z) >= r(b, a_k) + g sum_z alpha_{k_z} . b_z >= alpha_k . b - rho |b| = U(b) - rho |b|,

where rho >= 0 is the largest alpha_k(s) - r(s, a_k) - g sum_{z, s'} P(s', z | s, a_k) alpha_{k_z}(s') over all k and
all s on which k is defined. At b_z there is a vector again, k_z at least, so G goes on for ever. Let V be what G
earns and D = U - V. Then D(b) <= rho |b| + g sum_z D(b_z), and after n steps D(b) is at most rho times the expected
discounted steps so far, plus g^n times the expected D of what is then believed. The first is at most rho w(b), w
being the steps that any policy may take (see `steps`); the second vanishes, as U and V are bounded by a multiple of
|b| and g < 1 or play ends whatever is done. Hence V >= U - rho w: from the start, r_0 + sum_z U(b_z) - rho w(b_0).

All vectors count, also those that good play never needs: G may take any of them. Vectors of steps in which nothing
can be decided are part of the evidence, though no policy stores them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, every_line, floats, integers, pointers, shape, within
from .form import POMDP
from .steps import STEPS, toll

EVIDENCE = ("vector_action", "vector_start", "vector_state", "vector_value", "vector_next")


@dataclass(frozen=True)
class Vectors:
    """Vectors and rewards in integers over `unit`, and which vector follows each after which observation."""

    pomdp: POMDP
    action: list[int]  # [vector]
    value: list[dict[int, int]]  # [vector] of the states on which it is defined
    reward: list[int]  # [row]
    unit: int
    follows: dict[tuple[int, int], int]  # (vector, observation) -> vector

    def violation(self) -> Fraction:
        """The largest claim less what its successors allow, or 0."""
        rate, base = self.pomdp.discount.numerator, self.pomdp.discount.denominator
        above, below = 0, 1  # the largest so far, over base * unit
        for vector, values in enumerate(self.value):
            for state, claimed in values.items():
                row = self._row(vector, state)
                total = self.pomdp.total[row]
                excess = (claimed - self.reward[row]) * base * total - rate * self._after(vector, row)
                if excess * below > above * total:
                    above, below = excess, total
        return Fraction(above, below * base * self.unit)

    def best(self, belief: Mapping[int, int]) -> int | None:
        """The largest value of a belief by vectors that are defined on it, over `unit`; None where there are none."""
        fitting = (values for values in self.value if all(state in values for state in belief))
        return max((sum(weight * own[state] for state, weight in belief.items()) for own in fitting), default=None)

    def _row(self, vector: int, state: int) -> int:
        own = self.pomdp.labels[state]
        if self.action[vector] not in own:
            raise Refused(f"vector {vector} takes action {self.action[vector]}, which state {state} does not have")
        return self.pomdp.row[state] + own.index(self.action[vector])

    def _after(self, vector: int, row: int) -> int:
        """What the successors claim about where a row leads, over unit times the row's total."""
        total = 0
        for seen, state, weight in self.pomdp.outcomes[row]:
            if self.pomdp.runs(state):
                if (vector, seen) not in self.follows:
                    raise Refused(f"vector {vector} has no successor after observation {seen}")
                after = self.follows[vector, seen]
                if state not in self.value[after]:
                    raise Refused(f"vector {after} follows vector {vector}, but is not defined on state {state}")
                total += weight * self.value[after][state]
        return total


def lower(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the greedy policy, and so the best value, is not below."""
    per_fault, vectors = toll(pomdp, certificate), read_vectors(pomdp, certificate)
    if per_fault is None:
        raise Refused(f"array {STEPS!r} is missing: without discount, what vectors claim holds only where play ends")
    beliefs: dict[int, dict[int, int]] = {}
    for seen, state, weight in pomdp.outcomes[0]:
        if pomdp.runs(state):
            into = beliefs.setdefault(seen, {})
            into[state] = into.get(state, 0) + weight
    value = 0
    for seen, belief in beliefs.items():
        best = vectors.best(belief)
        if best is None:
            raise Refused(f"no vector is defined on all that is possible after the first observation {seen}")
        value += best
    opening = Fraction(value, pomdp.total[0] * vectors.unit)
    return Fraction(pomdp.reward[0]) + opening - vectors.violation() * per_fault


def read_vectors(pomdp: POMDP, certificate: Mapping[str, Array]) -> Vectors:
    """The vectors; Refused when one lists a state twice, or two entries name a successor."""
    (count,), (size,) = shape(certificate, "vector_action", 1), shape(certificate, "vector_state", 1)
    action, states = integers(certificate, "vector_action", count), integers(certificate, "vector_state", size)
    within(states, 0, len(pomdp.labels), "vector_state")
    numbers, unit = exact([*pomdp.reward, *floats(certificate, "vector_value", size)])
    reward, values = numbers[: len(pomdp.reward)], numbers[len(pomdp.reward) :]
    slices = pointers(certificate, "vector_start", count, size)
    value = [dict(zip(states[a:b], values[a:b])) for a, b in slices]
    for vector, (a, b) in enumerate(slices):
        if len(value[vector]) != b - a:
            raise Refused(f"vector {vector} lists a state twice")
    lines = every_line(certificate, "vector_next", 3)
    follows = {(vector, seen): after for vector, seen, after in lines}
    within([after for _, _, after in lines], 0, count, "vector_next")
    if len(follows) != len(lines):
        raise Refused("'vector_next' names two successors after one observation")
    return Vectors(pomdp, action, value, reward, unit, follows)
