"""A second look at a few of the rules: a table stands for a game only if the rules answer alike when asked again.

An author who alters a state in place, or who draws at random inside `step`, gets a table of something that is no game,
and whatever is solved and certified on it is right about the table and wrong about the game. So a small sample, spread
over the whole table, is asked again and held against what was written down. It finds the habit, not every instance:
a rule that is wrong in one state of a million may pass (`fogbound check` asks many more).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from copy import deepcopy
from typing import Any

from fogbound.core.contract import ordered
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, GameError, brief, raised
from fogbound.core.game import AnyGame, Outcome
from fogbound.forms.columns import Event, Numbers, TableColumns

SAMPLE = 64  # questions that are asked again, however large the game is

STEADY = "rules may not draw at random, keep notes, or alter a state (return a new one)"
COMPARED = "fogbound.testing.check_compiled_rules compares them"
COMPILED = f"compiled rules; {COMPARED}"
VECTORISED = "vectorised rules; fogbound.testing.check_vector_rules compares them"


def full_event(outcome: Outcome[Any], players: int) -> Event:
    """What an outcome pays and shows, in full: () says the same, shorter."""
    return outcome.rewards or (0.0,) * players, outcome.public, outcome.private or (None,) * players


def replay(game: AnyGame, table: TableColumns, states: Numbers, events: Mapping[Event, int], other: str = "") -> None:
    """Ask `game` again for a sample of `table`, and refuse a game whose rules or states have changed meanwhile.

    Parameters
    ----------
    game
        The rules.
    table
        What they said when they were enumerated.
    states, events
        The numbers that the table gives to states and to events.
    other
        Which other rules were enumerated, `COMPILED` or `VECTORISED`, which these must agree with; empty: none.

    Raises
    ------
    GameError
        A state was altered after it was made, or the rules say something else now; the message names the state.
    """
    again = _Replay(game, table, states, events, other)
    try:
        for number in _spread(len(table.states)):
            again.state(number)
        again.same_row(0, game.start())
        rows = len(table.out) - 2  # without row 0, the start
        for k in range(SAMPLE if rows else 0):  # in a small game the same rows again: a coin may fall alike once
            again.row(1 + (k * rows // SAMPLE if rows > SAMPLE else k % rows))
    except FogboundError:
        raise
    except Exception as error:
        raise GameError(f"{game}: {again.where} raised {raised(error)} when asked again; {STEADY}") from error


def _spread(size: int) -> range | list[int]:
    return range(size) if size <= SAMPLE else [k * size // SAMPLE for k in range(SAMPLE)]


class _Replay:
    def __init__(
        self, game: AnyGame, table: TableColumns, states: Numbers, events: Mapping[Event, int], other: str
    ) -> None:
        self.other = other
        self.game, self.table, self.states, self.events = game, table, states, events
        self.asked: tuple[Any, ...] = ("start",)

    @property
    def where(self) -> str:
        """What the author was asked last, as a call."""
        name, *given = self.asked
        return f"{name}({', '.join(brief(each) for each in given)})"

    def state(self, number: int) -> None:
        """A state is still the one that was written down: it is found where it was put."""
        state = self.table.states[number]
        if self.states.get(state) != number:
            if self.other:
                raise self._differs()
            raise GameError(
                f"{self.game}: state {brief(state)} was altered after it was made; step must return a new state, "
                "and leave the one that it is given as it is"
            )

    def row(self, row: int) -> None:
        """One joint action: who moves, what they may do, and what follows, which leaves the state alone."""
        table, game = self.table, self.game
        number = int(table.row.searchsorted(row, "right")) - 1
        state, actor_set = table.states[number], table.actor_set[number]
        self.asked = ("actors", state)
        many = int(table.actor_set_size[actor_set])
        actors = tuple(table.actor_set_players[actor_set, :many].tolist())
        if tuple(game.actors(state)) != actors:
            raise self._differs()
        rest = row - int(table.row[number])
        joint: list[Hashable] = [None] * many
        for k in reversed(range(many)):  # mixed radix, the last actor fastest
            self.asked = ("actions", state, actors[k])
            offered = ordered(game, game.actions(state, actors[k]), state)
            if offered != table.legal_labels(int(table.legal[number, k])):
                raise self._differs()
            rest, choice = divmod(rest, len(offered))
            joint[k] = offered[choice]
        self._step(row, number, state, tuple(joint))

    def _step(self, row: int, number: int, state: Any, joint: tuple[Any, ...]) -> None:
        self.asked = ("step", state, joint)
        kept = deepcopy(state)
        comparable = kept == state
        dist = self.game.step(state, joint)
        if comparable and kept != state:
            raise GameError(f"{self.game}: {self.where} alters the state that it is given; it must return a new one")
        self.state(number)
        self.same_row(row, dist)

    def same_row(self, row: int, dist: Dist[Any]) -> None:
        """What follows now is what the table says, to the last bit."""
        table = self.table
        found: dict[tuple[int | None, int | None], float] = {}
        for outcome, p in dist.pairs:
            if p > 0:
                event = self.events.get(full_event(outcome, len(self.game.players)))
                pair = (self._number(outcome.state), event)
                found[pair] = found.get(pair, 0.0) + p
        total = math.fsum(found.values())
        these = slice(int(table.out[row]), int(table.out[row + 1]))
        written = dict(zip(zip(table.next[these].tolist(), table.event[these].tolist()), table.prob[these].tolist()))
        if {pair: p / total for pair, p in found.items()} != written:
            raise self._differs()

    def _number(self, state: Hashable) -> int | None:
        number = self.states.get(state)
        return self.states.get(self.game.canonical(state)) if number is None else number

    def _differs(self) -> GameError:
        asked = f"than the {self.other}" if self.other else f"when asked again; {STEADY}"
        return GameError(f"{self.game}: {self.where} says something else {asked}")
