"""A partially observable decision process, read from its arrays and checked in full.

The player sees the observations, and which actions it has: states with unlike lists of actions (or where play
is over) are never confused. Where an observation does not tell them apart by itself, that is one more thing
seen, so upper bounds stay upper bounds; lower bounds come from a controller that looks at nothing else.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import shares
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
    if min(prob) < 0 or any(max(prob[a:b]) <= 0 for a, b in itertools.pairwise(out)):
        raise Refused("'prob' holds a negative number, or a row of zeros")
    odds = [shares(prob[a:b]) for a, b in itertools.pairwise(out)]
    outcomes = [
        [(z, s, part) for z, s, part in zip(seen[a:b], after[a:b], parts) if part]
        for (a, b), (parts, _) in zip(itertools.pairwise(out), odds)
    ]
    labels = _labels(integers(form, "action", rows), row)
    reward = floats(form, "reward", rows)
    return POMDP(Fraction(discount), row, labels, outcomes, [total for _, total in odds], reward)


def _labels(action: list[int], row: list[int]) -> list[tuple[int, ...]]:
    """The actions of each state, all different: a controller names an action by its label."""
    labels = [tuple(action[a:b]) for a, b in itertools.pairwise(row)]
    for state, own in enumerate(labels):
        if len(set(own)) != len(own):
            raise Refused(f"state {state} has two rows for one action")
    return labels
