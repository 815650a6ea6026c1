"""The fast informed bound of a partially observable process, and the integers that all upper checks run on.

One number Q(s, a) is claimed for each row: what a player could have that acts now, and from its next move on
also knows the state it was in before. Hauskrecht, "Value-function approximations for POMDPs" (2000).

Probabilities are integers over one unit: the rows' least common denominator where that fits in 512 bits (then
all is exact), else 2**256, rounded down. What the rounding took from an outcome is put on the state itself,
where the value is at most max_a Q(s, a): see `step_reward`. A belief is a sum of its parts, and the value is convex, so
the bounds stay bounds.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact
from .form import POMDP

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
