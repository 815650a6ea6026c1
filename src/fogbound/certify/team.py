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
    """About how many payoffs the checker weighs.

    Those of each claim, and some of them again at each end of its tree.
    """
    shown, form = certificate.evidence, certificate.form
    joints, ends, moved = (np.diff(shown[name]) for name in ("claim_joint", "claim_tree", "claim_moved"))
    wide = np.maximum(moved / np.maximum(joints, 1), 3.0)  # choices of all but the last
    return float((joints * (wide**2 + 2 * wide * ends)).sum()) + 20.0 * len(form["prob"]) + 300.0 * len(joints)
