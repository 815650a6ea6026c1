"""The average reward of a partially observable process: what one controller earns a step, and what no policy exceeds.

Play never ends, and nothing is discounted. Nothing is assumed of the chains that policies make: where the best average
depends on the state, the bounds hold and stay apart.

Below, a controller with relative values v on the pairs (node, state) that it reaches. Let e be the largest
v - (r + P v). In n steps it earns at least -n e + v(first pair) - E v(pair after n steps), so its average in the long
run, also the lower limit, is at least -e.

Above, points (b_i, u_i) with witnesses, as in `upper`, but for relative values: each state that play can reach is a
point by itself, and no witness names the fast informed bound. Let U(b) be the least total price at which a belief b
over such states can be put together from shares c b_i at c u_i. U of a sum is at most the sum of the U, U is at most
what any witness says, and U(b) >= -C |b| for some C. Let g be the largest r(b_i, a) + sum_z X_z - u_i over points and
actions, X_z being what the witnesses say. Put b together in any way and take an action a: then r(b, a) + sum_z U(b_z)
is at most the sum over the parts of c (u_i + g), so at most U(b) + g |b|. Hence whatever policy is followed, n steps
earn at most n g + U(b_0) + C, and the upper limit of the average is at most g.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from ..arithmetic import exact
from ..arrays import Array, Refused, every_line, floats, shape
from .bounds import opening, read_controller, require_listed
from .form import POMDP, read_pomdp
from .plan import largest_excess
from .upper import CORNERS, Belief, Points, informed, read_beliefs, read_witnesses

CONTROLLER = ("node_action", "begin", "arrow", "pair", "value")
POINTS = ("point_start", "point_state", "point_weight", "point_value", "witness_start", "witness")


def average_interval(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[Fraction, Fraction]:
    """An interval that holds the best average reward from the start."""
    pomdp = replace(read_pomdp(form), discount=Fraction(1))
    reached = _reached(pomdp)
    rewards = [pomdp.reward[row] for s in reached for row in range(pomdp.row[s], pomdp.row[s + 1])]
    below, above = (any(name in certificate for name in names) for names in (CONTROLLER, POINTS))
    low = controller_average(pomdp, certificate) if below else Fraction(min(rewards))
    high = points_average(pomdp, reached, certificate) if above else Fraction(max(rewards))
    return low, high


def _reached(pomdp: POMDP) -> set[int]:
    """The states that play can reach; Refused where it can end."""
    queue = [state for _, state, _ in pomdp.outcomes[0]]
    reached = set(queue)
    while queue:
        state = queue.pop()
        if not pomdp.runs(state):
            raise Refused(f"play can end in state {state}: an average over all steps needs play that goes on for ever")
        for row in range(pomdp.row[state], pomdp.row[state + 1]):
            fresh = {after for _, after, _ in pomdp.outcomes[row]} - reached
            reached |= fresh
            queue.extend(fresh)
    return reached


def controller_average(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the best average is not below."""
    pairs = every_line(certificate, "pair", 2)
    numbers, unit = exact([*pomdp.reward, *floats(certificate, "value", len(pairs))])
    reward, value = numbers[: len(pomdp.reward)], numbers[len(pomdp.reward) :]
    plan, begin = read_controller(pomdp, certificate, pairs, value)
    met = plan.reached(pair for _, pair in opening(pomdp, begin))
    require_listed(plan, met)
    excess = largest_excess(plan, met, reward, Fraction(1))
    if excess is None:
        raise Refused("the controller meets no state")
    return -excess / unit


def points_average(pomdp: POMDP, reached: set[int], certificate: Mapping[str, Array]) -> Fraction:
    """A number that no policy's average is above."""
    (count,) = shape(certificate, "point_value", 1)
    values = floats(certificate, "point_value", count)
    belief = read_beliefs(pomdp, certificate, count)
    alone = _alone(belief, values, reached)
    owner = [state for state in range(len(pomdp.labels)) for _ in range(pomdp.row[state], pomdp.row[state + 1])]
    prices, claimed = informed(pomdp, [0.0, *(alone.get(state, 0.0) for state in owner)], values)
    witnesses = read_witnesses(certificate, [len(pomdp.labels[min(own)]) for own in belief])
    if any(witness < CORNERS for point in witnesses for own in point for witness in own):
        raise Refused("a witness names the fast informed bound, which an average reward does not have")
    value = [claim * sum(own.values()) for claim, own in zip(claimed, belief)]
    highest = Points(prices, belief, value, prices.top, witnesses).largest_violation()
    if highest is None:
        raise Refused("no point has witnesses")
    return highest


def _alone(belief: list[Belief], values: list[float], reached: set[int]) -> dict[int, float]:
    """By state, the least claim of a point on it alone; Refused where one that play can reach has none."""
    alone: dict[int, float] = {}
    for point, (own, value) in enumerate(zip(belief, values)):
        if not own.keys() <= reached:
            raise Refused(f"point {point} holds a state possible that play cannot reach")
        if len(own) == 1:
            (state,) = own
            alone[state] = min(value, alone.get(state, value))
    for state in sorted(reached - alone.keys()):
        raise Refused(f"state {state} needs a point by itself")
    return alone
