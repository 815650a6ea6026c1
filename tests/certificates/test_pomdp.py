"""Vectors in a file are the ones that its certificate speaks of: whoever changes what is played is refuted."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import fogbound as fb
from fogbound import archive, evaluation, forms
from fogbound.cli.main import main
from fogbound.driver.protocol import Until
from fogbound.evaluation.simulate import simulate
from fogbound.policies import AlphaVectors, Uniform
from fogbound.solvers import make as solver
from tests.pomdps import ending_value, random_flat, random_listed
from tests.run import solve

TIGER = 19.3713683
BY_VECTORS = [
    "sarsop(policy=vectors)",
    "hsvi(policy=vectors)",
    "pbvi(points=40)",
    "pbvi(points=20, backup=all)",
    "incremental-pruning",
]
OTHER = "the policies stored in the file are not those of its certificate"


@pytest.fixture(scope="module", params=BY_VECTORS)
def answer(request, tmp_path_factory):
    """A file with an answer to tiger."""
    path = tmp_path_factory.mktemp("tiger") / "answer.npz"
    fb.save(fb.solve("tiger", request.param, gap=1e-2, iterations=120), path)
    return path


def forged(answer, tmp_path, change):
    header, arrays = archive.load(answer, "solution")
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    archive.write(tmp_path / "forged.npz", archive.dumps("solution", header, arrays))
    return str(tmp_path / "forged.npz")


def judged(capsys, path):
    capsys.readouterr()
    code = main(["verify", "tiger", path, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out) if code < 2 else err


@pytest.mark.one_in(5)
def test_what_was_proven_holds(answer, capsys):
    code, told = judged(capsys, str(answer))
    assert code == 0
    assert TIGER - 0.1 < told["lower"] <= TIGER + 1e-6
    assert told["upper"] >= TIGER - 1e-6


def swap_actions(header, arrays):
    actions = header["policies"]["0"]["actions"]
    unlike = next(k for k, action in enumerate(actions) if action != actions[0])
    actions[0], actions[unlike] = actions[unlike], actions[0]


def raise_a_value(header, arrays):
    arrays["policy/0/value"][0] = np.nextafter(arrays["policy/0/value"][0], np.inf)


def drop_a_vector(header, arrays):
    first = arrays["policy/0/first"]
    for name in ("state", "value"):
        arrays[f"policy/0/{name}"] = arrays[f"policy/0/{name}"][first[1] :]
    arrays["policy/0/first"] = first[1:] - first[1]
    header["policies"]["0"]["actions"].pop(0)


def narrow_a_vector(header, arrays):
    """One that is defined on fewer states."""
    arrays["policy/0/first"][1:] -= 1
    for name in ("state", "value"):
        arrays[f"policy/0/{name}"] = arrays[f"policy/0/{name}"][1:]


def forget_the_game(header, arrays):
    header["policies"]["0"]["states"] += 1


def strange_action(header, arrays):
    header["policies"]["0"]["actions"][0] = "sing"


@pytest.mark.parametrize(
    "change", [swap_actions, raise_a_value, drop_a_vector, narrow_a_vector, forget_the_game, strange_action]
)
def test_other_vectors_are_refuted(answer, tmp_path, capsys, change):
    code, told = judged(capsys, forged(answer, tmp_path, change))
    assert code == 1
    assert told["refuted"] == OTHER


def test_the_order_of_vectors_means_nothing(answer, tmp_path, capsys):
    def turned(header, arrays):
        first, turn = arrays["policy/0/first"], slice(None, None, -1)
        cuts = [slice(a, b) for a, b in pairwise(first)][turn]
        for name in ("state", "value"):
            arrays[f"policy/0/{name}"] = np.concatenate([arrays[f"policy/0/{name}"][cut] for cut in cuts])
        arrays["policy/0/first"] = np.concatenate([[0], np.cumsum(np.diff(first)[turn])])
        header["policies"]["0"]["actions"].reverse()

    assert judged(capsys, forged(answer, tmp_path, turned))[0] == 0


def test_a_controller_is_no_proof_of_vectors(tmp_path, capsys):
    """Nor are vectors of a controller: what the certificate speaks of must be what is played."""
    paths = [tmp_path / f"{policy}.npz" for policy in ("controller", "vectors")]
    for path in paths:
        fb.save(fb.solve("tiger", f"sarsop(policy={path.stem})", gap=1e-2), path)
    for mine, other in (paths, paths[::-1]):
        header, arrays = archive.load(other, "solution")

        def exchange(own, kept, header=header, arrays=arrays):
            own["policies"] = header["policies"]
            for name in [name for name in kept if name.startswith("policy/")]:
                del kept[name]
            kept.update({name: array for name, array in arrays.items() if name.startswith("policy/")})

        code, told = judged(capsys, forged(mine, tmp_path, exchange))
        assert (code, told["refuted"]) == (1, OTHER)


@pytest.mark.one_in(3)
def test_changed_evidence_proves_less(answer, tmp_path, capsys):
    """A claim raised, an action or a successor changed, in the proof and in what is played alike."""
    form = forms.pomdp(fb.game("tiger"))
    rng = np.random.default_rng(3)
    for _ in range(12):

        def change(header, arrays):
            evidence = {name.removeprefix("certificate/"): arrays[name] for name in arrays}
            kind = rng.integers(3)
            k = rng.integers(len(evidence["vector_action"]))
            if kind == 0:
                evidence["vector_next"][rng.integers(len(evidence["vector_next"])), 2] = k
            elif kind == 1:
                evidence["vector_action"][k] = rng.integers(3)
            else:
                evidence["vector_value"][rng.integers(len(evidence["vector_value"]))] += rng.normal() * 20
            header["policies"]["0"]["actions"] = [form.actions[a] for a in evidence["vector_action"]]
            arrays["policy/0/value"] = evidence["vector_value"].copy()
            arrays["policy/0/state"] = evidence["vector_state"].copy()
            arrays["policy/0/first"] = evidence["vector_start"].copy()

        path = forged(answer, tmp_path, change)
        code, told = judged(capsys, path)
        assert code in (0, 1)
        assert told["refuted"] != OTHER
        if code == 0:
            played = simulate(form, fb.load(path).profile[0].on(form), 200, np.random.default_rng(0), level=1 - 1e-7)
            assert told["lower"] <= played.interval[1]
        assert told["lower"] <= TIGER + 1e-6


# --- what is proven of random models is true of play ------------------------------------------------------------


@pytest.mark.parametrize("name", ["sarsop(policy=vectors)", "pbvi(points=20)", "incremental-pruning"])
@pytest.mark.parametrize("seed", range(4))
def test_games_that_end_are_worth_what_is_proven(name, seed):
    game = random_listed(seed, discount=(1.0, 0.9)[seed % 2], forward=True)
    form = forms.pomdp(game)
    found = solve(solver(name), form, Until(gap=1e-6, iterations=60))
    assert found.certified == "both"
    earned = evaluation.value(game, found.profile)[0]
    assert found.lower <= earned + 1e-9
    assert earned <= ending_value(form) + 1e-9 <= found.upper + 2e-9
    assert found.verify(game)


@pytest.mark.parametrize("name", ["sarsop(policy=vectors)", "pbvi(points=20)", "incremental-pruning"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_endless_models_are_worth_what_is_proven(name, seed):
    form = random_flat(seed, 0.9, states=4, known=1 + seed % 2, shown=seed == 2)
    found = solve(solver(name), form, Until(gap=1e-2, iterations=40))
    assert found.certified == "both"
    assert found.verify(form)
    played = simulate(form, found.profile[0], 300, np.random.default_rng(seed), level=1 - 1e-7)
    assert found.lower <= played.interval[1]


@pytest.mark.parametrize("name", ["sarsop(policy=vectors)", "pbvi", "incremental-pruning"])
def test_steps_of_others_are_proven_and_not_stored(name):
    """Waiting needs no vector in the policy, and one in the proof."""
    game = fb.game("king-ace")
    found = solve(solver(name), forms.pomdp(game, 1, {0: Uniform()}), Until(gap=1e-9))
    mine = found.profile[1]
    assert isinstance(mine, AlphaVectors)
    assert (mine.actions >= 0).all()
    assert (found.certificate.evidence["vector_action"] < 0).any()
    assert found.verify(game)
    assert found.lower == pytest.approx(evaluation.value(game, found.profile)[1], abs=1e-9)


@pytest.mark.parametrize("name", ["qmdp(games=20)", "fib(games=20)"])
def test_vectors_from_above_prove_nothing_of_play(name):
    found = solve(solver(name), forms.pomdp(fb.game("tiger")))
    assert found.certificate is None
    assert "bound the optimum from above" in found.details["uncertified"]


def test_a_solution_is_held_against_a_form_whatever_its_player_is_called():
    """A form handed over used to become a game of its own first, whose one player is called agent."""
    form = forms.pomdp(fb.game("tiger"))
    solution = fb.solve("tiger", "sarsop", iterations=60)
    assert form.players == ("you",)
    assert fb.verify(solution, form)
    assert fb.verify(fb.solve(form, "sarsop", iterations=60), form)
    second = forms.pomdp(fb.game("po-nim(n=2)"), 1, {0: Uniform()})
    assert fb.verify(fb.solve("po-nim(n=2)", "belief-search", player=1, against="uniform"), second)
