"""What a profile of behaviour strategies proves about a game tree: its value, and each player's best reply.

The tree is read from its arrays and believed only after every property that the proofs use was checked: order,
information sets, chance, perfect recall. Each decision belongs to a *row*: the information sets come first, in the
order of their ids, then one row for each chance node. A *slot* is one move of one row, numbered through, so an
information set's slots are the places of its moves in a flat strategy.

Results are exact, or where `reach` had to round, rounded outward: payoffs are shifted to be nonnegative first, so that
probabilities that are never too small can only raise a sum, and never too large only lower it. How likely a profile
makes each end is told in integers over one denominator. While that fits in 4096 bits every result is exact. Beyond (a
float strategy on a large tree has thousands of unlike rows) probabilities are kept to 256 bits and rounded, all up or
all down, so that they stay bounds: nothing is lost but some 1e-70 of the width, and the strategy judged is the one that
was stored.
"""

import itertools
import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .arithmetic import exact, shares
from .arrays import Array, Refused, floats, integers, shape, within

CHANCE, END = -1, -2


def children(mover: list[int], parent: list[int]) -> list[int]:
    """First child of each node, from the parents of a breadth-first array: they never go back."""
    size = len(parent)
    if parent[0] != -1:
        raise Refused(f"node 0 is the root, but has parent {parent[0]}")
    count = [0] * size
    above = 0
    for node in range(1, size):
        if not above <= parent[node] < node:
            raise Refused(f"node {node} has parent {parent[node]}: not in breadth-first order")
        above = parent[node]
        count[above] += 1
    for node in range(size):
        if (mover[node] == END) != (count[node] == 0):
            raise Refused(f"node {node} of player {mover[node]} has {count[node]} moves")
    return list(itertools.accumulate(count, initial=1))


def rows(
    mover: list[int], child: list[int], infoset: list[int]
) -> tuple[list[int], list[int], list[int], list[int], int]:
    """Rows: (row of each node, information sets by first node, owners, first slots, how many sets)."""
    if any((who >= 0) != (name >= 0) or name < -1 for who, name in zip(mover, infoset)):
        raise Refused("'infoset' must be 0 or more at decisions and -1 elsewhere")
    first: dict[int, int] = {}
    for node, name in enumerate(infoset):
        met = first.setdefault(name, node)
        if name >= 0 and met != node:
            if mover[met] != mover[node]:
                raise Refused(f"information set {name} has two owners, {mover[met]} and {mover[node]}")
            if child[met + 1] - child[met] != child[node + 1] - child[node]:
                raise Refused(f"information set {name} has different numbers of moves at nodes {met}, {node}")
    first.pop(-1, None)
    rank = {name: row for row, name in enumerate(sorted(first))}
    chances = [node for node, who in enumerate(mover) if who == CHANCE]
    line = [rank.get(name, -1) for name in infoset]
    for row, node in enumerate(chances, len(rank)):
        line[node] = row
    nodes = [first[name] for name in sorted(first)] + chances
    widths = [child[node + 1] - child[node] for node in nodes]
    return (
        line,
        [rank[name] for name in first],
        [mover[node] for node in nodes],
        list(itertools.accumulate(widths, initial=0)),
        len(rank),
    )


def chance_rows(
    mover: list[int], parent: list[int], child: list[int], prob: list[float]
) -> list[tuple[list[int], int]]:
    """Each chance row, divided by its own exact sum."""
    rows = []
    if any(prob[v] != 1.0 for v in range(len(prob)) if v == 0 or mover[parent[v]] != CHANCE):
        raise Refused("'prob' must be 1 wherever chance did not move")
    for node, who in enumerate(mover):
        if who == CHANCE:
            weights = prob[child[node] : child[node + 1]]
            if min(weights) < 0 or max(weights) <= 0:
                raise Refused(f"chance node {node} has a negative probability or only zeros")
            rows.append(shares(weights))
    return rows


def last_moves(
    player: int, mover: list[int], parent: list[int], child: list[int], line: list[int], start: list[int]
) -> list[int]:
    """The player's last slot on the way to each node."""
    last = [start[-1]] * len(parent)
    for node in range(1, len(parent)):
        above = parent[node]
        mine = mover[above] == player
        last[node] = start[line[above]] + node - child[above] if mine else last[above]
    return last


