"""The protocol of encoders: the remembering half of a policy, and what it remembers as numbers.

Memory is a value, as a policy's is. So the same encoder stands in an environment and in a policy that is matched,
evaluated and exploited, and a trained agent is shown here exactly what it was trained on.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, runtime_checkable

from fogbound.core.game import Observation


@runtime_checkable
class Encoder(Protocol):
    """One player's knowledge for a learner. Write one of your own where a game is too large for those here."""

    def begin(self, observation: Observation) -> Any:
        """Memory after the first observation."""
        ...

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        """Memory after a step of the game; `action` is the player's own, None where it was not asked."""
        ...

    def encode(self, memory: Any, asked: bool) -> Any:
        """A new element of `space()`; `asked` says whether the player is to move now."""
        ...

    def space(self) -> Any:
        """The gymnasium space that `encode` gives elements of."""
        ...
