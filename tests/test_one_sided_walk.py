"""Walks in plain Python: the compiled walk's twin, and PG-HSVI with stage games by linear programs."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound import forms
from fogbound.core.errors import FogboundError, SpecError
from fogbound.games import make
from fogbound.kernels import stage_search
from fogbound.progress import Desk
from fogbound.solve import Until, solve
from fogbound.solvers.lp_growing import Growing, empty, lines
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.pools import make_room
from fogbound.solvers.one_sided.stages.kinds import KINDS
from fogbound.solvers.one_sided.stages.solvers import stage
from fogbound.solvers.one_sided.walk import Walker
from fogbound.solvers.pg_hsvi import PGHSVI
from tests.test_stage_games import random_form, raw_bounds, sequence_value, shown

GAMES = ["pursuit(rows=3, columns=2)", "pursuit(columns=3)", "patrolling(nodes=3)", "scotland-yard(map=12)"]


def roomy(form) -> Bounded:
    """Bounds that do not run out of room within a few walks: the compiled walk would begin again."""
    bounded = Bounded(form)
    make_room(bounded.arrays, 60 * bounded.room)
    return bounded


def compiled_paths(bounded, gap, share, monkeypatch):
    """The partitions at which the compiled walk of one start solves stages, on the way down and up, in order."""
    seen = []

    def lower_stage(game, bounds, partition, *rest):
        seen.append(int(partition))
        return compiled(game, bounds, partition, *rest)

    compiled = stage_search.lower_stage
    with monkeypatch.context() as patch:
        patch.setattr(stage_search, "explore", stage_search.explore.py_func)
        patch.setattr(stage_search, "lower_stage", lower_stage)
        bounded.explore(gap, share)
    return seen


def same_walks(form, walks, gap, monkeypatch):
    """Take walks both ways and compare; the number of stages."""
    kernel, watched, plain, count = roomy(form), roomy(form), roomy(form), 0
    walker = Walker(plain, "compiled")
    for _ in range(walks):
        kernel.explore(gap, 0.03)
        seen = compiled_paths(watched, gap, 0.03, monkeypatch)
        down = [[p for p, _ in path] for path in walker.explore(gap, 0.03)]
        assert seen == [p for path in down for p in path + path[-2::-1]]
        assert plain.bounds() == pytest.approx(kernel.bounds(), abs=1e-9 * plain.scaled.scale)
        assert np.array_equal(plain.touched, kernel.touched)
        count += len(seen)
    for p in range(len(form.first) - 1):
        assert plain.vectors(p) == pytest.approx(kernel.vectors(p), abs=1e-9 * plain.scaled.scale)
        for mine, theirs in zip(plain.points(p), kernel.points(p), strict=True):
            assert mine == pytest.approx(theirs, abs=1e-9 * plain.scaled.scale)
    return count


@pytest.mark.parametrize("spec", GAMES)
def test_the_plain_walk_takes_the_compiled_ones_way(spec, monkeypatch):
    assert same_walks(forms.one_sided(make(spec)), 4, 0.2, monkeypatch) > 20


def test_the_plain_walk_takes_the_compiled_ones_way_in_random_games(monkeypatch):
    total = sum(same_walks(random_form(np.random.default_rng(seed)), 3, 1e-2, monkeypatch) for seed in range(40))
    assert total > 500


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_walks_of_every_kind_meet_at_the_value(kind, seed):
    game = shown(seed)
    value, bounded = sequence_value(game), Bounded(forms.one_sided(game))
    walker = Walker(bounded, kind)
    for _ in range(20):
        low, high = raw_bounds(bounded)
        assert low - 1e-8 <= value <= high + 1e-8
        if high - low < 1e-5:
            return
        walker.explore(1e-5, 0.03)
    raise AssertionError(f"the bounds [{low}, {high}] do not meet at {value}")


@pytest.mark.parametrize("spec", ["pursuit(rows=2, columns=3)", "patrolling(nodes=3)"])
def test_the_solver_agrees_with_itself_whatever_solves_its_stages(spec):
    form = forms.one_sided(make(spec))
    found = [solve(PGHSVI(aim=0.1, stage=kind), form, Until(gap=0.1)) for kind in KINDS]
    for answer in found:
        assert answer.upper - answer.lower <= 0.1
        assert answer.lower <= min(other.upper for other in found) + 1e-7


def test_what_others_add_to_the_bounds_is_noticed():
    form = forms.one_sided(make("pursuit(columns=3)"))
    bounded = Bounded(form)
    p, kept = int(bounded.parts[0]), stage(bounded, "oracle")
    belief = form.start[form.first[p] : form.first[p + 1]]
    before = kept.lower(p, belief).value, kept.upper(p, belief).value
    for _ in range(5):
        bounded.explore(1.0)
    after = kept.lower(p, belief).value, kept.upper(p, belief).value
    fresh = stage(bounded, "full")
    assert after == pytest.approx((fresh.lower(p, belief).value, fresh.upper(p, belief).value), abs=1e-4)
    assert after[0] > before[0] + 1
    assert after[1] < before[1] - 0.5


@pytest.mark.parametrize("kind", ["oracle", "full"])
def test_a_walk_stopped_anywhere_leaves_bounds_that_hold(kind):
    game = shown(1)
    value = sequence_value(game)
    for stages in range(8):
        bounded, left = Bounded(forms.one_sided(game)), iter(range(stages))
        paths = Walker(bounded, kind).explore(1e-5, 0.03, lambda left=left: next(left, None) is None)
        assert sum(len(path) for path in paths) <= stages
        low, high = raw_bounds(bounded)
        assert low - 1e-8 <= value <= high + 1e-8


def test_a_stop_is_heard_within_a_walk():
    asked = []

    def stopping():
        asked.append(True)
        return len(asked) > 3

    desk = Desk(np.random.default_rng(0), {}, stopping)
    steps = list(PGHSVI(stage="oracle").run(forms.one_sided(make("pursuit(columns=3)")), desk))
    assert len(steps) == 2
    assert len(asked) < 10


def test_an_unknown_way_to_solve_stages_is_named():
    with pytest.raises(SpecError, match="pg-hsvi: stage is 'guess', expected one of compiled, oracle, full"):
        PGHSVI(stage="guess")


def test_a_growing_program_is_solved_again_from_where_it_stood():
    rng, model = np.random.default_rng(5), Growing(new_rows=False)
    for _ in range(30):
        rows, many = int(rng.integers(1, 6)), int(rng.integers(1, 12))
        entries, cost, limit = rng.random((many, rows)), rng.random(many), rng.random(rows)
        model.clear()
        model.add_rows(np.full(rows, -np.inf), limit, empty(rows))
        values = []
        for column, worth in zip(entries, cost):
            model.add_columns(np.array([worth]), np.zeros(1), np.full(1, np.inf), lines(column[None]))
            primal, dual = model.solve()
            values.append(cost[: len(primal)] @ primal)
            assert values[-1] == pytest.approx(dual @ limit, abs=1e-9)
            assert (entries[: len(primal)] @ dual >= cost[: len(primal)] - 1e-9).all()
        assert (np.diff(values) >= -1e-12).all()
        model.reprice(cost[::-1].copy())
        primal, dual = model.solve()
        assert cost[::-1] @ primal == pytest.approx(dual @ limit, abs=1e-9)


def test_a_growing_program_without_an_optimum_says_so():
    model = Growing(new_rows=False)
    model.add_columns(np.ones(1), np.zeros(1), np.full(1, np.inf), empty(1))
    with pytest.raises(FogboundError, match="ended as 'Unbounded', expected 'Optimal'"):
        model.solve()
