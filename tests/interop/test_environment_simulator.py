"""An environment with a settable state is a simulator."""

from __future__ import annotations

import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs fogbound[environments]")

import fogbound as fb  # noqa: E402
from fogbound.core.errors import FormError, SpecError  # noqa: E402
from fogbound.interop.environment_simulator import EnvironmentSimulator  # noqa: E402


def put(env, state):
    env.state = state.copy()
    env.steps_beyond_terminated = None


def pole():
    return EnvironmentSimulator(gymnasium.make("CartPole-v1"), lambda env: env.state.copy(), put, discount=0.95)


def test_it_is_planned_in():
    found = fb.solve(pole(), "pomcp(simulations=2, depth=3, games=1, particles=2)", iterations=1)
    assert found.provenance["game"] == "CartPole-v1"
    assert found.value > 5
    assert fb.match(pole(), "uniform", games=3, seed=1) == fb.match(pole(), "uniform", games=3, seed=1)


def test_what_does_not_fit_is_refused():
    with pytest.raises(SpecError, match="expected Discrete"):
        EnvironmentSimulator(gymnasium.make("Pendulum-v1"), lambda env: env.state, put)
    with pytest.raises(FormError, match="pomcpow weighs particles"):
        fb.solve(pole(), "pomcpow")
