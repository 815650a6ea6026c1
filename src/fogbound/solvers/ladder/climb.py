"""The ladder of levels: each level of each seat is the best reply to its beliefs about the levels below.

Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games" (document 000), Algorithm 2. His
augmented state (what is on the board, the opponent's level, the node of its controller) is the state of a `Meeting`;
equal controllers, and equal ends of different ones, are one and the same there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Player
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Table, table
from fogbound.forms.view import view
from fogbound.policies.uniform import Uniform
from fogbound.solvers import priors
from fogbound.solvers.ladder.crowd import Crowd
from fogbound.solvers.ladder.duel import Duel
from fogbound.solvers.ladder.reply import Reply, Replying
from fogbound.solvers.ladder.words import note
from fogbound.solvers.ladder.zero import machine_of
from fogbound.solvers.reachable.controllers import controller_of
from fogbound.solvers.reachable.nodes import Automaton, Longs, Machine
from fogbound.solvers.reachable.search import Limits

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Result:
    """What solving one level of one seat gave, before its controller is compared with others."""

    machine: Machine = field(repr=False)
    value: float
    upper: float
    settled: bool
    seconds: float
    by: str
    against: tuple[float, ...]

    @classmethod
    def of(cls, reply: Reply, met: Sequence[int], seconds: float) -> Result:
        """A reply, with its worth against the levels that were `met`, by their kinds."""
        against = tuple(reply.against.get(kind, math.nan) for kind in met)
        return cls(reply.machine, reply.value, reply.upper, reply.settled, seconds, reply.by, against)


@dataclass(frozen=True, eq=False)
class Rung:
    """One level of one seat. `value` is what its controller is worth given its beliefs, exactly evaluated."""

    level: int
    seat: int
    value: float
    upper: float  # what no policy exceeds
    nodes: int  # of the minimal controller
    moves: int  # ... of which so many have a move to make
    kind: int  # equal numbers: equal controllers
    against: tuple[float, ...]  # its worth against each lower level of the other of two seats (nan: not believed in)
    settled: bool  # whether the bounds met and every tie was broken for good
    seconds: float
    by: str  # how it was found: beliefs, or sarsop
    machine: Machine = field(repr=False)
    named: Longs = field(repr=False)  # which node of the seat's automaton each of the machine's is

    @property
    def lower(self) -> float:
        return self.value


class Climb:
    """All levels of all seats so far."""

    def __init__(
        self,
        source: Table,
        zero: Mapping[int, Player] | None = None,
        prior: priors.Prior = "uniform",
        tau: float = 1.5,
        precision: float = math.inf,
    ) -> None:
        if len(source.players) < 2:
            raise FormError(f"{source.spec}: one player, so there is nobody to reason about; use sarsop")
        priors.check(prior, tau)
        if not precision >= 0:
            raise SpecError(f"level-k: precision is {precision!r}, expected a number of at least 0")
        self.table, self.prior, self.tau, self.precision = source, prior, tau, precision
        self.seats = range(len(source.players))
        self.zero = {seat: (zero or {}).get(seat, Uniform()) for seat in self.seats}
        views = [view(source, seat) for seat in self.seats]
        self.automata = [Automaton(own) for own in views]
        self.sides: list[Duel | Crowd]
        if len(views) == 2:
            self.sides = [Duel(source, views[me], views[1 - me], self.automata[1 - me]) for me in self.seats]
        else:
            self.sides = [Crowd(source, own, self.automata) for own in views]
        self.kinds = [[own.add(machine_of(source, own.view, self.zero[me]))] for me, own in enumerate(self.automata)]
        self.rungs: list[Rung] = []
        self._replies: dict[tuple[int, int], Reply] = {}

    @property
    def spec(self) -> str:
        return self.table.spec

    @property
    def levels(self) -> int:
        """The highest level so far."""
        return len(self.kinds[0]) - 1

    def weights(self, level: int) -> tuple[float, ...]:
        """What `level` believes about levels 0 to `level` - 1."""
        return priors.weights(self.prior, self.tau, level)

    def rise(self, limits: Limits | None = None) -> list[Rung]:
        """Solve the next level, for every seat."""
        return finished(self.rising(limits or Limits()))

    def rising(self, limits: Limits) -> Generator[tuple[int, float, float], None, list[Rung]]:
        """Solve the next level; now and then the seat that is being worked on, and its bounds."""
        level, found = self.levels + 1, []
        for seat in self.seats:
            began, steps = time.perf_counter(), self._replying(level, seat, limits)
            try:
                while True:
                    yield seat, *next(steps)
            except StopIteration as end:
                reply: Reply = end.value
            found.append(Result.of(reply, self._met(level, seat), time.perf_counter() - began))
            self._replies[level, seat] = reply
        return self.resume(found)

    def resume(self, found: Sequence[Result]) -> list[Rung]:
        """Take the next level as solved, for every seat."""
        rungs = [self._rung(self.levels + 1, seat, own) for seat, own in enumerate(found)]
        for rung in rungs:
            self.kinds[rung.seat].append(rung.kind)
        self.rungs += rungs
        return rungs

    def reply(self, rung: Rung) -> Reply:
        """How a rung was found; looked for again where it was only remembered."""
        key = rung.level, rung.seat
        if key not in self._replies:
            self._replies[key] = finished(self._replying(*key, Limits()))
        return self._replies[key]

    def _replying(self, level: int, seat: int, limits: Limits) -> Replying:
        others = {other: self._odds(other, level) for other in self.seats if other != seat}
        return self.sides[seat].replying(others, self.precision, limits)

    def _met(self, level: int, seat: int) -> list[int]:
        """The kinds that `level` of a seat may meet, by level, in a game of two."""
        return self.kinds[1 - seat][:level] if len(self.seats) == 2 else []

    def _odds(self, seat: int, level: int) -> dict[int, float]:
        """How likely each kind of a seat is in the eyes of `level`: levels that play alike add up."""
        odds: dict[int, float] = {}
        for kind, weight in zip(self.kinds[seat], self.weights(level)):
            if weight > 0:
                odds[kind] = odds.get(kind, 0.0) + weight
        return odds

    def _rung(self, level: int, seat: int, found: Result) -> Rung:
        began, own = time.perf_counter(), self.automata[seat]
        kind, named = own.named(found.machine)
        reached = own.reach(kind)
        return Rung(
            level=level,
            seat=seat,
            value=found.value,
            upper=found.upper,
            nodes=len(reached),
            moves=own.asked(reached),
            kind=kind,
            against=found.against,
            settled=found.settled,
            seconds=found.seconds + time.perf_counter() - began,
            by=found.by,
            machine=found.machine,
            named=named,
        )

    def rung(self, level: int, seat: int) -> Rung:
        """One level of one seat."""
        if not (1 <= level <= self.levels and seat in self.seats):
            raise SpecError(
                f"level {level} of seat {seat}, expected levels 1 to {self.levels} of seats 0 to {len(self.seats) - 1}"
            )
        return self.rungs[len(self.seats) * (level - 1) + seat]

    def _seat(self, seat: int) -> int:
        if seat not in self.seats:
            raise SpecError(f"seat {seat}, expected one from 0 to {len(self.seats) - 1}")
        return seat

    def kind(self, level: int, seat: int) -> int:
        """Equal numbers: equal controllers. A given level 0 may equal a level and still have a number of its own."""
        if level:
            return self.rung(level, seat).kind
        return self.kinds[self._seat(seat)][0]

    def policy(self, level: int, seat: int, slips: int = 0) -> Player:
        """The policy of a level: minimal, or one that also knows how to go on after slips of its own hand."""
        if level == 0:
            return self.zero[self._seat(seat)]
        rung = self.rung(level, seat)
        if slips:
            own = Automaton(self.automata[seat].view)
            return controller_of(own, own.add(self.reply(rung).slipping(slips)), self.table.actions)
        return controller_of(self.automata[seat], rung.kind, self.table.actions, note(self, rung))

    def process(self, level: int, seat: int) -> POMDP:
        """The problem of a level as a POMDP: states are (state of the game, node of the other's automaton)."""
        side = self.sides[seat]
        if not isinstance(side, Duel):
            raise FormError(f"{self.spec}: {len(self.seats)} players, expected 2")
        return side.process(self.reply(self.rung(level, seat)))


def finished(steps: Generator[object, None, T]) -> T:
    """What a generator returns in the end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def climb(
    game: AnyGame | Table,
    levels: int,
    prior: priors.Prior = "uniform",
    tau: float = 1.5,
    zero: Mapping[int, Player] | None = None,
    precision: float = math.inf,
    limits: Limits | None = None,
) -> Climb:
    """All levels up to `levels` of every seat; level 0 is uniform play unless `zero` says otherwise."""
    found = Climb(game if isinstance(game, Table) else table(game), zero, prior, tau, precision)
    for _ in range(levels):
        found.rise(limits)
    return found
