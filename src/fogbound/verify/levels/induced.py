"""A game as one player faces it while the other moves by its automaton: what each of its actions may lead to.

A point is a state of the table and the other's node, which is all that what happens next depends on: of which kind
the other is matters only to where it begins. The other's moves have their exact proportions.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from ..arithmetic import shares, up
from ..arrays import Refused
from ..chain.controller import IDLE, Controller
from ..chain.table import Table
from ..pomdp.form import POMDP

Point = tuple[int, ...]  # state of the table, the other's node
Follow = dict[tuple[int, Point | None], int]  # (observation, where to; None = over) -> weight


@dataclass(frozen=True)
class Row:
    """One action of a point: what may happen, in the shortest integers, and the reward, rounded up."""

    label: int
    follow: Follow
    total: int
    reward: float


@dataclass(frozen=True)
class InducedModel:
    """A table as one player faces it; what is worked out for a point serves every mixture that has it."""

    table: Table
    player: int
    other: Controller  # what all kinds of the other player share
    kinds: Mapping[int, Controller]  # of the other player
    worked_out: dict[Point, list[Row]] = field(default_factory=dict)

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
        """One row for each of my legal actions, or one in which I wait."""
        if point not in self.worked_out:
            state = point[0]
            asked = self.table.actors[state]
            mine = self.table.legal_sets[state][asked.index(self.player)] if self.player in asked else (IDLE,)
            self.worked_out[point] = [self._after(point, place, label) for place, label in enumerate(mine)]
        return self.worked_out[point]

    def _after(self, point: Point, mine: int, label: int) -> Row:
        """What my move leads to, over all moves of the other."""
        state, node = point
        table, other = self.table, 1 - self.player
        actions: tuple[int, ...] = (IDLE,)
        parts, whole = [1], 1
        if other in table.actors[state]:
            rank = table.actors[state].index(other)
            actions = table.legal_sets[state][rank]
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
        for player, actions in zip(self.table.actors[state], self.table.legal_sets[state]):
            place = place * len(actions) + (mine if player == self.player else theirs)
        return self.table.row[state] + place

    def _row(self, label: int, ways: Sequence[tuple[int, int, int]], total: int) -> Row:
        """Ways (weight, outcome, node) put together: what I observe, where that leads, with which reward."""
        table, reward, follow = self.table, 0, Follow()
        for weight, outcome, node in ways:
            state = table.next[outcome]
            reward += weight * table.reward[table.event[outcome]][self.player]
            key = (table.observation[outcome][self.player], (state, node) if table.actors[state] else None)
            follow[key] = follow.get(key, 0) + weight
        shared = math.gcd(total, *follow.values())
        shortest = {key: weight // shared for key, weight in follow.items()}
        return Row(label, shortest, total // shared, up(Fraction(reward, total * table.unit)))

    def _remembered(self, outcome: int, node: Callable[[int], int]) -> int:
        """The other's node after what it observes of an outcome; it is not asked once play is over."""
        observation = self.table.observation[outcome][1 - self.player]
        return node(observation) if self.table.actors[self.table.next[outcome]] else 0

    def _odds(self, row: int) -> tuple[list[int], int]:
        return shares([self.table.prob[outcome] for outcome in self.table.outcomes(row)])


# What one player faces when the other's controller is drawn from a mixture: a partially observable process.
#
# The kind of the other is drawn with the start and says in which node its automaton begins; all that happens later
# depends on the state of the table and the node alone, so the process has these for states, and the weights of kinds
# that are in one node add up. It is the game that the player plays against the mixture, with two changes that can only
# raise its best value. The player is informed after each step whether it is asked next, with which legal actions, or
# that play is over (`form.with_legal_actions`): that is no less than what it sees in the game. And the reward of a row,
# an expectation, is rounded up to a float: policies and what happens stay the same, and each step brings at least what
# it did. So a number that the value of this process is not above, the best reply is not above either.


def induced_pomdp(model: InducedModel, believed: Mapping[int, int], points: Sequence[Point]) -> POMDP:
    """The process on the listed points and, after them, a state in which play is over.

    All that follows the start or a listed point must be listed, so by induction all that can be reached is.
    """
    table, over = model.table, len(points)
    for state, node in points:
        if not (0 <= state < len(table.actors) and table.actors[state]):
            raise Refused(f"'point' lists state {state} with node {node}, expected a state in which play goes on")
    place: dict[Point | None, int] = {point: number for number, point in enumerate(points)} | {None: over}
    if len(place) != over + 1:
        raise Refused("'point' lists a point twice")
    own = [model.rows(point) for point in points]
    every = [model.opening(believed), *(row for rows in own for row in rows)]
    pointers = [1]
    for rows in [*own, []]:
        pointers.append(pointers[-1] + len(rows))
    try:
        outcomes = [[(seen, place[to], weight) for (seen, to), weight in row.follow.items()] for row in every]
    except KeyError as missing:
        raise Refused(f"'point' does not list {missing.args[0]} (state, node), which can be reached") from None
    labels = [tuple(row.label for row in rows) for rows in own]
    totals, rewards = [row.total for row in every], [row.reward for row in every]
    return POMDP(table.discount, pointers, [*labels, ()], outcomes, totals, rewards)
