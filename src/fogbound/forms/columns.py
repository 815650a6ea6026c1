"""The columns of a table, and the same table numbered anew, as if its states were found breadth first: those that can
be reached, or those of a game cut off after some steps. Arrays alone are walked, and the result is what calling the
rules would have given.

Cut off, a state is (steps left, state): layers of the same table, each as large as what can be reached at that time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.contract import too_many_outcomes, too_many_states
from fogbound.core.game import Observation
from fogbound.core.memory import Cost, object_bytes
from fogbound.forms.arrays import Floats, Ints, Longs, offsets, ranges

SECONDS_EACH = 2e-7  # outcome


Event = tuple[tuple[float, ...], Hashable, tuple[Hashable, ...]]  # what everybody is paid, what all see, what each sees


@dataclass(frozen=True, eq=False, repr=False)
class TableColumns:
    """The fields of `Table`, whose docstring says what they hold."""

    spec: str
    players: tuple[str, ...]
    discount: float
    actor_set: Ints  # [S]
    actor_set_players: Ints  # [C, W]
    actor_set_size: Ints  # [C]
    legal: Ints  # [S, W]
    legal_actions: Ints  # [M, K]
    legal_size: Ints  # [M]
    row: Ints  # [S+1]
    out: Ints  # [R+1]
    next: Ints  # [O]
    event: Ints  # [O]
    prob: Floats  # [O]
    reward: Floats  # [E, n]
    seen: Ints  # [E, n]
    states: Sequence[Hashable] = field(repr=False)
    actions: list[Hashable] = field(repr=False)
    observations: tuple[list[Observation], ...] = field(repr=False)

    def legal_labels(self, legal: int) -> tuple[Hashable, ...]:
        """The actions of a list of legal ones, as the author wrote them."""
        return tuple(self.actions[a] for a in self.legal_actions[legal, : self.legal_size[legal]])


C = TypeVar("C", bound=TableColumns)


class Numbers(Protocol):
    """The numbers of states, by what the author wrote."""

    def get(self, state: Any, /) -> int | None: ...


class EnumeratedGame(NamedTuple):
    """What an enumeration finds: the columns of a table, the numbers of states, those of events."""

    columns: TableColumns
    states: Numbers
    events: Mapping[Event, int]


class _Walk(NamedTuple):
    """States in the order in which they are found."""

    state: Longs  # [S] which of the given table's it is
    live: NDArray[np.bool_]  # [S] whether play goes on
    next: Longs  # [O] what follows, in these numbers, outcome by outcome: those of the start, then those of live states
    labels: list[Hashable]  # [S]


def reached(table: C, limit: int, most: int) -> C:
    """The table of what can be reached, numbered breadth first; LimitError over `limit` states or `most` outcomes."""
    number, found, layers = np.full(len(table.actor_set), -1), 0, list[Longs]()
    layer = _first_met(table.next[: table.out[1]])
    while len(layer):
        check()
        number[layer] = found + np.arange(len(layer))
        found += len(layer)
        if found > limit:
            raise too_many_states(table.spec, limit, array_cost(table))
        layers.append(layer)
        to = table.next[_outcomes(table, layer)]
        layer = _first_met(to[number[to] < 0])
    state = np.concatenate([np.zeros(0, np.int64), *layers])
    following = number[np.concatenate([table.next[: table.out[1]], table.next[_outcomes(table, state)]])]
    walk = _Walk(state, np.ones(len(state), bool), following, [table.states[s] for s in state.tolist()])
    return _numbered(table, walk, limit, most)


def cut_off(table: C, steps: int, limit: int, most: int) -> C:
    """The table of the same game, over after `steps` steps: a state is (steps left, state)."""
    to = table.next[: table.out[1]]
    layer = _first_met(to)
    layers, following, found = [layer], [_places(table, layer, to)], len(layer)
    for _ in range(steps):
        check()
        to = table.next[_outcomes(table, layer)]
        layer = _first_met(to)
        layers.append(layer)
        following.append(found + _places(table, layer, to))
        found += len(layer)
        if found > limit:
            raise too_many_states(table.spec, limit, array_cost(table))
        if sum(map(len, following)) > most:
            raise too_many_outcomes(table.spec, most, limit, array_cost(table))
    state = np.concatenate(layers)
    left = np.repeat(steps - np.arange(len(layers)), [len(layer) for layer in layers])
    labels: list[Hashable] = [(k, table.states[s]) for k, s in zip(left.tolist(), state.tolist())]
    return _numbered(table, _Walk(state, left > 0, np.concatenate(following), labels), limit, most)


def array_cost(table: TableColumns) -> Cost:
    """What a state takes that is numbered anew: its share of the columns, twice, and a label."""
    states = max(1, len(table.actor_set))
    columns = (table.actor_set, table.legal, table.row, table.out, table.next, table.event, table.prob)
    label = 2 * object_bytes(table.states[0]) if len(table.states) else 0
    return Cost(2 * sum(column.nbytes for column in columns) / states + label, SECONDS_EACH * len(table.next) / states)


def _first_met(column: Ints) -> Longs:
    """The different numbers of a column, in the order in which each is first met."""
    unique, first = np.unique(column, return_index=True)
    return unique[np.argsort(first)].astype(np.int64)


def _places(table: TableColumns, met: Longs, column: Ints) -> Longs:
    """Where each state of a column stands among those that were met."""
    place = np.empty(len(table.actor_set), np.int64)
    place[met] = np.arange(len(met))
    return place[column]


def _rows(table: TableColumns, state: Longs) -> Longs:
    """The rows of some states, one after the other."""
    return ranges(table.row[state].astype(np.int64), table.row[state + 1] - table.row[state])


def _outcomes(table: TableColumns, state: Longs) -> Longs:
    """The outcomes of all rows of some states, one after the other."""
    rows = _rows(table, state)
    return ranges(table.out[rows].astype(np.int64), table.out[rows + 1] - table.out[rows])


def _numbered(table: C, walk: _Walk, limit: int, most: int) -> C:
    """The table of the states that were found; all else is numbered in the order in which it is first met."""
    live = walk.state[walk.live]
    outcome = np.concatenate([np.arange(table.out[1], dtype=np.int64), _outcomes(table, live)])
    if len(outcome) > most:
        raise too_many_outcomes(table.spec, most, limit, array_cost(table))
    rows = np.concatenate([[0], _rows(table, live)])
    many = np.zeros(len(walk.state), np.int64)
    many[walk.live] = table.row[live + 1] - table.row[live]
    events, event = renumbered(table.event[outcome])
    seen, observations = _seen(table, events)
    return replace(
        table,
        **_decisions(table, walk),
        row=(1 + offsets(many)).astype(np.int32),
        out=offsets(table.out[rows + 1] - table.out[rows]).astype(np.int32),
        next=walk.next.astype(np.int32),
        event=event,
        prob=table.prob[outcome],
        reward=table.reward[events],
        seen=seen,
        states=walk.labels,
        observations=observations,
    )


def renumbered(column: Ints) -> tuple[Longs, Ints]:
    """The different numbers in the order in which they are met, and the column in terms of those."""
    unique, first, which = np.unique(column, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return unique[order].astype(np.int64), rank[which.ravel()]


def _seen(table: TableColumns, events: Longs) -> tuple[Ints, tuple[list[Observation], ...]]:
    """What each player sees of each event, and what the numbers stand for."""
    columns, observations = [], []
    for player, labels in enumerate(table.observations):
        met, column = renumbered(table.seen[events, player])
        columns.append(column)
        observations.append([labels[k] for k in met.tolist()])
    return np.stack(columns, axis=1).astype(np.int32), tuple(observations)


def _decisions(table: TableColumns, walk: _Walk) -> dict[str, Any]:
    """Who moves and with which actions, in the order in which sets of actors and lists of actions are met."""
    actor_set = np.where(walk.live, table.actor_set[walk.state], 0)
    sets, number = renumbered(np.concatenate([[0], actor_set]))  # nobody is always the first
    size = table.actor_set_size[sets]
    width = max(1, int(size.max()))
    legal = np.where((actor_set > 0)[:, None], table.legal[walk.state], -1)[:, :width]
    lists, which = renumbered(legal[legal >= 0])
    legal_of = np.full(legal.shape, -1, np.int32)
    legal_of[legal >= 0] = which
    legal_size = table.legal_size[lists]
    labels = table.legal_actions[lists][:, : max(1, int(legal_size.max(initial=0)))]
    actions, label = renumbered(labels[labels >= 0])
    legal_actions = np.full(labels.shape, -1, np.int32)
    legal_actions[labels >= 0] = label
    return {
        "actor_set": number[1:].astype(np.int32),
        "actor_set_players": table.actor_set_players[sets][:, :width],
        "actor_set_size": size,
        "legal": legal_of,
        "legal_actions": legal_actions,
        "legal_size": legal_size,
        "actions": [table.actions[a] for a in actions.tolist()],
    }


def event_columns(events: Sequence[Event], players: int) -> tuple[Ints, tuple[list[Observation], ...]]:
    """What each player sees of each event, by number, and what the numbers stand for."""
    ids: list[dict[Observation, int]] = [{} for _ in range(players)]
    seen = [
        [numbers.setdefault(Observation(public, private[i]), len(numbers)) for i, numbers in enumerate(ids)]
        for _, public, private in events
    ]
    return np.array(seen, np.int32).reshape(-1, players), tuple(map(list, ids))


def padded_lists(lists: Sequence[Sequence[int]]) -> Ints:
    """Ragged lists of ids as a rectangle, padded with -1."""
    rectangle = np.full((len(lists), max([1, *map(len, lists)])), -1, np.int32)
    for r, ids in enumerate(lists):
        rectangle[r, : len(ids)] = ids
    return rectangle
