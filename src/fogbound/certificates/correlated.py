"""A mediator's draws: judged as the file has them; each stored policy must be its player's own part of them."""

from __future__ import annotations

import numpy as np

from fogbound import evaluation
from fogbound.certificates.certificate import Certificate
from fogbound.certificates.exact import ExactKind, Extra, Profile
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution
from fogbound.certificates.wording import OBEDIENCE, Wording
from fogbound.core.errors import PolicyError
from fogbound.forms.protocol import Form, underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import Tree
from fogbound.policies.recommendations import recommendations

CLOSE = 1e-9  # what is written down a second time, beside the policies, may differ by so much


class CorrelatedKind(ExactKind):
    """Joint pure strategies and their probabilities: from what obeying earns to the best that disobeying does."""

    form = Tree.kind
    rate = 100_000  # nodes of all draws a second
    derived = False

    def __init__(self, name: str, told: str, wording: Wording) -> None:
        self.name, self.wording, self.told = name, wording, told  # how much is told before one may disobey

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate:  # noqa: ARG002
        """Of a mediator's draws, which come as `extra`."""
        shown = {"plan": extra["plan"], "weight": extra["weight"]}
        return Certificate(self, player, underlying(form, SequenceForm).tree.arrays(), shown)

    def work(self, certificate: Certificate) -> float:
        """Nodes that the checker walks: once for each draw and player, and once more."""
        draws, players = len(certificate.evidence["plan"]), int(certificate.form["players"][0])
        return len(certificate.form["player"]) * draws * (1 + players)

    def fault(self, held: HeldSolution) -> str | None:
        """Whether the file names a solver of this kind of equilibrium, and plays each player's part of the draws."""
        stored = held.stored
        if held.solver is None or held.solver.terms.get("told") != self.told:
            return f"the file names {stored.provenance['solver']}, its certificate is of the kind {self.name}"
        try:
            mediator = recommendations(stored, game=held.form)
        except PolicyError:
            return OTHER_POLICIES
        if not mediator.weight.sum() > 0:
            return OTHER_POLICIES
        weight = mediator.weight / mediator.weight.sum()
        for player, played in enumerate(evaluation.behaviours(mediator.form, stored.profile)):
            plex = mediator.form.plexes[player]
            if (np.abs(plex.weights(played) - weight @ mediator.realised(player)) > CLOSE).any():
                return OTHER_POLICIES
        return None


COARSE = CorrelatedKind(
    "coarse-correlated",
    "nothing",
    Wording(
        "from what {name} earns as recommended to what it would earn by promising no obedience",
        "{name} earns {lower} by following the recommendations, and could earn {upper} by refusing them beforehand.",
    ),
)
NORMAL = CorrelatedKind("correlated", "strategy", OBEDIENCE)
EXTENSIVE = CorrelatedKind(
    "extensive-form-correlated",
    "moves",
    Wording(
        "from what {name} earns as recommended to what disobeying some move would earn",
        "{name} earns {lower} by following the recommendations, and could earn {upper} by disobeying some of them.",
    ),
)
KINDS = (COARSE, NORMAL, EXTENSIVE)  # by how much players are told


def of_draws(extra: Extra) -> CorrelatedKind:
    """The kind for a mediator's draws, whose array `told` says how much players are told."""
    return KINDS[int(extra["told"][0])]
