"""A game as one player faces it while the others move by their automata: what each of its actions may lead to.

A point is a state of the table and the node of each other player, which is all that what happens next depends on: of
which kind the others are matters only to where they begin. The others' moves have their exact proportions.

What one player faces when each other player's controller is drawn from a mixture: a partially observable process.

The kinds of the others are drawn with the start, independently, and say in which nodes their automata begin; all that
happens later depends on the state of the table and the nodes alone, so the process has these for states, and the
weights of kinds that are in the same nodes add up. It is the game that the player plays against the mixtures, with
two changes that can only raise its best value. The player is informed after each step whether it is asked next, with
which legal actions, or that play is over (`form.with_legal_actions`): that is no less than what it sees in the game.
And the reward of a row, an expectation, is rounded up to a float: policies and what happens stay the same, and each
step brings at least what it did. So a number that the value of this process is not above, the best reply is not
above either.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ..arithmetic import shares, up
from ..arrays import Refused
from ..chain.controller import IDLE, Controller
from ..chain.table import Table
from ..pomdp.form import POMDP
from .form import Mixtures

Point = tuple[int, ...]  # state of the table, the nodes of the other players in their order
Way = tuple[int, int, Point]  # weight, outcome, where the nodes of the others are after it
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
    automata: Sequence[Controller]  # [player] what all its kinds share
    kinds: Mapping[tuple[int, int], Controller]  # (player, kind)
    worked_out: dict[Point, list[Row]] = field(default_factory=dict)

    @cached_property
    def others(self) -> list[int]:
        """The players that move by their automata."""
        return [player for player in range(self.table.players) if player != self.player]

    def opening(self, believed: Mixtures) -> Row:
        """The start row, with the kind of each other player drawn by its weight, one apart from the other."""
        parts, total = self._odds(0)
        ways = list[Way]()
        for drawn in itertools.product(*(believed[other].items() for other in self.others)):
            weight = math.prod(weight for _, weight in drawn)
            played = [self.kinds[other, kind] for other, (kind, _) in zip(self.others, drawn)]
            for part, outcome in zip(parts, self.table.outcomes(0)):
                if part:
                    heard = zip(played, self._observed(outcome))
                    nodes = (controller.first(observation) for controller, observation in heard)
                    ways.append((weight * part, outcome, self._remembered(outcome, nodes)))
        return self._row(IDLE, ways, total * math.prod(sum(believed[other].values()) for other in self.others))

    def rows(self, point: Point) -> list[Row]:
        """One row for each of my legal actions, or one in which I wait."""
        if point not in self.worked_out:
            state = point[0]
            asked = self.table.actors[state]
            mine = self.table.legal_sets[state][asked.index(self.player)] if self.player in asked else (IDLE,)
            self.worked_out[point] = [self._after(point, place, label) for place, label in enumerate(mine)]
        return self.worked_out[point]

    def _after(self, point: Point, mine: int, label: int) -> Row:
        """What my move leads to, over all moves of the others."""
        table, state = self.table, point[0]
        node, options, whole = dict(zip(self.others, point[1:])), [], 1
        for actor, legal, actions in zip(table.actors[state], table.offered[state], table.legal_sets[state]):
            if actor == self.player:
                options.append([(mine, 1)])
                continue
            parts, total = self.automata[actor].act(node[actor], legal, actions)
            options.append([(place, part) for place, part in enumerate(parts) if part])
            whole *= total
        played = list(itertools.product(*options))
        rows = [self._joint(state, (place for place, _ in joint)) for joint in played]
        common = math.lcm(*(self._odds(row)[1] for row in rows))
        ways = list[Way]()
        for joint, row in zip(played, rows):
            weight = math.prod(part for _, part in joint)
            moves = zip(table.actors[state], table.legal_sets[state], joint)
            did = {actor: actions[place] for actor, actions, (place, _) in moves}
            odds, total = self._odds(row)
            for share, outcome in zip(odds, table.outcomes(row)):
                if share:
                    heard = zip(node.items(), self._observed(outcome))
                    nodes = (
                        self.automata[other].after(held, did.get(other, IDLE), observation)
                        for (other, held), observation in heard
                    )
                    ways.append((weight * share * (common // total), outcome, self._remembered(outcome, nodes)))
        return self._row(label, ways, whole * common)

    def _joint(self, state: int, places: Iterable[int]) -> int:
        """The table's row of a joint move: mixed radix, the last actor fastest."""
        number = 0
        for actions, place in zip(self.table.legal_sets[state], places):
            number = number * len(actions) + place
        return self.table.row[state] + number

    def _row(self, label: int, ways: Iterable[Way], total: int) -> Row:
        """Ways put together: what I observe, where that leads, with which reward."""
        table, reward, follow = self.table, 0, Follow()
        for weight, outcome, nodes in ways:
            state = table.next[outcome]
            reward += weight * table.reward[table.event[outcome]][self.player]
            key = (table.observation[outcome][self.player], (state, *nodes) if table.actors[state] else None)
            follow[key] = follow.get(key, 0) + weight
        shared = math.gcd(total, *follow.values())
        shortest = {key: weight // shared for key, weight in follow.items()}
        return Row(label, shortest, total // shared, up(Fraction(reward, total * table.unit)))

    def _observed(self, outcome: int) -> list[int]:
        """What each other player observes of an outcome."""
        observation = self.table.observation[outcome]
        return [observation[other] for other in self.others]

    def _remembered(self, outcome: int, nodes: Iterable[int]) -> Point:
        """The others' nodes after an outcome; they are not asked once play is over."""
        return tuple(nodes) if self.table.actors[self.table.next[outcome]] else ()

    def _odds(self, row: int) -> tuple[list[int], int]:
        return shares([self.table.prob[outcome] for outcome in self.table.outcomes(row)])


def induced_pomdp(model: InducedModel, believed: Mixtures, points: Sequence[Point]) -> POMDP:
    """The process on the listed points and, after them, a state in which play is over.

    All that follows the start or a listed point must be listed, so by induction all that can be reached is.
    """
    table, over = model.table, len(points)
    for state, *nodes in points:
        if not (0 <= state < len(table.actors) and table.actors[state]):
            raise Refused(f"'point' lists state {state} with nodes {nodes}, expected a state in which play goes on")
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
        raise Refused(f"'point' does not list {missing.args[0]} (state, nodes), which can be reached") from None
    labels = [tuple(row.label for row in rows) for rows in own]
    totals, rewards = [row.total for row in every], [row.reward for row in every]
    return POMDP(table.discount, pointers, [*labels, ()], outcomes, totals, rewards)
