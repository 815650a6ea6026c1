"""Accelerated sweeps against one linear system."""

import numpy as np
import pytest

from fogbound.solvers.pomdp.acceleration import settle


def process(size=40, discount=0.9999):
    rng = np.random.default_rng(3)
    moves, reward = rng.dirichlet(np.ones(size), size) * discount, rng.normal(size=size)
    swept = []

    def sweep(own):
        after = reward + moves @ own
        change = float(np.abs(after - own).max())
        own[:] = after
        swept.append(change)
        return change

    return sweep, swept, np.linalg.solve(np.eye(size) - moves, reward)


def test_accelerated_sweeps_find_what_one_system_finds():
    sweep, swept, exact = process()
    value = np.zeros(len(exact))
    assert settle(sweep, value, 1e-9, 500, lambda: True) <= 1e-9
    assert value == pytest.approx(exact, abs=1e-3)
    assert len(swept) < 100  # plain ones would take some 100,000


def test_sweeps_end_in_time_with_the_change_that_is_left():
    sweep, swept, exact = process()
    value = np.zeros(len(exact))
    assert settle(sweep, value, 0.0, 500, lambda: len(swept) < 3) == swept[-1]
    assert len(swept) == 3
