"""The chain that a table and one controller a seat make together: points, and where each one leads."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .controller import IDLE, Controller
from .repair import shares
from .table import Table

Point = tuple[int, ...]  # state, then the node of each seat
Move = tuple[int, Point | None, int]  # weight, where to (None = over), event


@dataclass(frozen=True)
class Product:
    """A profile of controllers playing a table."""

    table: Table
    controllers: Sequence[Controller]
    known: dict[int, tuple[list[int], int]] = field(default_factory=dict)

    def opening(self) -> tuple[list[Move], int]:
        """The start row: everything that may happen first, with the sum of the weights."""
        parts, total = self._odds(0)
        moves: list[Move] = []
        for part, outcome in zip(parts, self.table.outcomes(0)):
            if part:
                event = self.table.event[outcome]
                heard = zip(self.controllers, self.table.told[outcome])
                nodes = (controller.first(told) for controller, told in heard)
                moves.append((part, self._point(outcome, nodes), event))
        return moves, total

    def step(self, point: Point) -> tuple[list[Move], int]:
        """Everything that may happen next, with the sum of the weights."""
        table, state = self.table, point[0]
        movers = zip(table.actors[state], table.offered[state], table.menus[state])
        chosen = [self.controllers[k].act(point[1 + k], menu, actions) for k, menu, actions in movers]
        joints = []
        every = itertools.product(*(range(len(parts)) for parts, _ in chosen))
        for row, moves in enumerate(every, table.row[state]):
            weight = math.prod(parts[move] for (parts, _), move in zip(chosen, moves))
            if weight:
                joints.append((weight, row, moves))
        common = math.lcm(*(self._odds(row)[1] for _, row, _ in joints))
        found: list[Move] = []
        for weight, row, moves in joints:
            found += self._outcomes(point, row, moves, weight * (common // self._odds(row)[1]))
        return found, common * math.prod(total for _, total in chosen)

    def _outcomes(self, point: Point, row: int, moves: Point, weight: int) -> Iterable[Move]:
        """The outcomes of one joint action."""
        did = [IDLE] * self.table.players
        for seat, actions, move in zip(self.table.actors[point[0]], self.table.menus[point[0]], moves):
            did[seat] = actions[move]
        for part, outcome in zip(self._odds(row)[0], self.table.outcomes(row)):
            if part:
                event = self.table.event[outcome]
                known = zip(self.controllers, point[1:], did, self.table.told[outcome])
                nodes = (controller.after(node, action, told) for controller, node, action, told in known)
                yield weight * part, self._point(outcome, nodes), event

    def _point(self, outcome: int, nodes: Iterable[int]) -> Point | None:
        """Where an outcome leads; the controllers are not asked once play is over."""
        state = self.table.next[outcome]
        return (state, *nodes) if self.table.actors[state] else None

    def _odds(self, row: int) -> tuple[list[int], int]:
        """A row's exact proportions, worked out once."""
        if row not in self.known:
            self.known[row] = shares([self.table.prob[outcome] for outcome in self.table.outcomes(row)])
        return self.known[row]
