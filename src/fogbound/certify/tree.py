"""Strategies in information sets: bounds on the value of a zero-sum game, or what a profile and best replies earn.

The sets are those of a tree, or of memories where histories were summed out: the kinds of certificate are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.certify.certificate import Certificate
from fogbound.core.errors import FormError, LimitError
from fogbound.core.policy import Strategy
from fogbound.evaluate.behaviour import behaviours
from fogbound.forms.arrays import Floats
from fogbound.forms.protocol import Form, underlying
from fogbound.forms.sequence import SequenceForm, sequence
from fogbound.forms.table import Table
from fogbound.forms.tree import MOST_NODES

RATE = 60_000  # nodes a second
MEDIATED_RATE = 100_000  # nodes of all draws a second
MEDIATED = ("coarse-correlated", "correlated", "extensive-form-correlated")  # by how much players are told
MEMORIES_RATE = 150_000  # combinations of sequences a second

Extra = Mapping[str, NDArray[Any]]


def on_tree(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate:
    """Of an answer on a tree or on memories, or on a form that was made of them; a mediator's draws come as `extra`."""
    sequence_form = underlying(form, SequenceForm)
    if "plan" in extra:
        shown = {"plan": extra["plan"], "weight": extra["weight"]}
        return Certificate(MEDIATED[int(extra["told"][0])], player, sequence_form.tree.arrays(), shown)
    return tree_certificate(sequence_form, behaviours(sequence_form, profile), player)


def on_restricted(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:
    """Of a restricted Nash response: the tree, and what is believed of the other player."""
    if not extra:
        return None
    proof, where = on_tree(form, profile, player, {}), underlying(form, SequenceForm).decisions.kind
    return replace(proof, kind=f"restricted-{where}", evidence={**proof.evidence, **extra})


def on_table(form: Table, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:
    """Of an answer on states: on their tree, where there is one."""
    sequence_form = unrolled(form, MOST_NODES)
    return None if sequence_form is None else on_tree(sequence_form, profile, player, extra)


def unrolled(table: Table, limit: int) -> SequenceForm | None:
    """The sequence form, or None where play can cycle or the tree is larger than `limit`."""
    try:
        return sequence(table, limit)
    except (FormError, LimitError):
        return None


def tree_certificate(form: SequenceForm, played: Sequence[Floats], player: int, reply: bool = False) -> Certificate:
    """Strategies on a tree: bounds on the value of a zero-sum game, or (`reply`) value and best reply."""
    where = form.decisions.kind
    two = len(form.players) == 2 and form.constant_sum is not None
    kind = f"zero-sum-{where}" if two and not reply else f"{where}-profile"
    return Certificate(kind, player, form.arrays(), {"strategy": by_set(form, played)})


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


def work(certificate: Certificate) -> int:
    """How many nodes the checker walks."""
    return len(certificate.form["player"])


def mediated_work(certificate: Certificate) -> int:
    """How many nodes the checker walks: once for each draw and player, and once more."""
    draws, players = len(certificate.evidence["plan"]), int(certificate.form["players"][0])
    return work(certificate) * draws * (1 + players)


def memories_work(certificate: Certificate) -> int:
    """How many combinations of sequences the checker adds up, and moves of information sets."""
    return len(certificate.form["ends"]) + len(certificate.evidence["strategy"])
