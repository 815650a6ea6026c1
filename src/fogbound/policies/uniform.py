"""The policy that plays every legal action with equal probability."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from fogbound.core.dist import Dist
from fogbound.core.game import Observation


@dataclass(frozen=True)
class Uniform:
    """Level 0 of every hierarchy of reasoning: no memory, no preference.

    Examples
    --------
    >>> from fogbound.policies import Uniform
    >>> Uniform().act(None, ["call", "fold"]).pairs
    (('call', 0.5), ('fold', 0.5))
    """

    def begin(self, observation: Observation) -> None:  # noqa: ARG002
        return None

    def update(self, memory: None, action: Hashable | None, observation: Observation) -> None:  # noqa: ARG002
        return None

    def act(self, memory: None, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        return Dist.uniform(actions)

    def fault(self) -> str | None:
        """Nothing can be invalid."""
        return None
