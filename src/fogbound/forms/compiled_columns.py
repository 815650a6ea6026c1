"""The columns of a table by a game's compiled rules, a hundred times as fast as by the plain ones, and the same.

Everything is numbered in the order in which the plain rules would meet it. Labels come from the plain rules: an event
is shown by one outcome that has it, a state is made when somebody asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from operator import eq
from typing import Any, overload

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.core.errors import GameError, brief
from fogbound.core.game import AnyGame, Outcome
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.arrays import Ints
from fogbound.forms.columns import (
    EnumeratedGame,
    Event,
    TableColumns,
    event_columns,
    padded_lists,
    renumbered,
)
from fogbound.forms.replay import COMPARED, full_event
from fogbound.forms.state_graph import StateGraph, state_graph


class LazyStates(Sequence[Hashable]):
    """The author's states of a state graph, each made when it is asked for; copied and pickled as a list."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph

    def __len__(self) -> int:
        return self.graph.size

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hashable]: ...
    def __getitem__(self, place: int | slice) -> Hashable | Sequence[Hashable]:
        rows = self.graph.rows[place].tolist()
        return (
            list(map(self.graph.compiled.state, rows)) if isinstance(place, slice) else self.graph.compiled.state(rows)
        )

    def __iter__(self) -> Iterator[Hashable]:
        return map(self.graph.compiled.state, iter(self.graph.rows.tolist()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def get(self, state: Any) -> int | None:
        """The number of a state, None where it cannot be reached."""
        row = self.graph.compiled.state_row(state)
        if row is None:
            return None
        begun = self._begun.get(tuple(row))
        return self.graph.number(row) if begun is None else begun

    @cached_property
    def _begun(self) -> dict[tuple[int, ...], int]:
        """The states of the start, which are asked for together."""
        return dict(zip(map(tuple, self.graph.begun.rows.tolist()), self.graph.start.tolist()))


def compiled_columns(game: AnyGame, compiled: CompiledRules, limit: int, most: int) -> EnumeratedGame:
    """The columns of the table by compiled rules.

    Parameters
    ----------
    game
        The plain rules.
    compiled
        The same, compiled.
    limit
        How many states there may be.
    most
        How many outcomes.

    Returns
    -------
    EnumeratedGame

    Raises
    ------
    LimitError
        There are more.
    GameError
        The plain rules do not know an event of the compiled ones.
    """
    graph = state_graph(compiled, limit=limit, most=most, events=True)
    states = LazyStates(graph)
    begun = _merged(graph)
    next_ = np.concatenate([np.array([s for s, _ in begun], np.int32), graph.next])
    event = np.concatenate([np.array([e for _, e in begun], np.int32), graph.event])
    prob = graph.prob if len(graph.prob) else np.ones(len(graph.next))
    events = _events(game, graph, states, len(begun), next_, event)
    seen, observations = event_columns(list(events), len(game.players))
    found = TableColumns(
        str(game),
        tuple(game.players),
        float(game.discount),
        **_decisions(graph),
        row=graph.row + np.int32(1),
        out=np.concatenate([np.zeros(1, np.int32), graph.out + np.int32(len(begun))]),
        next=next_,
        event=event,
        prob=np.concatenate([list(begun.values()), prob]),
        reward=np.array([rewards for rewards, _, _ in events], np.float64).reshape(-1, len(game.players)),
        seen=seen,
        states=states,
        observations=observations,
    )
    return EnumeratedGame(found, states, events)


def _merged(graph: StateGraph) -> dict[tuple[int, int], float]:
    """The outcomes of the start, equal ones merged: (state, event) to probability."""
    seen, weights = graph.begun.seen, graph.begun.weights
    numbers: dict[tuple[int, ...], int] = {}
    merged: dict[tuple[int, int], float] = {}
    for state, codes, p in zip(graph.start.tolist(), map(tuple, seen.tolist()), weights.tolist()):
        pair = state, numbers.setdefault(codes, len(numbers))
        merged[pair] = merged.get(pair, 0.0) + p
    total = math.fsum(merged.values())
    return {pair: p / total for pair, p in merged.items()}


def _decisions(graph: StateGraph) -> dict[str, Any]:
    """Who moves and with which actions, in the order in which sets of actors and lists of actions are met."""
    moves = graph.choices > 0  # [state, player]
    mask = moves @ (1 << np.arange(moves.shape[1]))
    sets, number = renumbered(np.concatenate([[0], mask]))  # nobody is always the first
    players = [np.flatnonzero(each >> np.arange(moves.shape[1]) & 1).tolist() for each in sets.tolist()]
    lists = graph.lists.rows
    size = (lists >= 0).sum(axis=1).astype(np.int32)
    codes = lists[:, : max(1, int(size.max(initial=0)))]
    actions, label = renumbered(codes[codes >= 0])
    legal_actions = np.full(codes.shape, -1, np.int32)
    legal_actions[codes >= 0] = label
    actor_set_players = padded_lists(players)
    return {
        "actor_set": number[1:].astype(np.int32),
        "actor_set_players": actor_set_players,
        "actor_set_size": np.array([len(each) for each in players], np.int32),
        "legal": np.ascontiguousarray(graph.legal[:, : actor_set_players.shape[1]]),
        "legal_actions": legal_actions,
        "legal_size": size,
        "actions": [graph.compiled.action(code) for code in actions.tolist()],
    }


def _events(
    game: AnyGame, graph: StateGraph, states: LazyStates, begun: int, next_: Ints, event: Ints
) -> dict[Event, int]:
    """The author's words for each event, from the first outcome that has it."""
    _, first = np.unique(event, return_index=True)
    rules, found = RuleSimulator(game), dict[Event, int]()
    for number, outcome in enumerate(first.tolist()):
        row = -1 if outcome < begun else int(graph.out.searchsorted(outcome - begun, "right")) - 1
        after = rules.opening() if row < 0 else rules.outcomes(*_asked(graph, row))
        to = states[int(next_[outcome])]
        words = [each for each, p in after if p > 0 and each.state == to and _is(graph, each, number)]
        if not words:
            where = "in start()" if row < 0 else "after {1} at state {0}".format(*map(brief, _asked(graph, row)))
            raise GameError(f"{game}: compiled and plain rules say different things, {where}; {COMPARED}")
        found.setdefault(full_event(words[0], len(game.players)), number)
    return found


def _asked(graph: StateGraph, row: int) -> tuple[Hashable, tuple[Hashable, ...]]:
    """The state and the joint action of a row."""
    state = int(graph.row.searchsorted(row, "right")) - 1
    lists = graph.lists.rows[graph.legal[state][graph.legal[state] >= 0]]
    rest, joint = row - int(graph.row[state]), []
    for codes in reversed([codes[codes >= 0] for codes in lists]):
        rest, place = divmod(rest, len(codes))
        joint.append(graph.compiled.action(int(codes[place])))
    return graph.compiled.state(graph.rows[state].tolist()), tuple(reversed(joint))


def _is(graph: StateGraph, outcome: Outcome[Any], event: int) -> bool:
    """Whether an outcome of the plain rules pays and shows what an event of the compiled ones does."""
    compiled, players = graph.compiled, len(graph.compiled.players)
    row = graph.events.rows[event]
    seen = [compiled.observation_code(player, outcome.observation(player)) for player in range(players)]
    return bool(
        seen == row[:players].tolist()
        and list(outcome.rewards or (0.0,) * players) == row[players:].view(np.float64).tolist()
    )
