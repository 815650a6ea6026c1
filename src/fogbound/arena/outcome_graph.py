"""The outcome graph of fixed players, and who ends with the highest return in it, exactly.

`forms.induced` merges outcomes that lead to the same point and keeps their mean reward; here each keeps its own, so
that what was paid can be carried along with the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError
from fogbound.core.policy import Strategy
from fogbound.forms.induced import Arrival, InducedGame
from fogbound.forms.linear_system import factorised
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import WAIT, TableSimulator

Edge = tuple[int, int, float]  # the point that follows, the table's event, how likely


class OutcomeGraph:
    """What follows on each point when `policies` play; LimitError past `limit` points."""

    def __init__(self, table: Table, policies: Sequence[Strategy], limit: int) -> None:
        game = InducedGame(TableSimulator(table), dict(enumerate(policies)), limit)
        self.start = _edges(game.start())
        self.after = [_edges(game.after(point, WAIT)) for point in game.points]  # grows while it is walked


def _edges(arrivals: Iterable[Arrival]) -> list[Edge]:
    return [(point.number, event, p) for point, event, p in arrivals]


Best = Dist[tuple[int, ...]]  # the players that share the highest return
Returns = tuple[float, ...]
OVER_POINT = -1  # all ends are one
BEFORE = -1  # where play comes from at the start


def best_of(returns: Sequence[float]) -> tuple[int, ...]:
    """The players that share the highest return."""
    return tuple(i for i, paid in enumerate(returns) if paid == max(returns))


def highest_returns(table: Table, policies: Sequence[Strategy], limit: int) -> Best | None:
    """The players that share the highest return, with their probabilities, where play surely ends.

    None where returns can take infinitely many values (something that is paid can come again and again), or past
    `limit` situations: then this way finds no exact answer, and no other is tried.
    """
    try:
        graph = OutcomeGraph(table, policies, limit)
    except LimitError:
        return None
    if _endless(table, graph):
        return None
    paying = _ReturnGraph(table, graph, limit)
    return paying.shares() if paying.explore() else None


def _endless(table: Table, play: OutcomeGraph) -> bool:
    """Whether rewards can come again: some way back to where one came has one, or takes time that fades them."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    size = len(play.after)
    arrows = [(point, to, event) for point, after in enumerate(play.after) for to, event, _ in after]
    if not arrows:
        return False
    tail, head, event = map(np.array, zip(*arrows))
    graph = csr_matrix((np.ones(len(tail)), (tail, head)), shape=(size, size))
    _, part = connected_components(graph, directed=True, connection="strong")
    counts = (table.reward[event] != 0).any(axis=1) | (table.discount < 1)
    return bool(((part[tail] == part[head]) & counts).any())


class _ReturnGraph:
    """Points together with all that was paid until then (and with the step, where a discount counts steps)."""

    def __init__(self, table: Table, play: OutcomeGraph, limit: int) -> None:
        self.play, self.limit, self.discount = play, limit, table.discount
        self.rewards: list[list[float]] = table.reward.tolist()
        self.number: dict[tuple[int, int, Returns], int] = {}
        self.situations: list[tuple[int, int, Returns]] = []
        self.arrows: list[tuple[int, int, float]] = []

    def explore(self) -> bool:
        """Whether all could be found within the limit."""
        for edge in self.play.start:
            self._arrive(BEFORE, edge, 0, (0.0,) * len(self.rewards[0]), 1.0)
        for k, (point, step, paid) in enumerate(self.situations):  # grows while it is walked
            for edge in self.play.after[point] if point != OVER_POINT else ():
                self._arrive(k, edge, step + 1, paid, self.discount**step)
            if len(self.situations) > self.limit:
                return False
        return True

    def _arrive(self, tail: int, edge: Edge, step: int, paid: Returns, scale: float) -> None:
        point, event, chance = edge
        returns = tuple(before + scale * reward for before, reward in zip(paid, self.rewards[event]))
        lasting = bool(self.play.after[point])
        situation = (point if lasting else OVER_POINT, step if lasting and self.discount < 1 else 0, returns)
        head = self.number.setdefault(situation, len(self.situations))
        if head == len(self.situations):
            self.situations.append(situation)
        self.arrows.append((tail, head, chance))

    def shares(self) -> Best:
        """How likely each end is: v = start + v P counts the visits, and an end is visited at most once."""
        from scipy.sparse import csr_matrix

        size, start = len(self.situations), np.zeros(len(self.situations))
        for tail, head, chance in self.arrows:
            if tail == BEFORE:
                start[head] += chance
        inner = [arrow for arrow in self.arrows if arrow[0] != BEFORE]
        tails, heads, chances = zip(*inner) if inner else ((), (), ())
        moves = csr_matrix((chances, (tails, heads)), shape=(size, size))
        visits = factorised(moves.T).solve(start)
        shares: dict[tuple[int, ...], float] = {}
        for (point, _, returns), share in zip(self.situations, visits.tolist()):
            if point == OVER_POINT:
                best = best_of(returns)
                shares[best] = shares.get(best, 0.0) + share
        return Dist(tuple(sorted(shares.items())))
