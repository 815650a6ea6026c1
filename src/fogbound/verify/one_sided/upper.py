"""The claims of an upper bound on a one-sided game: corners and points, repaired, in integers.

Covering what the blind player may believe by claims: what that costs at most, and the tolls it calls for.

What the blind player of a one-sided game never has: an upper bound on its value.

Let V(b), for b >= 0 over the states of a partition, be the supremum over the blind player's strategies of sum_s b(s)
v(s), v being what the strategy guarantees in each state. So V is convex, V(c b) = c V(b), and V of a sum is at most
the sum of the V. Let y weigh the replies so that those of each state sum to b(s), and let b_z be what an action a and
a successor z make of y. The other player may draw its first action by y and then reply as best it can, so

  V(b) <= max_a [ r(y, a) + g sum_z V(b_z) ].                                                                    (1)

Least. If least(s) <= r + g P least for every action and reply, less rho0, no strategies bring less than least' =
least - rho0 w. So a v of any strategy is at least least', and V(b + e) >= V(b) + least'(e) for e >= 0.

Claims. Claim i says V(b_i) <= u_i, with a y_i: corners (single states) first, then points. After each action and
successor a cover is given: weights c_j >= 0 of claims. With tau = b_z, the rest r = tau - sum_j c_j b_j, what is
missing (r+) is put on corners, and what is too much (r-) has at least the value least':

  V(tau) <= sum_j c_j V(b_j) + sum_s r+(s) V(s) - least'(r-) .                                                   (2)

Call the right-hand side with claims in place of V the price X, and let rho be the largest r(y_i, a) + g sum_z X_z -
u_i. Claims below least'(b_i) are raised to it first.

Tolls. Let t_i >= 0 be given (else w(b_i)), and sigma be the largest 1 + g sum_z [ sum_j c_j t_j + sum_s r+(s) t_s ] -
t_i, over claims and actions. If sigma < 1, t' = t / (1 - sigma) has the same with 1 for sigma, so t' >= 1. Let d be
the least number >= 0 with V(b_i) <= u_i + d t'_i for all i. By (1) and (2), V(b_i) <= u_i + rho + d (t'_i - 1), so if
d were above rho >= 0 it would not be the least. Hence V(start) <= X + rho sum [ c_j t'_j + r+(s) t'_s ], of the
start's cover.

No toll. If rho <= 0 none is needed. Let U(b) be the least price of a cover of b; U of a sum is at most the sum.
Take a cover of b at price X: it is of b' = b + r- = sum c_j b_j + r+. With y' the same sum of the y_i, r(y', a) + g
sum_z U(b'_z) <= X + least'(r-), as rho <= 0. Give up the share of y' that lies on r-, z: that takes r(z, a) off the
reward and lets the covers be too large by what z leads to, together at least least'(r-), by what least' is. So for
every b there is a y with max_a [ r(y, a) + g sum_z U(b_z) ] <= U(b). If V <= U + d w, (1) gives V <= U + d (w - 1) <=
U + d q w, where q = 1 - 1 / max w < 1. Such a d exists, since no claim and so no U is below least'; hence V <= U.

Beliefs, the y and the weights of covers are brought to a grid first; no claim is believed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact, grid_row
from ..arrays import Array, Refused, cut, floats, integers, pointers, read_mixtures, shape, within
from .form import OneSidedGame

BITS = 50
GRID = 1 << BITS
Belief = dict[int, int]  # state -> weight over GRID


@dataclass(frozen=True)
class Claims:
    """Numbered: one corner for each state, then the points. Values are over `power`, tolls over `beat`."""

    corners: int  # how many
    whole: int  # GRID * GRID * unit: of what follows a step
    power: int
    beat: int
    part: list[int]  # [claim]
    replies: list[dict[int, int]]  # [claim] reply -> weight over GRID * GRID
    value: list[int]  # [claim] at least `least`
    toll: list[int]  # [claim]
    covers: list[list[list[tuple[int, int]]]]  # [claim][successor of its partition]; a corner has none
    belief: list[Belief]  # [point]
    root: list[list[tuple[int, int]]]  # [P]
    least: list[Fraction | int]  # [S] over power; least'
    reward: list[int]  # over power


def read_claims(game: OneSidedGame, certificate: Mapping[str, Array]) -> Claims:
    """All claims; Refused at the first fault."""
    states, rewards = len(game.reply_start) - 1, len(game.reward)
    (count,) = shape(certificate, "point_value", 1)
    claimed = [*floats(certificate, "corner", states), *floats(certificate, "point_value", count)]
    low = floats(certificate, "least", states) if "least" in certificate else [0.0] * states
    numbers, power = exact([*game.reward, *low, *claimed])
    reward, low_numbers = numbers[:rewards], numbers[rewards : rewards + states]
    part_of = [part for part in range(game.parts) for _ in range(game.state_start[part], game.state_start[part + 1])]
    belief = _beliefs(certificate, count, part_of)
    part = [*part_of, *(part_of[min(own)] for own in belief)]
    wide = [len(game.successors(part_of[min(own)])) for own in belief]
    covers = [_gridded(one) for one in read_mixtures(certificate, "cover", "point", sum(wide), count)]
    corners = [{state: GRID} for state in range(states)]
    mixtures = [*_mixtures(game, certificate, "seen", corners), *_mixtures(game, certificate, "point_reply", belief)]
    toll, beat = _tolls(game, certificate, [*corners, *belief])
    least = _least(game, reward, low_numbers)
    value = [
        max(claim, math.ceil(Fraction(sum(weight * least[state] for state, weight in own.items())) / GRID))
        for claim, own in zip(numbers[rewards + states :], [*corners, *belief])
    ]
    return Claims(
        *(states, GRID * GRID * game.unit, power, beat, part, mixtures, value, toll),
        [*([] for _ in corners), *cut(covers, wide)],
        belief,
        [_gridded(one) for one in read_mixtures(certificate, "root", "point", game.parts, count)],
        least,
        reward,
    )


def _beliefs(certificate: Mapping[str, Array], count: int, part_of: list[int]) -> list[Belief]:
    """Each point's belief; states of no weight are left out."""
    (size,) = shape(certificate, "point_state", 1)
    states, weights = integers(certificate, "point_state", size), floats(certificate, "point_weight", size)
    within(states, 0, len(part_of), "point_state")
    beliefs = []
    for point, (a, b) in enumerate(pointers(certificate, "point_start", count, size)):
        own = states[a:b]
        if len({part_of[state] for state in own}) != 1 or len(set(own)) != len(own):
            raise Refused(f"point {point} needs states of one partition, each of them once")
        beliefs.append(dict(zip(own, grid_row(weights[a:b], BITS))))
    return beliefs


