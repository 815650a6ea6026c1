"""Reading a `.pomdpx` file: the document, the functions in it, and the flat form they multiply out to.

A factored model as a flat one: every combination of values that is kept becomes a state.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.files.pomdpx.factors import (
    Factor,
    FunctionCells,
    Overflow,
    beginning,
    expected_reward,
    factor,
    function_cells,
    step_outcomes,
)
from fogbound.files.pomdpx.functions import Variable, When, strides
from fogbound.files.pomdpx.model import FactoredModel, read_factored
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.pomdp import MOST_OUTCOMES, POMDP, pomdp_from_arrays
from fogbound.forms.table import MOST_STATES

ALL = 300_000  # up to so many combinations all are kept; of more, only those that can be reached
BYTES = 16  # of one outcome in a form
Columns = list[NDArray[Any]]


@dataclass(eq=False)
class Exploration:
    """The states looked at so far and what each action does there."""

    model: FactoredModel
    limit: int
    factors: list[list[Factor]]  # of each joint action
    rewards: list[list[FunctionCells]]
    parts: list[Columns] = field(default_factory=list)  # state, action, next, observation, probability
    expected: list[Columns] = field(default_factory=list)  # states, rewards [states, actions]
    met: int = 0  # outcomes

    def look(self, states: Longs) -> Longs:
        """Note what every action does in `states`; the states it may lead to."""
        reward, reached = np.empty((len(states), len(self.factors))), []
        for action, (factors, rewards) in enumerate(zip(self.factors, self.rewards)):
            possible = step_outcomes(self.model.variables, factors, states, MOST_OUTCOMES - self.met)
            reward[:, action] = expected_reward(possible, rewards, states)
            after, observation = possible.codes[When.AFTER], possible.codes[When.OBSERVATION]
            seen = self.observed(after) * math.prod(self.model.variables.sizes(When.OBSERVATION)) + observation
            kind = np.int32 if self.model.variables.combinations <= ALL else np.int64
            state = states.astype(kind)[possible.source]
            acted = np.full(len(state), action, np.int32)
            self.parts.append([state, acted, after.astype(kind), seen, possible.prob])
            reached.append(np.unique(after))
            self.met += len(state)
        self.expected.append([states, reward])
        return np.unique(np.concatenate(reached))

    def observed(self, states: Longs) -> Longs:
        """The joint value of the fully observed variables, which are the first digits."""
        hidden = math.prod(self.model.variables.sizes(When.BEFORE)[self.model.variables.observed :])
        seen: Longs = states // hidden
        return seen

    def every(self) -> Longs | None:
        """Look at all combinations; none when they have more outcomes than can be held."""
        states = np.arange(self.model.variables.combinations, dtype=np.int64)
        try:
            self.look(states)
        except Overflow:
            return None
        return states

    def reach(self, start: Longs) -> Longs:
        """Look at every state that can be reached, layer by layer."""
        reached, layer = set(start.tolist()), start
        while len(layer):
            check()
            self._check(len(reached))
            fresh = [state for state in self.look(layer).tolist() if state not in reached]
            reached.update(fresh)
            layer = np.array(fresh, np.int64)
        return np.array(sorted(reached), np.int64)

    def _check(self, states: int) -> None:
        if states > self.limit:
            raise LimitError(
                f"{self.model.path}: {states:,} states and more can be reached, of "
                f"{self.model.variables.combinations:,} combinations, with {self.met:,} outcomes so far "
                f"({self.met * BYTES:,} bytes); expected at most {self.limit:,} states: "
                "in Python, limit=N raises it"
            )


def unexplored(model: FactoredModel, limit: int) -> Exploration:
    """Every function of the model for every joint action, and nothing looked at yet."""
    names = model.variables
    factors, rewards = [], []
    for digits in product(*(range(size) for size in names.sizes(When.ACTION))):
        factors.append([factor(made, digits, names) for made in model.step])
        rewards.append([function_cells(made, digits) for made in model.rewards])
    return Exploration(model, limit, factors, rewards)


MOST_ACTIONS = 2_000  # joint ones


def flatten(model: FactoredModel, limit: int = MOST_STATES) -> POMDP:
    """Multiply the model out: all combinations of values, or the reachable ones where those are too many."""
    names = model.variables
    if math.prod(names.sizes(When.OBSERVATION)) * names.combinations >= 1 << 62:
        raise LimitError(f"{model.path}: {names.combinations:.3g} combinations of values, over what can be numbered")
    if math.prod(names.sizes(When.ACTION)) > MOST_ACTIONS:
        many = math.prod(names.sizes(When.ACTION))
        raise LimitError(f"{model.path}: {many:,} joint actions, expected at most {MOST_ACTIONS:,}")
    try:
        begun = beginning(names, [factor(made, (), names) for made in model.start], limit)
        explored = unexplored(model, limit)
        states = explored.every() if names.combinations <= min(ALL, limit) else None
        if states is None:
            explored = unexplored(model, limit)
            states = explored.reach(np.unique(begun.codes[When.BEFORE]))
    except Overflow as error:
        raise LimitError(
            f"{model.path}: {error.met:,} possibilities in one step ({error.met * BYTES:,} bytes), "
            f"expected at most {limit:,} starts and {MOST_OUTCOMES:,} outcomes; is there a smaller model?"
        ) from None
    return _form(explored, states, begun.codes[When.BEFORE], begun.prob)


def _form(explored: Exploration, states: Longs, begun: Longs, chance: Floats) -> POMDP:
    names = explored.model.variables
    columns: Columns = [np.concatenate(parts) for parts in zip(*explored.parts)]
    explored.parts.clear()
    seen = np.unique(columns[3])
    columns[3] = np.searchsorted(seen, columns[3]).astype(np.int32)
    reward = np.concatenate([rewards for _, rewards in explored.expected])
    if len(states) < names.combinations:
        columns[0], columns[2] = np.searchsorted(states, columns[0]), np.searchsorted(states, columns[2])
        reward = reward[np.argsort(np.concatenate([looked for looked, _ in explored.expected]))]
    start = np.zeros(len(states))
    np.add.at(start, np.searchsorted(states, begun), chance)
    watched = names.states[: names.observed]
    outcomes: Any = tuple(columns)
    shown = explored.observed(states)
    opening = np.unique(shown)
    return pomdp_from_arrays(
        spec=explored.model.path,
        discount=explored.model.discount,
        states=_labels(names.states, states),
        actions=_labels(names.actions, np.arange(math.prod(names.sizes(When.ACTION)))),
        observations=_labels((*watched, *names.observations), seen),
        start=start,
        outcomes=outcomes,
        reward=reward,
        first=(_labels(watched, opening), np.searchsorted(opening, shown)) if watched else None,
    )


def _labels(variables: tuple[Variable, ...], codes: NDArray[np.int64]) -> list[Hashable]:
    """Numbers in mixed radix as the values they stand for: a tuple, or the one value."""
    sizes = [variable.size for variable in variables]
    columns = [
        np.array(variable.values, object)[codes // step % variable.size].tolist()
        for variable, step in zip(variables, strides(sizes))
    ]
    if len(columns) == 1:
        return list(columns[0])
    return list(zip(*columns)) if columns else [None] * len(codes)


def read_pomdpx(path: str | os.PathLike[str], limit: int = MOST_STATES) -> POMDP:
    """The model at `path`. A state is the tuple of its variables' values, the fully observed ones first.

    What is seen is the tuple of the fully observed values and then of the observation variables' values; single
    values stand for themselves. FileError with the line for what is wrong, LimitError past `limit` states.
    """
    return flatten(read_factored(path), limit)
