"""Being asked to move is news: an observation may leave two things possible, that one moves next and that one waits."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError
from fogbound.forms.arrays import Ints
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
    return _labelled(form, 0, "the blind player", form.action_start, form.action_label, partition, action)


def reply_index(form: OneSided, state: int, action: Hashable | None) -> int:
    """The fully informed player's reply in a state by what it does; None where it waits."""
    return _labelled(form, 1, "the other player", form.reply_start, form.reply_label, state, action)


def _labelled(
    form: OneSided, side: int, whose: str, starts: Ints, labels: Ints, place: int, action: Hashable | None
) -> int:
    low, high = int(starts[place]), int(starts[place + 1])
    for index in range(low, high):
        label = int(labels[index])
        if (label == WAIT) if action is None else (label != WAIT and form.actions[side][label] == action):
            return index
    raise PolicyError(f"{form.spec}: {action!r} is none of the {high - low} actions of {whose} there")


def finite_column(array: NDArray[Any], kind: str) -> bool:
    """Whether stored numbers are one finite column of a kind."""
    return array.ndim == 1 and array.dtype.kind == kind and bool(np.isfinite(array).all())


def numbers_below(numbers: NDArray[Any], most: int) -> bool:
    """Whether all numbers count something of which there are `most`."""
    return bool(((numbers >= 0) & (numbers < most)).all())


def damaged_bounds(form: OneSided) -> PolicyError:
    """What is said of stored bounds that are not those of this game."""
    return PolicyError(f"the stored bounds do not fit {form.spec}, or are damaged")
