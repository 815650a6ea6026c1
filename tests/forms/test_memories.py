"""Histories summed out: horizons that no tree reaches, and the same errors where there is no game to speak of."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core import Dist, Game, Outcome
from fogbound.core.errors import FormError, GameError, LimitError
from fogbound.policies import Tabular, Uniform


@dataclass(frozen=True)
class Signals(Game):
    """Two guess a drifting bit, each from a noisy signal of its own; one wins what the other loses."""

    name = "signals"
    players = ("one", "two")

    def start(self):
        return Dist.uniform([Outcome(0), Outcome(1)])

    def actors(self, _state):
        return (0, 1)

    def actions(self, _state, _player):
        return ("zero", "one")

    def step(self, state, joint):
        hit = [("zero", "one")[state] == guess for guess in joint]
        paid = float(hit[0]) - hit[1]
        drift = {}
        for after, p in ((state, 0.75), (1 - state, 0.25)):
            for one, q in ((after, 0.8), (1 - after, 0.2)):
                for two, r in ((after, 0.6), (1 - after, 0.4)):
                    drift[Outcome(after, (paid, -paid), private=(one, two))] = p * q * r
        return Dist.of(drift)


@pytest.mark.slow
def test_a_game_of_many_histories_is_solved_and_certified(tmp_path):
    """2 states, 6 steps: hundreds of millions of nodes, few memories."""
    from fogbound.transforms.horizon import Horizon

    game = Horizon(Signals(), 5)
    with pytest.raises(LimitError):
        forms.tree(game)
    form = forms.sequence(game)
    assert isinstance(form.decisions, forms.Memories)
    assert form.constant_sum == 0.0
    found = fb.solve(form, "sequence-lp", gap=1e-9)
    assert (found.gap < 1e-9, found.certified) == (True, "both")
    assert found.value > 0.5  # the first player's signals are the better ones
    learned = fb.solve(form, "predictive-cfr", gap=1e-3, certify=False)
    assert abs(learned.value - found.value) <= 1e-3
    found.save(tmp_path / "signals.npz")
    assert fb.verify(fb.load(tmp_path / "signals.npz"), game).holds


def test_what_needs_histories_says_so():
    from fogbound.transforms.horizon import Horizon

    form = forms.sequence(Horizon(Signals(), 5))
    with pytest.raises(FormError, match="too many to be written out"):
        fb.solve(form, "mccfr", iterations=5)


def test_a_strategy_on_memories_is_a_policy():
    from fogbound.transforms.horizon import Horizon

    game = Horizon(Signals(), 2)
    form = forms.sequence(forms.memories(game))
    policy = Tabular(form.decisions, 0, form.plexes[0].uniform)
    table = forms.table(game)
    one = fb.evaluation.value(table, {0: policy, 1: Uniform()})
    two = fb.evaluation.value(table, {0: policy.controller(), 1: Uniform()})
    assert math.isclose(one[0], 0.0, abs_tol=1e-12)
    assert math.isclose(two[0], 0.0, abs_tol=1e-12)


def test_the_limit_counts_combinations():
    with pytest.raises(LimitError, match="more than 10 combinations"):
        forms.memories(fb.game("leduc"), limit=10)


def test_play_that_need_not_end_is_refused():
    with pytest.raises(FormError, match="horizon"):
        forms.memories(Signals())


@dataclass(frozen=True)
class Clash(Signals):
    """What a player may do depends on the bit, which it does not know."""

    name = "clash"

    def actions(self, state, player):
        return ("zero", "one") if player or state else ("zero",)


def test_actions_that_depend_on_what_is_not_known_are_named():
    from fogbound.transforms.horizon import Horizon

    with pytest.raises(GameError, match="one cannot tell state"):
        forms.memories(Horizon(Clash(), 2))


def test_a_game_that_is_over_at_the_start_has_memories():
    form = forms.sequence(forms.memories(fb.game("horizon(game=king-ace, steps=0)")))
    assert form.size == 2
    assert fb.evaluation.expected(form, [plex.uniform for plex in form.plexes]) == pytest.approx((0.0, 0.0))
