"""Every type that an opponent may be, followed apart through one POMDP, as far as one player's observations reach.

A track says what may be hidden if the other is of this type, and how likely this type was to cause all that was seen.
Types are only weighed against each other afterwards, so any prior can be tried on the same tracks.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import Observation
from fogbound.forms.bayes_filter import BayesFilter, Belief, Updated
from fogbound.forms.decisions import History
from fogbound.forms.pomdp import POMDP

TypeTrack = tuple[Belief | None, float]  # what may be hidden, and the logarithm of how likely all that was seen was
IMPOSSIBLE: TypeTrack = (None, -math.inf)


class TypeFilter:
    """The tracks of `types` types in a POMDP; `type_of` says whose each of its states is, -1 where play is over."""

    def __init__(self, form: POMDP, type_of: NDArray[np.int64], types: int) -> None:
        self.type_of, self.types = type_of, types
        self.bayes = BayesFilter(form)

    def begin(self, observation: Observation) -> list[TypeTrack]:
        """After the first observation, which says as much about every type: nobody has moved yet."""
        belief, p = self.bayes.begin(observation)
        if belief is None:
            return [IMPOSSIBLE] * self.types
        own = self.type_of[belief.states]
        return [_tracked((belief.given((own == k) | (own < 0))[0], p), 0.0) for k in range(self.types)]

    def step(self, tracks: list[TypeTrack], action: Hashable | None, observation: Observation) -> list[TypeTrack]:
        """After an own action (None: not asked) and what was seen of it."""
        updated = []
        for belief, log in self.asked(tracks, action is not None):
            updated.append(
                IMPOSSIBLE if belief is None else _tracked(self.bayes.update(belief, action, observation), log)
            )
        return updated

    def asked(self, tracks: list[TypeTrack], asked: bool = True) -> list[TypeTrack]:
        """Being asked to move, or not, is news too."""
        return [
            IMPOSSIBLE if belief is None else _tracked(self.bayes.asked(belief, asked), log) for belief, log in tracks
        ]

    def along(self, history: History, asked: bool) -> list[list[TypeTrack]]:
        """The tracks after each step of a history; with `asked` the player knows that it is to move in the end."""
        steps = [self.begin(history[0])]
        for action, seen in history[1:]:
            steps.append(self.step(steps[-1], action, seen))
        return [*steps[:-1], self.asked(steps[-1])] if asked else steps


def _tracked(updated: Updated, log: float) -> TypeTrack:
    belief, p = updated
    return (belief, log + math.log(p)) if belief is not None and p > 0 else IMPOSSIBLE
