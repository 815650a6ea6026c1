"""Finite-memory policies whose play may cycle: what they earn is what was checked."""

from __future__ import annotations

import fogbound.verify as checker
from fogbound import evaluate, forms
from fogbound.binding.question import OTHER_POLICIES
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, derive


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """Whether the stored profile earns what the certificate says."""
    table = derive(game, forms.Table) if isinstance(game, Form) else game
    value = evaluate.value(table, stored.profile)[report.player]
    slack = 1e-6 * max(1.0, abs(value))
    return None if report.lower - slack <= value <= report.upper + slack else OTHER_POLICIES
