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

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, every_line, floats, integers, pointers, shape, steps_left, within
from .form import POMDP, STEPS, read_pomdp, remaining_steps
from .plan import Bits, Plan, bits_of, largest_excess, members
from .upper import POINTS, upper

Line = tuple[int, ...]
CONTROLLER = ("node_action", "begin", "arrow", "pair", "value", "steps")
VECTORS = ("vector_action", "vector_start", "vector_state", "vector_value", "vector_next")


def controller_bound(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best value is not below."""
    pairs = every_line(certificate, "pair", 2)
    numbers, unit = exact([*pomdp.reward, *floats(certificate, "value", len(pairs))])
    reward, value = numbers[: len(pomdp.reward)], numbers[len(pomdp.reward) :]
    plan, begin = read_controller(pomdp, certificate, pairs, value)
    first = opening(pomdp, begin)
    met = plan.reached(pair for _, pair in first)
    require_listed(plan, met)
    rho = max(Fraction(0), (largest_excess(plan, met, reward, pomdp.discount) or Fraction(0)) / unit)
    earned = Fraction(sum(weight * plan.value[node][state] for weight, (node, state) in first), pomdp.total[0] * unit)
    if pomdp.discount < 1:
        factor = 1 / (1 - pomdp.discount)
        steps_left(certificate, len(pairs), False)
    else:
        factor = _expected_steps(plan, met, first, pairs, floats(certificate, "steps", len(pairs)))
    return Fraction(pomdp.reward[0]) + earned - rho * factor


def read_controller(
    pomdp: POMDP, certificate: Mapping[str, Array], pairs: list[Line], value: list[int]
) -> tuple[Plan, dict[int, int]]:
    """The controller with its claims, and its first nodes by observation.

    Refused when two entries answer one question, or lead to a node that is not there.
    """
    action = integers(certificate, "node_action", *shape(certificate, "node_action", 1))
    begin, arrow = _keyed(certificate, "begin", 2), _keyed(certificate, "arrow", 3)
    within([*begin.values()], 0, len(action), "begin")
    within([*arrow.values()], 0, len(action), "arrow")
    follows: list[dict[int, int]] = [{} for _ in action]
    for (node, seen), after in arrow.items():
        if 0 <= node < len(action):
            follows[node][seen] = after
    plan = Plan(pomdp, "node", action, _by_node(pomdp, len(action), pairs, value), follows)
    return plan, {seen: node for (seen,), node in begin.items()}


def _by_node(pomdp: POMDP, nodes: int, pairs: list[Line], claims: list[int]) -> list[dict[int, int]]:
    """[node] claims by state; pairs that do not exist are left out."""
    by_node: list[dict[int, int]] = [{} for _ in range(nodes)]
    for (node, state), claim in zip(pairs, claims):
        if 0 <= node < nodes and 0 <= state < len(pomdp.labels):
            by_node[node][state] = claim
    if len(set(pairs)) != len(pairs):
        raise Refused("'pair' lists a pair twice")
    return by_node


def _keyed(certificate: Mapping[str, Array], name: str, width: int) -> dict[Line, int]:
    """Lines whose last entry is the answer to the question before it."""
    given = every_line(certificate, name, width)
    answers = {line[:-1]: line[-1] for line in given}
    if len(answers) != len(given):
        raise Refused(f"{name!r} answers one question twice")
    return answers


def opening(pomdp: POMDP, begin: Mapping[int, int]) -> list[tuple[int, tuple[int, int]]]:
    """The pairs in which play may start, and their weights; the controller is not asked once play is over."""
    opening = []
    for seen, state, weight in pomdp.outcomes[0]:
        if pomdp.runs(state):
            if seen not in begin:
                raise Refused(f"the controller has no first node for observation {seen}")
            opening.append((weight, (begin[seen], state)))
    return opening


def require_listed(plan: Plan, met: list[Bits]) -> None:
    """Every pair that occurs has a claim: an unlisted pair may have any value."""
    for node, states in enumerate(met):
        for state in members(states & ~bits_of(plan.value[node])):
            raise Refused(f"'pair' does not list node {node} with state {state}, which occur together")


def _expected_steps(
    plan: Plan, met: list[Bits], opening: list[tuple[int, tuple[int, int]]], pairs: list[Line], claimed: list[float]
) -> Fraction:
    """How many steps play takes at most without a discount, by claims w: see `largest_excess` of -w and -1."""
    steps, beat = exact(claimed)
    waits = replace(plan, value=_by_node(plan.pomdp, len(plan.action), pairs, [-one for one in steps]))
    sigma = largest_excess(waits, met, [-beat] * len(plan.pomdp.reward), Fraction(1))
    sigma = Fraction(0) if sigma is None else sigma / beat
    if sigma >= 1:
        raise Refused("the controller's play is not certified to end")
    total = sum(-weight * waits.value[node][state] for weight, (node, state) in opening)
    return Fraction(total, plan.pomdp.total[0] * beat) / (1 - sigma)


def vectors_bound(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the greedy policy, and so the best value, is not below."""
    per_fault = remaining_steps(pomdp, certificate)
    if per_fault is None:
        raise Refused(f"array {STEPS!r} is missing: without discount, what vectors claim holds only where play ends")
    plan, reward, unit = read_vectors(pomdp, certificate)
    beliefs: dict[int, dict[int, int]] = {}
    for seen, state, weight in pomdp.outcomes[0]:
        if pomdp.runs(state):
            into = beliefs.setdefault(seen, {})
            into[state] = into.get(state, 0) + weight
    value = 0
    for seen, belief in beliefs.items():
        best = _best(plan, belief)
        if best is None:
            raise Refused(f"no vector is defined on all that is possible after the first observation {seen}")
        value += best
    opening = Fraction(value, pomdp.total[0] * unit)
    defined = [bits_of(own) for own in plan.value]
    _require_defined(plan, defined)
    violation = max(Fraction(0), (largest_excess(plan, defined, reward, pomdp.discount) or Fraction(0)) / unit)
    return Fraction(pomdp.reward[0]) + opening - violation * per_fault


def _best(plan: Plan, belief: Mapping[int, int]) -> int | None:
    """The largest value of a belief by vectors that are defined on it; None where there are none."""
    fitting = (values for values in plan.value if all(state in values for state in belief))
    return max((sum(weight * own[state] for state, weight in belief.items()) for own in fitting), default=None)


def _require_defined(plan: Plan, defined: list[Bits]) -> None:
    """What follows a vector is defined wherever it may have to go on."""
    for vector, values in enumerate(plan.value):
        for after, reached in plan.ahead(vector, list(values)):
            for state in members(reached & ~defined[after]):
                raise Refused(f"vector {after} follows vector {vector}, but is not defined on state {state}")


def read_vectors(pomdp: POMDP, certificate: Mapping[str, Array]) -> tuple[Plan, list[int], int]:
    """The vectors, and rewards [row], in integers over a unit.

    Refused when one lists a state twice, or two entries name a successor.
    """
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
    within([after for _, _, after in lines], 0, count, "vector_next")
    if len({(vector, seen) for vector, seen, _ in lines}) != len(lines):
        raise Refused("'vector_next' names two successors after one observation")
    follows: list[dict[int, int]] = [{} for _ in action]
    for vector, seen, after in lines:
        if 0 <= vector < count:
            follows[vector][seen] = after
    return Plan(pomdp, "vector", action, value, follows), reward, unit


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
