"""Episodes of policies, compiled: what each game paid, how long it took, and how it ended.

A table or a POMDP as the arrays that episodes are played over.

Players as tables of answers: what they remember is numbered, and each is asked once for everything.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.draws import FIRST, SECOND, STEP
from fogbound.core.cancel import check
from fogbound.core.policy import Strategy
from fogbound.core.simulator import Labels
from fogbound.evaluation.episodes.kernels.steps import (
    AFTER,
    CHOICE,
    CUT,
    EMPTY,
    FADED,
    OVER,
    Answers,
    EpisodeModel,
    EpisodeStates,
    insert_keys,
    play,
)
from fogbound.evaluation.episodes.vector_player import VectorPlayer, vector_players
from fogbound.evaluation.particle_filter import POMDPLabels
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.induced import FixedPlayer, Memory
from fogbound.forms.pomdp import POMDP, WAIT
from fogbound.forms.recurrence import still_paid
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import TableSimulator
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.controller import LOST, Controller


def episode_model(form: Table | POMDP) -> EpisodeModel:
    """The arrays, in which play also ends where nothing can be paid any more and that can be told from the state."""
    return _of_table(form) if isinstance(form, Table) else _of_pomdp(form)


def _labels(form: Table | POMDP) -> Labels:
    """The words for the numbers that players see and choose."""
    return TableSimulator(form) if isinstance(form, Table) else POMDPLabels(form)


def _sizes(form: Table | POMDP) -> Longs:
    """[3] lists of legal actions, actions + 1, observations of whoever has the most."""
    if isinstance(form, Table):
        return np.array([len(form.legal_size), len(form.actions) + 1, max(map(len, form.observations))], np.int64)
    return np.array([len(form.legal_sets), len(form.actions) + 1, len(form.observations)], np.int64)


def _of_table(form: Table) -> EpisodeModel:
    movers = form.actor_set_players[form.actor_set].astype(np.int64)
    wide, players = movers.shape[1], len(form.players)
    actor, legal = np.full((form.size, players), -1, np.int64), np.full((form.size, players), -1, np.int64)
    actor[:, :wide] = np.where(np.arange(wide) < form.actor_set_size[form.actor_set][:, None], movers, -1)
    legal[:, :wide] = np.where(actor[:, :wide] >= 0, form.legal, -1)
    return _model(
        form, form.seen[form.event], form.reward[form.event], actor, legal, form.legal_actions, form.legal_size
    )


def _of_pomdp(form: POMDP) -> EpisodeModel:
    """One player, who may also wait; a legal list is a row of the state's actions."""
    number = {label: k for k, label in enumerate(form.actions)}
    widest = max(map(len, form.legal_sets), default=1)
    action = np.full((max(len(form.legal_sets), 1), max(widest, 1)), -1, np.int64)
    for k, offered in enumerate(form.legal_sets):
        action[k, : len(offered)] = [number[label] for label in offered]
    by_obs = np.array([legal for _, legal in form.observations], np.int64)
    legal = np.full(form.size, -1, np.int64)
    legal[form.next] = np.maximum(by_obs[form.obs], -1)
    live = np.diff(form.row) > 0
    first = form.action[np.minimum(form.row[:-1], len(form.action) - 1)]
    legal[~live | (first == WAIT)] = -1
    reward = np.repeat(form.reward, np.diff(form.out))[:, None]
    wide = np.array([len(offered) for offered in form.legal_sets], np.int64)
    actor = np.where(live, 0, -1)[:, None]
    return _model(form, form.obs[:, None], reward, actor, legal[:, None], action, wide)


def _model(form: Table | POMDP, seen: Any, reward: Any, actor: Any, legal: Any, action: Any, wide: Any) -> EpisodeModel:
    upto = np.cumsum(form.prob)
    before = np.concatenate([[0.0], upto])[form.out[:-1]]
    row, out, after, watched, movers, lists, actions, widths = (
        np.ascontiguousarray(array, np.int64)
        for array in (form.row, form.out, form.next, seen, _ended(form, reward, actor), legal, action, wide)
    )
    prob, paid = np.ascontiguousarray(form.prob, np.float64), np.ascontiguousarray(reward, np.float64)
    upto -= np.repeat(before, np.diff(form.out))
    return EpisodeModel(row, out, after, prob, upto, watched, paid, movers, lists, actions, widths)


