"""A mixed strategy: one of several policies, drawn before the game and kept throughout.

It is what an opponent of unknown type looks like, and what a mixed strategy of the normal form is. A
mixture has no memory of its own: whoever plays, evaluates or best-responds draws one of its `kinds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.policy import AnyPolicy, Player, kinds


@dataclass(frozen=True, eq=False)
class Mixture:
    """`weights[k]` is the probability of being `policies[k]`; members may be mixtures themselves."""

    policies: tuple[Player, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        fault = Dist(tuple(zip(self.policies, self.weights))).fault()
        if fault or len(self.policies) != len(self.weights) or not self.policies:
            raise PolicyError(f"a mixture of {len(self.policies)} policies with {fault or 'unequal lengths'}")

    @classmethod
    def of(cls, members: Sequence[tuple[Player, float]]) -> Mixture:
        policies, weights = zip(*members)
        return cls(policies, weights)

    def kinds(self) -> Dist[AnyPolicy]:
        return Dist(
            tuple(
                (kind, weight * p)
                for member, weight in zip(self.policies, self.weights)
                for kind, p in kinds(member)
                if weight * p > 0
            )
        )


def uniform_mixture(policies: Sequence[Player]) -> Mixture:
    """Each of `policies` equally likely."""
    return Mixture(tuple(policies), (1.0 / len(policies),) * len(policies))
