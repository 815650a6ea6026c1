"""Tournaments from whatever people hold policies in."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Sequence
from typing import Any

from fogbound.api.naming import GameLike, game, require_seed
from fogbound.api.policy_naming import PolicyLike, policy
from fogbound.arena.episode import MOST_STEPS
from fogbound.arena.tournaments.result import Tournament
from fogbound.arena.tournaments.run import Stop
from fogbound.arena.tournaments.run import tournament as play_tournament
from fogbound.core.errors import SpecError, brief, no_exit
from fogbound.core.game import AnyGame
from fogbound.core.identity import GAME, named_files
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import TraceEntry
from fogbound.forms.identity import game_files
from fogbound.parallel.engine import Engine
from fogbound.parallel.shards import Shard


def tournament(
    source: GameLike,
    *entrants: PolicyLike,
    games: int = 1_000,
    seconds: float = math.inf,
    decided: str = "",
    seed: int = 0,
    ties: str = "split",
    seatings: str = "all",
    names: Sequence[str] | None = None,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
    standing: Callable[[Callable[[], Tournament]], None] | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    resume: str | os.PathLike[str] | None = None,
    shard: str | Shard | None = None,
    exact: bool = True,
    solving: Callable[[TraceEntry], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Tournament:
    """Find out who plays better: the same deals, played in each other's seats.

    Every deal is played under each seating of the entrants, with the same luck for whoever sits there; intervals are
    over deals. Where outcomes can be computed cheaply no game is played. As many entrants as seats sit in every order;
    of more of them all that fit; fewer sit in several seats at once.

    Parameters
    ----------
    source
        Whatever `fogbound.game` takes.
    *entrants
        Whatever `fogbound.policy` takes, at least two. Each is made for every seat that it takes.
    games
        How many deals, each of them a game in every seating.
    seconds
        How long at most; the deal that is played then is finished.
    decided
        Stop as soon as it is known of every pair who has more ``"wins"``, or the higher ``"score"``, by a test that may
        be looked at after every deal.
    seed
        Same seed, same deals; a seat draws the same numbers whoever sits in it.
    ties
        ``"split"`` shares a win between those who tie, ``"first"`` gives it to the first seat of them.
    seatings
        ``"all"``, or only the one ``"given"``.
    names
        What the entrants are called.
    most_steps
        A game that goes on longer is cut off, and counted as a tie of all.
    watch
        Called with the number of deals played so far.
    standing
        Called after each deal with a function that sums up what was played so far: not every deal is worth it.
    workers
        In how many processes; the result is the same whatever their number.
    engine
        Who plays instead, such as ``fogbound.parallel.ray("auto")``; the result is the same.
    resume
        A journal that keeps every game, a line a deal: gone on from where it exists. Entrants must then be named, by
        specs or files.
    shard
        Play only a share of the deals, such as ``"2/8"``, and keep them in `resume`; `fogbound.merge` makes the journal
        of the whole tournament from those of all shares.
    exact
        Whether outcomes are computed where that is cheap; otherwise games are played everywhere.
    solving, tell
        As `watch` and `tell` of `fogbound.policy`, while policies are made.

    Returns
    -------
    Tournament

    Examples
    --------
    >>> import fogbound as fb
    >>> result = fb.tournament("card-poker(ranks=3)", "sequence-lp", "uniform")
    >>> result.exact, [round(one.score, 4) for one in result.entrants]
    (True, [0.1111, -0.1111])
    >>> fb.tournament("king-up", "uniform", "uniform", games=5).rows[0].seating
    (0, 0, 0)
    """
    played = game(source)
    require_seed(seed)
    if isinstance(games, bool) or not isinstance(games, numbers.Integral):
        raise SpecError(f"tournament: games is {brief(games)}, expected a whole number")
    if names is not None and len(names) != len(entrants):
        raise SpecError(f"tournament: {len(names)} names are given, expected one for each of {len(entrants)} entrants")
    texts = [_text(one) for one in entrants] if resume is not None else None
    called = list(names) if names is not None else _apart(list(map(_name, entrants)))
    with no_exit():
        return play_tournament(
            played,
            [_entrant(one, played, seed, solving, tell) for one in entrants],
            called,
            stop=Stop(int(games), seconds, decided),
            seed=seed,
            ties=ties,
            rule=seatings,
            most_steps=most_steps,
            watch=watch,
            standing=standing,
            workers=workers,
            engine=engine,
            resume=resume,
            shard=None if shard is None else Shard.parse(shard),
            identities=texts,
            inputs={GAME: game_files(played), **{text: named_files(text) for text in texts or ()}},
            exact=exact,
        )


def _entrant(
    one: PolicyLike,
    played: AnyGame,
    seed: int,
    solving: Callable[[TraceEntry], None] | None,
    tell: Callable[[str], None] | None,
) -> Callable[[int], Strategy]:
    return lambda seat: policy(one, played, seat, seed, solving, tell)


def _name(one: Any) -> str:
    return os.fspath(one) if isinstance(one, str | os.PathLike) else type(one).__name__.lower()


def _apart(names: list[str]) -> list[str]:
    """Names that differ: who comes a second time is numbered."""
    return [name if names.count(name) == 1 else f"{name} #{names[: k + 1].count(name)}" for k, name in enumerate(names)]


def _text(one: Any) -> str:
    """The spec or the file of an entrant, by which a journal knows it."""
    if not isinstance(one, str | os.PathLike):
        raise SpecError(
            f"tournament: with resume= entrants are named by specs or files, found {brief(type(one).__name__)}: "
            "save the policy, and name the file"
        )
    return os.fspath(one)
