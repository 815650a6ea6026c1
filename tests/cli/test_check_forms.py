"""`fogbound check` and `fogbound solve` agree about which forms a file has."""

from __future__ import annotations

import json

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.forms.protocol import derive
from fogbound.naming.games import problem
from fogbound.solvers.all_forms import ALL_FORMS
from tests import shared
from tests.files.test_gambit import CROSSED, FORGETFUL, MATCHING

FILES = sorted(shared.MODELS.glob("gambit/*.[en]fg"))
SIMPLE = ("tree", "sequence", "normal")  # forms that are derived without opponents


@pytest.fixture
def checked(capsys):
    def call(path, *flags):
        assert main(["check", str(path), "--json", *flags]) == 0
        return {form["form"]: form for form in json.loads(capsys.readouterr().out)["forms"]}

    return call


def require_true(path, forms):
    """What is listed as there can be derived; what is listed as missing cannot."""
    source = problem(path)
    for kind in SIMPLE:
        if forms[kind]["exists"]:
            assert derive(source, ALL_FORMS.load(kind)).kind == kind
        elif forms[kind]["known"]:
            with pytest.raises(fb.core.FogboundError):
                derive(source, ALL_FORMS.load(kind))


@pytest.mark.parametrize("text", [MATCHING, CROSSED, FORGETFUL], ids=["plain", "crossed", "forgetful"])
@pytest.mark.parametrize("limit", [(), ("--limit", "2")], ids=["default", "limit"])
def test_check_lists_the_forms_that_solve_uses(checked, tmp_path, text, limit):
    path = tmp_path / "x.efg"
    path.write_text(text)
    forms = checked(path, *limit)
    assert list(forms) == list(ALL_FORMS)
    require_true(path, forms)
    used = str(fb.solve(path, certify=False).provenance["form"])
    assert forms[used]["exists"] or not forms[used]["known"]


def test_the_matrix_of_players_who_forget_is_listed_whatever_the_limit(checked, tmp_path, capsys):
    path = tmp_path / "x.efg"
    path.write_text(FORGETFUL)
    forms = checked(path, "--limit", "2")
    assert forms["normal"]["exists"]
    assert not forms["table"]["known"]
    assert main(["check", str(path), "--limit", "2"]) == 0
    said = capsys.readouterr().out
    assert "✓ normal     2 x 1 pure strategies" in said
    assert "none" not in said


@pytest.mark.one_in(12)
@pytest.mark.parametrize("path", shared.cases(FILES), ids=lambda path: path.name if path else "none")
def test_check_is_true_of_gambits_files(checked, path):
    if path is None:
        pytest.skip("no models beside the checkout")
    require_true(path, checked(path, "--limit", "2000"))
