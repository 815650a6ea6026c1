"""Strategies in information sets: the checker judges those that the stored policies play."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound import evaluate, forms
from fogbound.binding.held import HeldSolution
from fogbound.binding.stored import OTHER_POLICIES, array, claimed
from fogbound.certify.tree import by_player, by_set
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, derive
from fogbound.solvers import SOLVERS

CLOSE = 1e-9  # what is written down a second time, beside the policies, may differ by so much


def evidence(stored: Solution, game: AnyGame | Form) -> dict[str, NDArray[Any]]:
    """What the stored policies play in every information set, beside what else the file shows."""
    sequence = _sequence(stored, game)
    return {**claimed(stored), "strategy": by_set(sequence, evaluate.behaviours(sequence, stored.profile))}


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:  # noqa: ARG001
    """Whether the strategies written down in the certificate, for other checkers, are those that are played.

    Where a player never comes by its own play it does not matter what it would do.
    """
    sequence, strategy = _sequence(stored, game), array(stored, "strategy")
    if strategy.shape != (int(sequence.decisions.set_size.sum()),):
        return OTHER_POLICIES
    pairs = zip(sequence.plexes, evaluate.behaviours(sequence, stored.profile), by_player(sequence, strategy))
    apart = any(bool((np.abs(plex.weights(a) - plex.weights(b)) > CLOSE).any()) for plex, a, b in pairs)
    return OTHER_POLICIES if apart else None


def earned(held: HeldSolution) -> float:
    """What the stored policies earn against each other."""
    sequence = _sequence(held.stored, held.form)
    return float(evaluate.expected(sequence, evaluate.behaviours(sequence, held.stored.profile))[held.report.player])


def _sequence(stored: Solution, game: AnyGame | Form) -> forms.SequenceForm:
    """The sequence form of what the certificate is about: the tree, or memories."""
    if isinstance(game, forms.SequenceForm):
        return game
    summed_out = stored.certificate is not None and "memories" in stored.certificate.kind
    return forms.sequence(derive(game, forms.Memories if summed_out else forms.Tree))


def restricted_fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """Whether the other player is believed as much as the file says."""
    named = SOLVERS.make(str(stored.provenance["solver"])).certified_terms.get("trust")
    (trust,) = array(stored, "trust").ravel().tolist()
    if named is None or named != trust:
        return f"the file names {stored.provenance['solver']}, its certificate has trust {trust!r}"
    return fault(stored, game, report)
