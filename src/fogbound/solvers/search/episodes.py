"""Games that one player plays by searching, against the others that it models: what its search earns in its model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log
from random import Random

from fogbound.core.simulator import Event, RuleSimulator
from fogbound.forms.induced import Point
from fogbound.solvers.search.interactive import InducedSimulator
from fogbound.solvers.search.planner import Planner, final_chances

FADED, MOST_STEPS = 1e-3, 1_000  # a game is followed until its discount has faded so far, or for so many steps


@dataclass(frozen=True, eq=False)
class PlannedGames(ABC):
    """Games of a planner that searches at each of its decisions.

    Parameters
    ----------
    planner
        Who plays.
    """

    planner: Planner

    def play(self, seed: str) -> SearchedGame:
        """One game, decided by `seed`."""
        return self.attempt(seed, lambda: False)

    @abstractmethod
    def attempt(self, seed: str, stopping: Callable[[], bool]) -> SearchedGame:
        """The same, `left` where it is asked to stop before the end."""


@dataclass(frozen=True, eq=False)
class Episodes(PlannedGames):
    """Games against others whose policies are given.

    Parameters
    ----------
    planner
        Who plays.
    simulator
        The game with the others' policies.
    """

    simulator: InducedSimulator

    def attempt(self, seed: str, stopping: Callable[[], bool]) -> SearchedGame:
        planner, simulator, rng = self.planner, self.simulator, Random(seed)
        simulator.trim()
        starts, weights = self._starts
        point, event = rng.choices(starts, weights)[0]
        memory = planner.begin(simulator.simulator.observed(event, planner.player))
        tally, scale = SearchedGame(float(simulator.simulator.paid(event)[planner.player])), 1.0
        while point.actors and tally.steps < self.most_steps:
            action = None
            if point.place >= 0:
                found = planner.look(memory, point.legal, stopping) if len(point.legal) > 1 else None
                chances = [1.0] * len(point.legal) if found is None else final_chances(found, planner.final).tolist()
                action = rng.choices(point.legal, chances)[0]
                tally.decisions += 1
            if stopping():
                return tally.leave()
            place = -1 if action is None else point.legal.index(action)
            point, reward, seen = simulator.step(point, place, rng.random)
            memory = planner.update(memory, action, seen)
            tally.gained += scale * reward
            scale *= planner.game.discount
            tally.steps += 1
        tally.truncated, tally.let_go = bool(point.actors), planner.skipped(memory)
        return tally

    @cached_property
    def most_steps(self) -> int:
        """How long a game is followed."""
        return steps_that_count(self.planner.game.discount)

    @cached_property
    def _starts(self) -> tuple[list[tuple[Point, Event]], list[float]]:
        starts = list(self.simulator.start())
        return [(point, event) for point, event, _ in starts], [p for *_, p in starts]


class RuleEpisodes(PlannedGames):
    """Games of a planner that plays alone, by the rules: also of a simulator, which is only drawn from."""

    def attempt(self, seed: str, stopping: Callable[[], bool]) -> SearchedGame:
        planner, rules, rng = self.planner, RuleSimulator(self.planner.game), Random(seed)
        outcome = rules.opening().sample(rng)
        memory = planner.begin(rules.observed(outcome, 0))
        tally, scale, most = SearchedGame(float(rules.paid(outcome)[0])), 1.0, steps_that_count(planner.game.discount)
        while rules.actors(outcome.state) and tally.steps < most:
            legal = rules.legal(outcome.state, (0,))[0]
            found = planner.look(memory, legal, stopping) if len(legal) > 1 else None
            chances = [1.0] * len(legal) if found is None else final_chances(found, planner.final).tolist()
            action = rng.choices(legal, chances)[0]
            tally.decisions += 1
            if stopping():
                return tally.leave()
            outcome = rules.drawn(outcome.state, (action,), rng)
            tally.gained += scale * float(rules.paid(outcome)[0])
            scale *= planner.game.discount
            tally.steps += 1
            if rules.actors(outcome.state):  # what is seen of the end is of no more use
                memory = planner.update(memory, action, rules.observed(outcome, 0))
        tally.truncated, tally.let_go = bool(rules.actors(outcome.state)), planner.skipped(memory)
        return tally


def steps_that_count(discount: float) -> int:
    """How long a game is followed."""
    return min(MOST_STEPS, ceil(log(FADED) / log(discount))) if discount < 1 else MOST_STEPS


@dataclass
class SearchedGame:
    """What came of one game."""

    gained: float = 0.0  # discounted
    steps: int = 0
    decisions: int = 0
    truncated: bool = False  # whether it was not followed to its end
    let_go: int = 0  # observations that no particle could show
    left: bool = False  # whether it was asked to stop

    def leave(self) -> SearchedGame:
        """Stop here."""
        self.left = True
        return self
