"""One partition of a one-sided game as dense matrices, for the few stage games that evidence needs solved again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.shifted import Shifted


@dataclass(frozen=True, eq=False)
class Stage:
    """Pay and steps of a partition, shifted and scaled; probabilities are not discounted."""

    state: NDArray[np.int64]  # [rows] which of the partition's states
    pay: Floats  # [slots, rows]
    slot: NDArray[np.int64]  # [branches] which of the partition's slots
    target: list[int]  # [branches]
    step: list[Floats]  # [branches] of [rows, states of the target]

    @property
    def rows(self) -> int:
        return len(self.state)


def stage(scaled: Shifted, partition: int) -> Stage:
    """The matrices of a partition."""
    form, game = scaled.form, scaled.game
    states = np.arange(form.first[partition], form.first[partition + 1])
    low, high = int(form.row[states[0]]), int(form.row[states[-1] + 1])
    slots = slice(int(form.slot[partition]), int(form.slot[partition + 1]))
    begin, end = int(form.branch[slots.start]), int(form.branch[slots.stop])
    pay = game.reward[form.pay[slots.start] : form.pay[slots.stop]].reshape(-1, high - low)
    steps, targets = [], form.target[begin:end].tolist()
    for branch, after in zip(range(begin, end), targets):
        own = slice(int(form.entry[branch]), int(form.entry[branch + 1]))
        first = int(form.first[after])
        step = np.zeros((high - low, int(form.first[after + 1]) - first))
        np.add.at(step, (form.source[own] - low, form.to[own] - first), form.prob[own])
        steps.append(step)
    slot = np.repeat(np.arange(slots.stop - slots.start), np.diff(form.branch[slots.start : slots.stop + 1]))
    state = np.repeat(np.arange(len(states)), np.diff(form.row[states[0] : states[-1] + 2]))
    return Stage(state, pay, slot, targets, steps)
