"""The likelihood of a player's own moves when hands are shown: the product of what it would have done each time.

Chance and the other seats enter alike under every candidate, so they cancel and are left out.
"""

from __future__ import annotations

import math

import numpy as np

from fogbound.arena.levels.histories import ROOT, Histories
from fogbound.core.policy import Player
from fogbound.forms.product import WAIT, Fixed
from fogbound.forms.table import Floats

NEVER = -1  # the memory of a candidate that cannot have come here


def shown(histories: Histories, policy: Player) -> Floats:
    """[nodes] the log probability that `policy` made the moves on the way to each node of its own histories."""
    fixed = Fixed(histories.table, histories.seat, policy)
    kinds = [_of_kind(histories, fixed, kind) for kind in range(len(fixed.types))]
    if len(kinds) == 1:
        return kinds[0]
    found: Floats = np.logaddexp.reduce([math.log(p) + log for p, log in zip(fixed.prior, kinds)], axis=0)
    return found


def _of_kind(histories: Histories, fixed: Fixed, kind: int) -> Floats:
    """The same for one of the policies that a mixture may turn out to be."""
    logs: list[float] = []
    memories: list[int] = []
    h = histories
    for parent, action, seen, menu, place, goes_on in zip(h.parent, h.action, h.seen, h.menu, h.place, h.goes_on):
        if parent == ROOT:
            logs.append(0.0)
            memories.append(fixed.begin(seen)[kind][0])
            continue
        memory, log = memories[parent], logs[parent]
        if memory != NEVER and action != WAIT:
            p = dict(fixed.act(memory, menu)).get(place, 0.0)
            log += math.log(p) if p > 0 else -math.inf
        alive = goes_on and log > -math.inf
        logs.append(log)
        memories.append(fixed.update(memory, action, seen) if alive else NEVER)
    return np.array(logs)
