"""The exact value interval of a profile of finite-memory controllers, also where play may cycle.

Let R be the points that the profile can reach, P their transitions (to the end: nothing), r the expected reward,
g the discount, V = r + g P V the true values and v the claimed ones. With e = v - (r + g P v), the error
obeys v - V = e + g P (v - V), so v - V is the sum of g^t P^t e over t.

  g < 1: |v - V| <= rho / (1 - g), where rho is the largest |e|.
  g = 1: let w be the claimed steps to go and sigma the largest 1 + P w - w. If sigma < 1, then
         (I - P) w >= 1 - sigma > 0 on R. So R has no closed part (its stationary distribution m would give
         m w - m P w = 0), play ends, and the expected steps are at most w / (1 - sigma):
         |v - V| <= rho w / (1 - sigma).

The start row pays at g^0 and so does the first step: the profile earns sum p (reward + V(point)) over that row.

The chain that a table and one controller a player make together: points, and where each one leads.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..arithmetic import exact, shares
from ..arrays import Array, Refused, floats, integers, lines, shape, steps_left
from .controller import IDLE, Controller, read_controller
from .table import Table, read_table

Point = tuple[int, ...]  # state, then the node of each player
Move = tuple[int, Point | None, int]  # weight, where to (None = over), event


@dataclass(frozen=True)
class InducedChain:
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
                heard = zip(self.controllers, self.table.observation[outcome])
                nodes = (controller.first(observation) for controller, observation in heard)
                moves.append((part, self._point(outcome, nodes), event))
        return moves, total

    def step(self, point: Point) -> tuple[list[Move], int]:
        """Everything that may happen next, with the sum of the weights."""
        table, state = self.table, point[0]
        movers = zip(table.actors[state], table.offered[state], table.legal_sets[state])
        chosen = [self.controllers[k].act(point[1 + k], legal, actions) for k, legal, actions in movers]
        joints = []
        every = itertools.product(*(range(len(parts)) for parts, _ in chosen))
        for row, moves in enumerate(every, table.row[state]):
            weight = math.prod(parts[move] for (parts, _), move in zip(chosen, moves))
            if weight:
                joints.append((weight, row, moves))
        common = math.lcm(*(self._odds(row)[1] for _, row, _ in joints))
        weighed: list[Move] = []
        for weight, row, moves in joints:
            weighed += self._outcomes(point, row, moves, weight * (common // self._odds(row)[1]))
        return weighed, common * math.prod(total for _, total in chosen)

    def _outcomes(self, point: Point, row: int, moves: Point, weight: int) -> Iterable[Move]:
        """The outcomes of one joint action."""
        did = [IDLE] * self.table.players
        for player, actions, move in zip(self.table.actors[point[0]], self.table.legal_sets[point[0]], moves):
            did[player] = actions[move]
        for part, outcome in zip(self._odds(row)[0], self.table.outcomes(row)):
            if part:
                event = self.table.event[outcome]
                followed = zip(self.controllers, point[1:], did, self.table.observation[outcome])
                nodes = (
                    controller.after(node, action, observation) for controller, node, action, observation in followed
                )
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


MOST_POINTS = 10**6
Figures = list[Fraction]  # one for each player
Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Claim:
    """Claimed values over `unit` and steps over `beat` of the listed points; 0 for all others."""

    value: dict[Point, tuple[int, ...]]
    unit: int
    steps: dict[Point, int]
    beat: int


def intervals(form: Mapping[str, Array], certificate: Mapping[str, Array], limit: int = MOST_POINTS) -> list[Interval]:
    """For each player, an interval that holds the value of the profile."""
    table = read_table(form)
    induced = InducedChain(table, [read_controller(certificate, player) for player in range(table.players)])
    return induced_intervals(induced, certificate, limit)


def induced_intervals(
    induced: InducedChain, certificate: Mapping[str, Array], limit: int = MOST_POINTS
) -> list[Interval]:
    """For each player, an interval that holds what it earns in the product, by the claims 'point', 'value', 'steps'."""
    table = induced.table
    claim = _claim(certificate, table)
    moves, total = induced.opening()
    rho, sigma = _survey(induced, claim, [point for _, point, _ in moves if point], limit)
    reward, later, steps = _expected(table, claim, moves, total)
    if table.discount < 1:
        factor = 1 / (1 - table.discount)
    elif sigma >= 1:
        raise Refused("the play is not certified to end")
    else:
        factor = steps / (1 - sigma)
    middle = [now + then for now, then in zip(reward, later)]
    return [(value - error * factor, value + error * factor) for value, error in zip(middle, rho)]


def _claim(certificate: Mapping[str, Array], table: Table) -> Claim:
    count, width = shape(certificate, "point", 2)[0], 1 + table.players
    points = lines(integers(certificate, "point", count, width), width, count)
    value, unit = exact(floats(certificate, "value", count, table.players))
    steps, beat = exact(steps_left(certificate, count, table.discount == 1))
    claim = Claim(dict(zip(points, lines(value, table.players, count))), unit, dict(zip(points, steps)), beat)
    if len(claim.value) != count:
        raise Refused("'point' lists a point twice")
    return claim


def _survey(induced: InducedChain, claim: Claim, fresh: list[Point], limit: int) -> tuple[Figures, Fraction]:
    """Visit every reachable point: the largest residual of each player, and the largest 1 + P w - w."""
    table = induced.table
    none = (0,) * table.players
    rho = [Fraction(0)] * table.players
    sigma: Fraction | None = None
    points = dict.fromkeys(fresh)
    fresh = list(points)
    while fresh:
        if len(points) > limit:
            raise Refused(f"more than {limit} points of the product of game and controllers")
        point = fresh.pop()
        moves, total = induced.step(point)
        reward, later, steps = _expected(table, claim, moves, total)
        for player, claimed in enumerate(claim.value.get(point, none)):
            right = reward[player] + table.discount * later[player]
            rho[player] = max(rho[player], abs(Fraction(claimed, claim.unit) - right))
        drift = 1 + steps - Fraction(claim.steps.get(point, 0), claim.beat)
        sigma = drift if sigma is None else max(sigma, drift)
        for _, after, _ in moves:
            if after is not None and after not in points:
                points[after] = None
                fresh.append(after)
    return rho, sigma or Fraction(0)


def _expected(table: Table, claim: Claim, moves: list[Move], total: int) -> tuple[Figures, Figures, Fraction]:
    """Expected over the moves: each player's reward, its claimed value afterwards, the steps claimed then."""
    none = (0,) * table.players
    reward, later, steps = [0] * table.players, [0] * table.players, 0
    for weight, point, event in moves:
        for player, amount in enumerate(table.reward[event]):
            reward[player] += weight * amount
        if point is not None:
            for player, amount in enumerate(claim.value.get(point, none)):
                later[player] += weight * amount
            steps += weight * claim.steps.get(point, 0)
    return (
        [Fraction(amount, total * table.unit) for amount in reward],
        [Fraction(amount, total * claim.unit) for amount in later],
        Fraction(steps, total * claim.beat),
    )
