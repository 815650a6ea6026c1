"""Many games between policies, with intervals: statistics, never called bounds.

Student's interval: how far the mean of independent blocks may be off.

What is known of a match without playing on: the one play that decides, or exact expected scores.

A match in compiled loops, where policies can be asked once for everything and play surely ends or fades.

Plain play (`arena.match`) also knows games that come back to where they were and go on for ever; so whatever may do
that without a discount is left to it, as are policies that search at every move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from math import prod

import numpy as np
from numpy.typing import NDArray

from fogbound.arena.episode import MOST_STEPS, EpisodeResult, play_episode
from fogbound.arena.outcome import ExactOutcome, best_of, only_play, outcome
from fogbound.core.cancel import check
from fogbound.core.errors import LimitError, SpecError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Mediated, Strategy, kinds, thinks
from fogbound.forms.pomdp import POMDP, ModelGame
from fogbound.forms.recurrence import topological_order
from fogbound.forms.table import Table, enumerate_table
from fogbound.parallel import Engine, processes, rng_of

CHUNK = 50  # games a job, when several processes play and no policy thinks
TIES = ("split", "first")  # who wins a tie: those who tie share it, or the first seat of them has it
Z95 = 1.959963984540054  # two-sided 95 %


@dataclass(frozen=True)
class Standing:
    """One player's results; intervals are 95 %, Wilson's for the win rate, normal for the score.

    Attributes
    ----------
    policy
        The policy's name.
    wins
        The share of games that it won.
    wins_interval
        The interval of that share.
    score
        The mean return.
    score_interval
        The interval of the mean return.
    lost
        Games in which its controller met something it was not made for.
    """

    policy: str
    wins: float
    wins_interval: tuple[float, float]
    score: float
    score_interval: tuple[float, float]
    lost: int


@dataclass(frozen=True, repr=False)
class Match:
    """The results of `games` games. Those that never end (cycles, cut off) are ties of all, unless discounted.

    Attributes
    ----------
    games
        How many games were played.
    ties
        How ties count: split among those who tie, or won by the first of them.
    tied
        Games in which several shared the highest return.
    cycles
        Games that came back to where they had been, and never end.
    cut
        Games that were cut off.
    players
        Each player's results.
    interrupted
        Whether it was stopped by Ctrl-C: these are the games until then.
    exact
        What is known without playing on.
    """

    games: int
    ties: str
    tied: int
    cycles: int
    cut: int
    players: tuple[Standing, ...]
    interrupted: bool = False
    exact: ExactOutcome | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        rows = ", ".join(f"{one.policy} wins {one.wins:.3g}, score {one.score:.4g}" for one in self.players)
        ended = "".join(f", {many} {what}" for many, what in ((self.cycles, "cycles"), (self.cut, "cut")) if many)
        return f"<Match of {many(self.games, 'game')}, {self.tied:,} tied{ended}: {rows}>"

    def _repr_html_(self) -> str:
        """The standings as a small table, for notebooks."""
        head = "<tr><th>policy</th><th>wins</th><th>95 %</th><th>score</th><th>95 %</th></tr>"
        rows = "".join(
            f"<tr><td>{escape(one.policy)}</td><td>{one.wins:.4g}</td><td>{_between(one.wins_interval)}</td>"
            f"<td>{one.score:.4g}</td><td>{_between(one.score_interval)}</td></tr>"
            for one in self.players
        )
        return f"<table>{head}{rows}</table>"


def _between(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.4g} to {interval[1]:.4g}"


def play_match(
    game: AnyGame,
    policies: Sequence[Strategy],
    games: int = 1_000,
    seed: int = 0,
    ties: str = "split",
    names: Sequence[str] | None = None,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
    workers: int = 1,
    engine: Engine | None = None,
) -> Match:
    """Play `games` games, each with a seed of its own derived from `seed` and its number.

    The highest return wins. The result does not depend on the number of `workers`, nor on the engine.

    Parameters
    ----------
    game
        The rules.
    policies
        One a player, in the players' order.
    games
        How many games.
    seed
        Of all of them: the same seed gives the same games.
    ties
        "split" shares a win between those who tie, "first" gives it to the first seat of them.
    names
        What the standings call the policies; their classes' names unless given.
    most_steps
        At how many steps a game is cut off; it then counts as a tie of all.
    watch
        Called with the number of games played, after each.
    workers
        How many processes play.
    engine
        Who plays instead, such as `parallel.ray("auto")`.

    Returns
    -------
    Match
        The standings, with 95 % intervals (Wilson's for the win rate, normal for the score): statistics, no bounds.

    Raises
    ------
    SpecError
        For fewer than one game or unknown `ties`.

    Examples
    --------
    >>> import fogbound as fb
    >>> result = fb.arena.match(fb.game("king-ace"), [fb.policies.Uniform()] * 2, games=100, seed=1)
    >>> result.players[0].wins, result.players[0].score, result.tied
    (0.63, 0.3, 26)
    """
    if ties not in TIES:
        raise SpecError(f"match: ties is {ties!r}, expected split or first")
    if games < 1:
        raise SpecError(f"match: games is {games}, expected at least 1")
    listed, interrupted = _played(game, policies, games, seed, most_steps, watch, engine or processes(workers))
    return match_results(game, listed, ties, names or [type(p).__name__.lower() for p in policies], interrupted)


def _played(
    game: AnyGame,
    policies: Sequence[Strategy],
    games: int,
    seed: int,
    most_steps: int,
    watch: Callable[[int], None] | None,
    engine: Engine,
) -> tuple[list[EpisodeResult], bool]:
    """The games in their order, whoever plays them (each has a seed of its own), and whether Ctrl-C ended them."""
    size = job_size(policies, engine, CHUNK)
    parts = [range(k, min(k + size, games)) for k in range(0, games, size)]
    jobs = engine.map(_part, parts, (game, tuple(policies), seed, most_steps))
    listed: list[EpisodeResult] = []
    try:
        for part in jobs:
            listed += part
            if watch:
                watch(len(listed))
    except KeyboardInterrupt:
        if not listed:
            raise
        return listed, True
    finally:
        jobs.close()
    return listed, False


def job_size(policies: Iterable[Strategy], engine: Engine, many: int) -> int:
    """How many games a job has: one where one process plays or somebody thinks, else as many as are worth sending."""
    return 1 if not engine.sends or any(thinks(kind) for one in policies for kind, _ in kinds(one)) else many


def _part(shared: tuple[AnyGame, tuple[Strategy, ...], int, int], numbers: range) -> list[EpisodeResult]:
    game, policies, seed, most_steps = shared
    played = []
    for number in numbers:
        check()
        played.append(play_episode(game, policies, rng_of(seed, number), most_steps))
    return played


def match_results(
    game: AnyGame, listed: Sequence[EpisodeResult], ties: str, names: Sequence[str], interrupted: bool = False
) -> Match:
    """Wins, ties and scores of games that were played."""
    n = len(names)
    returns, best = np.array([played.returns for played in listed]), [winners(game, played) for played in listed]
    wins = np.array([shared(seats, n, ties) for seats in best])
    lost = [sum(played.lost[i] for played in listed) for i in range(n)]
    ends = [played.ended for played in listed]
    standings = tuple(_standing(names[i], wins[:, i], returns[:, i], lost[i]) for i in range(n))
    tied = sum(len(seats) > 1 for seats in best)
    return Match(len(listed), ties, tied, ends.count("cycle"), ends.count("cut"), standings, interrupted)


def winners(game: AnyGame, played: EpisodeResult) -> tuple[int, ...]:
    """The players that share the highest return; all of them where the game never ends."""
    if played.ended == "cut" or (played.ended == "cycle" and game.discount == 1):
        return tuple(range(len(played.returns)))
    return best_of(played.returns)


def shared(best: tuple[int, ...], players: int, ties: str) -> list[float]:
    """Each player's share of a win: split between those who tie, or the first of them has it all."""
    winning = best if ties == "split" else best[:1]
    return [1 / len(winning) if i in winning else 0.0 for i in range(players)]


def _standing(name: str, wins: NDArray[np.float64], returns: NDArray[np.float64], lost: int) -> Standing:
    n = len(wins)
    rate, mean = float(wins.mean()), float(returns.mean())
    half = Z95 * float(returns.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf
    return Standing(name, rate, wilson(rate, n), mean, (mean - half, mean + half), lost)


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a proportion: sensible also at 0, at 1 and for few games."""
    centre = (rate + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * math.sqrt(rate * (1 - rate) / n + Z95**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)


ERROR_RATE = 0.05  # of 95 % intervals
Interval = tuple[float, float]


def student(blocks: NDArray[np.float64], exact: bool = False, within: Interval = (-math.inf, math.inf)) -> Interval:
    """Student's 95 % interval for the mean of independent blocks."""
    mean, many = float(blocks.mean()), len(blocks)
    if exact:
        return mean, mean
    if many < 2:
        return within
    from scipy.special import stdtrit

    half = float(stdtrit(many - 1, 1 - ERROR_RATE / 2) * blocks.std(ddof=1) / math.sqrt(many))
    return max(within[0], mean - half), min(within[1], mean + half)


CHEAP_POINTS, CHEAP_KINDS = 10_000, 100  # exact scores are given beside simulated ones up to these sizes


def cheap_table(game: AnyGame) -> Callable[[], Table]:
    """The table of a game where it is small enough, made when it is first asked for and then kept."""
    return cache(lambda: enumerate_table(game, CHEAP_POINTS))


def decide(game: AnyGame, policies: Sequence[Strategy], most_steps: int) -> ExactOutcome | None:
    """The outcome where one play decides; None where something is drawn, or play goes on past `most_steps`."""
    try:
        return only_play(game, policies, most_steps)
    except LimitError:  # such a game is cut off, and counted as cut
        return None


def standings(decided: ExactOutcome, names: Sequence[str], ties: str) -> Match:
    """The one play as the standings of a match of one game, its intervals closed."""
    assert decided.returns is not None
    wins = decided.wins(ties) or ()
    players = tuple(
        Standing(name, won, (won, won), paid, (paid, paid), int(lost))
        for name, won, paid, lost in zip(names, wins, decided.returns, decided.lost)
    )
    return Match(1, ties, int(decided.winner is None), int(decided.cycle is not None), 0, players, exact=decided)


def expect(game: AnyGame, policies: Sequence[Strategy], form: Callable[[], Table] | None = None) -> ExactOutcome | None:
    """Exact expected scores, where they are cheap: policies that need not think, few points.

    `form` gives the game's table where several ask for it; it is only called when it is needed.
    """
    listed = [[kind for kind, p in kinds(policy) if p > 0] for policy in policies]
    if prod(map(len, listed)) > CHEAP_KINDS or any(thinks(kind) for some in listed for kind in some):
        return None
    try:
        return outcome(game, policies, form or cheap_table(game), MOST_STEPS, CHEAP_POINTS)
    except LimitError:
        return None


MOST_KINDS = 1_000  # that mixtures may turn out to be


def fast_form(game: AnyGame, policies: Sequence[Strategy], table: Callable[[], Table]) -> Table | POMDP | None:
    """What such a match is played over; None where it is not for compiled loops. `table` makes the game's table."""
    listed = [[kind for kind, p in kinds(policy) if p > 0] for policy in policies]
    if any(thinks(kind) for some in listed for kind in some) or prod(map(len, listed)) > MOST_KINDS:
        return None
    if any(isinstance(policy, Mediated) for policy in policies):  # their kinds are not drawn apart
        return None
    try:
        form: Table | POMDP = game.form if isinstance(game, ModelGame) else table()
    except LimitError:
        return None
    return form if form.discount < 1 or topological_order(form)[1] < 0 else None


def fast_match(
    game: AnyGame,
    form: Table | POMDP,
    policies: Sequence[Strategy],
    games: int,
    seed: int,
    ties: str,
    names: Sequence[str],
    most_steps: int,
    watch: Callable[[int], None] | None = None,
) -> Match:
    """The standings of `games` games, each with a stream of its own by its number."""
    from fogbound.evaluation.episodes import CUT, FADED, play_episodes

    played = play_episodes(form, policies, games, seed, most_steps, watch)
    ends = {int(CUT): "cut", int(FADED): "faded"}
    listed = [
        EpisodeResult(tuple(paid), steps, ends.get(ended, "over"), tuple(lost))
        for paid, steps, ended, lost in zip(
            played.paid.tolist(), played.steps.tolist(), played.ended.tolist(), played.lost.tolist()
        )
    ]
    return match_results(game, listed, ties, names, played.interrupted)
