"""Evidence for the upper bound of a search: all of it, or as much as can be checked in time.

The evidence is the points that matter for the start, each with its witnesses. The search's values are what its backups
found on the way. Here the points become a small decision process of their own, each bounded by the others, and its
values are settled until every claim holds: then the independent checker has next to nothing to pay for.

For a check that must not take long, claims may be raised: by a slack at the start, and by more with every step ahead,
as the discount allows. Then the fast informed bound does for most actions, and fewer points are needed. The slack is
lowered as long as the check still fits. Claims are rounded up to a grid, since short integers are quickly checked.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Ints, offsets
from fogbound.forms.pomdp import steps_left
from fogbound.solvers.pomdp.greedy import informed_evidence
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import POINTS, SUPPORTS
from fogbound.solvers.pomdp.hsvi.kernels.witnesses import (
    CORNERS,
    NEVER,
    WHOLE_ACTION,
    Claims,
    Proof,
    bellman_sweep,
    check_steps,
    choose_witnesses,
    improve_witnesses,
)
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.hsvi.settled_points import WitnessedPoints

SWEEPS = 3_000
ALL = -1.0  # as a slack: every witness is the best
STEP, LEAST_STEP, FINEST = 0.8, 0.9, 60  # the factor from one slack to the next, at first and in the end; how often
COARSE = 1e-6  # of the gap: what rounding the numbers of thinned evidence may cost
AT_ONCE, FEW = 100, 10  # points that get their witnesses in one call; and that get better ones
OWED, ROUNDING = 1e-4, 1e-12  # what may be left to pay: a share of the gap, or of the size of the values
MAKING = 0.3  # of the checker's steps: what settling the claims and writing them down may take beside
HOPELESS = 4.0  # times the budget: more is not tried whole
SMALLER, LEAST_PART = 0.7, 1 / 16  # of the part of the budget tried before, where that was too much; and at the least

Budget = Callable[[], float]  # the steps of the checker (`certificates.pomdp.CheckSteps`) that still fit, now


def unlimited() -> float:
    """The budget of evidence that nobody waits for."""
    return np.inf


def point_evidence(search: HeuristicSearch, budget: Budget = unlimited) -> tuple[dict[str, NDArray[Any]], float]:
    """The arrays of the evidence, and the bound that they prove, in floats.

    Parameters
    ----------
    search
        Whose upper bound is shown.
    budget
        What the check may take. Where the points need more, claims are raised until fewer points do: the bound that is
        proven is then above the search's.
    """
    chosen, informed = _chosen(search, budget), search.arrays["informed"]
    trivial, upper = search.mdp.bound_at_start(informed), np.inf
    if chosen is not None:
        upper = _settled(search, chosen)
    if chosen is None or upper > trivial:
        return informed_evidence(search.mdp, informed), trivial
    arrays, form = _arrays(search, chosen), search.blocks.pomdp
    if form.discount == 1:
        arrays["steps_left"] = steps_left(form)
    return arrays, upper


def _settled(search: HeuristicSearch, chosen: Choosing) -> float:
    """Settle the claims, rounded up to the grid; the bound that they prove, in floats."""
    claims, steps, budget = chosen.claims, chosen.steps, chosen.budget
    owed = _settle(search, claims, chosen.proof, chosen.count, lambda: budget() > steps)
    claims.value[:] = _rounded_up(claims.value, chosen.grid)
    horizon = max(search.horizon(), 1.0)
    violation = owed / horizon + chosen.grid  # of a step, also of the first
    return float(claims.value[0]) + violation * (horizon + 1)


class Choosing:
    """The points that are needed for the start, with the witnesses that they have so far, and the checker's steps.

    Parameters
    ----------
    claims, proof
        The points, and room for their witnesses.
    budget, part
        What choosing, making and checking may take, and how much of it is to be used.
    grid
        What claims become multiples of: the checker's integers are then short. 0 = they stay as they are.
    """

    def __init__(
        self, claims: Claims, proof: Proof, budget: Budget = unlimited, part: float = 1.0, grid: float = 0.0
    ) -> None:
        self.claims, self.proof, self.budget, self.part, self.grid = claims, proof, budget, part, grid
        self.done, self.count, self.steps = 0, 0, 0.0  # points with witnesses, points in all, steps of those with some
        self.began = budget()

    def whole(self, slack: float = ALL) -> bool:
        """Choose witnesses for all points that are needed; False where that would be too late.

        A point takes up to some thousandths of a second, as all points of its successors are tried; so it is asked now
        and then whether somebody wants to stop.
        """
        while self.done == 0 or self.done < self.count:
            check()
            if self.late:
                return False
            self._next(slack, AT_ONCE)
        return not self.late

    def finer(self, slack: float) -> Choosing | None:
        """The same with better witnesses where a claim fails that is raised by `slack`; None where that is too late."""
        finer = Choosing(self.claims, deepcopy(self.proof), self.budget, self.part, self.grid)
        finer.done, finer.count, finer.began = self.done, self.count, self.began
        return finer if finer._improve(slack) else None

    def _improve(self, slack: float) -> bool:
        for first in range(0, self.done, FEW):
            check()
            places = (np.int64(first), np.int64(min(first + FEW, self.done)), np.int64(self.count))
            self.count = int(improve_witnesses(self.claims, self.proof, *places, slack))
            if self.late:
                return False
        self.proof.built[:] = False
        self.steps = float(check_steps(self.claims, self.proof, np.int64(0), np.int64(self.done)))
        return self.whole(slack)

    @property
    def late(self) -> bool:
        """Whether the check would not fit once the points that wait have witnesses too, as fast as those before."""
        left = self.budget()
        waiting = (self.count - self.done) * (self.began - left) / max(self.done, 1)
        return self.expected * (1 + MAKING) + waiting > self.part * left

    @property
    def expected(self) -> float:
        """The checker's steps, with those of points that wait for witnesses."""
        return self.steps * self.count / max(self.done, 1)

    def _next(self, slack: float, many: int) -> None:
        """Choose the witnesses of those points in the queue that come next."""
        before, until = self.done, self.done + many
        places = (np.int64(before), np.int64(self.count), np.int64(until))
        self.count = int(choose_witnesses(self.claims, self.proof, *places, slack))
        self.done = min(until, self.count)
        self.steps += float(check_steps(self.claims, self.proof, np.int64(before), np.int64(self.done)))


