"""A hierarchy that goes on from any of its checkpoints ends with the same bytes, though levels share beliefs."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.core.cancel import Cancel
from fogbound.core.errors import FileError
from fogbound.driver import checkpoint as checkpoints
from fogbound.driver.solve import _Checkpointer
from fogbound.solvers.pomdp.belief_graph import search
from tests.attack.families import differing
from tests.driver.test_forged import forged, put

RUNS = [
    ("po-nim(n=4)", "level-k(levels=3)"),
    ("po-nim(n=3, discount=0.9)", "level-k(levels=3, prior=poisson, level=2)"),
    ("po-nim(n=2)", "level-k(levels=2, precision=1)"),
    ("random(seed=1, seats=3)", "level-k(levels=3)"),
    ("random(seed=2, loops=True, discount=0.9)", "level-k(levels=2)"),
]


def kept(monkeypatch, folder, game, solver, **more):
    """A run and all checkpoints that it may have left."""
    paths, save = [], checkpoints.save

    def keep(_path, *state):
        paths.append(folder / f"{len(paths)}.npz")
        save(paths[-1], *state)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "save", keep)
        patch.setattr(_Checkpointer, "due", lambda self: True)
        return fb.solve(game, solver, iterations=50, checkpoint=folder / "run.npz", **more), paths


@pytest.mark.slow
@pytest.mark.parametrize(("game", "solver"), RUNS)
def test_every_checkpoint_leads_to_the_same_bytes(game, solver, tmp_path, monkeypatch):
    whole, paths = kept(monkeypatch, tmp_path, game, solver)
    assert len(paths) >= 2
    for path in paths:
        assert differing(whole, fb.solve(game, solver, iterations=50, resume=path)) == []


@pytest.mark.slow
def test_a_level_that_was_under_way_is_told_of_once(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "PATIENCE", 200)
    whole, paths = kept(monkeypatch, tmp_path, "po-nim(n=5)", "level-k(levels=2)")
    assert len(whole.trace) > 2
    for path in paths[:: max(1, len(paths) // 4)]:
        assert differing(whole, fb.solve("po-nim(n=5)", "level-k(levels=2)", iterations=50, resume=path)) == []


def test_a_level_that_was_cut_short_is_worked_out_again(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "PATIENCE", 200)
    game, solver, path, cancel = "po-nim(n=5)", "level-k(levels=3)", tmp_path / "run.npz", Cancel()
    whole = fb.solve(game, solver, iterations=50)

    def watch(entry):
        if entry.iteration == 1 and entry.gap < 1e-9:
            cancel.set("enough")

    stopped = fb.solve(game, solver, iterations=50, checkpoint=path, watch=watch, cancel=cancel)
    assert stopped.stopped == "enough"
    assert differing(whole, fb.solve(game, solver, iterations=50, resume=path)) == []


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("beliefs0_child", put(0, 2**40), r"beliefs0_child\[0\] is 1099511627776, expected at most"),
        ("beliefs0_state", put(0, 10**6), r"beliefs0_state\[0\] is 1000000, expected at most"),
        ("beliefs1_weight", put(0, 0.25), "beliefs1_weight.*sum to 1"),
        ("beliefs1_capacity", put(0, 2**40), r"beliefs1_capacity\[0\]"),
        ("beliefs1_capacity", put(-1, 32769), r"beliefs1_capacity\[3\] is 32769, expected 32768"),
        ("beliefs0_best", put(0, 0), r"beliefs0_best\[0\].*own rows"),
        ("level1_0_listed", put(0, 0), "level1_0_listed"),
        ("level1_1_row", put(0, 3), r"level1_1_row\[0\].*rows of the belief"),
    ],
)
def test_graphs_and_plans_that_no_run_wrote_are_refused(name, change, told, tmp_path):
    from tests.driver.forging import CASES, written

    path = forged(tmp_path / "forged.npz", *written(CASES["level-k"], tmp_path / "run.npz"), **{name: change})
    with pytest.raises(FileError, match=told):
        fb.solve(CASES["level-k"].game, CASES["level-k"].solver, resume=path)
