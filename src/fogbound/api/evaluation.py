"""What policies are worth: values, regrets and exploitability, exactly, by episodes, or by a local best response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from fogbound.api.playing import match
from fogbound.arena.deviations import Deviations, deviations
from fogbound.arena.episode import MOST_STEPS
from fogbound.arena.evaluation import SECONDS, Evaluation, evaluate_exactly
from fogbound.core.errors import SpecError, brief, many, no_exit
from fogbound.evaluation.local_best_response import LocalBestResponse
from fogbound.forms.protocol import title
from fogbound.naming.games import GameLike, as_game, player_index, require_seed
from fogbound.naming.limits import stop_rules
from fogbound.naming.policies import uniform_means
from fogbound.naming.profiles import Players, strategies
from fogbound.parallel.engine import Engine
from fogbound.policies.uniform import Uniform


def evaluate(
    game: GameLike,
    *profile: Players,
    episodes: int | None = None,
    seed: int = 0,
    seconds: float = SECONDS,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
) -> Evaluation:
    """What a profile earns, and what each player could gain by deviating alone.

    Exact on the sequence form where the game ends (also matrices), and where everybody knows the state; elsewhere the
    values are those of a Markov chain, and what a best reply earns, which is a POMDP, lies between a solver's bounds.
    With `episodes` games are played instead, and the figures are statistics with 95 % intervals.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    *profile
        A policy for each player in order, or one profile: a solution, a dict by player, a list. Each policy may be
        whatever `fogbound.policy` takes.
    episodes
        How many games to play instead of computing.
    seed
        Same seed, same result.
    seconds
        How long to look for bounds on a player's best reply where it is not exact; 0 for not at all.
    most_steps
        A game that goes on longer is cut off, where games are played.
    watch
        Called with the number of games played so far.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import fogbound as fb
    >>> found = fb.evaluate("card-poker(ranks=3)", "uniform", "uniform")
    >>> [round(v, 6) for v in found.values], [round(low, 6) for low, _ in found.regrets], found.exact
    ([0.125, -0.125], [0.375, 0.541667], True)
    >>> fb.evaluate("tiger", "uniform", episodes=1000).played.games
    1000
    """
    played = as_game(game)
    require_seed(seed)
    if episodes is not None and (isinstance(episodes, bool) or not isinstance(episodes, int) or episodes < 1):
        raise SpecError(f"evaluate: episodes is {brief(episodes)}, expected a whole number of 1 or more")
    if episodes is None and most_steps != MOST_STEPS:
        raise SpecError("evaluate: most_steps cuts episodes, and none are played: give episodes=, or leave it out")
    if episodes is not None and seconds != SECONDS:
        raise SpecError("evaluate: seconds are for bounds on best replies, found episodes=, which plays: leave one out")
    until = stop_rules(seconds=seconds)
    given = profile[0] if len(profile) == 1 else cast(Players, list(profile))
    policies = strategies(played, given, seed)
    with no_exit():
        if episodes is not None:
            standings = match(played, policies, games=episodes, seed=seed, most_steps=most_steps, watch=watch)
            how = f"{many(standings.games, 'episode')}; intervals are 95 %, statistics and no bounds"
            found = Evaluation(title(played), played.players, None, (None,) * len(played.players), how, standings)
        else:
            found = evaluate_exactly(played, policies, until.seconds, seed)
    means = [uniform_means(played, i) for i, one in enumerate(policies) if isinstance(one, Uniform)]
    return replace(found, how="; ".join([found.how, *filter(None, means)]))


def local_best_response(
    game: GameLike,
    profile: Players,
    *,
    players: Sequence[int | str] | None = None,
    deals: int = 200,
    seed: int = 0,
    answers: int = 1,
    prefer: Sequence[str] = (),
    plays: int = 0,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
    workers: int = 1,
    engine: Engine | None = None,
) -> Deviations:
    """Say what players gain at least by leaving a profile, with 95 % intervals, in games too large for a tree.

    Each player in turn replies to the others by local best response (Lisý and Bowling 2017): it knows how they play,
    follows exactly what they may hold, and looks to their next answer. What it gains, no best reply gains less. So in
    a zero-sum game of two the mean gain of both is a lower estimate of the exploitability; with more players, or
    another sum, it is what a player who leaves alone gains, and NashConv is at least the sum.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    profile
        How the players play: a solution, a dict by player, a list in the players' order, or one policy for all. Each
        may be whatever `fogbound.policy` takes.
    players
        Who replies, each alone; all of them unless given.
    deals
        How many deals, each played once as the profile has it and once for every reply.
    seed
        Same seed, same result. Planners draw by it, too: what is exploited is the planner with this seed.
    answers
        For how many steps after an action the others are taken to play as they do; then the rule below.
    prefer
        By which rule the rest is valued: the first of these actions that is legal, any where none is. Poker's is
        ``("check", "call")``. Whatever it is, what is found is a lower estimate.
    plays
        How many plays by that rule a state's worth is the mean of; 0: it is computed.
    most_steps
        A game that goes on longer is cut off.
    watch
        Called with the number of deals played so far.
    workers
        In how many processes; the result is the same whatever their number.
    engine
        Who plays instead, such as ``fogbound.parallel.ray("auto")``; the result is the same.

    Returns
    -------
    Deviations

    Raises
    ------
    SpecError
        For numbers that mean nothing.
    LimitError
        There are too many states to compute what the rest is worth: give `plays`.

    Examples
    --------
    >>> import fogbound as fb
    >>> found = fb.local_best_response("liars-dice(sides=3)", "uniform")
    >>> found.interval[0] > 0.4  # it is .556, exactly
    True
    """
    played = as_game(game)
    require_seed(seed)
    policies = strategies(played, profile, seed)
    seats = range(len(played.players)) if players is None else [player_index(one, played) for one in players]
    replies = {
        player: LocalBestResponse(
            played,
            player,
            {i: policy for i, policy in enumerate(policies) if i != player},
            answers,
            tuple(prefer),
            plays,
        )
        for player in seats
    }
    with no_exit():
        return deviations(played, policies, replies, deals, seed, most_steps, watch, workers, engine)
