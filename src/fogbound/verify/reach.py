"""How likely a profile of strategies makes each end of a tree, in integers over one denominator.

While that denominator fits in 4096 bits every result is exact. Beyond (a float strategy on a large tree has
thousands of unlike rows) probabilities are kept to 256 bits and rounded, all up or all down, so that they
stay bounds: nothing is lost but some 1e-70 of the width, and the strategy judged is the one that was stored.
"""

import itertools
import math
import operator
from dataclasses import dataclass

from .array import Array
from .fields import floats
from .repair import shares
from .tree_form import Tree

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
    found = [0] * len(tree.line)
    found[0] = 1
    for node, row in enumerate(tree.line):
        if row >= 0 and found[node]:
            left, right = tree.child[node], tree.child[node + 1]
            if tree.owner[row] == free:
                found[left:right] = [found[node] * factors[tree.depth[node]]] * (right - left)
            else:
                base = found[node] * (factors[tree.depth[node]] // game.total[row])
                found[left:right] = [base * part for part in game.parts[row]]
    rest = list(itertools.accumulate(reversed(factors), operator.mul, initial=1))[::-1]
    return [found[node] * rest[tree.depth[node]] for node in tree.ends], rest[0]


def _factors(game: Play, free: int) -> list[int] | None:
    """For each depth the least common denominator of its rows, or None when their product is too long."""
    tree = game.tree
    found: list[set[int]] = [set() for _ in range(tree.depth[-1])]
    for node, row in enumerate(tree.line):
        if row >= 0 and tree.owner[row] != free:
            found[tree.depth[node]].add(game.total[row])
    factors, bits = [], 0
    for totals in found:
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
    found = [0] * len(tree.line)
    found[0] = 2**FIXED_BITS
    for node, row in enumerate(tree.line):
        if row >= 0 and found[node]:
            left, right = tree.child[node], tree.child[node + 1]
            if tree.owner[row] == free:
                found[left:right] = [found[node]] * (right - left)
            else:
                base, total = sign * found[node], game.total[row]
                found[left:right] = [sign * (base * part // total) for part in game.parts[row]]
    return [found[node] for node in tree.ends]
