"""`fogbound show` on answers: beliefs in every form of a controller, one game as it was believed, vectors."""

from __future__ import annotations

import shutil
from importlib import import_module

import numpy as np
import pytest

from fogbound import files, forms
from fogbound.api.looking import UNROLLED
from fogbound.cli.main import main
from fogbound.games import make
from fogbound.policies import AlphaVectors
from tests import shared
from tests.draw.made import checked, words_in

MODELS = shared.MODELS / "pomdp"


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def tiger(run, tmp_path):
    path = str(tmp_path / "tiger.npz")
    assert run("solve", "tiger", "--with", "sarsop", "--gap", "1e-2", "-o", path)[0] == 0
    return path


def doors(left, right):
    """A belief about the tiger in words."""
    return f"{left} the tiger is behind the left door; {right} the tiger is behind the right door"


def drawn(path):
    return words_in(checked(path.read_text()))


def test_a_controller_shows_its_beliefs(run, tiger, tmp_path):
    code, out, err = run("show", tiger)
    assert (code, err) == (0, "")
    assert f"· {doors('0.85', '0.15')}" in out
    assert "growl-left 0.50" in out
    assert run("show", tiger, "-o", str(tmp_path / "t.svg"))[0] == 0
    assert "0.85 left; 0.15 right" in drawn(tmp_path / "t.svg")
    assert run("show", tiger, "-o", str(tmp_path / "t.dot"))[0] == 0
    assert doors("0.85", "0.15") in (tmp_path / "t.dot").read_text()


def test_a_reply_shows_beliefs_about_the_game_alone(run, tmp_path):
    path = str(tmp_path / "n.npz")
    run("solve", "po-nim(n=3, discount=0.9)", "--with", "belief-mdp", "--against", "uniform", "-o", path)
    code, out, err = run("show", path)
    assert (code, err) == (0, "")
    assert "surely stones left: 3" in out
    code, out, _ = run("show", path, "--view", "belief")
    assert code == 0
    assert "at the start" in out
    assert "a heap of 3" in out
    assert "surely stones left: 3" in out


def test_where_beliefs_cannot_be_said_the_rest_is_shown(run, tiger, monkeypatch):
    monkeypatch.setattr("fogbound.api.looking.MOST_STATES", 1)
    code, out, err = run("show", tiger)
    assert code == 0
    assert "listen" in out
    assert "behind the left door" not in out
    assert err.startswith("fogbound: shown without beliefs: ")
    assert err.count("\n") == 1


def test_a_controller_is_shown_without_unrolling_the_game_far(run, tmp_path, monkeypatch):
    """A team's plan of ten nodes in a game of many more histories: it is drawn as it is."""
    path = str(tmp_path / "team.npz")
    assert run("solve", "horizon(game=multi-tiger, steps=4)", "--with", "team-search", "-o", path)[0] == 0
    sequence_form = import_module("fogbound.forms.sequence")  # `forms.sequence` is the function
    asked, unrolled = [], sequence_form._unrolled
    monkeypatch.setattr(sequence_form, "_unrolled", lambda source, limit: asked.append(limit) or unrolled(source, 99))
    code, out, _ = run("show", path)
    assert code == 0
    assert "controller with" in out
    assert asked == [UNROLLED]


def test_one_game_as_it_was_believed(run, tiger, tmp_path):
    code, out, _ = run("show", tiger, "--view", "belief", "--seed", "3")
    assert code == 0
    assert run("show", tiger, "--view", "belief", "--seed", "3")[1] == out
    assert run("show", tiger, "--view", "belief", "--seed", "4")[1] != out
    lines = out.strip().splitlines()[2:]
    assert lines[0].split() == ["step", "did", "saw", "believed"]
    assert len(lines) == 27
    assert doors("0.50", "0.50") in lines[1]
    assert "0.85" in lines[2]
    assert run("show", tiger, "--view", "belief", "-o", str(tmp_path / "b.svg"))[0] == 0
    assert "What you believed".lower() in " ".join(drawn(tmp_path / "b.svg"))


def test_vectors_of_a_solution(run, tiger, tmp_path):
    code, out, err = run("show", tiger, "--view", "vectors")
    assert (code, err) == (0, "")
    actions = [line.split()[4] for line in out.strip().splitlines()[3:]]
    assert actions == ["open", "listen", "open"]
    assert run("show", tiger, "--view", "vectors", "-o", str(tmp_path / "v.svg"))[0] == 0
    assert {"listen", "upper bound"} <= set(drawn(tmp_path / "v.svg"))


def test_vectors_of_a_file(run, tmp_path):
    form, path = forms.pomdp(make("tiger")), str(tmp_path / "t.alpha")
    actions = np.array([form.actions.index(name) for name in ("listen", "open-left", "open-right")], np.int32)
    files.write_vectors(AlphaVectors(form, np.array([[4.0, 4.0], [-80, 20], [20, -80]]), actions), path)
    code, out, err = run("show", path, "--game", "tiger")
    assert (code, err) == (0, "")
    assert "3 vectors; beliefs are the probability of right" in out
    assert run("show", path, "--game", "tiger", "-o", str(tmp_path / "v.svg"))[0] == 0
    assert run("show", path, "--game", "tiger", "--view", "belief")[0] == 0
    for words, message in (
        (("show", path), "with --game"),
        (("show", path, "--game", "tiger", "--view", "controller"), "--view vectors or --view belief"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert message in err
        assert err.count("\n") == 1


def test_views_that_do_not_fit(run, tmp_path):
    nash = str(tmp_path / "n.npz")
    run("solve", "card-poker(ranks=3)", "-o", nash)
    code, _, err = run("show", nash, "--view", "vectors")
    assert code == 2
    assert "holds no vectors" in err
    assert run("show", "tiger", "--view", "belief")[0] == 2
    code, _, err = run("show", nash, "--view", "controller")
    assert (code, err) == (0, "")
    assert run("show", nash, "--view", "belief", "--player", "1")[0] == 0


def test_a_solution_of_a_model_file(run, tmp_path):
    if not MODELS.is_dir():
        pytest.skip("the model files are not here")
    model, path = tmp_path / "4x3.pomdp", str(tmp_path / "m.npz")
    shutil.copy(MODELS / "4x3.95.pomdp", model)
    run("solve", str(model), "--with", "sarsop", "--gap", "0.1", "-o", path)
    code, out, err = run("show", path)
    assert (code, err) == (0, "")
    assert "surely state" in out
    assert run("show", path, "--view", "belief")[0] == 0
    assert "expected 2" in run("show", path, "--view", "vectors")[2]
    elsewhere = tmp_path / "moved"
    elsewhere.mkdir()
    model.rename(elsewhere / model.name)
    code, _, err = run("show", path)
    assert code == 2
    assert "there is no such file; the model must be given with --game" in err
    assert err.count("\n") == 1
    assert run("show", path, "--game", str(elsewhere / model.name))[0] == 0
