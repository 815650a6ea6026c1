"""Episodes of policies, compiled: what each game paid, how long it took, and how it ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.draws import FIRST, SECOND, STEP
from fogbound.core.cancel import check
from fogbound.core.policy import Strategy
from fogbound.evaluation.episodes.kernels.steps import CUT, FADED, OVER, EpisodeModel, EpisodeStates, play
from fogbound.evaluation.episodes.model import episode_model, labels, sizes
from fogbound.evaluation.episodes.players import NumberedPlayers
from fogbound.evaluation.episodes.vector_player import VectorPlayer, vector_players
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Table
from fogbound.policies.alpha_vectors import AlphaVectors

PART, PART_BELIEVED = 4_096, 64  # games that are played side by side, between two looks at whether to stop
UNIT = 1.0 / (1 << 53)


@dataclass(frozen=True, eq=False)
class PlayedEpisodes:
    """G games of n players.

    Attributes
    ----------
    paid : [G, n]
        The discounted rewards.
    steps : [G]
        How many steps each game took.
    ended : [G]
        OVER, FADED (discounted to nothing) or CUT.
    lost : [G, n]
        Whether a player was asked after it had met something that its controller was not made for.
    interrupted
        Whether somebody pressed Ctrl-C: these are the games until then.
    """

    paid: Floats
    steps: Longs
    ended: Longs
    lost: NDArray[np.bool_]
    interrupted: bool = False


def play_episodes(
    form: Table | POMDP,
    policies: Sequence[Strategy],
    games: int,
    seed: int,
    most_steps: int,
    watch: Callable[[int], None] | None = None,
) -> PlayedEpisodes:
    """Play games: of a table's players, or of the one player of a POMDP. The same seed gives the same games.

    Parameters
    ----------
    form
        The table of a game, or a POMDP.
    policies
        One a player; of mixtures one is drawn for each game.
    games
        How many.
    seed
        Each game has a stream of its own, by its number.
    most_steps
        At how many steps a game is cut off.
    watch
        Called with the number of games played so far, now and then.
    """
    model, parts = episode_model(form), list[PlayedEpisodes]()
    one, interrupted, done = policies[0], False, 0
    if isinstance(form, POMDP) and isinstance(one, AlphaVectors):
        lots = _by_vectors(form, one, model, games, seed, most_steps)
    else:
        lots = _by_tables(form, policies, model, games, seed, most_steps)
    try:
        for states in lots:
            parts.append(PlayedEpisodes(states.paid, states.count, states.status, states.lost > 0))
            done += len(states.state)
            if watch:
                watch(done)
    except KeyboardInterrupt:
        if not parts:
            raise
        interrupted = True
    return PlayedEpisodes(
        np.concatenate([part.paid for part in parts]),
        np.concatenate([part.steps for part in parts]),
        np.concatenate([part.ended for part in parts]),
        np.concatenate([part.lost for part in parts]),
        interrupted,
    )


def streams(seed: int, begin: int, end: int) -> Longs:
    """[games] where the stream of each game begins: far apart for all seeds and numbers."""
    root = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    with np.errstate(over="ignore"):
        apart = np.arange(begin, end).astype(np.uint64) * np.uint64(int(STEP) % (1 << 64)) + root
        return _mixed(_mixed(apart)).view(np.int64)


def _mixed(word: np.ndarray) -> np.ndarray:
    word = (word ^ (word >> np.uint64(30))) * np.uint64(int(FIRST) % (1 << 64))
    word = (word ^ (word >> np.uint64(27))) * np.uint64(int(SECOND) % (1 << 64))
    return np.asarray(word ^ (word >> np.uint64(31)))


def _uniform(random: np.ndarray) -> Floats:
    """A number from 0 to below 1 for each stream, which is one step on then: as kernels draw."""
    with np.errstate(over="ignore"):
        random += STEP
        return (_mixed(random[:, 0].view(np.uint64)) >> np.uint64(11)).astype(np.float64) * UNIT


def _begun(model: EpisodeModel, players: NumberedPlayers | None, random: Longs, many: int) -> EpisodeStates:
    """Games at their start: types are drawn in the order of players, then chance."""
    games = len(random)
    stream = np.ascontiguousarray(random[:, None])
    memory = np.zeros((games, many), np.int64)
    for k, types in enumerate(players.types if players is not None else ()):
        shares = np.array(players.players[k].prior) if players is not None else np.ones(1)
        drawn = np.zeros(games, np.int64)
        if len(types) > 1:
            drawn = np.minimum(np.searchsorted(np.cumsum(shares), _uniform(stream), "right"), len(types) - 1)
        memory[:, k] = np.array(types)[drawn]
    first = slice(int(model.out[0]), int(model.out[1]))
    outcome = np.zeros(games, np.int64) + first.start
    if first.stop - first.start > 1:
        outcome += np.minimum(
            np.searchsorted(model.upto[first], _uniform(stream), "right"), first.stop - first.start - 1
        )
    return EpisodeStates(
        state=np.zeros(games, np.int64),
        memory=memory,
        paid=np.ascontiguousarray(model.reward[outcome]),
        scale=np.ones(games),
        count=np.zeros(games, np.int64),
        random=stream,
        outcome=outcome,
        lost=np.zeros((games, many), np.int64),
        did=np.full((games, many), -1, np.int64),
        status=np.zeros(games, np.int64),
        missing=np.zeros(games, np.int64),
    )


def _by_tables(
    form: Table | POMDP, policies: Sequence[Strategy], model: EpisodeModel, games: int, seed: int, most_steps: int
) -> Iterator[EpisodeStates]:
    """Lots of games whose players are tables of answers."""
    first = form.player if isinstance(form, POMDP) else 0
    players, rows = NumberedPlayers(labels(form), policies, sizes(form), first), np.zeros(len(policies), np.int64)
    for begin in range(0, games, PART):
        states = _begun(model, players, streams(seed, begin, min(begin + PART, games)), len(policies))
        check()
        waiting = True
        while waiting:
            play(model, players.answers(), states, form.discount, most_steps, rows)
            check()
            waiting = players.answer(states)
        yield states


def _by_vectors(
    form: POMDP, policy: AlphaVectors, model: EpisodeModel, games: int, seed: int, most_steps: int
) -> Iterator[EpisodeStates]:
    """Lots of games by alpha vectors, as many at once as there are cores: no game depends on who plays it."""
    lots = [streams(seed, begin, min(begin + PART_BELIEVED, games)) for begin in range(0, games, PART_BELIEVED)]
    players = vector_players(form, policy, model, max(1, min(_cores(), len(lots) - 1)))

    def played(player: VectorPlayer, lot: Longs) -> EpisodeStates:
        states = _begun(model, None, lot, 1)
        player.play(states, most_steps)
        return states

    check()
    yield played(players[0], lots[0])  # alone, so that what must be compiled first is announced
    with ThreadPoolExecutor(len(players)) as threads:
        for begin in range(1, len(lots), len(players)):
            check()
            yield from threads.map(played, players, lots[begin : begin + len(players)])


def _cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


__all__ = ["CUT", "FADED", "OVER", "PlayedEpisodes", "play_episodes", "streams"]
