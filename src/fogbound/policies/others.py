"""The fixed others of a POMDP as players: an answer about one seat is a profile only together with them."""

from __future__ import annotations

from fogbound.core.policy import Player
from fogbound.forms.pomdp import POMDP
from fogbound.policies.mixture import Mixture


def others(form: POMDP) -> dict[int, Player]:
    """By seat, the policies (or mixtures of them) that the POMDP was made with; none where it is a model of one."""
    if form.product is None:
        return {}
    return {
        seat: fixed.types[0] if len(fixed.types) == 1 else Mixture(tuple(fixed.types), tuple(fixed.prior))
        for seat, fixed in form.product.seats.items()
    }
