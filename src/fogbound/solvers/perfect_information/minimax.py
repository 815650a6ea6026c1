"""Minimax: back the values of the ends up the whole tree, the largest where max moves, the smallest where min does.

Von Neumann 1928; the functions MAX-VALUE and MIN-VALUE of document 003 (Russell and Norvig, figure 5.3). Where chance
moves, values are averaged (expectiminimax, Michie 1966). Rewards may come at any step and be discounted: a state's
value is what is still to come, V(s) = max or min over moves of E[reward + discount V(s')].

Expectimax: one player against chance, the best move where the player moves, the average where chance does.

Document 003's MDP tree: V(s) = max over a of R(s, a) + E[V(s')], here with the discount of the game. It is minimax
without a min player, and needs what minimax needs: a player that sees the state. One that does not is belief-mdp's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from fogbound.core.errors import FormError, LimitError, many
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.table import Table
from fogbound.solvers.perfect_information.game import (
    OVER,
    Outcomes,
    PerfectInformation,
    PerfectInformationSolver,
    constant_total,
    perfect_information,
)

MOST_NODES = 20_000_000  # walked one by one: half a minute
LOOK_UP = 1 << 14  # nodes between two looks at the clock
MAX = 0


class SearchStopped(Exception):
    """The driver wants an end before the search has one."""


@dataclass(frozen=True)
class Minimax(PerfectInformationSolver):
    """Exact value of a two-player zero-sum game of perfect information, chance included, over its whole tree.

    Works on the table, history by history (von Neumann 1928; Russell and Norvig, chapter 5).

    Parameters
    ----------
    table
        Remember states met before instead of going through every history, as the slides do.
    """

    name = "minimax"

    table: bool = False

    scope: ClassVar[Scope] = ZERO_SUM

    def run(self, form: Table, context: Context) -> Iterator[Progress]:
        game = perfect_information(form, "minimax")
        total = constant_total(game, "minimax")
        try:
            value, choices, counts = back_up(game, "minimax", self.table, context.stopping)
        except SearchStopped:
            return
        yield game.answer((value, total - value), game.profile(choices), counts)


def back_up(
    game: PerfectInformation, who: str, remember: bool, stopping: Callable[[], bool]
) -> tuple[float, list[int], dict[str, int]]:
    """The game's value for player 0, everybody's best move at each state (the first of equals), and the counts."""
    if game.nodes > MOST_NODES and not remember:
        raise LimitError(
            f"{who}: {game.table.spec} has {game.nodes:.4g} histories, over the limit of {MOST_NODES:,} to walk one by "
            f"one. Use {who}(table=true), alpha-beta or backward-induction, which remember states"
        )
    search = _HistorySearch(game, remember, stopping)
    value = search.average(game.start, 1.0)
    counts = {
        "nodes": search.nodes,
        "leaves": search.leaves,
        "states": sum(choice is not None for choice in search.choices),
    }
    return value, [choice or 0 for choice in search.choices], counts


class DepthFirstSearch(ABC):
    """A search from state to state by recursion; values are those of player 0, max."""

    def __init__(self, game: PerfectInformation, stopping: Callable[[], bool]) -> None:
        self.mover, self.moves, self.discount = game.mover, game.moves, game.table.discount
        self.stopping = stopping
        self.nodes = self.leaves = 0

    @abstractmethod
    def value(self, state: int) -> float:
        """MAX-VALUE and MIN-VALUE: what player 0 still gets from `state` on."""

    def average(self, row: Outcomes, discount: float) -> float:
        """Chance: the value of a move on average over where it may lead. A choice of chance counts as a node."""
        self.nodes += len(row) > 1
        return sum(p * (reward[0] + discount * self.value(after)) for p, after, reward in row)


class _HistorySearch(DepthFirstSearch):
    def __init__(self, game: PerfectInformation, remember: bool, stopping: Callable[[], bool]) -> None:
        super().__init__(game, stopping)
        self.known: dict[int, float] | None = {} if remember else None
        self.choices: list[int | None] = [None] * len(game.mover)

    def value(self, state: int) -> float:
        self.nodes += 1
        mover = self.mover[state]
        if mover == OVER:  # TERMINAL-TEST; rewards come with the steps, so nothing is left
            self.leaves += 1
            self.choices[state] = 0
            return 0.0
        if not self.nodes % LOOK_UP and self.stopping():
            raise SearchStopped
        if self.known is not None and state in self.known:
            return self.known[state]
        best, choice = 0.0, -1
        for move, row in enumerate(self.moves[state]):
            if len(row) == 1:
                _, after, reward = row[0]
                move_value = reward[0] + self.discount * self.value(after)
            else:
                move_value = self.average(row, self.discount)
            if choice < 0 or (move_value > best if mover == MAX else move_value < best):
                best, choice = move_value, move
        self.choices[state] = choice
        if self.known is not None:
            self.known[state] = best
        return best


@dataclass(frozen=True)
class Expectimax(PerfectInformationSolver):
    """Exact best play of one player who sees everything, against chance alone, over its whole tree.

    Works on the table of a game for one in which the player knows the state.

    Parameters
    ----------
    table
        Remember states met before instead of going through every history.
    """

    name = "expectimax"

    table: bool = False

    finds: ClassVar[str] = "best play"
    scope: ClassVar[Scope] = Scope(1, 1)

    def run(self, form: Table, context: Context) -> Iterator[Progress]:
        if len(form.players) != 1:
            raise FormError(
                f"expectimax: {form.spec} has {many(len(form.players), 'player')}, expected 1. Use minimax, alpha-beta "
                "or backward-induction"
            )
        game = perfect_information(form, "expectimax")
        try:
            value, choices, counts = back_up(game, "expectimax", self.table, context.stopping)
        except SearchStopped:
            return
        yield game.answer((value,), game.profile(choices), counts)
