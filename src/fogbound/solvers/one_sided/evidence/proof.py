"""The evidence for both bounds of a one-sided game, for the independent checker."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from fogbound.certificates.one_sided import ONE_SIDED_RATE
from fogbound.driver.protocol import Evidence, Progress, Thinning
from fogbound.driver.stops import StopReason
from fogbound.solvers.one_sided.bounds import OneSidedBounds, seeing_all
from fogbound.solvers.one_sided.evidence.lower import longest_play, lower_evidence
from fogbound.solvers.one_sided.evidence.upper import upper_evidence
from fogbound.solvers.one_sided.play.profile import evidence_profile, profile

MATCHED = 2e-9  # of the scale: matrix games of corners are solved again for the evidence, to half of this
MOST_RECORDS = 100_000  # vectors, points and facets up to which an answer is proven
CLAIM = 40  # outcomes: what a node or a point takes to be found and checked
NODES = 0.35  # of them: fewer nodes cost less of the gap than fewer points ...
ENOUGH = 0.06  # ... but at least this share of all records, where there is room: they are the policy that is played
NEEDED = 0.5  # of all records: about how many become nodes or points


def bounds_progress(
    bounds: OneSidedBounds, lower: float, upper: float, details: dict[str, Any], unfinished: StopReason | None
) -> Progress:
    """What a solver reports of bounds, with the strategies and the evidence that they stand for."""
    if bounds.form.relaxed:
        details["relaxed"] = bounds.form.relaxed
    return Progress(
        *(lower, lower, upper, lambda: profile(bounds), details),
        evidence=lambda: bounds_evidence(bounds),
        thinning=_thinning(bounds),
        unfinished=unfinished,
    )


def _thinning(bounds: OneSidedBounds) -> Thinning:
    """Less evidence for these bounds: fewer nodes below, fewer points above."""
    bounds.note_earlier()
    fixed = len(bounds.form.prob) / ONE_SIDED_RATE

    def less(allowed: Callable[[], float]) -> Evidence:
        return bounds_evidence(bounds, max(allowed() - fixed, 0.0) * ONE_SIDED_RATE / CLAIM)

    return Thinning(lambda: fixed + NEEDED * _records(bounds) * CLAIM / ONE_SIDED_RATE, less, fixed)


def _records(bounds: OneSidedBounds) -> int:
    """Vectors, points and facets that trials have found."""
    return max(int(bounds.arrays["used"][0]) - 2 * len(bounds.form.action_start), 0)


def bounds_evidence(bounds: OneSidedBounds, most: float = math.inf) -> Evidence:
    """What the independent checker needs, and the bounds that this proves.

    Parameters
    ----------
    bounds : OneSidedBounds
        With a mask they prove a lower bound; above, there is what the blind player could have if it saw all.
    most : float
        About how many nodes and points there may be.

    Returns
    -------
    Evidence
        With the strategies that it speaks of. Without arrays, but with the reason, where there are more records than
        the checker can look through.
    """
    lower, upper = bounds.interval()
    if not bool(bounds.mask.all()):
        upper = bounds.base + bounds.scaled.scale * float(bounds.form.start @ seeing_all(bounds.scaled))
    if min(_records(bounds), most) > MOST_RECORDS:
        found = f"{_records(bounds):,} vectors, points and facets"
        reason = f"{found} are more than the {MOST_RECORDS:,} that are certified"
        return Evidence.missing(reason, lower, max(lower, upper))
    arrays, low, high = _evidence_parts(bounds, most)
    lower, upper = lower if low is None else low, upper if high is None else high
    upper += MATCHED * bounds.scaled.scale * float(arrays["toll"].max(initial=1.0))
    return Evidence(arrays, lower, max(lower, upper), profile=lambda: evidence_profile(arrays, bounds.scaled))


def _evidence_parts(
    bounds: OneSidedBounds, most: float = math.inf
) -> tuple[dict[str, NDArray[Any]], float | None, float | None]:
    """The arrays with about these numbers of nodes and points, and each bound that thinning loosened."""
    arrays: dict[str, NDArray[Any]] = {}
    if bounds.form.discount == 1:
        arrays["steps"] = longest_play(bounds.form)
    below, low = lower_evidence(bounds, max(NODES * most, min(most, ENOUGH * _records(bounds))))
    above, high = upper_evidence(bounds, arrays.get("steps"), max(most - len(below["node_part"]), 0))
    return arrays | below | above, low, high
