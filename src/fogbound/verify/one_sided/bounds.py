"""The value of a game between one who does not see and one who sees everything: what is surely had, what is never had.

The value is the blind player's: the most that a strategy of its own guarantees, whatever the other does. Each side has
its own evidence (`lower`, `upper`), and is never worse than the bound that needs none: the least
(largest) reward of a step, or 0 since play may end, in every step for as long as play can last.

Below, the evidence is a strategy with nodes. In a node (of a partition) an action is drawn, and after each observation
the next node, of the partition that follows. With a the claims of all nodes at all their states, let

  (F a)_n(s) = min over replies k of s of sum_j x_n(j) [ r(j, k) + g sum_z,s' P(s' | k, z) sum_m eta_m a_m(s') ],

with actions j and successors z of each.

F is what one step guarantees against one who sees everything, also the node. F is monotone; what the strategy
guarantees, G, is its fixed point, and F^i of any claims tends to G, as g < 1 or as play ends. Let rho >= 0 be the
largest a - F a. As w >= 1 + g P w in every step,

  F (a - rho w) >= F a - rho (w - 1) >= a - rho - rho w + rho = a - rho w,

so a - rho w <= F^i (a - rho w) for all i, hence a - rho w <= G. Its value is at least what this strategy
guarantees from the nodes in which it begins. A successor after which no node is given, and a partition in which none
begins, has at least the value of the least reward in every step: play goes on somehow.

Whatever shares arrive are brought to a grid of distributions; no claim is believed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import exact, grid_row
from ..arrays import Array, Refused, cut, floats, integers, read_mixtures, shape, within
from .form import OneSidedGame, read_one_sided
from .upper import BITS, GRID, POINTS, upper

NODES = ("node_part", "node_value", "node_share", "follow_start", "follow_node", "follow_weight", "begin")


@dataclass(frozen=True)
class Nodes:
    """Claims and rewards are over `power`; shares and weights over GRID."""

    part: list[int]  # [node]
    value: list[list[int]]  # [node][state of its partition]
    share: list[list[int]]  # [node][action of its partition]
    follow: list[list[list[tuple[int, int]]]]  # [node][successor of its partition] (next node, weight)
    floor: list[int]  # [S] what is had anyway
    reward: list[int]
    power: int


def lower(game: OneSidedGame, certificate: Mapping[str, Array]) -> tuple[Fraction, Fraction]:
    """(A number that the value is not below, less what is paid at the start; rho, which it has paid for)."""
    begin = integers(certificate, "begin", game.parts)
    nodes = _read_nodes(game, certificate)
    within(begin, -1, len(nodes.part), "begin")
    if any(node >= 0 and nodes.part[node] != part for part, node in enumerate(begin)):
        raise Refused("'begin' names a node of another partition")
    scale = nodes.power * game.unit * GRID * GRID * game.discount.denominator
    rho = max((Fraction(_violation(game, nodes, node), scale) for node in range(len(nodes.part))), default=Fraction(0))
    rho, total = max(rho, Fraction(0)), Fraction(0)
    for part, node in enumerate(begin):
        for place, state in enumerate(range(game.state_start[part], game.state_start[part + 1])):
            claim = nodes.floor[state] if node < 0 else nodes.value[node][place]
            toll = 0 if node < 0 else rho * game.wait[state]
            total += game.start.get(state, 0) * (Fraction(claim, nodes.power) - toll)
    return total, rho


def _violation(game: OneSidedGame, nodes: Nodes, node: int) -> Fraction | int:
    """The largest a - F a at a node, over the scale of `lower`."""
    part = nodes.part[node]
    replies, rate, below = game.replies(part), game.discount.numerator, game.discount.denominator
    had: list[Fraction | int] = [0] * len(replies)
    first_successor = game.successors(part).start
    for action, share in zip(game.actions(part), nodes.share[node]):
        if share:
            later = [0] * len(replies)
            for successor in range(game.successor_start[action], game.successor_start[action + 1]):
                mixed = _mixed(game, nodes, successor, nodes.follow[node][successor - first_successor])
                first = game.state_start[game.target[successor]]
                for e in range(game.transition_start[successor], game.transition_start[successor + 1]):
                    later[game.source[e] - replies.start] += game.prob[e] * mixed[game.to[e] - first]
            for place, reply in enumerate(replies):
                after = rate * later[place] * game.over.get((action, reply), 1)
                reward = nodes.reward[game.reward_start[action] + place]
                had[place] += share * (reward * game.unit * GRID * below + after)
    worst: Fraction | int = 0
    for place, claim in enumerate(nodes.value[node]):
        state = game.state_start[part] + place
        least = min(had[game.reply_start[state] - replies.start : game.reply_start[state + 1] - replies.start])
        worst = max(worst, claim * game.unit * GRID * GRID * below - least)
    return worst


def _mixed(game: OneSidedGame, nodes: Nodes, successor: int, follow: Sequence[tuple[int, int]]) -> list[int]:
    """What is claimed after an observation in each state, over power * GRID."""
    after = game.target[successor]
    if not follow:
        return [GRID * least for least in nodes.floor[game.state_start[after] : game.state_start[after + 1]]]
    mixed = [0] * (game.state_start[after + 1] - game.state_start[after])
    for node, weight in follow:
        if nodes.part[node] != after:
            where = f"node {node} after successor {successor}"
            raise Refused(f"'follow_node' names {where}, which leads to another partition")
        for place, claim in enumerate(nodes.value[node]):
            mixed[place] += weight * claim
    return mixed


def _read_nodes(game: OneSidedGame, certificate: Mapping[str, Array]) -> Nodes:
    (count,) = shape(certificate, "node_part", 1)
    part = integers(certificate, "node_part", count)
    within(part, 0, game.parts, "node_part")
    sizes = [game.state_start[p + 1] - game.state_start[p] for p in part]
    values = floats(certificate, "node_value", sum(sizes))
    legal_sets = [len(game.actions(p)) for p in part]
    shares = cut(floats(certificate, "node_share", sum(legal_sets)), legal_sets)
    numbers, power = exact([*game.reward, *values])
    reward, claims = numbers[: len(game.reward)], numbers[len(game.reward) :]
    wide = [len(game.successors(p)) for p in part]
    follow = read_mixtures(certificate, "follow", "node", sum(wide), count)
    drawn = [list(zip((n for n, _ in one), grid_row([w for _, w in one], BITS))) if one else [] for one in follow]
    least = Fraction(game.least_reward) * power
    floor = [math.floor(least * wait) for wait in game.wait]
    grids = [grid_row(share, BITS) for share in shares]
    return Nodes(part, cut(claims, sizes), grids, cut(drawn, wide), floor, reward, power)


def proven(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> tuple[tuple[Fraction, Fraction], Fraction]:
    """(An interval that holds the value of the game, by how much a claim of the evidence is wrong at most).

    The interval has paid for what is wrong. One who plays by the claims as they stand has not.
    """
    game = read_one_sided(form, certificate)
    lasting = sum((weight * game.wait[state] for state, weight in game.start.items()), Fraction(0))
    low, high = lasting * Fraction(game.least_reward), lasting * Fraction(game.most_reward)
    below = above = Fraction(0)
    if any(name in certificate for name in NODES):
        had, below = lower(game, certificate)
        low = max(low, had)
    if any(name in certificate for name in POINTS):
        held, above = upper(game, certificate)
        high = high if held is None else min(high, held)
    return (game.paid + low, game.paid + high), max(below, above)
