"""What is to be drawn, out of whatever shape a profile has."""

from __future__ import annotations

from typing import TypeVar

from fogbound.core.errors import PolicyError
from fogbound.core.profile import Profile, policy_of

P = TypeVar("P")


def the_policy(kind: type[P], given: Profile, player: int | None) -> P:
    """The policy of `player` in a profile; PolicyError where it is of another kind."""
    policy = policy_of(given, player)
    if not isinstance(policy, kind):
        raise PolicyError(f"found a {type(policy).__name__}, expected a {kind.__name__} to draw")
    return policy
