"""Strategies in information sets: bounds on the value of a zero-sum game, or what a profile and best replies earn.

The sets are those of a tree, or of memories where histories were summed out. The checker judges the strategies that the
stored policies play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fogbound import evaluation
from fogbound.certificates.certificate import Arrays, Certificate
from fogbound.certificates.exact import ExactKind, Extra, Profile
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution, StoredSolution, certificate_of
from fogbound.certificates.wording import EARNS_AND_REPLY, REPLY, VALUE, VALUE_LIES, Wording
from fogbound.core.errors import FormError, LimitError
from fogbound.forms.arrays import Floats
from fogbound.forms.locked_tree import LockedTree
from fogbound.forms.memories import Memories
from fogbound.forms.protocol import Form, derive, underlying
from fogbound.forms.sequence import SequenceForm, sequence
from fogbound.forms.table import Table
from fogbound.forms.tree import MOST_NODES, Tree

RATES = {Tree.kind: 60_000, Memories.kind: 150_000}  # nodes, and combinations of sequences, a second
CLOSE = 1e-9  # what is written down a second time, beside the policies, may differ by so much


class StrategiesKind(ExactKind):
    """Behaviour strategies on a tree or on memories."""

    def __init__(self, name: str, on: str) -> None:
        self.name, self.form, self.rate = name, on, RATES[on]

    def certificate(self, form: SequenceForm, played: Sequence[Floats], player: int) -> Certificate:
        """One of this kind, for behaviours of all players."""
        return Certificate(self, player, form.arrays(), {"strategy": by_set(form, played)})

    def work(self, certificate: Certificate) -> float:
        """Nodes that the checker walks; or combinations of sequences that it adds up, and moves."""
        if self.form == Tree.kind:
            return len(certificate.form["player"])
        return len(certificate.form["ends"]) + len(certificate.evidence["strategy"])

    def expected_seconds(self, form: Form, player: int) -> float | None:
        if isinstance(form, Table):
            return None
        whole = underlying(form, SequenceForm)
        on = PROFILE[whole.decisions.kind]
        return on.seconds(on.certificate(whole, [plex.uniform for plex in whole.plexes], player))

    def evidence(self, stored: StoredSolution, form: Form) -> Arrays:
        """What the stored policies play in every information set, beside what else the file shows."""
        shown, whole = certificate_of(stored).evidence, self.sequence(form)
        return {**shown, "strategy": by_set(whole, evaluation.behaviours(whole, stored.profile))}

    def fault(self, held: HeldSolution) -> str | None:
        """Whether the strategies written down in the certificate, for other checkers, are those that are played.

        Where a player never comes by its own play it does not matter what it would do.
        """
        whole, strategy = self.sequence(held.form), held.array("strategy")
        if strategy.shape != (int(whole.decisions.set_size.sum()),):
            return OTHER_POLICIES
        if isinstance(whole.decisions, LockedTree):
            for player, policy in sorted(held.stored.profile.items()):
                broken = whole.decisions.broken(player, evaluation.behaviour(whole.decisions.game_form, player, policy))
                if broken >= 0:
                    return f"the stored policy of {whole.players[player]} does not keep the lock of set {broken}"
        pairs = zip(whole.plexes, evaluation.behaviours(whole, held.stored.profile), by_player(whole, strategy))
        apart = any(bool((np.abs(plex.weights(a) - plex.weights(b)) > CLOSE).any()) for plex, a, b in pairs)
        return OTHER_POLICIES if apart else None

    def sequence(self, form: Form) -> SequenceForm:
        """The sequence form of what the certificate is about."""
        if isinstance(form, SequenceForm):
            return form
        return sequence(derive(form, Memories if self.form == Memories.kind else Tree))


class ZeroSumKind(StrategiesKind):
    """Two strategies: the value of the game lies between what the one guarantees and what the other concedes."""

    wording = VALUE_LIES
    certifies = ("tree", "memories", "sequence", "table")
    answer = VALUE
    zero_sum = True

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate | None:
        """Of an answer on a tree or on memories, on a form made of them, or on states that have a tree."""
        whole = unrolled(form, MOST_NODES) if isinstance(form, Table) else underlying(form, SequenceForm)
        if whole is None:
            return None
        if "plan" in extra:
            from fogbound.certificates.correlated import of_draws

            return of_draws(extra).make(whole, profile, player, extra)
        return tree_certificate(whole, evaluation.behaviours(whole, profile), player)

    def earned(self, held: HeldSolution) -> float:
        """What the stored policies earn against each other."""
        whole = self.sequence(held.form)
        return float(evaluation.expected(whole, evaluation.behaviours(whole, held.stored.profile))[held.report.player])


class ProfileKind(StrategiesKind):
    """A strategy for each player: from what it earns to what a best reply would."""

    wording = EARNS_AND_REPLY

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate:  # noqa: ARG002
        """Of a profile, whatever the sum of the game."""
        whole = self.sequence(form)
        return self.certificate(whole, evaluation.behaviours(whole, profile), player)


class RestrictedKind(StrategiesKind):
    """A restricted Nash response: the strategies, and what is believed of the other player."""

    wording = Wording(
        "what {name} can have against an opponent believed in part lies in",
        "Against an opponent who plays as stored with the given probability, the value for {name} lies between {lower} "
        "and {upper}.",
    )
    certifies = ("restricted",)
    answer = REPLY

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate | None:
        """With the trust and the other player's freedom, which come as `extra`."""
        if not extra:
            return None
        whole = underlying(form, SequenceForm)
        proof = RESTRICTED[whole.decisions.kind].certificate(whole, evaluation.behaviours(whole, profile), player)
        return replace(proof, evidence={**proof.evidence, **extra})

    def fault(self, held: HeldSolution) -> str | None:
        """Whether the other player is believed as much as the file says."""
        (trust,) = held.array("trust").ravel().tolist()
        if held.solver is None or held.solver.terms.get("trust") != trust:
            return f"the file names {held.stored.provenance['solver']}, its certificate has trust {trust!r}"
        return super().fault(held)


