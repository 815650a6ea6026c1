"""`fogbound reproduce --html`: one file, refused early or written whole."""

from __future__ import annotations

import re

import pytest

from fogbound.cli.main import main
from fogbound.core.errors import FogboundError
from fogbound_papers.claim import Claim
from fogbound_papers.d001 import document

PICTURE = '<svg width="9" height="9"><rect fill="#ffffff"/></svg>'


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture(autouse=True)
def ends(monkeypatch):
    """Document 001 with nothing to compute; what is put into the list is raised at its end."""
    errors = []

    def claims(folder):
        if folder is not None:
            (folder / "001-figure-2.svg").write_text(PICTURE)
        yield Claim("statement", "Fig. 2", "+1", "+1", "reproduced", "why", figure="001-figure-2")
        if errors:
            raise errors[0]

    monkeypatch.setattr(document, "claims", claims)
    return errors


def test_one_file_with_the_figures_inside(run, tmp_path):
    code, out, err = run("reproduce", "001", "--html", str(tmp_path / "report"))
    assert code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert re.search(r'<figure id="001-figure-2".*<rect fill="var\(--surface', page)
    assert "1 reproduced" in out
    assert "report.html" in err


def test_figures_go_into_a_folder_too(run, tmp_path):
    page, folder = tmp_path / "r.html", tmp_path / "f"
    assert run("reproduce", "001", "--html", str(page), "-o", str(folder), "--json")[0] == 0
    assert (folder / "001-figure-2.svg").exists()
    assert "001-figure-2" in page.read_text(encoding="utf-8")


def test_stopped_it_says_so(run, tmp_path, ends):
    ends.append(KeyboardInterrupt())
    assert run("reproduce", "001", "--html", str(tmp_path / "r.html"))[0] == 130
    assert "stopped before its end" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_whole_or_not_at_all(run, tmp_path, ends):
    (tmp_path / "r.html").write_text("the one before")
    ends.append(FogboundError("broken"))
    assert run("reproduce", "001", "--html", str(tmp_path / "r.html"))[0] == 2
    assert (tmp_path / "r.html").read_text() == "the one before"


@pytest.mark.parametrize("name", ["nowhere/report", "taken"])
def test_a_place_that_cannot_be_is_refused_before_anything_runs(run, tmp_path, name):
    (tmp_path / "taken.html").mkdir()
    code, out, err = run("reproduce", "001", "--html", str(tmp_path / name))
    assert (code, out) == (2, "")
    assert "cannot be written" in err
