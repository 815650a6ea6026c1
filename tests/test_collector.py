"""The collector belongs to the whole process: what Fogbound builds leaves it as it is, for other threads too."""

from __future__ import annotations

import gc

import pytest

from fogbound import files, forms
from fogbound.games import make


@pytest.fixture
def switches(monkeypatch):
    """What was done to the collector, in order."""
    done = []
    for name in ("disable", "enable", "freeze", "unfreeze", "set_threshold"):
        monkeypatch.setattr(gc, name, lambda *_, name=name: done.append(name))
    return done


def test_a_table_is_built_with_the_collector_as_it_is(switches):
    forms.table(make("tic-tac-toe"))
    assert switches == []


@pytest.mark.parametrize("ending", ["pomdp", "pomdpx"])
def test_models_are_read_with_the_collector_as_it_is(switches, tmp_path, ending):
    path = tmp_path / f"tiger.{ending}"
    files.write_model(forms.pomdp(make("tiger")), path)
    switches.clear()
    files.read_model(path)
    assert switches == []


def test_vectors_are_read_with_the_collector_as_it_is(switches, tmp_path):
    form, path = forms.pomdp(make("tiger")), tmp_path / "tiger.policy"
    path.write_text(
        '<Policy type="value"><AlphaVector vectorLength="2" numObsValue="1" numVectors="1">'
        '<Vector action="0">1 2</Vector></AlphaVector></Policy>'
    )
    assert files.read_vectors(path, form).vectors.tolist() == [[1, 2]]
    assert switches == []
