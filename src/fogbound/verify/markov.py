"""The value of a zero-sum Markov game, and the regret of a profile of Markov policies, in exact arithmetic.

The game is read from its arrays and checked in full. Every state has one row for each joint action, in mixed radix with
the last player fastest; a player who waits has one action, and a state in which nobody has any is an end. Every row's
probabilities are divided by their exact sum.

Waiting. w(s) bounds the discounted number of steps from a state, whatever is done: w >= 1 + g P w for every row.
  g < 1: w = 1 / (1 - g).
  g = 1: let W >= 0 be the claimed 'steps' and sigma the largest 1 + P W - W. If sigma < 1, w = W / (1 - sigma) has
         this property; so play surely ends.

As w >= 1 + g P w for every row, F(v + c w) <= F v + c (w - 1) for each
operator F below and c >= 0; all of them are monotone, and iterates of each tend to its one fixed point.

Zero-sum. For the strategy x of one player, F v = min over the other's actions of r + g P v under x; its fixed point is
what x guarantees. With claims L and rho the largest L - F L (0 at least), F (L - rho w) >= F L - rho (w - 1) >=
L - rho w, hence the fixed point, and so the value, is at least L - rho w. Mirrored for the other's strategy: U + rho w.

Profile. Under the joint play sigma of a state, F v = r + g P v; its fixed point is what the profile earns, so with
claims V it is at least V - rho w. For best replies of player i, who is told the action a that is drawn for it and may
take a' instead, B u = sum over a of max over a' of the sum over the others' actions of sigma(a, …) (r + g P u)(a', …);
with claims U the best reply earns at most U + tau w, tau the largest B U - U. Where sigma is a product, being told a
says nothing, and B is the best reply to fixed policies; else sigma is a correlated plan with recommendations. So at
every state nobody gains more than U + tau w - V + rho w.

No claim is believed, and no bound is worse than the one that needs no evidence: the least (largest) reward of a step,
or 0 since play may end, in every step for as long as play can last.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .arithmetic import certified_waits, claimed_steps, exact, shares, shares_of
from .arrays import Array, Refused, cut, floats, integers, lines, shape, within

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
    claimed, beat = claimed_steps(certificate, len(game.width))
    steps, sigma = [max(0, one) if wide[0] else 0 for one, wide in zip(claimed, game.width)], Fraction(0)
    for state in game.live:
        for after, parts, total in game.leads[game.row[state] : game.row[state + 1]]:
            later = sum(part * steps[to] for to, part in zip(after, parts))
            sigma = max(sigma, 1 + Fraction(later - steps[state] * total, total * beat))
    return certified_waits(steps, beat, sigma)


def read_claims(game: MarkovGame, values: Sequence[float]) -> tuple[list[int], int]:
    """Claimed values of states as integers over one power; at an end nothing follows, whatever is claimed."""
    numbers, power = exact(values)
    return [number if wide[0] else 0 for number, wide in zip(numbers, game.width)], power


def read_strategy(game: MarkovGame, certificate: Mapping[str, Array], player: int) -> list[tuple[list[int], int]]:
    """[S] how a player plays: exact proportions over its actions, and their sum; repaired, never refused."""
    sizes = [wide[player] for wide in game.width]
    flat = floats(certificate, f"strategy_{player}", sum(sizes))
    return [shares(part) if part else ([], 1) for part in cut(flat, sizes)]


Interval = tuple[Fraction, Fraction]
Plan = list[tuple[list[int], int]]  # [S] weights of the rows of a state, and their sum


def zero_sum(form: Mapping[str, Array], certificate: Mapping[str, Array], player: int) -> Interval:
    """An interval that holds the most that the player can guarantee in its own payoff, against one who minimises it."""
    game = read_markov(form, certificate)
    if game.players != 2 or player not in (0, 1):
        raise Refused(f"a zero-sum certificate needs 2 players, and one of them: {game.players}, player {player}")
    states = len(game.width)
    below = _guarantee(game, certificate, player, floats(certificate, "below", states), holds=True)
    above = _guarantee(game, certificate, player, floats(certificate, "above", states), holds=False)
    return game.from_start(player, below), game.from_start(player, above)


def _guarantee(
    game: MarkovGame, certificate: Mapping[str, Array], player: int, values: list[float], holds: bool
) -> list[Fraction]:
    """[S] what the player's own strategy guarantees it (`holds`), or what the other's never leaves it more than."""
    mixing = player if holds else 1 - player
    strategy = read_strategy(game, certificate, mixing)

    def step(state: int, rows: list[int]) -> tuple[int, int]:
        (parts, total), wide = strategy[state], game.width[state][1]
        if mixing == 0:
            answers = [sum(map(int.__mul__, parts, rows[b::wide])) for b in range(wide)]
        else:
            answers = [sum(map(int.__mul__, parts, rows[a : a + wide])) for a in range(0, len(rows), wide)]
        return min(answers) if holds else max(answers), total

    return _repaired(game, player, values, step, holds)


def _repaired(
    game: MarkovGame, player: int, values: list[float], step: Callable[[int, list[int]], tuple[int, int]], below: bool
) -> list[Fraction]:
    """[S] claims, lowered (`below`) or raised by what one step of them is wrong by at most, for as long as play lasts.

    step(state, rows) is the value of a state's step times the total that comes with it; rows are what its joint actions
    bring, over 2^BITS. No bound is worse than the one that needs no evidence.
    """
    claims, power = read_claims(game, values)
    ahead, worst, sign = game.ahead(player, claims, power, upward=not below), Fraction(0), 1 if below else -1
    for state in game.live:
        reached, total = step(state, ahead[game.row[state] : game.row[state + 1]])
        short = sign * (claims[state] * (total << BITS) - reached * power)  # over power * total * 2^BITS
        if short > 0:
            worst = max(worst, Fraction(short, power * (total << BITS)))
    plain = game.floor(player) if below else game.ceiling(player)
    bounds = [(Fraction(claim, power) - sign * worst * wait, plain * wait) for claim, wait in zip(claims, game.wait)]
    return [max(pair) if below else min(pair) for pair in bounds]


def profile(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[list[Interval], Fraction]:
    """For each player, from what the policies earn to what a best reply would; and the largest gain in any state."""
    game = read_markov(form, certificate)
    return _regrets(game, certificate, _product(game, certificate))


def correlated(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[list[Interval], Fraction]:
    """The same for joint recommendations, which may depend on each other: array 'joint', one weight a row."""
    game = read_markov(form, certificate)
    flat = floats(certificate, "joint", game.row[-1])
    return _regrets(
        game, certificate, [shares(flat[a:b]) if b > a else ([], 1) for a, b in itertools.pairwise(game.row)]
    )


def _product(game: MarkovGame, certificate: Mapping[str, Array]) -> Plan:
    """The joint play of independent policies."""
    strategies = [read_strategy(game, certificate, player) for player in range(game.players)]
    plan: Plan = []
    for state in game.states:
        drawn = [strategy[state] for strategy in strategies]
        weights = [math.prod(joint) for joint in itertools.product(*(parts for parts, _ in drawn))]
        plan.append((weights if game.width[state][0] else [], math.prod(total for _, total in drawn)))
    return plan


def _regrets(game: MarkovGame, certificate: Mapping[str, Array], plan: Plan) -> tuple[list[Interval], Fraction]:
    states, players = len(game.width), game.players
    value, best = (floats(certificate, name, states, players) for name in ("value", "best"))
    intervals, regret = [], Fraction(0)
    for player in range(players):
        earned = _earned(game, plan, player, value[player::players])
        replied = _replied(game, plan, player, best[player::players])
        regret = max(regret, *(high - low for low, high in zip(earned, replied)))
        intervals.append((game.from_start(player, earned), game.from_start(player, replied)))
    return intervals, regret


def _earned(game: MarkovGame, plan: Plan, player: int, values: list[float]) -> list[Fraction]:
    """[S] what the plan surely earns a player."""

    def step(state: int, rows: list[int]) -> tuple[int, int]:
        weights, total = plan[state]
        return sum(map(int.__mul__, weights, rows)), total

    return _repaired(game, player, values, step, below=True)


def _replied(game: MarkovGame, plan: Plan, player: int, values: list[float]) -> list[Fraction]:
    """[S] what no reply of a player earns more than."""

    def step(state: int, rows: list[int]) -> tuple[int, int]:
        weights, total = plan[state]
        return _best(game.width[state], player, weights, rows), total

    return _repaired(game, player, values, step, below=False)


def _best(width: tuple[int, ...], player: int, weights: list[int], rows: list[int]) -> int:
    """The sum over what is drawn for the player of the best that it can do instead."""
    inner, own = math.prod(width[player + 1 :]), width[player]
    places = [
        [outer + a * inner + k for outer in range(0, len(rows), own * inner) for k in range(inner)] for a in range(own)
    ]
    earned = [[rows[place] for place in listed] for listed in places]
    drawn = ([weights[place] for place in listed] for listed in places)
    return sum(max(sum(map(int.__mul__, part, paid)) for paid in earned) for part in drawn if any(part))
