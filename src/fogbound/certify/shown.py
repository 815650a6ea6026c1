"""Answers whose solver shows the evidence itself: POMDPs, one-sided games, hierarchies of levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.certify.certificate import Certificate
from fogbound.certify.tree import Extra
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import Form

POMDP_RATE = 1_000_000  # steps a second ...
ONE_SIDED_RATE = 85_000  # ... outcomes, of which a claim takes as long as some ...
LEVELS_RATE = 18_000  # ... rows in all the processes of a hierarchy
NODE, FOLLOWED, POINT = 8, 1.5, 25  # outcomes: of a one-sided game's node, for each vector that follows it; of a point


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


def one_sided_work(certificate: Certificate) -> float:
    """Outcomes, and what nodes and points take, counted in them."""
    shown = certificate.evidence
    nodes = NODE * len(shown["node_part"]) + FOLLOWED * len(shown["follow_node"])
    return len(certificate.form["prob"]) + nodes + POINT * len(shown.get("point_value", ()))


def levels_work(certificate: Certificate) -> int:
    """Rows in the processes of all levels, and three for each point of a match of kinds."""
    sizes = [(name, len(a)) for name, a in certificate.evidence.items()]
    rows = sum(size for name, size in sizes if name.endswith("fib"))
    return rows + 3 * sum(size for name, size in sizes if name.startswith("w") and name.endswith("_point"))


Arrays = Mapping[str, NDArray[Any]]


class CheckSteps(NamedTuple):
    """The steps of a check of a POMDP's bounds; a step is a product of long integers."""

    reading: float  # the form
    informed: float  # the fast informed bound of all rows
    pair: float  # of a controller's node and a state, or of a vector and a state
    point: float  # of a state of a point, where the informed bound does not do

    @classmethod
    def of(cls, form: Arrays) -> CheckSteps:
        """Counted for a form, on average over its rows."""
        states, rows, outcomes = max(len(form["row"]) - 1, 1), len(form["action"]), len(form["prob"])
        row = np.repeat(np.arange(rows), np.diff(form["out"]))
        seen = np.unique(row * (int(form["obs"].max(initial=0)) + 1) + form["obs"], return_counts=True)[1]
        doubtful = int(seen[seen > 1].sum())  # outcomes whose observation does not tell the state
        informed = 6 * outcomes + doubtful * rows / states
        return cls(10 * rows + outcomes, informed, 33 + outcomes / rows, (7 * rows + outcomes) / states)

    @property
    def fixed(self) -> float:
        """What no thinning saves."""
        return self.reading + self.informed


def pomdp_work(certificate: Certificate) -> float:
    """About how many steps the check of a POMDP's bounds takes."""
    steps, evidence = CheckSteps.of(certificate.form), certificate.evidence
    slices = evidence.get("witness_start", np.zeros(1))
    used = float(np.mean(np.diff(slices) > 1)) if len(slices) > 1 else 0.0
    pairs = sum(len(evidence[name]) for name in ("pair", "vector_state") if name in evidence)
    points = used * len(evidence.get("point_state", ()))
    return (steps.fixed if "fib" in evidence else steps.reading) + pairs * steps.pair + points * steps.point
