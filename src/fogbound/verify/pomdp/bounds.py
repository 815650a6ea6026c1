"""The value of a partially observable decision process: what one plan earns, and what none exceeds.

Each side has its own evidence: a controller or vectors below, points (`upper`) above. A side
without any gets the bound that needs none: the smallest (largest) reward of a step, or 0 where play may end, in every
step for ever.

A controller: deterministic, with finite memory. Let R be the pairs (node, state) that the controller reaches, P their
transitions (to the end: nothing), r the rewards, g the discount, V = r + g P V what the controller earns and v what is
claimed. Let e = v - (r + g P v), and rho >= 0 the largest e. The excess x = v - V obeys x = e + g P x, so x, the sum of
g^t P^t e over t, is at most rho times the sum of g^t P^t 1. Claims that are too low do no harm: only an e above 0 is
paid for.

  g < 1: that sum is at most 1 / (1 - g).
  g = 1: let w be the claimed steps and sigma the largest 1 + P w - w. If sigma < 1, then (I - P) w >= 1 - sigma
         on R, so R has no closed part (its stationary distribution m would give m w - m P w = 0), play ends, and
         the sum, the expected number of steps, is at most w / (1 - sigma).

The best value is at least what this one controller earns. It is asked nothing once play is over.

Vectors, whose greedy policy is judged: each vector k has an action that every state on which it is defined offers,
values alpha_k(s) there, and a successor k_z for each observation z that its action may lead to, defined on all states
in which play can then go on.

Let b be a belief: unnormalised, over running states with one list of actions, and U(b) the largest alpha_k . b over
the vectors that are defined on all states that b holds possible. The greedy policy G tracks the belief and takes the
action of such a vector, whichever it is where several are best. With b_z what that action and z make of b (one part
for each list of actions, which is seen too; a sum of maxima is above a maximum of sums),

  r(b, a_k) + g sum_z U(b_z) >= r(b, a_k) + g sum_z alpha_{k_z} . b_z >= alpha_k . b - rho |b| = U(b) - rho |b|,

where rho >= 0 is the largest alpha_k(s) - r(s, a_k) - g sum_{z, s'} P(s', z | s, a_k) alpha_{k_z}(s') over all k and
all s on which k is defined. At b_z there is a vector again, k_z at least, so G goes on for ever. Let V be what G earns
and D = U - V. Then D(b) <= rho |b| + g sum_z D(b_z), and after n steps D(b) is at most rho times the expected
discounted steps so far, plus g^n times the expected D of what is then believed. The first is at most rho w(b), w being
the steps that any policy may take (see `form.remaining_steps`); the second vanishes, as U and V are bounded by a
multiple of |b| and g < 1 or play ends whatever is done. Hence V >= U - rho w: from the start, r_0 + sum_z U(b_z) - rho
w(b_0).

All vectors count, also those that good play never needs: G may take any of them. Vectors of steps in which nothing
can be decided are part of the evidence, though no policy stores them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, every_line, floats, integers, pointers, shape, steps_left, within
from .form import POMDP, STEPS, read_pomdp, remaining_steps
from .upper import POINTS, upper

Line = tuple[int, ...]
Move = tuple[int, Line]  # weight over the row's total, and the pair (node, state) it leads to


@dataclass(frozen=True)
class FiniteStateController:
    """One action for each node, and the node that follows an observation."""

    pomdp: POMDP
    action: list[int]  # [node]
    begin: dict[Line, int]  # (observation,) -> node
    arrow: dict[Line, int]  # (node, observation) -> node

    def opening(self) -> list[Move]:
        """The pairs in which play may start."""
        return self._follow(0, lambda seen: _answer(self.begin, (seen,), f"first node for observation {seen}"))

    def step(self, pair: Line) -> tuple[int, list[Move]]:
        """The row that is played in a pair, and the pairs that may follow."""
        node, state = pair
        own = self.pomdp.labels[state]
        if self.action[node] not in own:
            raise Refused(f"node {node} takes action {self.action[node]}, which state {state} does not have")
        row = self.pomdp.row[state] + own.index(self.action[node])
        lacking = f"arrow from node {node} after observation"
        return row, self._follow(row, lambda seen: _answer(self.arrow, (node, seen), f"{lacking} {seen}"))

    def _follow(self, row: int, node: Callable[[int], int]) -> list[Move]:
        """Where a row leads; the controller is not asked once play is over."""
        outcomes = self.pomdp.outcomes[row]
        return [(weight, (node(seen), state)) for seen, state, weight in outcomes if self.pomdp.runs(state)]


def read_controller(pomdp: POMDP, certificate: Mapping[str, Array]) -> FiniteStateController:
    """The controller; Refused when two entries answer one question, or lead to a node that is not there."""
    action = integers(certificate, "node_action", *shape(certificate, "node_action", 1))
    begin, arrow = _keyed(certificate, "begin", 2), _keyed(certificate, "arrow", 3)
    within([*begin.values()], 0, len(action), "begin")
    within([*arrow.values()], 0, len(action), "arrow")
    return FiniteStateController(pomdp, action, begin, arrow)


def _keyed(certificate: Mapping[str, Array], name: str, width: int) -> dict[Line, int]:
    """Lines whose last entry is the answer to the question before it."""
    given = every_line(certificate, name, width)
    answers = {line[:-1]: line[-1] for line in given}
    if len(answers) != len(given):
        raise Refused(f"{name!r} answers one question twice")
    return answers


def _answer(answers: Mapping[Line, int], question: Line, what: str) -> int:
    if question not in answers:
        raise Refused(f"the controller has no {what}")
    return answers[question]


CONTROLLER = ("node_action", "begin", "arrow", "pair", "value", "steps")


@dataclass(frozen=True)
class Claim:
    """Claimed values over `unit` and steps over `beat` of the listed pairs."""

    value: dict[Line, int]
    unit: int
    steps: dict[Line, int]
    beat: int


def controller_bound(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best value is not below."""
    controller, claim = read_controller(pomdp, certificate), _claim(certificate, pomdp.discount == 1)
    moves = controller.opening()
    rho, sigma = _survey(controller, claim, moves)
    value, steps = _expected(claim, moves, pomdp.total[0])
    if pomdp.discount < 1:
        factor = 1 / (1 - pomdp.discount)
    elif sigma >= 1:
        raise Refused("the controller's play is not certified to end")
    else:
        factor = steps / (1 - sigma)
    return Fraction(pomdp.reward[0]) + value - rho * factor


