"""A simulator asked with care: what its author returns is checked, and what is wrong is said in one line."""

from __future__ import annotations

from collections.abc import Hashable
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from fogbound.core.contract import require_discount
from fogbound.core.errors import FogboundError, GameError, brief, raised
from fogbound.simulators.simulator import Simulator

STEP = "(next state, observation, reward, done)"


class ArrayObservation(tuple[Any, ...]):
    """An array that was observed, as a value that can be compared and remembered; `np.array` gives it back."""

    __slots__ = ()


class SimulatedStep(NamedTuple):
    """What one step came to; the observation is as the author returned it."""

    state: Any
    observation: Any
    reward: float
    done: bool


class CheckedSimulator:
    """Asks a simulator, and refuses what breaks its contract.

    Parameters
    ----------
    simulator
        The author's model.
    """

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        require_discount(simulator, simulator.discount, GameError)
        players = simulator.players
        if not isinstance(players, tuple) or len(players) != 1 or not isinstance(players[0], str):
            raise GameError(f"{simulator}: players is {brief(players)}, expected one name in a tuple")
        self._step, self._density = simulator.step, simulator.observation_density
        self._fixed = None if callable(simulator.actions) else self._listed(simulator.actions, None)

    @property
    def spec(self) -> str:
        return str(self.simulator)

    @property
    def discount(self) -> float:
        return float(self.simulator.discount)

    @property
    def has_density(self) -> bool:
        return self.simulator.has_density

    @property
    def has_value(self) -> bool:
        return self.simulator.has_value

    @property
    def has_upper(self) -> bool:
        return self.simulator.has_upper

    @property
    def has_lower(self) -> bool:
        return self.simulator.has_lower

    @property
    def has_rollout(self) -> bool:
        return self.simulator.has_rollout

    def initial(self, rng: Generator) -> Any:
        """A first state."""
        try:
            return self.simulator.initial(rng)
        except Exception as error:
            raise self._failed("initial", error) from error

    def legal(self, state: Any) -> tuple[Hashable, ...]:
        """The actions of a state."""
        if self._fixed is not None:
            return self._fixed
        try:
            offered = self.simulator.actions(state)
        except Exception as error:
            raise self._failed("actions", error) from error
        return self._listed(offered, state)

    def step(self, state: Any, action: Hashable, rng: Generator) -> SimulatedStep:
        """One step drawn."""
        try:
            made = self._step(state, action, rng)
        except Exception as error:
            raise self._failed("step", error) from error
        if type(made) is not tuple or len(made) != 4:
            raise GameError(f"{self.simulator}: step returned {brief(made)}, expected {STEP}")
        following, observation, reward, done = made
        if type(reward) is not float or not isfinite(reward):
            reward = self._number("step returned the reward", reward)
        if done is not False and done is not True:
            if not isinstance(done, np.bool_):
                raise GameError(f"{self.simulator}: step returned {brief(done)} as done, expected True or False")
            done = bool(done)
        return SimulatedStep(following, observation, reward, done)

    def density(self, state: Any, action: Hashable, following: Any, observation: Any) -> float:
        """How likely an observation is, up to a factor."""
        try:
            found = self._density(state, action, following, observation)
        except Exception as error:
            raise self._failed("observation_density", error) from error
        if type(found) is not float or not 0.0 <= found < np.inf:
            found = self._number("observation_density returned", found)
            if found < 0:
                raise GameError(f"{self.simulator}: observation_density returned {found}, expected 0 or more")
        return found

    def estimate(self, state: Any) -> float:
        """The author's estimate of the return from a state on."""
        return self._valued("value", self.simulator.value, state)

    def upper(self, state: Any) -> float:
        """The author's upper bound of the return from a state on."""
        return self._valued("upper", self.simulator.upper, state)

    def lower(self, state: Any) -> float:
        """The author's lower bound of the return from a state on."""
        return self._valued("lower", self.simulator.lower, state)

    def rollout(self, state: Any, rng: Generator) -> Hashable:
        """The action of the rollout policy."""
        try:
            action: Hashable = self.simulator.rollout(state, rng)
        except Exception as error:
            raise self._failed("rollout", error) from error
        return action

    def remembered(self, observation: Any) -> Hashable:
        """An observation as a value: arrays become tuples, and what cannot be hashed is refused."""
        if isinstance(observation, np.ndarray):
            return ArrayObservation(_nested(observation.tolist())) if observation.ndim else observation.item()
        try:
            hash(observation)
        except TypeError as error:
            kind = type(observation).__name__
            raise GameError(
                f"{self.simulator}: step returned the observation {brief(observation)}, a {kind}, expected a number, a "
                "word, a tuple of these or an array"
            ) from error
        found: Hashable = observation
        return found

    def observed(self, remembered: Hashable) -> Any:
        """An observation as the author's own methods know it."""
        return np.array(remembered) if isinstance(remembered, ArrayObservation) else remembered

    def _valued(self, called: str, method: Any, state: Any) -> float:
        try:
            found = method(state)
        except Exception as error:
            raise self._failed(called, error) from error
        return self._number(f"{called} returned", found)

    def _listed(self, offered: Any, state: Any) -> tuple[Hashable, ...]:
        where = "" if state is None else f" at state {brief(state)}"
        if not isinstance(offered, list | tuple | range | np.ndarray) or not len(offered):
            raise GameError(f"{self.simulator}: actions are {brief(offered)}{where}, expected a list of at least one")
        listed = tuple(offered.tolist() if isinstance(offered, np.ndarray) else offered)
        if len({*map(self._action, listed)}) != len(listed):
            raise GameError(f"{self.simulator}: actions are {brief(offered)}{where}, which hold one action twice")
        return listed

    def _action(self, action: Any) -> Hashable:
        try:
            hash(action)
        except TypeError as error:
            raise GameError(f"{self.simulator}: the action {brief(action)} cannot be hashed: use a tuple") from error
        found: Hashable = action
        return found

    def _number(self, what: str, found: Any) -> float:
        if not isinstance(found, Real) or isinstance(found, bool) or not isfinite(found):
            raise GameError(f"{self.simulator}: {what} {brief(found)}, expected a finite number")
        return float(found)

    def _failed(self, method: str, error: Exception) -> FogboundError:
        if isinstance(error, FogboundError):
            return error
        return GameError(f"{self.simulator}: {method} raised {raised(error)}")


def _nested(values: list[Any]) -> tuple[Any, ...]:
    """Lists of lists as tuples of tuples."""
    return tuple([_nested(value) if isinstance(value, list) else value for value in values])
