"""What the bounds of an answer mean, in words that are true of them: the same for terminals, Python and pages."""

from __future__ import annotations

from dataclasses import dataclass

EXACT = "in exact arithmetic"
REPLAY = "by a replay with the same seed: statistical evidence, no proof"
JUDGES = {EXACT: "The independent checker", REPLAY: "A replay"}  # by method, who confirms


@dataclass(frozen=True)
class Wording:
    """The words for one kind of proof.

    Parameters
    ----------
    meaning
        What the interval is, in a line of its own.
    sentence
        What is proven, with {name}, {lower} and {upper} of the player.
    limits
        What is not proven although somebody might think so; empty where there is nothing to say.
    method
        How it was established.
    """

    meaning: str
    sentence: str
    limits: str = ""
    method: str = EXACT

    def status(self, holds: bool) -> str:
        """Who confirms it, or does not."""
        return f"{JUDGES[self.method]} {'confirms' if holds else 'does not confirm'} it."

    def told(self, name: str, lower: str, upper: str) -> str:
        """The sentence about a player."""
        return self.sentence.format(name=name, lower=lower, upper=upper)


VALUE_LIES = Wording(
    "the value of the game for {name} lies in",
    "The value of the game for {name} lies between {lower} and {upper}.",
)
EARNS_AND_REPLY = Wording(
    "from what {name} earns with its strategy to what its best reply would earn",
    "{name} earns {lower} when everybody plays as stored; its best reply to the others would earn {upper}.",
)
OBEDIENCE = Wording(
    "from what {name} earns as recommended to what its best disobedience would earn",
    "{name} earns {lower} by following the recommendations, and could earn {upper} by its best disobedience.",
)

VALUE, REPLY, EQUILIBRIUM, TEAM = "value", "reply", "equilibrium", "team"  # what the bounds of an answer mean
BOTH, LOWER = "both", "lower"  # which bounds are proven
BOUNDS = {  # by what they mean: what to call the lower and the upper bound
    VALUE: ("guaranteed", "at most"),
    REPLY: ("earns", "no {policy} earns more than"),
    TEAM: ("earns", "no team earns more than"),
    EQUILIBRIUM: ("earns in this profile", "a best reply would earn"),
}
NEUTRAL = ("from", "to")
POLICY, MIXTURE = "policy", "mixture of pure strategies"  # what an upper bound ranges over
UNPROVEN = "claimed upper bound"  # by the solver, with nothing that proves it


def bound_words(answer: str, proves: str, policy: str = POLICY) -> tuple[str, str]:
    """What to call the lower and the upper bound of an answer.

    Parameters
    ----------
    answer
        What the bounds mean: value, reply, equilibrium or team.
    proves
        Which of them the evidence speaks about: both, or lower.
    policy
        What the upper bound of a reply ranges over: every policy, or every mixture of pure strategies, where an
        absent-minded player's behaviour strategies are no such mixtures.

    Returns
    -------
    tuple of str
        Only what holds against anyone is guaranteed; an upper bound that nothing proves is called so.

    Examples
    --------
    >>> bound_words("reply", "both")
    ('earns', 'no policy earns more than')
    >>> bound_words("reply", "both", MIXTURE)[1]
    'no mixture of pure strategies earns more than'
    """
    low, high = BOUNDS.get(answer, NEUTRAL)
    return (low, UNPROVEN) if proves == LOWER else (low, high.format(policy=policy))
