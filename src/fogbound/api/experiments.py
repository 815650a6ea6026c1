"""Experiments: which solver closes the gap fastest, who plays better, and the journals of shares put together."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from fogbound.api.solving import solve
from fogbound.arena.episode import MOST_STEPS
from fogbound.core.atomic import write
from fogbound.core.errors import SpecError, brief, no_exit
from fogbound.core.identity import GAME, named_files
from fogbound.driver.protocol import TraceEntry
from fogbound.driver.solver import AnySolver
from fogbound.experiments.journals import CHECKS
from fogbound.experiments.sweeps.plan import all_limits, make_work
from fogbound.experiments.sweeps.result import SweepResult
from fogbound.experiments.sweeps.run import run_sweep
from fogbound.experiments.tournaments.result import Tournament
from fogbound.experiments.tournaments.run import Stop, entrant_names, entrant_policy, entrant_text, run_tournament
from fogbound.forms.identity import game_files
from fogbound.naming.games import GameLike, as_game, require_seed
from fogbound.naming.policies import PolicyLike
from fogbound.parallel import Engine, processes
from fogbound.parallel.journal import JournalContent, merge_journals
from fogbound.parallel.shards import Shard

Stops: TypeAlias = Sequence[Mapping[str, float | str]]


def sweep(
    games: GameLike | Sequence[GameLike],
    solvers: str | AnySolver | Sequence[str | AnySolver],
    *,
    seeds: int | Iterable[int] = 1,
    gap: float | str | None = None,
    seconds: float | None = None,
    iterations: float | None = None,
    stops: Stops = (),
    player: int | str = 0,
    against: str | Sequence[str] = (),
    limit: int | None = None,
    certify: bool | None = None,
    times: bool = True,
    resume: str | os.PathLike[str] | None = None,
    shard: str | Shard | None = None,
    workers: int = 1,
    engine: Engine | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> SweepResult:
    """Solve every game by every solver with every seed and within all limits, and tell how fast gaps close.

    A cell that fails is a row with its reason. With `resume` every row is kept as soon as it is there, and the same
    call goes on from them, whoever computes. Rows depend on nothing but their cell, times apart.

    Parameters
    ----------
    games
        One game or several: specs, model files, ``my_game.py:MyGame``, or games.
    solvers
        One solver or several: specs, ``my_solver.py:Hedge``, or objects of a class of one's own. Objects and own
        files are computed with on every engine alike.
    seeds
        How many runs each, with the seeds 0, 1, …; or a list of seeds.
    gap, seconds, iterations
        When each run stops, as `fogbound.solve` takes them.
    stops
        Several such limits instead, each a mapping: ``[{"iterations": 100}, {"seconds": 10}]``.
    player, against, limit, certify
        As `fogbound.solve` takes them; opponents are named by specs or files.
    times
        Whether rows say how long things took. Without, the same sweep gives the same bytes, and curves are over
        iterations alone.
    resume
        A journal, JSON lines: gone on from where it exists, and kept up as cells are done.
    shard
        Solve only a share of the cells, such as ``"2/8"``; `fogbound.merge` makes the journal of the whole sweep from
        those of all shares.
    workers
        In how many processes.
    engine
        Who computes instead, such as ``fogbound.parallel.ray("auto")``.
    watch
        Called with how many cells are done, and how many there are.

    Returns
    -------
    SweepResult
        With `rows`, `lines()`, `picture()`, `to_csv()`, `to_pandas()`, `to_html()` and `save(path)`.

    Raises
    ------
    SpecError
        Something that is named does not exist.
    FileError
        The journal is damaged, or of another sweep.

    Examples
    --------
    >>> import fogbound as fb
    >>> found = fb.sweep("kuhn", ["cfr", "cfr-plus"], seeds=2, iterations=50, times=False)
    >>> [(group.solver, len(group.solved)) for group in found.groups]
    [('cfr', 2), ('cfr-plus', 2)]
    >>> found.rows[0].stopped, found.rows[0].iterations
    ('iterations', 50)
    """
    work = make_work(
        games,
        solvers,
        seeds,
        all_limits(stops, gap=gap, seconds=seconds, iterations=iterations),
        solve,
        player=str(player),
        against=(against,) if isinstance(against, str) else tuple(map(os.fspath, against)),
        limit=limit,
        certify=certify,
        times=bool(times),
    )
    return run_sweep(work, resume=resume, shard=shard, engine=engine or processes(workers), watch=watch)


def tournament(
    game: GameLike,
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
    game
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
    played = as_game(game)
    require_seed(seed)
    if isinstance(games, bool) or not isinstance(games, numbers.Integral):
        raise SpecError(f"tournament: games is {brief(games)}, expected a whole number")
    called = entrant_names(entrants, names)
    texts = [entrant_text(one) for one in entrants] if resume is not None else None
    with no_exit():
        return run_tournament(
            played,
            [entrant_policy(one, played, seed, solving, tell) for one in entrants],
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


def merge(*journals: str | os.PathLike[str], into: str | os.PathLike[str] | None = None) -> JournalContent:
    """Put the journals of the shares of a tournament or a sweep together, in whatever order they are named.

    The rows of all shares make the same file, to the byte, as the whole run would have written.

    Parameters
    ----------
    *journals
        Journals of one run, at least one.
    into
        Where the journal of all of them is written, whole or not at all; nowhere unless given.

    Returns
    -------
    JournalContent
        What kind of run it is, which one, and the rows by number.

    Raises
    ------
    FileError
        One is of another run, damaged, or says something else of a job than one before it.

    Examples
    --------
    >>> import tempfile, os
    >>> import fogbound as fb
    >>> folder = tempfile.mkdtemp()
    >>> parts = [os.path.join(folder, f"{k}.jsonl") for k in (1, 2)]
    >>> for k, part in enumerate(parts, 1):
    ...     _ = fb.tournament("king-up", "uniform", "uniform", games=3, shard=f"{k}/2", resume=part)
    >>> sorted(fb.merge(*parts).rows)
    [0, 1, 2]
    """
    if not journals:
        raise SpecError("merge: no journal is given, expected at least one")
    content = merge_journals(journals, CHECKS)
    if into is not None:
        write(into, content.text().encode())
    return content
