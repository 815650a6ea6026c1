"""Being asked to move is news: an observation may leave two things possible, that one moves next and that one waits."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from fogbound.core.errors import PolicyError
from fogbound.forms.one_sided.form import WAIT, OneSided

Case = TypeVar("Case", bound=Hashable)


def the_one(form: OneSided, player: int, cases: Sequence[Case], waits: Sequence[bool], asked: bool) -> Case:
    """The case in which the player is asked, or is not; PolicyError where there is none, or are several."""
    left = [case for case, idle in zip(cases, waits) if idle != asked]
    if len(left) != 1:
        doing, cause = "moves" if asked else "waits", "nothing explains" if not left else "several states explain"
        raise PolicyError(
            f"{form.spec}: {form.players[player]} {doing} where {cause} what it saw; show it every step of this game"
        )
    return left[0]


def action_index(form: OneSided, partition: int, action: Hashable | None) -> int:
    """The blind player's action by what it does; None where it waits."""
    low, high = int(form.action_start[partition]), int(form.action_start[partition + 1])
    for index in range(low, high):
        label = int(form.action_label[index])
        if (label == WAIT) if action is None else (label != WAIT and form.actions[0][label] == action):
            return index
    raise PolicyError(f"{form.spec}: {action!r} is none of the {high - low} actions of the blind player there")


def reply_index(form: OneSided, state: int, action: Hashable | None) -> int:
    """The fully informed player's reply in a state by what it does; None where it waits."""
    low, high = int(form.reply_start[state]), int(form.reply_start[state + 1])
    for index in range(low, high):
        label = int(form.reply_label[index])
        if (label == WAIT) if action is None else (label != WAIT and form.actions[1][label] == action):
            return index
    raise PolicyError(f"{form.spec}: {action!r} is none of the {high - low} actions of the other player there")
