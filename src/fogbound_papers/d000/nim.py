"""Partially observable nim as document 000 plays it, with its levels solved, and games played move by move."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import sqrt
from typing import cast

import numpy as np

from fogbound import arena
from fogbound.core.policy import Strategy
from fogbound.forms.decisions import History
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
class NimLevels:
    """A game of nim and its level-k hierarchy."""

    game: PONim
    hierarchy: SolvedHierarchy

    def values(self, player: int) -> list[float]:
        """The value of each level, from level 1 on."""
        return [self.hierarchy.solution(level, player).value for level in range(1, self.hierarchy.levels + 1)]

    @cached_property
    def policies(self) -> tuple[list[Strategy], list[Strategy]]:
        """All levels of both players; levels that play alike are one and the same policy."""
        levels: list[list[Strategy]] = []
        for player in (0, 1):
            kinds: dict[int, Strategy] = {}
            for level in range(self.hierarchy.levels + 1):
                kind = self.hierarchy.kind(level, player)
                if kind not in kinds:
                    kinds[kind] = self.hierarchy.policy(level, player)
            levels.append([kinds[self.hierarchy.kind(level, player)] for level in range(self.hierarchy.levels + 1)])
        return levels[0], levels[1]

    @cached_property
    def pairs(self) -> arena.RoundRobin:
        """Every level of the first player against every level of the second."""
        return arena.round_robin(self.game, *self.policies)

    def process(self, level: int, player: int) -> POMDP:
        """A level's problem; its states are named (state of the game, levels that the other may be of)."""
        problem, other = self.hierarchy.process(level, player), self.hierarchy.automata[1 - player]
        levels: dict[int, tuple[int, ...]] = {}
        for lower in range(level):
            for node in other.reach(self.hierarchy.kind(lower, 1 - player)).tolist() or [UNIFORM_NODE]:
                levels[node] = (*levels.get(node, ()), lower)
        situations = cast("tuple[tuple[State, int], ...]", problem.names)
        return replace(problem, names=tuple((state, levels[node]) for state, node in situations))

    def episode(self, first: int, second: int) -> arena.Episode:
        """A level of the first player about to play one of the second; nothing is drawn above level 0."""
        players = (self.policies[0][first], self.policies[1][second])
        return arena.Episode(self.game, players, np.random.default_rng(0))

    def lived(self, levels: tuple[int, int], player: int) -> History:
        """A game between two levels as a player lived it; nothing is drawn above level 0, so there is but one."""
        players = [self.policies[other][level] for other, level in enumerate(levels)]
        lived = arena.record(self.game, players, 1)[0].histories[player]
        assert lived is not None  # only a record that was cut to one player lacks the others
        return lived

    def played(self, first: int, second: int) -> PlayedGame:
        """How that game goes."""
        episode, moves = self.episode(first, second), list[Action]()
        passes, taken = Counter[int](), Counter[int]()  # by mover
        for step in episode.steps():
            if step.joint is not None:
                ((heap, amount),), mover = step.joint, step.before[2]
                moves.append((heap, amount))
                if heap == "hidden":
                    passes[mover] += amount > self.game.n - taken[mover]
                    taken[mover] += amount if step.outcome.public != "failed" else 0
        result = episode.played()
        return PlayedGame(tuple(moves), (passes[0], passes[1]), result.returns, result.ended)


@cache
def nim_levels(
    n: int = 3, fail: float = -1.0, discount: float = 1.0, top: int = TOP, prior: str = "uniform", win: float = WIN
) -> NimLevels:
    """The game with all levels up to `top`. `discount` is the document's, a round: the game's own is for each move."""
    game = PONim(n=n, win=win, fail=fail, discount=sqrt(discount))
    return NimLevels(game, solve_levels(game, levels=top, prior=prior))


def name(level: int, player: int) -> str:
    """A level as the document writes it: 2_1 is level 2 of the player who goes first."""
    return f"{level}_{player + 1}"
