"""Some equilibrium of a game of three to five players with five actions each: regret as small as floats tell."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.games.matrix_game import MatrixGame

SOLVERS = ("double-oracle", "quantal-response")


def nested(table):
    return tuple(map(nested, table)) if isinstance(table, list) else table


def drawn(seed, opposed):
    """Payoffs drawn apart, or such that in every cell they nearly add up to 0, where pure equilibria are rare."""
    rng, players = np.random.default_rng(seed), 3 + seed % 3
    pay = rng.normal(size=(5,) * players + (players,)) if opposed else rng.random((5,) * players + (players,))
    return MatrixGame(payoffs=nested((pay - 0.95 * opposed * pay.mean(axis=-1, keepdims=True)).tolist()))


@pytest.mark.parametrize("solver", SOLVERS)
def test_three_players_with_five_actions_each(solver):
    found = fb.solve(drawn(3, True), solver)
    assert found.gap <= 1e-12
    assert found.certified == "both"


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("opposed", [False, True])
def test_three_to_five_players_with_five_actions_each(solver, opposed):
    for seed in range(20 if opposed else 50):
        found = fb.solve(drawn(seed, opposed), solver)
        assert found.gap <= 1e-11, (seed, found.gap)
        assert found.certified == "both"


def test_a_table_is_read_once():
    """The table was once checked anew at every step: 625 cells took minutes."""
    game = drawn(4, False)
    assert game.table is game.table
