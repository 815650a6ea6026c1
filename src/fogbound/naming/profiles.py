"""From what people hand over to a policy for each player: solutions, lists, dicts by player, one policy for all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from fogbound import files
from fogbound.core.errors import SpecError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.profile import HasProfile, Profile
from fogbound.driver.protocol import TraceEntry
from fogbound.files.models import is_strategy
from fogbound.naming.games import player_index
from fogbound.naming.policies import ByPlayer, PolicyLike, policy

MEDIATED = ("correlated", "markov-correlated")  # solvers whose answers a mediator draws
Players: TypeAlias = "Profile | PolicyLike | Sequence[PolicyLike] | ByPlayer"


def one_seat(given: Any) -> bool:
    """Whether what stands alone is one player's policy: a name is, a saved solution speaks for all."""
    return isinstance(given, str) and not given.endswith(".npz")


def strategies(
    played: AnyGame,
    given: Players,
    seed: int = 0,
    watch: Callable[[TraceEntry], None] | None = None,
    tell: Callable[[str], None] | None = None,
    mediated: bool = False,
) -> list[Strategy]:
    """A policy for each player of a game, from whatever people hold profiles in.

    Whoever plays games (`mediated`) draws what a correlated equilibrium recommends to several players once for all of
    them; for others, who look at policies apart, such parts would not be that equilibrium, and are refused.
    """
    listed = each_seat(given, played)
    if len(listed) != len(played.players):
        names = ", ".join(played.players)
        found = f"{many(len(listed), 'policy')} {'is' if len(listed) == 1 else 'are'} given"
        raise SpecError(f"{played} has {many(len(played.players), 'player')} ({names}), but {found}")
    policies = [policy(one, played, i, seed, watch, tell) for i, one in enumerate(listed)]
    for seats in _in_several_seats(listed):
        solution = _with_mediator(listed[seats[0]])
        if solution is None:
            continue
        if not mediated:
            raise SpecError(
                f"{_called(listed[seats[0]])}: a mediator draws for {many(len(seats), 'player')} together, so their "
                "policies apart are not that equilibrium; what it earns is in the answer itself, and match plays it"
            )
        if _by_state(solution):
            raise SpecError(
                f"{_called(listed[seats[0]])}: markov-correlated draws anew in every state, for several players "
                "together, which no policies apart can do; what it earns is in the answer itself, and an answer of "
                "correlated, which draws once for a whole game, can be played"
            )
        from fogbound.policies.recommendations import recommendations

        parts = recommendations(solution, game=played).parts()
        for i in seats:
            policies[i] = parts[i]
    return policies


def _in_several_seats(listed: Sequence[PolicyLike]) -> list[list[int]]:
    """The seats of each solution or name that is given for more than one."""
    seats: dict[Any, list[int]] = {}
    for i, one in enumerate(listed):
        seats.setdefault(os.fspath(one) if isinstance(one, str | os.PathLike) else id(one), []).append(i)
    return [some for some in seats.values() if len(some) > 1]


def _with_mediator(one: PolicyLike) -> HasProfile | None:
    """The solution, where its policies are parts of what is drawn jointly."""
    if isinstance(one, str) and one.split("(")[0].strip() in MEDIATED:
        again = "solve it once, save it, and name the file"
        if one.split("(")[0].strip() == "markov-correlated":
            again = "it does so anew in every state, which no policies apart can do. Solve it for what it earns"
        raise SpecError(f"{one}: a mediator draws for all players together; {again}")
    solution: Any = one
    if isinstance(one, str | os.PathLike):
        solution = files.load(one) if os.fspath(one).endswith(".npz") else None
    return solution if "mediator" in (getattr(solution, "details", None) or {}) else None


def _by_state(solution: Any) -> bool:
    """Whether what is recommended is drawn state by state."""
    return str(solution.provenance["solver"]).partition("(")[0] == "markov-correlated"


def _called(one: PolicyLike) -> str:
    return os.fspath(one) if isinstance(one, str | os.PathLike) else "the solution"


def each_seat(given: Players, played: AnyGame) -> list[PolicyLike]:
    """What is given for each player, in order."""
    if isinstance(given, HasProfile):
        return [given] * len(played.players)
    if isinstance(given, Mapping) and not is_strategy(given):
        keyed = cast(Mapping[Any, PolicyLike], given)
        by_player = {player_index(key, played): one for key, one in keyed.items()}
        return [by_player[i] for i in sorted(by_player)]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return list(given)
    return [cast(PolicyLike, given)] * len(played.players)
