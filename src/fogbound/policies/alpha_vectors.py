"""A value function as a policy: track the belief, play the action of the best vector there.

Memory is the exact belief after what has been seen. Whether one is asked to move is news too: `asked` and an own action
condition on having been asked, waiting conditions on not having been.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Ints, runs_of
from fogbound.forms.bayes_filter import BayesFilter, Belief, Updated
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.policies.alpha_entries import AlphaEntries
from fogbound.policies.stored import NotOnGame
from fogbound.policies.vocabulary import Vocabulary

INFINITE = "a vector is infinitely good or no number in some state"
ROUNDING = 1e-4  # of the largest possible value: files round their numbers, and rows of probabilities are set right
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
    return () if belief is None else tuple(zip(belief.states.tolist(), belief.weights.round(DIGITS).tolist()))


@dataclass(frozen=True, eq=False, init=False)
class AlphaVectors(RemembersBelief):
    """Vectors over the states of a POMDP, each with the action it starts with (Sondik 1971).

    Memory is the belief after what has been seen. Whether one is asked to move is news too: `act` and an
    own action condition on having been asked, waiting conditions on not having been.

    After something that the game may show and the model holds impossible nothing is believed any more, and play is
    uniform from there. What the game never shows, and actions that it does not have, raise a PolicyError.

    Parameters
    ----------
    pomdp
        Whose states the vectors are over.
    vectors
        [K, S] values, as a matrix or sparse. A vector may be -inf in states that it is not meant for, and is then best
        in no belief that holds one of them possible; those entries are not stored.
    actions
        [K] the label of the action that each starts with.
    """

    pomdp: POMDP = field(repr=False)
    entries: AlphaEntries = field(repr=False)
    actions: Ints = field(repr=False)  # [K] action label ids

    def __init__(self, pomdp: POMDP, vectors: Floats | AlphaEntries, actions: Ints) -> None:
        entries = vectors if isinstance(vectors, AlphaEntries) else AlphaEntries.of(vectors)
        self.__dict__.update(pomdp=pomdp, entries=entries, actions=actions)
        fault = self.fault()
        if fault:
            raise PolicyError(f"{self.pomdp.spec}: {fault}")

    @property
    def vectors(self) -> Floats:
        """[K, S] the vectors as a matrix, made anew at each call: -inf where one is not defined."""
        return self.entries.dense()

    def fault(self) -> str | None:
        """What is not valid, in words, or None: vectors over the model's states, of its actions."""
        shape = len(self.entries), self.entries.size
        if shape != (len(self.actions), self.pomdp.size):
            return f"vectors of the shape {shape}, expected {self.pomdp.size:,} states each"
        if (~(self.entries.values < np.inf)).any():  # NaN is not below infinity either
            return INFINITE
        known = (self.actions >= WAIT) & (self.actions < len(self.pomdp.actions))
        return None if known.all() else "a vector starts with an action that the model does not have"

    def at_start(self) -> float:
        """What the best vectors promise at the start, in floats; -inf where none is defined there."""
        form, total = self.pomdp, float(self.pomdp.reward[0])
        opening = slice(int(form.out[0]), int(form.out[1]))
        asks = (np.diff(form.row) > 0)[form.next[opening]] & (form.prob[opening] > 0)
        seen, state, prob = (column[opening][asks] for column in (form.obs, form.next, form.prob))
        for z in np.unique(seen).tolist():
            states, place = np.unique(state[seen == z], return_inverse=True)
            weights = np.bincount(place, prob[seen == z]).astype(np.float64)
            total += float(self.entries.at(states, weights).max(initial=-np.inf))
        return total

    @cached_property
    def _legal(self) -> dict[tuple[Hashable, ...], NDArray[np.intp]]:
        """The vectors that each list of legal actions leaves, filled as these are met."""
        return {}

    def act(self, memory: BeliefMemory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        belief = self.asked(memory)
        if belief is None:
            return Dist.uniform(actions)  # the model gave this history probability 0: nothing is known
        legal = self._starting_with(tuple(actions))
        likely = belief.weights > 0
        values = self.entries.at(belief.states[likely], belief.weights[likely])
        best = legal[int(values[legal].argmax())]
        if values[best] == -np.inf:
            raise PolicyError(f"{self.pomdp.spec}: no vector is defined on all states that are possible here")
        return Dist.sure(self.pomdp.actions[self.actions[best]])

    def everywhere(self) -> AlphaVectors:
        """The same vectors with a finite value in every state: where one is not meant for, the least that play earns.

        No plan earns less than that, so each vector still bounds from below what its action can lead to, in any belief;
        and in a belief that the model can lead to none of the filled values beats the vectors that are meant for it.

        Returns
        -------
        AlphaVectors
            Itself where every vector is finite already.

        Raises
        ------
        PolicyError
            Nothing bounds what play may cost: it is not discounted and need not end.
        """
        if self.entries.defined_everywhere:
            return self
        vectors = self.vectors
        return AlphaVectors(self.pomdp, np.where(np.isfinite(vectors), vectors, self.least()), self.actions)

    def least(self) -> Floats:
        """[S] the least that play earns from each state; PolicyError where nothing bounds it."""
        from fogbound.forms.greatest_reward import least_total_reward  # asked where vectors have holes

        least = least_total_reward(self.pomdp)
        if not np.isfinite(least).all():
            raise PolicyError(
                f"{self.pomdp.spec}: a vector is not finite in some state, and nothing bounds what play costs there: "
                "it is not discounted and need not end"
            )
        return least

    def _starting_with(self, actions: tuple[Hashable, ...]) -> NDArray[np.intp]:
        """[k] the vectors whose action is one of these."""
        legal = self._legal.get(actions)
        if legal is None:
            numbers = [k for k, action in enumerate(self.pomdp.actions) if action in actions]
            legal = self._legal[actions] = np.flatnonzero(np.isin(self.actions, numbers))
        if not len(legal):
            raise PolicyError(f"{self.pomdp.spec}: no vector starts with one of {brief(list(actions))}")
        return legal


@dataclass(frozen=True, eq=False)
class StoredVectors(NotOnGame):
    """Vectors as a file holds them: a policy once they are put `on` the POMDP that they were made for.

    Parameters
    ----------
    size
        How many states the POMDP has.
    first : [K+1]
        Where a vector's entries begin.
    states : [entries]
        The state of each entry.
    values : [entries]
        Its value.
    actions : [K]
        The action that each vector starts with.
    """

    size: int
    first: Ints  # [K+1]
    states: Ints  # [entries]
    values: Floats  # [entries]
    actions: tuple[Hashable, ...]  # [K]

    not_on_game: ClassVar[str] = "these vectors are not yet on a POMDP: vectors.on(fogbound.forms.pomdp(game))"

    def fault(self) -> str | None:
        """What is not valid, in words, or None: vectors that are runs of entries, each state once, finite values."""
        first, rows = self.first, len(self.actions)
        rising = len(first) == rows + 1 and first[0] == 0 and bool((np.diff(first) >= 0).all())
        if not rising or not first[-1] == len(self.states) == len(self.values):
            return "vectors of unequal length"
        if (np.diff(first) == 0).any():
            return "a vector that is defined nowhere"
        if (self.states < 0).any() or (self.states >= self.size).any():
            return f"a vector over a state that is none of 0 to {self.size - 1}"
        if not np.isfinite(self.values).all():
            return INFINITE
        where = np.repeat(np.arange(rows), np.diff(first)) * self.size + self.states
        return "a vector that has a state twice" if len(np.unique(where)) != len(where) else None

    @staticmethod
    def of(policy: AlphaVectors) -> StoredVectors:
        labels = tuple(policy.pomdp.actions[a] for a in policy.actions)
        sparse = policy.entries
        return StoredVectors(sparse.size, sparse.first, sparse.states, sparse.values, labels)

    def on(self, pomdp: POMDP) -> AlphaVectors:
        """The policy in its POMDP; PolicyError when they do not fit."""
        if self.size != pomdp.size:
            raise PolicyError(f"vectors over {self.size:,} states, but {pomdp.spec} has {pomdp.size:,}")
        numbers = {action: k for k, action in enumerate(pomdp.actions)}
        strange = [action for action in self.actions if action not in numbers]
        if strange:
            raise PolicyError(f"a vector starts with {brief(strange[0])}, which {pomdp.spec} does not have")
        vector = np.repeat(np.arange(len(self.actions)), np.diff(self.first))
        vectors = AlphaEntries.of_entries(self.size, vector, self.states, self.values, len(self.actions))
        policy = AlphaVectors(pomdp, vectors, np.array([numbers[a] for a in self.actions], np.int64))
        require_earnable(policy)
        return policy


def require_earnable(policy: AlphaVectors) -> None:
    """Refuse vectors that promise more in a state than anybody can earn from there: they are of another model.

    A solver's vectors stay below what one would earn who saw everything, whether they bound the value from below or,
    as QMDP's and the fast informed bound's, from above. PolicyError where one does not.
    """
    from fogbound.forms.greatest_reward import greatest_total_reward  # asked of vectors that are read

    most, vectors = greatest_total_reward(policy.pomdp), policy.entries
    scale = max(float(np.abs(each).max(initial=0.0)) for each in (most, policy.pomdp.reward))
    above = vectors.values - (most[vectors.states] + ROUNDING * scale)
    if not (above > 0).any():
        return
    entry = int(above.argmax())
    vector, state = int(runs_of(vectors.first, np.array([entry]))[0]), int(vectors.states[entry])
    raise PolicyError(
        f"vector {vector + 1:,} of {len(vectors):,} promises {vectors.values[entry]:.6g} in "
        f"{brief(policy.pomdp.label(state))}, where no policy of {policy.pomdp.spec} can earn more than "
        f"{most[state]:.6g}: the vectors are of another model"
    )
