"""Who computes is the call's affair: no result, trace or checkpoint depends on it."""

from __future__ import annotations

import time

import pytest

from fogbound import forms
from fogbound.core.cancel import Cancel
from fogbound.core.registry import parameters
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.parallel import here, processes
from fogbound.solvers import SOLVERS
from fogbound.solvers.one_sided.isg import HISG
from tests.driver.made import later
from tests.run import solve

HUNT = HISG(runs=6, subset_trials=2, epsilon=2.0, trials=2)


def hunt():
    return forms.one_sided(make("pursuit(columns=3)"))


def figures(found):
    return [(m.iteration, m.value, m.lower, m.upper) for m in found.trace], found.details["subsets"], found.provenance


def test_no_solver_has_workers_of_its_own():
    named = {p.name for name in SOLVERS for p in parameters(SOLVERS.load(name))}
    assert not named & {"workers", "engine", "processes", "threads"}


@pytest.mark.slow
def test_a_run_is_the_same_whoever_computes():
    form = hunt()
    runs = [solve(HUNT, form, Until(iterations=9), engine=engine) for engine in (here, processes(2), processes(3))]
    assert all(figures(run) == figures(runs[0]) for run in runs)


@pytest.mark.parametrize(("first", "second"), [(here, processes(2)), (processes(2), here)])
def test_a_checkpoint_goes_on_with_another_engine(tmp_path, first, second):
    form, path = hunt(), tmp_path / "c.npz"
    whole = solve(HUNT, form, Until(iterations=9))
    solve(HUNT, form, Until(iterations=3), checkpoint=path, engine=first)
    assert figures(solve(HUNT, form, Until(iterations=9), resume=path, engine=second)) == figures(whole)


@pytest.mark.parametrize("engine", [here, processes(2)], ids=repr)
def test_subsets_are_cut_off_when_there_is_one(engine):
    cancel, began = Cancel(), []

    def soon(entry):
        if entry.iteration == 1:
            began.append(time.monotonic())
            later(0.2, cancel.set)

    found = solve(HISG(runs=10**6, subset_trials=1), hunt, watch=soon, cancel=cancel, engine=engine, certified=False)
    assert found.stopped == "cancelled"
    assert time.monotonic() - began[0] < 6
    assert 1 <= found.details["subsets"]["runs"] < 10**6
