"""The checks behind a game tree, one property each: order, information sets, chance, perfect recall.

A game tree, read from its arrays and believed only after every property that the proofs use was checked.

Each decision belongs to a *row*: the information sets come first, in the order of their ids, then one row
for each chance node. A *slot* is one move of one row, numbered through, so an information set's slots are the
places of its moves in a flat strategy.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from ..arithmetic import exact, shares
from ..arrays import Array, Refused, floats, integers, shape, within

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
