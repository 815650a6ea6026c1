"""Alpha-beta: minimax that skips what cannot matter.

The slides' ALPHA-BETA-SEARCH (document 003; Russell and Norvig, figure 5.7; Knuth and Moore 1975): alpha is what max
is already sure of, beta what min is, and a branch that leaves this window is given up. What is returned then is only a
bound, on the side where it fell out (fail-soft), and the transposition table notes which (Slate and Atkin 1977).

Rewards on the way and a discount move the window: a child's value v counts reward + discount v here, so its window is
((alpha - reward) / discount, (beta - reward) / discount). Where chance moves, every outcome is searched with an open
window.

Which moves alpha-beta tries first: the sooner a good one comes, the more of the rest is cut.

In this order: the move that was best when the state was met before; what brings most at once; what cut most often
elsewhere (the history heuristic, Schaeffer 1989). Cheap to ask, and only the number of nodes depends on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.table import Table
from fogbound.policies.perfect_information import StatePolicy
from fogbound.solvers.perfect_information.game import (
    OVER,
    Outcomes,
    PerfectInformation,
    PerfectInformationSolver,
    constant_total,
    perfect_information,
)
from fogbound.solvers.perfect_information.minimax import LOOK_UP, MAX, DepthFirstSearch, SearchStopped


class MoveOrder:
    """The order of moves in a game, learning from cuts; with `used` false, the author's own order."""

    def __init__(self, game: PerfectInformation, used: bool) -> None:
        self.game, self.used = game, used
        self.cuts: dict[int, int] = {}  # action label -> how often it cut

    def moves(self, state: int, hint: int) -> Iterable[int]:
        """The moves at `state` in the order to try them; `hint` is the best one of an earlier visit, or -1."""
        rows = self.game.moves[state]
        if not self.used:
            return range(len(rows))
        sign = 1 if self.game.mover[state] == 0 else -1
        now = [sign * sum(p * reward[0] for p, _, reward in row) for row in rows]
        cuts = [self.cuts.get(label, 0) for label in self._labels(state)]
        return sorted(range(len(rows)), key=lambda move: (move != hint, -now[move], -cuts[move]))

    def note(self, state: int, move: int) -> None:
        """`move` has cut off the rest at `state`."""
        if self.used:
            label = self._labels(state)[move]
            self.cuts[label] = self.cuts.get(label, 0) + 1

    def _labels(self, state: int) -> list[int]:
        table = self.game.table
        labels: list[int] = table.legal_actions[table.legal[state, 0]].tolist()
        return labels


inf = math.inf
EXACT, LOWER, UPPER = "exact", "lower", "upper"  # what a remembered number is to the state's value


@dataclass(frozen=True)
class AlphaBeta(PerfectInformationSolver):
    """Exact value of a two-player zero-sum game of perfect information, without looking at all of its tree.

    Works on the table. The same value as minimax, with fewer nodes (Knuth and Moore 1975).

    Parameters
    ----------
    ordering
        Try promising moves first.
    table
        Remember states met before, with what is known of their value.
    """

    name = "alpha-beta"

    ordering: bool = True
    table: bool = True

    scope: ClassVar[Scope] = ZERO_SUM

    def run(self, form: Table, context: Context) -> Iterator[Progress]:
        game = perfect_information(form, "alpha-beta")
        total = constant_total(game, "alpha-beta")
        search = AlphaBetaSearch(game, self.ordering, self.table, context.stopping)
        try:
            value = search.average(game.start, 1.0)
        except SearchStopped:
            return
        search.stopping = lambda: False
        counts = {"nodes": search.nodes, "leaves": search.leaves, "states": len(search.met)}
        yield game.answer((value, total - value), self._profile(game, search), counts)

    def _profile(self, game: PerfectInformation, search: AlphaBetaSearch) -> dict[int, Strategy]:
        """At each state the search goes on from there: what was cut off before has no exact value yet."""
        return {
            player: StatePolicy(game.table, player, lambda state, _: game.action(state, search.decision(state)))
            for player in range(2)
        }


class AlphaBetaSearch(DepthFirstSearch):
    """One search and what it remembers. Where chance moves every outcome is searched with an open window."""

    def __init__(self, game: PerfectInformation, ordering: bool, table: bool, stopping: Callable[[], bool]) -> None:
        super().__init__(game, stopping)
        self.order = MoveOrder(game, ordering)
        self.table: dict[int, tuple[str, float, int]] | None = {} if table else None  # flag, number, best move
        self.decided: dict[int, int] = {}
        self.met: set[int] = set()

    def decision(self, state: int) -> int:
        """ALPHA-BETA-SEARCH: the best move at `state`."""
        if state not in self.decided:
            known = self.table.get(state) if self.table is not None else None
            if known and known[0] == EXACT:
                return known[2]
            self.value(state)
        return self.decided[state]

    def value(self, state: int, alpha: float = -inf, beta: float = inf) -> float:
        """MAX-VALUE and MIN-VALUE: what max still gets from `state` on, or a bound where that is outside the window."""
        self.nodes += 1
        self.met.add(state)
        mover = self.mover[state]
        if mover == OVER:
            self.leaves += 1
            return 0.0
        if not self.nodes % LOOK_UP and self.stopping():
            raise SearchStopped
        flag, number, hint = (self.table or {}).get(state, ("", 0.0, -1))
        if flag == EXACT or (flag == LOWER and number >= beta) or (flag == UPPER and number <= alpha):
            return number
        best_value, move = self._best(state, alpha, beta, hint)
        if self.table is not None:
            flag = UPPER if best_value <= alpha else LOWER if best_value >= beta else EXACT
            self.table[state] = (flag, best_value, move)
        if alpha == -inf and beta == inf:
            self.decided[state] = move
        return best_value

    def _best(self, state: int, alpha: float, beta: float, hint: int) -> tuple[float, int]:
        """The mover's best value and its move; the other moves are cut once a value leaves the window."""
        sign = 1 if self.mover[state] == MAX else -1
        best_value, best = -sign * inf, -1
        for move in self.order.moves(state, hint):
            move_value = self._move_value(self.moves[state][move], alpha, beta)
            if best < 0 or sign * move_value > sign * best_value:
                best_value, best = move_value, move
            if best_value >= beta if sign > 0 else best_value <= alpha:
                self.order.note(state, best)
                break
            if sign > 0:
                alpha = max(alpha, best_value)
            else:
                beta = min(beta, best_value)
        return best_value, best

    def _move_value(self, row: Outcomes, alpha: float, beta: float) -> float:
        """The value of a move, its window handed on to the state that it leads to."""
        if len(row) > 1:
            return self.average(row, self.discount)
        _, after, reward = row[0]
        if reward[0] == 0 and self.discount == 1:
            return self.value(after, alpha, beta)
        low, high = shifted(alpha, reward[0], self.discount, -inf), shifted(beta, reward[0], self.discount, inf)
        return reward[0] + self.discount * self.value(after, low, high)


def shifted(bound: float, reward: float, discount: float, towards: float) -> float:
    """`bound` as it is one step later, rounded `towards` the outside of the window.

    A child that reaches the shifted bound must reach the bound itself once its reward is added again: a bound that is
    missed by a rounding would pass for an exact value.
    """
    later = (bound - reward) / discount
    while (reward + discount * later < bound) if towards > 0 else (reward + discount * later > bound):
        later = math.nextafter(later, towards)
    return later
