"""A table as a simulator: states, actions, lists of legal actions, observations and events are its numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import AnyGame, Observation
from fogbound.core.simulator import Branch, GameSimulator, RuleSimulator
from fogbound.forms.table import START, Table

WAIT = -1  # stands for an action in a step in which a player does not move


class TableSimulator:
    """Steps by reading a table, through memory views: they copy nothing and give plain numbers, which is fast."""

    waiting = WAIT

    def __init__(self, table: Table) -> None:
        self.table, self.spec, self.players = table, table.spec, table.players
        self._row, self._out, self._next, self._event, self._prob, self._actor_set = map(
            _flat, (table.row, table.out, table.next, table.event, table.prob, table.actor_set)
        )
        self._legal, self._width = _flat(table.legal), table.legal.shape[1]
        self._seen, self._reward = _flat(table.seen), _flat(table.reward)
        sets = zip(table.actor_set_players.tolist(), table.actor_set_size.tolist())
        self._actors = [tuple(players[:size]) for players, size in sets]
        lists = zip(table.legal_actions.tolist(), table.legal_size.tolist())
        self._actions = [tuple(actions[:size]) for actions, size in lists]
        self._labels: dict[int, tuple[Hashable, ...]] = {}
        self._rows: dict[int, list[Branch]] = {}  # several memories meet the same state

    def start(self) -> list[Branch]:
        return self._branches(START)

    def actors(self, state: int) -> tuple[int, ...]:
        actors: tuple[int, ...] = self._actors[self._actor_set[state]]
        return actors

    def legal(self, state: int, actors: tuple[int, ...]) -> list[int]:
        first = state * self._width
        legal_sets: list[int] = self._legal[first : first + len(actors)].tolist()
        return legal_sets

    def actions(self, legal: int) -> tuple[int, ...]:
        return self._actions[legal]

    def step(self, state: int, legal: Sequence[int], joint: Sequence[int]) -> list[Branch]:
        """Rows of a state are its joint moves in mixed radix, the last actor the fastest."""
        place = 0
        for offered, move in zip(legal, joint):
            place = place * len(self._actions[offered]) + move
        row = self._row[state] + place
        return self._rows.get(row) or self._branches(row)

    def _branches(self, row: int) -> list[Branch]:
        part = slice(self._out[row], self._out[row + 1])
        branches = self._rows[row] = list(zip(self._next[part], self._event[part], self._prob[part]))
        return branches

    def observed(self, event: int, player: int) -> int:
        number: int = self._seen[event * len(self.players) + player]
        return number

    def paid(self, event: int) -> list[float]:
        first = event * len(self.players)
        rewards: list[float] = self._reward[first : first + len(self.players)].tolist()
        return rewards

    def state_label(self, state: int) -> Hashable:
        return self.table.states[state]

    def legal_labels(self, legal: int) -> tuple[Hashable, ...]:
        labels = self._labels.get(legal)
        if labels is None:
            labels = self._labels[legal] = self.table.legal_labels(legal)
        return labels

    def action_label(self, action: int) -> Hashable | None:
        return None if action == WAIT else self.table.actions[action]

    def observation_label(self, player: int, seen: int) -> Observation:
        return self.table.observations[player][seen]


def _flat(column: NDArray[Any]) -> Any:
    return memoryview(np.ascontiguousarray(column).ravel())  # type: ignore[arg-type]


def simulator(source: AnyGame | Table) -> GameSimulator:
    """What steps through a game: its arrays where there are any, else its rules."""
    return TableSimulator(source) if isinstance(source, Table) else RuleSimulator(source)
