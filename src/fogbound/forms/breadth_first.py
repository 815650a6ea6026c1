"""A table numbered anew, as if its states were found breadth first: those that can be reached, or those of a game cut
off after so many steps. Arrays alone are walked, and what comes of it is what calling the rules would have given.

Cut off, a state is (steps left, state): layers of the same table, each as large as what can be reached at that time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.contract import too_many_outcomes, too_many_states
from fogbound.core.game import Observation
from fogbound.core.memory import Cost, object_bytes
from fogbound.forms.arrays import Floats, Ints, Longs, offsets, ranges
from fogbound.forms.replay import Enumerated, Event, Numbers

SECONDS_EACH = 2e-7  # outcome


class Columns(Enumerated, Protocol):
    """What is read of a `Table`, of which this module must not know more: the table knows this module."""

    @property
    def spec(self) -> str: ...
    @property
    def legal_actions(self) -> Ints: ...
    @property
    def legal_size(self) -> Ints: ...
    @property
    def reward(self) -> Floats: ...
    @property
    def seen(self) -> Ints: ...
    @property
    def actions(self) -> list[Hashable]: ...
    @property
    def observations(self) -> tuple[list[Observation], ...]: ...


class Found(NamedTuple):
    """The fields of `Table` of the same names."""

    actor_set: Ints
    actor_set_players: Ints
    actor_set_size: Ints
    legal: Ints
    legal_actions: Ints
    legal_size: Ints
    row: Ints
    out: Ints
    next: Ints
    event: Ints
    prob: Floats
    reward: Floats
    seen: Ints
    states: Sequence[Hashable]
    actions: list[Hashable]
    observations: tuple[list[Observation], ...]


class EnumeratedGame(NamedTuple):
    """What an enumeration finds: the columns of a table, the numbers of states, those of events."""

    columns: Found
    states: Numbers
    events: Mapping[Event, int]


class Walk(NamedTuple):
    """States in the order in which they are found."""

    state: Longs  # [S] which of the given table's it is
    live: NDArray[np.bool_]  # [S] whether play goes on
    next: Longs  # [O] what follows, in these numbers, outcome by outcome: those of the start, then those of live states
    labels: list[Hashable]  # [S]


def reached(table: Columns, limit: int, most: int) -> Found:
    """The table of what can be reached, numbered breadth first; LimitError over `limit` states or `most` outcomes."""
    number, found, layers = np.full(len(table.actor_set), -1), 0, list[Longs]()
    layer = first_met(table.next[: table.out[1]])
    while len(layer):
        check()
        number[layer] = found + np.arange(len(layer))
        found += len(layer)
        if found > limit:
            raise too_many_states(table.spec, limit, array_cost(table))
        layers.append(layer)
        to = table.next[_outcomes(table, layer)]
        layer = first_met(to[number[to] < 0])
    state = np.concatenate([np.zeros(0, np.int64), *layers])
    following = number[np.concatenate([table.next[: table.out[1]], table.next[_outcomes(table, state)]])]
    walk = Walk(state, np.ones(len(state), bool), following, [table.states[s] for s in state.tolist()])
    return _numbered(table, walk, limit, most)


def cut_off(table: Columns, steps: int, limit: int, most: int) -> Found:
    """The table of the same game, over after `steps` steps: a state is (steps left, state)."""
    to = table.next[: table.out[1]]
    layer = first_met(to)
    layers, following, found = [layer], [_places(table, layer, to)], len(layer)
    for _ in range(steps):
        check()
        to = table.next[_outcomes(table, layer)]
        layer = first_met(to)
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
    return _numbered(table, Walk(state, left > 0, np.concatenate(following), labels), limit, most)


def array_cost(table: Columns) -> Cost:
    """What a state takes that is numbered anew: its share of the columns, twice, and a label."""
    states = max(1, len(table.actor_set))
    columns = (table.actor_set, table.legal, table.row, table.out, table.next, table.event, table.prob)
    label = 2 * object_bytes(table.states[0]) if len(table.states) else 0
    return Cost(2 * sum(column.nbytes for column in columns) / states + label, SECONDS_EACH * len(table.next) / states)


def first_met(column: Ints) -> Longs:
    """The different numbers of a column, in the order in which each is first met."""
    unique, first = np.unique(column, return_index=True)
    return unique[np.argsort(first)].astype(np.int64)


def _places(table: Columns, met: Longs, column: Ints) -> Longs:
    """Where each state of a column stands among those that were met."""
    place = np.empty(len(table.actor_set), np.int64)
    place[met] = np.arange(len(met))
    return place[column]


def _rows(table: Columns, state: Longs) -> Longs:
    """The rows of some states, one after the other."""
    return ranges(table.row[state].astype(np.int64), table.row[state + 1] - table.row[state])


def _outcomes(table: Columns, state: Longs) -> Longs:
    """The outcomes of all rows of some states, one after the other."""
    rows = _rows(table, state)
    return ranges(table.out[rows].astype(np.int64), table.out[rows + 1] - table.out[rows])


def _numbered(table: Columns, walk: Walk, limit: int, most: int) -> Found:
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
    return Found(
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


def _seen(table: Columns, events: Longs) -> tuple[Ints, tuple[list[Observation], ...]]:
    """What each player sees of each event, and what the numbers stand for."""
    columns, observations = [], []
    for player, labels in enumerate(table.observations):
        met, column = renumbered(table.seen[events, player])
        columns.append(column)
        observations.append([labels[k] for k in met.tolist()])
    return np.stack(columns, axis=1).astype(np.int32), tuple(observations)


def _decisions(table: Columns, walk: Walk) -> dict[str, Any]:
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
