"""The outcome graph of fixed players, and who ends with the highest return in it, exactly.

`forms.induced` merges outcomes that lead to the same point and keeps their mean reward; here each keeps its own, so
that what was paid can be carried along with the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.policy import Strategy
from fogbound.forms.induced import WAIT, FixedPlayer
from fogbound.forms.table import START, Table

JointState = tuple[int, ...]  # the state, then what each player remembers; the state alone once the game is over
Edge = tuple[JointState, int, float]  # where to, the table's event, how likely


class OutcomeGraph:
    """Points and what follows on them when `policies` play."""

    def __init__(self, table: Table, policies: Sequence[Strategy]) -> None:
        self.table = table
        self.fixed = [FixedPlayer(table, i, policy) for i, policy in enumerate(policies)]

    def explore(self, limit: int) -> dict[JointState, list[Edge]] | None:
        """All points that can occur, with what follows on each; None past `limit` points."""
        found: dict[JointState, list[Edge]] = {}
        queue = [point for point, _, _ in self.start()]
        for point in queue:  # grows while it is walked
            if point not in found:
                if len(found) == limit:
                    return None
                found[point] = self.after(point)
                queue += [following for following, _, _ in found[point] if following not in found]
        return found

    def start(self) -> list[Edge]:
        table, edges = self.table, list[Edge]()
        for o in range(table.out[START], table.out[START + 1]):
            event, state = int(table.event[o]), int(table.next[o])
            begins = [player.begin(int(table.seen[event, i])) for i, player in enumerate(self.fixed)]
            for drawn in product(*begins):
                memories = () if table.actor_set[state] == 0 else tuple(memory for memory, _ in drawn)
                edges.append(((state, *memories), event, float(table.prob[o]) * prod(p for _, p in drawn)))
        return edges

    def after(self, point: JointState) -> list[Edge]:
        """What may follow on a point, all joint moves and all outcomes; nothing once the game is over."""
        table, state, edges = self.table, point[0], list[Edge]()
        actor_set = table.actor_set[state]
        if actor_set == 0:
            return edges
        actors: list[int] = table.actor_set_players[actor_set, : table.actor_set_size[actor_set]].tolist()
        legal_sets: list[int] = table.legal[state].tolist()
        for joint in product(*(self.fixed[i].act(point[1 + i], legal) for i, legal in zip(actors, legal_sets))):
            row, chance, own = 0, 1.0, dict[int, int]()
            for i, legal, (move, p) in zip(actors, legal_sets, joint):
                row, chance = row * int(table.legal_size[legal]) + move, chance * p
                own[i] = int(table.legal_actions[legal, move])
            row += int(table.row[state])
            edges += [self._edge(point, own, o, chance) for o in range(table.out[row], table.out[row + 1])]
        return edges

    def _edge(self, point: JointState, own: dict[int, int], outcome: int, chance: float) -> Edge:
        table, event, state = self.table, int(self.table.event[outcome]), int(self.table.next[outcome])
        memories: list[int] = []
        if table.actor_set[state] != 0:  # once the game is over nobody need remember
            seen = table.seen[event].tolist()
            memories = [player.update(point[1 + i], own.get(i, WAIT), seen[i]) for i, player in enumerate(self.fixed)]
        return (state, *memories), event, chance * float(table.prob[outcome])


Best = Dist[tuple[int, ...]]  # the players that share the highest return
Returns = tuple[float, ...]
OVER_STATE: JointState = ()
BEFORE = -1  # where play comes from at the start


def best_of(returns: Sequence[float]) -> tuple[int, ...]:
    """The players that share the highest return."""
    return tuple(i for i, paid in enumerate(returns) if paid == max(returns))


def highest_returns(table: Table, policies: Sequence[Strategy], limit: int) -> Best | None:
    """The players that share the highest return, with their probabilities, where play surely ends.

    None where returns can take infinitely many values (something that is paid can come again and again), or past
    `limit` situations: then this way finds no exact answer, and no other is tried.
    """
    graph_of_play = OutcomeGraph(table, policies)
    edges = graph_of_play.explore(limit)
    if edges is None or _endless(table, edges):
        return None
    paying = _ReturnGraph(table, edges, limit)
    return paying.shares() if paying.explore(graph_of_play.start()) else None


def _endless(table: Table, edges: dict[JointState, list[Edge]]) -> bool:
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


class _ReturnGraph:
    """Points together with all that was paid until then (and with the step, where a discount counts steps)."""

    def __init__(self, table: Table, edges: dict[JointState, list[Edge]], limit: int) -> None:
        self.edges, self.limit, self.discount = edges, limit, table.discount
        self.pays: list[list[float]] = table.pay.tolist()
        self.number: dict[tuple[JointState, int, Returns], int] = {}
        self.situations: list[tuple[JointState, int, Returns]] = []
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
        situation = (point if lasting else OVER_STATE, step if lasting and self.discount < 1 else 0, returns)
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
            if point == OVER_STATE:
                best = best_of(returns)
                shares[best] = shares.get(best, 0.0) + share
        return Dist(tuple(sorted(shares.items())))
