"""The level-k hierarchy: each level of each player is the best reply to its beliefs about the levels below.

Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games" (document 000), Algorithm 2::

    for level in 1, 2, ...:                                        solve_levels
        for player in players:                                     solving_next
            policy[level, player] = best reply of player to the mixture of policy[0 .. level - 1, others]

His augmented state (what is on the board, the opponent's level, the node of its controller) is the state of a
`TwoPlayerModel`; equal controllers, and equal ends of different ones, are one and the same there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fogbound.core.errors import FormError, SpecError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.forms.arrays import Longs
from fogbound.forms.player_view import player_view
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import derive
from fogbound.forms.table import Table
from fogbound.policies.uniform import Uniform
from fogbound.solvers.level_k.form import Prior, check_prior, prior_weights
from fogbound.solvers.level_k.induced import TwoPlayerModel
from fogbound.solvers.level_k.joint import ManyPlayerModel
from fogbound.solvers.level_k.reply import LevelReply, ReplyProblem
from fogbound.solvers.pomdp.belief_graph.fsc import FSC, FSCUnion, controller_of_kind, fsc_of
from fogbound.solvers.pomdp.belief_graph.search import SearchLimits

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class LevelResult:
    """What solving one level of one player gave. `value` is that of its controller given its beliefs, exactly."""

    fsc: FSC = field(repr=False)
    value: float
    upper: float  # what no policy exceeds
    converged: bool  # whether the bounds met and every tie was broken for good
    seconds: float
    by: str  # how it was found: beliefs, or sarsop
    against: tuple[float, ...]  # its value against each lower level of the other of two players (nan: not believed in)


@dataclass(frozen=True, eq=False, kw_only=True)
class LevelSolution(LevelResult):
    """One level of one player, its controller among those of all levels."""

    level: int
    player: int
    nodes: int  # of the minimal controller
    moves: int  # nodes that have a move to make
    kind: int  # equal numbers: equal controllers
    named: Longs = field(repr=False)  # which node of the player's automaton each of its FSC's is


class SolvedHierarchy:
    """All levels of all players so far."""

    def __init__(
        self,
        source: Table,
        zero: Mapping[int, Strategy] | None = None,
        prior: Prior = "uniform",
        tau: float = 1.5,
        precision: float = math.inf,
        clock: Clock | None = None,
    ) -> None:
        if len(source.players) < 2:
            raise FormError(f"{source.spec}: one player, so there is nobody to reason about; use sarsop")
        check_prior(prior, tau)
        if not precision >= 0:
            raise SpecError(f"level-k: precision is {precision!r}, expected a number of at least 0")
        self.table, self.prior, self.tau, self.precision = source, prior, tau, precision
        self.players, self.clock = range(len(source.players)), clock or Clock()
        self.zero = {player: (zero or {}).get(player, Uniform()) for player in self.players}
        views = [player_view(source, player) for player in self.players]
        self.automata = [FSCUnion(own) for own in views]
        self.sides: list[TwoPlayerModel | ManyPlayerModel]
        if len(views) == 2:
            self.sides = [TwoPlayerModel(source, own, self.automata[1 - own.player]) for own in views]
        else:
            self.sides = [ManyPlayerModel(source, own, self.automata) for own in views]
        self.kinds = [
            [own.add(fsc_of(source, own.view, self.zero[player]))] for player, own in enumerate(self.automata)
        ]
        self.solutions: list[LevelSolution] = []
        self.replies: dict[tuple[int, int], LevelReply] = {}  # how each level was found

    @property
    def spec(self) -> str:
        return self.table.spec

    @property
    def levels(self) -> int:
        """The highest level so far."""
        return len(self.kinds[0]) - 1

    def weights(self, level: int) -> tuple[float, ...]:
        """What `level` believes about levels 0 to `level` - 1."""
        return prior_weights(self.prior, self.tau, level)

    def solve_next(self, limits: SearchLimits | None = None) -> list[LevelSolution]:
        """Solve the next level, for every player."""
        return finished(self.solving_next(limits or SearchLimits()))

    def solving_next(self, limits: SearchLimits) -> Generator[tuple[float, float], None, list[LevelSolution]]:
        """The next level: each player's reply to the mixture of the levels below. Bounds now and then on the way."""
        level, results = self.levels + 1, []
        for player in self.players:
            began, mixture = self.clock.elapsed(), self._mixture(level, player)
            reply = yield from self.sides[player].replying(mixture, self.precision, limits)
            against = tuple(reply.against.get(kind, math.nan) for kind in self.met(level, player))
            found = (reply.fsc, reply.value, reply.upper, reply.converged, self.clock.elapsed() - began, reply.by)
            results.append(LevelResult(*found, against))
            self.replies[level, player] = reply
        return self.resume(results)

    def posed(self, level: int, player: int, root: int) -> ReplyProblem:
        """The problem of a level, which was posed before and has that `root` in its graph of beliefs."""
        return self.sides[player].asked(self._mixture(level, player), root)

    def resume(self, results: Sequence[LevelResult]) -> list[LevelSolution]:
        """Take the next level as solved, for every player."""
        solutions = [self._solution(self.levels + 1, player, own) for player, own in enumerate(results)]
        for solution in solutions:
            self.kinds[solution.player].append(solution.kind)
        self.solutions += solutions
        return solutions

    def reply(self, solution: LevelSolution) -> LevelReply:
        """How a level was found."""
        return self.replies[solution.level, solution.player]

    def _mixture(self, level: int, player: int) -> dict[int, dict[int, float]]:
        """How likely each kind of each other player is in the eyes of a level."""
        return {other: self._odds(other, level) for other in self.players if other != player}

    def met(self, level: int, player: int) -> list[int]:
        """The kinds that `level` of a player may meet, by level, in a game of two."""
        return self.kinds[1 - player][:level] if len(self.players) == 2 else []

    def _odds(self, player: int, level: int) -> dict[int, float]:
        """How likely each kind of a player is in the eyes of `level`: levels that play alike add up."""
        odds: dict[int, float] = {}
        for kind, weight in zip(self.kinds[player], self.weights(level)):
            if weight > 0:
                odds[kind] = odds.get(kind, 0.0) + weight
        return odds

    def _solution(self, level: int, player: int, result: LevelResult) -> LevelSolution:
        began, own = self.clock.elapsed(), self.automata[player]
        kind, named = own.named(result.fsc)
        reached = own.reach(kind)
        moves, seconds = own.asked(reached), result.seconds + self.clock.elapsed() - began
        known = {**vars(result), "seconds": seconds}
        return LevelSolution(
            **known, level=level, player=player, nodes=len(reached), moves=moves, kind=kind, named=named
        )

    def solution(self, level: int, player: int) -> LevelSolution:
        """One level of one player."""
        if not (1 <= level <= self.levels and player in self.players):
            raise SpecError(
                f"level {level} of player {player}, expected levels 1 to {self.levels} of players 0 to "
                f"{len(self.players) - 1}"
            )
        return self.solutions[len(self.players) * (level - 1) + player]

    def _seat(self, player: int) -> int:
        if player not in self.players:
            raise SpecError(f"player {player}, expected one from 0 to {len(self.players) - 1}")
        return player

    def kind(self, level: int, player: int) -> int:
        """Equal numbers: equal controllers. A given level 0 may equal a level and still have a number of its own."""
        if level:
            return self.solution(level, player).kind
        return self.kinds[self._seat(player)][0]

    def policy(self, level: int, player: int, slips: int = 0) -> Strategy:
        """The policy of a level: minimal, or one that also knows how to go on after slips of its own hand."""
        if level == 0:
            return self.zero[self._seat(player)]
        solution = self.solution(level, player)
        if slips:
            own = FSCUnion(self.automata[player].view)
            return controller_of_kind(own, own.add(self.reply(solution).slipping(slips)), self.table.actions)
        notes = self._notes(solution)
        return controller_of_kind(self.automata[player], solution.kind, self.table.actions, notes)

    def _notes(self, solution: LevelSolution) -> Callable[[int], str] | None:
        """What the nodes of a level's controller believe, in a few words."""
        side, reply = self.sides[solution.player], self.reply(solution)
        if not isinstance(side, TwoPlayerModel) or reply.by != "beliefs":
            return None
        levels: dict[int, list[int]] = {}  # by node of the other
        for level, kind in enumerate(self.kinds[1 - solution.player][: solution.level]):
            for node in self.automata[1 - solution.player].reach(kind).tolist() or [0]:
                levels.setdefault(node, []).append(level)
        return node_notes(side, reply, levels, solution.named)

    def process(self, level: int, player: int) -> POMDP:
        """The problem of a level as a POMDP: states are (state of the game, node of the other's automaton)."""
        side = self.sides[player]
        if not isinstance(side, TwoPlayerModel):
            raise FormError(f"{self.spec}: {many(len(self.players), 'player')}, expected 2")
        return side.pomdp(self.reply(self.solution(level, player)).asked.problem)


