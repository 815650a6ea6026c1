"""Finite-memory policies against each other: the value at every (state, memories), where play may cycle.

The checker judges the chain that the stored policies make.

Plans of a team: what the stored ones earn, and why no plans earn more, as the file has it.
"""

from __future__ import annotations

import numpy as np

from fogbound import evaluation
from fogbound.certificates.certificate import Arrays, Certificate
from fogbound.certificates.exact import ExactKind, Extra, Profile
from fogbound.certificates.held import StoredSolution, certificate_of
from fogbound.certificates.tree import PROFILE, unrolled
from fogbound.certificates.wording import LOWER, REPLY, TEAM, Wording
from fogbound.core.errors import FileError, FormError, LimitError
from fogbound.evaluation.chain import Chain
from fogbound.forms.induced import FixedPlayer, InducedModel
from fogbound.forms.protocol import Form, derive, underlying
from fogbound.forms.table import Table

SMALL_TREE = 20_000  # nodes: a best reply is certified on the tree where that has no more


class ChainKind(ExactKind):
    """Controllers, and the value at every (state, memories): what the policies earn."""

    name = "chain-profile"
    wording = Wording(
        "what the policy of {name} is worth lies in",
        "The stored policy of {name} earns between {lower} and {upper} when the others play as stored.",
        "Whether another policy earns more is not proven.",
    )
    form = Table.kind
    rate = 2_000  # points a second
    certifies = ("reply",)
    proves = LOWER
    answer = REPLY

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate | None:  # noqa: ARG002
        """Of a best reply: on the tree where that is small, else the policy's value, where play can cycle."""
        table = underlying(form, Table)
        whole = unrolled(table, SMALL_TREE)
        if whole is not None:
            return PROFILE[whole.decisions.kind].make(whole, profile, player, {})
        return self.of_table(table, profile, player)

    def of_table(self, table: Table, profile: Profile, player: int) -> Certificate | None:
        """Of the chain that policies make on a table; None where nobody can say what they earn."""
        try:
            return self.certificate(evaluation.chain(table, profile), player)
        except (FormError, LimitError):
            return None

    def certificate(self, solved: Chain, player: int) -> Certificate | None:
        """Finite-memory policies against each other: the value at every (state, memories)."""
        product = solved.product
        if any(len(fixed.types) > 1 for fixed in product.fixed.values()):
            return None  # a mixture draws its type at the start; the checker's controllers cannot
        arrays: Arrays = {"point": product.point.astype(np.int64), "value": solved.value, "steps": solved.steps}
        for index, fixed in product.fixed.items():
            arrays |= _controller_arrays(index, fixed, product)
        return Certificate(self, player, product.table.arrays(), arrays)

    def work(self, certificate: Certificate) -> float:
        """Points of the checker's linear system."""
        return len(certificate.evidence["point"])

    def evidence(self, stored: StoredSolution, form: Form) -> Arrays:
        """The stored policies as controllers, with their values at every (state, memories)."""
        certificate_of(stored)
        proof = self.certificate(evaluation.chain(derive(form, Table), stored.profile), stored.player)
        if proof is None:
            raise FileError("holds a mixture of policies, of which a certificate of this kind cannot speak")
        return proof.evidence


CHAIN = ChainKind()


def _controller_arrays(player: int, fixed: FixedPlayer, product: InducedModel) -> Arrays:
    """A fixed player's memories as the checker's controller: starts, arrows, choices by legal actions and label."""
    labels = product.table.legal_actions
    choices = {
        (memory.number, legal, int(labels[legal, place])): p
        for memory in fixed.memories
        for legal, choice in memory.choices.items()
        for place, p in zip(choice.places, choice.probs)
    }
    starts = [(seen, memory.number) for seen, begun in fixed.first.items() for memory, _ in begun]
    arrows = [(memory.number, *key, to.number) for memory in fixed.memories for key, to in memory.after.items()]
    return {
        f"begin_{player}": np.array(starts, np.int64).reshape(-1, 2),
        f"arrow_{player}": np.array(arrows, np.int64).reshape(-1, 4),
        f"choice_{player}_key": np.array(list(choices), np.int64).reshape(-1, 3),
        f"choice_{player}_weight": np.array(list(choices.values()), np.float64),
    }


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


KINDS = (CHAIN, TeamKind())
