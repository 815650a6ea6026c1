"""Plans of a team: what the stored ones earn, and why no plans earn more, as the file has it."""

from __future__ import annotations

import numpy as np

from fogbound.certificates.certificate import Arrays, Certificate
from fogbound.certificates.chain import CHAIN
from fogbound.certificates.exact import ExactKind, Extra, Profile
from fogbound.certificates.held import StoredSolution, certificate_of
from fogbound.certificates.wording import TEAM, Wording
from fogbound.forms.protocol import Form, underlying
from fogbound.forms.table import Table


class TeamKind(ExactKind):
    """Controllers with their values below, occupancies with trees of choices above."""

    name = "team"
    wording = Wording(
        "from what these plans earn together to what no plans of this team exceed",
        "The stored plans of the team earn {lower}; no plans of this team earn more than {upper}.",
    )
    form = Table.kind
    rate = 250_000  # payoffs a second
    certifies = ("team",)
    answer = TEAM
    searched = True

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate | None:
        """The plans' value from below; from above what the solver shows, and its own figure where it shows nothing."""
        below = CHAIN.of_table(underlying(form, Table), profile, player)
        if below is None or not extra:
            return below
        return Certificate(self, player, below.form, {**below.evidence, **extra})

    def work(self, certificate: Certificate) -> float:
        """About how many payoffs the checker weighs.

        Those of each claim, and some of them again at each end of its tree.
        """
        shown, form = certificate.evidence, certificate.form
        joints, ends, moved = (np.diff(shown[name]) for name in ("claim_joint", "claim_tree", "claim_moved"))
        wide = np.maximum(moved / np.maximum(joints, 1), 3.0)  # choices of all but the last
        return float((joints * (wide**2 + 2 * wide * ends)).sum()) + 20.0 * len(form["prob"]) + 300.0 * len(joints)

    def evidence(self, stored: StoredSolution, form: Form) -> Arrays:
        """What the stored policies are and earn, in the place of what the file says of them.

        The proof from above is its own.
        """
        return {**certificate_of(stored).evidence, **CHAIN.evidence(stored, form)}


KINDS = (TeamKind(),)
