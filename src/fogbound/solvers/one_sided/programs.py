"""Stage games of a one-sided game in three ways that must agree: one linear program, a double oracle, compiled.

One step of the blind player against one who sees the state: what it adds to what is guaranteed (a vector), and to
what the other can hold it to (a point). The compiled way is what PG-HSVI uses; the others are there to be believed.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.forms.table import Floats
from fogbound.kernels.stage_hull import keep_point
from fogbound.kernels.stage_lower import keep_vector
from fogbound.kernels.stage_model import Bounds, room_left
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.program_compiled import compiled_lower, compiled_upper
from fogbound.solvers.one_sided.program_full import full_lower, full_upper
from fogbound.solvers.one_sided.program_game import stage_game
from fogbound.solvers.one_sided.program_oracle import oracle_lower, oracle_upper

KINDS = ("compiled", "oracle", "full")
ROOM = 2_000  # records that one stage may add


@dataclass(frozen=True, eq=False)
class Lower:
    """What the blind player can be sure of: a vector over the partition, its worth at the belief, the other's y."""

    vector: Floats  # [states]
    value: float
    y: Floats  # [rows] sums to the belief over each state's rows


@dataclass(frozen=True, eq=False)
class Upper:
    """What the other can hold the blind player to at the belief, and the blind player's mixture there."""

    value: float
    mixture: Floats  # [slots of the partition]
    y: Floats  # [rows] that holds it to the value


class Stages:
    """Stage games of one kind, solved with the bounds as they are; `add` puts what is found into them."""

    def __init__(self, bounded: Bounded, kind: str, tolerance: float, add: bool) -> None:
        if kind not in KINDS:
            raise SpecError(f"stage: kind is {kind!r}, expected one of {', '.join(KINDS)}")
        self.bounded, self.kind, self.add = bounded, kind, add
        self.tolerance = tolerance / bounded.scaled.scale

    def lower(self, partition: int, belief: Floats) -> Lower:
        """The stage of the lower bound at a normalised belief over a partition."""
        if self.kind == "compiled":
            value, vector, y = compiled_lower(self.bounded, self._known(), partition, belief, self.tolerance)
        else:
            game = stage_game(self.bounded, partition)
            full = self.kind == "full"
            column, y = full_lower(game, belief) if full else oracle_lower(game, belief, self.tolerance)
            vector = game.guarantee(column)
            value = float(vector @ belief)
            if self.add:
                keep_vector(self.bounded.game, self._known(), partition, belief, column[None], np.ones(1), 1)
        least = self._least(partition)
        scale = self.bounded.scaled.scale
        return Lower(least + scale * vector, float(least @ belief) + scale * value, y)

    def upper(self, partition: int, belief: Floats) -> Upper:
        """The stage of the upper bound at a normalised belief over a partition."""
        if self.kind == "compiled":
            value, y, mixture = compiled_upper(self.bounded, self._known(), partition, belief, self.tolerance)
        else:
            game = stage_game(self.bounded, partition)
            full = self.kind == "full"
            value, y, shares = full_upper(game, belief) if full else oracle_upper(game, belief, self.tolerance)
            mixture = np.zeros(int(np.diff(self.bounded.game.slot)[partition]))
            mixture[game.slots] = shares
            if self.add:
                keep_point(self.bounded.game, self._known(), partition, belief, value)
        shift = float(self._least(partition) @ belief)
        return Upper(shift + self.bounded.scaled.scale * value, mixture, y)

    def _least(self, partition: int) -> Floats:
        first = self.bounded.game.first
        return self.bounded.scaled.least[first[partition] : first[partition + 1]]

    def _known(self) -> Bounds:
        """Where results go: the bounds, with room for them, or a copy that is thrown away."""
        bounded = self.bounded if self.add else _twin(self.bounded)
        while not room_left(bounded.known, bounded.scaled.wide, ROOM):
            bounded.grow()
        return bounded.known


def stage(bounded: Bounded, kind: str = "compiled", tolerance: float = 1e-6, add: bool = False) -> Stages:
    """Stage games by a kind of `KINDS`, solved to a tolerance in units of the pay."""
    return Stages(bounded, kind, tolerance, add)


def compare(
    bounded: Bounded, beliefs: Iterable[tuple[int, Floats]], tolerance: float = 1e-2
) -> dict[str, tuple[float, float]]:
    """CPU seconds that each kind takes for the (lower, upper) stages at some (partition, belief), bounds unchanged."""
    spent = {kind: np.zeros(2) for kind in KINDS}
    asked = list(beliefs)
    for turn, (partition, belief) in enumerate(asked[:1] + asked):  # the first once more: loading is not counted
        for kind in KINDS:
            solver = stage(_twin(bounded), kind, tolerance, add=True)
            solver._known()  # room is made before the clock starts
            for place, solve in enumerate((solver.lower, solver.upper)):
                begun = time.process_time()
                solve(partition, belief)
                spent[kind][place] += (time.process_time() - begun) * (turn > 0)
    return {kind: (float(low), float(high)) for kind, (low, high) in spent.items()}


def _twin(bounded: Bounded) -> Bounded:
    """The same bounds in arrays of their own."""
    twin = copy.copy(bounded)
    twin.arrays = {name: np.array(array) for name, array in bounded.arrays.items()}
    return twin
