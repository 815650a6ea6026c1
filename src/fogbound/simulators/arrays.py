"""Simulators written as compiled functions alone: plain methods and searches run the same machine code."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fogbound.simulators.simulator import Simulator

if TYPE_CHECKING:
    from numpy.random import Generator

    from fogbound.compiled.asking_sampled import RowArrays
    from fogbound.compiled.sampled_rules import SampledRules


class ArraySimulator(Simulator):
    """A simulator whose states and observations are rows of numbers, and whose step is a compiled function.

    An author writes `compiled_rules()` (`fogbound.compiled.sampled_rules`) and a list of actions; the methods of
    `Simulator` follow from it. A row of one number is shown as that number.
    """

    @abstractmethod
    def compiled_rules(self) -> SampledRules:
        """The compiled functions, with their constants."""

    @cached_property
    def compiled(self) -> SampledRules:
        """The compiled functions, made once."""
        return self.compiled_rules()

    @cached_property
    def _room(self) -> RowArrays:
        from fogbound.compiled.asking_sampled import row_arrays

        return row_arrays(self.compiled)

    def initial(self, rng: Generator) -> Any:
        from fogbound.compiled.asking_sampled import ask_initial

        self._seeded(rng)
        ask_initial(self.compiled.functions["initial"], self.compiled.rules, self._room)
        return self._shown(self._room.state)

    def step(self, state: Any, action: Any, rng: Generator) -> tuple[Any, Any, float, bool]:
        from fogbound.compiled.asking_sampled import ask_step

        room = self._seeded(rng)
        room.before[:] = state
        over = ask_step(self.compiled.functions["step"], self.compiled.rules, room, self._place(action))
        return self._shown(room.state), self._shown(room.seen), float(room.rewards[0]), bool(over)

    def observation_density(self, state: Any, action: Any, next_state: Any, observation: Any) -> float:
        from fogbound.compiled.asking_sampled import ask_density

        room = self._room
        room.before[:], room.state[:], room.seen[:] = state, next_state, observation
        functions, place = self.compiled.functions, self._place(action)
        return float(ask_density(functions["observation_density"], self.compiled.rules, room, place))

    def value(self, state: Any) -> float:
        return self._valued("value", state)

    def upper(self, state: Any) -> float:
        return self._valued("upper", state)

    def lower(self, state: Any) -> float:
        return self._valued("lower", state)

    def rollout(self, state: Any, rng: Generator) -> Any:
        from fogbound.compiled.asking_sampled import ask_rollout

        if not self.has_rollout:
            return super().rollout(state, rng)
        room = self._seeded(rng)
        room.state[:] = state
        return self.compiled.actions[ask_rollout(self.compiled.functions["rollout"], self.compiled.rules, room)]

    def _valued(self, name: str, state: Any) -> float:
        from fogbound.compiled.asking_sampled import ask_value

        self._room.state[:] = state
        return float(ask_value(self.compiled.functions[name], self.compiled.rules, self._room))

    def _seeded(self, rng: Generator) -> RowArrays:
        """Room whose stream of random numbers the generator seeds."""
        self._room.random[0] = rng.integers(2**63)
        return self._room

    def _place(self, action: Any) -> int:
        return self.compiled.actions.index(action)

    def _shown(self, row: Any) -> Any:
        from fogbound.compiled.sampled_rules import plain_value

        return plain_value(row)

    @property
    def has_density(self) -> bool:
        return self.compiled.has("observation_density")

    @property
    def has_value(self) -> bool:
        return self.compiled.has("value")

    @property
    def has_upper(self) -> bool:
        return self.compiled.has("upper")

    @property
    def has_lower(self) -> bool:
        return self.compiled.has("lower")

    @property
    def has_rollout(self) -> bool:
        return self.compiled.has("rollout")
