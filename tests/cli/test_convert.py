"""`fogbound convert`: nothing is lost on the way from one format to another, and nothing is written on an error."""

from __future__ import annotations

import json
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fogbound import api, files, forms
from fogbound.cli.main import main
from fogbound.core.errors import SpecError
from fogbound.games import make
from fogbound.policies.alpha_vectors import AlphaVectors
from tests import shared

MODELS = shared.MODELS / "pomdp"
PUBLISHED = sorted(MODELS.glob("*.pomdp*"))
LARGEST = 2_000  # states: a larger model takes longer and shows nothing new
OTHER = {".pomdp": ".pomdpx", ".pomdpx": ".pomdp"}


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def convert(run, source, target, *flags):
    code, out, err = run("convert", source, target, *flags)
    assert (code, out.startswith(f"{target}: ")) == (0, True), err
    return out


def bounds(run, source, *flags):
    code, out, err = run("solve", source, "--with", "sarsop", "--gap", "1e-6", "--json", *flags)
    assert code == 0, err
    found = json.loads(out)
    return found["lower"], found["upper"]


def quietly(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return files.read_model(path)


def test_a_game_keeps_its_bounds_through_every_format(run, tmp_path):
    one, two, three = tmp_path / "a.pomdp", tmp_path / "b.pomdpx", tmp_path / "c.pomdp"
    assert convert(run, "tiger", one) == f"{one}: 2 states, 3 actions, 2 observations\n"
    convert(run, one, two)
    convert(run, two, three)
    assert one.read_text().split("\n")[1:] == three.read_text().split("\n")[1:]  # all but where it came from
    low, high = bounds(run, "tiger")
    assert high - low <= 1e-6
    for path in (one, two, three):
        assert bounds(run, path) == pytest.approx((low, high), abs=2e-6)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("path", PUBLISHED or [None], ids=lambda path: path.name if path else "none")
def test_published_models_come_back_as_they_were(run, tmp_path, path):
    if path is None:
        pytest.skip("no models beside the checkout")
    first = quietly(path)
    if first.size > LARGEST:
        pytest.skip(f"{first.size:,} states")
    openings = len(set(first.obs[: first.out[1]].tolist()))
    other = tmp_path / f"b{OTHER[path.suffix] if openings == 1 else path.suffix}"  # a .pomdp file shows nothing first
    back = tmp_path / f"a{path.suffix}"
    convert(run, path, other)
    convert(run, other, back)
    last = quietly(back)
    for form in (first, last):
        form.obs[: form.out[1]] = 0  # what is seen at first has the last number: after all observations, met or not
    assert first.discount == last.discount
    for name, array in first.arrays().items():
        np.testing.assert_allclose(last.arrays()[name], array, rtol=0, atol=1e-15, err_msg=name)


def test_what_is_seen_at_the_start_needs_the_richer_format(run, tmp_path):
    path = tmp_path / "a.pomdp"
    code, out, err = run("convert", "card-poker(ranks=3)", path, "--against", "uniform")
    assert (code, out, list(tmp_path.iterdir())) == (2, "", [])
    assert ".pomdpx file can say which" in err
    convert(run, "card-poker(ranks=3)", tmp_path / "a.pomdpx", "--against", "uniform")


@pytest.mark.parametrize("player", ["0", "second"])
def test_the_problem_of_one_player_against_given_others(run, tmp_path, player):
    path = tmp_path / "a.pomdpx"
    given = ("po-nim(discount=0.9)", "--player", player, "--against", "uniform")
    convert(run, given[0], path, *given[1:])
    assert bounds(run, path) == pytest.approx(bounds(run, *given), abs=2e-6)


@pytest.mark.parametrize("kind", ["pomdp", "pomdpx"])
@pytest.mark.parametrize(("spec", "worth"), [("po-nim(n=3)", 47 / 6), ("horizon(game=po-nim(n=3), steps=6)", 23 / 3)])
def test_an_undiscounted_game_still_ends_where_it_ended(run, tmp_path, spec, worth, kind):
    target = tmp_path / f"reply.{kind}"
    convert(run, spec, target, "--against", "uniform")
    code, out, err = run("solve", target, "--with", "belief-search", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["value"] == pytest.approx(worth, abs=1e-9)
    assert found["certified"] == "both"


def test_sizes_are_those_of_the_file(run, tmp_path):
    for name in ("a.pomdp", "a.pomdpx"):
        told = convert(run, "po-nim", tmp_path / name, "--against", "uniform")
        form = files.read_model(tmp_path / name)
        assert told == f"{tmp_path / name}: {form.size} states, {len(form.actions)} actions, 18 observations\n"


def test_vectors_come_back_as_they_were(run, tmp_path):
    convert(run, "tiger", tmp_path / "tiger.pomdp")
    form = forms.pomdp(make("tiger"))
    vectors = np.array([[1 / 3, -2e-17], [-80.5, 20], [20, -80]])
    paths = [tmp_path / name for name in ("a.alpha", "b.policy", "c.alpha")]
    files.write_vectors(AlphaVectors(form, vectors, np.array([0, 1, 2], np.int32)), paths[0])
    for source, target in pairwise(paths):
        told = convert(run, source, target, "--model", tmp_path / "tiger.pomdp")
        assert told == f"{target}: 3 vectors over 2 states\n"
    assert paths[0].read_bytes() == paths[2].read_bytes()
    convert(run, paths[0], paths[1], "--model", "tiger")  # a game is a model too


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["tiger", "a.txt"],
            "found the ending '.txt', expected .efg, .nfg, .pomdp, .pomdpx, .dpomdp, .posg, .zsposg or .osposg",
        ),
        (["tiger", "kept.alpha"], "found the ending '.alpha', expected .efg, .nfg, .pomdp, .pomdpx"),
        (["v.alpha", "kept.pomdp", "--model", "tiger"], "expected .alpha or .policy, since v.alpha is vectors"),
        (["v.alpha", "kept.policy"], "name it with --model"),
        (["v.alpha", "kept.policy", "--model", "tagger"], "unknown game 'tagger'"),
        (
            ["v.alpha", "kept.policy", "--model", "rock-sample(size=4,rocks=3)"],
            "v.alpha:4: found 3 values in the",
        ),
        (["none.pomdp", "kept.pomdpx"], "none.pomdp: cannot be read"),
        (["bad.pomdp", "kept.pomdpx"], "bad.pomdp:1: found 'x'"),
        (["tiger", "no/where.pomdp"], "cannot be written"),
        (["tiger", "kept.pomdp", "--model", "tiger"], "tiger is a model itself"),
        (["tiger", "kept.pomdp", "--against", "uniform"], "has 1 player,"),
        (["tiger", "kept.pomdp", "--player", "1"], "player '1', expected 0 (you), the only one"),
        (["po-nim", "kept.pomdp"], "expected --against with 1 policy, found 0"),
        (["s.npz", "kept.pomdp"], "since s.npz is a saved solution"),
        (["tiger"], "the following arguments are required: OUT"),
    ],
)
def test_errors_are_one_line_and_write_nothing(run, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    Path("v.alpha").write_text("0\n1 2\n\n9\n")
    Path("bad.pomdp").write_text("x")
    for ending in ("pomdp", "pomdpx", "alpha", "policy"):
        Path(f"kept.{ending}").write_text("before")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = run("convert", *words)
    assert (code, out) == (2, "")
    assert err.startswith("fogbound: ")
    assert err.count("\n") == 1
    assert told in err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_its_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    told = capsys.readouterr().out
    for word in ("fogbound convert tiger tiger.pomdp", "--model", ".policy", "fogbound show"):
        assert word in told


def test_a_controller_is_written_as_the_vectors_of_its_nodes(tmp_path):
    answer = api.solve("tiger", "sarsop", gap=1e-3)
    assert api.convert(answer, tmp_path / "tiger.alpha").endswith("vectors over 2 states")
    read = files.read_vectors(tmp_path / "tiger.alpha", forms.pomdp(api.game("tiger")))
    assert read.vectors.mean(axis=1).max() == pytest.approx(answer.lower, abs=1e-9)  # at the start both are as likely
    with pytest.raises(SpecError, match=r"expected .alpha or .policy, since the answer is"):
        api.convert(answer, tmp_path / "tiger.pomdp")
