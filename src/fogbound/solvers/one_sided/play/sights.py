"""What the seeing player of a one-sided form sees of each step, in the game from which the form came."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fogbound.core.game import Seen
from fogbound.forms.one_sided import WAIT, OneSided
from fogbound.forms.one_sided_joint import Joint, joint
from fogbound.forms.table import START
from fogbound.solvers.one_sided.play.asked import row_of


class Step(NamedTuple):
    """One way that a step may go, and go on: what the seeing player sees of it, and what the form calls it."""

    seen: Seen
    branch: int
    state: int
    prob: float  # given the branch's slot


class Sights:
    """Steps of a form as the seeing player lives them; each is read once."""

    def __init__(self, form: OneSided) -> None:
        self.form = form
        self.read: dict[tuple[int, Hashable | None], list[Step]] = {}

    def first(self) -> list[tuple[Seen, int]]:
        """What is seen when play begins in each state."""
        form = self.form
        if form.table is None:
            begun = np.flatnonzero(form.start).tolist()
            return [(Seen(form.opening[int(form.part[s])].public, (s, None, None)), s) for s in begun]
        game, pairs = self._joint, []
        for outcome in range(form.table.out[START], form.table.out[START + 1]):
            seen = game.mine.observations[game.mine.obs[outcome]][0]
            for part, opening in form.opening.items():
                state = self._members.get((part, int(form.table.next[outcome])))
                if state is not None and opening == seen and form.start[state] > 0:
                    pairs.append((game.theirs.observations[game.theirs.obs[outcome]][0], state))
        return pairs

    def after(self, state: int, action: Hashable | None) -> list[Step]:
        """All steps from a state in which the seeing player did `action` (None: waited)."""
        found = self.read.get((state, action))
        if found is None:
            row = row_of(self.form, state, action)
            found = self.read[state, action] = self._told(row) if self.form.table is None else self._tabled(state, row)
        return found

    def _told(self, row: int) -> list[Step]:
        """As `forms.OneSidedGame` shows it: the state, the blind player's action and its observation."""
        form, found = self.form, []
        part = int(form.part[np.searchsorted(form.row, row, "right") - 1])
        for slot in range(form.slot[part], form.slot[part + 1]):
            label = int(form.action[slot])
            word = None if label == WAIT else form.actions[0][label]
            for branch in range(form.branch[slot], form.branch[slot + 1]):
                obs, low = int(form.obs[branch]), int(form.entry[branch])
                ends = np.searchsorted(form.source[low : form.entry[branch + 1]], [row, row + 1])
                for e in range(low + int(ends[0]), low + int(ends[1])):
                    to = int(form.to[e])
                    seen = Seen(form.observations[obs].public, (to, word, obs))
                    found.append(Step(seen, branch, to, float(form.prob[e])))
        return found

    def _tabled(self, state: int, row: int) -> list[Step]:
        """As the table has it."""
        form, game, found = self.form, self._joint, []
        table, at, part = game.table, int(self._numbers[state]), int(form.part[state])
        for joint_row in range(table.row[at], table.row[at + 1]):
            if game.reply[joint_row] != row - form.row[state]:
                continue
            slot = int(form.slot[part] + game.move[joint_row])
            branches = {int(form.obs[b]): b for b in range(form.branch[slot], form.branch[slot + 1])}
            for o in range(table.out[joint_row], table.out[joint_row + 1]):
                if table.crew[table.next[o]] != 0:
                    branch = branches[int(game.mine.obs[o])]
                    to = self._members[int(form.target[branch]), int(table.next[o])]
                    seen = game.theirs.observations[game.theirs.obs[o]][0]
                    found.append(Step(seen, branch, to, float(table.prob[o])))
        return found

    @cached_property
    def _joint(self) -> Joint:
        assert self.form.table is not None
        return joint(self.form.table, self.form.blind)

    @cached_property
    def _numbers(self) -> list[int]:
        """[S] the table's number of each state."""
        number = {label: k for k, label in enumerate(self._joint.table.states)}
        return [number[label] for label in self.form.states]

    @cached_property
    def _members(self) -> dict[tuple[int, int], int]:
        """States by their partition and the table's number."""
        return {(int(part), number): s for s, (part, number) in enumerate(zip(self.form.part, self._numbers))}
