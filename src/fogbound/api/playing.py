"""Policies at the table: one game, or a match of many with intervals, exact where nothing is left to chance."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fogbound.arena.episode import MOST_STEPS, EpisodeResult, play_episode
from fogbound.arena.match import Match, cheap_table, decide, expect, fast_form, fast_match, play_match, standings
from fogbound.core.errors import SpecError, brief, no_exit
from fogbound.naming.games import GameLike, as_game, require_seed
from fogbound.naming.profiles import Players, each_seat, one_seat, strategies
from fogbound.parallel.engine import Engine


def play_out(game: GameLike, profile: Players, *, seed: int = 0, most_steps: int = MOST_STEPS) -> EpisodeResult:
    """Play one game to its end.

    Parameters
    ----------
    game
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
    played = as_game(game)
    require_seed(seed)
    with no_exit():
        policies = strategies(played, profile, seed, mediated=True)
        return play_episode(played, policies, np.random.default_rng(seed), most_steps)


def match(
    game: GameLike,
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
    game
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
    played = as_game(game)
    require_seed(seed)
    if isinstance(games, bool) or not isinstance(games, numbers.Integral):
        raise SpecError(f"match: games is {brief(games)}, expected a whole number")
    if names is not None and len(names) != len(played.players):
        raise SpecError(f"match: {len(names)} names are given, expected one for each of {len(played.players)} players")
    given: Any = profile[0] if len(profile) == 1 and not one_seat(profile[0]) else list(profile)
    policies = strategies(played, given, seed, mediated=True)
    listed = zip(each_seat(given, played), policies)
    called = names or [one if isinstance(one, str) else type(strategy).__name__.lower() for one, strategy in listed]
    with no_exit():
        decided = decide(played, policies, most_steps)
        if decided is not None:
            _refuse_processes("one play decides", workers, engine)
            return standings(decided, called, ties)
        enumerated = cheap_table(played)
        form = None if plain else fast_form(played, policies, enumerated)
        if form is None or games < 1 or ties not in ("split", "first"):
            result = play_match(played, policies, games, seed, ties, called, most_steps, watch, workers, engine)
        else:
            _refuse_processes("compiled code plays these games in one process", workers, engine)
            result = fast_match(played, form, policies, games, seed, ties, called, most_steps, watch)
        return result if result.interrupted else replace(result, exact=expect(played, policies, enumerated))


def _refuse_processes(why: str, workers: int, engine: Engine | None) -> None:
    """Refuse processes where nothing would be left for them."""
    if workers > 1 or (engine is not None and engine.sends):
        raise SpecError(f"match: {why}, so several processes (--workers) have no effect: leave them out")
