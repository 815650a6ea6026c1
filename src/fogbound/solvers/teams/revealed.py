"""What a joint memory and a joint action bring if everybody is told everything now, and nothing any more: bounds from
above.

After a joint memory is revealed the team stands at a belief, each member with one memory. So the bound of a joint
action is its reward and the value of a smaller team problem: the observations that follow are private again. It is
asked for only where a rule relies on it; until then the state itself is taken to be seen from there on (the QMDP
bound), which is cheap and looser.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.teams.occupancy import GRAIN, Occupancy
from fogbound.solvers.teams.stages import TeamStages

CERTAIN = 2
ROOM = 16  # beliefs of a stage, to begin with


class Revealed:
    """The beliefs of one stage that were met, with what each joint action brings there at most.

    Attributes
    ----------
    bound : [beliefs, joint actions]
        What it brings at most.
    level : [beliefs, joint actions]
        How sure that is: 0 by states that are seen, 1 by what is known of the smaller problem, CERTAIN where that is
        solved, or as much was spent on it as may be.
    spent : [beliefs, joint actions]
        Steps that were spent.
    """

    def __init__(self, stages: TeamStages, stage: int) -> None:
        self.value, self.local = stages.seen_all[stage][0], stages.local[stage]
        self.number: dict[bytes, int] = {}
        self.beliefs: list[tuple[Longs, Floats]] = []
        self.smaller: dict[tuple[int, int], Any] = {}  # (step, subproblem) of a belief and a joint action
        self.bound = np.empty((ROOM, self.value.shape[1]))
        self.spent: NDArray[np.int64] = np.zeros(self.bound.shape, np.int64)
        self.level: NDArray[np.int8] = np.zeros(self.bound.shape, np.int8)

    def of(self, occupancy: Occupancy) -> Longs:
        """[J] the belief of each joint memory, by number."""
        first, state, mass = occupancy.first, occupancy.state, occupancy.mass
        chance = mass / np.repeat(occupancy.weight, np.diff(first))
        grid, states, ends = np.floor(chance * GRAIN + 0.5).astype(np.int64).tobytes(), state.tobytes(), first.tolist()
        numbers = np.empty(len(ends) - 1, np.int64)
        for j, (a, b) in enumerate(pairwise(ends)):
            name = states[8 * a : 8 * b] + grid[8 * a : 8 * b]
            found = self.number.get(name)
            numbers[j] = self._add(name, state[a:b], chance[a:b]) if found is None else found
        return numbers

    def _add(self, name: bytes, state: Longs, chance: Floats) -> int:
        number = self.number[name] = len(self.beliefs)
        self.beliefs.append((state.copy(), chance.copy()))
        if number == len(self.bound):
            self.bound = np.concatenate([self.bound, np.empty_like(self.bound)])
            self.spent = np.concatenate([self.spent, np.zeros_like(self.spent)])
            self.level = np.concatenate([self.level, np.zeros_like(self.level)])
        self.bound[number] = chance @ self.value[self.local[state]]
        return number
