"""Enumerating a game: calling its author once a state and joint action, and giving numbers to what comes back.

Plain Python, since authors write plain Python; so the loop over states keeps everything it calls in local variables.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.contract import (
    no_action,
    ordered,
    require_moderate,
    require_players,
    too_many_outcomes,
    too_many_states,
)
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, GameError, LimitError, brief, raised
from fogbound.core.game import AnyGame, Game, Outcome
from fogbound.core.memory import Cost, object_bytes
from fogbound.forms.arrays import offsets, ranges
from fogbound.forms.columns import EnumeratedGame, Event, TableColumns, event_columns, padded_lists
from fogbound.forms.replay import full_event

LOOK_UP = 32  # states between two looks at whether to stop: an author's steps may be slow
ENTRY, ROW = 250, 64  # bytes of a state and of a row, beside labels
SECONDS_EACH = 7e-6  # row
FIRST = 0  # the first kind of row is the start
OUTCOMES_PER_STATE = 100  # a table may hold this many outcomes for each state that its limit allows


GROWING = ("kind", "next", "event", "wide", "wide_size", "prob")  # columns of a `RowBuilder`
BATCH = 1 << 16  # rows that may wait in lists
MOST_OUTCOMES = 2**31 - 1  # columns are of 32 bits


def most_outcomes(limit: int) -> int:
    """How many outcomes a table of at most `limit` states may hold."""
    return min(OUTCOMES_PER_STATE * limit, MOST_OUTCOMES)


def _references() -> int:
    """What `sys.getrefcount` says of a distribution that nobody has but one variable."""
    lone: Dist[Any] = Dist(())
    return sys.getrefcount(lone)


ALONE = _references()


class RowBuilder:
    """Growing columns: `kind` says of each row which of the different lots of outcomes it leads to.

    Most kinds have one outcome, which is certain: the others are kept apart. New values are appended to lists, which
    is fast, and moved to arrays now and then, which are small.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.batch = min(BATCH, self.most)  # rows after which `overfull` must be asked
        self.kind: list[int] = []
        self.next: list[int] = []
        self.event: list[int] = []
        self.kind_of: dict[int, int] = {}  # the kind of a distribution by its identity
        self.held: list[Dist[Any]] = []  # keeps them alive, so that an identity stays theirs
        self.wide: list[int] = []  # kinds with several outcomes
        self.wide_size: list[int] = []  # how many
        self.prob: list[float] = []  # how likely each is
        self._moved = {name: array("d" if name == "prob" else "i") for name in GROWING}
        self._outcomes = 0  # of the rows that were moved

    def __len__(self) -> int:
        return len(self._moved["kind"]) + len(self.kind)

    def hold(self, dist: Dist[Any], kind: int) -> None:
        """Remember what a distribution came to, which its author may hand out again."""
        self.kind_of[id(dist)] = kind
        self.held.append(dist)

    def widen(self, kind: int, prob: list[float]) -> None:
        """Note that a new kind has several outcomes, and how likely each is."""
        self.wide.append(kind)
        self.wide_size.append(len(prob))
        self.prob += prob
        if len(prob) * self.batch > self.most:
            self.batch = self.most // len(prob)

    def _widths(self) -> NDArray[np.int32]:
        """[kind] How many outcomes each has, after all was moved."""
        wide, size, moved = self._moved["wide"], _view(self._moved["wide_size"]), len(self._moved["next"])
        width = np.ones(moved - int(size.sum()) + len(wide), np.int32)
        width[_view(wide)] = size
        return width

    def overfull(self) -> bool:
        """Whether there are more outcomes than allowed; what is in the lists is moved on the way."""
        rows = len(self._moved["kind"])
        for name, moved in self._moved.items():
            column = getattr(self, name)
            moved.fromlist(column)
            column.clear()
        self._outcomes += int(self._widths()[_view(self._moved["kind"])[rows:]].sum())
        return self._outcomes > self.most

    def columns(self) -> dict[str, Any]:
        """All rows written out, one after the other: the columns of `Table` of these names."""
        self.overfull()
        self.kind_of.clear()
        self.held.clear()
        kind, next_, event, wide, size, likely = (_view(self._moved[name]) for name in GROWING)
        width = self._widths()
        first, prob = offsets(width).astype(np.int32), np.ones(len(next_))
        prob[ranges(first[wide], size)] = likely
        if len(kind) == len(width):  # nothing came again
            return {"out": first, "next": next_, "event": event, "prob": prob}
        out = offsets(width[kind]).astype(np.int32)
        outcome = ranges(first[kind], width[kind]) if len(wide) else kind
        return {"out": out, "next": next_[outcome], "event": event[outcome], "prob": prob[outcome]}


def _view(column: array[Any]) -> NDArray[Any]:
    """A column without a copy. As long as somebody holds it the column cannot grow."""
    kind = np.float64 if column.typecode == "d" else np.int32
    return np.frombuffer(column, kind) if len(column) else np.empty(0, kind)


