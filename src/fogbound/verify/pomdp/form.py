"""A partially observable decision process, read from its arrays and checked in full.

The player sees the observations, and which actions it has: states with unlike lists of actions (or where play
is over) are never confused. Where an observation does not tell them apart by itself, that is one more thing
seen, so upper bounds stay upper bounds; lower bounds come from a controller that looks at nothing else.

How many steps play has left, whatever the policy, is what a fault of 1 in every step comes to at most. Let w be
linear in beliefs, w(s) >= 1 + g sum_s' P(s' | s, a) w(s') for all rows, and w >= 0; so w >= 1.
  g < 1: w = 1 / (1 - g).
  g = 1: let W be the claimed steps and sigma the largest 1 + P_a W - W over all rows. If sigma < 1, the state of
         least W has W (1 - P_a 1) >= 1 - sigma, so W > 0 everywhere; then w = W / (1 - sigma) will do, and
         bounds the expected steps under any policy: play ends, and every policy has a finite value.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact, shares_of
from ..arrays import Array, Refused, floats, integers, shape, within

Outcome = tuple[int, int, int]  # observation, next state, weight over the row's total


@dataclass(frozen=True)
class POMDP:
    """A checked process. Row 0 is the start; in a state without rows play is over, with value 0."""

    discount: Fraction
    row: list[int]  # [state + 1] its rows, one for each action
    labels: list[tuple[int, ...]]  # [state] its action labels, in the order of its rows
    outcomes: list[list[Outcome]]  # [row] what may happen, with positive weights only
    total: list[int]  # [row] sum of the weights
    reward: list[float]  # [row]

    def runs(self, state: int) -> bool:
        """Whether play goes on there."""
        return self.row[state] < self.row[state + 1]


def read_pomdp(form: Mapping[str, Array]) -> POMDP:
    """Check every array and build the Process; Refused at the first fault."""
    (discount,) = floats(form, "discount", 1)
    if not 0.0 <= discount <= 1.0:
        raise Refused(f"discount {discount!r}, expected 0 to 1")
    rows, states = shape(form, "action", 1)[0], shape(form, "row", 1)[0] - 1
    row, out = integers(form, "row", states + 1), integers(form, "out", rows + 1)
    if states < 1 or row[0] != 1 or row[-1] != rows or any(a > b for a, b in itertools.pairwise(row)):
        raise Refused(f"'row' must rise from 1 to the number of rows, {rows}, for one state or more")
    if out[0] != 0 or any(a >= b for a, b in itertools.pairwise(out)):
        raise Refused("'out' must rise from 0, with an outcome in every row")
    after, seen = integers(form, "next", out[-1]), integers(form, "obs", out[-1])
    within(after, 0, states, "next")
    prob = floats(form, "prob", out[-1])
    known: dict[tuple[float, ...], tuple[list[int], int, bool]] = {}  # many rows have the same probabilities
    outcomes: list[list[Outcome]] = []
    totals: list[int] = []
    for a, b in itertools.pairwise(out):
        own = tuple(prob[a:b])
        if own not in known:
            parts, total = shares_of(own, "prob")
            known[own] = parts, total, all(parts)
        parts, total, possible = known[own]
        whole = zip(seen[a:b], after[a:b], parts)
        outcomes.append(list(whole) if possible else [one for one in whole if one[2]])
        totals.append(total)
    labels = _labels(integers(form, "action", rows), row)
    reward = floats(form, "reward", rows)
    return POMDP(Fraction(discount), row, labels, outcomes, totals, reward)


def _labels(action: list[int], row: list[int]) -> list[tuple[int, ...]]:
    """The actions of each state, all different: a controller names an action by its label."""
    labels = [tuple(action[a:b]) for a, b in itertools.pairwise(row)]
    for state, own in enumerate(labels):
        if len(set(own)) != len(own):
            raise Refused(f"state {state} has two rows for one action")
    return labels


STEPS = "steps_left"


def remaining_steps(pomdp: POMDP, certificate: Mapping[str, Array]) -> Fraction | None:
    """w at the start; None where nothing is discounted and nothing is said about how long play takes."""
    if pomdp.discount < 1:
        return 1 / (1 - pomdp.discount)
    if STEPS not in certificate:
        return None
    claimed, beat = exact(floats(certificate, STEPS, len(pomdp.labels)))
    wait = [steps if pomdp.runs(state) else 0 for state, steps in enumerate(claimed)]
    expected = [
        Fraction(sum(weight * wait[after] for _, after, weight in outcomes), total * beat)
        for outcomes, total in zip(pomdp.outcomes, pomdp.total)
    ]
    drift = [
        1 + expected[row] - Fraction(steps, beat)
        for state, steps in enumerate(wait)
        for row in range(pomdp.row[state], pomdp.row[state + 1])
    ]
    sigma = max(drift, default=Fraction(0))
    if sigma >= 1:
        raise Refused("play is not certified to end whatever is done")
    return expected[0] / (1 - sigma)
