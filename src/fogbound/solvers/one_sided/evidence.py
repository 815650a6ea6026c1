"""The evidence for both bounds of a one-sided game, for the independent checker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.evidence_lower import lower_evidence
from fogbound.solvers.one_sided.evidence_upper import upper_evidence

SWEEPS, SETTLED = 10_000, 1e-9


def evidence(known: Bounded) -> dict[str, NDArray[Any]]:
    """Arrays from which `fogbound.verify` computes both bounds in exact arithmetic.

    With a mask only the lower bound is about the whole game, so only that is proven.
    """
    found: dict[str, NDArray[Any]] = {}
    if known.form.discount == 1:
        found["steps"] = longest(known.form)
    found |= lower_evidence(known)
    return found | upper_evidence(known, found.get("steps")) if bool(known.mask.all()) else found


def longest(form: OneSided) -> Floats:
    """[S] the expected number of steps for which play can last at most: without a discount, bounds rest on it."""
    cells = form.cells()
    owner = np.repeat(np.arange(form.size), np.diff(form.row))  # [K]
    parts = form.part_of_slot
    local = np.arange(int(form.pay[-1])) - np.repeat(form.pay[:-1], np.diff(form.pay))
    state = owner[local + np.repeat(form.row[form.first[parts]], np.diff(form.pay))]
    steps: Floats = np.ones(form.size)
    for _ in range(SWEEPS):
        ahead = 1 + np.bincount(cells, form.prob * steps[form.to], len(form.reward))
        found = np.zeros(form.size)
        np.maximum.at(found, state, ahead)
        change = float(np.abs(found - steps).max())
        steps = found
        if change <= SETTLED:
            break
    return steps
