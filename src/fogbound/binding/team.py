"""Plans of a team: the checker is shown the stored ones, and why no plans earn more as the file has it."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from fogbound.binding import chain
from fogbound.binding.stored import claimed
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form

fault = chain.fault


def evidence(stored: Solution, game: AnyGame | Form) -> dict[str, NDArray[Any]]:
    """What the stored policies are and earn, in the place of what the file says of them.

    The proof from above is its own.
    """
    return {**claimed(stored), **chain.evidence(stored, game)}
