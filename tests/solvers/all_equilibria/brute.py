"""Equilibria of bimatrix games once more, by other means: bases of polyhedra, Bron and Kerbosch, search of a graph."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations


def solve(rows):
    """(numerators, denominator) of the x with row[:-1] · x = row[-1] for square rows of integers, if there is one."""
    rows, size, last = [list(row) for row in rows], len(rows), 1
    for column in range(size):
        at = next((r for r in range(column, size) if rows[r][column]), None)
        if at is None:
            return None
        rows[column], rows[at] = rows[at], rows[column]
        top = rows[column]
        for r in range(size):
            if r != column:
                factor = rows[r][column]
                rows[r] = [(v * top[column] - factor * t) // last for v, t in zip(rows[r], top)]
        last = top[column]
    return [row[-1] for row in rows], last


def polyhedron_vertices(paid):
    """The x >= 0 with sum 1 where m of m + n inequalities in (x, u) are tight; `paid[j][i]` is what reply j pays."""
    wide = len(paid[0])
    common = math.lcm(*(Fraction(v).denominator for row in paid for v in row))
    inequalities = [[int(i == k) for k in range(wide)] + [0] for i in range(wide)]
    inequalities += [[-int(v * common) for v in row] + [1] for row in paid]
    found = set()
    for tight in combinations(inequalities, wide):
        solved = solve([[1] * wide + [0, 1], *([*row, 0] for row in tight)])
        if solved is not None:
            point, below = solved
            sign = 1 if below > 0 else -1
            if all(sign * sum(a * b for a, b in zip(row, point)) >= 0 for row in inequalities):
                found.add(tuple(Fraction(v, below) for v in point[:wide]))
    return sorted(found)


def best(paid, x):
    """The replies j with the largest sum of paid[j][i] x[i]."""
    worth = [sum(a * b for a, b in zip(row, x)) for row in paid]
    return {j for j, w in enumerate(worth) if w == max(worth)}


def support(x):
    return {i for i, p in enumerate(x) if p}


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def extreme(first, second):
    """All pairs of vertices that are equilibria."""
    mine, theirs = polyhedron_vertices(transposed(second)), polyhedron_vertices(first)
    answers = {x: best(transposed(second), x) for x in mine}
    return {(x, y) for y in theirs for x in mine if support(x) <= best(first, y) and support(y) <= answers[x]}


def payoffs(first, second, x, y):
    return tuple(
        sum(p * q * paid[i][j] for i, p in enumerate(x) for j, q in enumerate(y) if p and q) for paid in (first, second)
    )


def nash_subsets(pairs):
    """Maximal cliques that have strategies of both players, as sets of pairs (Bron and Kerbosch 1973)."""
    nodes = {(0, x) for x, _ in pairs} | {(1, y) for _, y in pairs}
    near = {
        a: {b for b in nodes if b != a and (a[0] == b[0] or ((a[1], b[1]) if a[0] == 0 else (b[1], a[1])) in pairs)}
        for a in nodes
    }
    found = set()

    def grow(clique, left, seen):
        if not left and not seen:
            sides = [{v for side, v in clique if side == k} for k in (0, 1)]
            if all(sides):
                found.add(frozenset((x, y) for x in sides[0] for y in sides[1]))
            return
        turning = max(left | seen, key=lambda v: len(near[v] & left))
        for v in list(left - near[turning]):
            grow(clique | {v}, left & near[v], seen & near[v])
            left = left - {v}
            seen = seen | {v}

    grow(set(), nodes, set())
    return found


def components(pairs):
    """Sets of pairs that can be walked to by changing one strategy at a time."""
    left, found = set(pairs), set()
    while left:
        waiting = [left.pop()]
        group = set(waiting)
        while waiting:
            x, y = waiting.pop()
            near = {pair for pair in left if pair[0] == x or pair[1] == y}
            left -= near
            group |= near
            waiting += near
        found.add(frozenset(group))
    return found


def degenerate(first, second):
    """Whether some strategy has more best replies than it plays strategies."""
    sides = ((transposed(second), polyhedron_vertices(transposed(second))), (first, polyhedron_vertices(first)))
    return any(len(best(paid, x)) > len(support(x)) for paid, points in sides for x in points)
