"""The figures of a file against those that are proven: they are the same up to rounding, or the file is refuted."""

from __future__ import annotations

from collections.abc import Callable

from fogbound.certificates.held import HeldSolution, solved_form
from fogbound.certificates.wording import BOTH, LOWER
from fogbound.forms.protocol import OTHERS, Form

Earned = Callable[[HeldSolution], float | None]


def bounds_fault(held: HeldSolution, weaker: bool = False) -> str | None:
    """Whether the file reports the bounds that are certified.

    Where only the lower one is proven, the upper one must not lie below it. Bounds of a search (`weaker`) may be wider
    than what their evidence proves: they hold all the same.
    """
    stored, report = held.stored, held.report
    below = held.same(stored.lower, report.lower) or (weaker and stored.lower <= report.lower)
    if held.proof.kind.proves == BOTH:
        above = held.same(stored.upper, report.upper) or (weaker and stored.upper >= report.upper)
    else:
        above = stored.upper >= stored.lower
    if below and above:
        return None
    return f"the file reports {stored.lower!r} to {stored.upper!r}, certified are {_certified(held)}"


def claim_fault(held: HeldSolution) -> str | None:
    """Whether the certificate claims what it proves, or before it was checked what the file reports.

    Claims that were not yet checked are loosened by what rounding may take.
    """
    proof, stored, report = held.proof, held.stored, held.report
    for claim, reported, proven in (
        (proof.lower, stored.lower, report.lower),
        (proof.upper, stored.upper, report.upper),
    ):
        if all(abs(claim - figure) > 2 * held.slack(figure) for figure in (reported, proven)):
            whose = f"player {proof.player}'s bounds"
            return f"{whose}: claimed {proof.lower!r} to {proof.upper!r}, certified are {_certified(held)}"
    return None


def gap_fault(held: HeldSolution, weaker: bool = False) -> str | None:
    """Whether the gap is what lies between the bounds; of an equilibrium of several, what deviating may gain."""
    stored, report = held.stored, held.report
    if weaker or held.proof.kind.proves == LOWER:
        gap, size = stored.upper - stored.lower, max(abs(stored.upper), abs(stored.lower))
    else:
        gap, size = _proven_gap(held), max(abs(report.lower), abs(report.upper))
    if stored.gap == gap or abs(stored.gap - gap) <= 2 * held.slack(size):
        return None
    return f"the file reports the gap {stored.gap!r}, certified is {gap!r}"


def value_fault(held: HeldSolution, earned: Earned | None, only_earned: bool) -> str | None:
    """Whether the value is what the stored policies earn, or what they are proven to guarantee.

    Parameters
    ----------
    held
        The file.
    earned
        Evaluates the stored policies; None where that is not possible.
    only_earned
        Whether the certified lower bound is another figure than what the policies earn: of two strategies in a
        zero-sum game it is what one of them guarantees against anyone.
    """
    said, lower = held.stored.value, held.report.lower
    if not only_earned and held.same(said, lower):
        return None
    found = earned(held) if earned else None
    if found is not None and held.same(said, found):
        return None
    return f"the file reports the value {said!r}, its policies have {lower if found is None else found!r}"


def _certified(held: HeldSolution) -> str:
    report = held.report
    return f"{report.lower!r} to {report.upper!r}" if held.proof.kind.proves == BOTH else f"{report.lower!r} and above"


def _proven_gap(held: HeldSolution) -> float:
    form: type[Form] = solved_form(held.stored, held.lookup)
    if held.report.regret is not None and form.against != OTHERS:
        return held.report.regret
    return held.report.upper - held.report.lower
