"""A game in which every seat is taken, outcome by outcome: what may follow, with what is paid for it.

`forms.product` merges outcomes that lead to the same point and keeps their mean pay; here each keeps its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from fogbound.core.policy import Player
from fogbound.forms.product import WAIT, Fixed
from fogbound.forms.table import START, Table

Point = tuple[int, ...]  # the state, then what each player remembers; the state alone once the game is over
Edge = tuple[Point, int, float]  # where to, the table's event, how likely


class Taken:
    """Points and what follows on them when `policies` play."""

    def __init__(self, table: Table, policies: Sequence[Player]) -> None:
        self.table = table
        self.seats = [Fixed(table, i, policy) for i, policy in enumerate(policies)]

    def explore(self, limit: int) -> dict[Point, list[Edge]] | None:
        """All points that can occur, with what follows on each; None past `limit` points."""
        found: dict[Point, list[Edge]] = {}
        queue = [point for point, _, _ in self.start()]
        for point in queue:  # grows while it is walked
            if point not in found:
                if len(found) == limit:
                    return None
                found[point] = self.after(point)
                queue += [following for following, _, _ in found[point] if following not in found]
        return found

    def start(self) -> list[Edge]:
        table, edges = self.table, list[Edge]()
        for o in range(table.out[START], table.out[START + 1]):
            event, state = int(table.event[o]), int(table.next[o])
            begins = [seat.begin(int(table.seen[event, i])) for i, seat in enumerate(self.seats)]
            for drawn in product(*begins):
                memories = () if table.crew[state] == 0 else tuple(memory for memory, _ in drawn)
                edges.append(((state, *memories), event, float(table.prob[o]) * prod(p for _, p in drawn)))
        return edges

    def after(self, point: Point) -> list[Edge]:
        """What may follow on a point, all joint moves and all outcomes; nothing once the game is over."""
        table, state, edges = self.table, point[0], list[Edge]()
        crew = table.crew[state]
        if crew == 0:
            return edges
        actors: list[int] = table.crew_actors[crew, : table.crew_size[crew]].tolist()
        menus: list[int] = table.menu[state].tolist()
        for joint in product(*(self.seats[i].act(point[1 + i], menu) for i, menu in zip(actors, menus))):
            row, chance, own = 0, 1.0, dict[int, int]()
            for i, menu, (move, p) in zip(actors, menus, joint):
                row, chance = row * int(table.menu_size[menu]) + move, chance * p
                own[i] = int(table.menu_actions[menu, move])
            row += int(table.row[state])
            edges += [self._edge(point, own, o, chance) for o in range(table.out[row], table.out[row + 1])]
        return edges

    def _edge(self, point: Point, own: dict[int, int], outcome: int, chance: float) -> Edge:
        table, event, state = self.table, int(self.table.event[outcome]), int(self.table.next[outcome])
        memories: list[int] = []
        if table.crew[state] != 0:  # once the game is over nobody need remember
            seen = table.seen[event].tolist()
            memories = [seat.update(point[1 + i], own.get(i, WAIT), seen[i]) for i, seat in enumerate(self.seats)]
        return (state, *memories), event, chance * float(table.prob[outcome])
