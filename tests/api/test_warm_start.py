"""Beginning from an answer: as close as it was, and nothing of what it says is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import SpecError
from fogbound.solvers.pomdp.hsvi import warm_start

SWEEPS = ["cfr-plus", "dcfr", "predictive-cfr", "cfr(sampling=full)"]


@pytest.mark.parametrize("solver", SWEEPS)
@pytest.mark.parametrize("game", ["card-poker(ranks=3)", "goofspiel(cards=3)"])
def test_regret_minimisers_begin_as_close_as_their_start(game, solver, tmp_path):
    before = fb.solve(game, solver, iterations=300).save(tmp_path / "before.npz")
    for start in (before, tmp_path / "before.npz", [before.policy(0), before.policy(1)]):
        first = fb.solve(game, solver, iterations=1, start=start)
        assert first.trace[0].gap == pytest.approx(before.gap, abs=1e-9)
    later = fb.solve(game, solver, iterations=200, start=before)
    assert later.gap <= 2 * before.gap + 1e-9
    assert later.certified == "both"


@pytest.mark.parametrize("solver", ["shapley", "hoffman-karp"])
def test_markov_games_begin_from_the_values_of_their_start(solver):
    before = fb.solve("random-markov(seed=3, zero_sum=true)", solver, gap=1e-8)
    after = fb.solve("random-markov(seed=3, zero_sum=true)", solver, gap=1e-6, start=before)
    assert after.iterations < before.iterations
    assert after.value == pytest.approx(before.value, abs=1e-5)
    assert after.certified == "both"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("solver", [*SWEEPS, "shapley"])
@pytest.mark.parametrize("seed", range(5))
def test_a_bad_start_costs_time_and_never_truth(solver, seed):
    """Bounds hold whatever a run begins from: here play at random, in an answer that claims to be exact."""
    game = "random-markov(zero_sum=true)" if solver == "shapley" else f"random(seed={seed}, depth=3, zero_sum=true)"
    truth = fb.solve(game, "hoffman-karp" if solver == "shapley" else "sequence-lp", gap=1e-9).value
    forged = replace(fb.solve(game, solver, iterations=2), value=99.0, lower=99.0, upper=99.0, gap=0.0)
    forged.profile.update({0: fb.policies.Uniform(), 1: fb.policies.Uniform()})
    for iterations in (1, 2, 30):
        found = fb.solve(game, solver, iterations=iterations, start=forged)
        assert found.lower - 1e-9 <= truth <= found.upper + 1e-9


POMDP_SOLVERS = ["sarsop", "hsvi", "sarsop(policy=vectors)"]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("solver", POMDP_SOLVERS)
@pytest.mark.parametrize("game", ["tiger", "rock-sample(size=3, rocks=2)", "horizon(tiger, 6)"])
def test_searches_over_beliefs_begin_with_what_their_start_earns(game, solver, tmp_path):
    before = fb.solve(game, solver, iterations=40).save(tmp_path / "before.npz")
    for start in (before, tmp_path / "before.npz", [before.policy()]):
        first = fb.solve(game, solver, iterations=1, start=start).trace[0]
        assert first.lower == pytest.approx(before.lower, abs=1e-7)
    cold, warm = (fb.solve(game, solver, gap=1e-6, start=start) for start in (None, before))
    assert warm.value == pytest.approx(cold.value, abs=2e-6)
    assert warm.certified == "both"


def test_a_good_start_saves_trials():
    """Half of the gap is there at once."""
    game = "rock-sample(size=3, rocks=3)"
    before = fb.solve(game, "sarsop", gap=1e-6, certify=False)
    cold, warm = (fb.solve(game, "sarsop", gap=4.0, start=start, certify=False) for start in (None, before))
    assert warm.iterations < cold.iterations


@pytest.mark.parametrize("solver", ["sarsop", "sarsop(policy=vectors)"])
def test_a_start_is_played_in_the_model_at_hand(solver, tmp_path):
    """A policy for a tiger that is heard well earns less where it is not, and begins with what it earns there."""
    good = fb.solve("tiger(accuracy=0.85)", "sarsop")
    earned = fb.evaluation.value(fb.game("tiger(accuracy=0.83)"), good.policy())[0]
    start = fb.solve("tiger(accuracy=0.85)", solver).save(tmp_path / "good.npz")
    for given in (start, start.policy()) if "vectors" in solver else (start, start.policy(), tmp_path / "good.npz"):
        first = fb.solve("tiger(accuracy=0.83)", "sarsop", iterations=1, start=given).trace[0]
        assert first.lower == pytest.approx(earned, abs=1e-6)
        assert first.lower < good.lower - 1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("solver", ["sarsop", "hsvi"])
@pytest.mark.parametrize("seed", range(4))
def test_vectors_that_promise_too_much_are_not_believed(solver, seed):
    """What is begun with is what their play earns: never more than there is to be had, and a true bound."""
    form = fb.forms.pomdp(fb.game("rock-sample(size=2, rocks=2)"))
    truth, rng = fb.solve(form, "sarsop", gap=1e-9).value, np.random.default_rng(seed)
    for height in (1.0, 1e3, 1e9):
        vectors = fb.policies.AlphaVectors(
            form, height * rng.random((40, form.size)), rng.integers(0, len(form.actions), 40)
        )
        first = fb.solve(form, solver, iterations=1, start=vectors)
        assert first.trace[0].lower <= truth + 1e-9
        assert first.lower - 1e-9 <= truth <= first.upper + 1e-9


def test_plans_that_are_too_long_go_on_with_the_best_there_is(monkeypatch):
    """Beyond the limit nodes stand in for others, and blind ones where there is none: still a true bound."""
    game, before = "rock-sample(size=3, rocks=2)", fb.solve("rock-sample(size=3, rocks=2)", "sarsop")
    for most in (1, 2, 5, 20):
        monkeypatch.setattr(warm_start, "MOST_NODES", most)
        first = fb.solve(game, "sarsop", iterations=1, start=before).trace[0]
        assert first.lower <= before.upper + 1e-9
    assert first.lower == pytest.approx(before.lower, rel=0.2)


def test_searches_over_beliefs_begin_from_anything_that_plays():
    value = fb.solve("tiger", "sarsop").value
    found = fb.solve("tiger", "sarsop", gap=1e-3, start="uniform")
    assert found.value == pytest.approx(value, abs=1e-3)


def test_who_cannot_begin_from_an_answer_says_so(tmp_path, capsys):
    tiger = fb.solve("tiger", "sarsop").save(tmp_path / "tiger.npz")
    with pytest.raises(SpecError, match=r"pbvi cannot begin from a solution; those that can.*sarsop, hsvi"):
        fb.solve("tiger", "pbvi", start=tiger)
    with pytest.raises(SpecError, match=r"mccfr cannot begin from a solution; those that can: cfr\(sampling=full\)"):
        fb.solve("king-ace", "mccfr", start="uniform")
    with pytest.raises(SpecError, match="is a solution of tiger"):
        fb.solve("king-ace", "cfr-plus", start=tmp_path / "tiger.npz")
    with pytest.raises(SpecError, match="start has no policy for second"):
        fb.solve("king-ace", "cfr-plus", start={0: "uniform"})
    assert main(["solve", "tiger", "--with", "pbvi", "--start", f"{tmp_path}/tiger.npz"]) == 2
    assert "cannot begin from a solution" in capsys.readouterr().err


def test_a_run_begins_from_an_answer_or_goes_on(tmp_path):
    fb.solve("king-ace", "cfr-plus", iterations=5, checkpoint=tmp_path / "run.npz")
    with pytest.raises(SpecError, match="begins from a solution or goes on from a checkpoint, not both"):
        fb.solve("king-ace", "cfr-plus", iterations=9, resume=tmp_path / "run.npz", start="uniform")


def test_a_run_that_began_warm_can_be_gone_on_with(tmp_path):
    """A checkpoint of it holds all that is needed: the same bits as without a break."""
    before = fb.solve("leduc", "cfr-plus", iterations=20, certify=False)
    whole = fb.solve("leduc", "cfr-plus", iterations=30, start=before, certify=False)
    fb.solve("leduc", "cfr-plus", iterations=10, start=before, checkpoint=tmp_path / "run.npz", certify=False)
    rest = fb.solve("leduc", "cfr-plus", iterations=30, resume=tmp_path / "run.npz", certify=False)
    assert rest.iterations == whole.iterations == 30
    assert rest.gap == pytest.approx(whole.gap, rel=1e-9)


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "leduc", "--with", "cfr-plus", "--iterations", "60", "-o", "a.npz", "--no-certify"]) == 0
    assert main(["solve", "leduc", "--with", "cfr-plus", "--iterations", "1", "--start", "a.npz", "--no-certify"]) == 0
    assert fb.load("a.npz").gap < 0.1
    assert "iteration limit after 1 step," in capsys.readouterr().out


def test_a_search_that_began_warm_can_be_gone_on_with(tmp_path):
    before, game = fb.solve("tiger", "sarsop", iterations=20, certify=False), "tiger"
    whole = fb.solve(game, "sarsop", iterations=60, start=before, certify=False)
    fb.solve(game, "sarsop", iterations=30, start=before, checkpoint=tmp_path / "run.npz", certify=False)
    rest = fb.solve(game, "sarsop", iterations=60, resume=tmp_path / "run.npz", certify=False)
    assert (rest.lower, rest.upper) == pytest.approx((whole.lower, whole.upper), rel=1e-9)
