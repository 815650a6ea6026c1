"""The evidence for both bounds of a one-sided game, for the independent checker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.driver.protocol import Evidence
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.evidence.lower import lower_evidence
from fogbound.solvers.one_sided.evidence.upper import upper_evidence
from fogbound.solvers.one_sided.initial_bounds import seeing_all
from fogbound.solvers.one_sided.play.profile import evidence_profile

SWEEPS, CONVERGED = 10_000, 1e-9
MATCHED = 2e-9  # of the scale: matrix games of corners are solved again for the evidence, to half of this
MOST_RECORDS = 100_000  # vectors, points and facets up to which an answer is proven


def bounds_evidence(bounds: OneSidedBounds) -> Evidence:
    """What the independent checker needs, and the bounds that this proves.

    Parameters
    ----------
    bounds : OneSidedBounds
        With a mask they prove a lower bound; above, there is what the blind player could have if it saw all.

    Returns
    -------
    Evidence
        With the strategies that it speaks of. Without arrays, but with the reason, where there are more records than
        the checker can look through.
    """
    lower, upper = bounds.interval()
    if not bool(bounds.mask.all()):
        upper = bounds.base + bounds.scaled.scale * float(bounds.form.start @ seeing_all(bounds.scaled))
    records = int(bounds.arrays["used"][0]) - 2 * len(bounds.form.action_start)
    if records > MOST_RECORDS:
        reason = f"{records:,} vectors, points and facets are more than the {MOST_RECORDS:,} that are certified"
        return Evidence.missing(reason, lower, max(lower, upper))
    arrays = evidence_arrays(bounds)
    upper += MATCHED * bounds.scaled.scale * float(arrays["toll"].max(initial=1.0))
    return Evidence(arrays, lower, max(lower, upper), profile=lambda: evidence_profile(arrays, bounds.scaled))


def evidence_arrays(bounds: OneSidedBounds) -> dict[str, NDArray[Any]]:
    """Arrays from which `fogbound.verify` computes both bounds in exact arithmetic.

    With a mask only vectors speak of the whole game; above, there is what the blind player could have if it saw all.
    """
    arrays: dict[str, NDArray[Any]] = {}
    if bounds.form.discount == 1:
        arrays["steps"] = longest_play(bounds.form)
    arrays |= lower_evidence(bounds)
    return arrays | upper_evidence(bounds, arrays.get("steps"))


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
