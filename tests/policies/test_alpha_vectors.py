"""Value functions as answers: played, saved, read again, converted, verified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, files, forms
from fogbound.cli.main import main
from fogbound.core.errors import PolicyError
from fogbound.driver.protocol import Until
from fogbound.forms.greatest_reward import greatest_total_reward
from fogbound.policies import AlphaVectors, StoredVectors
from fogbound.solvers.pomdp.initial_bounds import model_of, qmdp_bound
from tests.run import solve


@pytest.fixture(scope="module")
def tiger():
    return forms.pomdp(fb.game("tiger"))


@pytest.fixture(scope="module")
def answer(tiger):
    return solve(fb.solver("sarsop(policy=vectors)"), tiger, Until(gap=1e-3))


@pytest.mark.slow
def test_vectors_are_worth_the_lower_bound(tiger, answer):
    assert isinstance(answer.profile[0], AlphaVectors)
    assert answer.certified == "both"
    played = evaluation.simulate(tiger, answer.profile[0], 4_000, np.random.default_rng(0), level=0.999)
    assert played.interval[1] >= answer.lower


def test_vectors_of_a_game_with_menus_and_waiting():
    game = fb.game("po-nim(n=3)")
    form = forms.pomdp(game, 0, {1: fb.policies.Uniform()})
    found = solve(fb.solver("sarsop(policy=vectors)"), form, Until(gap=1e-6))
    worth = evaluation.value(game, {0: found.profile[0], 1: fb.policies.Uniform()})[0]
    assert worth == pytest.approx(found.value, abs=1e-6)


def test_saved_and_put_on_their_model_again(tmp_path, tiger, answer):
    files.save(answer, tmp_path / "v.npz")
    stored = files.load(tmp_path / "v.npz").profile[0]
    assert isinstance(stored, StoredVectors)
    again = stored.on(tiger)
    assert np.array_equal(again.vectors, answer.profile[0].vectors)
    assert np.array_equal(again.actions, answer.profile[0].actions)
    with pytest.raises(PolicyError, match="not yet on a POMDP"):
        stored.begin(fb.Observation(None, None))
    with pytest.raises(PolicyError, match="2 states"):
        stored.on(forms.pomdp(fb.game("rock-sample(size=2, rocks=1)")))


def test_minus_infinity_survives_the_file(tmp_path):
    form = forms.pomdp(fb.game("rock-sample(size=2, rocks=1)"))
    found = solve(fb.solver("sarsop(policy=vectors)"), form, Until(gap=1e-3))
    assert np.isinf(found.profile[0].vectors).any()  # several blocks
    files.save(found, tmp_path / "v.npz")
    again = files.load(tmp_path / "v.npz").profile[0].on(form)
    assert np.array_equal(again.vectors, found.profile[0].vectors)


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "tiger", "--with", "sarsop", "--policy", "vectors", "--gap", "1e-3", "-o", "v.npz"]) == 0
    assert main(["verify", "tiger", "v.npz"]) == 0
    assert main(["show", "v.npz", "--view", "vectors", "-o", "v.svg"]) == 0
    assert main(["show", "v.npz"]) == 0
    assert "5 vectors over 2 states" in capsys.readouterr().out
    assert main(["show", "v.npz", "-o", "v.dot"]) == 2
    assert "v.dot: found the ending '.dot', expected .svg" in capsys.readouterr().err  # only controllers are graphs
    for name in ("v.alpha", "v.policy"):
        assert main(["convert", "v.npz", name, "--model", "tiger"]) == 0
        read = files.read_vectors(name, forms.pomdp(fb.game("tiger")))
        assert len(read.actions) == 5
    assert main(["match", "tiger", "v.alpha", "--games", "20"]) == 0
    assert main(["solve", "tiger", "--with", "sarsop", "--gap", "1e-3", "-o", "c.npz"]) == 0
    assert main(["convert", "c.npz", "c.alpha", "--model", "tiger"]) == 0  # its nodes are vectors too
    assert len(files.read_vectors("c.alpha", forms.pomdp(fb.game("tiger"))).actions) == 5


def test_other_vectors_are_refuted(tmp_path, monkeypatch, answer, capsys):
    monkeypatch.chdir(tmp_path)
    mine = answer.profile[0]
    swapped = AlphaVectors(mine.pomdp, mine.vectors[::-1] + 5.0, mine.actions)
    files.save(replace(answer, profile={0: swapped}), "bad.npz")
    assert main(["verify", "tiger", "bad.npz"]) == 1
    assert "not those of its certificate" in capsys.readouterr().out


def test_a_model_is_known_by_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("one.pomdp", "two.pomdp"):
        assert main(["convert", "tiger", name]) == 0
    assert main(["convert", "tiger(accuracy=0.65)", "other.pomdp"]) == 0
    assert main(["solve", "one.pomdp", "--gap", "1e-2", "-o", "one.npz"]) == 0
    assert main(["match", "two.pomdp", "one.npz", "--games", "3"]) == 0
    assert main(["match", "other.pomdp", "one.npz", "--games", "3"]) == 2
    assert main(["solve", "horizon(game=one.pomdp, steps=3)", "--gap", "1e-6"]) == 0
    assert "2.3098" in capsys.readouterr().out


@pytest.mark.parametrize("spec", ["sarsop(policy=x)", "hsvi(policy=x)", "sarsop(target=2)", "hsvi(zeta=0)"])
def test_wrong_parameters(spec):
    with pytest.raises(fb.FogboundError, match="expected"):
        fb.solver(spec)


def test_vectors_that_promise_more_than_anybody_can_earn_are_refused(tmp_path, monkeypatch, capsys, tiger):
    """Tiger pays at most 10 a step, so one who sees everything earns 10 / (1 - 0.95) = 200."""
    monkeypatch.chdir(tmp_path)
    fits = AlphaVectors(tiger, np.array([[200.0, 200.0], [199.0, -200.0]]), np.array([0, 1]))
    files.write_vectors(fits, "fits.policy")
    assert np.array_equal(files.read_vectors("fits.policy", tiger).vectors, fits.vectors)
    beyond = AlphaVectors(tiger, np.array([[1.0, 2.0], [200.5, -200.0]]), np.array([0, 1]))
    with pytest.raises(PolicyError, match="vector 2 of 2 promises 200.5 in"):
        StoredVectors.of(beyond).on(tiger)
    for name in ("beyond.policy", "beyond.alpha"):
        files.write_vectors(beyond, name)
        with pytest.raises(fb.FogboundError, match=rf"{name}: vector 2 of 2 .*can earn more than 200: "):
            fb.policy(name, "tiger")
        assert main(["match", "tiger", name, "--games", "5"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_what_can_be_earned_at_most():
    """Without a discount it is the end that bounds it; what loses in every state is worth at most what it must lose."""
    cut = forms.pomdp(fb.game("horizon(game=tiger(discount=1), steps=3)"))
    first = np.unique(cut.next[: cut.out[1]])
    assert greatest_total_reward(cut)[first].tolist() == [30.0, 30.0]
    walk = forms.pomdp(fb.game("tag"))
    mdp = model_of(walk, "test")
    seen = mdp.best(qmdp_bound(mdp))
    np.testing.assert_allclose(greatest_total_reward(walk)[mdp.blocks.state[1:]], seen[1:], atol=1e-3)


def test_a_solution_whose_vectors_promise_too_much_is_refuted(tiger, answer):
    vectors = answer.profile[0].vectors.copy()
    vectors[0, 0] = 1_000.0
    swollen = replace(answer, profile={0: AlphaVectors(tiger, vectors, answer.profile[0].actions)})
    assert "not those of its certificate" in (fb.verify(swollen, "tiger").refuted or "")
