"""The states of compiled rules, millions of outcomes a second: a table where there are too many states for one.

A state is a row of words and nothing else; the author's state is made when it is asked for
(`CompiledRules.state`). Payoffs are stored apart, since most outcomes pay nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.contract import too_many_outcomes, too_many_states
from fogbound.core.errors import FormError, LimitError
from fogbound.forms.arrays import Floats, Ints, Longs

if TYPE_CHECKING:
    from fogbound.compiled.rules import CompiledRules

LIMIT = 20_000_000  # states
MOST = 2**31 - 2  # joint moves and outcomes: they are numbered in 32 bits
LOT = 20_000  # states between two looks at whether to stop
TOGETHER = 256  # successors that are looked up together
ROOM = 1 << 12  # states at first
COLUMNS = ("rows", "choices", "row", "out", "next", "prob", "pays", "paid", "payoff")


@dataclass(frozen=True, eq=False)
class StateGraph:
    """States numbered breadth first, their joint moves in mixed radix (the last actor the fastest), and outcomes.

    Parameters
    ----------
    compiled
        The game.
    start
        [K] the states that were begun from.
    rows
        [S, width] each state.
    choices
        [S, n] how many legal actions each actor has; 0 = no actor.
    row, out, next, prob
        Of state s the joint moves row[s] to row[s + 1], of move r the outcomes out[r] to out[r + 1], each with the
        state that follows and its probability; `prob` is empty where nothing is left to chance.
    pays, paid, payoff
        Of state s the outcomes that pay, pays[s] to pays[s + 1]: which they are, and what each player gets.
    """

    compiled: CompiledRules
    start: Ints
    rows: NDArray[Any] = field(repr=False)
    choices: NDArray[np.int16] = field(repr=False)
    row: Ints = field(repr=False)
    out: Ints = field(repr=False)
    next: Ints = field(repr=False)
    prob: Floats = field(repr=False)
    pays: Ints = field(repr=False)
    paid: Ints = field(repr=False)
    payoff: Floats = field(repr=False)

    @property
    def size(self) -> int:
        return len(self.rows)

    def payoff_with(self, word: int, number: int) -> Floats:
        """What the outcomes pay where one word of every state is another: one that decides no move, as dealt cards do.

        Parameters
        ----------
        word
            Which word of the rows.
        number
            What stands there instead.

        Returns
        -------
        [paying outcome, player]

        Raises
        ------
        FormError
            A state is followed by another one then.
        """
        from fogbound.forms.kernels import state_graph as kernels

        compiled, payoff = self.compiled, np.empty_like(self.payoff)
        columns = {name: getattr(self, name) for name in COLUMNS}
        store = kernels.Store(count=np.zeros(8, np.int64), slot=np.zeros(1, np.int64), **columns)
        paid = kernels.Payoff(payoff)
        rules = compiled.actors, compiled.legal, compiled.follow, compiled.rules
        other = kernels.pay_again(*rules, store, _work(compiled), word, number, paid)
        if other >= 0:
            where = f"word {word} of the states decides how play goes on at {compiled.state(self.rows[other].tolist())}"
            raise FormError(f"{compiled.spec}: {where}, expected one that is about payoffs only")
        return payoff


def state_graph(
    compiled: CompiledRules, starts: Sequence[Sequence[int]] | None = None, limit: int = LIMIT
) -> StateGraph:
    """All states that can be reached.

    Parameters
    ----------
    compiled
        The game.
    starts
        The rows to begin from; without them, all ways to begin.
    limit
        How many states are too many.

    Returns
    -------
    StateGraph

    Raises
    ------
    LimitError
        There are more states, or outcomes than can be numbered.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.forms.state_graph import state_graph
    >>> game = fb.game("king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)")
    >>> state_graph(game.compiled_rules()).size == fb.forms.table(game).size
    True
    """
    from fogbound.forms.kernels import state_graph as kernels

    if compiled.most_actions > np.iinfo(np.int16).max:
        raise LimitError(
            f"{compiled.spec}: up to {compiled.most_actions:,} actions of a player, expected at most 32,767"
        )
    begun = _beginnings(compiled) if starts is None else np.array(starts, np.int64).reshape(-1, compiled.width)
    store, work, numbers, why = _store(compiled, max(ROOM, 2 * len(begun))), _work(compiled), list[int](), kernels.PAUSE
    waiting = _waiting(compiled, TOGETHER)
    for row in begun:
        work.state[:] = row
        while (number := int(kernels.find_start(store, work.state))) < 0:
            store = _with_room(compiled, store, kernels.WIDE, limit)
        numbers.append(number)
    rules = compiled.actors, compiled.legal, compiled.chances, compiled.follow, compiled.rules
    while why != kernels.DONE:
        check()
        why = kernels.expand(*rules, store, waiting, work, LOT)
        store = _with_room(compiled, store, why, limit)
        if why == kernels.FULL:  # by the successors of a single state
            waiting = _waiting(compiled, 2 * len(waiting.code))
    return _found(compiled, store, np.array(numbers, np.int32))


def _beginnings(compiled: CompiledRules) -> Longs:
    """Every way to begin, as rows."""
    from fogbound.compiled import asking

    desk, rows = asking.desk(compiled), np.zeros((compiled.beginnings, compiled.width), np.int64)
    for k in range(compiled.beginnings):
        asking.begins(compiled.begin, compiled.rules, desk, k)
        rows[k] = desk.state
    return rows


def _work(compiled: CompiledRules) -> Any:
    """Room for one joint move."""
    from fogbound.forms.kernels.state_graph import Work

    players = len(compiled.players)
    return Work(
        state=np.zeros(compiled.width, np.int64),
        options=np.zeros((players, compiled.most_actions), np.int64),
        weights=np.zeros(compiled.most_outcomes),
        rewards=np.zeros(players),
        **{name: np.zeros(players, np.int64) for name in ("actors", "sizes", "joint", "places", "seen")},
    )


def _waiting(compiled: CompiledRules, places: int) -> Any:
    """Room for so many successors that are looked up together."""
    from fogbound.forms.kernels.state_graph import Waiting

    return Waiting(np.empty((places, compiled.width), np.int64), *np.empty((3, places), np.int64))


def _store(compiled: CompiledRules, states: int) -> Any:
    """Room for so many states at first."""
    from fogbound.forms.kernels import state_graph as kernels

    players, count = len(compiled.players), np.zeros(8, np.int64)
    count[kernels.NARROW] = 1
    return kernels.Store(
        count=count,
        rows=np.empty((states, compiled.width), np.int32),
        slot=np.full(1 << (2 * states).bit_length(), -1, np.int64),
        choices=np.empty((states, players), np.int16),
        row=np.zeros(states + 1, np.int32),
        out=np.zeros(4 * states + 1, np.int32),
        next=np.empty(4 * states, np.int32),
        prob=np.empty(4 * states if compiled.most_outcomes > 1 else 0),
        pays=np.zeros(states + 1, np.int32),
        paid=np.empty(states, np.int32),
        payoff=np.empty((states, players)),
    )


def _with_room(compiled: CompiledRules, store: Any, why: int, limit: int) -> Any:
    """The store with more room for what there was none for; LimitError where that is too much."""
    from fogbound.forms.kernels import state_graph as kernels

    states = int(store.count[kernels.STATES])
    if states > limit:
        raise too_many_states(compiled.spec, limit)
    if why == kernels.WIDE:
        store.count[kernels.NARROW] = 0
        return replace(store, rows=store.rows.astype(np.int64))
    names = {
        kernels.NO_ROOM: ("rows", "choices", "row", "pays"),
        kernels.NO_ROWS: ("out",),
        kernels.NO_OUTCOMES: ("next", "prob"),
        kernels.NO_PAID: ("paid", "payoff"),
    }.get(why, ())
    columns = {name: _longer(getattr(store, name)) for name in names}
    if any(len(column) > MOST for column in columns.values()):
        raise too_many_outcomes(compiled.spec, MOST, limit)
    store = replace(store, **columns)
    if why == kernels.NO_ROOM:
        before, store = store, replace(store, slot=np.full(1 << (2 * len(store.rows)).bit_length(), -1, np.int64))
        kernels.refile(before, store)
    return store


def _longer(column: NDArray[Any]) -> NDArray[Any]:
    """The column with twice the room; what is not written yet takes no memory."""
    longer = np.empty((2 * len(column), *column.shape[1:]), column.dtype)
    longer[: len(column)] = column
    return longer


def _found(compiled: CompiledRules, store: Any, start: Ints) -> StateGraph:
    """What was written, without the room that is left."""
    states, _, rows, outcomes, paid = store.count[:5].tolist()
    sizes = {"rows": states, "choices": states, "row": states + 1, "pays": states + 1, "out": rows + 1}
    sizes |= {"next": outcomes, "prob": outcomes, "paid": paid, "payoff": paid}
    return StateGraph(compiled, start, **{name: getattr(store, name)[:size] for name, size in sizes.items()})
