"""A game as one player believed it: the exact belief after each step of what it did and saw."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from fogbound.core.game import AnyGame, Observation
from fogbound.forms.bayes_filter import BayesFilter, Belief
from fogbound.forms.decisions import History
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, derive


@dataclass(frozen=True, eq=False)
class BeliefStep:
    """One step: what was done and seen, what is believed after it, and how likely the observation was before it.

    From the first observation on that the model holds impossible nothing is believed (None, probability 0).
    """

    action: Hashable | None  # None at the start, and where the player was not asked
    seen: Observation
    belief: Belief | None = field(repr=False)
    probability: float


def track(form: AnyGame | Form, history: History) -> tuple[BeliefStep, ...]:
    """The beliefs along a history: the first observation, then pairs (own action or None, observation).

    Parameters
    ----------
    form
        The POMDP of the player who believes, or what it can be derived from: a game of one player.
    history
        What it saw and did.

    Returns
    -------
    tuple of BeliefStep
        One for each observation, with the belief after it and how likely it was.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.pomdp(fb.game("tiger"))
    >>> history = (fb.Observation(None, None), ("listen", fb.Observation("growl-left", None)))
    >>> [step.probability for step in fb.evaluation.track(form, history)]
    [1.0, 0.5]
    """
    steps = ((None, *history[:1]), *history[1:]) if history else ()
    updated = BayesFilter(derive(form, POMDP)).along(history)
    return tuple(BeliefStep(action, seen, belief, p) for (action, seen), (belief, p) in zip(steps, updated))
