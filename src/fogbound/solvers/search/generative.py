"""Generative models: what planners that only sample ask of a problem of one player.

A simulator is one (`simulators.checked.CheckedSimulator`). Any other game of one player gives one: its rules are asked
once for each state and action that samples meet, and draws are looked up from then on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator

from fogbound.core.errors import FormError, LimitError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.simulator import RuleSimulator
from fogbound.simulators.checked import SimulatedStep
from fogbound.simulators.game import SimulatedGame
from fogbound.solvers.search.simulator import INFORMED, CompiledSimulator, modelled_simulator

MOST_ROWS = 500_000  # states with an action whose outcomes are remembered


class GenerativeModel(Protocol):
    """A problem of one player that can be sampled."""

    @property
    def spec(self) -> str: ...

    @property
    def discount(self) -> float: ...

    @property
    def has_density(self) -> bool: ...  # whether observations can be weighed

    @property
    def has_value(self) -> bool: ...  # whether states have an estimate

    @property
    def has_upper(self) -> bool: ...  # whether states have an upper bound

    @property
    def has_rollout(self) -> bool: ...  # whether it has a rollout policy of its own

    def initial(self, rng: Generator) -> Any: ...

    def legal(self, state: Any) -> tuple[Hashable, ...]: ...

    def step(self, state: Any, action: Hashable, rng: Generator) -> SimulatedStep: ...

    def density(self, state: Any, action: Hashable, following: Any, observation: Any) -> float:
        """How likely an observation is after a step, up to a factor that depends on the observation alone."""
        ...

    def estimate(self, state: Any) -> float: ...  # of the return from a state on

    def upper(self, state: Any) -> float: ...  # bound of the return from a state on

    def rollout(self, state: Any, rng: Generator) -> Hashable: ...  # the action of the rollout policy

    def remembered(self, observation: Any) -> Hashable: ...  # an observation as a value

    def observed(self, remembered: Hashable) -> Any: ...  # and back


class OutcomeRow(NamedTuple):
    """The outcomes of an action in a state, and how likely each observation is after the state that followed."""

    steps: list[SimulatedStep]
    upto: list[float]
    likelihood: dict[tuple[Any, Any], float]


class RuleModel:
    """A game of one player as a generative model.

    Parameters
    ----------
    game
        The game, which lists its outcomes.
    """

    has_density, has_rollout = True, False

    def __init__(self, game: AnyGame) -> None:
        self.game, self.rules = game, RuleSimulator(game)
        self._rows: dict[tuple[Any, Hashable], OutcomeRow] = {}
        self._legal: dict[Any, tuple[Hashable, ...]] = {}
        self._bounds: dict[Any, float] = {}

    @property
    def spec(self) -> str:
        return self.rules.spec

    @property
    def discount(self) -> float:
        return self.game.discount

    @cached_property
    def informed(self) -> CompiledSimulator | None:
        """What bounds the value of states; None where nothing does."""
        try:
            found = modelled_simulator(self.game, 0, {})
        except (FormError, LimitError):
            return None
        return found if found.leaf == INFORMED else None

    @property
    def has_value(self) -> bool:
        return self.informed is not None

    @property
    def has_upper(self) -> bool:
        return self.informed is not None

    def initial(self, rng: Generator) -> Any:
        return self.rules.opening().sample(rng).state

    def legal(self, state: Any) -> tuple[Hashable, ...]:
        known = self._legal.get(state)
        if known is None:
            known = self._legal[state] = self.rules.legal(state, (0,))[0]
        return known

    def step(self, state: Any, action: Hashable, rng: Generator) -> SimulatedStep:
        row = self._rows.get((state, action)) or self._row(state, action)
        return row.steps[bisect_right(row.upto, rng.random())] if row.upto else row.steps[0]

    def density(self, state: Any, action: Hashable, following: Any, observation: Any) -> float:
        row = self._rows.get((state, action)) or self._row(state, action)
        return row.likelihood.get((following, observation), 0.0)

    def upper(self, state: Any) -> float:
        """The fast informed bound, or what compiled rules know."""
        known = self._bounds.get(state)
        if known is None:
            known = self._bounds[state] = self._bound(state)
        return known

    def estimate(self, state: Any) -> float:
        return self.upper(state)

    def rollout(self, state: Any, rng: Generator) -> Hashable:
        legal = self.legal(state)
        return legal[int(rng.random() * len(legal))]

    def remembered(self, observation: Observation) -> Observation:
        return observation

    def observed(self, remembered: Hashable) -> Any:
        return remembered

    def _bound(self, state: Any) -> float:
        assert self.informed is not None
        compiled = self.informed.compiled
        row, worths = compiled.state_row(state), np.zeros(compiled.most_actions)
        if row is None:  # nothing is left to be paid
            return 0.0
        return float(worths[: compiled.worths(compiled.rules, np.array(row, np.int64), 0, worths)].max())

    def _row(self, state: Any, action: Hashable) -> OutcomeRow:
        """Ask the rules, and remember."""
        steps, chances = [], []
        joint, arrived = dict[tuple[Any, Any], float](), dict[Any, float]()
        for outcome, p in self.rules.outcomes(state, (action,)).pairs:
            if p > 0:
                seen, after = self.rules.observed(outcome, 0), outcome.state
                reward, done = float(self.rules.paid(outcome)[0]), not self.rules.actors(after)
                steps.append(SimulatedStep(after, seen, reward, done))
                chances.append(p)
                joint[after, seen] = joint.get((after, seen), 0.0) + p
                arrived[after] = arrived.get(after, 0.0) + p
        likelihood = {(after, seen): p / arrived[after] for (after, seen), p in joint.items()}
        if len(self._rows) >= MOST_ROWS:
            self._rows.clear()
        row = self._rows[state, action] = OutcomeRow(steps, list(accumulate(chances[:-1])), likelihood)
        return row


def generative_model(game: AnyGame, who: str) -> GenerativeModel:
    """The generative model of a game of one player; FormError, in the name of the planner, where there are more."""
    if isinstance(game, SimulatedGame):
        return game.checked
    if len(game.players) != 1:
        raise FormError(
            f"{who} plans for one player alone, and {game} has {len(game.players)}; pomcp models the others"
        )
    return RuleModel(game)
