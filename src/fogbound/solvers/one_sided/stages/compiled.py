"""The compiled stages behind the interface of the linear programs, so that the two can be held against each other."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.kernels.model import StageArrays
from fogbound.solvers.one_sided.kernels.search import bounds_at, forward, heaviest, promising
from fogbound.solvers.one_sided.kernels.stage_game import solve_stage

Mixed = list[tuple[int, float]]  # actions with their shares, in the order in which they were found; one may come twice


class CompiledStages:
    """Stages by kernels; values are shifted and scaled."""

    def __init__(self, bounds: OneSidedBounds, add: bool) -> None:
        self.bounds, self.add = bounds, add

    def lower(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, vector, y). When there is a vector that is nowhere below the new one, that one is the answer."""
        here = self._here()
        records, work, many, before = here.bounds, here.work, len(belief), int(here.bounds.used[0])
        work.belief[:many] = belief
        value, _ = solve_stage(here, partition, tolerance, False)
        if records.used[0] == before:
            vectors = self.bounds.record_numbers("vectors", partition)
            before = max(vectors, key=lambda number: float(records.value[records.at[number] :][:many] @ belief))
        at = int(records.at[before])
        return float(value), records.value[at : at + many].copy(), work.lower_y[: self._replies(partition)].copy()

    def upper(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Mixed]:
        """(value, y, the blind player's mixture)."""
        here, work = self._here(), self.bounds.work
        here.work.belief[: len(belief)] = belief
        value, used = solve_stage(here, partition, tolerance, True)
        return float(value), work.y[: self._replies(partition)].copy(), self._mixed(used)

    def both(self, partition: int, belief: Floats, tolerance: float) -> tuple[Floats, Mixed]:
        """(the other's y in the lower stage, the blind player's mixture in the upper one)."""
        here, work = self._here(), self.bounds.work
        work.belief[: len(belief)] = belief
        solve_stage(here, partition, tolerance, False)
        _, used = solve_stage(here, partition, tolerance, True)
        mixed = self._mixed(used)
        self.bounds.touch(mixed)
        return work.lower_y[: self._replies(partition)].copy(), mixed

    def promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int:
        """The successor with the largest weighted excess of the gap over `left`; -1 when there is none."""
        work, used = self.bounds.work, len(mixed)
        work.lower_y[: len(y)] = y
        work.picks[:used, 0], work.shares[:used] = zip(*mixed, strict=True)
        return int(promising(self.bounds.here, partition, used, left))

    def after(self, partition: int, y: Floats, successor: int, tighten: bool) -> Floats:
        """What to believe after an observation; to tighten bounds, the belief of the heaviest point that covers it."""
        here = self.bounds.here
        game, records, work = here.game, here.bounds, here.work
        q = int(game.target[successor])
        many = int(game.state_start[q + 1] - game.state_start[q])
        work.lower_y[: len(y)] = y
        total = forward(here, partition, successor)
        if tighten:
            bounds_at(here, q)
            number = heaviest(here, q)
            if number >= 0:
                at = int(records.at[number])
                return records.value[at : at + many].copy()
        belief: Floats = work.tau[:many] / total
        return belief

    def _mixed(self, used: int) -> Mixed:
        work = self.bounds.work
        return list(zip(work.picks[:used, 0].tolist(), work.shares[:used].tolist(), strict=True))

    def _replies(self, partition: int) -> int:
        game = self.bounds.game
        return int(game.reply_start[game.state_start[partition + 1]] - game.reply_start[game.state_start[partition]])

    def _here(self) -> StageArrays:
        """Where results go: the bounds, or a copy that is thrown away; with room for what a stage may add."""
        bounds = self.bounds if self.add else twin(self.bounds)
        bounds.grow()
        return replace(bounds.here, work=self.bounds.work) if bounds is not self.bounds else bounds.here


def twin(bounds: OneSidedBounds) -> OneSidedBounds:
    """The same bounds in arrays of their own."""
    other = copy.copy(bounds)
    other.arrays = {name: np.array(array) for name, array in bounds.arrays.items()}
    other.work, other._here = bounds.scaled.work(), None
    return other
