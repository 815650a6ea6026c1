"""Compiled rules of a simulator: its step as functions on rows of numbers, which searches call without Python.

A state is a row of float64 numbers (whole numbers are exact up to 2**53), and so is an observation. The functions are
marked `@rule` like those of games (`compiled/rules.py`), are handed `rules.integers` and `rules.numbers` first, and
take all randomness from `random`, the state of a stream (`compiled/draws.py`: `uniform`, `standard_normal`, `below`):

- `initial(rules, random, state)` writes a first state; returns 0.
- `step(rules, state, action, random, rewards, seen)` makes `state` the next one, writes the reward to `rewards[0]` and
  what is observed to `seen`; returns 1 where the episode is over, else 0. `action` is a place in the list of actions.

Optional, with the meaning of the methods of `Simulator`:

- `observation_density(rules, before, action, state, seen)`, needed by `pomcpow` and `pft-dpw`.
- `value(rules, state)`, `upper(rules, state)`, `lower(rules, state)`.
- `rollout(rules, state, random)` returns the place of an action.

A step of many states at once is a kernel's loop over the rows of a matrix.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fogbound.compiled.rules import SAMPLING, Rules, rule
from fogbound.core.contract import require_discount
from fogbound.core.errors import GameError

REQUIRED = ("initial", "step")


class Missing:
    """Functions that a simulator need not have, so that kernels can be handed all."""

    @rule
    def observation_density(rules: Any, before: Any, action: Any, state: Any, seen: Any) -> Any:  # noqa: ARG002
        """Nothing known."""
        return 1.0

    @rule
    def value(rules: Any, state: Any) -> Any:  # noqa: ARG002
        """Nothing known."""
        return 0.0

    @rule
    def upper(rules: Any, state: Any) -> Any:  # noqa: ARG002
        """Nothing known."""
        return np.inf

    @rule
    def lower(rules: Any, state: Any) -> Any:  # noqa: ARG002
        """Nothing known."""
        return -np.inf

    @rule
    def rollout(rules: Any, state: Any, random: Any) -> Any:  # noqa: ARG002
        """Nothing of its own."""
        return np.int64(-1)


MISSING = {name: made for name, made in vars(Missing).items() if name in SAMPLING}


@dataclass(frozen=True, eq=False)
class SampledRules:
    """A simulator as compiled functions.

    Parameters
    ----------
    spec
        The spec of the simulator.
    discount
        Step t counts discount**t.
    actions
        All of them are legal in every state.
    rules
        The constants that all functions are handed first.
    width
        Numbers of a state.
    seen
        Numbers of an observation.
    functions
        The compiled functions by name; those that a simulator need not have are filled up.
    """

    spec: str
    discount: float
    actions: tuple[Hashable, ...]
    rules: Rules = field(repr=False)
    width: int
    seen: int
    functions: Mapping[str, Any] = field(repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount, GameError)
        if self.width < 1 or self.seen < 1:
            raise GameError(f"{self.spec}: rows of {self.width} and {self.seen} numbers, expected 1 or more of each")

    @classmethod
    def of(
        cls,
        simulator: Any,
        functions: Mapping[str, Any],
        *,
        width: int,
        seen: int,
        integers: Sequence[int] | np.ndarray = (0,),
        numbers: Sequence[float] | np.ndarray = (0.0,),
    ) -> SampledRules:
        """The compiled rules of a simulator.

        Parameters
        ----------
        simulator
            The plain simulator, of which actions and discount are taken.
        functions
            Where the functions are found by name: `vars` of a class or a module, or `globals()`.
        width, seen
            Numbers of a state, and of an observation.
        integers, numbers
            The simulator's constants.

        Returns
        -------
        SampledRules
        """
        missing = [name for name in REQUIRED if name not in functions]
        if missing:
            raise GameError(f"{simulator}: no @rule {', '.join(missing)}, expected {', '.join(REQUIRED)}")
        if callable(simulator.actions):
            raise GameError(f"{simulator}: actions depend on the state; compiled rules need a list of them")
        found = {**MISSING, **{name: functions[name] for name in SAMPLING if name in functions}}
        constants = Rules(np.array(integers, np.int64), np.array(numbers, np.float64))
        return cls(str(simulator), float(simulator.discount), tuple(simulator.actions), constants, width, seen, found)

    def has(self, name: str) -> bool:
        """Whether an optional function is the simulator's own."""
        return self.functions[name] is not MISSING.get(name)

    @property
    def has_density(self) -> bool:
        """Whether observations can be weighed."""
        return self.has("observation_density")


def plain_value(row: np.ndarray) -> Any:
    """What a row stands for: a number where it has one entry, else an array of its own."""
    return float(row[0]) if len(row) == 1 else row.copy()
