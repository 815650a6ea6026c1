"""The checks behind a game tree, one property each: order, information sets, chance, perfect recall."""

import itertools

from .refused import Refused
from .repair import shares

CHANCE, END = -1, -2


def children(player: list[int], parent: list[int]) -> list[int]:
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
        if (player[node] == END) != (count[node] == 0):
            raise Refused(f"node {node} of player {player[node]} has {count[node]} moves")
    return list(itertools.accumulate(count, initial=1))


def rows(
    player: list[int], child: list[int], infoset: list[int]
) -> tuple[list[int], list[int], list[int], list[int], int]:
    """Rows: (row of each node, information sets by first node, owners, first slots, how many sets)."""
    if any((who >= 0) != (name >= 0) or name < -1 for who, name in zip(player, infoset)):
        raise Refused("'infoset' must be 0 or more at decisions and -1 elsewhere")
    first: dict[int, int] = {}
    for node, name in enumerate(infoset):
        met = first.setdefault(name, node)
        if name >= 0 and met != node:
            if player[met] != player[node]:
                raise Refused(f"information set {name} has two owners, {player[met]} and {player[node]}")
            if child[met + 1] - child[met] != child[node + 1] - child[node]:
                raise Refused(f"information set {name} has different numbers of moves at nodes {met}, {node}")
    first.pop(-1, None)
    rank = {name: row for row, name in enumerate(sorted(first))}
    chances = [node for node, who in enumerate(player) if who == CHANCE]
    line = [rank.get(name, -1) for name in infoset]
    for row, node in enumerate(chances, len(rank)):
        line[node] = row
    nodes = [first[name] for name in sorted(first)] + chances
    widths = [child[node + 1] - child[node] for node in nodes]
    return (
        line,
        [rank[name] for name in first],
        [player[node] for node in nodes],
        list(itertools.accumulate(widths, initial=0)),
        len(rank),
    )


def chance_rows(
    player: list[int], parent: list[int], child: list[int], prob: list[float]
) -> list[tuple[list[int], int]]:
    """Each chance row, divided by its own exact sum."""
    found = []
    if any(prob[v] != 1.0 for v in range(len(prob)) if v == 0 or player[parent[v]] != CHANCE):
        raise Refused("'prob' must be 1 wherever chance did not move")
    for node, who in enumerate(player):
        if who == CHANCE:
            weights = prob[child[node] : child[node + 1]]
            if min(weights) < 0 or max(weights) <= 0:
                raise Refused(f"chance node {node} has a negative probability or only zeros")
            found.append(shares(weights))
    return found


def last_moves(
    seat: int, player: list[int], parent: list[int], child: list[int], line: list[int], start: list[int]
) -> list[int]:
    """The seat's last slot on the way to each node."""
    last = [start[-1]] * len(parent)
    for node in range(1, len(parent)):
        above = parent[node]
        mine = player[above] == seat
        last[node] = start[line[above]] + node - child[above] if mine else last[above]
    return last


def perfect_recall(player: list[int], line: list[int], last: list[list[int]], sets: int) -> list[int]:
    """Perfect recall: every node of an information set has the same last move of its owner.

    It follows that no set lies above itself: its own last moves, followed upwards, would never end.
    """
    before = [-1] * sets
    for node, who in enumerate(player):
        if who >= 0:
            row, slot = line[node], last[who][node]
            if before[row] not in (-1, slot):
                raise Refused(f"no perfect recall: player {who} enters node {node}'s set by unlike own moves")
            before[row] = slot
    return before
