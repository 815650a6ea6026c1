"""Certificates: what someone else needs to check an answer, and the check itself.

The checker in `fogbound.verify` is independent: it shares no code with the solvers, reads floats as the
exact rationals they are and repairs rather than tolerates, so the interval it returns is true whatever it
is given. Here answers are put into its language.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound.archive import canonical
from fogbound.certificates.wording import BOTH, Wording

VERSION = 1
UNCHECKED_SLACK = 1e-9  # of a bound, or of the largest reward where that is more
REWARDS = ("reward", "payoff")  # what the forms call them
WIDEST = float(np.finfo(np.float64).max)

Arrays = dict[str, NDArray[Any]]


class Kind(ABC):
    """A kind of certificate, as far as everybody may ask; `exact.ExactKind` has the rest.

    Attributes
    ----------
    name
        What files and people call it.
    wording
        The words for its result.
    proves
        Which of the two bounds the evidence speaks about: a policy's value bounds only from below.
    answer
        What the proven bounds mean; empty where that depends on what was asked.
    zero_sum
        Whether two strategies bound the value of a game from both sides: then the lower bound is what one of them
        guarantees against anyone, not what they earn.
    searched
        Whether the bounds are those of a search, which may be wider than what its evidence proves.
    """

    name: str
    wording: Wording
    proves: str = BOTH
    answer: str = ""
    zero_sum: bool = False
    searched: bool = False

    def proves_value(self, evidence: Mapping[str, NDArray[Any]]) -> bool:  # noqa: ARG002
        """Whether the lower bound is the value of the profile itself, not only a bound on it."""
        return not self.zero_sum

    def __repr__(self) -> str:
        return repr(self.name)


@dataclass(frozen=True, eq=False)
class Certificate:
    """A claim about one form, with the evidence; `checked` once the independent checker has confirmed it."""

    kind: Kind
    player: int
    form: Arrays = field(repr=False)  # the form's canonical arrays: what the claim is about
    evidence: Arrays = field(repr=False)
    lower: float = -WIDEST
    upper: float = WIDEST
    checked: bool = False
    seconds: float = 0.0
    regret: float | None = None  # what the checker found that nobody can gain more than, where it is about a profile
    stored_sha256: str = ""  # of the form, where only the hash is at hand (read from a file)
    report: checker.Report | None = field(default=None, repr=False)  # what the checker found, once it has checked

    @property
    def proves_value(self) -> bool:
        """Whether the lower bound is the value of the profile itself, not only a bound on it."""
        return self.kind.proves_value(self.evidence)

    @property
    def form_sha256(self) -> str:
        return self.stored_sha256 or checker.digest(plain(self.form))

    def header(self) -> dict[str, Any]:
        """The certificate's part of a solution file's header."""
        return {
            "version": VERSION,
            "kind": self.kind.name,
            "form_sha256": self.form_sha256,
            "player": self.player,
            "claim": {"lower": float(self.lower).hex(), "upper": float(self.upper).hex()},
            "arithmetic": "exact",
            "checked": self.checked,
            "checked_seconds": round(self.seconds, 3),
        }

    def check(self, elapsed: Callable[[], float] = lambda: 0.0, beside: bool = False) -> Certificate:
        """Let the independent checker compute the interval that the evidence proves, timed by the caller's clock.

        In a process `beside` this one the check ends when somebody wants to stop, with `Stopped`.
        """
        began, given = elapsed(), (self.header(), plain(self.form), plain(self.evidence))
        if beside:
            from fogbound.parallel.beside import beside as run_beside

            report: checker.Report = run_beside("fogbound.verify", "check", *given)
        else:
            report = checker.check(*given)
        spent = elapsed() - began
        proven = replace(self, lower=report.lower, upper=report.upper, regret=report.regret)
        return replace(proven, checked=True, seconds=spent, report=report)

    def claiming(self, lower: float, upper: float) -> Certificate:
        """The same evidence for bounds that are not yet checked, loosened by what floats may have lost."""
        scale = largest_reward(self.form)
        below, above = (UNCHECKED_SLACK * max(abs(bound), scale) for bound in (lower, upper))
        return replace(self, lower=lower - below, upper=upper + above, checked=False)


def largest_reward(form: Mapping[str, NDArray[Any]]) -> float:
    """The largest reward of a form, either way, in its canonical arrays."""
    return max((float(np.abs(form[name]).max(initial=0.0)) for name in REWARDS if name in form), default=0.0)


def plain(arrays: Mapping[str, NDArray[Any]]) -> dict[str, checker.Array]:
    """Arrays as the checker takes them: a type, a shape and bytes."""
    kept = {name: canonical(array) for name, array in arrays.items()}
    return {name: checker.Array(a.dtype.str, a.shape, a.tobytes()) for name, a in kept.items()}
