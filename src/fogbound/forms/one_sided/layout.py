"""Steps of a one-sided game in the order in which its solvers read them: action, observation, reply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats, Ints

Indices = NDArray[np.int64]


def ranges(first: Ints, count: Ints) -> Indices:
    """The numbers from each of `first` on, `count` of them, one run after the other."""
    total = np.cumsum(count, dtype=np.int64)
    return np.repeat(first - (total - count), count) + np.arange(total[-1] if len(total) else 0)


def offsets(count: Ints) -> Indices:
    """Where each of several runs begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(count, dtype=np.int64)])


@dataclass(frozen=True, eq=False)
class Transitions:
    """Steps with which play goes on, in any order: an action and a reply are played, something is seen, play moves."""

    action: Ints
    obs: Ints
    source: Ints  # reply
    to: Ints  # state
    prob: Floats


@dataclass(frozen=True, eq=False)
class Successors:
    """The arrays of `OneSided` of the same names."""

    successor_start: Ints
    obs: Ints
    target: Ints
    transition_start: Ints
    source: Ints
    to: Ints
    prob: Floats


def successors(steps: Transitions, part: Ints, actions: int) -> Successors:
    """Sort steps by action, observation, reply and next state; equal ones are added up.

    part [S] is the partition of a state; it must follow from action and observation.
    """
    observations = int(steps.obs.max(initial=0)) + 1
    pair = steps.action.astype(np.int64) * observations + steps.obs
    order = np.lexsort((steps.to, steps.source, pair))
    pair, source, to = pair[order], steps.source[order], steps.to[order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (np.diff(pair) != 0) | (np.diff(source) != 0) | (np.diff(to) != 0)
    prob = np.add.reduceat(steps.prob[order], np.flatnonzero(fresh)) if len(order) else np.zeros(0)
    pair, source, to = pair[fresh], source[fresh], to[fresh]
    heads = np.flatnonzero(np.diff(pair, prepend=-1))  # the first transition of each successor
    return Successors(
        successor_start=np.searchsorted(pair[heads] // observations, np.arange(actions + 1)),
        obs=pair[heads] % observations,
        target=part[to[heads]],
        transition_start=np.append(heads, len(pair)),
        source=source,
        to=to,
        prob=prob,
    )