def _chosen(search: HeuristicSearch, budget: Budget) -> Choosing | None:
    """The best witnesses where their check fits, else those of as many points as do; None where that is none."""
    if points_work(search) <= HOPELESS * budget():
        claims = claims_of(search)
        every = Choosing(claims, empty_proof(search, claims), budget)
        if every.whole():
            return every
    part = 1.0
    while part >= LEAST_PART and budget() > 0:
        fewer = _oldest(search, budget, part) if search.near_one else _within(search, budget, part)
        if fewer is not None and fewer.steps * (1 + MAKING / 2) <= budget():
            return fewer
        part *= SMALLER
    return None


def _oldest(search: HeuristicSearch, budget: Budget, part: float) -> Choosing | None:
    """Witnesses among the points that were found first, as many as fit: they matter most, and are settled anew."""
    points, states = search.state.points, part * budget() / search.check_steps.point
    number = np.sort([point for block in range(search.blocks.size) for point in search.points(block)])
    size = points.support[number + 1] - points.support[number] if len(number) else number
    many = int(np.searchsorted(np.cumsum(size), states - len(search.blocks.state), side="right"))
    if not many:
        return None
    claims = claims_of(search, int(number[many - 1]) + 1)
    choosing = Choosing(claims, empty_proof(search, claims), budget)
    return choosing if choosing.whole() else None


def _within(search: HeuristicSearch, budget: Budget, part: float) -> Choosing | None:
    """Witnesses for claims that are raised by much, then by less and less, until no more fit."""
    grid = _grid(search)
    claims = claims_of(search, grid=grid)
    slack, step, fitting = search.mdp.bound_at_start(claims.informed) - search.bounds()[1], STEP, False
    choosing = Choosing(claims, empty_proof(search, claims), budget, part, grid)
    for _ in range(FINEST):
        finer = choosing.finer(slack * step)
        if finer is not None:
            slack, choosing, fitting = slack * step, finer, True
        elif step < LEAST_STEP:
            step = float(np.sqrt(step))
        else:
            break
    return choosing if fitting else None


def _grid(search: HeuristicSearch) -> float:
    """A power of two such that rounding all claims up to its multiples costs `COARSE` of the gap; 0 without a gap."""
    lower, upper = search.bounds()
    cost = COARSE * (upper - lower) / (search.horizon() + 1)
    return float(2.0 ** np.floor(np.log2(cost))) if cost > 0 else 0.0


def _rounded_up(values: Floats, grid: float) -> Floats:
    """The next multiples of the grid."""
    return np.ceil(values / grid) * grid if grid > 0 else values


def points_work(search: HeuristicSearch) -> float:
    """About how many steps the check of all points would take."""
    points, used = float(search.state.points.count.sum()), search.state.used
    return points * float(used[SUPPORTS] / max(used[POINTS], 1)) * search.check_steps.point


