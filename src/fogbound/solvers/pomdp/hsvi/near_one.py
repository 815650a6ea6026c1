"""What replaces trials where the discount is near 1: policy iteration above and below, on the search's own sets.

A trial looks about 1 / (1 - discount) steps ahead, and a backup passes on a share 1 - discount of what is to be gained:
with .99999 neither bound moves. A refinement instead solves the decision process over the points (`point_mdp`) and
adds points, and makes greedy play a controller that is evaluated for ever (`belief_controller`), by the vectors so far
and by those of the same model with a smaller discount. It begins and ends with the search's arrays, so that a
checkpoint holds all of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fogbound.core.cancel import cancelling, stopping
from fogbound.core.errors import Stopped
from fogbound.driver.protocol import Context
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.solvers.pomdp.hsvi.belief_controller import GreedyController
from fogbound.solvers.pomdp.hsvi.improvement import improve_bounds
from fogbound.solvers.pomdp.hsvi.kernels.backup import add_point, refresh
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import REFINED, ROOT, TRIALS, WEIGHTS, find_node
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE, SARSOP_RULE
from fogbound.solvers.pomdp.hsvi.point_mdp import Beliefs, BlockSteps, PointMDP
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch

NEXT_TO, CLOSER = 1e-3, 0.1  # new points are that far apart (L1); closer after each refinement that adds none
LITTLE = 0.2  # of the largest change of the points: one that waits for the next refinement
REDUCED = {6: 0.99, 12: 0.995, 18: 0.98}  # by refinement, the smaller discount whose greedy policy is tried
REDUCED_TRIALS, REDUCED_WORK = ((HSVI_RULE, 0.9), (SARSOP_RULE, 0.5)), 40_000_000
REDUCED_SWEEPS = 30_000  # ... and of small models, no more than so many sweeps over all
APART, HALVINGS = 0.1, 4  # how far apart the beliefs of a controller's nodes are at first, and how often that is halved
MOST_NODES = 300
OFTEN, SELDOM = 10, 5  # a controller is tried in each of the first refinements, then in every fifth


def refines(search: HeuristicSearch) -> bool:
    """Whether there is something to refine."""
    return search.near_one and not search.refined


def refine_within(search: HeuristicSearch, context: Context) -> bool:
    """Refine the bounds once, where there is something to refine and the limits of the run allow it; whether it was."""
    if not refines(search) or context.stopping() or search.trials + 1 >= context.most:
        return False
    try:
        with cancelling(context):
            refine(search)
    except Stopped:
        return False
    return True


def refine(search: HeuristicSearch) -> None:
    """Improve both bounds once; where there is nothing left to add, note that."""
    numbers, process, number = _point_numbers(search), point_process(search), search.trials
    chosen = process.solve()
    more = process.expand(chosen, NEXT_TO * CLOSER ** int(search.state.count[REFINED]))
    if more:
        process.solve(LITTLE)
    _store(search, process, numbers)
    search.state.count[TRIALS] += 1
    search.state.count[REFINED] += not more
    if number in REDUCED:
        vectors = reduced_vectors(search, REDUCED[number])
        for halvings in range(1, HALVINGS):
            _follow(search, process.steps, vectors, halvings)
    if number < OFTEN or number % SELDOM == 0:
        tried = number if number < OFTEN else number // SELDOM
        _follow(search, process.steps, _vectors(search), tried % HALVINGS)


def _follow(search: HeuristicSearch, steps: BlockSteps, vectors: list[Floats], halvings: int) -> None:
    """Raise the lower bound to what greedy play by these vectors earns as a controller, where that is more."""
    graph = GreedyController(steps, vectors, APART * 0.5**halvings, MOST_NODES).graph()
    if graph.value[0] > search.bounds()[0]:
        search.add_vectors(graph.choice, graph.value, graph.after)
        refresh(search.state, np.int64(ROOT))


def reduced_vectors(search: HeuristicSearch, discount: float) -> list[Floats]:
    """By block, the vectors of the same model with a smaller discount, after some trials."""
    reduced = replace(search.blocks.pomdp, discount=discount)
    other = HeuristicSearch(mixed_observability(reduced), {})
    work = min(REDUCED_WORK, REDUCED_SWEEPS * search.mdp.sweep_work())
    improve_bounds(other, REDUCED_TRIALS, work, stopping=lambda: bool(stopping()))
    return _vectors(other)


def point_process(search: HeuristicSearch) -> PointMDP:
    """The decision process over the search's points, with what the search claims of them."""
    steps = BlockSteps(search.mdp)
    return PointMDP(steps, *_points(search, steps, _point_numbers(search)))


def _vectors(search: HeuristicSearch) -> list[Floats]:
    """By block, its vectors [n, states]."""
    vectors = search.state.vectors
    begins = [vectors.alpha[search.vectors(block)] for block in range(search.blocks.size)]
    return [vectors.value[begin[:, None] + np.arange(size)] for begin, size in zip(begins, search.sizes.tolist())]


def _point_numbers(search: HeuristicSearch) -> Longs:
    """The points in the lists of all blocks, oldest first."""
    return np.sort(np.array([p for block in range(search.blocks.size) for p in search.points(block)], np.int64))


def _points(search: HeuristicSearch, steps: BlockSteps, numbers: Longs) -> tuple[Beliefs, Floats]:
    """The corners, then these points, with what the search claims of them."""
    points, corners = search.state.points, steps.corners()
    weight, home = np.zeros((len(numbers), steps.width)), np.zeros(len(numbers), np.int64)
    place = {number: k for k, number in enumerate(numbers.tolist())}
    for block in range(search.blocks.size):
        for point in search.points(block):
            span = slice(*points.support[[point, point + 1]].tolist())
            home[place[point]] = block
            weight[place[point], points.state[span]] = points.weight[span]
    return corners.joined(Beliefs(home, weight)), np.append(points.corner, points.value[numbers])


def _store(search: HeuristicSearch, process: PointMDP, numbers: Longs) -> None:
    """Hand what was found to the search: lower corners, lower points, new points."""
    corners, known = process.corners, process.corners + len(numbers)
    new = len(process.value) - known
    forgotten = search.make_room((new + 1) * search.room)
    if forgotten:
        numbers = _point_numbers(search)  # in their old order
    state = search.state
    points = state.points
    np.minimum(points.corner, process.value[:corners], out=points.corner)
    points.version[:] += 1
    points.value[numbers] = np.minimum(points.value[numbers], process.value[corners:known])
    for k in range(known, known + new):
        block = int(process.points.home[k])
        size, at = int(search.sizes[block]), int(state.used[WEIGHTS])
        state.tree.weight[at : at + size] = process.points.weight[k, :size]
        node = np.int64(find_node(state, np.int64(block)))
        add_point(state, node, process.value[k])
        refresh(state, node)
    for block in range(search.blocks.size):
        first = int(search.blocks.first[block])
        for point in search.points(block):
            span = slice(*points.support[[point, point + 1]].tolist())
            worth = float(points.weight[span] @ points.corner[first + points.state[span]])
            points.excess[point] = points.value[point] - worth
    refresh(state, np.int64(ROOT))
