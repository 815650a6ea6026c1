"""What `make bench` says of Gambit's files: texts for other readers, what uniform play is worth, and what is absent."""

from __future__ import annotations

from fractions import Fraction

import pytest
from benchmarks import gambit

from fogbound.files.gambit import read_efg, read_nfg
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
