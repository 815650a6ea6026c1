"""Beginning from an answer: as close as it was, and nothing of what it says is believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import SpecError

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


def test_who_cannot_begin_from_an_answer_says_so(tmp_path, capsys):
    tiger = fb.solve("tiger", "sarsop").save(tmp_path / "tiger.npz")
    with pytest.raises(SpecError, match="sarsop cannot begin from a solution; those that can"):
        fb.solve("tiger", "sarsop", start=tiger)
    with pytest.raises(SpecError, match="mccfr samples, and cannot begin from a solution"):
        fb.solve("king-ace", "mccfr", start="uniform")
    with pytest.raises(SpecError, match="is a solution of tiger"):
        fb.solve("king-ace", "cfr-plus", start=tmp_path / "tiger.npz")
    with pytest.raises(SpecError, match="start has no policy for second"):
        fb.solve("king-ace", "cfr-plus", start={0: "uniform"})
    assert main(["solve", "tiger", "--with", "sarsop", "--start", f"{tmp_path}/tiger.npz"]) == 2
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
    assert "iterations after 1 step," in capsys.readouterr().out
