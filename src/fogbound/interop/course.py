"""One play of a game, a step at a time, and what its players are owed: what environments share."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Hashable, Sequence
from copy import copy
from itertools import accumulate
from typing import Any

from fogbound.core.dist import Rng
from fogbound.core.errors import GameError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.simulator import Branch, GameSimulator
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import simulator


class Course:
    """The state of play, by arrays where the game was enumerated, else by its rules.

    Parameters
    ----------
    source
        A table, or the game.
    """

    def __init__(self, source: AnyGame | Table) -> None:
        self.source = source
        self.simulator: GameSimulator = simulator(source)
        self.time = 0  # steps played
        self.state: Any = None
        self.actors: tuple[int, ...] = ()
        self.legal: list[tuple[Hashable, ...]] = []  # by actor, in the author's words
        self.rewards: Sequence[float] = ()  # of the last step
        self._lists: Sequence[Any] = ()
        self._event: Any = None
        self._deals = self.simulator.start()
        self._shares = list(accumulate(p for _, _, p in self._deals))  # deals are often many: found by halving

    def __getstate__(self) -> dict[str, Any]:
        """Without the simulator, whose views of arrays cannot travel to another process."""
        return {name: value for name, value in vars(self).items() if name != "simulator"}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept, simulator=simulator(kept["source"]))

    def __deepcopy__(self, memo: dict[int, Any]) -> Course:
        """Where play stands is replaced at every step and never changed, so that a copy shares all of it."""
        return copy(self)

    def begin(self, rng: Rng) -> None:
        """Deal."""
        self.time = 0
        place = bisect(self._shares, rng.random()) if len(self._deals) > 1 else 0
        self._arrive(self._deals[min(place, len(self._deals) - 1)])

    def step(self, places: Sequence[int], rng: Rng) -> None:
        """Each actor does what stands at its place among its legal actions."""
        branches = self.simulator.step(self.state, self._lists, places)
        self.time += 1
        self._arrive(_drawn(branches, rng))

    @property
    def over(self) -> bool:
        return not self.actors

    @property
    def label(self) -> Any:
        """The state as the author wrote it, for drawings."""
        return self.simulator.state_label(self.state)

    def seen(self, player: int) -> Observation:
        """What a player saw of the last step."""
        return self.simulator.observation_label(player, self.simulator.observed(self._event, player))

    def legal_of(self, player: int) -> tuple[Hashable, ...]:
        """What a player may do now; () where it is not asked."""
        return self.legal[self.actors.index(player)] if player in self.actors else ()

    def _arrive(self, branch: Branch) -> None:
        sim = self.simulator
        self.state, self._event, _ = branch
        self.rewards = sim.paid(self._event)
        self.actors = sim.actors(self.state)
        self._lists = sim.legal(self.state, self.actors)
        self.legal = [sim.legal_labels(offered) for offered in self._lists]


def _drawn(branches: Sequence[Branch], rng: Rng) -> Branch:
    if len(branches) == 1:
        return branches[0]
    point = rng.random()
    for branch in branches:
        point -= branch[2]
        if point < 0:
            return branch
    if not branches:
        raise GameError("a step that leads nowhere")
    return branches[-1]


class Ledger:
    """What a player is owed, counted from its own last decision: how a discount survives that others move in between.

    A game's step t pays discount^t. A learner that decides at some of the steps only gets, whenever it is asked or it
    is over, all that was paid since its last decision, discounted to that decision, and the factor with which all that
    follows counts: return = r1 + d1 (r2 + d2 (r3 + …)), which is the return that Fogbound evaluates. In an environment
    whose `reset` has no reward, nothing can be told before the first decision: then the first one counts from the start
    of the game, and what was paid by then is part of r1.

    Parameters
    ----------
    discount
        The game's.
    told_at_first
        Whether the player is told what it was paid, and how much the rest counts, before its first decision.
    """

    def __init__(self, discount: float, told_at_first: bool) -> None:
        self.discount, self.told_at_first = discount, told_at_first
        self.begin(0.0)

    def begin(self, reward: float) -> None:
        """A new game, which pays so much at its start."""
        self._due, self._factor, self._counts = reward, 1.0, self.told_at_first

    def decide(self) -> None:
        """The player makes a decision: from here on is counted."""
        if self._counts:
            self._factor = 1.0
        self._counts = True

    def step(self, reward: float) -> None:
        """A step of the game has paid so much."""
        self._due += self._factor * reward
        self._factor *= self.discount

    def collect(self) -> float:
        """What is due, once."""
        due, self._due = self._due, 0.0
        return due

    @property
    def factor(self) -> float:
        """How much what follows counts, seen from the last decision."""
        return self._factor
