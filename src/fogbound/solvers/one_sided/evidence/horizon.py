"""How long play of a one-sided game can last at most: without a discount, bounds rest on it."""

from __future__ import annotations

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided

SWEEPS, CONVERGED = 10_000, 1e-9


def longest_play(form: OneSided) -> Floats:
    """[S] the expected number of steps for which play can last at most: without a discount, bounds rest on it."""
    cells = form.cells()
    owner = np.repeat(np.arange(form.size), np.diff(form.reply_start))  # [K]
    parts = form.part_of_action
    local = np.arange(int(form.reward_start[-1])) - np.repeat(form.reward_start[:-1], np.diff(form.reward_start))
    state = owner[local + np.repeat(form.reply_start[form.state_start[parts]], np.diff(form.reward_start))]
    steps: Floats = np.ones(form.size)
    for _ in range(SWEEPS):
        check()
        ahead = 1 + np.bincount(cells, form.prob * steps[form.to], len(form.reward))
        longer = np.zeros(form.size)
        np.maximum.at(longer, state, ahead)
        change = float(np.abs(longer - steps).max())
        steps = longer
        if change <= CONVERGED:
            break
    return steps
