"""Belief and values of moves of a player whose opponents' policies are known, from its own history alone.

A game of one player has no opponents. A mixed opponent is one of several policies, which Bayes' rule weighs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.errors import FormError
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.bayes_filter import BayesFilter, Belief
from fogbound.forms.decisions import History
from fogbound.forms.pomdp import POMDP
from fogbound.inference.online.action_values import ActionValue, ActionValues, best_actions
from fogbound.inference.online.opponent_inference import ReviewedMove


@dataclass(frozen=True, eq=False)
class OwnBelief:
    """Bayes' rule and the values of moves for one player, with the policies of all others fixed.

    Parameters
    ----------
    form
        The game as its player faces it: `forms.pomdp(game, player, others)`.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.inference.online import OwnBelief
    >>> inference = OwnBelief(fb.forms.pomdp(fb.game("tiger")))
    >>> history = (fb.Observation(None, None), ("listen", fb.Observation("growl-left", None)))
    >>> inference.after(history).weights.round(2).tolist()
    [0.85, 0.15]
    """

    form: POMDP = field(repr=False)

    @cached_property
    def _bayes(self) -> BayesFilter:
        return BayesFilter(self.form)

    @cached_property
    def _values(self) -> ActionValues:
        return ActionValues(self.form)

    def after(self, history: History) -> Belief:
        """What is believed by one who is to move after a history: the first observation, then (action, observation).

        Parameters
        ----------
        history
            What the player did and saw.

        Returns
        -------
        Belief

        Raises
        ------
        FormError
            The rules do not allow the history.
        """
        *_, (belief, _) = self._bayes.along(history)
        belief = None if belief is None else self._bayes.asked(belief)[0]
        if belief is None:
            raise FormError(f"{self.form.spec}: no state fits what was done and seen")
        return belief

    def states(self, belief: Belief) -> list[tuple[Any, float]]:
        """The states of the game that are possible, the likeliest first."""
        types = np.zeros(len(belief.states), np.int64)
        return [(state, float(shares.sum())) for state, shares in self._joint(belief, types, 1)]

    def states_by_type(self, belief: Belief, other: int) -> list[tuple[Any, Floats]]:
        """The possible states, each with its probability jointly with every type [T] of a mixed opponent.

        Parameters
        ----------
        belief
            A belief at which the player is to move.
        other
            The opponent, by index.
        """
        product = self.form.product
        assert product is not None  # it was made from a game: a model file has no opponents
        fixed = product.fixed[other]
        types = [fixed.memories[memory].type for memory in product.point[belief.states, 1 + other].tolist()]
        return self._joint(belief, np.array(types), len(fixed.types))

    def _joint(self, belief: Belief, types: Ints, many: int) -> list[tuple[Any, Floats]]:
        """Possible states with a probability for each of `many` types; memories of the others are summed out."""
        product, form, joint = self.form.product, self.form, dict[int, Floats]()
        numbers = belief.states if product is None else product.point[belief.states, 0]
        for number, kind, p in zip(numbers.tolist(), types.tolist(), belief.weights.tolist()):
            joint.setdefault(number, np.zeros(many))[kind] += p
        ranked = sorted(joint.items(), key=lambda entry: (-round(float(entry[1].sum()), 9), entry[0]))
        label = form.label if product is None else product.table.states.__getitem__
        return [(label(number), shares) for number, shares in ranked]

    def action_values(self, belief: Belief) -> tuple[ActionValue, ...]:
        """The value of each move; FormError where play need never end and nothing is discounted."""
        return self._values.at(belief)

    def review(self, history: History) -> list[ReviewedMove]:
        """Every move of a history, judged by what could be known when it was made."""
        reviewed = []
        for step, (action, _) in enumerate(history[1:], 1):
            if action is not None:
                values = self.action_values(self.after(history[:step]))
                own = next(value for value in values if value.action == action)
                reviewed.append(ReviewedMove(action, own, tuple(best_actions(values))))
        return reviewed
