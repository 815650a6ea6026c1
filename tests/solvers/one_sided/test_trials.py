"""Trials in plain Python, against the compiled choices, and PG-HSVI with stage games by linear programs."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound import forms
from fogbound.core.errors import FogboundError, SpecError
from fogbound.driver.protocol import Context, Until
from fogbound.games import make
from fogbound.solvers.linear_programs.highs import GrowingLP, empty_vectors, sparse_vectors
from fogbound.solvers.one_sided import heuristic_search
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.solvers.one_sided.pg_hsvi import PGHSVI
from fogbound.solvers.one_sided.stages.kinds import KINDS
from fogbound.solvers.one_sided.stages.solvers import CompiledStages, LinearStages, Stages, unnormalised_belief
from tests.run import solve
from tests.solvers.one_sided.test_stage_games import random_form, raw_bounds, sequence_value, shown

GAMES = ["pursuit(rows=3, columns=2)", "pursuit(columns=3)", "patrolling(nodes=3)", "scotland-yard(map=12)"]


class Plain(LinearStages):
    """The plain choice, by bounds at beliefs as the kernels tell them."""

    def at(self, partition, tau):
        scale = self.bounds.scaled.scale
        low, high = self.bounds.at(partition, tau, shift=False)
        return low / scale, high / scale


class Held(CompiledStages):
    """Compiled stages that hold every choice of where to go against the plain one."""

    def __init__(self, bounds: OneSidedBounds) -> None:
        super().__init__(bounds, add=True)
        self.asked = 0

    def promising(self, partition, y, mixed, left):
        found = super().promising(partition, y, mixed, left)
        assert found == Plain(self.bounds, False, True).promising(partition, y, mixed, left)
        self.asked += 1
        return found

    def after(self, partition, y, branch, tighten):
        tau, total = unnormalised_belief(self.bounds.game, partition, branch, y)
        assert super().after(partition, y, branch, False) == pytest.approx(tau / total, abs=1e-12)
        found, q = super().after(partition, y, branch, tighten), int(self.bounds.game.target[branch])
        heaviest = LinearStages(self.bounds, False, True)._heaviest(q, tau) if tighten else None
        if heaviest is not None:  # the hull may have more than one cover: the two may disagree about points, not gaps
            assert any(np.array_equal(found, point) for point in self.bounds.points(q)[0])
        return found


def held_trials(form, trials, gap, monkeypatch):
    """Walk, and compare every choice; how many there were."""
    bounds = OneSidedBounds(form)
    stages = Held(bounds)
    monkeypatch.setattr(heuristic_search, "stage_solver", lambda *_, **__: stages)
    for _ in range(trials):
        heuristic_search.TrialSearch(bounds).explore(gap, 0.03)
    return stages.asked


@pytest.mark.parametrize("spec", GAMES)
def test_the_compiled_choice_is_the_plain_one(spec, monkeypatch):
    assert held_trials(forms.one_sided(make(spec)), 4, 0.2, monkeypatch) > 10


def test_the_compiled_choice_is_the_plain_one_in_random_games(monkeypatch):
    total = sum(held_trials(random_form(np.random.default_rng(seed)), 3, 1e-2, monkeypatch) for seed in range(40))
    assert total > 300


def test_trials_go_deeper_now_and_then():
    depths = [heuristic_search.depth(number) for number in range(1, 1025)]
    assert depths[:4] == [20, 20, 20, 40]
    assert [depths.count(depth) for depth in (20, 40, 80, 160, 200)] == [768, 192, 48, 12, 4]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_trials_of_every_kind_meet_at_the_value(kind, seed):
    game = shown(seed)
    value, bounds = sequence_value(game), OneSidedBounds(forms.one_sided(game))
    walker = TrialSearch(bounds, kind)
    for _ in range(20):
        low, high = raw_bounds(bounds)
        assert low - 1e-8 <= value <= high + 1e-8
        if high - low < 1e-5:
            return
        walker.explore(1e-5, 0.03)
    raise AssertionError(f"the bounds [{low}, {high}] do not meet at {value}")


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["pursuit(rows=2, columns=3)", "patrolling(nodes=3)"])
def test_the_solver_agrees_with_itself_whatever_solves_its_stages(spec):
    form = forms.one_sided(make(spec))
    found = [solve(PGHSVI(epsilon=0.1, stage=kind), form, Until(gap=0.1)) for kind in KINDS]
    for answer in found:
        assert answer.upper - answer.lower <= 0.1
        assert answer.lower <= min(other.upper for other in found) + 1e-7


def test_what_others_add_to_the_bounds_is_noticed():
    form = forms.one_sided(make("pursuit(columns=3)"))
    bounds = OneSidedBounds(form)
    p, kept = int(bounds.parts[0]), Stages(bounds, "oracle")
    belief = form.start[form.states_of(p)]
    before = kept.lower(p, belief).value, kept.upper(p, belief).value
    for _ in range(5):
        TrialSearch(bounds).explore(1.0)
    after = kept.lower(p, belief).value, kept.upper(p, belief).value
    fresh = Stages(bounds, "full")
    assert after == pytest.approx((fresh.lower(p, belief).value, fresh.upper(p, belief).value), abs=1e-4)
    assert after[0] > before[0] + 1
    assert after[1] < before[1] - 0.5


@pytest.mark.parametrize("kind", ["oracle", "full"])
def test_a_walk_stopped_anywhere_leaves_bounds_that_hold(kind):
    game = shown(1)
    value = sequence_value(game)
    for stages in range(8):
        bounds, left = OneSidedBounds(forms.one_sided(game)), iter(range(stages))
        paths = TrialSearch(bounds, kind).explore(1e-5, 0.03, lambda left=left: next(left, None) is None)
        assert sum(len(path) for path in paths) <= stages
        low, high = raw_bounds(bounds)
        assert low - 1e-8 <= value <= high + 1e-8


def test_a_stop_is_heard_within_a_walk():
    asked = []

    def stopping():
        asked.append(True)
        return len(asked) > 3

    context = Context(np.random.default_rng(0), {}, stopping)
    steps = list(PGHSVI(stage="oracle").run(forms.one_sided(make("pursuit(columns=3)")), context))
    assert len(steps) == 2
    assert len(asked) < 10


def test_an_unknown_way_to_solve_stages_is_named():
    with pytest.raises(SpecError, match="pg-hsvi: stage is 'guess', expected one of compiled, oracle, full"):
        PGHSVI(stage="guess")


def test_a_growing_program_is_solved_again_from_where_it_stood():
    rng, model = np.random.default_rng(5), GrowingLP(new_rows=False)
    for _ in range(30):
        rows, many = int(rng.integers(1, 6)), int(rng.integers(1, 12))
        entries, cost, limit = rng.random((many, rows)), rng.random(many), rng.random(rows)
        model.clear()
        model.add_rows(np.full(rows, -np.inf), limit, empty_vectors(rows))
        values = []
        for column, worth in zip(entries, cost):
            model.add_columns(np.array([worth]), np.zeros(1), np.full(1, np.inf), sparse_vectors(column[None]))
            primal, dual = model.solve()
            values.append(cost[: len(primal)] @ primal)
            assert values[-1] == pytest.approx(dual @ limit, abs=1e-9)
            assert (entries[: len(primal)] @ dual >= cost[: len(primal)] - 1e-9).all()
        assert (np.diff(values) >= -1e-12).all()
        model.change_costs(cost[::-1].copy())
        primal, dual = model.solve()
        assert cost[::-1] @ primal == pytest.approx(dual @ limit, abs=1e-9)


def test_a_growing_program_without_an_optimum_says_so():
    model = GrowingLP(new_rows=False)
    model.add_columns(np.ones(1), np.zeros(1), np.full(1, np.inf), empty_vectors(1))
    with pytest.raises(FogboundError, match="ended as 'Unbounded', expected 'Optimal'"):
        model.solve()
