"""Answers whose solver shows the evidence itself: POMDPs, one-sided games, hierarchies of levels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fogbound.certify.certificate import Certificate
from fogbound.certify.tree import Extra
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import Form

POMDP_RATE = 200_000  # products a second ...
ONE_SIDED_RATE = 60_000  # ... outcomes, and fifty for each claim ...
LEVELS_RATE = 18_000  # ... rows in all the processes of a hierarchy


def on_pomdp(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:  # noqa: ARG001
    """A controller with its values, or vectors with their successors, below; points above."""
    return Certificate("pomdp", player, form.arrays(), dict(extra)) if extra else None


def on_one_sided(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:  # noqa: ARG001
    """Nodes below, points above, of the player who does not see."""
    return Certificate("one-sided", player, form.arrays(), dict(extra)) if extra else None


def on_levels(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:  # noqa: ARG001
    """Every level of every player; the arrays that the checker reads are the table's, level 0 is evidence."""
    arrays = {name: array for name, array in form.arrays().items() if not name.startswith("zero_")}
    return Certificate("level-k", player, arrays, dict(extra)) if extra else None


def one_sided_work(certificate: Certificate) -> int:
    """Outcomes, and fifty for each claim."""
    shown = certificate.evidence
    claims = len(shown["node_part"]) + len(shown.get("point_value", ()))
    return len(certificate.form["prob"]) + 50 * claims


def levels_work(certificate: Certificate) -> int:
    """Rows in the processes of all levels, and three for each point of a match of kinds."""
    sizes = [(name, len(a)) for name, a in certificate.evidence.items()]
    rows = sum(size for name, size in sizes if name.endswith("fib"))
    return rows + 3 * sum(size for name, size in sizes if name.startswith("w") and name.endswith("_point"))


def pomdp_work(certificate: Certificate) -> float:
    """About how many products of long integers the check of a POMDP's bounds takes."""
    form, evidence = certificate.form, certificate.evidence
    states, rows, outcomes = len(form["row"]) - 1, len(form["action"]), len(form["prob"])
    wide = rows / max(states, 1)  # actions a state
    many = outcomes / rows  # outcomes an action
    slices = evidence.get("witness_start", np.zeros(1))
    used = float(np.mean(np.diff(slices) > 1)) if len(slices) > 1 else 0.0
    following = sum(len(evidence[name]) for name in ("pair", "vector_state") if name in evidence) * many
    return following + outcomes * wide + len(evidence.get("point_state", ())) * wide * many * used
