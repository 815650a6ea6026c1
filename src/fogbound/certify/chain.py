"""Finite-memory policies played against each other: the value at every (state, memories), where play may cycle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fogbound.certify.certificate import Arrays, Certificate
from fogbound.certify.tree import Extra, tree_certificate, unrolled
from fogbound.core.errors import FormError, LimitError
from fogbound.core.policy import Strategy
from fogbound.evaluate.behaviour import behaviours
from fogbound.evaluate.chain import Chain, chain
from fogbound.forms.induced import FixedPlayer, InducedModel
from fogbound.forms.protocol import Form, underlying
from fogbound.forms.table import Table

RATE = 2_000  # points a second
SMALL_TREE = 20_000  # nodes: a best reply is certified on the tree where that has no more


def on_reply(form: Form, profile: Mapping[int, Strategy], player: int, extra: Extra) -> Certificate | None:  # noqa: ARG001
    """Of a best reply: on the tree where that is small, else the policy's value, where play can cycle."""
    table = underlying(form, Table)
    sequence = unrolled(table, SMALL_TREE)
    if sequence is not None:
        return tree_certificate(sequence, behaviours(sequence, profile), player, reply=True)
    try:
        return chain_certificate(chain(table, profile), player)
    except (FormError, LimitError):
        return None


def chain_certificate(solved: Chain, player: int) -> Certificate | None:
    """Finite-memory policies against each other: the value at every (state, memories)."""
    product = solved.product
    if any(len(fixed.types) > 1 for fixed in product.fixed.values()):
        return None  # a mixture draws its type at the start; the checker's controllers cannot
    arrays: Arrays = {
        "point": product.point.astype(np.int64),
        "value": solved.value,
        "steps": solved.steps,
    }
    for index, fixed in product.fixed.items():
        arrays |= _controller_arrays(index, fixed, product)
    return Certificate("chain-profile", player, product.table.arrays(), arrays)


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


def work(certificate: Certificate) -> int:
    """How many points the checker's linear system has."""
    return len(certificate.evidence["point"])
