"""What one who plays alone may believe, and the value of each of its moves then: all from what it did and saw."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property

from fogbound.core.errors import FormError
from fogbound.forms.bayes_filter import BayesFilter, Belief
from fogbound.forms.decisions import History
from fogbound.forms.pomdp import POMDP
from fogbound.inference.online.action_values import ActionValue, ActionValues, best_actions
from fogbound.inference.online.opponent_inference import ReviewedMove


@dataclass(frozen=True, eq=False)
class OwnBelief:
    """Bayes' rule and the values of moves in a game of one player.

    Parameters
    ----------
    form
        The game as its player faces it.

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
        belief, _ = self._bayes.begin(history[0])
        for action, observation in history[1:]:
            belief = None if belief is None else self._bayes.update(belief, action, observation)[0]
        belief = None if belief is None else self._bayes.asked(belief)[0]
        if belief is None:
            raise FormError(f"{self.form.spec}: no state fits what was done and seen")
        return belief

    def states(self, belief: Belief) -> list[tuple[Hashable, float]]:
        """The states that may be, the likeliest first."""
        ranked = sorted(zip(belief.states.tolist(), belief.weights.tolist()), key=lambda part: (-part[1], part[0]))
        return [(self.form.label(state), p) for state, p in ranked]

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