class Enumeration:
    """The builder's work space: id tables and growing columns."""

    def __init__(self, game: AnyGame, limit: int) -> None:
        require_players(game)
        self.game, self.limit, self.n = game, limit, len(game.players)
        plain = type(game).canonical is Game.canonical
        self.canonical = None if plain else game.canonical
        self.states: list[Any] = []
        self.state_ids: dict[Hashable, int] = {}
        self.actor_set_ids: dict[tuple[int, ...], int] = {(): 0}
        self.legal_ids: dict[tuple[Hashable, ...], int] = {}
        self.legal_sets: list[tuple[Hashable, ...]] = []
        self.solo: list[
            list[tuple[Hashable, ...]]
        ] = []  # per list of legal actions: these as joint actions of one actor
        self.event_ids: dict[tuple[Any, ...], int] = {}  # as the author wrote them
        self.events: dict[Event, int] = {}  # in full: what is paid to and seen by each player
        self.actor_set_of: list[int] = []
        self.rows = RowBuilder(most_outcomes(limit))
        self.add_next, self.add_event = self.rows.next.append, self.rows.event.append
        self.known_state = self.state_ids.get if plain else _unknown

    def run(self) -> EnumeratedGame:
        """Walk over all states; the columns of the table, the numbers of states and of events."""
        return EnumeratedGame(self._columns(*self._states()), self.state_ids, self.events)

    def _states(self) -> tuple[list[int], list[int], list[int]]:
        """Breadth first over states; `self.states` grows while it is walked."""
        game, where = self.game, "start()"
        actor_set_of = self.actor_set_of
        legal_of: list[int] = []  # of every actor of every state: numbers alone are nothing to the collector
        rows = [1]
        state: Any = None
        try:
            self._outcomes(FIRST, game.start(), None, None)
            actors, actions, step, outcomes = game.actors, game.actions, game.step, self._outcomes
            actor_set_ids, legal_ids, solo, builder = self.actor_set_ids, self.legal_ids, self.solo, self.rows
            kind_of, added, references, alone, kinds = builder.kind_of, builder.kind, sys.getrefcount, ALONE, 1
            add = added.append
            add(FIRST)
            for state in self.states:
                if not len(rows) % LOOK_UP:
                    check()
                where = "actors"
                actor_set = actors(state)
                number = actor_set_ids.get(actor_set)
                if number is None:
                    number = self._new_actor_set(actor_set, state)
                actor_set_of.append(number)
                if number == 0:
                    rows.append(rows[-1])
                    continue
                for player in actor_set:
                    where = "actions"
                    offered = actions(state, player)
                    if type(offered) is not tuple:
                        offered = ordered(game, offered, state)
                    legal = legal_ids.get(offered)
                    if legal is None:
                        legal = self._new_legal(offered, state, player)
                    legal_of.append(legal)
                where = "step"
                joints = solo[legal_of[-1]] if len(actor_set) == 1 else self._joints(legal_of[-len(actor_set) :])
                for joint in joints:
                    dist = step(state, joint)
                    if references(dist) > alone:  # the author holds it as well, and may hand it out again
                        again = kind_of.get(id(dist))
                        if again is not None:
                            add(again)
                            continue
                        builder.hold(dist, kinds)
                    outcomes(kinds, dist, state, joint)
                    add(kinds)
                    kinds += 1
                rows.append(rows[-1] + len(joints))
                if len(added) > builder.batch:
                    self._require_room()
        except FogboundError:
            raise
        except Exception as error:
            at = f" at state {brief(state)}" if state is not None else ""
            raise GameError(f"{game}: {where} raised {raised(error)}{at}") from error
        return actor_set_of, legal_of, rows

    @property
    def each(self) -> Cost:
        """What a state takes: an entry in a list and a dict, its label, its rows and outcomes while they grow."""
        rows = len(self.rows) / max(1, len(self.actor_set_of))
        sample = self.states[:: 1 + len(self.states) // LOOK_UP]
        label = sum(map(object_bytes, sample)) / max(1, len(sample))
        return Cost(ENTRY + 1.5 * label + ROW * rows, SECONDS_EACH * (1 + rows))

    def _require_room(self) -> None:
        if self.rows.overfull():
            raise too_many_outcomes(str(self.game), self.rows.most, self.limit, self.each)

    def _joints(self, legal_sets: list[int]) -> list[tuple[Hashable, ...]]:
        """All joint actions of several movers, counted before they are listed."""
        many = math.prod(len(self.legal_sets[m]) for m in legal_sets)
        if many + len(self.rows) > self.rows.most:
            raise LimitError(
                f"{self.game}: {many:,} joint actions in one state, over what a limit of {self.limit:,} states allows. "
                "Raise limit=, or use a solver that only samples"
            )
        return list(product(*(self.legal_sets[m] for m in legal_sets)))

    def _outcomes(self, kind: int, dist: Dist[Any], state: Any, joint: Any) -> None:
        """The outcomes of one row: ids for states and events, equal outcomes merged, impossible ones dropped."""
        if not isinstance(dist, Dist):
            raise GameError(f"{self.game}: found {brief(dist)}, expected a Dist of Outcomes, {_where(state, joint)}")
        pairs = dist.pairs
        if len(pairs) == 1 and pairs[0][1] == 1.0:
            outcome = pairs[0][0]
            successor = self.known_state(outcome.state)
            self.add_next(self._new_state(outcome.state) if successor is None else successor)
            key = (outcome.rewards, outcome.public, outcome.private)
            event = self.event_ids.get(key)
            self.add_event(self._new_event(key, state, joint) if event is None else event)
            return
        fault = dist.fault()
        if fault:
            raise GameError(f"{self.game}: found {fault}, {_where(state, joint)}")
        merged: dict[tuple[int, int], float] = {}
        known_event, known_state = self.event_ids.get, self.known_state
        for outcome, p in pairs:
            if p > 0:
                key = (outcome.rewards, outcome.public, outcome.private)
                event = known_event(key)
                if event is None:
                    event = self._new_event(key, state, joint)
                successor = known_state(outcome.state)
                pair = (self._new_state(outcome.state) if successor is None else successor, event)
                merged[pair] = merged.get(pair, 0.0) + p
        total = math.fsum(merged.values())  # 1 up to rounding, which must not add up over a long game
        for successor, event in merged:
            self.add_next(successor)
            self.add_event(event)
        if len(merged) > 1:
            self.rows.widen(kind, [p / total for p in merged.values()])

    def _new_state(self, state: Any) -> int:
        """The number of a state that is not known as the author wrote it."""
        if self.canonical:
            state = self.canonical(state)
            number = self.state_ids.get(state)
            if number is not None:
                return number
        number = self.state_ids[state] = len(self.states)
        self.states.append(state)
        if number >= self.limit:
            raise too_many_states(str(self.game), self.limit, self.each)
        return number

    def _new_actor_set(self, actor_set: Any, state: Any) -> int:
        if not isinstance(actor_set, tuple) or list(actor_set) != sorted(set(actor_set) & set(range(self.n))):
            raise GameError(
                f"{self.game}: actors is {brief(actor_set)} at state {brief(state)}, expected a tuple of different "
                f"players from 0 to {self.n - 1} in increasing order"
            )
        self.actor_set_ids[actor_set] = len(self.actor_set_ids)
        return self.actor_set_ids[actor_set]

    def _new_legal(self, offered: tuple[Hashable, ...], state: Any, player: int) -> int:
        if not offered:
            raise GameError(no_action(self.game, player, state))
        if len(set(offered)) != len(offered):
            raise GameError(f"{self.game}: actions {brief(offered)} at state {brief(state)} hold one action twice")
        self.legal_sets.append(offered)
        self.solo.append([(action,) for action in offered])
        self.legal_ids[offered] = len(self.legal_sets) - 1
        return len(self.legal_sets) - 1

    def _new_event(self, key: tuple[Any, ...], state: Any, joint: Any) -> int:
        rewards, _, private = key
        for name, value in (("rewards", rewards), ("private", private)):
            if not isinstance(value, tuple) or len(value) not in (0, self.n):
                length = f"{len(value)} entries" if isinstance(value, Sequence) else brief(value)
                raise GameError(
                    f"{self.game}: {name} {brief(value)} has {length}, expected a tuple with one a player "
                    f"({self.n}) or (), {_where(state, joint)}"
                )
        if not all(isinstance(r, int | float) and math.isfinite(r) for r in rewards):
            raise GameError(f"{self.game}: rewards {brief(rewards)}, expected finite numbers, {_where(state, joint)}")
        require_moderate(self.game, max(map(abs, rewards), default=0.0))
        full = full_event(Outcome(state, *key), self.n)
        number = self.event_ids[key] = self.events.setdefault(full, len(self.events))
        return number

    def _columns(self, actor_set_of: list[int], legal_of: list[int], rows: list[int]) -> TableColumns:
        action_ids: dict[Hashable, int] = {}
        legal_sets = [[action_ids.setdefault(a, len(action_ids)) for a in legal] for legal in self.legal_sets]
        seen, observations = event_columns(list(self.events), self.n)
        actor_set, actor_set_players = np.array(actor_set_of, np.int32), padded_lists(list(self.actor_set_ids))
        legal = actor_set_players[actor_set]
        legal[legal >= 0] = legal_of
        return TableColumns(
            spec=str(self.game),
            players=tuple(self.game.players),
            discount=float(self.game.discount),
            actor_set=actor_set,
            actor_set_players=actor_set_players,
            actor_set_size=np.array([len(c) for c in self.actor_set_ids], np.int32),
            legal=legal,
            legal_actions=padded_lists(legal_sets),
            legal_size=np.array([len(m) for m in legal_sets], np.int32),
            row=np.array(rows, np.int32),
            **self.rows.columns(),
            reward=np.array([rewards for rewards, _, _ in self.events], np.float64).reshape(-1, self.n),
            seen=seen,
            states=self.states,
            actions=list(action_ids),
            observations=observations,
        )


def _unknown(_state: Any) -> int | None:
    """For games whose states must be made canonical before they can be looked up."""
    return None


def _where(state: Any, joint: Any) -> str:
    return "in start()" if joint is None else f"after {brief(joint)} at state {brief(state)}"
