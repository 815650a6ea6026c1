"""A belief in a few words: its likeliest states, or how foggy it is.

A game as one player believed it: the exact belief after each step of what it did and saw.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fogbound.core.errors import many
from fogbound.core.game import AnyGame, Observation
from fogbound.core.measure import width_of
from fogbound.core.numerals import decimal
from fogbound.evaluation.visitation import Likely
from fogbound.forms import words
from fogbound.forms.arrays import Floats
from fogbound.forms.bayes_filter import BayesFilter, Belief
from fogbound.forms.decisions import History
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Form, derive

MOST_NAMED = 3  # states that a note names
LEAST_NAMED = 0.05  # probability of a state that is worth naming
LEAST_TOLD = 0.3  # probability of those that a note names, or it would say nothing
UNVISITED = "never visited"


def belief_note(belief: Likely, room: float = float("inf"), size: float = 11, told: words.Told = words.labels) -> str:
    """The likeliest states, as many as there is room for; how foggy it is where none stands out.

    Parameters
    ----------
    belief
        States with their probabilities, the likeliest first.
    room, size
        The width that the note may have, at a size of letters.
    told
        States in words. Where these are too wide labels take their place.
    """
    if not belief:
        return UNVISITED
    most = [state for state, _ in belief[: MOST_NAMED + 1]]
    for names in ([state_name(name) for name in namer(most)] for namer in (told, words.labels)):
        if len(belief) == 1 and (names[0] == state_name(words.label(most[0])) or width_of(names[0], size) <= room):
            return f"surely {names[0]}"
        if note := _named(belief, names, room, size):
            return note
    return f"{many(len(belief), 'state')}, {entropy_words(np.array([p for _, p in belief]))}"


def _named(belief: Likely, names: Sequence[str], room: float, size: float) -> str:
    """The likeliest states of several with their probabilities; empty where there is no room for enough of them."""
    named = sum(p >= LEAST_NAMED for _, p in belief[:MOST_NAMED])
    for count in range(named + (named + 1 == len(belief)), 0, -1):  # a single other state is named too
        rest = len(belief) - count
        said = [f"{decimal(p)} {name}" for name, (_, p) in zip(names, belief[:count])] + [f"… {rest:,} more"] * (
            rest > 0
        )
        if sum(p for _, p in belief[:count]) >= LEAST_TOLD and width_of("; ".join(said), size) <= room:
            return "; ".join(said)
    return ""


def state_name(said: str) -> str:
    """A state in words beside a probability: what begins with a digit, or lists, must not read as more than one."""
    if said.isdecimal():
        return f"state {said}"
    return f"({said})" if said[:1].isdecimal() or ";" in said else said


def entropy(weights: Floats) -> float:
    """How much is not known, in bits: the entropy."""
    likely = weights[weights > 0]
    return max(0.0, -float(likely @ np.log2(likely)))


def entropy_words(weights: Floats) -> str:
    """The same in words."""
    return f"{entropy(weights):.2f} bits of fog" if len(weights[weights > 0]) > 1 else "no fog left"


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
