"""Evidence for which the time limit leaves time: all of it, or less, and what that costs of the gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf

from fogbound.certificates.checking import Checking
from fogbound.driver.limits import SHARE
from fogbound.driver.protocol import Evidence, Progress

LOSS = 0.25  # of the gap: a policy that loses more by thinning is not worth the certificate
MOMENT = 0.2  # seconds: a check of no more is worth making whatever the limit
NOTHING = 1e-3  # of the gap: a cost that is not worth a word
SAMPLE, SAMPLE_SECONDS = 20_000, 0.06  # sums of fractions, and how long they take where checks were measured


def evidence_in_time(progress: Progress, checking: Checking) -> Evidence:
    """The evidence of an answer, thinned where time is short; `details["thinned"]` says what that costs."""
    thinning = progress.thinning
    if thinning is None or not checking.thins or thinning.seconds() <= MOMENT:
        return progress.evidence()
    slow = slowness(checking.elapsed)
    seconds = SHARE * max(checking.left, 0.0) / slow
    if thinning.least > max(seconds, MOMENT):  # whatever is left out: all of it, for `fogbound verify`
        return progress.evidence()
    less = thinning.make(seconds)
    lower = progress.lower if progress.earned is None else progress.earned()
    upper = progress.upper if progress.upper < inf or less.upper is None else less.upper
    own = max(upper - lower, 0.0)
    if less.lower is None or less.upper is None or less.upper - less.lower <= own * (1 + NOTHING):
        return less
    gap = less.upper - less.lower
    if lower - less.lower > LOSS * own and thinning.seconds() * slow <= checking.left:
        return progress.evidence()  # all of it may just fit, and less is not worth the check
    if lower - less.lower > LOSS * own:
        why = f"not certified: a policy small enough to be checked in the time left earns {less.lower:.4g} only"
        return Evidence.missing(why, lower, max(upper, lower))
    return replace(less, details={**less.details, "thinned": {"gap": own, "cost": gap - own}})


def slowness(elapsed: Callable[[], float]) -> float:
    """How many times longer exact arithmetic takes here and now than where checks were measured, at least 1."""
    began, part = elapsed(), Fraction(1, 89)
    for k in range(SAMPLE):
        Fraction(k, 97) + part
    return max(1.0, (elapsed() - began) / SAMPLE_SECONDS)
