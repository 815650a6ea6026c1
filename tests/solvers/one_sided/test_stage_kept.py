"""Stages whose linear programs are kept from belief to belief: what they answer is what a new program would."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound.solvers.linear_programs.highs import GrowingLP, dense_vectors, empty_vectors, sparse_vectors
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.solvers.one_sided.stages import double_oracle, solvers, stacked
from fogbound.solvers.one_sided.stages.double_oracle import RestrictedUpper
from fogbound.solvers.one_sided.stages.solvers import Stages
from tests.solvers.one_sided.test_stage_games import beliefs, explored, random_form


def answers_like_new(seed, many=12):
    """A kept double oracle against one new program a stage, while both it and walks add to what is known."""
    rng = np.random.default_rng(seed)
    form = random_form(rng)
    bounds = explored(form, int(rng.integers(0, 3)))
    scale = bounds.scaled.scale
    kept = Stages(bounds, "oracle", 1e-8 * scale, add=True)
    for turn, (p, belief) in enumerate(beliefs(rng, form, many)):
        new = Stages(bounds, "full", 1e-8 * scale)
        low, high = new.lower(p, belief).value, new.upper(p, belief).value
        found = kept.lower(p, belief)
        assert found.value == pytest.approx(low, abs=1e-7 * scale)
        assert found.vector @ belief == pytest.approx(low, abs=1e-7 * scale)
        above = kept.upper(p, belief)
        assert above.value == pytest.approx(high, abs=1e-7 * scale)
        assert above.mixture.sum() == pytest.approx(1)
        if turn % 5 == 4:
            TrialSearch(bounds).explore(1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_kept_programs_answer_like_new_ones(seed):
    answers_like_new(seed)


@pytest.mark.parametrize("seed", range(5))
def test_kept_programs_may_begin_again_at_any_time(seed, monkeypatch):
    monkeypatch.setattr(double_oracle, "KEPT_COLUMNS", 2)
    monkeypatch.setattr(double_oracle, "KEPT_ACTIONS", 1)
    monkeypatch.setattr(solvers, "MOST_ORACLES", 1)
    answers_like_new(seed)


def test_programs_are_kept_until_corners_change_or_points_are_forgotten(monkeypatch):
    begun, asked = [], RestrictedUpper.__init__
    monkeypatch.setattr(RestrictedUpper, "__init__", lambda self, *own: (begun.append(1), asked(self, *own))[1])
    rng = np.random.default_rng(3)
    form = random_form(rng, partitions=1, states=4)
    size = int(form.state_start[1])
    kept = Stages(explored(form, 2), "oracle", 1e-8, add=True)
    inside = rng.dirichlet(np.ones(size), 6)
    for belief in inside:
        kept.upper(0, belief)
    assert len(begun) == 1
    before = kept.bounds.points(0)[1][:size].copy()
    for corner in np.eye(size):
        kept.upper(0, corner)
    kept.upper(0, inside[0])
    lowered = int((kept.bounds.points(0)[1][:size] < before).sum())
    assert 1 < len(begun) <= 1 + lowered
    count = len(begun)
    monkeypatch.setattr(stacked, "MOST_FORGOTTEN", 0)
    kept.upper(0, inside[0] / 2 + inside[1] / 2)
    kept.upper(0, inside[2])
    assert len(begun) > count


def test_a_growing_program_with_other_bounds_goes_on():
    rng, model = np.random.default_rng(7), GrowingLP(new_rows=True)
    entries, cost = rng.random((3, 5)) + 0.1, rng.random(5)
    model.add_columns(cost, np.zeros(5), np.full(5, np.inf), empty_vectors(5))
    model.add_rows(np.full(3, -np.inf), np.ones(3), sparse_vectors(entries))
    for limit in rng.random((10, 2)):
        model.change_row_bounds(np.full(2, -np.inf), limit)
        primal, dual = model.solve()
        assert (entries @ primal <= np.append(limit, 1.0) + 1e-9).all()
        assert cost @ primal == pytest.approx(dual @ np.append(limit, 1.0), abs=1e-9)


def test_full_lines_say_the_same_as_lines():
    entries = np.random.default_rng(1).random((3, 4)) + 1.0
    for found, expected in zip(dense_vectors(entries), sparse_vectors(entries)):
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()
    assert len(dense_vectors(np.zeros((0, 4))).starts) == 0
