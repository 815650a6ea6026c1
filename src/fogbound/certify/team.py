"""Plans of a team: what they earn, and why no plans earn more."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fogbound.certify.certificate import Certificate
from fogbound.certify.chain import chain_certificate
from fogbound.certify.tree import Extra
from fogbound.core.errors import FormError, LimitError
from fogbound.core.policy import Strategy
from fogbound.evaluate.chain import chain
from fogbound.forms.protocol import Form, underlying
from fogbound.forms.table import Table

RATE = 250_000  # payoffs a second


def on_team(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:
    """The plans' value from below; from above what the solver shows, and its own figure where it shows nothing."""
    try:
        below = chain_certificate(chain(underlying(form, Table), profile), player)
    except (FormError, LimitError):
        return None
    if below is None or not extra:
        return below
    return Certificate("team", player, below.form, {**below.evidence, **extra})


def work(certificate: Certificate) -> float:
    """How many payoffs the checker weighs: those of each claim, at each end of its tree."""
    shown, form = certificate.evidence, certificate.form
    joints, ends = np.diff(shown["claim_joint"]), np.diff(shown["claim_tree"])
    moved = np.diff(shown["claim_moved"])
    wide = np.where(joints > 0, moved / np.maximum(joints, 1), 0.0)  # choices of all but the last
    return float((joints * np.maximum(wide, 3) ** 2 * (2 + ends)).sum()) + 100.0 * len(form["prob"])
