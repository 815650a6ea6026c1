"""What a stored solution answers, and with what evidence."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from fogbound.core.errors import FileError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form, Question

OTHER_POLICIES = "the policies stored in the file are not those of its certificate"


def question(stored: Solution) -> Question:
    """The solution's player, against the stored others."""
    return Question(stored.player, {i: policy for i, policy in stored.profile.items() if i != stored.player})


def claimed(stored: Solution, game: AnyGame | Form | None = None) -> dict[str, NDArray[Any]]:  # noqa: ARG001
    """The evidence as the file holds it."""
    if stored.certificate is None:
        raise FileError("holds no certificate to check")
    return stored.certificate.evidence


def array(stored: Solution, name: str) -> NDArray[Any]:
    """One array of the evidence."""
    arrays = claimed(stored)
    if name not in arrays:
        raise FileError(f"the certificate lacks its array {name!r}")
    return arrays[name]
