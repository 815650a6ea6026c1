"""The figures to report: recomputed from the returned profile, and certified where that is quick.

A solver's own numbers are its claims. The reported ones come from the exact checker wherever it has confirmed them,
otherwise from an evaluation of the profile in floats (`driver.measured`); those that neither gives are called claimed.

Evidence for which the time limit leaves time: all of it, or less, and what that costs of the gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import Any

from fogbound.certificates.certificate import Certificate
from fogbound.certificates.checking import Checking, certify
from fogbound.certificates.wording import LOWER
from fogbound.core.errors import Stopped
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy
from fogbound.driver.limits import SHARE
from fogbound.driver.measured import Measured, measured, payoff_range
from fogbound.driver.protocol import Evidence, Progress, Until
from fogbound.forms.protocol import OTHERS, Form

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


EARNED, GUARANTEE, ESTIMATE, SEARCH, CLAIMED = "earned", "guarantee", "estimate", "search", "claimed"
EQUILIBRIUM = "equilibrium"  # `Solver.finds` of those that claim one
REGRET = 1e-6  # of the payoff range: what a profile may leave to be gained and still be called an equilibrium


@dataclass(frozen=True)
class Report:
    """Value, bounds and gap as they are reported, with the certificate behind them.

    Parameters
    ----------
    value, lower, upper, gap
        As `Solution` has them.
    value_is
        ``earned``: the player's expected payoff under the profile, evaluated. ``guarantee``: a proven lower bound on
        it, where the profile cannot be evaluated exactly. ``estimate``: the mean return of games that it played.
        ``search``: the mean return of a search's simulations. ``claimed``: the solver's word.
    claimed
        Which of value, lower and upper are the solver's word alone.
    regret
        The most that any player could gain by deviating alone, where that is known.
    certificate
        The evidence for the bounds.
    details
        What became known with them.
    profile
        The policies that the certificate is about, where these are not the ones that the solver returned first.
    """

    value: float
    lower: float
    upper: float
    gap: float
    value_is: str = CLAIMED
    claimed: tuple[str, ...] = ("value", "lower", "upper")
    regret: float | None = None
    certificate: Certificate | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    profile: dict[int, Strategy] | None = None

    def basis(self) -> dict[str, Any]:
        """What the figures rest on, for `Solution.details`, where that is not an evaluation of the profile."""
        value_is = {} if self.value_is == EARNED else {"value_is": self.value_is}
        return value_is | ({"claimed": list(self.claimed)} if self.claimed else {})


def own_figures(progress: Progress, uncertified: str = "") -> Report:
    """The solver's own figures, all of them claimed, and why they are not certified, where that is to be said."""
    details = {"uncertified": uncertified} if uncertified else {}
    own = Report(progress.value, progress.lower, progress.upper, progress.distance, details=details)
    if progress.sampled not in (ESTIMATE, SEARCH):
        return replace(own, claimed=_claimed(own, "value", "lower", "upper"))
    return replace(own, value_is=progress.sampled, claimed=_claimed(own, "lower", "upper"))


def evaluated_figures(
    progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int, uncertified: str = ""
) -> Report:
    """The figures of a profile for which there is no certificate: evaluated where that is possible."""
    own = own_figures(progress, uncertified)
    try:
        found = _measured(progress, form, profile, player)
    except Stopped:
        found = None
    if found is None and progress.earned is not None:
        value = progress.earned()
        upper = max(own.upper, value)
        return replace(own, value=value, lower=value, upper=upper, gap=upper - value)
    return own if found is None else _evaluated(own, found)


