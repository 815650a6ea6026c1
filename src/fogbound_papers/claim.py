"""One published statement beside our figure."""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.core.errors import FogboundError
from fogbound.driver.solution import Solution

VERDICTS = ("reproduced", "refuted", "not reproduced", "not stated")
UNSTATED = "–"  # what stands for a place or a figure that no document has


@dataclass(frozen=True)
class Claim:
    """A statement, where it stands, what was published, what we get, and the verdict that follows.

    *Reproduced* and *refuted* are about what the document says: ours shows it, or the opposite. *Not reproduced*: it
    was compared, and ours shows neither. *Not stated*: no document says it, or not of anything that can be compared.
    """

    statement: str
    where: str
    published: str
    ours: str
    verdict: str  # one of VERDICTS
    evidence: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise FogboundError(f"verdict {self.verdict!r}, expected one of {', '.join(VERDICTS)}")
        if UNSTATED in (self.where, self.published) and self.verdict != "not stated":
            raise FogboundError(
                f"{self.statement!r}: is {self.verdict}, but nothing was published: expected not stated"
            )


def compare(
    statement: str, where: str, published: float | tuple[float, float] | None, ours: float, evidence: str, within: float
) -> Claim:
    """A claim about a number (or an interval): reproduced when ours agrees to `within`."""
    if published is None:
        return Claim(statement, where, UNSTATED, _figure(ours), "not stated", evidence)
    low, high = published if isinstance(published, tuple) else (published, published)
    agrees = low - within <= ours <= high + within
    shown = f"{_figure(low)} to {_figure(high)}" if high > low else _figure(low)
    return Claim(statement, where, shown, _figure(ours), verdict(agrees), evidence)


def verdict(holds: bool) -> str:
    """The word for a statement that can be decided either way."""
    return "reproduced" if holds else "refuted"


def proof(solution: Solution) -> str:
    """What stands behind one of our figures, in a few words."""
    words = {"both": "both bounds certified", "lower": "the policy's value certified", "none": "not certified"}
    return f"{words[solution.certified]}, gap {solution.gap:.1g}"


def _figure(value: float) -> str:
    return f"{value + 0.0:+.6g}".replace("-", "−")
