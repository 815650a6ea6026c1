"""What the bounds of an answer mean, in words that are true of them: one table for terminals, Python and pages."""

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


_VALUE = Wording(
    "the value of the game for {name} lies in",
    "The value of the game for {name} lies between {lower} and {upper}.",
)
_PROFILE = Wording(
    "from what {name} earns with its strategy to what its best reply would earn",
    "{name} earns {lower} when everybody plays as stored; its best reply to the others would earn {upper}.",
)
_RESTRICTED = Wording(
    "what {name} can have against an opponent believed in part lies in",
    "Against an opponent who plays as stored with the given probability, the value for {name} lies between {lower} and "
    "{upper}.",
)
_OBEDIENCE = Wording(
    "from what {name} earns as recommended to what its best disobedience would earn",
    "{name} earns {lower} by following the recommendations, and could earn {upper} by its best disobedience.",
)

WORDINGS: dict[str, Wording] = {  # by kind of certificate
    "zero-sum-tree": _VALUE,
    "zero-sum-memories": _VALUE,
    "zero-sum-markov": _VALUE,
    "tree-profile": _PROFILE,
    "memories-profile": _PROFILE,
    "markov-profile": _PROFILE,
    "restricted-tree": _RESTRICTED,
    "restricted-memories": _RESTRICTED,
    "chain-profile": Wording(
        "what the policy of {name} is worth lies in",
        "The stored policy of {name} earns between {lower} and {upper} when the others play as stored.",
        "Whether another policy earns more is not proven.",
    ),
    "team": Wording(
        "from what these plans earn together to what no plans of this team exceed",
        "The stored plans of the team earn {lower}; no plans of this team earn more than {upper}.",
    ),
    "one-sided": Wording(
        "what {name} can guarantee against one who sees everything lies in",
        "What {name} can guarantee against an opponent who sees everything lies between {lower} and {upper}.",
    ),
    "level-k": Wording(
        "from what the highest level of {name} earns to what no reply to its beliefs exceeds",
        "The highest level of {name} earns {lower} against the levels that it believes in; no reply to these beliefs "
        "earns more than {upper}.",
    ),
    "pomdp": Wording(
        "from what the controller of {name} earns to what no policy exceeds",
        "The stored policy of {name} earns {lower} or more; no policy earns more than {upper}.",
    ),
    "markov-correlated": _OBEDIENCE,
    "correlated": _OBEDIENCE,
    "coarse-correlated": Wording(
        "from what {name} earns as recommended to what it would earn by promising no obedience",
        "{name} earns {lower} by following the recommendations, and could earn {upper} by refusing them beforehand.",
    ),
    "extensive-form-correlated": Wording(
        "from what {name} earns as recommended to what disobeying some move would earn",
        "{name} earns {lower} by following the recommendations, and could earn {upper} by disobeying some of them.",
    ),
    "statistical": Wording(
        "the estimate for {name} is",
        "A replay gives {name} the same estimate, with a confidence interval from {lower} to {upper}.",
        "Nothing is proven about the value of the game.",
        REPLAY,
    ),
}

BOUNDS = {  # by `Solution.answer`: what to call the lower and the upper bound
    "value": ("guaranteed", "at most"),
    "reply": ("earns", "no {policy} earns more than"),
    "team": ("earns", "no team earns more than"),
    "equilibrium": ("earns in this profile", "a best reply would earn"),
}
NEUTRAL = ("from", "to")
POLICY, MIXTURE = "policy", "mixture of pure strategies"  # what an upper bound ranges over
UNPROVEN = "claimed upper bound"  # by the solver, with nothing that proves it


def bound_words(answer: str, proves: str, policy: str = POLICY) -> tuple[str, str]:
    """What to call the lower and the upper bound of an answer.

    Parameters
    ----------
    answer
        What the bounds mean, as `Solution.answer` says it.
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
    return (low, UNPROVEN) if proves == "lower" else (low, high.format(policy=policy))
