"""The evidence for an upper bound: the points that matter for the start, each with its witnesses.

The search's values are what its backups found on the way. Here the points become a small decision process of their
own, each bounded by the others, and its values are settled until every claim holds: then the independent checker
has next to nothing to pay for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.pomdp import steps_left
from fogbound.solvers.pomdp.greedy import informed_evidence
from fogbound.solvers.pomdp.hsvi.kernels.witnesses import (
    CORNERS,
    NEVER,
    WHOLE_ACTION,
    Claims,
    Proof,
    bellman_sweep,
    choose_witnesses,
)
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch

SWEEPS = 3_000
ALL, STEP, TRIES = -1.0, 0.5, 30  # as a slack: every witness is the best; how fast the others fall, and how often
AT_ONCE = 100  # points that get their witnesses in one call
OWED, ROUNDING = 1e-4, 1e-12  # what may be left to pay: a share of the gap, or of the size of the values


@dataclass
class UpperPoints:
    """n points as tables, and the corners of this upper bound; point 0 is the start."""

    corner: Floats  # [N]
    home: Ints  # [n] block
    start: Ints  # [n+1]
    state: Ints  # local
    weight: Floats
    value: Floats  # [n]

    @property
    def rows(self) -> Ints:
        return np.repeat(np.arange(len(self.home)), np.diff(self.start))

    def masks(self) -> NDArray[np.int64]:
        """[n] 64 bits for the states of each point."""
        masks = np.zeros(len(self.home), np.int64)
        np.bitwise_or.at(masks, self.rows, np.left_shift(np.int64(1), self.state & 63))
        return masks

    def alone(self, first: Ints) -> Ints:
        """[N] the point on each state alone, -1 when there is none."""
        alone = np.full(len(self.corner), -1)
        single = np.flatnonzero(np.diff(self.start) == 1)[1:]
        alone[first[self.home[single]] + self.state[self.start[single]]] = single
        return alone

    def gap(self, first: Ints) -> Floats:
        """[n] how far each point's value lies below its corners."""
        rows = self.rows
        base = np.bincount(rows, weights=self.weight * self.corner[first[self.home[rows]] + self.state])
        return np.asarray(self.value - base)


def upper_evidence(search: HeuristicSearch, budget: float = np.inf) -> tuple[dict[str, NDArray[Any]], float]:
    """The arrays of the evidence, and the bound that they prove, in floats.

    Parameters
    ----------
    search
        Whose upper bound is shown.
    budget
        Work of the checker, in steps of `certify.shown.CheckSteps`. Where the points need more, claims are raised
        until fewer points do: the bound that is proven is then above the search's.
    """
    found = _chosen(search, budget, ALL)
    if found is None:  # from few points to many, so that each try costs more than all before
        lower, upper = search.bounds()
        for slack in (upper - lower) * STEP ** np.arange(TRIES):
            more = _chosen(search, budget, float(slack))
            if more is None:
                break
            found = more
    if found is None:
        return informed_evidence(search.blocks, search.arrays["informed"]), _informed_start(search)
    points, claims, proof, count = found
    owed = _settle(search, points, claims, proof, count)
    arrays, form = _arrays(search, points, proof.queue[:count], proof.begin, proof.witness), search.blocks.pomdp
    if form.discount == 1:
        arrays["steps_left"] = steps_left(form)
    return arrays, float(points.value[0]) + owed


def _chosen(search: HeuristicSearch, budget: float, slack: float) -> tuple[UpperPoints, Claims, Proof, int] | None:
    """Points with their witnesses, and how many are needed; None where these are more work than the budget."""
    points = _points(search)
    claims, proof = claims_of(search, points), empty_proof(search, points)
    count = witnesses(claims, proof, slack, budget / search.check_steps.point)
    return None if count < 0 else (points, claims, proof, count)


