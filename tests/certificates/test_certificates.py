"""Every bounded answer carries a certificate that the independent checker confirms; forgeries are refuted."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from fogbound import archive, evaluation, files, forms, verify
from fogbound.certificates import checking
from fogbound.certificates.chain import CHAIN
from fogbound.certificates.checking import Checking, certify, evidence
from fogbound.cli.main import main
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.policies import Uniform, uniform_mixture
from fogbound.solvers import make as make_solver
from fogbound.solvers.search.sampled import SampledGame
from tests.run import solve

TREES = [
    "rock-paper-scissors",
    "rock-paper-scissors(biased=true)",
    "king-ace",
    "card-poker(ranks=3)",
    "card-poker(ranks=8)",
    "liars-dice(sides=2)",
    "liars-dice(sides=3)",
    "goofspiel(cards=3)",
    "goofspiel(cards=4)",
    "leduc",
    "random(seed=5, zero_sum=true)",
]
MATRICES = ["rock-paper-scissors", "king-ace", "card-poker(ranks=3)", "liars-dice(sides=2)", "goofspiel(cards=3)"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("spec", "solver"), [(s, "sequence-lp") for s in TREES] + [(s, "matrix-lp") for s in MATRICES])
def test_saved_solutions_verify(tmp_path, capsys, spec, solver):
    path = str(tmp_path / "a.npz")
    assert main(["solve", spec, "--with", solver, "-o", path, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["certified"] == "both"
    assert main(["verify", spec, path, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["refuted"] is None
    assert report["lower"] <= answer["value"] <= report["upper"]
    assert report["upper"] - report["lower"] < 1e-9


OTHERS = [
    ("card-poker(ranks=4)", "cfr", 200),
    ("card-poker(ranks=4)", "cfr-plus", 200),
    ("leduc", "dcfr", 100),
    ("goofspiel(cards=3)", "predictive-cfr", 100),
    ("card-poker(ranks=4)", "mccfr", 500),
    ("random(seed=2, depth=1)", "lemke-howson", 100),
    ("random(seed=2, depth=1)", "support-enumeration", 1000),
    ("random(seed=4, seats=3)", "cfr(sampling=full)", 50),
    ("slide-tree", "minimax", 10),
    ("slide-tree", "alpha-beta", 10),
    ("slide-tree", "backward-induction", 10),
    ("slide-tree", "sequence-lp", 10),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("spec", "solver", "iterations"), OTHERS)
def test_every_kind_of_saved_answer_verifies(tmp_path, capsys, spec, solver, iterations):
    path = str(tmp_path / "a.npz")
    words = ["solve", spec, "--with", solver, "--iterations", str(iterations), "-o", path, "--json"]
    assert main(words) == 0
    answer = json.loads(capsys.readouterr().out)
    assert main(["verify", spec, path, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["lower"] - 1e-9 <= answer["value"] <= report["upper"] + 1e-9


def test_sampled_answers_are_replayed(tmp_path, capsys):
    """An estimate has no bounds to certify; the same recipe must give the same figure."""
    path = str(tmp_path / "m.npz")
    assert main(["solve", "slide-tree", "--with", "mcts", "--iterations", "300", "--seed", "4", "-o", path]) == 0
    capsys.readouterr()
    assert main(["verify", "slide-tree", path]) == 0
    assert "statistical" in capsys.readouterr().out
    forge(path, lambda h, a: h.update(value=(9.0).hex()))
    assert main(["verify", "slide-tree", path]) == 1
    assert "refuted" in capsys.readouterr().out


def forge(path, change):
    header, arrays = archive.load(path, "solution")
    change(header, arrays)
    header = {k: v for k, v in header.items() if k not in ("fogbound", "schema")}
    archive.write(path, archive.dumps("solution", header, arrays))


def test_forged_claims_are_refuted(tmp_path, capsys):
    path = str(tmp_path / "a.npz")
    main(["solve", "card-poker(ranks=3)", "--with", "sequence-lp", "-o", path])
    forge(path, lambda h, a: h["certificate"]["claim"].update(lower=(0.0).hex(), upper=(0.1).hex()))
    capsys.readouterr()
    assert main(["verify", "card-poker(ranks=3)", path]) == 1
    assert "refuted   player 0's bounds: claimed 0.0" in capsys.readouterr().out


def test_what_is_played_is_judged_and_not_what_is_written_beside_it(tmp_path, capsys):
    path = str(tmp_path / "a.npz")
    main(["solve", "card-poker(ranks=3)", "--with", "sequence-lp", "-o", path])
    wide = {"lower": (-100.0).hex(), "upper": (100.0).hex()}

    def change(header, arrays):
        header["certificate"]["claim"] = wide
        arrays["certificate/strategy"] = np.random.default_rng(0).normal(size=arrays["certificate/strategy"].shape)

    forge(path, change)
    capsys.readouterr()
    assert main(["verify", "card-poker(ranks=3)", path, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["lower"] <= -1 / 18 <= report["upper"]  # of what is played, whatever is written beside it
    assert "not those of its certificate" in report["refuted"]


def test_what_the_file_says_and_plays_is_checked_too(tmp_path, capsys):
    path, game = str(tmp_path / "a.npz"), "card-poker(ranks=3)"
    five = (5.0).hex()
    for change, message in (
        (lambda h, a: h.update(value=five, lower=five, upper=five), "the file reports 5.0"),
        (lambda h, a: h["policies"]["0"]["actions"].reverse(), "not those of its certificate"),
    ):
        main(["solve", game, "--with", "sequence-lp", "-o", path])
        forge(path, change)
        capsys.readouterr()
        code = main(["verify", game, path])
        out, err = capsys.readouterr()
        assert code in (1, 2)
        assert message in out or "legal actions" in err or "plays" in err


def test_a_certificate_speaks_of_one_game_only(tmp_path, capsys):
    path = str(tmp_path / "a.npz")
    main(["solve", "card-poker(ranks=3)", "--with", "sequence-lp", "-o", path])
    assert main(["verify", "card-poker(ranks=4)", path]) == 2
    assert "about another game" in capsys.readouterr().err


def test_best_replies_are_certified_on_the_tree():
    game = make("card-poker(ranks=5)")
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 1, {0: Uniform()})))
    assert found.certificate.kind.name == "tree-profile"
    assert found.certified == "both"
    assert found.gap < 1e-12
    mixed = uniform_mixture([Uniform(), found.profile[1]])
    against = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 0, {1: mixed})))
    assert against.certified == "both"


@pytest.mark.parametrize("trust", [0, 0.4, 1])
def test_safe_exploitation_is_certified(tmp_path, capsys, trust):
    path, game = str(tmp_path / "r.npz"), "card-poker(ranks=4)"
    words = ["solve", game, "--with", f"restricted-nash(trust={trust})", "--against", "uniform", "-o", path, "--json"]
    assert main(words) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["certified"] == "both"
    assert main(["verify", game, path, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["kind"] == "restricted-tree"
    assert report["lower"] <= answer["value"] <= report["upper"] + 1e-12
    assert report["upper"] - report["lower"] < 1e-9
    forge(path, lambda h, a: a.update({"certificate/free": np.zeros_like(a["certificate/free"])}))
    capsys.readouterr()
    assert main(["verify", game, path]) == (0 if trust == 1 else 1)  # garbage widens; fully trusted, it does not matter


def test_restricted_garbage_never_lies():
    """Whatever stands for the other's freedom, the interval holds the restricted game's value."""
    from fogbound.solvers.linear_programs.restricted_nash import RestrictedGame, RestrictedNash

    form = forms.sequence(make("card-poker(ranks=3)"))
    found = solve(RestrictedNash(0.4), RestrictedGame(form, 0, form.plexes[1].uniform))
    rng = np.random.default_rng(1)
    for _ in range(200):
        proof = found.certificate
        junk = {name: rng.normal(size=proof.evidence[name].shape) for name in ("free",)}
        spoilt = replace(proof, evidence={**proof.evidence, **junk}, lower=-9.0, upper=9.0).check()
        assert spoilt.lower <= found.value + 1e-12
        assert spoilt.upper >= found.value - 1e-12


def test_cyclic_play_is_certified_as_a_chain(tmp_path, capsys):
    path = str(tmp_path / "t.npz")
    assert main(["solve", "tiger", "--with", "belief-mdp", "--gap", "1e-6", "-o", path, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["certified"] == "lower"
    assert main(["verify", "tiger", path, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["kind"] == "chain-profile"
    assert report["upper"] - report["lower"] < 1e-9
    assert abs(report["lower"] - 19.371368) < 1e-5


def test_undiscounted_cycles_are_certified_by_expected_steps():
    """PO-Nim never surely ends, but uniform play ends with probability 1."""
    game = make("po-nim(n=3)")
    solved = evaluation.chain(game, {0: Uniform(), 1: Uniform()})
    for player in (0, 1):
        proof = CHAIN.certificate(solved, player).check()
        assert proof.lower <= solved.values[player] <= proof.upper
        assert proof.upper - proof.lower < 1e-9


def test_a_mixture_on_a_cyclic_game_has_no_certificate_yet():
    game = make("po-nim(n=2, discount=0.9)")
    mixed = uniform_mixture([Uniform(), Uniform()])
    assert CHAIN.certificate(evaluation.chain(game, {0: Uniform(), 1: mixed}), 0) is None


def test_general_sum_profiles_get_their_regret():
    game = make("random(seed=3, seats=3)")
    form = forms.sequence(game)
    proof, why = certify(form, {i: Uniform() for i in range(3)})
    assert not why
    assert proof.kind.name == "tree-profile"
    report = verify.check(proof.header(), *({k: _plain(v) for k, v in d.items()} for d in (proof.form, proof.evidence)))
    exploited = evaluation.exploitability(form, [plex.uniform for plex in form.plexes])
    assert report.regret == pytest.approx(max(exploited.regrets), abs=1e-9)


def _plain(array):
    kept = archive.canonical(array)
    return verify.Array(kept.dtype.str, kept.shape, kept.tobytes())


def test_large_forms_are_left_for_verify():
    form = forms.sequence(make("card-poker(ranks=8)"))
    proof, why = certify(form, {0: Uniform(), 1: Uniform()}, checking=Checking(seconds=1e-6))
    assert why.startswith("the check takes about")
    assert not proof.checked
    assert proof.check().lower < -0.3


def test_the_form_hash_is_the_checkers(tmp_path):
    found = solve(make_solver("sequence-lp"), forms.sequence(make("king-ace")), Until())
    assert found.provenance["form_sha256"] == found.certificate.form_sha256
    files.save(found, tmp_path / "a.npz")
    header, _ = archive.load(tmp_path / "a.npz", "solution")
    assert header["certificate"]["form_sha256"] == found.certificate.form_sha256
    assert evidence(SampledGame(make("king-ace")), {}) is None


def test_a_check_that_takes_too_long_is_cut_off(monkeypatch):
    monkeypatch.setattr(checking, "HERE", 0.0)  # beside, where it can be
    clock = itertools.count()
    form = forms.sequence(make("leduc"))
    proof, why = certify(form, {0: Uniform(), 1: Uniform()}, checking=Checking(2.0, lambda: float(next(clock))))
    assert not proof.checked
    assert why == "the check was cut off after 3 s"


def test_a_check_beside_says_the_same_as_one_here(monkeypatch):
    form, played = forms.sequence(make("card-poker(ranks=8)")), {0: Uniform(), 1: Uniform()}
    here, _ = certify(form, played)
    told = []
    monkeypatch.setattr(checking, "HERE", 0.0)
    monkeypatch.setattr(checking, "WORTH_SAYING", 0.0)
    beside, _ = certify(form, played, checking=Checking(tell=told.append))
    assert here.checked
    assert beside.checked
    assert (here.lower, here.upper) == (beside.lower, beside.upper)
    assert told[0].startswith("checking: about")
