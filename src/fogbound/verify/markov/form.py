"""A Markov game, read from its arrays and checked in full.

Every state has one row for each joint action, in mixed radix with the last player fastest; a player who waits has one
action, and a state in which nobody has any is an end. Every row's probabilities are divided by their exact sum.

Waiting. w(s) bounds the discounted number of steps from a state, whatever is done: w >= 1 + g P w for every row.
  g < 1: w = 1 / (1 - g).
  g = 1: let W >= 0 be the claimed 'steps' and sigma the largest 1 + P W - W. If sigma < 1, w = W / (1 - sigma) has
         this property; so play surely ends.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact, shares
from ..arrays import Array, Refused, cut, floats, integers, lines, shape, within

BITS = 256  # what follows a row is rounded to multiples of 2^-256, always to the side that weakens the claim


@dataclass(frozen=True)
class MarkovGame:
    """A checked game."""

    players: int
    discount: Fraction
    width: list[tuple[int, ...]]  # [S][player] how many actions; all 0 at an end
    row: list[int]  # [S+1] the joint actions of each state
    leads: list[tuple[list[int], list[int], int]]  # [R] (states that follow, their parts, the sum of the parts)
    reward: list[list[int]]  # [player][R] over `unit`
    unit: int
    start: list[tuple[int, Fraction]]  # (state, probability)
    paid: list[Fraction]  # [player]
    wait: list[Fraction]  # [S] w; 0 at ends

    @property
    def states(self) -> range:
        return range(len(self.width))

    @property
    def live(self) -> list[int]:
        """The states that are no ends."""
        return [state for state in self.states if self.width[state][0]]

    def ahead(self, player: int, claims: Sequence[int], power: int, upward: bool) -> list[int]:
        """[R] the player's reward and discounted claims (over `power`) of what follows, over 2^BITS, rounded."""
        rate, below = self.discount.numerator, self.discount.denominator
        sign = -1 if upward else 1
        found = []
        for (after, parts, total), reward in zip(self.leads, self.reward[player]):
            later = sum(part * claims[state] for state, part in zip(after, parts))
            whole = reward * power * below * total + rate * later * self.unit
            found.append(sign * ((sign * whole << BITS) // (self.unit * power * below * total)))
        return found

    def from_start(self, player: int, values: Sequence[Fraction]) -> Fraction:
        """A player's value of the game, by values of the states."""
        return self.paid[player] + sum((share * values[state] for state, share in self.start), Fraction(0))

    def floor(self, player: int) -> Fraction:
        """The least that a step can pay, or 0, as play may end."""
        return Fraction(min(0, *self.reward[player]), self.unit) if self.reward[player] else Fraction(0)

    def ceiling(self, player: int) -> Fraction:
        """The most, likewise."""
        return Fraction(max(0, *self.reward[player]), self.unit) if self.reward[player] else Fraction(0)


def read_markov(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> MarkovGame:
    """Check every array and build the game; Refused at the first fault."""
    (discount,) = floats(form, "discount", 1)
    states, players = shape(form, "width", 2)
    if not 0.0 <= discount <= 1.0 or not 1 <= players <= 1000 or states < 1:
        raise Refused(f"{states} states for {players} players with discount {discount!r}, which is no Markov game")
    width = lines(integers(form, "width", states, players), players, states)
    if any(min(wide) < (max(wide) > 0) for wide in width):
        raise Refused("'width' must be 1 or more for every player of a state, or 0 for all of them")
    row = list(itertools.accumulate((math.prod(wide) for wide in width), initial=0))
    leads = _leads(form, row[-1], states)
    reward, unit = exact(floats(form, "reward", row[-1], players))
    begun, whole = shares_of(floats(form, "start", states), "start")
    start = [(state, Fraction(part, whole)) for state, part in enumerate(begun) if part]
    paid = [Fraction(amount) for amount in floats(form, "paid", players)]
    game = MarkovGame(
        *(players, Fraction(discount), width, row, leads),
        *([reward[player::players] for player in range(players)], unit, start, paid, []),
    )
    game.wait.extend(_waits(game, certificate))
    return game


def shares_of(weights: list[float], name: str) -> tuple[list[int], int]:
    """Exact proportions of weights that must be some, and not negative."""
    if min(weights) < 0 or max(weights) <= 0:
        raise Refused(f"{name!r} holds a negative number, or a row of zeros")
    return shares(weights)


def _leads(form: Mapping[str, Array], rows: int, states: int) -> list[tuple[list[int], list[int], int]]:
    out = integers(form, "out", rows + 1)
    if out[0] != 0 or any(a >= b for a, b in itertools.pairwise(out)):
        raise Refused("'out' must rise from 0, in every step")
    after, prob = integers(form, "next", out[-1]), floats(form, "prob", out[-1])
    within(after, 0, states, "next")
    sizes = [b - a for a, b in itertools.pairwise(out)]
    rows_of = zip(cut(after, sizes), cut(prob, sizes))
    return [(to, *shares_of(weights, "prob")) for to, weights in rows_of]


def _waits(game: MarkovGame, certificate: Mapping[str, Array]) -> list[Fraction]:
    """[S] w."""
    if game.discount < 1:
        return [1 / (1 - game.discount) if wide[0] else Fraction(0) for wide in game.width]
    if "steps" not in certificate:
        raise Refused("array 'steps' is missing: without discount, nothing is known before play is known to end")
    claimed, beat = exact(floats(certificate, "steps", len(game.width)))
    steps, sigma = [max(0, one) if wide[0] else 0 for one, wide in zip(claimed, game.width)], Fraction(0)
    for state in game.live:
        for after, parts, total in game.leads[game.row[state] : game.row[state + 1]]:
            later = sum(part * steps[to] for to, part in zip(after, parts))
            sigma = max(sigma, 1 + Fraction(later - steps[state] * total, total * beat))
    if sigma >= 1:
        raise Refused("play is not certified to end whatever is done")
    return [Fraction(one, beat) / (1 - sigma) for one in steps]


def read_claims(game: MarkovGame, values: Sequence[float]) -> tuple[list[int], int]:
    """Claimed values of states as integers over one power; at an end nothing follows, whatever is claimed."""
    numbers, power = exact(values)
    return [number if wide[0] else 0 for number, wide in zip(numbers, game.width)], power


def read_strategy(game: MarkovGame, certificate: Mapping[str, Array], player: int) -> list[tuple[list[int], int]]:
    """[S] how a player plays: exact proportions over its actions, and their sum; repaired, never refused."""
    sizes = [wide[player] for wide in game.width]
    flat = floats(certificate, f"strategy_{player}", sum(sizes))
    return [shares(part) if part else ([], 1) for part in cut(flat, sizes)]
