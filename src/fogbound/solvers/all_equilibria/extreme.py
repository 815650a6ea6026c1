"""Extreme equilibria of two-player games, the maximal Nash subsets that they span, and their components.

An equilibrium is *extreme* when both strategies are vertices of the best-reply polyhedra. Every equilibrium mixes
strategies of extreme ones: the graph that joins extreme strategies which are in equilibrium with each other is
bipartite, its maximal bicliques are the *maximal Nash subsets* (convex products in which strategies are
interchangeable), and its connected components are the topological components of the set of equilibria (Avis, Rosenberg,
Savani and von Stengel 2010).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.solvers.all_equilibria.rational_lp import maximise_exactly, whole_row
from fogbound.solvers.all_equilibria.vertices import polyhedron_vertices
from fogbound.solvers.matrix.exact import Integers, solve_exactly
from fogbound.solvers.matrix.support_enumeration import Vertex

MOST_SUBSETS = 20_000  # maximal Nash subsets
SMALL = 24  # strategies of a player up to which dominance by mixtures is looked for


@dataclass(frozen=True)
class Extreme:
    """The extreme strategies of both players, and which pairs of them, by number, are equilibria."""

    first: tuple[Vertex, ...]
    second: tuple[Vertex, ...]
    pairs: tuple[tuple[int, int], ...]


def extreme_equilibria(first: Integers, second: Integers, name: str) -> Extreme:
    """All extreme equilibria of a bimatrix of integers, component by component, simple ones first.

    Parameters
    ----------
    first, second
        The payoffs of the players, [rows, columns], each times a positive number.
    name
        The game, for messages.

    Raises
    ------
    LimitError
        The best-reply polyhedra have too many vertices.
    """
    rows, columns = iteratively_undominated(first, second)
    to_first, to_second = first[np.ix_(rows, columns)], second[np.ix_(rows, columns)].T
    if len(rows) <= len(columns):
        met = _meeting(to_first, to_second, name)
    else:
        met = [(x, y) for y, x in _meeting(to_second, to_first, name)]
    met.sort(key=lambda pair: [(v.support.bit_count(), [-w for w in v.weights]) for v in pair])
    met.sort(key=lambda pair: sum(v.support.bit_count() for v in pair))
    met = [met[k] for group in components(met) for k in group]
    mine, theirs = (list(dict.fromkeys(pair[side] for pair in met)) for side in (0, 1))
    place = [{v: number for number, v in enumerate(part)} for part in (mine, theirs)]
    return Extreme(
        tuple(_placed(x, rows, columns, first.shape) for x in mine),
        tuple(_placed(y, columns, rows, first.shape[::-1]) for y in theirs),
        tuple((place[0][x], place[1][y]) for x, y in met),
    )


def _meeting(to_first: Integers, to_second: Integers, name: str) -> list[tuple[Vertex, Vertex]]:
    """The pairs of vertices that are equilibria.

    All vertices of one polyhedron, and of the other those on the face that each of them allows: only its best replies
    are played, and all that it plays are best replies.
    """
    found = []
    faces: dict[tuple[int, int], list[Vertex]] = {}
    for x in polyhedron_vertices(to_second, name):
        check()
        if (x.support, x.replies) not in faces:
            faces[x.support, x.replies] = _on_face(to_first, x, name)
        found += [(x, y) for y in faces[x.support, x.replies]]
    return found


def _on_face(payoffs: Integers, x: Vertex, name: str) -> list[Vertex]:
    """The vertices that play best replies to x alone, and to which all that x plays are best replies."""
    equal, support = _bits(x.support), _bits(x.replies)
    if len(equal) == len(support):
        system: Integers = np.zeros((len(support) + 1, len(support) + 1), object)
        system[:-1, :-1], system[:-1, -1], system[-1, :-1] = payoffs[np.ix_(equal, support)], -1, 1
        right: Integers = np.array([*[0] * len(support), 1], object)
        solved = solve_exactly(system, right)
        if solved is not None:
            return _feasible(payoffs, support, solved)
    found = polyhedron_vertices(payoffs[:, support], name, equal)
    return [_placed(y, support, range(len(payoffs)), payoffs.shape[::-1]) for y in found]


def _feasible(payoffs: Integers, support: Sequence[int], solved: Sequence[Fraction]) -> list[Vertex]:
    """The only point of a face as a vertex, where it is a strategy against which nothing else is better."""
    *own, value = solved
    if min(own) < 0:
        return []
    gains = payoffs[:, support] @ np.array(own, object)
    if max(gains) > value:
        return []
    weights = [Fraction(0)] * payoffs.shape[1]
    for k, w in zip(support, own):
        weights[k] = w
    replies = sum(1 << r for r, gain in enumerate(gains) if gain == value)
    return [Vertex(tuple(weights), sum(1 << k for k, w in enumerate(weights) if w), replies)]


def _placed(vertex: Vertex, own: Sequence[int], others: Sequence[int], size: tuple[int, ...]) -> Vertex:
    """A vertex on the strategies that are left, as one on all."""
    weights = [Fraction(0)] * size[0]
    for k, w in zip(own, vertex.weights):
        weights[k] = w
    support = sum(1 << k for place, k in enumerate(own) if vertex.support >> place & 1)
    replies = sum(1 << k for place, k in enumerate(others) if vertex.replies >> place & 1)
    return Vertex(tuple(weights), support, replies)


def iteratively_undominated(first: Integers, second: Integers) -> tuple[list[int], list[int]]:
    """The strategies of both players that survive iterated strict dominance: no equilibrium plays another."""
    rows, columns = list(range(first.shape[0])), list(range(first.shape[1]))
    while True:
        mine, theirs = first[np.ix_(rows, columns)], second[np.ix_(rows, columns)].T
        left = [k for k in range(len(rows)) if not strictly_dominated(mine, k)]
        right = [k for k in range(len(columns)) if not strictly_dominated(theirs, k)]
        if len(left) == len(rows) and len(right) == len(columns):
            return rows, columns
        rows, columns = [rows[k] for k in left], [columns[k] for k in right]


def strictly_dominated(payoffs: Integers, strategy: int) -> bool:
    """Whether a pure strategy, or a mixed one in a small game, does better than `strategy` [strategies, situations]."""
    check()
    advantage = payoffs - payoffs[strategy]
    if (advantage > 0).all(axis=1).any():
        return True
    many, situations = advantage.shape
    if many > SMALL or situations > SMALL or many < 3:
        return False
    # maximise t with advantage · z >= t for every situation; t is the difference of two variables
    rows = [([*(-int(v) for v in column), 1, -1], 0) for column in advantage.T.tolist()]
    best = maximise_exactly([*[0] * many, 1, -1], [([*[1] * many, 0, 0], 1)], rows)
    return best is not None and best.value > 0


@dataclass(frozen=True)
class NashSubset:
    """A maximal Nash subset: every strategy of `first` is in equilibrium with every one of `second`, by number."""

    first: tuple[int, ...]
    second: tuple[int, ...]


def nash_subsets(extreme: Extreme) -> list[NashSubset]:
    """The maximal Nash subsets: the maximal bicliques of the graph of extreme strategies.

    The second players' sides of maximal bicliques are the intersections of neighbourhoods, taken one by one.
    """
    around = [0] * len(extreme.first)
    for i, j in extreme.pairs:
        around[i] |= 1 << j
    closed: dict[int, None] = {}
    for own in around:
        check()
        for one in [own, *(own & other for other in closed)]:
            if one:
                closed.setdefault(one)
        if len(closed) > MOST_SUBSETS:
            raise LimitError(f"equilibria: over {MOST_SUBSETS:,} maximal Nash subsets")
    found = []
    for side in closed:
        first = tuple(i for i, own in enumerate(around) if not side & ~own)
        found.append(NashSubset(first, tuple(j for j in range(len(extreme.second)) if side >> j & 1)))
    return sorted(found, key=lambda one: (one.first, one.second))


def components(pairs: Sequence[tuple[Hashable, Hashable]]) -> list[list[int]]:
    """The connected components of the graph, each as numbers of its `pairs`."""
    parent = list(range(len(pairs)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    seen: dict[tuple[int, Hashable], int] = {}
    for number, pair in enumerate(pairs):
        for side, strategy in enumerate(pair):
            parent[root(seen.setdefault((side, strategy), number))] = root(number)
    groups: dict[int, list[int]] = {}
    for number in range(len(pairs)):
        groups.setdefault(root(number), []).append(number)
    return sorted(groups.values())


def equilibrium_index(x: Vertex, y: Vertex, first: Integers, second: Integers) -> int | None:
    """The index of a regular equilibrium (Shapley 1974), 1 or -1; None where it is not regular.

    Regular: supports of equal size that contain all best replies. With positive payoffs A and B on k x k supports the
    index is (-1)^(k+1) times the sign of det A · det B. The indices of all components sum to 1.
    """
    if x.support != y.replies or y.support != x.replies or x.support.bit_count() != y.support.bit_count():
        return None
    rows, columns = _bits(x.support), _bits(y.support)
    parts = [(part[np.ix_(rows, columns)] + (1 - int(part.min()))).tolist() for part in (first, second)]
    signs = [determinant_sign(part) for part in parts]
    return signs[0] * signs[1] * (1 if len(rows) % 2 else -1)


def _bits(support: int) -> list[int]:
    return [k for k in range(support.bit_length()) if support >> k & 1]


def determinant_sign(matrix: Sequence[Sequence[Fraction | int]]) -> int:
    """The sign of a determinant, by integer elimination (Bareiss 1968)."""
    rows, sign, last = [whole_row(row) for row in matrix], 1, 1
    for k in range(len(rows)):
        swap = next((r for r in range(k, len(rows)) if rows[r][k]), None)
        if swap is None:
            return 0
        if swap != k:
            rows[k], rows[swap], sign = rows[swap], rows[k], -sign
        for r in range(k + 1, len(rows)):
            rows[r] = [(rows[r][c] * rows[k][k] - rows[r][k] * rows[k][c]) // last for c in range(len(rows))]
        last = rows[k][k]
    return sign if last > 0 else -sign
