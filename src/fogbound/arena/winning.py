"""Who ends with the highest return, and how likely: exact, by carrying what was paid along with the state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fogbound.arena.taken import Edge, Point, Taken
from fogbound.core.dist import Dist
from fogbound.core.policy import Player
from fogbound.forms.table import Table

Best = Dist[tuple[int, ...]]  # the seats that share the highest return
Returns = tuple[float, ...]
OVER: Point = ()
BEFORE = -1  # where play comes from at the start


def best_of(returns: Sequence[float]) -> tuple[int, ...]:
    """The seats that share the highest return."""
    return tuple(i for i, paid in enumerate(returns) if paid == max(returns))


def highest(table: Table, policies: Sequence[Player], limit: int) -> Best | None:
    """The seats that share the highest return, with their probabilities, where play surely ends.

    None where returns can take infinitely many values (something that is paid can come again and again), or past
    `limit` situations: then this way finds no exact answer, and no other is tried.
    """
    taken = Taken(table, policies)
    edges = taken.explore(limit)
    if edges is None or _endless(table, edges):
        return None
    paying = _Paying(table, edges, limit)
    return paying.shares() if paying.explore(taken.start()) else None


def _endless(table: Table, edges: dict[Point, list[Edge]]) -> bool:
    """Whether pay can come again: some way back to where it came from pays, or takes time where time fades pay."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    number = {point: k for k, point in enumerate(edges)}
    arrows = [(number[point], number[to], event) for point, after in edges.items() for to, event, _ in after]
    if not arrows:
        return False
    tail, head, event = map(np.array, zip(*arrows))
    graph = csr_matrix((np.ones(len(tail)), (tail, head)), shape=(len(edges), len(edges)))
    _, part = connected_components(graph, directed=True, connection="strong")
    counts = (table.pay[event] != 0).any(axis=1) | (table.discount < 1)
    return bool(((part[tail] == part[head]) & counts).any())


class _Paying:
    """Points together with all that was paid until then (and with the step, where a discount counts steps)."""

    def __init__(self, table: Table, edges: dict[Point, list[Edge]], limit: int) -> None:
        self.edges, self.limit, self.discount = edges, limit, table.discount
        self.pays: list[list[float]] = table.pay.tolist()
        self.number: dict[tuple[Point, int, Returns], int] = {}
        self.situations: list[tuple[Point, int, Returns]] = []
        self.arrows: list[tuple[int, int, float]] = []

    def explore(self, start: list[Edge]) -> bool:
        """Whether all could be found within the limit."""
        for edge in start:
            self._arrive(BEFORE, edge, 0, (0.0,) * len(self.pays[0]), 1.0)
        for k, (point, step, paid) in enumerate(self.situations):  # grows while it is walked
            for edge in self.edges.get(point, ()):
                self._arrive(k, edge, step + 1, paid, self.discount**step)
            if len(self.situations) > self.limit:
                return False
        return True

    def _arrive(self, tail: int, edge: Edge, step: int, paid: Returns, scale: float) -> None:
        point, event, chance = edge
        returns = tuple(before + scale * pay for before, pay in zip(paid, self.pays[event]))
        lasting = bool(self.edges[point])
        situation = (point if lasting else OVER, step if lasting and self.discount < 1 else 0, returns)
        head = self.number.setdefault(situation, len(self.situations))
        if head == len(self.situations):
            self.situations.append(situation)
        self.arrows.append((tail, head, chance))

    def shares(self) -> Best:
        """How likely each end is: v = start + v P counts the visits, and an end is visited at most once."""
        from scipy.sparse import csr_matrix, eye
        from scipy.sparse.linalg import splu

        size, start = len(self.situations), np.zeros(len(self.situations))
        for tail, head, chance in self.arrows:
            if tail == BEFORE:
                start[head] += chance
        inner = [arrow for arrow in self.arrows if arrow[0] != BEFORE]
        tails, heads, chances = zip(*inner) if inner else ((), (), ())
        moves = csr_matrix((chances, (tails, heads)), shape=(size, size))
        visits = splu((eye(size, format="csr") - moves).T.tocsc()).solve(start)
        shares: dict[tuple[int, ...], float] = {}
        for (point, _, returns), share in zip(self.situations, visits.tolist()):
            if point == OVER:
                best = best_of(returns)
                shares[best] = shares.get(best, 0.0) + share
        return Dist(tuple(sorted(shares.items())))
