"""A game as one seat faces it while the other moves by its automaton: what each of its actions may lead to.

A point is a state of the table and the other's node, which is all that what happens next depends on: of which kind
the other is matters only to where it begins. The other's moves have their exact proportions.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from .controller import IDLE, Controller
from .repair import shares, up
from .table import Table

Point = tuple[int, ...]  # state of the table, the other's node
Follow = dict[tuple[int, Point | None], int]  # (observation, where to; None = over) -> weight


@dataclass(frozen=True)
class Row:
    """One action of a point: what may happen, in the shortest integers, and the pay, rounded up."""

    label: int
    follow: Follow
    total: int
    reward: float


@dataclass(frozen=True)
class Facing:
    """A table as one seat faces it; what is worked out for a point serves every mixture that has it."""

    table: Table
    seat: int
    other: Controller  # what all kinds of the other seat share
    kinds: Mapping[int, Controller]  # of the other seat
    known: dict[Point, list[Row]] = field(default_factory=dict)

    def opening(self, believed: Mapping[int, int]) -> Row:
        """The start row, with the kind drawn by its weight."""
        parts, total = self._odds(0)
        ways = [
            (weight * part, outcome, self._remembered(outcome, self.kinds[kind].first))
            for kind, weight in believed.items()
            for part, outcome in zip(parts, self.table.outcomes(0))
            if part
        ]
        return self._row(IDLE, ways, total * sum(believed.values()))

    def rows(self, point: Point) -> list[Row]:
        """One row for each action of my menu, or one in which I wait."""
        if point not in self.known:
            state = point[0]
            asked = self.table.actors[state]
            mine = self.table.menus[state][asked.index(self.seat)] if self.seat in asked else (IDLE,)
            self.known[point] = [self._after(point, place, label) for place, label in enumerate(mine)]
        return self.known[point]

    def _after(self, point: Point, mine: int, label: int) -> Row:
        """What my move leads to, over all moves of the other."""
        state, node = point
        table, other = self.table, 1 - self.seat
        actions: tuple[int, ...] = (IDLE,)
        parts, whole = [1], 1
        if other in table.actors[state]:
            rank = table.actors[state].index(other)
            actions = table.menus[state][rank]
            parts, whole = self.other.act(node, table.offered[state][rank], actions)
        played = [(part, self._joint(state, mine, move), actions[move]) for move, part in enumerate(parts) if part]
        common = math.lcm(*(self._odds(row)[1] for _, row, _ in played))
        ways = []
        for part, row, did in played:
            odds, total = self._odds(row)
            for share, outcome in zip(odds, table.outcomes(row)):
                if share:
                    after = self._remembered(outcome, partial(self.other.after, node, did))
                    ways.append((part * share * (common // total), outcome, after))
        return self._row(label, ways, whole * common)

    def _joint(self, state: int, mine: int, theirs: int) -> int:
        """The table's row of a joint move: mixed radix, the last actor fastest."""
        place = 0
        for seat, actions in zip(self.table.actors[state], self.table.menus[state]):
            place = place * len(actions) + (mine if seat == self.seat else theirs)
        return self.table.row[state] + place

    def _row(self, label: int, ways: Sequence[tuple[int, int, int]], total: int) -> Row:
        """Ways (weight, outcome, node) put together: what I am told, where that leads, what it pays."""
        table, pay, follow = self.table, 0, Follow()
        for weight, outcome, node in ways:
            state = table.next[outcome]
            pay += weight * table.pay[table.event[outcome]][self.seat]
            key = (table.told[outcome][self.seat], (state, node) if table.actors[state] else None)
            follow[key] = follow.get(key, 0) + weight
        shared = math.gcd(total, *follow.values())
        shortest = {key: weight // shared for key, weight in follow.items()}
        return Row(label, shortest, total // shared, up(Fraction(pay, total * table.unit)))

    def _remembered(self, outcome: int, node: Callable[[int], int]) -> int:
        """The other's node after what it is told of an outcome; it is not asked once play is over."""
        told = self.table.told[outcome][1 - self.seat]
        return node(told) if self.table.actors[self.table.next[outcome]] else 0

    def _odds(self, row: int) -> tuple[list[int], int]:
        return shares([self.table.prob[outcome] for outcome in self.table.outcomes(row)])
