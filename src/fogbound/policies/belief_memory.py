"""Remembering by believing: the exact belief as a value, for whoever chooses by it.

Memory is the belief after what has been seen. Whether one is asked to move is news too: `asked` and an own action
condition on having been asked, waiting conditions on not having been.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

import numpy as np

from fogbound.core.game import Observation
from fogbound.forms.bayes_filter import BayesFilter, Belief, Updated
from fogbound.forms.pomdp import POMDP
from fogbound.policies.vocabulary import Vocabulary

DIGITS = 12

# A belief as a value: the possible POMDP states with their probabilities, rounded so that equal ones are equal.
BeliefMemory = tuple[tuple[int, float], ...]


class RemembersBelief:
    """The half of a policy that remembers. Nothing is believed after what the model holds impossible: an empty memory.

    What the game never shows, and actions that it does not have, raise a PolicyError.
    """

    pomdp: POMDP

    @cached_property
    def _bayes(self) -> BayesFilter:
        return BayesFilter(self.pomdp)

    @cached_property
    def _words(self) -> Vocabulary:
        return Vocabulary.of(self.pomdp, self.pomdp.player)

    def begin(self, observation: Observation) -> BeliefMemory:
        return _value(self._bayes.begin(self._words.observation(observation)))

    def update(self, memory: BeliefMemory, action: Hashable | None, observation: Observation) -> BeliefMemory:
        seen, done = self._words.observation(observation), self._words.action(action)
        return _value(self._bayes.update(_weighed(memory), done, seen)) if memory else ()

    def asked(self, memory: BeliefMemory) -> Belief | None:
        """What is believed by a player who is asked to move; None where nothing is believed any more."""
        return self._bayes.asked(_weighed(memory))[0] if memory else None


def _weighed(memory: BeliefMemory) -> Belief:
    states, weights = zip(*memory)
    return Belief(np.array(states), np.array(weights))


def _value(updated: Updated) -> BeliefMemory:
    """The belief as a value; empty when the model gives what was seen probability 0."""
    belief, _ = updated
    if belief is None:
        return ()
    return tuple(zip(belief.states.tolist(), belief.weights.round(DIGITS).tolist()))
