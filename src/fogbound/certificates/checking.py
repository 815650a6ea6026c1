"""An answer put before the independent checker, where there is time.

A form says how answers on it are certified (`Form.certified_as`), and `kinds` who does that. Evidence is
checked at once where that is expected to take at most `CHECK_SECONDS`, and otherwise kept for `fogbound verify`. The
checker knows nothing of limits, so what takes it longer than a moment is done in a process beside this one.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import fogbound.verify as checker
from fogbound.certificates.certificate import Certificate
from fogbound.certificates.exact import Extra, Profile
from fogbound.certificates.kinds import KINDS, exact_kind
from fogbound.core.cancel import cancelling, stopping
from fogbound.core.errors import Stopped
from fogbound.forms.protocol import Form

CHECK_SECONDS = 10.0  # what a check may be expected to take, unless told
UNASKED = "nobody asked for a certificate"
LATE = 1.5  # ... and the factor by which it may take longer in fact
HERE = 0.2  # seconds that a check may take in this process, where nothing can cut it off
WORTH_SAYING = 2.0  # seconds from which on it is said how long a check will take


@dataclass(frozen=True)
class Checking:
    """What a check may take, and who is told of it.

    Parameters
    ----------
    seconds
        The check begins where it is expected to take no longer; 0 = only collect the evidence.
    elapsed
        The caller's clock, with which the check is timed and cut off.
    tell
        Told how long a check will take, where somebody would wonder.
    left
        Seconds until the caller's limit: where that is less, evidence is thinned to it where it can be.
    """

    seconds: float = CHECK_SECONDS
    elapsed: Callable[[], float] = lambda: 0.0
    tell: Callable[[str], None] = lambda _: None
    left: float = math.inf

    @property
    def thins(self) -> bool:
        """Whether it is the caller's limit that is short."""
        return self.left < self.seconds


@dataclass(frozen=True)
class _Deadline:
    """Until a moment of a clock."""

    elapsed: Callable[[], float]
    end: float

    @property
    def reason(self) -> str:
        return "seconds" if self.elapsed() >= self.end else ""


def certify(
    form: Form,
    profile: Profile,
    player: int = 0,
    extra: Extra | None = None,
    checking: Checking | None = None,
) -> tuple[Certificate | None, str]:
    """The certificate that suits an answer on `form`, checked where there is time; and why it is not checked.

    Parameters
    ----------
    form, profile, player
        The problem, the policies that answer it, and whose value is meant.
    extra
        What the solver knows beside the profile (`Evidence.arrays`).
    checking
        What the check may take. It does not begin where the caller must stop, and ends when the caller must.

    Returns
    -------
    Certificate or None
        None where no kind of certificate exists for such an answer.
    str
        Why it is not checked; empty where it is.
    """
    certificate, checking = evidence(form, profile, player, extra), checking or Checking()
    if certificate is None:
        return None, ""
    expected = seconds_to_check(certificate)
    if checking.seconds <= 0:
        return certificate, UNASKED
    if stopping():
        return certificate, f"stopped ({stopping()}) before it was checked, which takes about {_told(expected)}"
    if expected > checking.seconds:
        return certificate, f"the check takes about {_told(expected)}"
    try:
        return _checked(certificate, expected, checking), ""
    except Stopped as stop:
        why = f"stopped ({stop.reason})" if stopping() else f"cut off after {_told(checking.seconds * LATE)}"
        return certificate, f"the check was {why}"
    except checker.Refused as refusal:  # a finished answer is not thrown away: it is reported as not certified
        warnings.warn(f"{form.spec}: the checker refuses this certificate: {refusal}", stacklevel=2)
        return certificate, f"the checker refuses it: {refusal}"


def _checked(certificate: Certificate, expected: float, checking: Checking) -> Certificate:
    """Checked here where that is a moment, else beside, where it can be cut off."""
    if expected <= HERE:
        return certificate.check(checking.elapsed)
    if expected >= WORTH_SAYING:
        checking.tell(f"checking: about {_told(expected)}")
    deadline = _Deadline(checking.elapsed, checking.elapsed() + LATE * checking.seconds)
    with cancelling(deadline):
        return certificate.check(checking.elapsed, beside=True)


def seconds_to_check(certificate: Certificate) -> float:
    """About how long the independent checker will take."""
    return exact_kind(certificate.kind.name).seconds(certificate)


def _told(seconds: float) -> str:
    """A time in a few characters."""
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds / 60:,.0f} min"


def expected_seconds(form: Form, player: int = 0) -> float | None:
    """About how long a check will take, 0 where nothing is certified; None where the form alone does not tell."""
    kind = KINDS.certifying(form.certified_as)
    return 0.0 if kind is None else kind.expected_seconds(form, player)


def evidence(form: Form, profile: Profile, player: int = 0, extra: Extra | None = None) -> Certificate | None:
    """An unchecked certificate for an answer on `form`; `extra` is what the solver knows beside the profile."""
    kind = KINDS.certifying(form.certified_as)
    return None if kind is None else kind.make(form, profile, player, extra or {})
