"""A one-sided game with values shifted and scaled to lie between 0 and about 1, whatever is done: what kernels work on.

The least that could ever happen from a state is taken off its value, and the rewards are changed accordingly (which
changes no strategy: Ng, Harada and Russell 1999). Then nothing is worth less than 0, so that covering a belief never
costs less than the belief itself, and the upper bound needs no term for what its points miss.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.one_sided import INTS, OneSided
from fogbound.forms.table import Floats
from fogbound.kernels.least import Least, Steps, least_sweep
from fogbound.kernels.stage_model import Game, Work, new_work
from fogbound.kernels.stage_start import Sweep

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

    def sweep(self) -> Sweep:
        """Room for values of states, 0 at first, to sweep over."""
        return Sweep(np.zeros(self.form.size), np.zeros((self.slots, self.rows)), np.zeros(len(self.form.seeing)))

    def work(self) -> Work:
        """Room for kernels to calculate in."""
        return new_work(self.wide, self.rows, self.slots, int(np.diff(self.game.branch).max(initial=0)))


def shifted(form: OneSided) -> Shifted:
    """Shift and scale a form. Nothing is copied that need not change."""
    steps = Steps(**{place.name: _plain(form, place.name) for place in fields(Steps)})
    least, reward = _least(form, steps)
    scale = max(float(reward.max(initial=0.0)), -float(reward.min(initial=0.0)), 1e-300)
    own = {place.name: getattr(steps, place.name) for place in fields(Steps)}
    own |= {"target": _plain(form, "target"), "allowed": np.ones(len(form.action), bool)}
    own |= {"prob": form.discount * steps.prob, "reward": reward / scale}
    return Shifted(form, Game(**own), least, scale)


def _plain(form: OneSided, name: str) -> NDArray[Any]:
    """An array of the form as kernels take it, which mostly is as it is."""
    return np.ascontiguousarray(getattr(form, name), np.int64 if name in INTS else np.float64)


def _least(form: OneSided, steps: Steps) -> tuple[Floats, Floats]:
    """([S] nothing that could ever happen pays less: 0 where no pay is negative, rewards with it taken off)."""
    lowest = float(form.reward.min(initial=0.0))
    if lowest >= 0:
        return np.zeros(form.size), steps.reward
    undiscounted, parts = form.discount == 1, len(form.first) - 1
    wide = int(np.diff(steps.row[steps.first]).max())
    least = Least(np.zeros(form.size), np.zeros(form.size), np.empty(len(steps.reward)), np.zeros(wide))
    least.values[:] = 0.0 if undiscounted else lowest / (1 - form.discount)
    turns = form.size + 1 if undiscounted else SWEEPS + 1
    for turn in range(turns):
        least_sweep(steps, least, parts, form.discount)
        if np.array_equal(least.found, least.values) or turn == turns - 1:
            break
        least.values[:] = least.found
    if undiscounted and not np.array_equal(least.found, least.values):
        raise FormError(f"{form.spec}: without a discount play must end within a bounded number of steps")
    return least.values, least.reward
