"""Where good play needs more beliefs than can be held one by one: SARSOP, whose planes speak for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fogbound.core.policy import AnyPolicy
from fogbound.evaluate.chain import value
from fogbound.progress import Desk
from fogbound.solvers.ladder.meeting import Meeting
from fogbound.solvers.ladder.process import process
from fogbound.solvers.ladder.reply import Reply
from fogbound.solvers.ladder.zero import machine_of
from fogbound.solvers.reachable.controllers import controller_of
from fogbound.solvers.reachable.search import Limits
from fogbound.solvers.sarsop import SARSOP

CLOSE, ANSWERS = 1e-6, 200  # a share of the largest value at which it is good enough; answers to wait for at most


def by_sarsop(meeting: Meeting, searched: Reply, kinds: Mapping[int, float], limits: Limits) -> Reply:
    """SARSOP's reply where it is worth more than the one that was searched for; the better of both upper bounds."""
    form = process(meeting, searched.asked.problem)
    close = CLOSE * meeting.survey.scale
    progress = None
    for number, progress in enumerate(SARSOP().run(form, Desk(np.random.default_rng(0), stopping=limits.stopping))):
        if progress.upper - progress.lower <= close or number >= ANSWERS or limits.stopping():
            break
    if progress is None:
        return searched
    shown = progress.evidence()
    lower = progress.lower if shown.lower is None else shown.lower
    upper = min(searched.upper, progress.upper if shown.upper is None else shown.upper)
    if lower <= searched.value:
        return replace(searched, upper=max(upper, searched.value))
    policy = progress.profile()[form.me]
    return replace(
        searched,
        machine=machine_of(meeting.table, meeting.mine, policy),
        value=lower,
        upper=max(upper, lower),
        settled=upper - lower <= close,
        against={kind: _worth(meeting, policy, kind) for kind in kinds},  # type: ignore[arg-type]
        by="sarsop",
    )


def _worth(meeting: Meeting, policy: AnyPolicy, kind: int) -> float:
    """What a policy earns against one kind of the other."""
    me = meeting.mine.seat
    other = controller_of(meeting.other, kind, meeting.table.actions)
    return value(meeting.table, {me: policy, 1 - me: other})[me]