def claims_of(search: HeuristicSearch, before: float = np.inf, grid: float = 0.0) -> Claims:
    """The start, improved corners, and every point in the search's lists; of a block, the deepest below it first.

    Of points those alone whose number is less than `before`. The fast informed bound is rounded up to the grid.
    """
    informed = _rounded_up(search.arrays["informed"], grid)
    blocks, known, corner = search.blocks, search.state.points, search.state.points.corner.copy()
    top, rounded = search.mdp.best(search.arrays["informed"]), search.mdp.best(informed)
    for shared in (corner, top, rounded):
        _share_corners(blocks.state, shared)
    corner = np.where(corner < top, corner, rounded)
    better = np.flatnonzero(corner < top)
    better = better[better > 0]
    homes, states, weights, values = [0], [np.zeros(1, np.int64)], [np.ones(1)], [search.bounds()[1]]
    for member in better.tolist():
        homes.append(int(blocks.block[member]))
        states.append(np.array([member - blocks.first[homes[-1]]]))
        weights.append(np.ones(1))
        values.append(float(corner[member]))
    for block in range(1, blocks.size):
        for point in (number for number in search.points(block) if number < before):
            support = slice(*known.support[[point, point + 1]].tolist())
            homes.append(block)
            states.append(known.state[support])
            weights.append(known.weight[support])
            values.append(float(known.value[point]))
    home, state, start = np.array(homes), np.concatenate(states), offsets(np.array([len(own) for own in states]))
    mask, alone = np.zeros(len(home), np.int64), np.full(len(corner), -1)
    np.bitwise_or.at(mask, _owners(start), np.left_shift(np.int64(1), state & 63))
    single = 1 + np.arange(len(better))
    alone[better] = single
    columns = home, start, state, np.concatenate(weights), np.array(values)
    gap = _below_corners(search, corner, *columns)
    listed = 1 + np.lexsort((gap[1:], home[1:]))
    lists = np.searchsorted(home[listed], np.arange(blocks.size + 1))
    return Claims(search.model, *columns, gap, mask, _supports(home, states), listed, lists, alone, corner, informed)


def _supports(home: Ints, states: list[Ints]) -> Ints:
    """[points] the number of each point's set of states."""
    number: dict[tuple[int, bytes], int] = {}
    lists = zip(home.tolist(), states)
    return np.array([number.setdefault((block, np.sort(own).tobytes()), len(number)) for block, own in lists], np.int64)


def _owners(start: Ints) -> Ints:
    """[entries] the point of each entry."""
    return np.repeat(np.arange(len(start) - 1), np.diff(start))


def _below_corners(
    search: HeuristicSearch, corner: Floats, home: Ints, start: Ints, state: Ints, weight: Floats, value: Floats
) -> Floats:
    """[points] how far each point's value lies below its corners."""
    rows = _owners(start)
    return np.asarray(value - np.bincount(rows, weights=weight * corner[search.blocks.first[home[rows]] + state]))


def empty_proof(search: HeuristicSearch, claims: Claims) -> Proof:
    """Room for the witnesses of all points."""
    blocks, n = search.blocks, len(claims.home)
    room = np.add.reduceat(np.maximum(np.diff(blocks.outcome), 1), blocks.choice[:-1])[claims.home]
    return Proof(
        queue=np.zeros(n, np.int64),
        needed=np.zeros(n, bool),
        depth=np.zeros(n, np.int64),
        growth=np.array([1 / blocks.pomdp.discount if blocks.pomdp.discount > 0 else 1.0]),
        begin=np.zeros(n + 1, np.int64),
        witness=np.zeros(int(room.sum()), np.int64),
        beta=np.zeros(int(np.diff(blocks.first).max())),
        built=np.zeros((int(claims.support.max()) + 1, int(np.diff(blocks.choice).max())), bool),
    )


def _share_corners(state: Ints, values: Floats) -> None:
    """A state that also has a copy in a starting block has the same value in both: the lower bounds hold for both."""
    least = np.full(int(state.max(initial=0)) + 2, np.inf)
    np.minimum.at(least, state, values)
    values[:] = least[state]


