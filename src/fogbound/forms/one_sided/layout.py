"""Steps of a one-sided game in the order in which its solvers walk them: slot, observation, row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.forms.arrays import Floats, Ints, heads, starts


@dataclass(frozen=True, eq=False)
class Transitions:
    """Steps with which play goes on, in any order: a slot and a row are played, something is seen, play moves."""

    slot: Ints
    obs: Ints
    source: Ints  # row
    to: Ints  # state
    prob: Floats


@dataclass(frozen=True, eq=False)
class Branches:
    """The arrays of `OneSided` of the same names."""

    branch: Ints
    obs: Ints
    target: Ints
    entry: Ints
    source: Ints
    to: Ints
    prob: Floats


def branches(steps: Transitions, part: Ints, slots: int) -> Branches:
    """Sort steps by slot, observation, row and next state; equal ones are added up.

    part [S] is the partition of a state; it must follow from slot and observation.
    """
    observations = int(steps.obs.max(initial=0)) + 1
    pair = steps.slot.astype(np.int64) * observations + steps.obs
    order = np.lexsort((steps.to, steps.source, pair))
    pair, source, to = pair[order], steps.source[order], steps.to[order]
    fresh = heads(pair, source, to)
    prob = np.add.reduceat(steps.prob[order], np.flatnonzero(fresh)) if len(order) else np.zeros(0)
    pair, source, to = pair[fresh], source[fresh], to[fresh]
    first = np.flatnonzero(heads(pair))  # the first entry of each branch
    return Branches(
        branch=starts(pair[first] // observations, slots),
        obs=pair[first] % observations,
        target=part[to[first]],
        entry=np.append(first, len(pair)),
        source=source,
        to=to,
        prob=prob,
    )
