"""The values of a decision's actions, as searches found them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

from fogbound.core.q_value import QValue
from fogbound.solvers.search.sampled import stable_text
from fogbound.solvers.search.tree_search import Decision

Z95 = 1.959963984540054


def decision_values(found: Decision, actions: Sequence[Hashable], player: int) -> dict[Hashable, QValue]:
    """The mean return of each action that was tried.

    The half-width of an interval takes the spread of the returns of all simulations for that of each action.

    Parameters
    ----------
    found
        The decision.
    actions
        The legal actions, in its order.
    player
        Whose, among the players that `found` has returns of; the only one where there is one.

    Returns
    -------
    dict
        By action, without those never tried.
    """
    errors = found.errors
    spread = float(errors[player] if len(errors) > 1 else errors[0]) * sqrt(max(found.simulations, 1))
    rows = zip(actions, found.means.tolist(), found.visits.tolist())
    return {action: QValue(mean, Z95 * spread / sqrt(n), n) for action, mean, n in rows if n}


def state_shares(states: Iterable[Any], weights: Iterable[float]) -> Mapping[Any, float]:
    """Particles as a distribution: equal states are one, and arrays become tuples."""
    found: dict[Any, float] = {}
    for state, weight in zip(states, weights):
        key = _hashable(state)
        found[key] = found.get(key, 0.0) + float(weight)
    return found


def _hashable(state: Any) -> Any:
    if isinstance(state, np.ndarray):
        return _hashable(state.tolist())
    if isinstance(state, list | tuple):
        return tuple(map(_hashable, state)) if type(state) in (list, tuple) else state
    return state if isinstance(state, Hashable) else stable_text(state)