def _settle(search: HeuristicSearch, claims: Claims, proof: Proof, count: int, in_time: Callable[[], bool]) -> float:
    """Sweep until the needed points claim next to nothing that their witnesses do not allow. What that still costs."""
    blocks, mine = search.blocks, proof.queue[:count]
    single = mine[np.diff(claims.start)[mine] == 1]
    single = single[single > 0]
    where = blocks.first[claims.home[single]] + claims.state[claims.start[single]]
    top = search.mdp.best(claims.informed)[where]
    after, scale = np.zeros(len(claims.home)), max(1e-300, float(np.abs(claims.value).max()))
    lower, upper = search.bounds()
    allowed = max(OWED * (upper - lower), ROUNDING * scale)
    owed, horizon = np.inf, search.horizon()
    for sweep in range(SWEEPS):
        check()
        if sweep == 1 and search.near_one:
            after[mine] = WitnessedPoints(search.mdp, claims, proof, count).values()
        else:
            bellman_sweep(claims, proof, count, after)
        owed = max(0.0, float((after[mine] - claims.value[mine]).max())) * horizon
        if owed <= allowed or not in_time():
            break
        claims.value[mine] = after[mine]
        claims.corner[where] = np.minimum(top, claims.value[single])
        columns = claims.home, claims.start, claims.state, claims.weight, claims.value
        claims.gap[:] = _below_corners(search, claims.corner, *columns)
    return owed


def _arrays(search: HeuristicSearch, chosen: Choosing) -> dict[str, NDArray[Any]]:
    """The evidence in the checker's layout: the POMDP's own states, observations in their order."""
    blocks, claims, queue = search.blocks, chosen.claims, chosen.proof.queue[: chosen.count]
    begin, witness = chosen.proof.begin, chosen.proof.witness
    number = np.full(len(claims.home), -1)
    number[queue[1:]] = np.arange(len(queue) - 1)
    named = np.where(witness >= 0, number[np.maximum(witness, 0)], witness)
    pointers, flat, mute = [0], list[int](), _mute(search)
    for p, point in enumerate(queue.tolist()):
        check()
        at = int(begin[p])
        for choice in range(blocks.choice[claims.home[point]], blocks.choice[claims.home[point] + 1]):
            flat += _slice(search, claims, point, choice, named, at, mute)
            at += max(int(blocks.outcome[choice + 1] - blocks.outcome[choice]), 1)
            pointers.append(len(flat))
        if p == 0:
            root, pointers, flat = flat, [0], []
    kept = queue[1:]
    sizes = np.diff(claims.start)[kept]
    places = np.repeat(claims.start[kept] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    home = np.repeat(claims.home[kept], sizes)
    return {
        "point_start": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "point_state": blocks.state[blocks.first[home] + claims.state[places]].astype(np.int64),
        "point_weight": claims.weight[places],
        "point_value": claims.value[kept],
        "witness_start": np.array(pointers, np.int64),
        "witness": np.array(flat, np.int64),
        "root": np.array(root, np.int64),
        "fib": search.mdp.by_rows(claims.informed),
    }


def _slice(
    search: HeuristicSearch, claims: Claims, point: int, choice: int, named: Ints, at: int, mute: NDArray[np.bool_]
) -> list[int]:
    """Witnesses of one point and action: one for each observation that can come, also where play is then over."""
    blocks, form = search.blocks, search.blocks.pomdp
    first, last = int(blocks.outcome[choice]), int(blocks.outcome[choice + 1])
    if named[at] == WHOLE_ACTION:
        return [WHOLE_ACTION]
    chosen = named[at : at + last - first]
    if not mute[choice]:
        return [w for w in chosen.tolist() if w != NEVER]
    block = int(claims.home[point])
    members = blocks.first[block] + claims.state[claims.start[point] : claims.start[point + 1]]
    rows = form.row[blocks.state[members]] + choice - blocks.choice[block] if point else np.zeros(1, np.int64)
    seen = [form.obs[o] for r in rows for o in range(form.out[r], form.out[r + 1]) if form.prob[o] > 0]
    by_sight = dict(zip(blocks.obs[first:last].tolist(), np.where(chosen == NEVER, CORNERS, chosen).tolist()))
    return [by_sight.get(int(z), CORNERS) for z in np.unique(seen)]


def _mute(search: HeuristicSearch) -> NDArray[np.bool_]:
    """[Q] choices after which play can be over: such observations have no outcome, but do come."""
    blocks, form = search.blocks, search.blocks.pomdp
    over = np.diff(form.row) == 0
    ends = np.logical_or.reduceat(over[form.next], form.out[:-1])  # [R]
    mute = np.full(len(blocks.action), form.discount == 0)  # then nothing weighs anything, but all is still seen
    for block in range(blocks.size):
        states = blocks.state[blocks.first[block] : blocks.first[block + 1]]
        for k in range(int(blocks.choice[block + 1] - blocks.choice[block])):
            rows = form.row[states] + k if block else np.zeros(1, np.int64)
            mute[blocks.choice[block] + k] = ends[rows].any()
    return mute
