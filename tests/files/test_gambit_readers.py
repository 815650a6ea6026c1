"""What `make bench` says of Gambit's files: texts for other readers, what uniform play is worth, and what is absent."""

from __future__ import annotations

from fractions import Fraction

import pytest
from benchmarks import gambit

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import LimitError
from fogbound.files.gambit.efg import read_efg
from fogbound.files.gambit.nfg import read_nfg
from fogbound.files.gambit.structure import PERFECT, recall
from tests.files.test_gambit import FILES, FORGETFUL, ON_THE_WAY, TABLE


def test_uniform_play_is_worth_the_same_however_it_is_written(tmp_path):
    (tmp_path / "x.efg").write_text(ON_THE_WAY)
    worth = gambit.uniform(read_efg(tmp_path / "x.efg"))
    assert worth == [Fraction(5, 4), Fraction(-5, 4)]
    for write in (gambit.plain, gambit.at_ends, gambit.unlabelled, gambit.for_all):
        (tmp_path / "y.efg").write_text(write(tmp_path / "x.efg"))
        assert gambit.uniform(read_efg(tmp_path / "y.efg")) == worth
    (tmp_path / "x.nfg").write_text(TABLE)
    (tmp_path / "y.nfg").write_text(gambit.by_count(tmp_path / "x.nfg"))
    assert read_nfg(tmp_path / "y.nfg").payoffs == read_nfg(tmp_path / "x.nfg").payoffs


def test_what_is_not_the_same_again_is_counted_and_named(tmp_path, monkeypatch):
    for name, text in {"a.efg": ON_THE_WAY, "b.efg": FORGETFUL}.items():
        (tmp_path / name).write_text(text)
    paths = [tmp_path / "a.efg", tmp_path / "b.efg"]
    assert gambit.Tally.over("again", paths, gambit.again).passed == 2
    monkeypatch.setattr(gambit, "write_efg", lambda file, path: path.write_text(ON_THE_WAY))
    assert gambit.Tally.over("again", paths, gambit.again).without == ("b.efg",)


def test_without_the_folder_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(gambit, "FOLDER", tmp_path)
    monkeypatch.setattr(gambit, "GAMES", ["king-ace"])
    assert "is not there" in gambit.show(gambit.measure(1))


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="the folder of Gambit's files is not there")
def test_every_file_is_read_by_whoever_is_there():
    found = gambit.measure(1)
    most = {row["what"].partition(" reads ")[2]: row["passed"] / row["of"] for row in found["tallies"]}
    for wanted in ("", ".efg paid at ends", ".nfg by count", "it without labels"):
        assert most.get(wanted, 1) == 1
    assert all(row["certified"] for row in found["values"]["rows"])
    assert all(gambit.close(row["value"], row.get("gambit", row["value"])) for row in found["values"]["rows"])
    assert (found["large"]["value"], found["large"]["certified"]) == (1, True)
    assert "131" in gambit.show(found)


DRIVER = """EFG 2 R "Absent-minded driver" { "Driver" "Road" }
""
p "" 1 1 "crossing" { "exit" "go" } 0
t "" 1 "first" { 0 1 }
p "" 1 1 "crossing" { "exit" "go" } 0
t "" 2 "home" { 4 1 }
p "" 2 1 "toll" { "low" "high" } 0
t "" 3 "far" { 1 2 }
t "" 4 "farther" { 1 0 }
"""


@pytest.fixture
def driver(tmp_path):
    """Piccione and Rubinstein 1997: two crossings that look alike. Half the time go, half the time exit: 1.25."""
    path = tmp_path / "driver.efg"
    path.write_text(DRIVER)
    return fb.game(path)


def test_uniform_says_which_it_is_where_a_player_is_absent_minded(driver):
    """Over pure strategies (exit, go) the driver earns (0 + 1) / 2, behaving uniformly (0 * 2 + 4 + 1) / 4."""
    found = fb.evaluate(driver, "uniform", "uniform")
    assert found.values == pytest.approx((0.5, 1.0))
    assert "uniform for Driver is a mixed strategy, uniform over reduced pure strategies" in found.how
    assert "at every visit of crossing" in found.how
    assert "Driver 1.25, Road 1" in found.how
    assert "for Road" not in found.how  # who meets every set once has one uniform strategy only
    assert found.plain()["how"] == found.how
    assert "uniform behaviour" in fb.evaluate(driver, "uniform", "uniform", episodes=2).how


def test_naming_uniform_tells_which_it_is(driver):
    told = []
    for player in (0, 1):
        fb.policy("uniform", driver, player, tell=told.append)
    assert [words.partition(" is a ")[0] for words in told] == ["uniform for Driver"]


@pytest.mark.parametrize("more", [(), ("--episodes", "2"), ("--json",)])
def test_evaluate_says_once_which_uniform_it_is(driver, tmp_path, capsys, more):
    assert main(["evaluate", str(tmp_path / "driver.efg"), "uniform", *more]) == 0
    said = "".join(capsys.readouterr())
    assert said.count("uniform for Driver is a mixed strategy") == 1


def test_uniform_has_one_meaning_wherever_nobody_is_absent_minded(tmp_path):
    """Where no set is visited twice, uniform over pure strategies is uniform behaviour, remembered or not."""
    forgetful = DRIVER.replace(
        'p "" 1 1 "crossing" { "exit" "go" } 0\nt "" 2', 'p "" 1 2 "second" { "exit" "go" } 0\nt "" 2'
    )
    path = tmp_path / "minded.efg"
    path.write_text(forgetful)
    found = fb.evaluate(path, "uniform", "uniform")
    assert found.values == pytest.approx((1.25, 1.0))
    assert "uniform" not in found.how


@pytest.mark.slow
def test_uniform_is_behaviour_or_says_that_it_is_not(tmp_path):
    """Every file whose players forget: the benchmark's own walk over the tree against what is evaluated."""
    (tmp_path / "driver.efg").write_text(DRIVER)
    paths = [tmp_path / "driver.efg", *(path for path in FILES if path.suffix == ".efg")]
    for path in (path for path in paths if recall(read_efg(path)).kind != PERFECT):
        try:
            game = fb.game(path)
        except LimitError:
            continue  # too many pure strategies for a table
        found = fb.evaluate(game, *["uniform"] * len(game.players))
        behaves = found.values == pytest.approx([float(paid) for paid in gambit.uniform(read_efg(path))])
        assert behaves or "uniform behaviour" in found.how, path.name
