"""Whether a one-sided game without a discount surely ends: only then is every value finite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fogbound.core.errors import FormError, brief
from fogbound.forms.one_sided_layout import spread
from fogbound.forms.table import Ints

if TYPE_CHECKING:
    from fogbound.forms.one_sided import OneSided

SURE = 1e-9  # play that ends less likely than this in a step is taken to go on


def require_ending(form: OneSided) -> None:
    """FormError where play is not discounted and can go on for ever, naming a state."""
    if form.discount < 1:
        return
    stuck = endless(form)
    if len(stuck):
        raise FormError(
            f"{form.spec}: is not discounted and need not end: play can go on for ever from "
            f"{brief(form.states[int(stuck[0])])} (and {len(stuck) - 1:,} more states). Cut the game with "
            "horizon(game, steps), or give it a discount below 1"
        )


def endless(form: OneSided) -> Ints:
    """States from which some joint play goes on for ever: the largest set that can keep to itself."""
    state = np.repeat(np.arange(form.size), np.diff(form.row))  # of each row
    owner = state[spread(form.row[form.first[form.part_of_slot]], np.diff(form.pay))]  # of each (slot, row)
    cell = form.cells()
    inside = np.ones(form.size, bool)
    while True:
        stays = np.bincount(cell, weights=form.prob * inside[form.to], minlength=len(form.reward)) > 1 - SURE
        keeps = inside & (np.bincount(owner, weights=stays, minlength=form.size) > 0)
        if (keeps == inside).all():
            return np.flatnonzero(inside)
        inside = keeps