ZERO_SUM = {on: ZeroSumKind(f"zero-sum-{on}", on) for on in RATES}
PROFILE = {on: ProfileKind(f"{on}-profile", on) for on in RATES}
RESTRICTED = {on: RestrictedKind(f"restricted-{on}", on) for on in RATES}
KINDS: tuple[ExactKind, ...] = (*ZERO_SUM.values(), *PROFILE.values(), *RESTRICTED.values())


def tree_certificate(form: SequenceForm, played: Sequence[Floats], player: int) -> Certificate:
    """Bounds on the value where two players have a constant sum; else value and best reply."""
    kinds = ZERO_SUM if len(form.players) == 2 and form.constant_sum is not None else PROFILE
    return kinds[form.decisions.kind].certificate(form, played, player)


def unrolled(table: Table, limit: int) -> SequenceForm | None:
    """The sequence form, or None where play can cycle or the tree is larger than `limit`."""
    try:
        return sequence(table, limit)
    except (FormError, LimitError):
        return None


def by_set(form: SequenceForm, played: Sequence[Floats]) -> Floats:
    """Behaviours in the order of information sets, all players together: the checker's layout."""
    tree = form.decisions
    parts = [
        played[owner][first : first + size]
        for owner, first, size in zip(tree.set_owner.tolist(), tree.set_first.tolist(), tree.set_size.tolist())
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def by_player(form: SequenceForm, strategy: Floats) -> list[Floats]:
    """The checker's layout as behaviours of each player again, divided by their sums."""
    tree, played, at = form.decisions, [plex.uniform.copy() for plex in form.plexes], 0
    for owner, first, size in zip(tree.set_owner.tolist(), tree.set_first.tolist(), tree.set_size.tolist()):
        part = np.maximum(strategy[at : at + size], 0.0)
        if part.sum() > 0:
            played[owner][first : first + size] = part / part.sum()
        at += size
    return played
