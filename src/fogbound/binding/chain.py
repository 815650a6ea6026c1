"""Finite-memory policies whose play may cycle: the checker judges the chain that the stored ones make."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound import forms
from fogbound.binding.stored import claimed
from fogbound.certify.chain import chain_certificate
from fogbound.core.errors import FileError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.evaluate.chain import chain
from fogbound.forms.protocol import Form, derive


def evidence(stored: Solution, game: AnyGame | Form) -> dict[str, NDArray[Any]]:
    """The stored policies as controllers, with their values at every (state, memories)."""
    claimed(stored)
    proof = chain_certificate(chain(derive(game, forms.Table), stored.profile), stored.player)
    if proof is None:
        raise FileError("holds a mixture of policies, of which a certificate of this kind cannot speak")
    return proof.evidence


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:  # noqa: ARG001
    """Nothing is left to compare: what was judged is what is played."""
    return None
