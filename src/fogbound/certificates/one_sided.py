"""Bounds of a one-sided game: both players play by the very arrays that were checked.

Why that is enough, for rho, the checker's violation, no more than rounding:

Below. Every vector that is played by is a node of the certificate, so by the node's mixture it can be kept for one
step, short of rho, with promises that are mixtures of nodes again. The blind player need not play that mixture. A
linear program over the same nodes looks for any first step that keeps the promise, and what it promises next is a
mixture of nodes, too, so that it finds one ever after. A mixture of promises is kept by the mixture of what keeps
them; a promise to fewer states asks for less; the least that could ever happen, which stands in where the certificate
has no node, is kept by whatever is done. It begins with the node that is best at the start, which is no worse than the
certificate's. So by induction it has what the checker computed from that node, against any opponent.

Above. The checker shows (`verify/one_sided/upper.py`, "No toll") that, at every belief, some mixture of replies leaves
the blind player no more than the least price of a cover of that belief by points and corners, counting what follows by
such prices again. The fully informed player solves this very stage at the belief that follows from its own play, so
the price at the start, which is at most the certified bound, is never exceeded. Facets, which speed
this up, are found again from the points.

What is left is rounding: a step of the linear program may fall short of a promise by 1e-7 of the scale (the largest
reward, shifted; `partially_informed.ROUNDING`, beside promises cut to multiples of 2^-34), a stage above is solved to
1e-9 of it at beliefs of twelve digits, and rho may be `WRONG`. Each is paid once a step. A
certificate whose claims are further from what they can be proven to be still bounds the game's value, as the
checker has paid for them; it says nothing of those who play by them, and is refuted here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from fogbound.certificates.certificate import Certificate
from fogbound.certificates.exact import ExactKind
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution
from fogbound.certificates.wording import VALUE, Wording
from fogbound.core.errors import FormError
from fogbound.forms.one_sided.form import OneSided
from fogbound.forms.protocol import Question, derive
from fogbound.policies.stored import StoredBounds

ONE_SIDED_RATE = 85_000  # outcomes a second, of which a claim takes as long as some
NODE, FOLLOWED, POINT = 8, 1.5, 25  # outcomes: of a node, for each vector that follows it; of a point
WRONG = 1e-8  # of the scale, or of the largest reward: from here on a claim is wrong by more than rounding


class OneSidedKind(ExactKind):
    """Nodes below, points above, of the player who does not see."""

    name = "one-sided"
    wording = Wording(
        "what {name} can guarantee against one who sees everything lies in",
        "What {name} can guarantee against an opponent who sees everything lies between {lower} and {upper}.",
    )
    form = OneSided.kind
    rate = ONE_SIDED_RATE
    certifies = ("one-sided",)
    derived = False
    everyone = False
    answer = VALUE
    searched = True

    def proves_value(self, evidence: Mapping[str, NDArray[Any]]) -> bool:  # noqa: ARG002
        """Nodes promise less than the policy may earn that follows the best of them at each belief."""
        return False

    def work(self, certificate: Certificate) -> float:
        """Outcomes, and what nodes and points take, counted in them."""
        shown = certificate.evidence
        nodes = NODE * len(shown["node_part"]) + FOLLOWED * len(shown["follow_node"])
        return len(certificate.form["prob"]) + nodes + POINT * len(shown.get("point_value", ()))

    def fault(self, held: HeldSolution) -> str | None:
        """Whether both players' vectors and points are the certificate's, to the last bit, and can be played by."""
        report, played = held.report, []
        form = derive(held.form, OneSided, Question(report.player))
        for player, policy in held.stored.profile.items():
            if player not in (report.player, 1 - report.player) or not isinstance(policy, StoredBounds):
                return OTHER_POLICIES
            if policy.partially_informed != (player == report.player) or not _shown(policy, held.proof.evidence):
                return OTHER_POLICIES
            played.append(policy)
        play = held.lookup.one_sided(form)
        if report.violation > WRONG * max(play.scale, float(abs(form.reward).max(initial=0.0))):
            return f"claims of the certificate are wrong by up to {report.violation:.3g}, and the policies rely on them"
        try:
            for policy in played:
                play.strategy(policy)
        except FormError as error:
            return f"the file has a policy that cannot be played: {error}"
        return None


KINDS = (OneSidedKind(),)


def _shown(policy: StoredBounds, evidence: Mapping[str, Any]) -> bool:
    """Whether all arrays of a policy are the evidence's, bit by bit, as files hold them."""
    pairs = [(policy.arrays[name], evidence.get(name)) for name in policy.names]
    return all(
        two is not None and (one.dtype.kind, one.shape, one.tobytes()) == (two.dtype.kind, two.shape, two.tobytes())
        for one, two in pairs
    )
