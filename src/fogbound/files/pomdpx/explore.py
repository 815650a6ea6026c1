"""What can happen in a factored model, found by looking: in all combinations of values, or the reachable ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.files.pomdpx.cells import Cells, cells
from fogbound.files.pomdpx.factors import Factor, factor
from fogbound.files.pomdpx.joint import Overflow, expected, outcomes
from fogbound.files.pomdpx.model import Factored
from fogbound.files.pomdpx.variables import When
from fogbound.files.ranges import Indices
from fogbound.forms.flat import MOST_OUTCOMES

ALL = 300_000  # up to so many combinations all are kept; of more, only those that can be reached
BYTES = 16  # of one outcome in a form
Columns = list[NDArray[Any]]


@dataclass(eq=False)
class Explored:
    """The states looked at so far and what each action does there."""

    model: Factored
    limit: int
    factors: list[list[Factor]]  # of each joint action
    rewards: list[list[Cells]]
    parts: list[Columns] = field(default_factory=list)  # state, action, next, sight, probability
    pays: list[Columns] = field(default_factory=list)  # states, [states, actions]
    met: int = 0  # outcomes

    def look(self, states: Indices) -> Indices:
        """Note what every action does in `states`; the states it may lead to."""
        pay, reached = np.empty((len(states), len(self.factors))), []
        for action, (factors, rewards) in enumerate(zip(self.factors, self.rewards)):
            found = outcomes(self.model.variables, factors, states, MOST_OUTCOMES - self.met)
            pay[:, action] = expected(found, rewards, states)
            after, sight = found.codes[When.AFTER], found.codes[When.SIGHT]
            seen = self.observed(after) * math.prod(self.model.variables.sizes(When.SIGHT)) + sight
            kind = np.int32 if self.model.variables.combinations <= ALL else np.int64
            state = states.astype(kind)[found.source]
            acted = np.full(len(state), action, np.int32)
            self.parts.append([state, acted, after.astype(kind), seen, found.prob])
            reached.append(np.unique(after))
            self.met += len(state)
        self.pays.append([states, pay])
        return np.unique(np.concatenate(reached))

    def observed(self, states: Indices) -> Indices:
        """The joint value of the fully observed variables, which are the first digits."""
        hidden = math.prod(self.model.variables.sizes(When.BEFORE)[self.model.variables.observed :])
        seen: Indices = states // hidden
        return seen

    def every(self) -> Indices | None:
        """Look at all combinations; none when they have more outcomes than can be held."""
        states = np.arange(self.model.variables.combinations, dtype=np.int64)
        try:
            self.look(states)
        except Overflow:
            return None
        return states

    def reach(self, start: Indices) -> Indices:
        """Look at every state that can be reached, layer by layer."""
        known, layer = set(start.tolist()), start
        while len(layer):
            self._check(len(known))
            fresh = [state for state in self.look(layer).tolist() if state not in known]
            known.update(fresh)
            layer = np.array(fresh, np.int64)
        return np.array(sorted(known), np.int64)

    def _check(self, states: int) -> None:
        if states > self.limit:
            raise LimitError(
                f"{self.model.path}: {states:,} states and more can be reached, of "
                f"{self.model.variables.combinations:,} combinations, with {self.met:,} outcomes so far "
                f"({self.met * BYTES:,} bytes); expected at most {self.limit:,} states: give a larger limit="
            )


def unexplored(model: Factored, limit: int) -> Explored:
    """Every function of the model for every joint action, and nothing looked at yet."""
    names = model.variables
    factors, rewards = [], []
    for digits in product(*(range(size) for size in names.sizes(When.ACTION))):
        factors.append([factor(made, digits, names) for made in model.step])
        rewards.append([cells(made, digits) for made in model.rewards])
    return Explored(model, limit, factors, rewards)
