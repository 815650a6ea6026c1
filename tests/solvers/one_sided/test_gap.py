"""The gap that is asked for is worked towards, whatever a solver aims at by itself; what ends a run is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.driver.protocol import Context, Until
from fogbound.games import make
from fogbound.solvers import make as make_solver
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import PATIENCE, approach, standstill
from tests.run import solve

SMALL = "pursuit(rows=3, columns=2)"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("solver", ["pg-hsvi", "isg(trials=3)", "hisg(runs=2, trials=3)", "pg-hsvi(epsilon=1)"])
def test_a_smaller_gap_than_the_solver_s_own_is_met(solver):
    found = fb.solve(SMALL, solver, gap=1e-5)
    assert found.stopped == "gap"
    assert found.trace[-1].gap <= 1e-5


def test_without_a_gap_the_solver_s_own_is_enough():
    found = fb.solve(SMALL, "pg-hsvi(epsilon=0.5)", seconds=600)
    assert found.stopped == "finished"
    assert 1e-3 < found.gap <= 0.5


@pytest.mark.parametrize("solver", ["pg-hsvi", "isg(trials=3)"])
def test_floats_that_bring_bounds_no_closer_are_named(solver):
    found = fb.solve("patrolling", solver, gap=1e-300)
    assert found.stopped == "numerical"
    assert 0 < found.trace[-1].gap < 1e-6
    assert found.iterations >= PATIENCE
    assert found.certified == "both"


def test_a_wide_gap_is_no_standstill():
    bounds = OneSidedBounds(forms.one_sided(make(SMALL)))
    assert not standstill(bounds)
    bounds.arrays["trials"][0] += 10 * PATIENCE
    assert not standstill(bounds)


def test_a_standstill_is_where_it_was_when_a_run_is_taken_up_again(tmp_path):
    form, path, until = forms.one_sided(make("patrolling")), tmp_path / "run.ck", Until(gap=1e-300)
    whole = solve(make_solver("pg-hsvi"), form, until, certified=False)
    solve(make_solver("pg-hsvi"), form, replace(until, iterations=100), checkpoint=path, certified=False)
    again = solve(make_solver("pg-hsvi"), form, until, resume=path, certified=False)
    assert (again.stopped, again.iterations) == (whole.stopped, whole.iterations) == ("numerical", whole.iterations)


def test_bounds_at_a_standstill_are_reported_once_more_and_left():
    bounds = OneSidedBounds(forms.one_sided(make("patrolling")))
    seen = list(approach(bounds, 1e-300))
    assert standstill(bounds)
    assert seen[-1] == bounds.interval()


def test_what_is_lent_says_what_to_aim_at():
    rng = np.random.default_rng(0)
    assert Context(rng).aim(0.5) == 0.5
    assert Context(rng, gap=0.1).aim(0.5) == 0.1
    assert Context(rng, gap=1.0).aim(0.5) == 0.5
