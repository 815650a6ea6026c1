"""Levels are recovered from what they do: every level's own logs rank its behavioural class first."""

from __future__ import annotations

import pytest

from fogbound.arena.log import record_until
from fogbound.games import make
from fogbound.inference.levels.opponent import candidates, posterior
from fogbound.policies import trembling, uniform_mixture
from fogbound.solvers.level_k.hierarchy import solve_levels

TOP, GAMES, SLIPS = 15, 30, 0.02
NIM = make("po-nim(n=3)")


@pytest.fixture(scope="module")
def players():
    climbed = solve_levels(NIM, TOP)
    return [[climbed.policy(level, player, slips=1) for level in range(TOP + 1)] for player in (0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("shown", [True, False])
def test_the_true_class_comes_first(players, player, shown):
    """Opponents are of all levels: against random play alone, neighbouring levels seldom come to differ."""
    them = candidates(NIM, player, players[player])
    other = trembling(uniform_mixture(players[1 - player]), SLIPS)
    for level, policy in enumerate(players[player]):
        pair = (trembling(policy, SLIPS), other) if player == 0 else (other, trembling(policy, SLIPS))
        log = record_until(NIM, pair, GAMES, seed=100 + level)
        found = posterior(them, log, rate=SLIPS, view=None if shown else 1 - player)
        best = max(range(len(them.classes)), key=lambda k: found.by_class[k])
        assert level in them.classes[best]
