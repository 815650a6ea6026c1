"""An answer in words that are true of it: for terminals and pages alike."""

from __future__ import annotations

import math

from fogbound.certificates.wording import EQUILIBRIUM, POLICY, REPLY, TEAM, VALUE
from fogbound.core.numerals import number
from fogbound.driver.report import CLAIMED, EARNED
from fogbound.driver.solution import Solution

SAMPLED = "an estimate from samples: its interval is statistical"
FEW = "an estimate from samples, too few for an interval"
UNPLAYED = "play it to see what it earns: fogbound match"


def trust(solution: Solution, later: str = "") -> str:
    """Who confirms the figures of an answer: the independent checker, an evaluation of its profile, or nobody.

    Parameters
    ----------
    solution
        The answer.
    later
        How the reader can have the answer checked, where it is not yet.

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
    if math.isnan(solution.value):
        return UNPLAYED
    if solution.sampled and solution.certified == "none" and "upper" not in solution.claimed:
        return SAMPLED if solution.interval else FEW
    if solution.certified == "both":
        subject = "this is" if solution.answer == EQUILIBRIUM else "both bounds are"
        return f"{subject} certified by the independent checker, in exact arithmetic{_thinned(solution)}"
    if solution.certified == "lower":
        return f"the lower bound is certified by the independent checker; {_claims(solution)}"
    missing = "not yet certified" if solution.certificate else "such answers have no certificate yet"
    why = str(solution.details.get("uncertified", missing))
    return f"{_claims(solution)}; {why}" + (f": {later}" if later and solution.certificate else "")


def _claims(solution: Solution) -> str:
    """Which figures were evaluated from the profile, and which are the solver's word."""
    bounds = tuple(name for name in solution.claimed if name != "value")
    own = "the value is evaluated from the profile" if solution.value_is == EARNED else ""
    told = {
        (): "" if solution.value_is == CLAIMED else "value and bounds are evaluated from the profile",
        ("lower",): "the lower bound is claimed by the solver",
        ("upper",): "the upper bound is claimed by the solver",
    }.get(bounds, "the bounds are claimed by the solver")
    if solution.certified == "lower" or not bounds or not own:
        return told or "the value is claimed by the solver"
    return f"{own}; {told}"


def _thinned(solution: Solution) -> str:
    """What it cost that a time limit left too little time for all the evidence."""
    cost = solution.details.get("thinned")
    if not cost:
        return ""
    return (
        f"; thinning the evidence to fit the time limit widened the gap by {cost['cost']:.2g}, "
        f"{cost['cost'] / (cost['gap'] + cost['cost']):.0%} of it (the solver's own: {cost['gap']:.3g})"
    )


def kept(
    answer: str,
    name: str,
    lower: float,
    upper: float,
    gap: float,
    proves: str = "both",
    claimed: bool = False,
    among: str = POLICY,
) -> str:
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
    claimed
        Whether nothing confirms them but the solver.
    among
        What the upper bound of a reply ranges over: see `Solution.among`.

    Returns
    -------
    str
        A sentence. Only what holds against anyone is called guaranteed, and nothing that is only claimed.

    Examples
    --------
    >>> kept("value", "cops", 71.83, 73.01, 1.18)
    'A strategy that guarantees cops 71.83 against anyone, where nobody can guarantee more than 73.01.'
    >>> kept("equilibrium", "row", 0.0, 0.5, 0.5)
    'A profile in which nobody gains more than 0.5 by deviating alone.'
    """
    low, high = number(lower, 6), number(upper, 6)
    if claimed and math.isfinite(lower):
        return f"An answer for {name} from {low} to {high}, as its solver claims: nothing confirms it."
    if answer == EQUILIBRIUM and math.isfinite(gap):
        return f"A profile in which nobody gains more than {number(gap, 3)} by deviating alone."
    if math.isinf(lower) and math.isinf(upper):
        return f"A way to play for {name}, found by samples: an estimate, without bounds."
    floor, ceiling = {
        VALUE: (f"A strategy that guarantees {name} {low} against anyone", f"nobody can guarantee more than {high}"),
        REPLY: (f"A policy with which {name} earns {low}", f"no {among} earns more than {high}"),
        TEAM: (f"Policies with which the team earns {low}", f"no team earns more than {high}"),
    }.get(answer, (f"An answer from {low} for {name}", f"at most {high}"))
    if proves == "lower":
        return f"{floor}. Whether more is possible is not proven; the solver's own upper bound is {high}."
    if math.isinf(lower):
        return f"A bound and no strategy yet: {ceiling}."
    return f"{floor}; nothing is known yet of what is possible." if math.isinf(upper) else f"{floor}, where {ceiling}."
