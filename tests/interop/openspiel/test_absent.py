"""Without the extra: games are listed, and whoever asks for one is told in a line what to install."""

from __future__ import annotations

import sys

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import SpecError


@pytest.fixture(autouse=True)
def _without(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)


def test_the_game_is_listed():
    assert fb.games()["openspiel"].parameters["chance"] == "auto"


def test_one_line_names_the_extra(capsys):
    with pytest.raises(SpecError, match=r"pip install 'fogbound\[openspiel\]'"):
        fb.game("openspiel(leduc_poker)")
    assert main(["check", "openspiel:leduc_poker"]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said == "fogbound: OpenSpiel is not installed: pip install 'fogbound[openspiel]'"
