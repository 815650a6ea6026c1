"""The true lower hull of the upper bound's points, now and then, where it matters most.

The sawtooth lets a belief lean on one point and the corners; the hull lets it lean on any mix of points, which takes a
linear program (Smith and Simmons 2005 on why that is too dear for every belief). It is solved at the beliefs next to
the start, and what it gains is entered as a new point.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix

from fogbound.forms.arrays import Floats, Ints
from fogbound.solvers.linear_programs.highs import maximise, power_of_two
from fogbound.solvers.pomdp.hsvi.kernels import arena
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch

MOST_NUMBERS = 60_000  # in a program: larger ones are not worth their time
MOST_BELIEFS = 12


def lower_by_hull(search: HeuristicSearch) -> int:
    """Try the hull at the start and at what its best action leads to; how many points were entered."""
    from fogbound.solvers.pomdp.hsvi.kernels.bounds import add_point

    a, sizes, entered = search.arrays, np.diff(search.packed.blocks.first), 0
    room_i, room_f = search.packed.room
    search.grow(MOST_BELIEFS * room_i, MOST_BELIEFS * room_f)  # before, since it may begin a new tree
    I, F, H = a["I"], a["F"], a["H"]
    for node in _near(search)[:MOST_BELIEFS]:
        block = int(I[node + arena.BLOCK])
        points = int(H[arena.HEAD + block * arena.LIST_RECORD + arena.POINT_COUNT])
        if points > 1 and points * int(sizes[block]) <= MOST_NUMBERS:
            upper = hull_bound(search, node)
            at = int(I[node + arena.BOUNDS]) + 1
            if upper < F[at] - F[arena.CONVERGED]:
                F[at] = upper
                add_point(search.M, a["W"], I, F, H, np.int64(node), upper)
                entered += 1
    return entered


def _near(search: HeuristicSearch) -> list[int]:
    """The beliefs after the first observation, and those after the action that looks best there."""
    found = _children(search, int(search.arrays["H"][arena.ROOT]))
    return list(dict.fromkeys(found + [child for node in found for child in _children(search, node)]))


def _children(search: HeuristicSearch, node: int) -> list[int]:
    I, F, blocks = search.arrays["I"], search.arrays["F"], search.packed.blocks
    block, uppers = int(I[node + arena.BLOCK]), int(I[node + arena.ACTION_UPPER])
    first, last = int(blocks.slot[block]), int(blocks.slot[block + 1])
    best = int(np.argmax(F[uppers : uppers + last - first]))
    expansion = int(I[I[node + arena.KIDS] + best * arena.KID_RECORD + arena.EXPANSION])
    if not expansion:
        return []
    many = int(blocks.branch[first + best + 1] - blocks.branch[first + best])
    children = I[expansion + arena.CHILDREN : expansion + arena.CHILDREN + many].tolist()
    return [child for child in children if child]


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
    a, blocks = search.arrays, search.packed.blocks
    block, at = int(a["I"][node + arena.BLOCK]), int(a["I"][node + arena.BELIEF])
    first, last = int(blocks.first[block]), int(blocks.first[block + 1])
    corners = 2 * len(blocks.reward)
    return a["F"][at : at + last - first], a["W"][corners + first : corners + last]


def _block_points(search: HeuristicSearch, node: int) -> tuple[Ints, Ints, Floats, Floats]:
    """The points of the node's block: [nonzeros] point, state and weight; [points] how far below the corners."""
    I, F, H = (search.arrays[name] for name in "IFH")
    at = H[arena.HEAD + I[node + arena.BLOCK] * arena.LIST_RECORD + arena.NEWEST_POINT]
    counts, states, weights, gaps = [], [], [], []
    while at:
        many, floats = int(I[at + arena.COUNT]), int(I[at + arena.POINT_FLOATS])
        counts.append(many)
        states.append(I[at + arena.STATES : at + arena.STATES + many])
        weights.append(F[floats + 2 : floats + 2 + many])
        gaps.append(F[floats + 1])
        at = I[at + arena.POINT_OLDER]
    return np.repeat(np.arange(len(counts)), counts), np.concatenate(states), np.concatenate(weights), np.array(gaps)
