"""What the writers call the parts of a form, before names are made of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.files.writing.complete import UNSEEN
from fogbound.forms.pomdp import NOT_ASKED, OVER, POMDP, WAIT

NO_MENU = {OVER: "over", NOT_ASKED: "wait"}


def action_label(form: POMDP, action: int) -> Hashable:
    """An action; where the player is not asked, that it waits."""
    return "wait" if action == WAIT else form.actions[action]


def sight_label(form: POMDP, number: int) -> Hashable:
    """What is seen, in short; where there are several menus, or none is shown, that is part of it."""
    seen, menu = form.observations[number]
    label = seen.private if seen.public is None else seen.public if seen.private is None else tuple(seen)
    if menu in NO_MENU:
        return (label, NO_MENU[menu])
    return label if len(form.menus) <= 1 else (label, menu)


def state_label(form: POMDP, state: int, sight: int, sights: Sequence[str]) -> Hashable:
    """A state, and the sight that it is told apart by where it is written once for each."""
    label = form.label(state)
    return label if sight == UNSEEN else (label, sights[sight])
