"""Document 002: the hunts, their subsets of actions, the figures; what is timed is not asserted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fogbound.core.errors import SpecError
from fogbound.reproduce import d002_hunts, d002_sizes
from fogbound.reproduce.d002_figures import figure, rows
from fogbound.reproduce.d002_hunts import PORTIONS, Run, at, best, chains, hunt


@pytest.fixture(autouse=True)
def few_walks(monkeypatch):
    monkeypatch.setitem(d002_hunts.WALKS, 12, 3)
    monkeypatch.setattr(d002_hunts, "REPEATS", 1)
    chains.cache_clear()
    hunt.cache_clear()
    yield
    chains.cache_clear()
    hunt.cache_clear()


def test_sizes_are_the_documents():
    found = {claim.statement: claim for claim in d002_sizes.claims()}
    assert found["#18: states"].ours == "12,240"
    assert found["#18: transitions and rewards"].ours == "452,868"
    assert found["actions of the cops on #12, #18"].ours == "733, 11,924"
    assert [claim.verdict for claim in found.values()] == ["reproduced"] * 3 + ["not stated"]


def test_subsets_are_nested_and_leave_an_action_everywhere():
    own = hunt(12)
    move, stand = own.moves
    masks = own.subsets(np.random.default_rng(3))
    for small, large in pairwise(masks):
        assert not (small & ~large).any()
    assert masks[-1].all()
    for mask, portion in zip(masks, PORTIONS):
        assert np.logical_or.reduceat(mask, own.form.slot[:-1]).all()
        kept = np.unique(move[mask])
        assert len(kept) == max(len(np.unique(stand)), round(len(stand) * portion / 100))
        assert mask.sum() == np.isin(move, kept).sum()  # an action is there wherever the cops stand so, or nowhere
    again = own.subsets(np.random.default_rng(3), [30])[0]
    assert (again == masks[0]).all()


def test_chains_keep_what_they_learnt():
    whole = hunt(12).plain
    for chain in chains(12, 2, (30, 64, 100)):
        assert [run.portion for run in chain] == [30, 64, 100]
        assert all(run.lower <= run.upper and run.walks <= 3 and run.lower <= whole.upper for run in chain)
        assert chain[0].lower <= chain[1].lower <= chain[2].lower
        assert chain[2].upper >= whole.lower


def test_the_best_chain_begins_best():
    poor, rich = ([Run(30, low, 90.0, 0.1, 0.2, 1), Run(100, 80.0, 90.0, 0.1, 0.2, 1)] for low in (10.0, 20.0))
    assert best([poor, rich]) is rich
    assert [run.lower for run in at([poor, rich], 30)] == [10.0, 20.0]


def test_rows_hold_mean_and_spread():
    runs = [[Run(portion, low, 90.0, 0.1, 0.2, 1) for portion in PORTIONS] for low in (10.0, 20.0)]
    first = rows(runs)[0]
    assert first == {"bound": "lower", "portion": 30, "mean": 15.0, "least": 10.0, "most": 20.0}
    assert len(rows(runs)) == 2 * len(PORTIONS)


def test_figures(tmp_path):
    for number in (1, 2):
        path = figure(number, tmp_path, draws=1)
        assert path.name == f"002-figure-5.{number}.svg"
        text = path.read_text(encoding="utf-8")
        assert "a map like #12" in text
        assert "var(--" not in text
    with pytest.raises(SpecError, match=r"no figure 5\.7"):
        figure(7, tmp_path)


def test_the_command_knows_the_document():
    from fogbound.cli.reproduce import DOCUMENTS

    assert DOCUMENTS["002"] == "fogbound.reproduce.d002"