def finished(steps: Generator[object, None, T]) -> T:
    """What a generator returns in the end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def solve_levels(
    game: AnyGame | Table,
    levels: int,
    prior: Prior = "uniform",
    tau: float = 1.5,
    zero: Mapping[int, Strategy] | None = None,
    precision: float = math.inf,
    limits: SearchLimits | None = None,
) -> SolvedHierarchy:
    """All levels up to `levels` of every player; level 0 is uniform play unless `zero` says otherwise."""
    hierarchy = SolvedHierarchy(derive(game, Table), zero, prior, tau, precision)
    for _ in range(levels):
        hierarchy.solve_next(limits)
    return hierarchy


MOST_PARTS = 3  # parts of a belief that are named


def node_notes(
    model: TwoPlayerModel, reply: LevelReply, levels: Mapping[int, list[int]], named: Longs
) -> Callable[[int], str]:
    """A word about each node of a level's controller: the first belief that it stands for.

    Parameters
    ----------
    model, reply
        What the player has found out, and its reply.
    levels
        By node of the other player, the levels that come to it.
    named : [nodes]
        The node of the player's automaton that each node of the reply is.
    """
    beliefs: dict[int, int] = {}
    for node, belief in zip(named.tolist(), reply.solved.plan.listed[1:].tolist()):
        beliefs.setdefault(node, belief)
    graph, pairs, states = reply.asked.belief_graph.graph, model.pairs, model.table.states

    def believed(node: int) -> str:
        belief = beliefs[node]
        entries = range(graph.first[belief], graph.first[belief + 1])
        parts = sorted(((float(graph.weight[e]), int(graph.state[e])) for e in entries), key=lambda part: -part[0])
        words = [
            f"{weight:.3g} {states[int(pairs.state[point])]} "
            f"level {level_ranges(levels.get(int(pairs.node[point]), []))}"
            for weight, point in parts[:MOST_PARTS]
        ]
        return "; ".join(words) + (f"; {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else "")

    return believed


def level_ranges(levels: list[int]) -> str:
    """Levels as ranges: 0, 2-4."""
    parts: list[list[int]] = []
    for level in sorted(levels):
        if parts and level == parts[-1][1] + 1:
            parts[-1][1] = level
        else:
            parts.append([level, level])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts) or "0"
