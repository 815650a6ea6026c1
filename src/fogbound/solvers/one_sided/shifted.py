"""A one-sided game with values shifted and scaled to lie between 0 and about 1, whatever is done: what kernels work on.

The least that could ever happen from a state is taken off its value, and the rewards are changed accordingly (which
changes no strategy: Ng, Harada and Russell 1999). Then nothing is worth less than 0, so that covering a belief never
costs less than the belief itself, and the upper bound needs no term for what its points miss.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.one_sided import OneSided
from fogbound.forms.table import Floats
from fogbound.kernels.stage_model import Game

Longs = NDArray[np.int64]
SWEEPS = 200


@dataclass(frozen=True, eq=False)
class Shifted:
    """The game for kernels; a state's value is `least` + `scale` times what they find."""

    form: OneSided = field(repr=False)
    game: Game = field(repr=False)
    least: Floats = field(repr=False)  # [S]
    scale: float

    @property
    def wide(self) -> int:
        """States of the largest partition."""
        return int(np.diff(self.game.first).max())

    @property
    def rows(self) -> int:
        """Rows of the partition that has most."""
        return int(np.diff(self.game.row[self.game.first]).max())

    @property
    def slots(self) -> int:
        """Slots of the partition that has most."""
        return int(np.diff(self.game.slot).max())


def shifted(form: OneSided) -> Shifted:
    """Shift and scale a form."""
    cells = _Cells(form)
    least = cells.least()
    reward = cells.ahead(least) - least[cells.state]
    scale = max(float(np.abs(reward).max(initial=0.0)), 1e-300)
    ints = ("first", "row", "slot", "branch", "target", "entry", "source", "to")
    first, row, slot, branch, target, entry, source, to = (
        np.ascontiguousarray(getattr(form, name), np.int64) for name in ints
    )
    pay = np.ascontiguousarray(form.pay, np.int64)
    game = Game(first, row, slot, branch, target, entry, source, to, form.discount * form.prob, pay, reward / scale)
    return Shifted(form, game, least, scale)


class _Cells:
    """The pairs (slot, row) of a form, as `reward` has them: whose they are, and where they lead."""

    def __init__(self, form: OneSided) -> None:
        self.form = form
        base = form.row[form.first[:-1]]
        wide = np.diff(form.pay)
        part = np.repeat(np.arange(len(form.slot) - 1), np.diff(form.slot))  # [J]
        local = np.arange(int(form.pay[-1])) - np.repeat(form.pay[:-1], wide)
        row = local + np.repeat(base[part], wide)
        owner = np.repeat(np.arange(form.size), np.diff(form.row))  # [K]
        self.state = owner[row]
        slot_of_branch = np.repeat(np.arange(len(form.action)), np.diff(form.branch))
        slot = np.repeat(slot_of_branch, np.diff(form.entry))  # [E]
        self.cell = form.pay[slot] + form.source - base[part[slot]]  # [E]

    def ahead(self, values: Floats) -> Floats:
        """[cells] the reward, and the discounted values of what follows."""
        form = self.form
        later = np.bincount(self.cell, form.prob * values[form.to], len(form.reward))
        found: Floats = form.reward + form.discount * later
        return found

    def least(self) -> Floats:
        """[S] nothing that could ever happen pays less: 0 where no pay is negative."""
        form = self.form
        lowest = float(form.reward.min(initial=0.0))
        if lowest >= 0:
            return np.zeros(form.size)
        undiscounted = form.discount == 1
        values = np.full(form.size, 0.0 if undiscounted else lowest / (1 - form.discount))
        for turn in range(form.size + 1 if undiscounted else SWEEPS):
            found = np.full(form.size, np.inf)
            np.minimum.at(found, self.state, self.ahead(values))
            if np.array_equal(found, values):
                return values
            if undiscounted and turn == form.size:
                raise FormError(f"{form.spec}: without a discount play must end within a bounded number of steps")
            values = found
        return values
