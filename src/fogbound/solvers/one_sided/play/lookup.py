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
        name = form.table.players[player] if form.table else ("blind" if player == form.blind else "seeing")
        doing, found = "moves" if asked else "waits", "nothing explains" if not left else "several states explain"
        raise PolicyError(f"{form.spec}: {name} {doing} where {found} what it saw; show it every step of this game")
    return left[0]


def slot_of(form: OneSided, partition: int, action: Hashable | None) -> int:
    """The blind player's slot by what it does; None where it waits."""
    low, high = int(form.slot[partition]), int(form.slot[partition + 1])
    for slot in range(low, high):
        label = int(form.action[slot])
        if (label == WAIT) if action is None else (label != WAIT and form.actions[0][label] == action):
            return slot
    raise PolicyError(f"{form.spec}: {action!r} is none of the {high - low} actions of the blind player there")


def row_of(form: OneSided, state: int, action: Hashable | None) -> int:
    """The seeing player's row in a state by what it does; None where it waits."""
    low, high = int(form.row[state]), int(form.row[state + 1])
    for row in range(low, high):
        label = int(form.seeing[row])
        if (label == WAIT) if action is None else (label != WAIT and form.actions[1][label] == action):
            return row
    raise PolicyError(f"{form.spec}: {action!r} is none of the {high - low} actions of the seeing player there")
