"""A game tree, read from its arrays and believed only after every property that the proofs use was checked.

Each decision belongs to a *row*: the information sets come first, in the order of their ids, then one row
for each chance node. A *slot* is one move of one row, numbered through, so an information set's slots are the
places of its moves in a flat strategy.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .array import Array
from .fields import floats, integers, shape, within
from .refused import Refused
from .repair import exact
from .tree_checks import END, chance_rows, children, last_moves, perfect_recall, rows


@dataclass(frozen=True)
class Tree:
    """A checked tree. Nodes are breadth first: the children of v are child[v] to child[v + 1] - 1."""

    players: int
    child: list[int]  # [node + 1]
    depth: list[int]  # [node]
    line: list[int]  # [node] its row; -1 at ends
    ends: list[int]  # the nodes where play is over
    owner: list[int]  # [row] seat, or -1 for chance
    start: list[int]  # [row + 1] first slot
    sets: int  # how many rows are information sets
    chance: list[tuple[list[int], int]]  # exact proportions and their sum, for each chance row
    pay: list[list[int]]  # [seat][end] numerators over `unit`
    unit: int
    last: list[list[int]]  # [seat][node] the seat's last slot on the way there; `slots` = none yet
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
    player = integers(form, "player", size)
    parent = integers(form, "parent", size)
    if size < 1 or not 1 <= players <= 1000:
        raise Refused(f"a tree of {size} nodes for {players} players")
    within(player, END, players, "player")
    child = children(player, parent)
    line, order, owner, start, sets = rows(player, child, integers(form, "infoset", size))
    depth = [0] * size
    for node in range(1, size):
        depth[node] = depth[parent[node]] + 1
    ends = [node for node in range(size) if player[node] == END]
    flat = floats(form, "payoff", size, players)
    paid = [value for node in ends for value in flat[node * players : (node + 1) * players]]
    numerators, unit = exact(paid)
    pay = [numerators[seat::players] for seat in range(players)]
    chance = chance_rows(player, parent, child, floats(form, "prob", size))
    last = [last_moves(seat, player, parent, child, line, start) for seat in range(players)]
    before = perfect_recall(player, line, last, sets)
    return Tree(players, child, depth, line, ends, owner, start, sets, chance, pay, unit, last, before, order)