def witnesses(claims: Claims, proof: Proof, slack: float = ALL, states: float = np.inf) -> int:
    """Choose them for all points that are needed, and say how many those are; -1 once they have more `states`.

    A point takes up to some thousandths of a second, as all points of its successors are tried; so it is asked now and
    then whether somebody wants to stop.
    """
    done, count, size = 0, 0, np.diff(claims.start)
    while done == 0 or done < count:
        check()
        until = done + AT_ONCE
        places = (np.int64(done), np.int64(count), np.int64(until))
        count = int(choose_witnesses(claims, proof, *places, slack))
        if size[proof.queue[:count]].sum() > states:
            return -1
        done = min(until, count)
    return count


def claims_of(search: HeuristicSearch, points: UpperPoints) -> Claims:
    """The points as kernels see them, each block's sorted by how far they lie below the corners."""
    blocks = search.blocks
    gap = points.gap(blocks.first)
    listed = 1 + np.lexsort((gap[1:], points.home[1:]))
    return Claims(
        search.model,
        *(points.home, points.start, points.state, points.weight, points.value, gap, points.masks()),
        listed=listed,
        lists=np.searchsorted(points.home[listed], np.arange(blocks.size + 1)),
        alone=points.alone(blocks.first),
        corner=points.corner,
        informed=search.arrays["informed"],
    )


def empty_proof(search: HeuristicSearch, points: UpperPoints) -> Proof:
    """Room for the witnesses of all points."""
    blocks, n = search.blocks, len(points.home)
    room = np.add.reduceat(np.maximum(np.diff(blocks.outcome), 1), blocks.choice[:-1])[points.home]
    return Proof(
        queue=np.zeros(n, np.int64),
        needed=np.zeros(n, bool),
        reach=np.zeros(n),
        begin=np.zeros(n + 1, np.int64),
        witness=np.zeros(int(room.sum()), np.int64),
        beta=np.zeros(int(np.diff(blocks.first).max())),
    )


def _points(search: HeuristicSearch) -> UpperPoints:
    """The start, improved corners, and every point in the search's lists."""
    blocks, known, corner, top = search.blocks, search.state.points, search.state.points.corner.copy(), _tops(search)
    _share_corners(blocks.state, corner, top)
    better = np.flatnonzero(corner < top)
    better = better[better > 0]
    home, states, weights, values = [0], [np.zeros(1, np.int64)], [np.ones(1)], [search.bounds()[1]]
    for member in better.tolist():
        home.append(int(blocks.block[member]))
        states.append(np.array([member - blocks.first[home[-1]]]))
        weights.append(np.ones(1))
        values.append(float(corner[member]))
    for block in range(1, blocks.size):
        for point in search.points(block):
            support = slice(*known.support[[point, point + 1]].tolist())
            home.append(block)
            states.append(known.state[support])
            weights.append(known.weight[support])
            values.append(float(known.value[point]))
    start = np.concatenate([[0], np.cumsum([len(s) for s in states])])
    return UpperPoints(corner, np.array(home), start, np.concatenate(states), np.concatenate(weights), np.array(values))


def _informed_start(search: HeuristicSearch) -> float:
    """The fast informed bound of the start."""
    blocks, rows, total = search.blocks, search.arrays["informed"], float(search.blocks.reward[0])
    for outcome in range(blocks.outcome[0], blocks.outcome[1]):
        span = slice(blocks.start[blocks.begin[outcome]], blocks.start[blocks.begin[outcome] + 1])
        target = int(blocks.target[outcome])
        at = blocks.offset[blocks.choice[target] : blocks.choice[target + 1]]
        total += float((rows[at[:, None] + blocks.to[span]] @ blocks.weight[span]).max())
    return total


def _tops(search: HeuristicSearch) -> Floats:
    """[N] the fast informed bound of each state alone."""
    blocks = search.blocks
    rows, top = len(blocks.reward), np.full(len(blocks.state), -np.inf)
    of_choice = np.repeat(np.arange(blocks.size), np.diff(blocks.choice))
    local = np.arange(rows) - np.repeat(blocks.offset[:-1], np.diff(blocks.offset))
    np.maximum.at(top, blocks.first[np.repeat(of_choice, np.diff(blocks.offset))] + local, search.arrays["informed"])
    return top


