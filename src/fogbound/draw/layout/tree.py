"""Where the nodes of a game tree go: root at the left, ends evenly spaced, parents centred.

Nodes of one information set share a column, and sets whose bands would cover each other get lanes of their
own beside each other, so that a band of fog joins exactly the nodes that its owner cannot tell apart. A large tree can
be laid out in pieces: `subtree` is the part below one of its nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.forms.tree import END, Tree

ROW, BETWEEN = 25, 7  # from end to end, and what is added between the ends of different parents
ROOM = 15  # above and below a node inside its lane


@dataclass(frozen=True)
class TreeLayout:
    """Columns, lanes and heights of the nodes shown; widths are left to the drawing."""

    form: Tree
    shown: int  # nodes 0 .. shown-1
    column: list[int]
    lane: list[int]  # within the column; -1 for ends
    y: list[float]
    more: dict[int, tuple[int, float]]  # node -> (how many nodes below it are not shown, height of the mark)
    height: float

    def children(self, node: int) -> range:
        """The children that are shown."""
        return _children(self.form, node, self.shown)

    @cached_property
    def bands(self) -> dict[int, list[int]]:
        """The nodes of each information set, top down."""
        nodes: dict[int, list[int]] = {}
        for v in sorted(range(self.shown), key=lambda v: self.y[v]):
            if self.form.infoset[v] >= 0:
                nodes.setdefault(int(self.form.infoset[v]), []).append(v)
        return dict(sorted(nodes.items()))


def tree_layout(form: Tree, most: int) -> TreeLayout:
    shown = _fitting(form, max(1, most))
    more = _missing(form, shown)
    y, marks, height = _heights(form, shown, more)
    column = _columns(form, shown)
    return TreeLayout(form, shown, column, _lanes(form, shown, column, y), y, marks, height)


def _fitting(form: Tree, most: int) -> int:
    """How many nodes to show: whole levels, or what fits of the first below the root."""
    shown, first, last = 1, 0, 1
    while first < last <= most:
        shown, first, last = last, int(form.child[first]), int(form.child[last])
    return shown if shown > 1 else min(most, form.size)


def _missing(form: Tree, shown: int) -> dict[int, int]:
    """For each node with children left out: how many nodes are missing below it."""
    more: dict[int, int] = {}
    for v in range(shown):
        first, last = max(int(form.child[v]), shown), int(form.child[v + 1])
        while first < last:  # nodes stand breadth first, so each generation is a range
            more[v] = more.get(v, 0) + last - first
            first, last = int(form.child[first]), int(form.child[last])
    return more


def _children(form: Tree, node: int, shown: int) -> range:
    return range(min(int(form.child[node]), shown), min(int(form.child[node + 1]), shown))


def _heights(form: Tree, shown: int, more: dict[int, int]) -> tuple[list[float], dict[int, tuple[int, float]], float]:
    """Ends and marks of cut branches one below the other; every parent in the middle of its children."""
    y, marks = [0.0] * shown, dict.fromkeys(more, 0.0)
    at, before, stack = ROW / 2 - ROW, -1, [(0, False)]
    while stack:
        v, is_mark = stack.pop()
        below = _children(form, v, shown)
        if below and not is_mark:
            stack += ([(v, True)] if v in more else []) + [(w, False) for w in reversed(below)]
            continue
        owner = v if is_mark else int(form.parent[v])
        at += ROW if owner == before or before < 0 else ROW + BETWEEN
        before = owner
        y[v] = y[v] if is_mark else at
        if v in more:
            marks[v] = at
    for v in range(shown - 1, -1, -1):
        below = _children(form, v, shown)
        if below:
            y[v] = (y[below[0]] + (marks[v] if v in more else y[below[-1]])) / 2
    return y, {v: (n, marks[v]) for v, n in more.items()}, at + ROW / 2


def _columns(form: Tree, shown: int) -> list[int]:
    """The longest way from the root, nodes of one information set kept together."""
    depth = [0] * shown
    deepest: dict[int, int] = {}
    for _ in range(shown + 1):
        before = list(depth)
        for v in range(1, shown):
            h = int(form.infoset[v])
            depth[v] = depth[form.parent[v]] + 1
            if h >= 0:
                depth[v] = deepest[h] = max(depth[v], deepest.get(h, 0))
        if depth == before:
            return depth
    for v in range(1, shown):  # sets that wait for each other cannot share columns
        depth[v] = depth[form.parent[v]] + 1
    return depth


def _lanes(form: Tree, shown: int, column: list[int], y: list[float]) -> list[int]:
    """Bands that overlap stand beside each other: each takes the first lane that is free."""
    spans: dict[tuple[int, int], list[int]] = {}
    for v in range(shown):
        if form.mover[v] != END:
            h = int(form.infoset[v])
            spans.setdefault((column[v], h if h >= 0 else -1 - v), []).append(v)
    lane, taken = [-1] * shown, dict[tuple[int, int], float]()
    for (c, _), nodes in sorted(spans.items(), key=lambda item: (item[0][0], min(y[v] for v in item[1]))):
        top, bottom = min(y[v] for v in nodes) - ROOM, max(y[v] for v in nodes) + ROOM
        k = 0
        while taken.get((c, k), -ROW) > top:
            k += 1
        taken[c, k] = bottom
        for v in nodes:
            lane[v] = k
    return lane


def subtree(form: Tree, root: int) -> tuple[Tree, NDArray[np.int64]]:
    """The tree below `root`, and the number that each of its nodes had in the whole one.

    Nodes stand breadth first, so each generation below a node is a range. Information sets and what players know
    keep their numbers: a set is joined as far as its nodes are below `root`.
    """
    if not 0 <= root < form.size:
        raise SpecError(f"node {root}, expected one of 0 to {form.size - 1:,} of {form.spec}")
    if root == 0:
        return form, np.arange(form.size)
    generations, first, last = list[NDArray[np.int64]](), root, root + 1
    while first < last:
        generations.append(np.arange(first, last))
        first, last = int(form.child[first]), int(form.child[last])
    old = np.concatenate(generations)
    number = np.full(form.size + 1, len(old))
    number[old] = np.arange(len(old))
    children = np.diff(form.child)[old]
    child = np.concatenate([[1], 1 + np.cumsum(children)])
    parent = np.where(np.arange(len(old)) > 0, number[form.parent[old]], -1)
    cut = replace(
        form,
        mover=form.mover[old],
        parent=parent.astype(form.parent.dtype),
        child=child.astype(form.child.dtype),
        prob=form.prob[old],
        reach=form.reach[old],
        payoff=form.payoff[old],
        infoset=form.infoset[old],
        memory=form.memory[old],
        state=form.state[old],
    )
    return cut, old
