"""What a profile of behaviour strategies proves about a game tree: its value, and each player's best reply.

Exact, or where `reach` had to round, rounded outward: payoffs are shifted to be nonnegative first, so that
probabilities that are never too small can only raise a sum, and never too large only lower it.

How likely a profile of strategies makes each end of a tree, in integers over one denominator.

While that denominator fits in 4096 bits every result is exact. Beyond (a float strategy on a large tree has
thousands of unlike rows) probabilities are kept to 256 bits and rounded, all up or all down, so that they
stay bounds: nothing is lost but some 1e-70 of the width, and the strategy judged is the one that was stored.
"""

import itertools
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import shares
from ..arrays import Array, Refused, floats
from .form import Tree, read_tree

EXACT_BITS, FIXED_BITS = 4096, 256
NOBODY = -3


@dataclass(frozen=True)
class Play:
    """A tree in which every row has been given its probabilities: parts[row][move] / total[row]."""

    tree: Tree
    parts: list[list[int]]
    total: list[int]


def play(tree: Tree, strategy: Array) -> Play:
    """Repair the strategy, set by set: clipped, and each row divided by its own exact sum."""
    flat = floats({"strategy": strategy}, "strategy", tree.start[tree.sets])
    rows = [shares(flat[a:b]) for a, b in itertools.pairwise(tree.start[: tree.sets + 1])] + tree.chance
    return Play(tree, [parts for parts, _ in rows], [total for _, total in rows])


def reach(game: Play, free: int, upward: bool) -> tuple[list[int], int]:
    """For each end the chance that all but `free` play towards it, as numerators over one scale."""
    factors = _factors(game, free)
    if factors is None:
        return _fixed(game, free, upward), 2**FIXED_BITS
    tree = game.tree
    weight = [0] * len(tree.line)
    weight[0] = 1
    for node, row in enumerate(tree.line):
        if row >= 0 and weight[node]:
            left, right = tree.child[node], tree.child[node + 1]
            if tree.owner[row] == free:
                weight[left:right] = [weight[node] * factors[tree.depth[node]]] * (right - left)
            else:
                base = weight[node] * (factors[tree.depth[node]] // game.total[row])
                weight[left:right] = [base * part for part in game.parts[row]]
    rest = list(itertools.accumulate(reversed(factors), operator.mul, initial=1))[::-1]
    return [weight[node] * rest[tree.depth[node]] for node in tree.ends], rest[0]


def _factors(game: Play, free: int) -> list[int] | None:
    """For each depth the least common denominator of its rows, or None when their product is too long."""
    tree = game.tree
    totals_at: list[set[int]] = [set() for _ in range(tree.depth[-1])]
    for node, row in enumerate(tree.line):
        if row >= 0 and tree.owner[row] != free:
            totals_at[tree.depth[node]].add(game.total[row])
    factors, bits = [], 0
    for totals in totals_at:
        common = 1
        for total in totals:
            common = math.lcm(common, total)
            if bits + (common - 1).bit_length() > EXACT_BITS:
                return None
        bits += (common - 1).bit_length()
        factors.append(common)
    return factors


def _fixed(game: Play, free: int, upward: bool) -> list[int]:
    """The same over 2**256, each product rounded up (or down): never under (over) the true probability."""
    tree, sign = game.tree, -1 if upward else 1
    weight = [0] * len(tree.line)
    weight[0] = 2**FIXED_BITS
    for node, row in enumerate(tree.line):
        if row >= 0 and weight[node]:
            left, right = tree.child[node], tree.child[node + 1]
            if tree.owner[row] == free:
                weight[left:right] = [weight[node]] * (right - left)
            else:
                base, total = sign * weight[node], game.total[row]
                weight[left:right] = [sign * (base * part // total) for part in game.parts[row]]
    return [weight[node] for node in tree.ends]


def zero_sum(form: Mapping[str, Array], strategy: Array) -> tuple[Fraction, Fraction]:
    """Bounds on player 0's value of a tree for two: what each strategy guarantees."""
    return guarantees(play(read_tree(form), strategy), 0)


def profile(form: Mapping[str, Array], strategy: Array) -> list[tuple[Fraction, Fraction]]:
    """For each player: the value of the repaired profile, and of a best reply to it."""
    return replies(play(read_tree(form), strategy))


def guarantees(game: Play, player: int) -> tuple[Fraction, Fraction]:
    """The least that the player's own strategy earns it, the most that the other's strategy allows it.

    Both are bounds on the value, to this player, of the game in which the other only tries to hold it down: the
    minimax value of its own payoff. Where payoffs add up to a constant that is the value of the game; nothing here
    needs it to, so sums that are constant only up to rounding do no harm.
    """
    if game.tree.players != 2:
        raise Refused(f"a zero-sum certificate needs 2 players, the form has {game.tree.players}")
    payoff = game.tree.payoff[player]
    return -best(game, 1 - player, [-value for value in payoff]), best(game, player, payoff)


def replies(game: Play) -> list[tuple[Fraction, Fraction]]:
    """(value of the profile, value of a best reply) for each player; if not exact, rounded down and up."""
    weights, scale = reach(game, NOBODY, upward=False)
    pairs = []
    for player, payoff in enumerate(game.tree.payoff):
        low = min(payoff)
        total = sum(weight * (value - low) for weight, value in zip(weights, payoff))
        pairs.append((Fraction(total + low * scale, scale * game.tree.unit), best(game, player, payoff)))
    return pairs


def best(game: Play, player: int, payoff: list[int]) -> Fraction:
    """The most that `player` can get when `payoff` (over the tree's unit) is handed out at the ends.

    Each end adds chance x others x payoff to the player's last move before it. Then, from the latest information
    sets to the earliest, the best move's sum passes to the move before: by perfect recall that is one move.
    """
    return _best(game.tree, player, payoff, *reach(game, player, upward=True))


def restricted(game: Play, free: Play, trust: Fraction, player: int) -> tuple[Fraction, Fraction]:
    """Bounds on the game in which the other plays its part of `game` with probability `trust`, else as it likes.

    Below: the value of the player's own strategy against that part, and against whoever hurts it most, weighted.
    Above: its best reply when the other is free in one particular way, `free`, which can only help the player.
    """
    own = replies(game)[player][0]
    lower = trust * own + (1 - trust) * guarantees(game, player)[0]
    (one, one_scale), (two, two_scale) = reach(game, player, upward=True), reach(free, player, upward=True)
    part, whole = trust.numerator, trust.denominator
    mixed = [part * a * two_scale + (whole - part) * b * one_scale for a, b in zip(one, two)]
    return lower, _best(game.tree, player, game.tree.payoff[player], mixed, whole * one_scale * two_scale)


def _best(tree: Tree, player: int, payoff: list[int], weights: list[int], scale: int) -> Fraction:
    """The backward pass of `best`, given how likely the others make each end."""
    low = min(payoff)
    gain = [0] * (tree.slots + 1)
    last = tree.last[player]
    for node, weight, value in zip(tree.ends, weights, payoff):
        if weight:
            gain[last[node]] += weight * (value - low)
    for row in reversed(tree.order):
        if tree.owner[row] == player:
            gain[tree.before[row]] += max(gain[tree.start[row] : tree.start[row + 1]])
    return Fraction(gain[tree.slots] + low * scale, scale * tree.unit)
