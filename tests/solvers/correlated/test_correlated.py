"""Correlated equilibria against published figures, their definition written out, and each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.certificates.certificate import plain
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.evaluation import obedience
from fogbound.policies import Recommendations, recommendations
from fogbound.verify import Refused
from fogbound.verify import mediated as checker
from tests.solvers.correlated.made import Hidden, by_definition, small
from tests.verify.made import stored

TOLD = {"nothing": "correlated(coarse=true)", "strategy": "correlated", "moves": "correlated(extensive=true)"}
PROVES = {"nothing": checker.COARSE, "strategy": checker.NORMAL, "moves": checker.EXTENSIVE}
KNOWN = [  # game, solver, what the players get, source
    ("aumann", "correlated", (21 / 4, 21 / 4), "Aumann 1974; by hand: both swerve with 1/2, either alone with 1/4"),
    ("aumann", "correlated(objective=first)", (7, 2), "a pure equilibrium is best for one"),
    ("moulin-vial", "correlated", (3, 3), "Moulin and Vial 1978: no correlated equilibrium beats the pure one"),
    ("moulin-vial", "correlated(coarse=true)", None, "Moulin and Vial 1978: a promise does"),
    ("prisoners-dilemma", "correlated(coarse=true)", (1, 1), "strictly dominant strategies are all there is"),
    ("mckelvey-mclennan", "correlated", (9, 8, 12), "the best pure equilibrium is best"),
]


@pytest.mark.parametrize(("matrix", "solver", "values", "source"), KNOWN)
def test_published_figures(matrix, solver, values, source):
    found = fb.solve(f"matrix-game(matrix={matrix})", solver)
    assert found.certified == "both"
    assert found.gap < 1e-9
    assert values is None or found.details["values"] == pytest.approx(values, abs=1e-9), source
    assert values is not None or sum(found.details["values"]) > 6 + 1e-6, source
    assert found.verify()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("seed", range(12))
def test_the_program_finds_what_the_definition_says(told, seed):
    """Also that a correlation plan of pairs of sequences is one of joint strategies (von Stengel and Forges 2008)."""
    game = small(seed)
    found = fb.solve(game, TOLD[told])
    assert sum(found.details["values"]) == pytest.approx(by_definition(game, np.ones(2), told), abs=1e-7)
    assert found.gap < 1e-8
    assert found.certified == "both"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(8))
def test_who_is_told_less_before_can_be_led_further(seed):
    """Nash is correlated is extensive-form correlated is coarse: each has what the one before has."""
    game = small(seed)
    best = [sum(fb.solve(game, TOLD[told]).details["values"]) for told in ("strategy", "moves", "nothing")]
    assert best[0] <= best[1] + 1e-8
    assert best[1] <= best[2] + 1e-8
    nash = fb.solve(game, "lemke-howson")
    assert sum(nash.details["values"]) <= best[0] + 1e-8


@pytest.mark.parametrize("solver", TOLD.values())
def test_zero_sum_values_need_no_mediator(solver):
    found = fb.solve("rock-paper-scissors(biased=true)", solver)
    assert (found.value, found.answer) == (pytest.approx(0.5), "value")
    assert found.gap < 1e-9


def test_a_mediator_is_saved_drawn_and_played(tmp_path):
    game = fb.game("matrix-game(matrix=aumann)")
    fb.solve(game, "correlated").save(tmp_path / "mediator.npz")
    mediator = recommendations(fb.load(tmp_path / "mediator.npz"), game=game)
    rng = np.random.default_rng(1)
    earned = [fb.play_out(game, mediator.drawn(rng)).returns for _ in range(2_000)]
    assert np.mean(earned, axis=0) == pytest.approx([5.25, 5.25], abs=0.15)
    assert (0.0, 0.0) not in earned  # never both straight
    with pytest.raises(fb.FogboundError, match="other information sets"):
        recommendations(fb.load(tmp_path / "mediator.npz"), game=fb.game("king-ace"))


def garbage(form, rng):
    """Any draws at all."""
    sizes, count = form.decisions.set_size, int(rng.integers(1, 6))
    plan = rng.integers(0, sizes, (count, len(sizes)))
    weight = rng.normal(size=count) * 10.0 ** rng.integers(-9, 9)
    if rng.random() < 0.1:
        weight[:] = 0.0
    return plan, weight


@pytest.mark.slow
@pytest.mark.parametrize("count", [150, pytest.param(3_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("told", TOLD)
def test_garbage_gives_no_false_interval(told, count):
    rng = np.random.default_rng(7)
    games = [Hidden(1), fb.game("selten-horse"), fb.game("king-ace"), fb.game("matrix-game(matrix=shapley)")]
    for turn in range(count):
        form = forms.sequence(games[turn % len(games)])
        plan, weight = garbage(form, rng)
        given = {"plan": stored(plan), "weight": stored(weight)}
        intervals, gain = checker.gains(plain(form.tree.arrays()), given, PROVES[told])
        meant = np.maximum(weight, 0.0)
        meant = meant / meant.max() if meant.any() else np.ones(len(meant))
        measured = obedience(Recommendations(form, plan, meant / meant.sum()), told)
        for (low, high), value, best in zip(intervals, measured.values, measured.best):
            assert low <= Fraction(value + 1e-9)
            assert high >= Fraction(best - 1e-9)
            if told != "strategy":  # there strategies that differ where nobody comes are told apart
                assert abs(float(high) - best) < 1e-9
        assert float(gain) >= max(measured.regrets) - 1e-9


@pytest.mark.parametrize(
    "spoil",
    [
        lambda plan, weight: (plan + 99, weight),
        lambda plan, weight: (plan - 1, weight),
        lambda plan, weight: (plan[:0], weight[:0]),
        lambda plan, weight: (plan[:, :1], weight),
        lambda plan, weight: (plan, weight[:1]),
        lambda plan, weight: (plan, weight * np.nan),
        lambda plan, weight: (plan.astype(float), weight),
    ],
)
def test_what_is_no_mediator_is_refused(spoil):
    form = forms.sequence(fb.game("matrix-game(matrix=aumann)"))
    plan, weight = spoil(np.array([[0, 0], [1, 0]]), np.array([0.5, 0.5]))
    with pytest.raises(Refused):
        checker.gains(plain(form.tree.arrays()), {"plan": stored(plan), "weight": stored(weight)}, checker.NORMAL)


def test_a_mediator_of_another_kind_is_not_taken_for_this_one(tmp_path):
    """A promise that only holds beforehand proves nothing of players who are told."""
    game = fb.game("matrix-game(matrix=moulin-vial)")
    coarse = fb.solve(game, "correlated(coarse=true)")
    told = obedience(recommendations(coarse, game=game), "strategy")
    assert max(told.regrets) > 0.1


@pytest.mark.parametrize(
    ("game", "solver", "error", "why"),
    [
        ("myerson-poker", "correlated(extensive=true)", FormError, "has chance .* is implemented here; use correlated"),
        ("kuhn(seats=3)", "correlated(extensive=true)", FormError, "has 3 players, expected 2"),
        ("horizon(game=tiger, steps=2)", "correlated", FormError, "one player"),
        ("leduc", "correlated", LimitError, "strategies"),
        ("king-ace", "correlated(objective=nobody)", SpecError, "expected one of welfare, first, second"),
        ("king-ace", "correlated(coarse=true, extensive=true)", SpecError, "exclude each other"),
    ],
)
def test_refused_by_name(game, solver, error, why):
    with pytest.raises(error, match=why):
        fb.solve(game, solver)


def test_what_is_drawn_state_by_state_is_not_played_apart():
    once = "horizon(game=repeated(matrix=chicken), steps=1)"
    told = fb.solve(once, "markov-correlated")
    with pytest.raises(SpecError, match="the solution: markov-correlated draws anew in every state"):
        fb.match(once, told, games=2)
    with pytest.raises(SpecError, match="it does so anew in every state"):
        fb.match(once, "markov-correlated", "markov-correlated", games=2)
