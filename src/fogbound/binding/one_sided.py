"""Bounds of a one-sided game: vectors that promise what was checked."""

from __future__ import annotations

import fogbound.verify as checker
from fogbound import forms
from fogbound.binding.stored import OTHER_POLICIES, claimed
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, Question, derive
from fogbound.policies.stored_bounds import StoredBounds
from fogbound.solvers.one_sided.play import profile as loose

evidence = claimed


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """Whether the vectors in the file promise what is certified; what they promise later is not checked."""
    mine = stored.profile[report.player]
    if not isinstance(mine, StoredBounds):
        return OTHER_POLICIES
    lower, _ = loose.restored_bounds(mine, derive(game, forms.OneSided, Question(report.player))).interval()
    return None if lower >= report.lower - 1e-6 * max(1.0, abs(report.lower)) else OTHER_POLICIES