def report(progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int, checking: Checking) -> Report:
    """The figures to report for an answer, certified where that is quick; `Stopped` where there is no time for it."""
    own, shown = own_figures(progress), evidence_in_time(progress, checking)
    if shown.lower is not None and shown.upper is not None:  # what the evidence says, not what the search hoped
        own = Report(shown.lower, shown.lower, shown.upper, shown.upper - shown.lower, details=shown.details)
    proof, why = certify(form, profile, player, shown.arrays, checking)
    played = shown.profile() if shown.profile and proof is not None else None
    if proof is not None and proof.checked and proof.proves_value:
        return replace(_proven(progress, form, proof, None), details=own.details, profile=played)
    found = _measured(progress, form, played or profile, player)
    if proof is not None and proof.checked:
        return replace(_proven(progress, form, proof, found), details=own.details, profile=played)
    settled = own if found is None else _evaluated(own, found, keep=proof is not None)
    if proof is None:
        return settled
    if "thinned" in shown.details:  # thinned evidence that nothing confirmed proves nothing
        return evaluated_figures(progress, form, profile, player, f"not yet certified: {why}")
    late = {"uncertified": f"not yet certified: {why}"}
    proof = proof.claiming(settled.lower, settled.upper)
    return replace(settled, certificate=proof, details={**own.details, **late}, profile=played)


def _measured(progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int) -> Measured | None:
    """The profile's own figures. The parts of a mediator's recommendations are no profile to be evaluated."""
    return None if "mediator" in progress.details else measured(form, profile, player)


def _proven(progress: Progress, form: Form, proof: Certificate, found: Measured | None) -> Report:
    """The checker's figures, and the profile's own value where these are only bounds on it."""
    lower, upper = proof.lower, proof.upper
    if proof.kind.proves == LOWER:  # the policy's value: the upper bound stays the solver's
        upper = max(progress.upper, lower)
    gap, regret = upper - lower, proof.regret
    if regret is not None and form.against != OTHERS:  # a profile of several players: the largest regret
        gap = regret
    elif progress.gap is not None and not proof.kind.zero_sum:
        gap = progress.gap if regret is None else regret
    settled = Report(lower, lower, upper, gap, EARNED, (), regret, proof)
    if proof.kind.proves == LOWER:
        settled = replace(settled, claimed=_claimed(settled, "upper"))
    if proof.proves_value:
        return settled
    if found is None:
        return replace(settled, value_is=GUARANTEE)
    return replace(settled, value=min(max(found.value, lower), upper), regret=found.regret)


def _evaluated(own: Report, found: Measured, keep: bool = False) -> Report:
    """The profile's figures in floats. What it does not determine stays claimed.

    With `keep` a lower bound stays as low as the evidence for it.
    """
    value = found.value
    settled = replace(own, value=value, value_is=EARNED, regret=found.regret)
    if found.lower is None:
        return replace(settled, claimed=_claimed(own, "lower", "upper"))
    if found.upper is None or found.gap is None:
        lower, upper = min(own.lower, found.lower) if keep else found.lower, max(own.upper, value)
        return replace(settled, lower=lower, upper=upper, gap=upper - lower, claimed=_claimed(own, "upper"))
    return replace(settled, lower=found.lower, upper=found.upper, gap=found.gap, claimed=())


def _claimed(own: Report, *names: str) -> tuple[str, ...]:
    """Those of these figures that claim anything."""
    return tuple(name for name in names if math.isfinite(getattr(own, name)))


def not_equilibrium(settled: Report, finds: str, form: Form, until: Until) -> str:
    """Why a profile is no equilibrium, although its solver looks for one; empty where it is, or was not looked for.

    The one rule: it is an equilibrium where no player gains more by deviating alone than the gap that was asked for, or
    a millionth of the payoff range where that is more.
    """
    if finds != EQUILIBRIUM:
        return ""
    regret = settled.gap if settled.regret is None else settled.regret
    if not math.isfinite(regret):
        return "not known to be an equilibrium: its regret was not evaluated"
    allowed = max(until.close(settled.lower, settled.upper, form.largest), REGRET * payoff_range(form))
    return f"not an equilibrium: regret {number(regret, 3)}" if regret > allowed else ""
