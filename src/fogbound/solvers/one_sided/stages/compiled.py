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

Mixed = list[tuple[int, float]]  # slots with their shares, in the order in which they were found; one may come twice


class CompiledStages:
    """Stages by kernels; values are shifted and scaled."""

    def __init__(self, bounded: OneSidedBounds, add: bool) -> None:
        self.bounded, self.add = bounded, add

    def lower(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Floats]:
        """(value, vector, y). When a vector that is nowhere below the new one is known, that one is the answer."""
        here = self._here()
        known, work, many, before = here.bounds, here.work, len(belief), int(here.bounds.used[0])
        work.belief[:many] = belief
        value, _ = solve_stage(here, partition, tolerance, False)
        if known.used[0] == before:
            vectors = self.bounded.records("vectors", partition)
            before = max(vectors, key=lambda number: float(known.value[known.at[number] :][:many] @ belief))
        at = int(known.at[before])
        return float(value), known.value[at : at + many].copy(), work.reply[: self._rows(partition)].copy()

    def upper(self, partition: int, belief: Floats, tolerance: float) -> tuple[float, Floats, Mixed]:
        """(value, y, the blind player's mixture)."""
        here, work = self._here(), self.bounded.work
        here.work.belief[: len(belief)] = belief
        value, used = solve_stage(here, partition, tolerance, True)
        return float(value), work.y[: self._rows(partition)].copy(), self._mixed(used)

    def both(self, partition: int, belief: Floats, tolerance: float) -> tuple[Floats, Mixed]:
        """(the other's y in the lower stage, the blind player's mixture in the upper one)."""
        here, work = self._here(), self.bounded.work
        work.belief[: len(belief)] = belief
        solve_stage(here, partition, tolerance, False)
        _, used = solve_stage(here, partition, tolerance, True)
        mixed = self._mixed(used)
        self.bounded.touch(mixed)
        return work.reply[: self._rows(partition)].copy(), mixed

    def promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int:
        """The branch with the largest weighted excess of the gap over `left`; -1 when there is none."""
        work, used = self.bounded.work, len(mixed)
        work.reply[: len(y)] = y
        work.picks[:used, 0], work.shares[:used] = zip(*mixed, strict=True)
        return int(promising(self.bounded.here, partition, used, left))

    def after(self, partition: int, y: Floats, branch: int, tighten: bool) -> Floats:
        """What to believe after a branch; to tighten bounds, the belief of the heaviest point that covers it."""
        here = self.bounded.here
        game, known, work = here.game, here.bounds, here.work
        q = int(game.target[branch])
        many = int(game.first[q + 1] - game.first[q])
        work.reply[: len(y)] = y
        total = forward(here, partition, branch)
        if tighten:
            bounds_at(here, q)
            number = heaviest(here, q)
            if number >= 0:
                at = int(known.at[number])
                return known.value[at : at + many].copy()
        found: Floats = work.tau[:many] / total
        return found

    def _mixed(self, used: int) -> Mixed:
        work = self.bounded.work
        return list(zip(work.picks[:used, 0].tolist(), work.shares[:used].tolist(), strict=True))

    def _rows(self, partition: int) -> int:
        game = self.bounded.game
        return int(game.row[game.first[partition + 1]] - game.row[game.first[partition]])

    def _here(self) -> StageArrays:
        """Where results go: the bounds, or a copy that is thrown away; with room for what a stage may add."""
        bounded = self.bounded if self.add else twin(self.bounded)
        bounded.grow()
        return replace(bounded.here, work=self.bounded.work) if bounded is not self.bounded else bounded.here


def twin(bounded: OneSidedBounds) -> OneSidedBounds:
    """The same bounds in arrays of their own."""
    found = copy.copy(bounded)
    found.arrays = {name: np.array(array) for name, array in bounded.arrays.items()}
    found.work, found._here = bounded.scaled.work(), None
    return found
