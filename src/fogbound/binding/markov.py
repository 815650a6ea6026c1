"""Markov policies: the checker judges what the stored policies play in each state."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound import forms
from fogbound.binding.held import HeldSolution
from fogbound.binding.stored import OTHER_POLICIES, array, claimed
from fogbound.certify.markov import markov_certificate
from fogbound.core.errors import FileError, FormError, LimitError, PolicyError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.evaluate.markov import from_start, markov_behaviours, markov_values
from fogbound.forms.arrays import Floats, summed
from fogbound.forms.protocol import Form, derive

CLOSE = 1e-9  # what is written down a second time, beside the policies, may differ by so much


def evidence(stored: Solution, game: AnyGame | Form) -> dict[str, NDArray[Any]]:
    """What the stored policies play in every state, with what that guarantees or earns."""
    claimed(stored)
    return markov_certificate(*_read(stored, game), stored.player).evidence


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:  # noqa: ARG001
    """Whether the policies written down in the certificate, for other checkers, are those that are played."""
    for player, played in enumerate(_read(stored, game)[1]):
        if not _close(array(stored, f"strategy_{player}"), played):
            return OTHER_POLICIES
    return None


def earned(held: HeldSolution) -> float:
    """What the stored policies earn against each other, from the start."""
    form, played = _read(held.stored, held.form)
    return from_start(form, markov_values(form, played).value)[held.report.player]


def correlated_fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:  # noqa: ARG001
    """Whether every player's own policy is its part of the recommendations."""
    (form, policies), joint = _read(stored, game), array(stored, "joint")
    if joint.shape != (len(form.reward),):
        return OTHER_POLICIES
    for player, played in enumerate(policies):
        if not _close(summed(form.choice[:, player], joint, len(played)), played):
            return OTHER_POLICIES
    return None


_LAST: WeakKeyDictionary[Solution, tuple[Any, forms.MarkovGame, list[Floats]]] = WeakKeyDictionary()


def _read(stored: Solution, game: AnyGame | Form) -> tuple[forms.MarkovGame, list[Floats]]:
    """The Markov game, and what the stored policies play in it: read once for the evidence and for its fault."""
    kept = _LAST.get(stored)
    if kept is None or kept[0] is not game:
        form = derive(game, forms.MarkovGame)
        kept = _LAST[stored] = game, form, _played(stored, form)
    return kept[1], kept[2]


def _played(stored: Solution, form: forms.MarkovGame) -> list[Floats]:
    try:
        return markov_behaviours(form, stored.profile)
    except (FormError, LimitError, PolicyError) as error:
        raise FileError(f"holds policies of which such a certificate cannot speak: {error}") from error


def _close(one: NDArray[Any], two: Floats) -> bool:
    return one.shape == two.shape and bool((np.abs(one - two) <= CLOSE).all())