def _ended(form: Table | POMDP, reward: Any, actor: Any) -> Any:
    """[S, n] nobody moves where nothing can be paid any more: formats without ends write them so."""
    owner = np.concatenate([[-1], np.repeat(np.arange(form.size), np.diff(form.row))])
    source = np.repeat(owner, np.diff(form.out))
    inner = source >= 0
    paying = np.zeros(form.size, bool)
    paying[source[inner & (reward != 0).any(axis=1)]] = True
    if not inner.any():
        return actor
    lasting = still_paid(paying, source[inner].astype(np.int64), form.next[inner].astype(np.int64))
    return np.where(lasting[:, None], actor, -1)


ROOM = 1024  # keys that a table has room for at first


class NumberedPlayers:
    """Policies whose memories are numbers, one row of numbers for all players; before its first observation each is
    one of its types."""

    def __init__(self, labels: Labels, policies: Sequence[Strategy], sizes: Longs, first: int = 0) -> None:
        self.players = [FixedPlayer(labels, first + k, policy) for k, policy in enumerate(policies)]
        self.sizes, self.met = sizes, list[tuple[int, int, Memory | None]]()  # player, type, memory (None: before)
        self.number: dict[tuple[int, int], int] = {}
        self.types = [[self._add(k, type_, None) for type_ in range(len(p.types))] for k, p in enumerate(self.players)]
        self.begin, self.place, self.chance, self.strays = [0], list[int](), list[float](), list[int]()
        self.choice, self.after = _HashTable(), _HashTable()

    def _add(self, player: int, type_: int, memory: Memory | None) -> int:
        self.met.append((player, type_, memory))
        return len(self.met) - 1

    def _known(self, player: int, memory: Memory) -> int:
        number = self.number.get((player, memory.number))
        if number is None:
            number = self.number[player, memory.number] = self._add(player, memory.type, memory)
        return number

    def answers(self) -> Answers:
        """What was said so far, for kernels."""
        return Answers(
            self.choice.keys,
            self.choice.values,
            self.after.keys,
            self.after.values,
            np.array(self.begin, np.int64),
            np.array(self.place or [0], np.int64),
            np.array(self.chance or [1.0]),
            np.array(self.strays or [0], np.int64),
            self.sizes,
        )

    def answer(self, games: EpisodeStates) -> bool:
        """Answer what games wait for; whether any did."""
        waits = False
        for status, reply, table in ((CHOICE, self._choose, self.choice), (AFTER, self._follow, self.after)):
            keys = np.unique(games.missing[games.status == status])
            if len(keys):
                table.add(keys, np.array([reply(key) for key in keys.tolist()], np.int64))
                waits = True
        return waits

    def _choose(self, key: int) -> int:
        number, legal = divmod(key, int(self.sizes[0]))
        player, type_, memory = self.met[number]
        assert memory is not None
        self.strays.append(int(memory.value == LOST and isinstance(self.players[player].types[type_], Controller)))
        choice = self.players[player].act(memory, legal)
        self.place += choice.places
        self.chance += choice.probs
        self.begin.append(len(self.place))
        return len(self.begin) - 2

    def _follow(self, key: int) -> int:
        (number, action), seen = divmod(key // int(self.sizes[2]), int(self.sizes[1])), key % int(self.sizes[2])
        player, type_, memory = self.met[number]
        if memory is None:
            return self._known(player, self.players[player].begin(seen)[type_][0])
        return self._known(player, self.players[player].update(memory, action - 1, seen))


class _HashTable:
    """Keys with values, twice as much room as there are."""

    def __init__(self) -> None:
        self.keys, self.values = np.full(2 * ROOM, EMPTY, np.int64), np.zeros(2 * ROOM, np.int64)
        self.many = 0

    def add(self, keys: Longs, values: Longs) -> None:
        self.many += len(keys)
        if 2 * self.many > len(self.keys):
            kept, size = self.keys != EMPTY, len(self.keys)
            while 2 * self.many > size:
                size *= 2
            old = self.keys[kept], self.values[kept]
            self.keys, self.values = np.full(size, EMPTY, np.int64), np.zeros(size, np.int64)
            insert_keys(self.keys, self.values, *old)
        insert_keys(self.keys, self.values, keys, values)


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
    players, rows = NumberedPlayers(_labels(form), policies, _sizes(form), first), np.zeros(len(policies), np.int64)
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
