"""Going on from the checkpoint of a run that was over changes nothing: no step more, in any family."""

from __future__ import annotations

import pytest

import fogbound as fb
from tests.attack.families import differing
from tests.driver.forging import CASES

STATELESS = {"sequence-lp": "king-ace", "matrix-lp": "rock-paper-scissors", "minimax": "slide-tree"}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("steps", [None, 40])
def test_a_run_that_was_over_stays_so(name, steps, tmp_path):
    case, path = CASES[name], tmp_path / "run.npz"
    until = {"iterations": steps or case.stops}
    whole = fb.solve(case.game, case.solver, checkpoint=path, **until)
    assert differing(whole, fb.solve(case.game, case.solver, resume=path, **until)) == []


@pytest.mark.parametrize(("solver", "game"), STATELESS.items())
def test_a_solver_that_keeps_nothing_begins_again(solver, game, tmp_path):
    path = tmp_path / "run.npz"
    whole = fb.solve(game, solver, checkpoint=path)
    assert differing(whole, fb.solve(game, solver, resume=path)) == []


@pytest.mark.parametrize("solver", ["sarsop", "hsvi", "incremental-pruning", "belief-mdp"])
def test_a_solver_that_had_nothing_left_to_do_has_nothing_to_add(solver, tmp_path):
    path, game = (
        tmp_path / "run.npz",
        "horizon(game=tiger, steps=4)" if solver == "belief-mdp" else "tiger(discount=0.5)",
    )
    whole = fb.solve(game, solver, iterations=10_000, checkpoint=path)
    assert whole.stopped in ("finished", "gap", "numerical")
    assert differing(whole, fb.solve(game, solver, iterations=10_000, resume=path)) == []


def test_more_steps_after_the_end_are_those_of_a_longer_run(tmp_path):
    path = tmp_path / "run.npz"
    fb.solve("tiger", "pbvi(points=20)", iterations=4, checkpoint=path)
    resumed = fb.solve("tiger", "pbvi(points=20)", iterations=9, resume=path)
    assert differing(fb.solve("tiger", "pbvi(points=20)", iterations=9), resumed) == []