def _mixtures(
    game: OneSidedGame, certificate: Mapping[str, Array], name: str, beliefs: list[Belief]
) -> list[dict[int, int]]:
    """The y of each belief: shares of the replies of each of its states, in order, times the state's weight."""
    tall = [game.reply_start[state + 1] - game.reply_start[state] for own in beliefs for state in own]
    shares = iter(cut(floats(certificate, name, sum(tall)), tall))
    mixtures = []
    for own in beliefs:
        weights = {}
        for state, weight in own.items():
            drawn = grid_row(next(shares), BITS)
            replies = enumerate(drawn, game.reply_start[state])
            weights.update({reply: weight * share for reply, share in replies if weight * share})
        mixtures.append(weights)
    return mixtures


def _tolls(game: OneSidedGame, certificate: Mapping[str, Array], beliefs: list[Belief]) -> tuple[list[int], int]:
    """The tolls of all claims, as given; else w, rounded up (any toll is as good a start as any other)."""
    if "toll" in certificate:
        tolls, beat = exact(floats(certificate, "toll", len(beliefs)))
        return [max(0, toll) for toll in tolls], beat
    waits = [math.ceil(wait * GRID) for wait in game.wait]
    return [-(-sum(weight * waits[state] for state, weight in own.items()) // GRID) for own in beliefs], GRID


def _least(game: OneSidedGame, reward: list[int], claimed: list[int]) -> list[Fraction | int]:
    """Least, lowered until it holds: by the largest least - (r + g P least), times w.

    Where w is the same everywhere the product may be rounded up, and numbers stay whole.
    """
    rate, scale = game.discount.numerator, game.discount.denominator * game.unit
    worst: Fraction | int = 0  # rho, over scale
    owner = game.owners()
    for part in range(game.parts):
        replies = game.replies(part)
        for action in game.actions(part):
            paid = reward[game.reward_start[action] : game.reward_start[action + 1]]
            for reply, now, after in zip(replies, paid, game.later(action, replies, claimed)):
                worst = max(worst, (claimed[owner[reply]] - now) * scale - rate * after)
    rho = Fraction(worst, scale)
    if game.discount < 1:
        drop = math.ceil(rho / (1 - game.discount))
        return [one - drop for one in claimed]
    return [one - rho * wait for one, wait in zip(claimed, game.wait)]


def _gridded(mixture: list[tuple[int, float]]) -> list[tuple[int, int]]:
    """Weights over GRID, rounded down; what is negative is left out."""
    cut_down = ((point, math.floor(Fraction(weight) * GRID)) for point, weight in mixture)
    return [(point, weight) for point, weight in cut_down if weight > 0]


Number = Fraction | int


@dataclass(frozen=True)
class Price:
    """Of covers: values over whole * power, tolls over whole * beat."""

    value: Number
    toll: Number

    def __add__(self, other: Price) -> Price:
        return Price(self.value + other.value, self.toll + other.toll)


def cover(claims: Claims, part: int, tau: Mapping[int, Number], chosen: Sequence[tuple[int, int]]) -> Price:
    """The price of tau (over `whole`) when points are chosen with weights over GRID."""
    value: Number = 0
    toll: Number = 0
    left, unit = dict(tau), claims.whole // (GRID * GRID)
    for point, weight in chosen:
        number = claims.corners + point
        if claims.part[number] != part:
            raise Refused(f"'cover_point' or 'root_point' names point {point} where play is in another partition")
        value += weight * claims.value[number] * GRID * unit
        toll += weight * claims.toll[number] * GRID * unit
        for state, share in claims.belief[point].items():
            left[state] = left.get(state, 0) - weight * share * unit
    for state, rest in left.items():
        if rest > 0:
            value += rest * claims.value[state]
            toll += rest * claims.toll[state]
        else:
            value += rest * claims.least[state]
    return Price(value, toll)


POINTS = (
    *("corner", "seen", "least", "toll", "point_start", "point_state", "point_weight", "point_value", "point_reply"),
    *("cover_start", "cover_point", "cover_weight", "root_start", "root_point", "root_weight"),
)


def upper(game: OneSidedGame, certificate: Mapping[str, Array]) -> tuple[Fraction | None, Fraction]:
    """(A number that the value is not above, less what is paid at the start; rho or 0, which it has paid for).

    No number where the evidence proves nothing.
    """
    claims = read_claims(game, certificate)
    below = game.discount.denominator
    broken, drift = _survey(game, claims)
    rho = Fraction(broken, claims.whole * claims.power * below)
    sigma = Fraction(drift, claims.whole * claims.beat * below)
    price = Price(0, 0)
    for part, root in enumerate(claims.root):
        tau = {
            state: game.start[state] * claims.whole
            for state in range(game.state_start[part], game.state_start[part + 1])
            if state in game.start
        }
        if tau:
            price += cover(claims, part, tau, root)
    bound = Fraction(price.value, claims.whole * claims.power)
    if rho <= 0:
        return bound, Fraction(0)
    if sigma >= 1:
        return None, rho
    return bound + rho * Fraction(price.toll, claims.whole * claims.beat) / (1 - sigma), rho


def _survey(game: OneSidedGame, claims: Claims) -> tuple[Fraction | int, Fraction | int]:
    """The largest price - claim and the largest 1 + tolls - toll over all claims and actions."""
    worst: Fraction | int | None = None
    drift: Fraction | int | None = None
    rate, below = game.discount.numerator, game.discount.denominator
    for number, own in enumerate(claims.replies):
        part, covers = claims.part[number], claims.covers[number]
        base, first_successor = game.replies(part).start, game.successors(part).start
        for action in game.actions(part):
            first = game.reward_start[action] - base
            reward = sum(weight * claims.reward[first + reply] for reply, weight in own.items())
            price = Price(0, 0)
            for successor in range(game.successor_start[action], game.successor_start[action + 1]):
                tau = _after(game, own, action, successor)
                if tau:
                    chosen = covers[successor - first_successor] if covers else []
                    price += cover(claims, game.target[successor], tau, chosen)
            excess = reward * game.unit * below + rate * price.value - claims.value[number] * claims.whole * below
            longer = (claims.beat - claims.toll[number]) * claims.whole * below + rate * price.toll
            worst = excess if worst is None else max(worst, excess)
            drift = longer if drift is None else max(drift, longer)
    return worst or 0, drift or 0


def _after(game: OneSidedGame, own: Mapping[int, int], action: int, successor: int) -> dict[int, Fraction | int]:
    """b_z, over GRID * GRID * unit."""
    tau: dict[int, Fraction | int] = {}
    leads = game.leads[successor]
    for reply, weight in own.items():
        full = game.over.get((action, reply), 1)
        for e in leads.get(reply, ()):
            if game.prob[e]:
                tau[game.to[e]] = tau.get(game.to[e], 0) + weight * game.prob[e] * full
    return tau
