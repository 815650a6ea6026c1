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
from fogbound.solvers.one_sided.evidence.upper import seeing_all, upper_evidence

SWEEPS, CONVERGED = 10_000, 1e-9
MATCHED = 2e-9  # of the scale: matrix games of corners are solved again for the evidence, to half of this
MOST_RECORDS = 100_000  # vectors, points and facets up to which an answer is proven


def bounds_evidence(known: OneSidedBounds) -> Evidence:
    """What the independent checker needs, and the bounds that this proves; no more than it can look through."""
    lower, upper = known.bounds()
    if not bool(known.mask.all()):
        upper = known.base + known.scaled.scale * float(known.form.start @ seeing_all(known.scaled))
    records = int(known.arrays["used"][0]) - 2 * len(known.form.slot)
    if records > MOST_RECORDS:
        why = f"{records:,} vectors, points and facets are more than the {MOST_RECORDS:,} that are certified"
        return Evidence.missing(why, lower, max(lower, upper))
    found = evidence_arrays(known)
    upper += MATCHED * known.scaled.scale * float(found["toll"].max(initial=1.0))
    return Evidence(found, lower, max(lower, upper))


def evidence_arrays(known: OneSidedBounds) -> dict[str, NDArray[Any]]:
    """Arrays from which `fogbound.verify` computes both bounds in exact arithmetic.

    With a mask only vectors speak of the whole game; above, there is what the blind player could have if it saw all.
    """
    found: dict[str, NDArray[Any]] = {}
    if known.form.discount == 1:
        found["steps"] = longest_play(known.form)
    found |= lower_evidence(known)
    return found | upper_evidence(known, found.get("steps"))


def longest_play(form: OneSided) -> Floats:
    """[S] the expected number of steps for which play can last at most: without a discount, bounds rest on it."""
    cells = form.cells()
    owner = np.repeat(np.arange(form.size), np.diff(form.row))  # [K]
    parts = form.part_of_slot
    local = np.arange(int(form.pay[-1])) - np.repeat(form.pay[:-1], np.diff(form.pay))
    state = owner[local + np.repeat(form.row[form.first[parts]], np.diff(form.pay))]
    steps: Floats = np.ones(form.size)
    for _ in range(SWEEPS):
        check()
        ahead = 1 + np.bincount(cells, form.prob * steps[form.to], len(form.reward))
        found = np.zeros(form.size)
        np.maximum.at(found, state, ahead)
        change = float(np.abs(found - steps).max())
        steps = found
        if change <= CONVERGED:
            break
    return steps
