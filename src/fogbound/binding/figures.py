"""The figures of a file against those that are proven."""

from __future__ import annotations

from collections.abc import Mapping

import fogbound.verify as checker
from fogbound.certify.certificate import REWARDS, UNCHECKED_SLACK
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import OTHERS
from fogbound.solvers import SOLVERS


def figures_fault(stored: Solution, report: checker.Report, form: Mapping[str, checker.Array]) -> str | None:
    """The first figure by which the file says more than its certificate proves.

    A solver's floats may lie beyond the exact figure by what rounding takes: a billionth of that figure, or of the
    largest reward where that is more. Every bound has its own scale, so that a huge one excuses no other.
    """
    scale = max((abs(r) for name in REWARDS if name in form for r in form[name].values()), default=0.0)

    def slack(figure: float) -> float:
        return UNCHECKED_SLACK * max(abs(figure), scale)

    proof = stored.certificate
    both = proof is None or proof.proves == "both"
    for whose, lower, upper in _claims(stored):
        if lower > report.lower + slack(report.lower) or (both and upper < report.upper - slack(report.upper)):
            return f"{whose} {lower!r} to {upper!r}, certified are {report.lower!r} to {report.upper!r}"
    if not stored.lower - slack(stored.lower) <= stored.value <= stored.upper + slack(report.upper):
        return f"the file reports the value {stored.value!r} outside its own bounds"
    gap = _proven_gap(stored, report)
    if both and stored.gap < gap - 2 * slack(max(abs(report.lower), abs(report.upper))):
        return f"the file reports the gap {stored.gap!r}, certified is {gap!r}"
    return None


def _claims(stored: Solution) -> list[tuple[str, float, float]]:
    proof = stored.certificate
    said = [("the file reports", stored.lower, stored.upper)]
    return said if proof is None else [*said, (f"player {proof.player}'s bounds: claimed", proof.lower, proof.upper)]


def _proven_gap(stored: Solution, report: checker.Report) -> float:
    """How far apart the bounds are; of an equilibrium of several, what somebody may gain by deviating."""
    solver = SOLVERS.make(str(stored.provenance["solver"]))
    if report.regret is not None and solver.form.against != OTHERS:
        return report.regret
    return report.upper - report.lower
