"""What players gain by leaving a profile for given replies, estimated by duplicate deals.

Each deal is played once as the profile has it, and once for every reply with all others as before, with the same luck
for chance and every seat. The differences vary less than the returns, and their means are what the replies gain. A best
reply gains no less, so that with all players replying their mean is a statistic of something that the exploitability
(NashConv divided by the number of players) cannot lie below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fogbound.arena.episode import MOST_STEPS, SplitStreams, play_episode
from fogbound.arena.match import Interval, student
from fogbound.core.cancel import check
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats
from fogbound.parallel import Engine, processes


@dataclass(frozen=True)
class Gain:
    """What one player gains by its reply.

    Attributes
    ----------
    player
        Who.
    value
        Its mean return in the profile.
    gain
        By how much its reply returns more, on average.
    interval
        Student's 95 % interval of the gain, over deals.
    """

    player: int
    value: float
    gain: float
    interval: Interval


@dataclass(frozen=True)
class Deviations:
    """What the players who reply gain, each alone: statistics, never called bounds.

    Attributes
    ----------
    game
        The spec of the game.
    deals
        How many deals there were, each played once as the profile has it and once for every reply.
    gains
        By player.
    exploited
        The mean gain; where all players reply, the exploitability of the profile is no less than its expectation.
    interval
        Student's 95 % interval of that mean, over deals.
    stopped
        Why there were no more: deals or interrupted.
    """

    game: str
    deals: int
    gains: tuple[Gain, ...]
    exploited: float
    interval: Interval
    stopped: str = "deals"


def deviations(
    game: AnyGame,
    profile: Sequence[Strategy],
    replies: Mapping[int, Strategy],
    deals: int = 200,
    seed: int = 0,
    most_steps: int = MOST_STEPS,
    watch: Callable[[int], None] | None = None,
    workers: int = 1,
    engine: Engine | None = None,
) -> Deviations:
    """Play deals with and without each reply.

    Parameters
    ----------
    game
        The rules.
    profile
        A policy for each player.
    replies
        What some of the players would do instead, each alone.
    deals
        How many.
    seed
        Of all deals.
    most_steps
        At how many steps a game is cut off.
    watch
        Called with the number of deals played so far.
    workers
        How many processes play; the result does not depend on it.
    engine
        Who plays instead, such as `parallel.ray("auto")`.

    Returns
    -------
    Deviations

    Raises
    ------
    SpecError
        For fewer than two deals, which have no interval, or nobody who replies.

    Examples
    --------
    >>> import fogbound as fb
    >>> poker, uniform = fb.game("card-poker(ranks=3)"), fb.policies.Uniform()
    >>> reply = fb.solve(poker, against=uniform).policy(0)  # the best one, which gains 0.375
    >>> gain = deviations(poker, [uniform] * 2, {0: reply}).gains[0]
    >>> gain.interval[0] < 0.375 < gain.interval[1]
    True
    """
    if deals < 2:
        raise SpecError(f"deviations: deals is {deals}, expected at least 2")
    if not replies:
        raise SpecError("deviations: nobody replies, expected a reply of one player at least")
    everybody = dict(sorted(replies.items()))
    shared = (game, tuple(profile), everybody, seed, most_steps)
    listed: list[Floats] = []
    stopped = "deals"
    parts = (engine or processes(workers)).map(_part, [range(deal, deal + 1) for deal in range(deals)], shared)
    try:
        for part in parts:
            listed += part
            if watch:
                watch(len(listed))
    except KeyboardInterrupt:
        if len(listed) < 2:
            raise
        stopped = "interrupted"
    return _summed(str(game), list(everybody), np.array(listed), stopped)


Shared = tuple[AnyGame, tuple[Strategy, ...], dict[int, Strategy], int, int]


def _part(shared: Shared, deals: Sequence[int]) -> list[Floats]:
    return [np.array(list(_block(shared, deal))) for deal in deals]


def _block(shared: Shared, deal: int) -> Iterator[tuple[float, float]]:
    """(what it gets in the profile, what it gets by its reply) of everybody who replies, in one deal."""
    game, profile, replies, seed, most_steps = shared
    before = play_episode(game, profile, SplitStreams(seed, deal), most_steps).returns
    for player, reply in replies.items():
        check()
        seated = [reply if i == player else policy for i, policy in enumerate(profile)]
        yield before[player], play_episode(game, seated, SplitStreams(seed, deal), most_steps).returns[player]


def _summed(game: str, players: list[int], returns: Floats, stopped: str) -> Deviations:
    """From `returns` [deal, reply, before and after]."""
    more = returns[:, :, 1] - returns[:, :, 0]
    gains = tuple(
        Gain(player, float(returns[:, k, 0].mean()), float(more[:, k].mean()), student(more[:, k]))
        for k, player in enumerate(players)
    )
    mean = more.mean(axis=1)
    return Deviations(game, len(returns), gains, float(mean.mean()), student(mean), stopped)
