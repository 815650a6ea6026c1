"""A rung's problem as a POMDP of its own, for other solvers and for the independent checker."""

from __future__ import annotations

import numpy as np

from fogbound.forms.pomdp import POMDP
from fogbound.kernels.meeting import POINTS
from fogbound.solvers.ladder.meeting import Meeting
from fogbound.solvers.reachable.survey import Problem


def process(meeting: Meeting, problem: Problem) -> POMDP:
    """The POMDP that `problem` poses, with the states it can reach; `names` are (state of the game, node)."""
    pairs, table = meeting.pairs, meeting.table
    kept = reached(meeting, problem)
    number = np.full(int(meeting.count[POINTS]), -1, np.int64)
    number[kept] = np.arange(len(kept))
    rows = np.concatenate([np.arange(pairs.row[p], pairs.row[p + 1]) for p in kept.tolist()])
    outs = np.concatenate([np.arange(pairs.out[r], pairs.out[r + 1]) for r in rows.tolist()])
    begun = len(problem.state)
    wide = pairs.out[rows + 1] - pairs.out[rows]
    return POMDP(
        spec=table.spec,
        discount=table.discount,
        row=np.concatenate([[1], 1 + np.cumsum(pairs.row[kept + 1] - pairs.row[kept])]).astype(np.int32),
        action=np.concatenate([[-1], pairs.action[rows]]).astype(np.int32),
        out=np.concatenate([[0, begun], begun + np.cumsum(wide)]).astype(np.int32),
        next=number[np.concatenate([problem.state, pairs.next[outs]])].astype(np.int32),
        obs=np.concatenate([problem.seen, pairs.obs[outs]]).astype(np.int32),
        prob=np.concatenate([problem.chance, pairs.prob[outs]]),
        reward=np.concatenate([[problem.paid], pairs.reward[rows]]),
        actions=table.actions,
        observations=meeting.mine.observations,
        menus=tuple(table.menu_labels(m) for m in range(len(table.menu_size))),
        me=meeting.mine.seat,
        names=tuple((table.states[int(pairs.state[p])], int(pairs.node[p])) for p in kept.tolist()),
    )


def reached(meeting: Meeting, problem: Problem) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The states that a problem can lead to, in the order in which they are met."""
    pairs = meeting.pairs
    found = dict.fromkeys(problem.state.tolist())
    queue = list(found)
    for point in queue:  # grows while it is walked
        for after in pairs.next[pairs.out[pairs.row[point]] : pairs.out[pairs.row[point + 1]]].tolist():
            if after not in found:
                found[after] = None
                queue.append(after)
    return np.array(queue, np.int64)
