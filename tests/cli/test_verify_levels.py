"""`fogbound verify` holds what a file of levels says about itself against its certificate."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.policies import Uniform


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / "levels.npz"
    assert main(["solve", "po-nim(n=2)", "--with", "level-k", "--levels", "2", "-o", str(path)]) == 0
    return path


def changed(path, target, change):
    """The file with another header."""
    arrays = dict(np.load(path))
    header = json.loads(bytes(arrays["header"]).decode())
    change(header)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(target, **arrays)
    return target


def another_prior(header):
    header["provenance"]["solver"] = header["provenance"]["solver"].replace("prior=uniform", "prior=previous")


def another_value(header):
    header["details"]["levels"][1]["value"] = 7.5


def test_an_honest_file_is_certified_level_by_level(levels, capsys):
    assert main(["verify", "po-nim(n=2)", str(levels)]) == 0
    told = capsys.readouterr().out
    assert told.count("level  ") == 4
    assert "[5, 5" in told


@pytest.mark.parametrize(
    ("change", "words"), [(another_prior, "its certificate has the prior"), (another_value, "reports 7.5 for level 1")]
)
def test_what_a_file_says_of_itself_must_be_what_is_certified(levels, tmp_path, capsys, change, words):
    path = changed(levels, tmp_path / "other.npz", change)
    assert main(["verify", "po-nim(n=2)", str(path)]) == 1
    assert words in capsys.readouterr().out


def test_a_file_of_another_game_is_refused(levels, capsys):
    assert main(["verify", "po-nim(n=3)", str(levels)]) == 2
    assert "another game" in capsys.readouterr().err


# --- three players ---------------------------------------------------------------------------------------------------

TRIO = "random(seed=4, seats=3)"


@pytest.fixture(scope="module")
def trio(tmp_path_factory):
    path = tmp_path_factory.mktemp("trio") / "trio.npz"
    assert main(["solve", TRIO, "--with", "level-k", "--levels", "2", "-o", str(path)]) == 0
    return path


def test_levels_of_three_players_are_certified(trio, capsys):
    assert main(["verify", TRIO, str(trio)]) == 0
    assert capsys.readouterr().out.count("level  ") == 6


@pytest.mark.parametrize(
    ("change", "words"), [(another_prior, "its certificate has the prior"), (another_value, "reports 7.5 for level 1")]
)
def test_what_a_file_of_three_says_must_be_what_is_certified(trio, tmp_path, capsys, change, words):
    path = changed(trio, tmp_path / "other.npz", change)
    assert main(["verify", TRIO, str(path)]) == 1
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("player", [0, 1, 2])
def test_a_file_of_three_that_plays_something_else_is_refuted(trio, tmp_path, capsys, player):
    """Also where only one of two others is not what the level believes of it."""
    found = fb.load(trio)
    other = replace(found, profile={**found.profile, player: Uniform()})
    other.save(tmp_path / "other.npz")
    assert main(["verify", TRIO, str(tmp_path / "other.npz")]) == 1
    assert "refuted" in capsys.readouterr().out
