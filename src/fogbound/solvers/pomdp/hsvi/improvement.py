"""The loop of Algorithm 1: trials that take turns, each followed by its backups, until enough work is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fogbound.core.errors import LimitError
from fogbound.driver.stops import StopReason
from fogbound.solvers.pomdp.hsvi.hull import lower_by_hull
from fogbound.solvers.pomdp.hsvi.kernels.backup import evaluate_vectors, refresh
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import (
    BACKUPS,
    FINENESS,
    HULL_AT,
    IDLE,
    LIFTED_AT,
    LIMIT_WORK,
    POINTS,
    ROOT,
    TRIALS,
    VECTORS,
    WORK,
)
from fogbound.solvers.pomdp.hsvi.kernels.trials import BEGIN, DONE, PAUSE, UP, run_trial
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch

Trials = Sequence[tuple[int, float]]  # kinds of trial that take turns: a rule, and epsilon as a share of the root's gap
WORTH_NOTING = 1e-3  # gains below this share of the gap make no vector and no point ...
PATIENCE = 20  # steps: in longer games a step gains so much less, and that is worth noting too
LIFT_AFTER, LIFT_GROWTH = 20, 1.1  # vectors are evaluated again when their number has grown by this factor
AT_ONCE = 5_000_000  # multiplications of a trial between two looks at the clock: some hundredths of a second
HULL_AFTER = 32  # trials until the first linear programs; then whenever there were four times as many


def improve_bounds(
    search: HeuristicSearch,
    trials: Trials,
    work: int,
    most: float = np.inf,
    stopping: Callable[[], bool] = lambda: False,
    hull: bool = False,
) -> bool:
    """Algorithm 1 until about so much work is done; whether the bounds have met, or nothing more can be gained.

    There are `most` trials in all, and none when it is `stopping`; with `hull`, linear programs now and then. When no
    kind of trial finds anything worth noting down, less becomes enough.
    """
    count, used, patience = search.state.count, search.state.used, min(1.0, PATIENCE / search.horizon())
    count[LIMIT_WORK] = count[WORK] + work
    while count[WORK] <= count[LIMIT_WORK] and count[TRIALS] + 1 < most and not stopping():
        if hull and count[TRIALS] >= 4 * count[HULL_AT] + HULL_AFTER:
            count[HULL_AT] = count[TRIALS]
            lower_by_hull(search)
        if search.met():
            return True
        lower, upper = search.bounds()
        least = WORTH_NOTING * patience * (upper - lower) * 0.1 ** int(count[FINENESS])
        rule, share = trials[int(count[TRIALS]) % len(trials)]
        known = used[VECTORS] + used[POINTS]
        if not _sample_and_back_up(search, rule, share, least, stopping):
            return True
        count[TRIALS] += 1
        if used[VECTORS] > LIFT_AFTER + LIFT_GROWTH * count[LIFTED_AT]:
            evaluate_vectors(search.state, np.int64(search.blocks.size))
            refresh(search.state, np.int64(ROOT))
        count[IDLE] = count[IDLE] + 1 if used[VECTORS] + used[POINTS] == known else 0
        if count[IDLE] >= len(trials):
            count[FINENESS] += 1
            count[IDLE] = 0
    return False


def _sample_and_back_up(
    search: HeuristicSearch, rule: int, share: float, least: float, stopping: Callable[[], bool]
) -> bool:
    """SAMPLE and BACKUP, given room as they ask for it; False where there is no memory left.

    Where beliefs had to be forgotten for it the trial is over: its path is void. A trial that must stop is cut short.
    """
    path, count = search.path, search.state.count
    path.at[0], began = BEGIN, (int(count[WORK]), int(count[BACKUPS]))
    while True:
        path.at[2] = count[WORK] + AT_ONCE
        status = run_trial(search.state, path, rule, share, least)
        if status == DONE:
            return True
        if status == PAUSE:
            if stopping():
                _cut_short(search, rule, share, least, (count[WORK] - began[0]) / max(count[BACKUPS] - began[1], 1))
                return True
            continue
        try:
            if search.make_room(4 * search.room):
                return True
        except LimitError:
            search.unfinished = StopReason.MEMORY  # the answer so far is as good as that allows
            return False


def _cut_short(search: HeuristicSearch, rule: int, share: float, least: float, backup_work: float) -> None:
    """Back up the beliefs of a path that are nearest to the root, as many as one look at the clock allows."""
    path = search.path
    deepest = int(min(path.at[1] - (path.at[0] != UP), AT_ONCE / max(backup_work, 1.0)))
    path.at[:] = UP, deepest, search.state.count[WORK] + 2 * AT_ONCE
    run_trial(search.state, path, rule, share, least)
