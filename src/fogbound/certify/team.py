"""Plans of a team: what they earn, exactly."""

from __future__ import annotations

from collections.abc import Mapping

from fogbound.certify.certificate import Certificate
from fogbound.certify.chain import chain_certificate
from fogbound.certify.tree import Extra
from fogbound.core.errors import FormError, LimitError
from fogbound.core.policy import Strategy
from fogbound.evaluate.chain import chain
from fogbound.forms.protocol import Form, underlying
from fogbound.forms.table import Table


def on_team(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:  # noqa: ARG001
    """The plans' value from below; what no team earns more than is the solver's own figure."""
    try:
        return chain_certificate(chain(underlying(form, Table), profile), player)
    except (FormError, LimitError):
        return None
