"""What is reported in the end: policies evaluated again, bounds certified where that is quick.

A solver's own numbers are floats from an algorithm; the reported ones come from the exact checker wherever it
has spoken, and from exact evaluation of the extracted policies otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fogbound.certify import Certificate, Checking, certify
from fogbound.core.errors import FormError, LimitError
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Progress
from fogbound.evaluate.chain import value as exact_value
from fogbound.evaluate.exploitability import exploitability
from fogbound.evaluate.markov import markov_values
from fogbound.forms.markov import MarkovGame
from fogbound.forms.protocol import Form, underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table


@dataclass(frozen=True)
class Report:
    """Value, bounds and gap as they are reported, with the certificate behind them."""

    value: float
    lower: float
    upper: float
    gap: float
    certificate: Certificate | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    profile: dict[int, Strategy] | None = None  # what the certificate speaks of, where that is not what was evaluated


def own_figures(progress: Progress, uncertified: str = "") -> Report:
    """The solver's own figures, and why they are not certified, where that is to be said."""
    details = {"uncertified": uncertified} if uncertified else {}
    return Report(progress.value, progress.lower, progress.upper, progress.distance, details=details)


def earned_figures(progress: Progress, uncertified: str = "") -> Report:
    """The same once the policies are made: where it is known what these earn, that is the lower bound."""
    own = own_figures(progress, uncertified)
    if progress.earned is None:
        return own
    value = progress.earned()
    upper = max(own.upper, value)
    return replace(own, value=value, lower=value, upper=upper, gap=upper - value)


def report(progress: Progress, form: Form, profile: Mapping[int, Strategy], player: int, checking: Checking) -> Report:
    """The figures to report for an answer, certified where that is quick; `Stopped` where there is no time for it."""
    own, shown = own_figures(progress), progress.evidence()
    if shown.lower is not None and shown.upper is not None:  # what the evidence says, not what the search hoped
        own = Report(shown.lower, shown.lower, shown.upper, shown.upper - shown.lower, details=shown.details)
    proof, why = certify(form, profile, player, shown.arrays, checking)
    if proof is None:
        return _evaluated(own, form, profile, player)
    own = replace(own, profile=shown.profile() if shown.profile else None)
    if proof.kind.startswith("zero-sum-"):
        own = _zero_sum(own, form, profile, player)
    if not proof.checked:
        late = {"uncertified": f"not yet certified: {why}"}
        return replace(own, certificate=proof.claiming(own.lower, own.upper), details={**own.details, **late})
    return replace(_proven(progress, proof, own.value), details=own.details, profile=own.profile)


def _zero_sum(own: Report, form: Form, profile: Mapping[int, Strategy], player: int) -> Report:
    """The figures of two strategies of a constant sum: what they earn, and what best replies leave each of them."""
    if isinstance(form, MarkovGame):
        values, best = (measured := markov_values(form, profile)).values, measured.best_values
    else:
        values, best = (found := exploitability(underlying(form, SequenceForm), profile)).values, found.best
    value, upper, total = values[player], best[player], form.constant_sum or 0.0
    lower, upper = min(total - best[1 - player], value), max(upper, value)  # they may cross by rounding
    return replace(own, value=value, lower=lower, upper=upper, gap=upper - lower)


def _proven(progress: Progress, proof: Certificate, value: float) -> Report:
    """The checker's figures. What they mean depends on what was proven."""
    lower, upper = proof.lower, proof.upper
    if proof.kind.startswith("zero-sum-"):
        return Report(value, lower, upper, upper - lower, proof)
    if proof.kind == "chain-profile":  # the policy's value: the upper bound stays the solver's
        upper = max(progress.upper, lower)
    gap = upper - lower
    if progress.gap is not None:  # of a profile: what somebody can gain by deviating
        gap = progress.gap if proof.regret is None else proof.regret
    return Report(lower, lower, upper, gap, proof)


def _evaluated(own: Report, form: Form, profile: Mapping[int, Strategy], player: int) -> Report:
    """No certificate exists for such an answer: the policy's value by exact evaluation, where that is possible."""
    if form.certified_as != "reply":  # the profile holds everybody, so it can be evaluated
        return own
    try:
        value = exact_value(underlying(form, Table), profile)[player]
    except (FormError, LimitError):
        return own
    return Report(value, value, max(own.upper, value), max(own.upper - value, 0.0))
