"""A one-sided game as an `.osposg` file: what leaves the game goes to one more state, which pays nothing for ever.

Labels as the words of an `.osposg` file: no blanks, no two alike.
"""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fogbound import archive
from fogbound.core.errors import FormError, many, one_line
from fogbound.core.game import Observation
from fogbound.files.reading import SUM_EXACT
from fogbound.files.writing import distinct
from fogbound.forms.arrays import Ints
from fogbound.forms.one_sided.form import WAIT, OneSided

MOST_LETTERS = 200
_BLANK = re.compile(r"\s+")


def label_words(labels: Sequence[Hashable]) -> list[str]:
    """A word for each label, all different; a string that is one word already keeps it, where no two are alike."""
    return distinct([_word(label) for label in labels], labels)


def _word(label: Hashable) -> str:
    if isinstance(label, Observation):
        parts = [part for part in label if part is not None]
        label = parts[0] if len(parts) == 1 else tuple(parts) if parts else "nothing"
    text = label if isinstance(label, str) else repr(label)
    return one_line(_BLANK.sub("_", text.strip()), MOST_LETTERS) or "_"


END = "over"


class OneSidedSizes(NamedTuple):
    """What a file that was written declares."""

    states: int
    partitions: int
    blind_actions: int
    seeing_actions: int
    observations: int

    def __str__(self) -> str:
        return (
            f"{many(self.states, 'state')} in {many(self.partitions, 'partition')}, {self.blind_actions:,} and "
            f"{many(self.seeing_actions, 'action')}, {many(self.observations, 'observation')}"
        )


def write_osposg(form: OneSided, path: str | os.PathLike[str]) -> OneSidedSizes:
    """Write the form, whole or not at all, and say how large it is there; FormError where it cannot be written.

    What is read back has the same arrays, up to the numbers of actions and observations; the blind player is the
    file's player 1, so player 0. All rewards are listed, since some readers want them all.
    """
    sheet = _Sheet(form)
    archive.write(path, "".join(sheet.lines()).encode())
    return sheet.sizes


def dumps_osposg(form: OneSided) -> str:
    """The text of the file."""
    return "".join(_Sheet(form).lines())


class _Sheet:
    """What the lines are made from: names, and the state and actions of every (action, reply) in the file's numbers."""

    def __init__(self, form: OneSided) -> None:
        self.form, self.opening = form, _opening(form)
        self.cell = form.cells()
        self.left = 1.0 - np.bincount(self.cell, weights=form.prob, minlength=len(form.reward))
        self.ending = np.flatnonzero(self.left > SUM_EXACT)
        self.over = [END] if len(self.ending) else []
        self.blind, self.action_number = _used(form.action_label, form.actions[0])
        self.seeing, self.reply_number = _used(form.reply_label, form.actions[1])
        self.observations, self.obs = _used(form.obs, form.observations)
        depth = np.diff(form.reward_start)
        action, reply = np.repeat(np.arange(len(depth)), depth), form.reply_of_reward
        played = zip(
            form.state_of_reply[reply].tolist(), self.action_number[action].tolist(), self.reply_number[reply].tolist()
        )
        self.played = [f"{s} {one} {two}" for s, one, two in played]

    @property
    def sizes(self) -> OneSidedSizes:
        more, form = len(self.over), self.form
        actions = len(self.blind), len(self.seeing)
        parts = len(form.state_start) - 1
        return OneSidedSizes(form.size + more, parts + more, *actions, len(self.observations) + more)

    def lines(self) -> Iterator[str]:
        form, sizes, more = self.form, self.sizes, len(self.over)
        moves, rewards = len(form.prob) + len(self.ending) + more, len(form.reward) + more
        yield f"{' '.join(map(str, sizes))} {moves} {rewards} {form.discount!r}\n"
        parts = [*form.part.tolist(), len(form.state_start) - 1]
        yield from (f"{name} {part}\n" for name, part in zip(label_words([*form.states, *self.over]), parts))
        for labels in (self.blind, self.seeing, [*self.observations, *self.over]):
            yield from (f"{name}\n" for name in label_words(labels))
        yield from _legal_actions(self.reply_number, form.reply_start)
        yield from ["0\n"] * more
        yield from _legal_actions(self.action_number, form.action_start)
        yield from ["0\n"] * more
        yield from self._moves()
        yield from (f"{where} {reward!r}\n" for where, reward in zip(self.played, form.reward.tolist()))
        yield from [f"{form.size} 0 0 0.0\n"] * more
        begun = form.start[form.state_start[self.opening] : form.state_start[self.opening + 1]].tolist()
        yield f"{self.opening} {' '.join(map(repr, begun))}\n"

    def _moves(self) -> Iterator[str]:
        form, end = self.form, f"{len(self.observations)} {self.form.size}"
        obs = np.repeat(self.obs, np.diff(form.transition_start))
        for c, o, to, p in zip(self.cell.tolist(), obs.tolist(), form.to.tolist(), form.prob.tolist()):
            yield f"{self.played[c]} {o} {to} {p!r}\n"
        for c, p in zip(self.ending.tolist(), self.left[self.ending].tolist()):
            yield f"{self.played[c]} {end} {p!r}\n"
        yield from [f"{form.size} 0 0 {end} 1.0\n"] * len(self.over)


def _opening(form: OneSided) -> int:
    """The partition in which play begins; FormError for a start that the format has no words for."""
    if form.paid != 0:
        raise FormError(f"{form.spec}: {form.paid:g} is paid before the first step; an .osposg file cannot say so")
    parts = np.unique(form.part[form.start > 0])
    if len(parts) > 1:
        raise FormError(
            f"{form.spec}: {len(parts):,} different observations are shown before the first step; an .osposg file "
            f"begins in "
            "one partition"
        )
    if (over := 1.0 - float(form.start.sum())) > SUM_EXACT:
        raise FormError(f"{form.spec}: is over at once with probability {over:g}; an .osposg file cannot say so")
    return int(parts[0])


def _used(numbers: Ints, labels: Sequence[Hashable]) -> tuple[list[Hashable], Ints]:
    """The labels that occur, and which of these each number stands for; WAIT is one of them where it occurs."""
    kept, which = np.unique(numbers, return_inverse=True)
    return ["wait" if k == WAIT else labels[k] for k in kept.tolist()], which


def _legal_actions(actions: Ints, first: Ints) -> Iterator[str]:
    """One line of actions for each owner."""
    listed = actions.tolist()
    return (f"{' '.join(map(str, listed[low:high]))}\n" for low, high in zip(first[:-1].tolist(), first[1:].tolist()))
