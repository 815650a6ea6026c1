"""A Gymnasium environment whose state can be set, as a simulator: planners search in it.

Needs the extra `fogbound[environments]`. Wrappers are passed by: what they remember, such as a time limit, is no part
of the state that is set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.random import Generator

from fogbound.core.errors import SpecError, brief
from fogbound.interop.extra import environments_extra
from fogbound.simulators.simulator import Simulator

with environments_extra():
    import gymnasium

SEEDS = 2**31

Density = Callable[[Any, Any, Any, Any], float]  # of (state, action, next state, observation)


class EnvironmentSimulator(Simulator):
    """The environment as a model of one player; a step sets the state, the generator, and steps.

    Parameters
    ----------
    env
        The environment, with a discrete action space.
    get_state
        The state of the environment, as a value of its own: a copy.
    set_state
        Puts the environment into such a state.
    discount
        Step t pays discount**t.
    density
        How likely an observation is after (state, action, next state); None: not known.

    Examples
    --------
    >>> env = gymnasium.make("CartPole-v1")
    >>> def put(env, state):
    ...     env.state = state.copy()
    ...     env.steps_beyond_terminated = None
    >>> pole = EnvironmentSimulator(env, lambda env: env.state.copy(), put, discount=0.99)
    >>> str(pole), list(pole.actions)
    ('CartPole-v1', [0, 1])
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        get_state: Callable[[Any], Any],
        set_state: Callable[[Any, Any], None],
        discount: float = 1.0,
        density: Density | None = None,
    ) -> None:
        space = env.action_space
        if not isinstance(space, gymnasium.spaces.Discrete):
            raise SpecError(f"{env}: the action space is {brief(space)}, expected Discrete")
        self.env, self.get_state, self.set_state, self.density = env.unwrapped, get_state, set_state, density
        self.discount = discount
        self.actions = [int(space.start) + k for k in range(int(space.n))]
        self._name = env.spec.id if env.spec is not None else type(self.env).__name__

    def initial(self, rng: Generator) -> Any:
        self.env.reset(seed=int(rng.integers(SEEDS)))
        return self.get_state(self.env)

    def step(self, state: Any, action: Any, rng: Generator) -> tuple[Any, Any, float, bool]:
        self.set_state(self.env, state)
        self.env.np_random = rng
        observation, reward, ended, _, _ = self.env.step(action)
        return self.get_state(self.env), observation, float(reward), bool(ended)

    def observation_density(self, state: Any, action: Any, next_state: Any, observation: Any) -> float:
        assert self.density is not None
        return self.density(state, action, next_state, observation)

    @property
    def has_density(self) -> bool:
        return self.density is not None

    def __str__(self) -> str:
        return self._name
