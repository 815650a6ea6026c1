"""The true lower hull of the points, now and then.

The sawtooth lets a belief lean on one point and the corners; the hull lets it lean on any mix of points, which takes a
linear program (Smith and Simmons 2005 on why that is too dear for every belief). It is solved at the beliefs next to
the start, and what it gains is entered as a new point.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix

from fogbound.forms.arrays import Floats, Ints
from fogbound.solvers.linear_programs.highs import maximise, power_of_two
from fogbound.solvers.pomdp.hsvi.kernels.backup import add_point
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import ROOT
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch

MOST_NUMBERS = 60_000  # in a program: larger ones are not worth their time
MOST_BELIEFS = 12


def lower_by_hull(search: HeuristicSearch) -> int:
    """Try the hull at the start and at what its best action leads to; how many points were entered."""
    search.make_room(MOST_BELIEFS * search.room)  # before, since it may begin a new tree
    sizes, tree, entered = search.sizes, search.state.tree, 0
    for node in _near(search)[:MOST_BELIEFS]:
        block = int(tree.block[node])
        points = int(search.state.points.count[block])
        if points > 1 and points * int(sizes[block]) <= MOST_NUMBERS:
            upper = hull_bound(search, node)
            if upper < tree.V_upper[node] - search.state.met[0]:
                tree.V_upper[node] = upper
                add_point(search.state, np.int64(node), upper)
                entered += 1
    return entered


def _near(search: HeuristicSearch) -> list[int]:
    """The beliefs after the first observation, and those after the action that looks best there."""
    first = _children(search, ROOT)
    return list(dict.fromkeys(first + [child for node in first for child in _children(search, node)]))


def _children(search: HeuristicSearch, node: int) -> list[int]:
    """The beliefs that the best action leads to; none where it was not looked at yet."""
    tree, blocks = search.state.tree, search.blocks
    block, actions = int(tree.block[node]), int(tree.action[node])
    choices = blocks.choice[block + 1] - blocks.choice[block]
    best = int(np.argmax(tree.Q_upper[actions : actions + choices]))
    first, choice = int(tree.children[actions + best]), blocks.choice[block] + best
    if first < 0:
        return []
    children = tree.child[first : first + blocks.outcome[choice + 1] - blocks.outcome[choice]].tolist()
    return [child for child in children if child >= 0]


def hull_bound(search: HeuristicSearch, node: int) -> float:
    """The bound at a node by the best mix of points: min sum of share x gap, the shares fitting into the belief."""
    belief, corner = _belief(search, node)
    point, state, weight, gap = _block_points(search, node)
    inside = np.bincount(point, weights=belief[state] <= 0, minlength=len(gap)) == 0
    keep = inside & (gap < 0)
    kept = keep[point]
    base = float(corner @ belief)
    if not keep.any():
        return base
    number = np.cumsum(keep) - 1
    matrix = csc_matrix((weight[kept], (state[kept], number[point[kept]])), shape=(len(belief), int(keep.sum())))
    scale, wide = power_of_two(gap[keep]), int(keep.sum())
    optimum = maximise(
        -gap[keep] / scale, np.zeros(wide), np.full(wide, np.inf), matrix, np.full(len(belief), -np.inf), belief
    )
    share = np.maximum(optimum.primal, 0.0)
    held = np.asarray(matrix @ share)
    over = held > 0
    fits = min(1.0, float((belief[over] / held[over]).min(initial=1.0)))  # the program may be off by its tolerance
    return base + fits * float(share @ gap[keep])


def _belief(search: HeuristicSearch, node: int) -> tuple[Floats, Floats]:
    """The node's belief, and the corners of its block."""
    tree, blocks = search.state.tree, search.blocks
    block, at = int(tree.block[node]), int(tree.belief[node])
    first, last = int(blocks.first[block]), int(blocks.first[block + 1])
    return tree.weight[at : at + last - first], search.state.points.corner[first:last]


def _block_points(search: HeuristicSearch, node: int) -> tuple[Ints, Ints, Floats, Floats]:
    """The points of the node's block: [nonzeros] point, state and weight; [points] how far below the corners."""
    points = search.state.points
    number = np.array(search.points(int(search.state.tree.block[node])), np.int64)
    spans = [slice(*points.support[[p, p + 1]].tolist()) for p in number]
    counts = points.support[number + 1] - points.support[number]
    states, weights = (np.concatenate([pool[span] for span in spans]) for pool in (points.state, points.weight))
    return np.repeat(np.arange(len(number)), counts), states, weights, points.excess[number]
