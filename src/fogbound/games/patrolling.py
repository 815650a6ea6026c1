"""Patrolling: a guard walks between places that an intruder may attack, and an attack takes time.

The guard and the intruder move at the same time. The guard goes to a neighbouring node or stays; the intruder, who
watches it, waits or attacks a node, once and for all. An attack lasts `duration` steps, the one in which it is begun
included: the guard who is in that node after one of them catches the intruder, which pays the guard `arrest`; else
the guard loses what the node is worth. Either ends the game. The guard never sees whether an attack is under way.
Waiting costs the intruder nothing but the discount.

Basilico, Gatti and Amigoni, "Patrolling security games: definition and algorithms for solving large instances with
single patroller and single intruder" (2012); as one-sided games in Vorobeychik, An, Tambe and Singh, "Computational
solutions for infinite-horizon adversarial patrolling games" (2014), and in Horak, Bosansky and Pechoucek, "Heuristic
Search Value Iteration for One-Sided Partially Observable Stochastic Games" (2017).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.errors import many
from fogbound.games.parameters import require_parameters

GUARD, INTRUDER = 0, 1
NOWHERE = -1
State = tuple[int, int, int]  # (the guard's node, the attacked node or NOWHERE, steps that the attack still takes)
OVER: State = (NOWHERE, NOWHERE, 0)
MOST_NODES = 100


@dataclass(frozen=True)
class Patrolling(Game[State, str]):
    """A graph of `nodes`, on which the guard starts in node 0; no `edges` make a ring, no `values` 100 a node."""

    name = "patrolling"
    record = GameRecord("Patrolling", GameGroup.HUNTS)

    nodes: int = 4
    edges: tuple[tuple[int, int], ...] = ()
    values: tuple[float, ...] = ()
    duration: int = 2
    arrest: float = 0.0
    discount: float = 0.95
    players = ("guard", "intruder")

    def __post_init__(self) -> None:
        if not 2 <= self.nodes <= MOST_NODES:
            raise SpecError(f"patrolling: nodes is {self.nodes}, expected 2 to {MOST_NODES}")
        ring = dict.fromkeys((min(at, to), max(at, to)) for at in range(self.nodes) for to in [(at + 1) % self.nodes])
        object.__setattr__(self, "edges", self.edges or tuple(ring))
        object.__setattr__(self, "values", self.values or (100.0,) * self.nodes)
        numbers = [value for value in self.values if isinstance(value, int | float) and 0 < value < math.inf]
        expected = {
            "edges": (all(map(self._joins, self.edges)), f"pairs of different nodes from 0 to {self.nodes - 1}"),
            "values": (self.nodes == len(numbers) == len(self.values), f"{self.nodes} finite numbers above 0"),
            "duration": (1 <= self.duration <= MOST_NODES, f"1 to {MOST_NODES} steps"),
            "arrest": (0 <= self.arrest < math.inf, "a finite number of at least 0"),
            "discount": (0 < self.discount < 1, "above 0 and below 1"),
        }
        require_parameters(self.name, vars(self), expected)

    def _joins(self, edge: object) -> bool:
        ends = [end for end in edge if type(end) is int and 0 <= end < self.nodes] if isinstance(edge, tuple) else []
        return isinstance(edge, tuple) and 2 == len(edge) == len(set(ends))

    @cached_property
    def walks(self) -> tuple[tuple[str, ...], ...]:
        """The guard's actions in each node."""
        near: list[set[int]] = [set() for _ in range(self.nodes)]
        for one, other in self.edges:
            near[one].add(other)
            near[other].add(one)
        return tuple(("stay", *(f"go {to}" for to in sorted(neighbours))) for neighbours in near)

    @cached_property
    def plans(self) -> tuple[str, ...]:
        """What an intruder who still waits may do."""
        return ("wait", *(f"attack {node}" for node in range(self.nodes)))

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((0, NOWHERE, 0)))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (GUARD, INTRUDER)

    def actions(self, state: State, player: int) -> Sequence[str]:
        guard, attacked, _ = state
        if player == GUARD:
            return self.walks[guard]
        return self.plans if attacked == NOWHERE else ("go on",)

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        guard, attacked, left = state
        walk, plan = joint
        guard = guard if walk == "stay" else int(walk.removeprefix("go "))
        if plan.startswith("attack"):
            attacked, left = int(plan.removeprefix("attack ")), self.duration
        if attacked == NOWHERE:
            return Dist.sure(Outcome((guard, NOWHERE, 0), private=(None, guard)))
        if guard == attacked:
            return Dist.sure(Outcome(OVER, (self.arrest, 0.0 - self.arrest), "caught"))
        if left == 1:
            lost = self.values[attacked]
            return Dist.sure(Outcome(OVER, (-lost, lost), f"lost {attacked}"))
        return Dist.sure(Outcome((guard, attacked, left - 1), private=(None, guard)))

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "the game is over"
        return f"the guard is in node {state[0]}; {self.hidden_words(state, GUARD)}"

    def describe_public(self, seen: Hashable) -> str:
        return "the intruder is caught" if seen == "caught" else f"node {str(seen).split()[1]} is lost"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"the guard in node {seen}"

    def hidden_words(self, state: State, player: int) -> str:
        _, attacked, left = state
        if state == OVER or player != GUARD:
            return ""
        return "no attack" if attacked == NOWHERE else f"node {attacked} is attacked for {many(left, 'more step')}"

    def board(self, state: State, player: int | None = None) -> Board:
        if state == OVER:
            return Board.of_text("It is over.")
        guard, attacked, left = state
        tiles = [Tile(str(node)) for node in range(self.nodes)]
        tiles[guard] = Tile(f"G{guard}", "mine")
        if player == GUARD or attacked == NOWHERE:
            return Board.grid([tiles], "G: the guard")
        tiles[attacked] = Tile(f"A{attacked}", "theirs")
        return Board.grid([tiles], f"G: the guard, A: attacked for {left} more steps")
