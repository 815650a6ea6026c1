"""Hierarchies of levels: the policies, the prior and the figures of every level are those that were checked."""

from __future__ import annotations

from typing import Any

import fogbound.verify as checker
from fogbound import forms
from fogbound.binding.question import OTHER_POLICIES
from fogbound.core.game import AnyGame
from fogbound.core.policy import kinds
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, derive
from fogbound.policies import equivalent
from fogbound.solvers import SOLVERS
from fogbound.solvers.level_k.fsc import certified_policies
from fogbound.solvers.level_k.priors import weights


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """The first figure, or policy, that is not the certificate's."""
    assert stored.certificate is not None
    evidence = stored.certificate.evidence
    wrong = _other_figures(stored, report, evidence)
    return wrong or (OTHER_POLICIES if _other_policies(stored, game, evidence) else None)


def _other_policies(stored: Solution, game: AnyGame | Form, arrays: Any) -> bool:
    """Whether the file would play something else than what its certificate speaks of."""
    claimed = certified_policies(derive(game, forms.Table), arrays)
    top = max(level for level, _ in claimed)
    if not equivalent(stored.profile[stored.player], claimed[top, stored.player]):
        return True
    other = 1 - stored.player
    weights = arrays["prior"][top - 1].tolist()
    believed = [claimed[level, other] for level, weight in enumerate(weights) if weight > 0]
    listed = [policy for policy, _ in kinds(stored.profile[other])]
    return len(listed) != len(believed) or not all(map(equivalent, listed, believed))


def _other_figures(stored: Solution, report: checker.Report, arrays: Any) -> str | None:
    """Whether the file names another prior, or other values of levels, than its certificate speaks of."""
    named: Any = SOLVERS.make(str(stored.provenance["solver"]))
    for level, row in enumerate(arrays["prior"].tolist(), 1):
        if any(abs(a - b) > 1e-12 for a, b in zip(weights(named.prior, named.tau, level), row)):
            return f"the file names the prior {named.prior}, its certificate has {row[:level]} at level {level}"
    proven = {(level, player): (lower, upper) for level, player, lower, upper in report.levels}
    for told in stored.details.get("levels", []):
        lower, upper = proven.get((told["level"], told["player"]), (told["value"], told["value"]))
        slack = 1e-9 * max(1.0, abs(lower))
        if not lower - slack <= told["value"] <= upper + slack:
            return f"the file reports {told['value']!r} for level {told['level']}, certified are {lower!r} to {upper!r}"
    return None
