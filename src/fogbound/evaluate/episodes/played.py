"""Episodes of policies, compiled: what each game paid, how long it took, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.draws import FIRST, SECOND, STEP
from fogbound.core.cancel import check
from fogbound.core.errors import PolicyError
from fogbound.core.policy import Strategy
from fogbound.evaluate.episodes.kernels import (
    CHOICE,
    CUT,
    FADED,
    OVER,
    Beliefs,
    EpisodeModel,
    EpisodeStates,
    VectorPlayer,
    follow,
    play,
)
from fogbound.evaluate.episodes.model import episode_model, labels, sizes
from fogbound.evaluate.episodes.players import NumberedPlayers
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
    one = policies[0] if isinstance(form, POMDP) else None
    vectors = _vector_player(form, one) if isinstance(form, POMDP) and isinstance(one, AlphaVectors) else None
    first = form.player if isinstance(form, POMDP) else 0
    players = None if vectors is not None else NumberedPlayers(labels(form), policies, sizes(form), first)
    interrupted = False
    part = PART if vectors is None else PART_BELIEVED
    for begin in range(0, games, part):
        states = _begun(model, players, streams(seed, begin, min(begin + part, games)), len(policies))
        try:
            check()
            if vectors is not None:
                follow(model, vectors, _room(form, vectors), states, form.discount, most_steps)
                if (states.status == CHOICE).any():
                    raise PolicyError(f"{form.spec}: no vector starts with an action that is legal")
            else:
                assert players is not None
                _play(model, players, states, form.discount, most_steps)
        except KeyboardInterrupt:
            if not parts:
                raise
            interrupted = True
            break
        parts.append(PlayedEpisodes(states.paid, states.count, states.status, states.lost > 0))
        if watch:
            watch(min(begin + part, games))
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


def _play(
    model: EpisodeModel, players: NumberedPlayers, states: EpisodeStates, discount: float, most_steps: int
) -> None:
    rows = np.zeros(states.memory.shape[1], np.int64)
    while True:
        play(model, players.answers(), states, discount, most_steps, rows)
        check()
        if not players.answer(states):
            return


def _vector_player(form: POMDP, policy: AlphaVectors) -> VectorPlayer:
    finite = np.isfinite(policy.vectors)
    order = np.argsort(finite.argmax(axis=1), kind="stable")  # by the first state that each is meant for
    meant = finite[order]
    low = high = np.zeros(form.size)  # where play is over at once there is no vector
    if len(order):
        low, high = meant.argmax(axis=0), len(order) - meant[::-1].argmax(axis=0)
    offered = np.zeros((max(len(form.legal_sets), 1), len(form.actions)), np.int64)
    for k, legal in enumerate(form.legal_sets):
        offered[k, [form.actions.index(action) for action in legal]] = 1
    looks = {seen: k for k, seen in enumerate(dict.fromkeys(seen for seen, _ in form.observations))}
    return VectorPlayer(
        value=np.ascontiguousarray(policy.vectors[order].T),
        low=low.astype(np.int64),
        high=high.astype(np.int64),
        rank=order.astype(np.int64),
        begins=policy.actions[order].astype(np.int64),
        offered=offered,
        group=np.array([looks[seen] for seen, _ in form.observations], np.int64),
    )


def _room(form: Table | POMDP, vectors: VectorPlayer) -> Beliefs:
    def states(kind: type) -> np.ndarray:
        return np.zeros(form.size, kind)

    return Beliefs(
        states(np.int64), states(np.float64), states(np.int64), states(np.float64), np.zeros(len(vectors.rank))
    )


__all__ = ["CUT", "FADED", "OVER", "PlayedEpisodes", "play_episodes", "streams"]
