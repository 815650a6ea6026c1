"""Certificates: what someone else needs to check an answer, and the check itself.

The checker in `fogbound.verify` is independent: it shares no code with the solvers, reads floats as the
exact rationals they are and repairs rather than tolerates, so the interval it returns is true whatever it
is given. Here answers are put into its language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound.archive import canonical
from fogbound.parallel.beside import beside as run_beside

VERSION = 1
UNCHECKED_SLACK = 1e-9  # of a bound, or of the largest reward where that is more
REWARDS = ("reward", "payoff")  # what the forms call them
WIDEST = float(np.finfo(np.float64).max)

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Certificate:
    """A claim about one form, with the evidence; `checked` once the independent checker has confirmed it."""

    kind: str  # a key of `certify.EFFORTS`
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
    def proves(self) -> str:
        """Which of the two bounds the evidence speaks about: a policy's value bounds only from below."""
        return "lower" if self.kind == "chain-profile" else "both"

    @property
    def proves_value(self) -> bool:
        """Whether the lower bound is the value of the profile itself, not only a bound on it.

        Two strategies in a zero-sum game bound its value from both sides. Vectors, and the nodes of a one-sided game,
        promise less than the policy may earn that follows the best of them at each belief.
        """
        if self.kind == "pomdp":
            return "node_action" in self.evidence
        return not self.kind.startswith("zero-sum-") and self.kind != "one-sided"

    @property
    def form_sha256(self) -> str:
        return self.stored_sha256 or checker.digest(plain(self.form))

    def header(self) -> dict[str, Any]:
        """The certificate's part of a solution file's header."""
        return {
            "version": VERSION,
            "kind": self.kind,
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
        report = run_beside("fogbound.verify", "check", *given) if beside else checker.check(*given)
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
