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
from fogbound.solvers.search.hooks import INFORMED
from fogbound.solvers.search.simulator import CompiledSimulator, modelled_simulator

BLIND_STARTS = 20  # states from which actions that are repeated for ever are compared
MOST_SWEEPS, SETTLED = 200, 1e-6  # of the values of such an action
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
    def has_lower(self) -> bool: ...  # whether states have a lower bound

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

    def lower(self, state: Any) -> float: ...  # return of some policy that does not look at the state

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

    has_density, has_lower, has_rollout = True, True, False

    def __init__(self, game: AnyGame) -> None:
        self.game, self.rules = game, RuleSimulator(game)
        self._rows: dict[tuple[Any, Hashable], OutcomeRow] = {}
        self._legal: dict[Any, tuple[Hashable, ...]] = {}
        self._bounds: dict[Any, float] = {}
        self._blind: dict[Any, float] = {}

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
        row = self._row_of(state, action)
        return row.likelihood.get((following, observation), 0.0)

    def upper(self, state: Any) -> float:
        """The fast informed bound, or what compiled rules know."""
        known = self._bounds.get(state)
        if known is None:
            known = self._bounds[state] = self._bound(state)
        return known

    def estimate(self, state: Any) -> float:
        return self.upper(state)

    @cached_property
    def blind_action(self) -> Hashable:
        """The action that pays most when it is repeated for ever, from states in which the game may begin."""
        rng = np.random.default_rng(0)
        starts = [state for state in (self.initial(rng) for _ in range(BLIND_STARTS)) if self.rules.actors(state)]
        starts = starts or [next(state for state, _, p in self.rules.start() if p > 0 and self.rules.actors(state))]

        def worth(action: Hashable) -> float:
            known = dict[Any, float]()
            return sum(self._repeated(state, action, known) for state in starts)

        return max(self.legal(starts[0]), key=worth)

    def lower(self, state: Any) -> float:
        """Blind-policy lower bound (Hauskrecht 2000) of the one action."""
        known = self._blind.get(state)
        return self._repeated(state, self.blind_action, self._blind) if known is None else known

    def _repeated(self, state: Any, action: Hashable, known: dict[Any, float]) -> float:
        """What repeating an action is worth in a state: by Gauss and Seidel's sweeps over all states that follow."""
        if state in known:
            return known[state]
        fresh, rows = [state], dict[Any, list[tuple[Any, float, float]]]()
        for one in fresh:  # grows while it is walked
            legal = self.legal(one)
            row = self._row_of(one, action if action in legal else legal[0])
            chances = np.diff([0.0, *row.upto, 1.0]).tolist()
            rows[one] = [(None if step.done else step.state, step.reward, p) for step, p in zip(row.steps, chances)]
            fresh += {step.state for step in row.steps if not step.done} - rows.keys() - known.keys() - {*fresh}
        known.update(dict.fromkeys(rows, 0.0))
        for _ in range(MOST_SWEEPS):
            change = 0.0
            for one in reversed(fresh):
                before, known[one] = (
                    known[one],
                    sum(
                        p * (reward + (0.0 if after is None else self.discount * known[after]))
                        for after, reward, p in rows[one]
                    ),
                )
                change = max(change, abs(known[one] - before))
            if change < SETTLED:
                break
        return known[state]

    def _row_of(self, state: Any, action: Hashable) -> OutcomeRow:
        return self._rows.get((state, action)) or self._row(state, action)

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


def best_blind_action(model: GenerativeModel, depth: int) -> Hashable:
    """The action that pays most when it is repeated, from states in which an episode may begin."""
    if isinstance(model, RuleModel):
        return model.blind_action
    rng = np.random.default_rng(0)
    starts = [model.initial(rng) for _ in range(BLIND_STARTS)]
    return max(model.legal(starts[0]), key=lambda action: _played(model, starts, action, depth))


def _played(model: GenerativeModel, starts: list[Any], action: Hashable, depth: int) -> float:
    """What repeating an action brings from some states, added up, with the same random numbers for each action."""
    rng, total = np.random.default_rng(1), 0.0
    for start in starts:
        state, scale = start, 1.0
        for _ in range(depth):
            legal = model.legal(state)
            state, _, reward, done = model.step(state, action if action in legal else legal[0], rng)
            total += scale * reward
            scale *= model.discount
            if done:
                break
    return total
