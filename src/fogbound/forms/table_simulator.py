"""A table as a simulator: states, actions, lists of legal actions, observations and events are its numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.core.game import AnyGame, Observation
from fogbound.core.simulator import Branch, RuleSimulator, Simulator
from fogbound.forms.table import START, Table

WAIT = -1  # stands for an action in a step in which a player does not move


class TableSimulator:
    """Steps by reading a table; what was read is kept as plain lists, which are much faster to read again."""

    waiting = WAIT

    def __init__(self, table: Table) -> None:
        self.table, self.spec, self.players = table, table.spec, table.players
        self._labels: dict[int, tuple[Hashable, ...]] = {}
        self._states: dict[int, tuple[tuple[int, ...], list[int]]] = {}  # actors, and the list of each
        self._rows: dict[int, list[Branch]] = {}
        self._size, self._actions = table.legal_size.tolist(), table.legal_actions.tolist()
        self._events: dict[int, tuple[list[int], list[float]]] = {}  # what each player sees, and is paid

    def start(self) -> list[Branch]:
        return self._row(START)

    def actors(self, state: int) -> tuple[int, ...]:
        return (self._states.get(state) or self._state(state))[0]

    def legal(self, state: int) -> list[int]:
        return (self._states.get(state) or self._state(state))[1]

    def actions(self, legal: int) -> list[int]:
        found: list[int] = self._actions[legal]
        size: int = self._size[legal]
        return found if len(found) == size else found[:size]

    def step(self, state: int, legal: Sequence[int], joint: Sequence[int]) -> list[Branch]:
        """Rows of a state are its joint moves in mixed radix, the last actor the fastest."""
        place = 0
        for offered, move in zip(legal, joint):
            place = place * self._size[offered] + move
        row = int(self.table.row[state]) + place
        return self._rows.get(row) or self._row(row)

    def observed(self, event: int, player: int) -> int:
        return (self._events.get(event) or self._event(event))[0][player]

    def paid(self, event: int) -> list[float]:
        return (self._events.get(event) or self._event(event))[1]

    def state_label(self, state: int) -> Hashable:
        return self.table.states[state]

    def legal_labels(self, legal: int) -> tuple[Hashable, ...]:
        found = self._labels.get(legal)
        if found is None:
            found = self._labels[legal] = self.table.legal_labels(legal)
        return found

    def action_label(self, action: int) -> Hashable | None:
        return None if action == WAIT else self.table.actions[action]

    def observation_label(self, player: int, seen: int) -> Observation:
        return self.table.observations[player][seen]

    def _state(self, state: int) -> tuple[tuple[int, ...], list[int]]:
        table = self.table
        actor_set = table.actor_set[state]
        size = int(table.actor_set_size[actor_set])
        found = tuple(table.actor_set_players[actor_set, :size].tolist()), table.legal[state, :size].tolist()
        self._states[state] = found
        return found

    def _event(self, event: int) -> tuple[list[int], list[float]]:
        found = self._events[event] = (self.table.seen[event].tolist(), self.table.pay[event].tolist())
        return found

    def _row(self, row: int) -> list[Branch]:
        table = self.table
        part = slice(int(table.out[row]), int(table.out[row + 1]))
        found = list(zip(table.next[part].tolist(), table.event[part].tolist(), table.prob[part].tolist()))
        self._rows[row] = found
        return found


def simulator(source: AnyGame | Table) -> Simulator:
    """What steps through a game: its arrays where there are any, else its rules."""
    return TableSimulator(source) if isinstance(source, Table) else RuleSimulator(source)
