"""Partially observable nim as document 000 plays it, with its levels solved, and games told move by move."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import sqrt
from typing import cast

import numpy as np

from fogbound import arena
from fogbound.core.policy import Strategy
from fogbound.forms.pomdp import POMDP
from fogbound.games.po_nim import Action, PONim, State
from fogbound.solvers.level_k.hierarchy import SolvedHierarchy, solve_levels

TOP = 15  # the highest level of the document
FAR = 50  # how far a trend is followed beyond it
WIN = 10.0
NEARLY = 0.999  # a discount a round, for what needs one
FINE = 1e-9  # figures that agree so far are equal
UNIFORM_NODE = 0  # where level 0 stays

Situation = tuple[State, tuple[int, ...]]  # of the game, and which levels the other may be of


@dataclass(frozen=True)
class PlayedGame:
    """One game between two levels. A pass is a move for more than the mover knows to be left in the hidden heap."""

    moves: tuple[Action, ...]
    passes: tuple[int, int]
    returns: tuple[float, ...]
    ended: str


@dataclass(frozen=True, eq=False)
class Nim:
    """A game of nim and its ladder."""

    game: PONim
    ladder: SolvedHierarchy

    def values(self, player: int) -> list[float]:
        """What each level is worth, from level 1 on."""
        return [self.ladder.solution(level, player).value for level in range(1, self.ladder.levels + 1)]

    @cached_property
    def policies(self) -> tuple[list[Strategy], list[Strategy]]:
        """All levels of both players; levels that play alike are one and the same policy."""
        found: list[list[Strategy]] = []
        for player in (0, 1):
            kinds: dict[int, Strategy] = {}
            for level in range(self.ladder.levels + 1):
                kind = self.ladder.kind(level, player)
                if kind not in kinds:
                    kinds[kind] = self.ladder.policy(level, player)
            found.append([kinds[self.ladder.kind(level, player)] for level in range(self.ladder.levels + 1)])
        return found[0], found[1]

    @cached_property
    def pairs(self) -> arena.RoundRobin:
        """Every level of the first player against every level of the second."""
        return arena.round_robin(self.game, *self.policies)

    def process(self, level: int, player: int) -> POMDP:
        """A level's problem; its states are named (state of the game, levels that the other may be of)."""
        problem, other = self.ladder.process(level, player), self.ladder.automata[1 - player]
        levels: dict[int, tuple[int, ...]] = {}
        for lower in range(level):
            for node in other.reach(self.ladder.kind(lower, 1 - player)).tolist() or [UNIFORM_NODE]:
                levels[node] = (*levels.get(node, ()), lower)
        situations = cast("tuple[tuple[State, int], ...]", problem.names)
        return replace(problem, names=tuple((state, levels[node]) for state, node in situations))

    def table(self, first: int, second: int) -> arena.Episode:
        """A level of the first player about to play one of the second; nothing is drawn above level 0."""
        seats = (self.policies[0][first], self.policies[1][second])
        return arena.Episode(self.game, seats, np.random.default_rng(0))

    def told(self, first: int, second: int) -> PlayedGame:
        """How that game goes."""
        table, moves = self.table(first, second), list[Action]()
        passes, taken = Counter[int](), Counter[int]()  # by mover
        for step in table.steps():
            if step.joint is not None:
                ((heap, amount),), mover = step.joint, step.before[2]
                moves.append((heap, amount))
                if heap == "hidden":
                    passes[mover] += amount > self.game.n - taken[mover]
                    taken[mover] += amount if step.outcome.public != "failed" else 0
        played = table.played()
        return PlayedGame(tuple(moves), (passes[0], passes[1]), played.returns, played.ended)


@cache
def nim(
    n: int = 3, fail: float = -1.0, discount: float = 1.0, top: int = TOP, prior: str = "uniform", win: float = WIN
) -> Nim:
    """The game with all levels up to `top`. `discount` is the document's, a round: the game's own is for each move."""
    game = PONim(n=n, win=win, fail=fail, discount=sqrt(discount))
    return Nim(game, solve_levels(game, levels=top, prior=prior))


def verdict(holds: bool) -> str:
    """The word for whether a statement holds here."""
    return "reproduced" if holds else "refuted"


def name(level: int, player: int) -> str:
    """A level as the document writes it: 2_1 is level 2 of the player who goes first."""
    return f"{level}_{player + 1}"
