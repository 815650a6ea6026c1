"""The collector belongs to the whole process: what Fogbound builds leaves it as it is, for other threads too."""

from __future__ import annotations

import gc
from dataclasses import dataclass

import pytest

from fogbound import Dist, Game, Outcome, files, forms
from fogbound.forms.enumeration import Enumeration
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


@dataclass(frozen=True)
class Line(Game):
    """One step after the other: states are numbers, so that no author keeps anything for the collector to walk."""

    length: int
    movers: int
    players = ("one", "two")

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return tuple(range(self.movers)) if state < self.length else ()

    def actions(self, state, player):
        return ("on",)

    def step(self, state, joint):
        return Dist.sure(Outcome(state + 1))


@pytest.mark.slow
@pytest.mark.parametrize("movers", [1, 2])
def test_enumeration_keeps_nothing_per_state_that_the_collector_walks(movers):
    def kept(length):
        enumeration = Enumeration(Line(length, movers), limit=1000)
        gc.collect()
        gc.disable()  # it would let go of tuples that it has seen to hold numbers alone
        try:
            before = len(gc.get_objects())
            columns = enumeration._states()  # alive while counting
            return len(gc.get_objects()) - before - len(columns)
        finally:
            gc.enable()

    kept(10)  # what the first run alone makes
    assert kept(900) == kept(10)


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
