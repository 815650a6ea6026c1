"""One game, two families: where one side sees everything, memories and the one-sided form say the same."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core import Dist, Game, Outcome
from fogbound.transforms.horizon import Horizon


@dataclass(frozen=True)
class Watched(Game):
    """A random zero-sum game in which the second player is shown all: the state, and what the first did and saw."""

    name = "watched"
    seed: int = 0
    players = ("blind", "seeing")

    def start(self):
        return Dist.of({Outcome(s, private=("-", s)): p for s, p in enumerate(self._drawn(9).dirichlet([1, 1]))})

    def actors(self, _state):
        return (0, 1)

    def actions(self, _state, player):
        return ("a", "b") if player == 0 else ("x", "y")

    def step(self, state, joint):
        drawn = self._drawn(state, "ab".index(joint[0]), "xy".index(joint[1]))
        paid, after, seen = float(drawn.integers(-4, 5)), drawn.dirichlet([1, 1]), drawn.dirichlet([1, 1], 2)
        return Dist.of({
            Outcome(s, (paid, -paid), private=(o, (s, joint[0], o))): after[s] * seen[s][o]
            for s in (0, 1) for o in (0, 1)
        })  # fmt: skip

    def _drawn(self, *where):
        return np.random.default_rng((self.seed, *where))


@pytest.mark.parametrize("seed", range(6))
def test_a_game_in_which_one_side_sees_all_is_a_one_sided_game(seed):
    game = Horizon(Watched(seed), 3)
    form = forms.one_sided(game)
    assert form.relaxed == ""
    by_beliefs = fb.solve(game, "pg-hsvi", gap=1e-4, certify=False)
    by_memories = fb.solve(forms.sequence(forms.memories(game)), "sequence-lp", gap=1e-9)
    assert by_beliefs.lower - 1e-9 <= by_memories.value <= by_beliefs.upper + 1e-9
    assert math.isclose(by_beliefs.value, by_memories.value, abs_tol=1e-4)
