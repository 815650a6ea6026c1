"""Levels are recovered from what they do: every level's own logs rank its behavioural class first."""

from __future__ import annotations

import pytest

from fogbound.arena import levels
from fogbound.games import make
from fogbound.policies import trembling, uniform_mixture
from fogbound.solvers.ladder import climb

TOP, GAMES, SLIPS = 15, 30, 0.02
NIM = make("po-nim(n=3)")


@pytest.fixture(scope="module")
def players():
    climbed = climb(NIM, TOP)
    return [[climbed.policy(level, seat, slips=1) for level in range(TOP + 1)] for seat in (0, 1)]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("shown", [True, False])
def test_the_true_class_comes_first(players, seat, shown):
    """Opponents are of all levels: against random play alone, neighbouring levels seldom come to differ."""
    them = levels.candidates(NIM, seat, players[seat])
    other = trembling(uniform_mixture(players[1 - seat]), SLIPS)
    for level, policy in enumerate(players[seat]):
        pair = (trembling(policy, SLIPS), other) if seat == 0 else (other, trembling(policy, SLIPS))
        log = levels.record_until(NIM, pair, GAMES, seed=100 + level)
        found = levels.posterior(them, log, rate=SLIPS, view=None if shown else 1 - seat)
        best = max(range(len(them.classes)), key=lambda k: found.probability[k])
        assert level in them.classes[best]
