"""The backup at a point: one vector that is the best plan of one step more there, and a sound plan everywhere else."""

from __future__ import annotations

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.vectors.sets import Dynamics, VectorSets

Reached = list[list[Floats]]  # [slots] of [branches] of [points, the target's size]: where points lead, not normalised


def reach(steps: Dynamics, block: int, beliefs: Floats) -> Reached:
    """Where the points of a block lead: points stay while vectors change, so it is worked out once a sweep."""
    return [
        [np.asarray(steps.moves(slot, branch).T @ beliefs.T).T.copy() for branch in steps.branches(slot)]
        for slot in steps.slots(block)
    ]


def back_up(
    steps: Dynamics, sets: VectorSets, block: int, beliefs: Floats, reached: Reached, k: int
) -> tuple[Floats, int]:
    """The vector of the best action at point `k`, for each sight followed by the vector that is best then."""
    best, chosen, then = -np.inf, -1, list[int]()
    for slot, arrivals in zip(steps.slots(block), reached):
        worth, picks = float(beliefs[k] @ steps.reward(slot)), []
        for branch, arrival in zip(steps.branches(slot), arrivals):
            ahead = sets.vectors[steps.target(branch)] @ arrival[k]
            picks.append(int(ahead.argmax()))
            worth += float(ahead[picks[-1]])
        if worth > best:
            best, chosen, then = worth, slot, picks
    vector: Floats = steps.reward(chosen).copy()
    for branch, pick in zip(steps.branches(chosen), then):
        vector += steps.moves(chosen, branch) @ sets.vectors[steps.target(branch)][pick]
    return vector, chosen
