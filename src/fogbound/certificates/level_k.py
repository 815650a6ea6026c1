"""Hierarchies of levels: the policies, the prior and the figures of every level are those that were checked."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fogbound.certificates.certificate import UNCHECKED_SLACK, Certificate
from fogbound.certificates.exact import ExactKind, Extra, Profile
from fogbound.certificates.fields import UNIFORM
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution
from fogbound.certificates.wording import REPLY, Wording
from fogbound.core.errors import brief
from fogbound.core.policy import Strategy, kinds
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import Table
from fogbound.policies import Uniform, equivalent

CLOSE = 1e-12  # weights that differ by less are equal

Policies = Mapping[tuple[int, int], Strategy]  # by level and player


class LevelsKind(ExactKind):
    """Every level of every player, each chained to the levels that it believes in."""

    name = "level-k"
    wording = Wording(
        "from what the highest level of {name} earns to what no reply to its beliefs exceeds",
        "The highest level of {name} earns {lower} against the levels that it believes in; no reply to these beliefs "
        "earns more than {upper}.",
    )
    form = Table.kind
    rate = 18_000  # rows in all the processes of a hierarchy
    certifies = ("level-k",)
    derived = False
    answer = REPLY
    searched = True

    def make(self, form: Form, profile: Profile, player: int, extra: Extra) -> Certificate | None:  # noqa: ARG002
        """The arrays that the checker reads are the table's, level 0 is evidence."""
        arrays = {name: array for name, array in form.arrays().items() if not name.startswith("zero_")}
        return Certificate(self, player, arrays, dict(extra)) if extra else None

    def work(self, certificate: Certificate) -> float:
        """Rows in the processes of all levels, and three for each point of a match of kinds."""
        sizes = [(name, len(a)) for name, a in certificate.evidence.items()]
        rows = sum(size for name, size in sizes if name.endswith("fib"))
        return rows + 3 * sum(size for name, size in sizes if name.startswith("w") and name.endswith("_point"))

    def fault(self, held: HeldSolution) -> str | None:
        """The first figure, belief or policy that is not the certificate's."""
        policies = held.lookup.levels(derive(held.form, Table), held.proof.evidence)
        return (
            _other_prior(held) or _other_values(held) or _other_zero(held, policies) or _other_policies(held, policies)
        )


KINDS = (LevelsKind(),)


def _other_policies(held: HeldSolution, policies: Policies) -> str | None:
    """Whether the file would play, or believes in, something else than what its certificate speaks of."""
    stored, top = held.stored, max(level for level, _ in policies)
    if stored.details.get("level", top) != top:
        return f"the file reports level {brief(stored.details['level'])}, certified is level {top}"
    if not equivalent(stored.profile[stored.player], policies[top, stored.player]):
        return OTHER_POLICIES
    others = [player for level, player in policies if level == top and player != stored.player]
    prior = held.array("prior")[top - 1].tolist()
    same = all(_as_believed(stored.profile[other], other, prior, policies) for other in others)
    return None if same else OTHER_POLICIES


def _as_believed(played: Strategy, player: int, prior: list[float], policies: Policies) -> bool:
    """Whether a stored mixture is what the highest level believes of a player: each level below by its weight."""
    believed = [(policies[level, player], weight) for level, weight in enumerate(prior) if weight > 0]
    listed = kinds(played)
    total = sum(weight for _, weight in listed)
    return len(listed) == len(believed) and all(
        equivalent(mine, theirs) and abs(share / total - weight) <= CLOSE
        for (mine, share), (theirs, weight) in zip(listed, believed)
    )


def _other_zero(held: HeldSolution, policies: Policies) -> str | None:
    """Whether level 0 is said to play at random, which it does where nothing is said, and does not."""
    if set(held.stored.provenance.get("against") or [UNIFORM]) != {UNIFORM}:
        return None
    for player, name in enumerate(held.form.players):
        if not equivalent(policies[0, player], Uniform()):
            return f"the file says that level 0 of {name} plays uniformly, that of its certificate does not"
    return None


def _other_prior(held: HeldSolution) -> str | None:
    """Whether the file names another belief about lower levels."""
    named = str(held.stored.provenance["solver"])
    beliefs = held.lookup.beliefs(named)
    if beliefs is None:
        return f"the file names {named}, its certificate is about a hierarchy of levels"
    for level, row in enumerate(held.array("prior").tolist(), 1):
        if any(abs(a - b) > CLOSE for a, b in zip(beliefs(level), row)):
            return f"the file names {named}, its certificate has the prior {row[:level]} at level {level}"
    return None


def _other_values(held: HeldSolution) -> str | None:
    """Whether the file reports other values of the levels that are proven; those of higher levels it only claims."""
    proven = {(level, player): (lower, upper) for level, player, lower, upper in held.report.levels}
    top = max((level for level, _ in proven), default=math.inf)
    scale = max((abs(bound) for interval in proven.values() for bound in interval), default=0.0)
    for said in held.stored.details.get("levels", []):
        if type(said.get("level")) is int and said["level"] > top:
            continue
        lower, upper = proven.get((said.get("level"), said.get("player")), (math.inf, -math.inf))
        value = said.get("value")
        if type(value) is not float or not lower - UNCHECKED_SLACK * scale <= value <= upper + UNCHECKED_SLACK * scale:
            level = brief(said.get("level"))
            return f"the file reports {brief(value)} for level {level}, certified are {lower!r} to {upper!r}"
    return None
