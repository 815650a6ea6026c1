"""Kinds of certificates that the independent checker judges, in exact arithmetic."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from fogbound.certificates.certificate import Arrays, Certificate, Kind
from fogbound.certificates.held import HeldSolution, StoredSolution, certificate_of
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import Form

if TYPE_CHECKING:
    from fogbound.certificates.fields import FileField

Profile = Mapping[int, Strategy]
Extra = Mapping[str, NDArray[Any]]  # what the solver knows beside the profile


class ExactKind(Kind):
    """How evidence of one kind is made, what its check costs, and what binds it to what a file plays.

    Attributes
    ----------
    form
        The kind of form that the certificate is about.
    rate
        How much of `work` the checker does in a second, on a core of 2020.
    certifies
        The `Form.certified_as` of those forms whose answers `make` certifies, by this kind or by a related one.
    derived
        Whether the evidence is made of the stored policies, not read beside them.
    everyone
        Whether it is about the policies of all players.
    """

    form: str
    rate: float
    certifies: tuple[str, ...] = ()
    derived: bool = True
    everyone: bool = True

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate | None:  # noqa: ARG002
        """The certificate of an answer on `form`, not yet checked; None where there is no evidence for it.

        Unless a kind does otherwise, the solver shows the evidence itself.
        """
        return Certificate(self, player, form.arrays(), dict(extra)) if extra else None

    @abstractmethod
    def work(self, certificate: Certificate) -> float:
        """How much the checker has to do."""

    def expected_seconds(self, form: Form, player: int) -> float | None:  # noqa: ARG002
        """About how long the check of an answer on `form` will take; None where the form alone does not tell."""
        return None

    def evidence(self, stored: StoredSolution, form: Form) -> Arrays:  # noqa: ARG002
        """What the checker is shown of a file: the evidence as it stands there, unless it is derived."""
        return certificate_of(stored).evidence

    def fault(self, held: HeldSolution) -> str | None:  # noqa: ARG002
        """What the file plays although the evidence does not speak of it; None where it speaks of all of it."""
        return None

    def earned(self, held: HeldSolution) -> float | None:  # noqa: ARG002
        """What the stored policies earn, in floats; None where that is not evaluated."""
        return None

    def seconds(self, certificate: Certificate) -> float:
        """About how long the checker will take."""
        return self.work(certificate) / self.rate

    @property
    def fields(self) -> tuple[FileField, ...]:
        """The fields of a file with such a certificate, and how each is confirmed."""
        from fogbound.certificates.fields import COMPARED, DERIVED, certified_fields

        return certified_fields(self, DERIVED if self.derived else COMPARED, self.fault, self.earned)
