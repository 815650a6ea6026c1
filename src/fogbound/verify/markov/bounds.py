"""The value of a zero-sum Markov game, and the regret of a profile of Markov policies, in exact arithmetic.

Let w be the waiting times of `form`: w >= 1 + g P w for every row, so that F(v + c w) <= F v + c (w - 1) for each
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
from collections.abc import Mapping
from fractions import Fraction

from ..arithmetic import shares
from ..arrays import Array, Refused, floats
from .form import BITS, MarkovGame, read_claims, read_markov, read_strategy

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
    claims, power = read_claims(game, values)
    ahead, worst, sign = game.ahead(player, claims, power, upward=not holds), Fraction(0), 1 if holds else -1
    for state in game.live:
        parts, total = strategy[state]
        rows, wide = ahead[game.row[state] : game.row[state + 1]], game.width[state][1]
        if mixing == 0:
            answers = [sum(map(int.__mul__, parts, rows[b::wide])) for b in range(wide)]
        else:
            answers = [sum(map(int.__mul__, parts, rows[a : a + wide])) for a in range(0, len(rows), wide)]
        reached = min(answers) if holds else max(answers)
        short = sign * (claims[state] * (total << BITS) - reached * power)  # over power * total * 2^BITS
        if short > 0:
            worst = max(worst, Fraction(short, power * (total << BITS)))
    plain = game.floor(player) if holds else game.ceiling(player)
    bounds = [(Fraction(claim, power) - sign * worst * wait, plain * wait) for claim, wait in zip(claims, game.wait)]
    return [max(pair) if holds else min(pair) for pair in bounds]


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
    claims, power = read_claims(game, values)
    ahead, rho = game.ahead(player, claims, power, upward=False), Fraction(0)
    for state in game.live:
        weights, total = plan[state]
        had = sum(map(int.__mul__, weights, ahead[game.row[state] : game.row[state + 1]]))
        short = claims[state] * (total << BITS) - had * power
        if short > 0:
            rho = max(rho, Fraction(short, power * (total << BITS)))
    least = game.floor(player)
    return [max(Fraction(claim, power) - rho * wait, least * wait) for claim, wait in zip(claims, game.wait)]


def _replied(game: MarkovGame, plan: Plan, player: int, values: list[float]) -> list[Fraction]:
    """[S] what no reply of a player earns more than."""
    claims, power = read_claims(game, values)
    ahead, tau = game.ahead(player, claims, power, upward=True), Fraction(0)
    for state in game.live:
        weights, total = plan[state]
        had = _best(game.width[state], player, weights, ahead[game.row[state] : game.row[state + 1]])
        over = had * power - claims[state] * (total << BITS)
        if over > 0:
            tau = max(tau, Fraction(over, power * (total << BITS)))
    most = game.ceiling(player)
    return [min(Fraction(claim, power) + tau * wait, most * wait) for claim, wait in zip(claims, game.wait)]


def _best(width: tuple[int, ...], player: int, weights: list[int], rows: list[int]) -> int:
    """The sum over what is drawn for the player of the best that it can do instead."""
    inner, own = math.prod(width[player + 1 :]), width[player]
    places = [
        [outer + a * inner + k for outer in range(0, len(rows), own * inner) for k in range(inner)] for a in range(own)
    ]
    earned = [[rows[place] for place in listed] for listed in places]
    drawn = ([weights[place] for place in listed] for listed in places)
    return sum(max(sum(map(int.__mul__, part, paid)) for paid in earned) for part in drawn if any(part))
