"""Strategies on a tree: those that the stored policies play are those that were checked."""

from __future__ import annotations

import fogbound.verify as checker
from fogbound import evaluate, forms
from fogbound.binding.question import OTHER_POLICIES
from fogbound.certify.tree import by_player
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, derive


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:  # noqa: ARG001
    """Whether the policies play the certificate's strategies; where a player never comes by its own play, anything."""
    assert stored.certificate is not None
    sequence = derive(game, forms.SequenceForm)
    ours = evaluate.behaviours(sequence, stored.profile)
    theirs = by_player(sequence, stored.certificate.evidence["strategy"])
    pairs = zip(sequence.plexes, ours, theirs)
    apart = any(bool((abs(plex.weights(a) - plex.weights(b)) > 1e-9).any()) for plex, a, b in pairs)
    return OTHER_POLICIES if apart else None