def _share_corners(state: Ints, corner: Floats, top: Floats) -> None:
    """A state that also has a copy in a starting block has the same value in both: the lower bounds hold for both."""
    for values in (corner, top):
        least = np.full(int(state.max(initial=0)) + 2, np.inf)
        np.minimum.at(least, state, values)
        values[:] = least[state]


def _settle(search: HeuristicSearch, points: UpperPoints, claims: Claims, proof: Proof, count: int) -> float:
    """Sweep until the needed points claim next to nothing that their witnesses do not allow. What that still costs."""
    blocks, mine = search.blocks, proof.queue[:count]
    single = mine[np.diff(points.start)[mine] == 1]
    single = single[single > 0]
    where = blocks.first[points.home[single]] + points.state[points.start[single]]
    top = _tops(search)[where]
    after, scale = np.zeros(len(points.home)), max(1e-300, float(np.abs(points.value).max()))
    lower, upper = search.bounds()
    allowed = max(OWED * (upper - lower), ROUNDING * scale)
    owed, horizon = np.inf, search.horizon()
    for _ in range(SWEEPS):
        check()
        bellman_sweep(claims, proof, count, after)
        owed = max(0.0, float((after[mine] - points.value[mine]).max())) * horizon
        if owed <= allowed:
            break
        points.value[mine] = after[mine]
        points.corner[where] = np.minimum(top, points.value[single])
        claims.gap[:] = points.gap(blocks.first)
    return owed


def _arrays(
    search: HeuristicSearch, points: UpperPoints, queue: Ints, begin: Ints, witness: Ints
) -> dict[str, NDArray[Any]]:
    """The evidence in the checker's layout: the POMDP's own states, observations in their order."""
    blocks = search.blocks
    number = np.full(len(points.home), -1)
    number[queue[1:]] = np.arange(len(queue) - 1)
    named = np.where(witness >= 0, number[np.maximum(witness, 0)], witness)
    pointers, flat, mute = [0], list[int](), _mute(search)
    for p, point in enumerate(queue.tolist()):
        check()
        at = int(begin[p])
        for choice in range(blocks.choice[points.home[point]], blocks.choice[points.home[point] + 1]):
            flat += _slice(search, points, point, choice, named, at, mute)
            at += max(int(blocks.outcome[choice + 1] - blocks.outcome[choice]), 1)
            pointers.append(len(flat))
        if p == 0:
            root, pointers, flat = flat, [0], []
    kept = queue[1:]
    sizes = np.diff(points.start)[kept]
    places = np.repeat(points.start[kept] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    home = np.repeat(points.home[kept], sizes)
    return {
        "point_start": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        "point_state": blocks.state[blocks.first[home] + points.state[places]].astype(np.int64),
        "point_weight": points.weight[places],
        "point_value": points.value[kept],
        "witness_start": np.array(pointers, np.int64),
        "witness": np.array(flat, np.int64),
        "root": np.array(root, np.int64),
        "fib": search.informed_rows(),
    }


def _slice(
    search: HeuristicSearch, points: UpperPoints, point: int, choice: int, named: Ints, at: int, mute: NDArray[np.bool_]
) -> list[int]:
    """Witnesses of one point and action: one for each observation that can come, also where play is then over."""
    blocks, form = search.blocks, search.blocks.pomdp
    first, last = int(blocks.outcome[choice]), int(blocks.outcome[choice + 1])
    if named[at] == WHOLE_ACTION:
        return [WHOLE_ACTION]
    chosen = named[at : at + last - first]
    if not mute[choice]:
        return [w for w in chosen.tolist() if w != NEVER]
    block = int(points.home[point])
    members = blocks.first[block] + points.state[points.start[point] : points.start[point + 1]]
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
