"""An answer in words that are true of it: for terminals and pages alike."""

from __future__ import annotations

import math

from fogbound.core.numerals import number
from fogbound.driver.provenance import EQUILIBRIUM, REPLY, TEAM, VALUE
from fogbound.driver.solution import Solution

SAMPLED = "its interval is statistical"


def trust(solution: Solution, later: str = "") -> str:
    """Who vouches for the bounds of an answer: the independent checker, the solver alone, or nobody.

    Parameters
    ----------
    solution
        The answer.
    later
        How to have it checked where it is not yet, as whoever asks would do that.

    Returns
    -------
    str
        A clause without a full stop.

    Examples
    --------
    >>> import fogbound as fb
    >>> trust(fb.solve("king-ace", "sequence-lp"))
    'both bounds are certified by the independent checker, in exact arithmetic'
    """
    if math.isinf(solution.lower) and math.isinf(solution.upper):
        return SAMPLED
    if solution.certificate is None:
        why = solution.details.get("uncertified", "such answers have no certificate yet")
        return f"these are the solver's own figures: {why}"
    subject = "this is" if solution.answer == EQUILIBRIUM else "both bounds are"
    return {
        "both": f"{subject} certified by the independent checker, in exact arithmetic",
        "lower": "the lower bound is certified by the independent checker; the upper one is the solver's own",
        "none": str(solution.details.get("uncertified", "not yet certified")) + (f": {later}" if later else ""),
    }[solution.certified]


def kept(answer: str, name: str, lower: float, upper: float, gap: float, proves: str = "both") -> str:
    """What somebody has who stops at these bounds, in a sentence.

    Parameters
    ----------
    answer
        What the bounds mean, as `Solution.answer` says it.
    name
        Whose they are.
    lower, upper, gap
        The bounds.
    proves
        Which of them there is evidence for: both, or the lower one alone.

    Returns
    -------
    str
        A sentence. Only what holds against anyone is called guaranteed.

    Examples
    --------
    >>> kept("value", "cops", 71.83, 73.01, 1.18)
    'A strategy that guarantees cops 71.83 against anyone, where nobody can guarantee more than 73.01.'
    >>> kept("equilibrium", "row", 0.0, 0.5, 0.5)
    'A profile in which nobody gains more than 0.5 by deviating alone.'
    """
    low, high = number(lower, 6), number(upper, 6)
    if answer == EQUILIBRIUM and math.isfinite(gap):
        return f"A profile in which nobody gains more than {number(gap, 3)} by deviating alone."
    if math.isinf(lower) and math.isinf(upper):
        return f"A way to play for {name}, found by samples: an estimate, without bounds."
    floor, ceiling = {
        VALUE: (f"A strategy that guarantees {name} {low} against anyone", f"nobody can guarantee more than {high}"),
        REPLY: (f"A policy with which {name} earns {low}", f"no policy earns more than {high}"),
        TEAM: (f"Policies with which the team earns {low}", f"no team earns more than {high}"),
    }.get(answer, (f"An answer from {low} for {name}", f"at most {high}"))
    if proves == "lower":
        return f"{floor}. Whether more is possible is not proven; the solver's own upper bound is {high}."
    if math.isinf(lower):
        return f"A bound and no strategy yet: {ceiling}."
    return f"{floor}; nothing is known yet of what is possible." if math.isinf(upper) else f"{floor}, where {ceiling}."
