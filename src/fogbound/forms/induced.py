"""A game in which some players are fixed: states paired with what those players remember.

With one player left free this is a POMDP for that player; with none left it is a Markov chain. A player of
unknown type (a mixture) is a fixed player whose type is drawn at the start and remembered.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import product as combinations
from typing import Any

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, PolicyError, brief
from fogbound.core.policy import AnyPolicy, Strategy, kinds
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.table import START, Table

MOST_POINTS = 200_000
LOOK_UP = 256  # points between two looks at whether to stop
WAIT = -1  # the free player's action in a step in which it does not move


@dataclass(frozen=True, eq=False)
class InducedModel:
    """P points (state, memories), R rows (my actions), O outcomes. Row 0 is the start."""

    table: Table = field(repr=False)
    player: int | None
    point: Ints  # [P, 1+n] table state, then each fixed player's memory id (-1 for the free one)
    row: Ints  # [P+1]
    action: Ints  # [R] my action label, or WAIT
    out: Ints  # [R+1]
    next: Ints  # [O]
    seen: Ints  # [O] what I see (0 when nobody is free)
    prob: Floats  # [O]
    pay: Floats  # [R, n] expected pay of the row
    fixed: dict[int, FixedPlayer] = field(repr=False)  # the fixed players: memory ids back to (type, memory) values

    @property
    def size(self) -> int:
        return len(self.point)


class FixedPlayer:
    """One fixed player with its memories numbered, its acts and updates asked once each."""

    def __init__(self, table: Table, player: int, policy: Strategy) -> None:
        self.table, self.player = table, player
        self.types: list[AnyPolicy] = []
        self.prior: list[float] = []
        for kind, p in kinds(policy):
            if p > 0:
                self.types.append(kind)
                self.prior.append(p)
        self.ids: dict[tuple[int, Hashable], int] = {}
        self.memories: list[tuple[int, Any]] = []
        self.first: dict[int, list[tuple[int, float]]] = {}
        self.acts: dict[tuple[int, int], list[tuple[int, float]]] = {}
        self.after: dict[tuple[int, int, int], int] = {}

    def _number(self, kind: int, memory: Any) -> int:
        number = self.ids.get((kind, memory))
        if number is None:
            number = self.ids[kind, memory] = len(self.memories)
            self.memories.append((kind, memory))
        return number

    def begin(self, seen: int) -> list[tuple[int, float]]:
        """The memories it may start with, one a type."""
        found = self.first.get(seen)
        if found is None:
            observation = self.table.observations[self.player][seen]
            types = enumerate(zip(self.types, self.prior))
            found = self.first[seen] = [(self._number(k, t.begin(observation)), p) for k, (t, p) in types]
        return found

    def act(self, memory: int, legal: int) -> list[tuple[int, float]]:
        """(move in the menu, probability) pairs with positive probability."""
        found = self.acts.get((memory, legal))
        if found is None:
            kind, value = self.memories[memory]
            found = self.acts[memory, legal] = moves(self.types[kind], value, self.table.legal_labels(legal))
        return found

    def update(self, memory: int, action: int, seen: int) -> int:
        """The memory after a step; `action` is a label id or WAIT."""
        found = self.after.get((memory, action, seen))
        if found is None:
            kind, value = self.memories[memory]
            label = None if action == WAIT else self.table.actions[action]
            value = self.types[kind].update(value, label, self.table.observations[self.player][seen])
            found = self.after[memory, action, seen] = self._number(kind, value)
        return found


def moves(policy: AnyPolicy, memory: Any, actions: tuple[Hashable, ...]) -> list[tuple[int, float]]:
    """What `policy` does among `actions`: (place, probability) pairs, checked to be a distribution over them."""
    dist = policy.act(memory, actions)
    fault = dist.fault()
    if fault:
        raise PolicyError(f"{type(policy).__name__}: found {fault}, when asked to choose from {brief(actions)}")
    chosen: dict[int, float] = {}
    for action, p in dist:
        if p > 0:
            if action not in actions:
                raise PolicyError(f"{type(policy).__name__} plays {brief(action)}, expected one of {brief(actions)}")
            place = actions.index(action)
            chosen[place] = chosen.get(place, 0.0) + p
    return sorted(chosen.items())


def induced(table: Table, fixed: Mapping[int, Strategy], limit: int = MOST_POINTS) -> InducedModel:
    """Explore all (state, memories) that can occur when the players in `fixed` play as given."""
    n = len(table.players)
    free = [i for i in range(n) if i not in fixed]
    if len(free) > 1 or any(not 0 <= i < n for i in fixed):
        given = ", ".join(str(i) for i in sorted(fixed)) or "none"
        raise FormError(f"{table.spec}: policies are given for players {given}, expected all or all but one of {n}")
    return _Exploration(table, free[0] if free else None, fixed, limit).run()


class _Exploration:
    def __init__(self, table: Table, player: int | None, fixed: Mapping[int, Strategy], limit: int) -> None:
        self.table, self.player, self.limit = table, player, limit
        self.fixed = [(i, FixedPlayer(table, i, policy)) for i, policy in sorted(fixed.items())]
        self.n = len(table.players)
        self.points: list[tuple[int, ...]] = []
        self.ids: dict[tuple[int, ...], int] = {}
        self.rows, self.action, self.out, self.pay = [1], [WAIT], [0], [[0.0] * self.n]
        self.next: list[int] = []
        self.seen: list[int] = []
        self.prob: list[float] = []
        # plain lists: indexing numpy scalars one by one would triple the time
        self.events = table.event.tolist()
        self.table_next, self.table_prob = table.next.tolist(), table.prob.tolist()
        self.observations, self.pays = table.seen.tolist(), table.pay.tolist()
        self.table_out, self.table_row = table.out.tolist(), table.row.tolist()
        self.over = (table.actor_set == 0).tolist()

    def run(self) -> InducedModel:
        self._start()
        for point in self.points:
            if not len(self.rows) % LOOK_UP:
                check()
            self._expand(point)
            self.rows.append(len(self.action))
        return InducedModel(
            table=self.table,
            player=self.player,
            point=np.array(self.points, np.int32).reshape(-1, 1 + self.n),
            row=np.array(self.rows, np.int32),
            action=np.array(self.action, np.int32),
            out=np.array(self.out, np.int32),
            next=np.array(self.next, np.int32),
            seen=np.array(self.seen, np.int32),
            prob=np.array(self.prob),
            pay=np.array(self.pay),
            fixed=dict(self.fixed),
        )

    def _point(self, point: tuple[int, ...]) -> int:
        number = self.ids.get(point)
        if number is None:
            number = self.ids[point] = len(self.points)
            self.points.append(point)
            if number >= self.limit:
                raise LimitError(
                    f"{self.table.spec}: more than {self.limit:,} pairs of a state and what the fixed players "
                    "remember. Raise limit=, or give policies with fewer memories (a smaller controller)"
                )
        return number

    def _start(self) -> None:
        merged: dict[tuple[int, int], float] = {}
        for o in range(self.table_out[START], self.table_out[START + 1]):
            event = self.events[o]
            starts = [fixed.begin(self.observations[event][i]) for i, fixed in self.fixed]
            for drawn in combinations(*starts):
                p = self.table_prob[o]
                for _, chance in drawn:
                    p *= chance
                self._arrive(o, [memory for memory, _ in drawn], p, merged, self.pay[0])
        self._close(merged)

    def _expand(self, point: tuple[int, ...]) -> None:
        """All rows of one point: my actions (or waiting) against what the fixed players may do."""
        table, state = self.table, point[0]
        actor_set = table.actor_set[state]
        actors = table.actor_set_players[actor_set, : table.actor_set_size[actor_set]].tolist()
        if not actors:
            return
        legal_sets = table.legal[state].tolist()
        chosen: dict[int, list[tuple[int, float]]] = {}
        for i, fixed in self.fixed:
            if i in actors:
                chosen[i] = fixed.act(point[1 + i], legal_sets[actors.index(i)])
        mine = range(table.legal_size[legal_sets[actors.index(self.player)]]) if self.player in actors else (None,)
        for move in mine:
            options = [chosen.get(i, [(move, 1.0)]) for i in actors]
            merged: dict[tuple[int, int], float] = {}
            pay = [0.0] * self.n
            for joint in combinations(*options):
                self._step(point, actors, legal_sets, joint, merged, pay)
            self.action.append(
                WAIT if move is None else int(table.legal_actions[legal_sets[actors.index(self.player)], move])
            )
            self.pay.append(pay)
            self._close(merged)

    def _step(self, point: Any, actors: Any, legal_sets: Any, joint: Any, merged: Any, pay: list[float]) -> None:
        """One joint move: its row in the table, its outcomes, the fixed players' memories after it."""
        table, place, p = self.table, 0, 1.0
        labels = {}
        for i, legal, (move, chance) in zip(actors, legal_sets, joint):
            place = place * int(table.legal_size[legal]) + move
            p *= chance
            labels[i] = int(table.legal_actions[legal, move])
        row = self.table_row[point[0]] + place
        for o in range(self.table_out[row], self.table_out[row + 1]):
            observations = self.observations[self.events[o]]
            after = []
            if not self.over[self.table_next[o]]:  # once the game is over nobody need remember
                after = [f.update(point[1 + i], labels.get(i, WAIT), observations[i]) for i, f in self.fixed]
            self._arrive(o, after, p * self.table_prob[o], merged, pay)

    def _arrive(
        self, o: int, memories: list[int], p: float, merged: dict[tuple[int, int], float], pay: list[float]
    ) -> None:
        point = [self.table_next[o]] + [-1] * self.n
        for (i, _), memory in zip(self.fixed, memories):
            point[1 + i] = memory
        event = self.events[o]
        key = (self._point(tuple(point)), 0 if self.player is None else self.observations[event][self.player])
        merged[key] = merged.get(key, 0.0) + p
        for i, amount in enumerate(self.pays[event]):
            pay[i] += p * amount

    def _close(self, merged: dict[tuple[int, int], float]) -> None:
        for (point, seen), p in merged.items():
            self.next.append(point)
            self.seen.append(seen)
            self.prob.append(p)
        self.out.append(len(self.next))
