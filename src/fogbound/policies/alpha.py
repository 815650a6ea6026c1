"""A value function as a policy: track the belief, play the action of the best vector there."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import Seen
from fogbound.forms.bayes import Bayes, Updated
from fogbound.forms.bayes import Belief as Weighed
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Floats, Ints

DIGITS = 12

# A belief as a value: the possible POMDP states with their probabilities, rounded so that equal ones are equal.
Belief = tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class AlphaVectors:
    """Vectors over the states of a POMDP, each with the action it starts with (Sondik 1971).

    Memory is the belief after what has been seen. Whether one is asked to move is news too: `act` and an
    own action condition on having been asked, waiting conditions on not having been. A vector may be -inf in
    states that it is not meant for; it is then best in no belief that holds one of them possible.
    """

    pomdp: POMDP = field(repr=False)
    vectors: Floats = field(repr=False)  # [K, S]
    actions: Ints = field(repr=False)  # [K] action label ids

    @cached_property
    def _bayes(self) -> Bayes:
        return Bayes(self.pomdp)

    @cached_property
    def _legal(self) -> dict[tuple[Hashable, ...], NDArray[np.intp]]:
        """The vectors that each menu leaves, filled as menus are met."""
        return {}

    def begin(self, seen: Seen) -> Belief:
        return _value(self._bayes.begin(seen))

    def update(self, memory: Belief, action: Hashable | None, seen: Seen) -> Belief:
        return _value(self._bayes.update(_weighed(memory), action, seen)) if memory else ()

    def act(self, memory: Belief, actions: Sequence[Hashable]) -> Dist[Hashable]:
        belief = self._bayes.asked(_weighed(memory)) if memory else None
        if belief is None:
            return Dist.uniform(actions)  # the model gave this history probability 0: nothing is known
        legal = self._starting_with(tuple(actions))
        likely = belief.weights > 0
        worth = self.vectors.take(belief.states[likely], axis=1) @ belief.weights[likely]
        return Dist.sure(self.pomdp.actions[self.actions[legal[int(worth[legal].argmax())]]])

    def _starting_with(self, actions: tuple[Hashable, ...]) -> NDArray[np.intp]:
        """[k] the vectors whose action is one of these."""
        legal = self._legal.get(actions)
        if legal is None:
            numbers = [k for k, action in enumerate(self.pomdp.actions) if action in actions]
            legal = self._legal[actions] = np.flatnonzero(np.isin(self.actions, numbers))
        if not len(legal):
            raise PolicyError(f"{self.pomdp.spec}: no vector starts with one of {brief(list(actions))}")
        return legal


def _weighed(memory: Belief) -> Weighed:
    states, weights = zip(*memory)
    return Weighed(np.array(states), np.array(weights))


def _value(updated: Updated) -> Belief:
    """The belief as a value; empty when the model gives what was seen probability 0."""
    belief, _ = updated
    if belief is None:
        return ()
    return tuple(zip(belief.states.tolist(), belief.weights.round(DIGITS).tolist()))
