"""A profile: how every player plays. One meaning everywhere: a policy (or mixture) for each player, by index.

People hold profiles in several shapes: the solution that a solver returned, a dict by player, a list in the players'
order, or a single policy where there is one player. Whatever takes a profile takes all of them, through `as_profile`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from fogbound.core.errors import PolicyError, brief
from fogbound.core.policy import Mixed, Policy, Strategy

P = TypeVar("P")


@runtime_checkable
class HasProfile(Protocol):
    """Something that was solved or read from a file: it holds a policy for each player that it speaks of."""

    @property
    def profile(self) -> Mapping[int, Strategy]: ...


Profile: TypeAlias = HasProfile | Mapping[int, Strategy] | Sequence[Strategy] | Strategy


def as_profile(given: Profile, players: int | None = None) -> dict[int, Strategy]:
    """The policies of `given`, by player.

    Parameters
    ----------
    given
        A solution, a dict by player, a list in the players' order (`None` = no policy), or one policy, which is
        player 0's.
    players
        How many players there are, where a profile of all of them is needed.

    Returns
    -------
    dict
        From the index of a player to its policy or mixture.

    Raises
    ------
    PolicyError
        `given` is none of these, names a player that does not exist, or leaves one of `players` without a policy.

    Examples
    --------
    >>> from fogbound.policies import Uniform
    >>> as_profile([Uniform(), Uniform()], players=2)
    {0: Uniform(), 1: Uniform()}
    >>> as_profile(Uniform())
    {0: Uniform()}
    """
    profile = dict(_pairs(given))
    for player, policy in profile.items():
        if not isinstance(player, int) or player < 0 or (players is not None and player >= players):
            expected = "a player's index" if players is None else f"one from 0 to {players - 1}"
            raise PolicyError(f"a profile names player {brief(player)}, expected {expected}")
        if not isinstance(policy, Policy | Mixed):
            raise PolicyError(f"player {player} plays {brief(policy)}, expected a policy")
    missing = [player for player in range(players or 0) if player not in profile]
    if missing:
        raise PolicyError(f"the profile has no policy for player {missing[0]}, expected one for each of {players}")
    return profile


def policy_of(given: Profile, player: int | None = None) -> Strategy:
    """The policy of `player` in a profile; without `player`, the only one there is.

    Parameters
    ----------
    given
        A solution, a dict by player, a list in the players' order, or one policy, which is whoever's is asked for.
    player
        By index.

    Returns
    -------
    A policy or a mixture.

    Raises
    ------
    PolicyError
        The profile has no policy for `player`, or several and it is not said whose.

    Examples
    --------
    >>> from fogbound.policies import Uniform
    >>> policy_of({1: Uniform()}, 1), policy_of(Uniform(), 1)
    (Uniform(), Uniform())
    """
    if isinstance(given, Policy | Mixed):
        return given
    profile = as_profile(given)
    if player is None and len(profile) == 1:
        return next(iter(profile.values()))
    if player is None or player not in profile:
        has = ", ".join(map(str, sorted(profile))) or "nobody"
        wanted = "which player's policy is meant" if player is None else f"player {player}"
        raise PolicyError(f"the profile has policies for {has}: expected {wanted}")
    return profile[player]


def the_policy(kind: type[P], given: Profile, player: int | None) -> P:
    """The policy of `player` in a profile; PolicyError where it is of another kind."""
    policy = policy_of(given, player)
    if not isinstance(policy, kind):
        raise PolicyError(f"found a {type(policy).__name__}, expected a {kind.__name__} to draw")
    return policy


def _pairs(given: Profile) -> list[tuple[int, Strategy]]:
    if isinstance(given, Policy | Mixed):
        return [(0, given)]
    if isinstance(given, HasProfile):
        return list(given.profile.items())
    if isinstance(given, Mapping):
        return list(given.items())
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [(player, policy) for player, policy in enumerate(given) if policy is not None]
    raise PolicyError(f"found {brief(given)}, expected a profile: a solution, a dict by player, a list or a policy")
