"""Sizes are estimated before anything large is built: no game that fits is refused, and advice can be followed."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FogboundError, LimitError
from fogbound.forms import sequence, table, tree
from fogbound.forms.memories import DOUBT, memories
from fogbound.games import GAMES

MEMORIES, TREE = map(importlib.import_module, ("fogbound.forms.memories", "fogbound.forms.tree"))
MOST = 30_000  # states of the games that are looked at
GAMES_THAT_END = ["horizon(tiger, 5)", "horizon(multi-tiger, 3)", "horizon(po-nim(n=2), 6)", "horizon(soccer, 3)"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GAMES, *GAMES_THAT_END])
def test_no_game_that_fits_is_refused_by_an_estimate(name, monkeypatch):
    """With as many combinations allowed as there are, and estimates from small steps on."""
    try:
        whole = memories(table(fb.game(name), MOST), 300_000)
    except FogboundError:
        pytest.skip("too large to be looked at, or without an end")
    monkeypatch.setattr(MEMORIES, "LOOK_AHEAD", 100)
    assert memories(whole.origin, max(whole.combinations, len(whole.ends))).combinations == whole.combinations


@pytest.mark.parametrize("name", ["leduc", "goofspiel(cards=5)", "liars-dice(sides=3)", "horizon(tiger, 5)"])
def test_estimates_are_near(name, monkeypatch):
    told, estimate = [], MEMORIES._Growth.expected
    monkeypatch.setattr(MEMORIES, "LOOK_AHEAD", 100)
    monkeypatch.setattr(MEMORIES._Growth, "expected", lambda *given: told.append(estimate(*given)) or told[-1])
    actual = memories(table(fb.game(name))).combinations
    assert told
    assert all(actual / DOUBT <= one <= DOUBT * actual for one in told)


def test_what_is_far_too_large_is_refused_before_it_is_built(monkeypatch):
    """After the first step with `LOOK_AHEAD` combinations, whatever follows."""
    monkeypatch.setattr(MEMORIES, "LOOK_AHEAD", 100)
    built = []
    step = MEMORIES._Growth.step
    monkeypatch.setattr(MEMORIES._Growth, "step", lambda *given: built.append(step(*given)) or built[-1])
    form = table(fb.game("goofspiel(cards=5)"))
    with pytest.raises(LimitError, match=r": about .* \(the limit is 900\)"):
        memories(form, 900)
    assert max((len(level.state) for level in built), default=0) < 2_000 < memories(form, 10**6).combinations


@pytest.mark.parametrize(
    ("source", "build"),
    [("leduc", lambda form: tree(form, 100)), ("goofspiel(cards=5)", lambda form: sequence(form, 100))],
)
@pytest.mark.parametrize("free", [0.0, 1e12, None])
def test_a_larger_limit_is_advised_only_where_memory_allows_it(source, build, free, monkeypatch):
    monkeypatch.setattr(TREE, "available", lambda: free)
    form = table(fb.game(source))
    with pytest.raises(LimitError, match="It would take about .* MB of memory") as refused:
        build(form)
    assert ("raise limit=" in str(refused.value)) == (free != 0.0)
    if free != 0.0:
        limit = int(str(refused.value).partition("raise limit= to ")[2].split(", ")[0].replace(",", ""))
        assert np.isfinite(limit)
        assert tree(form, limit).size <= limit