def _survey(controller: FiniteStateController, claim: Claim, opening: list[Move]) -> tuple[Fraction, Fraction]:
    """Visit every pair that can occur: the largest v - (r + g P v), at least 0, and the largest 1 + P w - w."""
    pomdp, rho = controller.pomdp, Fraction(0)
    sigma: Fraction | None = None
    met = {pair: None for _, pair in opening}
    fresh = list(met)
    while fresh:
        pair = fresh.pop()
        row, moves = controller.step(pair)
        value, steps = _expected(claim, moves, pomdp.total[row])
        right = Fraction(pomdp.reward[row]) + pomdp.discount * value
        rho = max(rho, Fraction(_listed(claim.value, pair), claim.unit) - right)
        drift = 1 + steps - Fraction(claim.steps[pair], claim.beat)
        sigma = drift if sigma is None else max(sigma, drift)
        for _, after in moves:
            if after not in met:
                met[after] = None
                fresh.append(after)
    return rho, sigma or Fraction(0)


def _expected(claim: Claim, moves: list[Move], total: int) -> tuple[Fraction, Fraction]:
    """The claimed value and the claimed steps, expected over the moves."""
    value = sum(weight * _listed(claim.value, pair) for weight, pair in moves)
    steps = sum(weight * claim.steps[pair] for weight, pair in moves)
    return Fraction(value, total * claim.unit), Fraction(steps, total * claim.beat)


def _listed(value: dict[Line, int], pair: Line) -> int:
    """The claim about a pair, which must be there: an unlisted pair may have any value."""
    if pair not in value:
        raise Refused(f"'pair' does not list node {pair[0]} with state {pair[1]}, which occur together")
    return value[pair]


def _claim(certificate: Mapping[str, Array], undiscounted: bool) -> Claim:
    pairs = every_line(certificate, "pair", 2)
    value, unit = exact(floats(certificate, "value", len(pairs)))
    steps, beat = exact(steps_left(certificate, len(pairs), undiscounted))
    claim = Claim(dict(zip(pairs, value)), unit, dict(zip(pairs, steps)), beat)
    if len(claim.value) != len(pairs):
        raise Refused("'pair' lists a pair twice")
    return claim


VECTORS = ("vector_action", "vector_start", "vector_state", "vector_value", "vector_next")


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


def vectors_bound(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the greedy policy, and so the best value, is not below."""
    per_fault, vectors = remaining_steps(pomdp, certificate), read_vectors(pomdp, certificate)
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


def interval(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[Fraction, Fraction]:
    """An interval that holds the value of the best policy."""
    pomdp = read_pomdp(form)
    rewards = [0.0, *pomdp.reward[1:]]
    followed, greedy, above = (_given(certificate, names) for names in (CONTROLLER, VECTORS, POINTS))
    if followed and greedy:
        raise Refused("two kinds of evidence for the lower bound, a controller and vectors: expected one")
    if followed:
        low = controller_bound(pomdp, certificate)
    elif greedy:
        low = vectors_bound(pomdp, certificate)
    else:
        low = _ever(pomdp, min(rewards), "lower")
    high = upper(pomdp, certificate) if above else _ever(pomdp, max(rewards), "upper")
    return low, high


def _given(certificate: Mapping[str, Array], names: tuple[str, ...]) -> bool:
    return any(name in certificate for name in names)


def _ever(pomdp: POMDP, reward: float, side: str) -> Fraction:
    """The value of one reward in every step for ever, after the reward of the start."""
    if pomdp.discount == 1:
        raise Refused(f"no evidence for the {side} bound, and without discount nothing is known without it")
    return Fraction(pomdp.reward[0]) + Fraction(reward) / (1 - pomdp.discount)
