"""One published statement beside our figure."""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.core.errors import FogboundError
from fogbound.driver.solution import Solution

VERDICTS = {  # the word, and what it means
    "reproduced": "ours shows what the document says",
    "refuted": "ours shows the opposite, with the evidence",
    "not reproduced": "it was compared, and ours shows neither",
    "cannot be checked": "an opinion, a plan, or about something that the document does not give",
    "not stated": "no document says it: a figure of ours",
}
UNSTATED = "–"  # what stands for a place or a figure that no document has
UNCHECKED = "not compared"

Figure = float | tuple[float, float] | None  # one number, an interval, or none that was published


@dataclass(frozen=True)
class Claim:
    """A statement, where it stands, what was published, what we get, and the verdict that follows.

    *Reproduced* and *refuted* are about what the document says: ours shows it, or the opposite. *Not reproduced*: it
    was compared, and ours shows neither. *Cannot be checked*: the document says it, but of something that it does not
    give, or as an opinion, or of the future; the evidence says which. *Not stated*: no document says it.

    `figure` is the name of the file that shows it, without its ending; `command` repeats this claim alone, where there
    is one that is shorter than reproducing the document.
    """

    statement: str
    where: str
    published: str
    ours: str
    verdict: str  # one of VERDICTS
    evidence: str = ""
    figure: str = ""
    command: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise FogboundError(f"verdict {self.verdict!r}, expected one of {', '.join(VERDICTS)}")
        silent = UNSTATED in (self.where, self.published)
        if silent != (self.verdict == "not stated"):
            found, expected = ("nothing", "not stated") if silent else ("something", "another verdict")
            raise FogboundError(
                f"{self.statement!r}: is {self.verdict}, but {found} was published: expected {expected}"
            )


def compare_figure(
    statement: str,
    where: str,
    published: Figure,
    ours: float,
    evidence: str,
    within: float,
    figure: str = "",
    command: str = "",
) -> Claim:
    """A claim about a number (or an interval): reproduced when ours agrees to `within`."""
    if published is None:
        return Claim(statement, where, UNSTATED, _figure(ours), "not stated", evidence, figure, command)
    low, high = published if isinstance(published, tuple) else (published, published)
    agrees = low - within <= ours <= high + within
    shown = f"{_figure(low)} to {_figure(high)}" if high > low else _figure(low)
    return Claim(statement, where, shown, _figure(ours), verdict(agrees), evidence, figure, command)


def unchecked_claim(statement: str, where: str, why: str, published: str = "said") -> Claim:
    """What nobody could check: an opinion, a plan for the future, or something of which too little is given."""
    return Claim(statement, where, published, UNCHECKED, "cannot be checked", why)


def compare_solution(
    statement: str, where: str, published: Figure, solution: Solution, within: float = 0.0, **more: str
) -> Claim:
    """The same for the value of a solution, whose proof is the evidence."""
    return compare_figure(statement, where, published, solution.value, proof_words(solution), within, **more)


def verdict(holds: bool, otherwise: str = "refuted") -> str:
    """The word for a statement that can be decided either way, or that ours cannot refute."""
    return "reproduced" if holds else otherwise


def proof_words(solution: Solution) -> str:
    """What stands behind one of our figures, in a few words."""
    words = {"both": "both bounds certified", "lower": "the policy's value certified", "none": "not certified"}
    return f"{words[solution.certified]}, gap {solution.gap:.1g}"


def _figure(value: float) -> str:
    return f"{value + 0.0:+.6g}".replace("-", "−")