def perfect_recall(mover: list[int], line: list[int], last: list[list[int]], sets: int) -> list[int]:
    """Perfect recall: every node of an information set has the same last move of its owner.

    It follows that no set lies above itself: its own last moves, followed upwards, would never end.
    """
    before = [-1] * sets
    for node, who in enumerate(mover):
        if who >= 0:
            row, slot = line[node], last[who][node]
            if before[row] not in (-1, slot):
                raise Refused(f"no perfect recall: player {who} enters node {node}'s set by unlike own moves")
            before[row] = slot
    return before


@dataclass(frozen=True)
class Tree:
    """A checked tree. Nodes are breadth first: the children of v are child[v] to child[v + 1] - 1."""

    players: int
    child: list[int]  # [node + 1]
    depth: list[int]  # [node]
    line: list[int]  # [node] its row; -1 at ends
    ends: list[int]  # the nodes where play is over
    owner: list[int]  # [row] player, or -1 for chance
    start: list[int]  # [row + 1] first slot
    sets: int  # how many rows are information sets
    chance: list[tuple[list[int], int]]  # exact proportions and their sum, for each chance row
    payoff: list[list[int]]  # [player][end] numerators over `unit`
    unit: int
    last: list[list[int]]  # [player][node] the player's last slot on the way there; `slots` = none yet
    before: list[int]  # [row] of an information set: its owner's last slot before it
    order: list[int]  # information sets by their first node: earlier ones of an owner come first

    @property
    def slots(self) -> int:
        """How many moves there are in all; also stands for 'has not moved yet'."""
        return self.start[-1]


def read_tree(form: Mapping[str, Array]) -> Tree:
    """Check every array and build the Tree; Refused at the first fault."""
    (players,) = integers(form, "players", 1)
    (size,) = shape(form, "player", 1)
    mover = integers(form, "player", size)
    parent = integers(form, "parent", size)
    if size < 1 or not 1 <= players <= 1000:
        raise Refused(f"a tree of {size} nodes for {players} players")
    within(mover, END, players, "player")
    child = children(mover, parent)
    line, order, owner, start, sets = rows(mover, child, integers(form, "infoset", size))
    depth = [0] * size
    for node in range(1, size):
        depth[node] = depth[parent[node]] + 1
    ends = [node for node in range(size) if mover[node] == END]
    flat = floats(form, "payoff", size, players)
    paid = [value for node in ends for value in flat[node * players : (node + 1) * players]]
    numerators, unit = exact(paid)
    payoff = [numerators[player::players] for player in range(players)]
    chance = chance_rows(mover, parent, child, floats(form, "prob", size))
    last = [last_moves(player, mover, parent, child, line, start) for player in range(players)]
    before = perfect_recall(mover, line, last, sets)
    return Tree(players, child, depth, line, ends, owner, start, sets, chance, payoff, unit, last, before, order)


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
    tree, sign, common = game.tree, -1 if upward else 1, _factors(game, free)
    exactly, factors = common is not None, common or [1] * tree.depth[-1]
    weight = [0] * len(tree.line)
    weight[0] = 1 if exactly else 2**FIXED_BITS
    for node, row in enumerate(tree.line):
        if row >= 0 and weight[node]:
            left, right, factor = tree.child[node], tree.child[node + 1], factors[tree.depth[node]]
            if tree.owner[row] == free:
                weight[left:right] = [weight[node] * factor] * (right - left)
            elif exactly:
                base = weight[node] * (factor // game.total[row])
                weight[left:right] = [base * part for part in game.parts[row]]
            else:  # never under (over) the true probability
                base, total = sign * weight[node], game.total[row]
                weight[left:right] = [sign * (base * part // total) for part in game.parts[row]]
    rest = list(itertools.accumulate(reversed(factors), operator.mul, initial=1))[::-1]
    return [weight[node] * rest[tree.depth[node]] for node in tree.ends], rest[0] if exactly else 2**FIXED_BITS


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
    """The value of a best reply, given how likely the others make each end."""
    low = min(payoff)
    gain = reply_gain(tree, player, [value - low for value in payoff], weights)
    return Fraction(gain + low * scale, scale * tree.unit)


def reply_gain(tree: Tree, player: int, paid: list[int], weights: list[int]) -> int:
    """The backward pass of `best`, over the scale of the weights; what is paid is not negative."""
    gain, last = [0] * (tree.slots + 1), tree.last[player]
    for node, weight, value in zip(tree.ends, weights, paid):
        if weight:
            gain[last[node]] += weight * value
    for row in reversed(tree.order):
        if tree.owner[row] == player:
            gain[tree.before[row]] += max(gain[tree.start[row] : tree.start[row + 1]])
    return gain[tree.slots]
