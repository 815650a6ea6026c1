"""What the blind player of a one-sided game surely has: a lower bound on its value.

The evidence is a strategy with nodes. In a node (of a partition) a slot is drawn, and after each branch the next node,
of the partition that follows. With a the claims of all nodes at all their states, let

  (F a)_n(s) = min over rows k of s of sum_slots x_n [ r(slot, k) + g sum_branches,s' P(s' | k) sum_m eta_m a_m(s') ].

F is what one step guarantees against one who sees everything, also the node. F is monotone; what the strategy
guarantees, G, is its fixed point, and F^i of any claims tends to G, as g < 1 or as play ends. Let rho >= 0 be the
largest a - F a. As w >= 1 + g P w in every step,

  F (a - rho w) >= F a - rho (w - 1) >= a - rho - rho w + rho = a - rho w,

so a - rho w <= F^i (a - rho w) for all i, hence a - rho w <= G. The game is worth at least what this strategy
guarantees from the nodes in which it begins. A branch after which no node is given, and a partition in which none
begins, is worth at least what the least pay in every step comes to: play goes on somehow.

Whatever shares arrive are brought to a grid of distributions; no claim is believed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .array import Array
from .fields import floats, integers, shape, within
from .one_sided_form import Fog
from .one_sided_lists import cut, read_mixtures
from .refused import Refused
from .repair import exact, grid_row

EVIDENCE = ("node_part", "node_value", "node_share", "follow_start", "follow_node", "follow_weight", "begin")
BITS = 50
GRID = 1 << BITS


@dataclass(frozen=True)
class Nodes:
    """Claims and rewards are over `power`; shares and weights over GRID."""

    part: list[int]  # [node]
    value: list[list[int]]  # [node][state of its partition]
    share: list[list[int]]  # [node][slot of its partition]
    follow: list[list[list[tuple[int, int]]]]  # [node][branch of its partition] (next node, weight)
    floor: list[int]  # [S] what is had anyway
    reward: list[int]
    power: int


def lower(fog: Fog, certificate: Mapping[str, Array]) -> Fraction:
    """A number that the value is not below, less what is paid at the start."""
    begin = integers(certificate, "begin", fog.parts)
    nodes = _read_nodes(fog, certificate)
    within(begin, -1, len(nodes.part), "begin")
    if any(node >= 0 and nodes.part[node] != part for part, node in enumerate(begin)):
        raise Refused("'begin' names a node of another partition")
    scale = nodes.power * fog.unit * GRID * GRID * fog.discount.denominator
    rho = max((Fraction(_violation(fog, nodes, node), scale) for node in range(len(nodes.part))), default=Fraction(0))
    rho, total = max(rho, Fraction(0)), Fraction(0)
    for part, node in enumerate(begin):
        for place, state in enumerate(range(fog.first[part], fog.first[part + 1])):
            claim = nodes.floor[state] if node < 0 else nodes.value[node][place]
            toll = 0 if node < 0 else rho * fog.wait[state]
            total += fog.start.get(state, 0) * (Fraction(claim, nodes.power) - toll)
    return total


def _violation(fog: Fog, nodes: Nodes, node: int) -> Fraction | int:
    """The largest a - F a at a node, over the scale of `lower`."""
    part = nodes.part[node]
    rows, rate, below = fog.rows(part), fog.discount.numerator, fog.discount.denominator
    had: list[Fraction | int] = [0] * len(rows)
    first_branch = fog.branches(part).start
    for slot, share in zip(fog.slots(part), nodes.share[node]):
        if share:
            later = [0] * len(rows)
            for branch in range(fog.branch[slot], fog.branch[slot + 1]):
                mixed = _mixed(fog, nodes, branch, nodes.follow[node][branch - first_branch])
                first = fog.first[fog.target[branch]]
                for e in range(fog.entry[branch], fog.entry[branch + 1]):
                    later[fog.source[e] - rows.start] += fog.prob[e] * mixed[fog.to[e] - first]
            for place, row in enumerate(rows):
                after = rate * later[place] * fog.over.get((slot, row), 1)
                had[place] += share * (nodes.reward[fog.pay[slot] + place] * fog.unit * GRID * below + after)
    worst: Fraction | int = 0
    for place, claim in enumerate(nodes.value[node]):
        state = fog.first[part] + place
        least = min(had[fog.row[state] - rows.start : fog.row[state + 1] - rows.start])
        worst = max(worst, claim * fog.unit * GRID * GRID * below - least)
    return worst


def _mixed(fog: Fog, nodes: Nodes, branch: int, follow: Sequence[tuple[int, int]]) -> list[int]:
    """What is claimed after a branch in each state, over power * GRID."""
    after = fog.target[branch]
    if not follow:
        return [GRID * least for least in nodes.floor[fog.first[after] : fog.first[after + 1]]]
    mixed = [0] * (fog.first[after + 1] - fog.first[after])
    for node, weight in follow:
        if nodes.part[node] != after:
            raise Refused(f"'follow_node' names node {node} after branch {branch}, which leads to another partition")
        for place, claim in enumerate(nodes.value[node]):
            mixed[place] += weight * claim
    return mixed


def _read_nodes(fog: Fog, certificate: Mapping[str, Array]) -> Nodes:
    (count,) = shape(certificate, "node_part", 1)
    part = integers(certificate, "node_part", count)
    within(part, 0, fog.parts, "node_part")
    sizes = [fog.first[p + 1] - fog.first[p] for p in part]
    values = floats(certificate, "node_value", sum(sizes))
    menus = [len(fog.slots(p)) for p in part]
    shares = cut(floats(certificate, "node_share", sum(menus)), menus)
    numbers, power = exact([*fog.reward, *values])
    reward, claims = numbers[: len(fog.reward)], numbers[len(fog.reward) :]
    wide = [len(fog.branches(p)) for p in part]
    follow = read_mixtures(certificate, "follow", "node", sum(wide), count)
    drawn = [list(zip((n for n, _ in one), grid_row([w for _, w in one], BITS))) if one else [] for one in follow]
    least = Fraction(fog.least_pay) * power
    floor = [math.floor(least * wait) for wait in fog.wait]
    grids = [grid_row(share, BITS) for share in shares]
    return Nodes(part, cut(claims, sizes), grids, cut(drawn, wide), floor, reward, power)
