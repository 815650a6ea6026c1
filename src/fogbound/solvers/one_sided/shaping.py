"""A one-sided game with values shifted and scaled to lie between 0 and about 1, whatever is done: what kernels work on.

The least that could ever happen from a state is taken off its value, and the rewards are changed accordingly (which
changes no strategy: Ng, Harada and Russell 1999). Then no value is below 0, so that covering a belief never
costs less than the belief itself, and the upper bound needs no term for what its points miss.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.forms.arrays import Floats
from fogbound.forms.one_sided.form import INTS, OneSided
from fogbound.solvers.one_sided.kernels.initial_bounds import Sweep, WorstCase, worst_case_sweep
from fogbound.solvers.one_sided.kernels.model import GameArrays, Workspace, new_workspace

SWEEPS = 200
FAINT = 1e-9  # of the largest reward: where nobody can change more than this, what is left is mostly rounding


@dataclass(frozen=True, eq=False)
class ShapedGame:
    """The game for kernels; a state's value is `least` + `scale` times what they find."""

    form: OneSided = field(repr=False)
    game: GameArrays = field(repr=False)
    least: Floats = field(repr=False)  # [S]
    scale: float

    @property
    def wide(self) -> int:
        """States of the largest partition."""
        return int(np.diff(self.game.state_start).max())

    @property
    def replies(self) -> int:
        """Replies of the partition that has most."""
        return int(np.diff(self.game.reply_start[self.game.state_start]).max())

    @property
    def actions(self) -> int:
        """Actions of the partition that has most."""
        return int(np.diff(self.game.action_start).max())

    def sweep(self) -> Sweep:
        """Room for values of states, 0 at first, to sweep over."""
        return Sweep(
            np.zeros(self.form.size), np.zeros((self.actions, self.replies)), np.zeros(len(self.form.reply_label))
        )

    def work(self) -> Workspace:
        """Room for kernels to calculate in."""
        return new_workspace(
            self.wide, self.replies, self.actions, int(np.diff(self.game.successor_start).max(initial=0))
        )


def shaped_game(form: OneSided) -> ShapedGame:
    """Shift and scale a form. Nothing is copied that need not change."""
    names = [place.name for place in fields(GameArrays) if place.name != "allowed"]
    plain = GameArrays(**{name: _plain(form, name) for name in names}, allowed=np.ones(len(form.action_label), bool))
    least, reward = _worst_case(form, plain)
    scale = max(float(np.abs(reward).max(initial=0.0)), FAINT * float(np.abs(form.reward).max(initial=0.0)), 1e-300)
    return ShapedGame(form, replace(plain, prob=form.discount * plain.prob, reward=reward / scale), least, scale)


def largest_value(form: OneSided) -> float:
    """No value is above this in the units of a shaped game, in which no step brings more than 1.

    Without a discount: `initial_bounds` sweeps up from 0 and refuses games that still change after S + 1 sweeps, each
    of which adds at most 1. Looping games that pass have come to rest by then, so it holds for them as well.
    """
    return 1 / (1 - form.discount) if form.discount < 1 else float(form.size + 1)


def _plain(form: OneSided, name: str) -> NDArray[Any]:
    """An array of the form as kernels take it, which mostly is as it is."""
    return np.ascontiguousarray(getattr(form, name), np.int64 if name in INTS else np.float64)


def _worst_case(form: OneSided, steps: GameArrays) -> tuple[Floats, Floats]:
    """([S] the least that could ever be had: 0 where no reward is negative, rewards with it taken off)."""
    lowest = float(form.reward.min(initial=0.0))
    if lowest >= 0:
        return np.zeros(form.size), steps.reward
    undiscounted, parts = form.discount == 1, len(form.state_start) - 1
    wide = int(np.diff(steps.reply_start[steps.state_start]).max())
    least = WorstCase(np.zeros(form.size), np.zeros(form.size), np.empty(len(steps.reward)), np.zeros(wide))
    least.values[:] = 0.0 if undiscounted else lowest / (1 - form.discount)
    turns = form.size + 1 if undiscounted else SWEEPS + 1
    for turn in range(turns):
        worst_case_sweep(steps, least, parts, form.discount)
        if np.array_equal(least.worst, least.values) or turn == turns - 1:
            break
        least.values[:] = least.worst
    if undiscounted and not np.array_equal(least.worst, least.values):
        raise FormError(f"{form.spec}: without a discount play must end within a bounded number of steps")
    return least.values, least.reward
