"""Steps of a one-sided game in the order in which its solvers read them: action, observation, reply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.forms.arrays import Floats, Ints, heads, starts


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
    fresh = heads(pair, source, to)
    prob = np.add.reduceat(steps.prob[order], np.flatnonzero(fresh)) if len(order) else np.zeros(0)
    pair, source, to = pair[fresh], source[fresh], to[fresh]
    first = np.flatnonzero(heads(pair))  # the first transition of each successor
    return Successors(
        successor_start=starts(pair[first] // observations, actions),
        obs=pair[first] % observations,
        target=part[to[first]],
        transition_start=np.append(first, len(pair)),
        source=source,
        to=to,
        prob=prob,
    )
