"""Average rewards of a POMDP: a controller with relative values below, points with relative values above."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from fogbound.certificates.certificate import Certificate
from fogbound.certificates.held import HeldSolution
from fogbound.certificates.pomdp import CheckSteps, POMDPKind
from fogbound.certificates.wording import Wording


class AverageRewardKind(POMDPKind):
    """What the controller earns a step in the long run, and what no policy exceeds."""

    name = "average-reward"
    wording = Wording(
        "from what the controller of {name} earns a step in the long run to what no policy exceeds",
        "The stored policy of {name} earns {lower} or more a step in the long run; no policy earns more than {upper}.",
    )
    certifies = ("average",)

    def proves_value(self, evidence: Mapping[str, NDArray[Any]]) -> bool:  # noqa: ARG002
        """A controller that may end up in several chains earns at least the least of their averages."""
        return False

    def work(self, certificate: Certificate) -> float:
        """Steps, as `CheckSteps` counts them."""
        steps, evidence = CheckSteps.of(certificate.form), certificate.evidence
        return steps.reading + len(evidence["pair"]) * steps.pair + len(evidence["point_state"]) * steps.point

    def earned(self, held: HeldSolution) -> None:
        """Not evaluated: the stored policy's discounted value is another figure."""


KINDS = (AverageRewardKind(),)
