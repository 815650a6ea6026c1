"""The states of compiled rules, millions of outcomes a second: a table where there are too many states for one.

A state is a row of words and nothing else; the author's state is made when it is asked for
(`CompiledRules.state`). Payoffs are stored apart, since most outcomes pay nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled import asking
from fogbound.compiled.rules import CompiledRules
from fogbound.core.cancel import check
from fogbound.core.contract import too_many_outcomes, too_many_states
from fogbound.core.errors import LimitError
from fogbound.core.memory import Cost
from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.forms.kernels import state_graph as kernels

LIMIT = 20_000_000  # states
MOST = 2**31 - 2  # joint moves and outcomes: they are numbered in 32 bits
LOT = 20_000  # states between two looks at whether to stop
TOGETHER = 256  # successors that are looked up together
ROOM = 1 << 12  # states at first
SECONDS_EACH = 4e-7  # outcome
FEW = 1 << 6  # lists of legal actions, and events, at first
COLUMNS = ("choices", "legal", "row", "out", "next", "event", "prob", "pays", "paid", "payoff")


@dataclass(frozen=True, eq=False)
class StateGraph:
    """States numbered breadth first, their joint moves in mixed radix (the last actor the fastest), and outcomes.

    Parameters
    ----------
    compiled
        The game.
    begun
        Every way to begin, or those that were given (`compiled.asking.Openings`).
    start
        [K] the states that were begun from.
    states, lists, events
        Each state, list of legal actions and event as a row of words (`kernels.state_graph.Interned`).
    choices
        [S, n] how many legal actions each actor has; 0 = no actor.
    legal
        [S, n] the list of the k-th actor, -1 after the last; [0, n] where events were not asked for.
    row, out, next, prob
        Of state s the joint moves row[s] to row[s + 1], of move r the outcomes out[r] to out[r + 1], each with the
        state that follows and its probability; `prob` is empty where nothing is left to chance.
    event
        [outcome] what is paid and seen; empty where it was not asked for.
    pays, paid, payoff
        Of state s the outcomes that pay, pays[s] to pays[s + 1]: which they are, and what each player gets; nothing
        where events say it.
    """

    compiled: CompiledRules
    begun: Any = field(repr=False)
    start: Ints
    states: Any = field(repr=False)
    lists: Any = field(repr=False)
    events: Any = field(repr=False)
    choices: NDArray[np.int16] = field(repr=False)
    legal: Ints = field(repr=False)
    row: Ints = field(repr=False)
    out: Ints = field(repr=False)
    next: Ints = field(repr=False)
    event: Ints = field(repr=False)
    prob: Floats = field(repr=False)
    pays: Ints = field(repr=False)
    paid: Ints = field(repr=False)
    payoff: Floats = field(repr=False)

    @property
    def rows(self) -> NDArray[Any]:
        """[S, width] each state."""
        rows: NDArray[Any] = self.states.rows
        return rows

    @property
    def size(self) -> int:
        return len(self.rows)

    def number(self, row: Sequence[int]) -> int | None:
        """The number of a state, None where it cannot be reached."""
        number = int(kernels.number_of(self.states, np.array(row, np.int64)))
        return number if number >= 0 else None


def state_graph(
    compiled: CompiledRules,
    starts: Sequence[Sequence[int]] | None = None,
    limit: int = LIMIT,
    most: int = MOST,
    events: bool = False,
) -> StateGraph:
    """All states that can be reached.

    Parameters
    ----------
    compiled
        The game.
    starts
        The rows to begin from; without them, all ways to begin.
    limit
        How many states there may be.
    most
        How many outcomes.
    events
        Whether to write what is seen and which actions are legal, and to make equal outcomes one, as a table has them.
        Events are then numbered in the order of outcomes after those of the start, which pay nothing.

    Returns
    -------
    StateGraph

    Raises
    ------
    LimitError
        There are more states or outcomes.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.forms.state_graph import state_graph
    >>> game = fb.game("king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)")
    >>> state_graph(game.compiled_rules()).size == fb.forms.table(game).size
    True
    """
    if compiled.most_actions > np.iinfo(np.int16).max:
        raise LimitError(
            f"{compiled.spec}: up to {compiled.most_actions:,} actions of a player, expected at most 32,767"
        )
    begun = asking.beginnings(compiled)
    if starts is not None:
        begun = replace(begun, rows=np.array(starts, np.int64).reshape(-1, compiled.width))
    room = _Room(compiled, max(ROOM, 2 * len(begun.rows)), limit, most, events)
    numbers, work, why = room.numbers(begun), _work(compiled), kernels.PAUSE
    if events:
        for codes in dict.fromkeys(map(tuple, begun.seen.tolist())):
            room.note(np.array([*codes, *[0] * len(codes)]))
    waiting = _waiting(compiled, TOGETHER)
    rules = compiled.actors, compiled.legal, compiled.chances, compiled.follow, compiled.rules
    while why != kernels.DONE:
        check()
        why = kernels.expand_states(*rules, room.store, waiting, work, LOT)
        room.grow(why)
        if why == kernels.FULL:  # by the successors of a single state
            waiting = _waiting(compiled, 2 * len(waiting.code))
    if events and compiled.most_outcomes > 1:
        room.store.count[kernels.OUTCOMES] = kernels.merge_outcomes(room.store)
    return room.found(begun, numbers.astype(np.int32))


def _work(compiled: CompiledRules) -> Any:
    """Room for one joint move."""
    players = len(compiled.players)
    note = np.zeros(2 * players, np.int64)
    return kernels.Work(
        state=np.zeros(compiled.width, np.int64),
        options=np.zeros((players, compiled.most_actions), np.int64),
        weights=np.zeros(compiled.most_outcomes),
        note=note,
        seen=note[:players],
        rewards=note[players:].view(np.float64),
        **{name: np.zeros(players, np.int64) for name in ("actors", "sizes", "joint", "places")},
    )


def _waiting(compiled: CompiledRules, places: int) -> Any:
    """Room for so many successors that are looked up together."""
    return kernels.Waiting(np.empty((places, compiled.width), np.int64), *np.empty((3, places), np.int64))


class _Room:
    """The store, which grows."""

    def __init__(self, compiled: CompiledRules, states: int, limit: int, most: int, events: bool) -> None:
        self.compiled, self.limit, self.most = compiled, limit, most
        players, outcomes = len(compiled.players), 4 * states
        self.store = kernels.Store(
            count=np.zeros(6, np.int64),
            states=_interned(np.empty((states, compiled.width), np.int32)),
            lists=_interned(np.empty((FEW, compiled.most_actions), np.int64)),
            events=_interned(np.empty((FEW, 2 * players), np.int64)),
            choices=np.empty((states, players), np.int16),
            legal=np.empty((states if events else 0, players), np.int32),
            row=np.zeros(states + 1, np.int32),
            out=np.zeros(outcomes + 1, np.int32),
            next=np.empty(outcomes, np.int32),
            event=np.empty(outcomes if events else 0, np.int32),
            prob=np.empty(outcomes if compiled.most_outcomes > 1 else 0),
            pays=np.zeros(states + 1, np.int32),
            paid=np.empty(0 if events else states, np.int32),
            payoff=np.empty((0 if events else states, players)),
        )

    def numbers(self, begun: Any) -> Longs:
        """The numbers of the states to begin from."""
        found = np.full(len(begun.rows), -1)
        while (why := kernels.number_starts(self.store.states, begun, found)) != kernels.DONE:
            self.grow(why)
        return found

    def note(self, row: Longs) -> None:
        """Number an event."""
        while kernels.number_of(self.store.events, row) < 0:
            self.grow(kernels.NO_EVENTS)

    def grow(self, why: int) -> None:
        """Make room for what there was none for; LimitError where that is too much."""
        store = self.store
        if store.states.count[kernels.SIZE] > self.limit:
            raise too_many_states(self.compiled.spec, self.limit, self.each)
        if store.count[kernels.OUTCOMES] > self.most:
            raise too_many_outcomes(self.compiled.spec, self.most, self.limit, self.each)
        names = {
            kernels.NO_ROOM: ("states", "choices", "legal", "row", "pays"),
            kernels.NO_ROWS: ("out",),
            kernels.NO_OUTCOMES: ("next", "event", "prob"),
            kernels.NO_PAID: ("paid", "payoff"),
            kernels.NO_LISTS: ("lists",),
            kernels.NO_EVENTS: ("events",),
        }.get(why, ())
        columns = {name: _longer(getattr(store, name)) for name in names}
        if any(len(columns[name]) > MOST for name in names if name in COLUMNS):
            raise too_many_outcomes(self.compiled.spec, MOST, self.limit, self.each)
        if why == kernels.WIDE:
            columns = {"states": _interned(store.states.rows.astype(np.int64), store.states)}
        self.store = replace(store, **columns)

    @property
    def each(self) -> Cost:
        """What a state takes, by what those that were found take: twice that while columns grow."""
        store, expanded = self.store, max(1, int(self.store.count[kernels.EXPANDED]))
        here = [store.states.rows, store.states.slot, store.choices, store.legal, store.row, store.pays]
        after = [store.next, store.event, store.prob]
        rows, outcomes = store.count[[kernels.ROWS, kernels.OUTCOMES]].tolist()
        bytes_ = sum(column.nbytes for column in here) / len(store.states.rows)
        bytes_ += (4 * rows + outcomes * sum(column.itemsize for column in after if len(column))) / expanded
        return Cost(2 * bytes_, SECONDS_EACH * outcomes / expanded)

    def found(self, begun: Any, start: Ints) -> StateGraph:
        """What was written, without the room that is left."""
        store, states = self.store, int(self.store.states.count[kernels.SIZE])
        rows, outcomes, paid = store.count[[kernels.ROWS, kernels.OUTCOMES, kernels.PAID]].tolist()
        sizes = {"choices": states, "legal": states, "row": states + 1, "pays": states + 1, "out": rows + 1}
        sizes |= {"next": outcomes, "event": outcomes, "prob": outcomes, "paid": paid, "payoff": paid}
        columns = {name: getattr(store, name)[:size] for name, size in sizes.items()}
        interned = {name: _cut(getattr(store, name)) for name in ("states", "lists", "events")}
        return StateGraph(self.compiled, begun, start, **interned, **columns)


def _interned(rows: NDArray[Any], before: Any = None) -> Any:
    """Room for rows, holding those that were there before."""
    size = 0 if before is None else before.count[kernels.SIZE]
    slot = np.full(1 << (2 * len(rows)).bit_length(), -1, np.int64)
    made = kernels.Interned(np.array([size, rows.dtype == np.int32], np.int64), rows, slot)
    if before is not None:
        kernels.rehash_rows(before, made)
    return made


def _cut(known: Any) -> Any:
    """The rows that are there, without the room that is left."""
    return replace(known, rows=known.rows[: known.count[kernels.SIZE]])


def _longer(column: Any) -> Any:
    """A column, or interned rows, with twice the room; what is not written yet takes no memory."""
    if not isinstance(column, np.ndarray):
        return _interned(_longer(column.rows), column)
    longer = np.empty((2 * len(column), *column.shape[1:]), column.dtype)
    longer[: len(column)] = column
    return longer
