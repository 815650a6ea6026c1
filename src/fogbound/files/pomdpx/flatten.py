"""A factored model as a flat one: every combination of values that is kept becomes a state."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import LimitError
from fogbound.files.pomdpx.explore import ALL, BYTES, Columns, Explored, unexplored
from fogbound.files.pomdpx.factors import factor
from fogbound.files.pomdpx.joint import Overflow, beginning
from fogbound.files.pomdpx.model import Factored
from fogbound.files.pomdpx.variables import Variable, When, strides
from fogbound.files.ranges import Indices
from fogbound.forms.flat import MOST_OUTCOMES, flat
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import MOST_STATES, Floats

MOST_ACTIONS = 2_000  # joint ones


def flatten(model: Factored, limit: int = MOST_STATES) -> POMDP:
    """Multiply the model out: all combinations of values, or the reachable ones where those are too many."""
    names = model.variables
    if math.prod(names.sizes(When.SIGHT)) * names.combinations >= 1 << 62:
        raise LimitError(f"{model.path}: {names.combinations:.3g} combinations of values, over what can be numbered")
    if math.prod(names.sizes(When.ACTION)) > MOST_ACTIONS:
        found = math.prod(names.sizes(When.ACTION))
        raise LimitError(f"{model.path}: {found:,} joint actions, expected at most {MOST_ACTIONS:,}")
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


def _form(explored: Explored, states: Indices, begun: Indices, chance: Floats) -> POMDP:
    names = explored.model.variables
    columns: Columns = [np.concatenate(parts) for parts in zip(*explored.parts)]
    explored.parts.clear()
    seen = np.unique(columns[3])
    columns[3] = np.searchsorted(seen, columns[3]).astype(np.int32)
    reward = np.concatenate([pay for _, pay in explored.pays])
    if len(states) < names.combinations:
        columns[0], columns[2] = np.searchsorted(states, columns[0]), np.searchsorted(states, columns[2])
        reward = reward[np.argsort(np.concatenate([looked for looked, _ in explored.pays]))]
    start = np.zeros(len(states))
    np.add.at(start, np.searchsorted(states, begun), chance)
    watched = names.states[: names.observed]
    outcomes: Any = tuple(columns)
    shown = explored.observed(states)
    opening = np.unique(shown)
    return flat(
        spec=explored.model.path,
        discount=explored.model.discount,
        states=_labels(names.states, states),
        actions=_labels(names.actions, np.arange(math.prod(names.sizes(When.ACTION)))),
        observations=_labels((*watched, *names.sights), seen),
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
