"""Policies at the table: one game, or a match of many with intervals, exact where nothing is left to chance."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

import numpy as np

from fogbound import files
from fogbound.api.naming import GameLike, game, player_index, require_seed
from fogbound.api.policy_naming import PolicyLike, policy
from fogbound.api.solving import ByPlayer
from fogbound.api.strategies import is_strategy
from fogbound.arena.episode import MOST_STEPS, EpisodeResult, play
from fogbound.arena.expected import cheap_table, decide, expect, standings
from fogbound.arena.fast_match import fast_form, fast_match
from fogbound.arena.match import Match
from fogbound.arena.match import match as play_match
from fogbound.core.errors import SpecError, brief, many, no_exit
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.profile import HasProfile, Profile
from fogbound.driver.protocol import TraceEntry
from fogbound.parallel.engine import Engine
from fogbound.policies.recommendations import recommendations

MEDIATED = ("correlated", "markov-correlated")  # solvers whose answers a mediator draws
Players: TypeAlias = "Profile | PolicyLike | Sequence[PolicyLike] | ByPlayer"


def play_out(source: GameLike, profile: Players, *, seed: int = 0, most_steps: int = MOST_STEPS) -> EpisodeResult:
    """Play one game to its end.

    Parameters
    ----------
    source
        Whatever `fogbound.game` takes.
    profile
        How the players play: a solution, a dict by player, a list in the players' order, or one policy for all. Each
        may be whatever `fogbound.policy` takes.
    seed
        Same seed, same game.
    most_steps
        A game that goes on longer is cut off.

    Returns
    -------
    EpisodeResult
        What each player got, who won, and how the game ended.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.play_out("tic-tac-toe", "alpha-beta").returns
    (0.0, 0.0)
    """
    played = game(source)
    require_seed(seed)
    with no_exit():
        return play(played, strategies(played, profile, seed, mediated=True), np.random.default_rng(seed), most_steps)


def match(
    source: GameLike,
    *profile: Players,
    games: int = 1_000,
    seed: int = 0,
    ties: str = "split",
    names: Sequence[str] | None = None,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    plain: bool = False,
) -> Match:
    """Let policies play many games against each other.

    Where no policy draws and chance never intervenes, one play decides: then `Match.exact` is that play's outcome and
    no more games are played. Otherwise the standings have intervals, and `Match.exact` holds exact expected scores
    where they are cheap.

    Parameters
    ----------
    source
        Whatever `fogbound.game` takes.
    *profile
        A policy for each player in order, or one profile: a solution, a dict by player, a list. Each policy may be
        whatever `fogbound.policy` takes.
    games
        How many games.
    seed
        Each game has a seed of its own, derived from this one and its number.
    ties
        ``"split"`` shares a win between those who tie, ``"first"`` gives it to the first seat of them.
    names
        What the policies are called in the standings.
    most_steps
        A game that goes on longer is cut off, and counted as cut.
    watch
        Called with the number of games played so far.
    workers
        In how many processes; the result is the same whatever their number.
    engine
        Who plays instead, such as ``fogbound.parallel.ray("auto")``; the result is the same.
    plain
        Play by the rules, one game after the other, also where policies that are tables, controllers or vectors could
        be played in compiled loops: the same games as `arena.match` plays and logs keep.

    Returns
    -------
    Match

    Examples
    --------
    >>> import fogbound as fb
    >>> result = fb.match("po-nim(n=3)", "level-k(level=1)", "level-k(level=2)")
    >>> result.players[1].wins, result.exact.one_play
    (1.0, True)
    """
    played = game(source)
    require_seed(seed)
    if isinstance(games, bool) or not isinstance(games, numbers.Integral):
        raise SpecError(f"match: games is {brief(games)}, expected a whole number")
    if names is not None and len(names) != len(played.players):
        raise SpecError(f"match: {len(names)} names are given, expected one for each of {len(played.players)} players")
    given: Any = profile[0] if len(profile) == 1 and not _one_seat(profile[0]) else list(profile)
    policies = strategies(played, given, seed, mediated=True)
    listed = zip(_each(given, played), policies)
    called = names or [one if isinstance(one, str) else type(strategy).__name__.lower() for one, strategy in listed]
    with no_exit():
        decided = decide(played, policies, most_steps)
        if decided is not None:
            return standings(decided, called, ties)
        enumerated = cheap_table(played)
        form = None if plain else fast_form(played, policies, enumerated)
        if form is None or games < 1 or ties not in ("split", "first"):
            result = play_match(played, policies, games, seed, ties, called, most_steps, watch, workers, engine)
        else:
            result = fast_match(played, form, policies, games, seed, ties, called, most_steps, watch)
        return result if result.interrupted else replace(result, exact=expect(played, policies, enumerated))


def _one_seat(given: Any) -> bool:
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
    listed = _each(given, played)
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


def _each(given: Players, played: AnyGame) -> list[PolicyLike]:
    if isinstance(given, HasProfile):
        return [given] * len(played.players)
    if isinstance(given, Mapping) and not is_strategy(given):
        keyed = cast(Mapping[Any, PolicyLike], given)
        by_player = {player_index(key, played): one for key, one in keyed.items()}
        return [by_player[i] for i in sorted(by_player)]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return list(given)
    return [cast(PolicyLike, given)] * len(played.players)
