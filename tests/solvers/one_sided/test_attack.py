"""Attacks on one-sided games: odd games, tiny pools, other ways to stages, resumed runs, damaged files."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fogbound import forms
from fogbound.arena.episode import Episode
from fogbound.cli.main import main
from fogbound.core.errors import PolicyError
from fogbound.driver.protocol import Until
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Uniform
from fogbound.policies.stored import StoredBounds
from fogbound.solvers import make as make_solver
from fogbound.solvers.one_sided.action_subsets import enlarged, front, random_order
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.evidence.proof import bounds_evidence
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.solvers.one_sided.play.partially_informed import PromiseProgram, continuation_value
from fogbound.solvers.one_sided.play.profile import stored_strategy
from fogbound.verify.arrays import Array
from fogbound.verify.one_sided.bounds import proven
from tests.forms.test_one_sided import Shown
from tests.run import solve
from tests.solvers.one_sided.test_stage_games import random_form, raw_bounds, sequence_value

WAYS = ("kernel", "compiled", "oracle", "full")


def checkable(arrays):
    """Arrays as the checker reads them."""
    kept = {name: array.astype("<f8" if array.dtype.kind == "f" else "<i8") for name, array in arrays.items()}
    return {name: Array(array.dtype.str, array.shape, array.tobytes()) for name, array in kept.items()}


def certified(form, bounds):
    """What the independent checker makes of the evidence for bounds."""
    return tuple(map(float, proven(checkable(form.arrays()), checkable(bounds_evidence(bounds).arrays))[0]))


def walk(bounds, way, gap):
    if way == "kernel":
        TrialSearch(bounds).explore(gap)
    else:
        TrialSearch(bounds, way).explore(gap, 0.01)


def odd_form(rng):
    """A random form with several starts, pay of any size and sign, rare steps, and any discount below 1."""
    shape = {name: int(rng.integers(1, most)) for name, most in (("partitions", 5), ("states", 7), ("rows", 5))}
    discount = float(rng.choice([0, 0.1, 0.5, 0.9, 0.99, 0.999]))
    form = random_form(rng, discount, **shape, slots=int(rng.integers(1, 7)), signals=int(rng.integers(1, 4)))
    start = rng.dirichlet(np.ones(form.size)) * (rng.random(form.size) < 0.6)
    start = start / start.sum() if start.sum() > 0 else form.start
    pays = (form.reward * 10.0 ** rng.integers(-6, 7), form.reward - 5, np.abs(form.reward), -np.abs(form.reward))
    rare = 10.0 ** -(rng.integers(0, 8, len(form.prob)) * (rng.random() < 0.3))
    pay = pays[int(rng.integers(len(pays)))]
    return replace(form, start=start, reward=pay, prob=form.prob * rare, paid=float(rng.normal()))


NOTHING_TO_DECIDE = [(100, 8), (115, 8)]  # rewards that, shifted, are rounding


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("seed", "most"), [*((seed, 4) for seed in range(24)), *NOTHING_TO_DECIDE])
def test_odd_games_are_bounded_as_the_checker_says(seed, most):
    """Portions of actions, stages solved in changing ways, bounds taken up again: what is claimed can be proven."""
    rng = np.random.default_rng(seed)
    form, kept = odd_form(rng), {}
    order = random_order(form, rng)
    for percent in (30, 70, 100) if seed % 2 else (100,):
        bounds = enlarged(form, front(form, order, percent), kept)
        for _ in range(int(rng.integers(0, most))):
            walk(bounds, str(rng.choice(WAYS)), 10.0 ** -int(rng.integers(0, 5)) * bounds.scaled.scale)
            kept = {name: np.array(array) for name, array in bounds.arrays.items()}
            bounds = OneSidedBounds(form, bounds.mask, kept)
    low, high = raw_bounds(bounds)
    least, most = certified(form, bounds)
    size = max(float(np.abs(form.reward).max()), bounds.scaled.scale) / (1 - form.discount)
    assert low - 1e-7 * size <= least <= most <= high + 1e-7 * size
    assert low <= most + 1e-9 * size
    assert least <= high + 1e-9 * size


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_random_trees_with_either_seat_blind(seed):
    rng, blind = np.random.default_rng(seed), seed % 2
    shape = (int(rng.integers(1, 5)), int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 4)))
    discount = float(rng.choice([0.5, 0.999, 1.0]))
    drawn = RandomGame(seed, 2, *shape, zero_sum=True, discount=discount)
    game = Shown(drawn, blind)
    form = forms.one_sided(game, blind)
    value = sequence_value(game) * (1 if blind == 0 else -1)
    bounds = OneSidedBounds(form)
    for turn in range(4):
        walk(bounds, WAYS[(seed + turn) % 4], 10.0 ** -int(rng.integers(1, 6)))
        low, high = raw_bounds(bounds)
        assert low - 1e-9 <= value <= high + 1e-9
    least, most = certified(form, bounds)
    assert low - 1e-6 <= least <= value + 1e-9
    assert value - 1e-9 <= most <= high + 1e-6


@cache
def answer(spec, solver):
    return solve(make_solver(solver), forms.one_sided(make(spec)), Until(iterations=200), certified=False)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["patrolling(nodes=5)", "patrolling(arrest=10)"])
def test_every_vector_is_a_promise_that_can_be_kept(spec):
    known = answer(spec, "pg-hsvi(epsilon=1e-6)").profile[0].known
    for p in range(len(known.form.state_start) - 1):
        for vector in known.by_part[p]:
            PromiseProgram(known, p, continuation_value(vector, np.ones(len(vector), bool))).solve()


def resumed(spec, solver, cuts, until, folder):
    """The answer of a run that was cut off after so many steps, several times, and gone on with."""
    path, form = folder / "run.ck", forms.one_sided(make(spec))
    for k, steps in enumerate(cuts):
        solve(make_solver(solver), form, Until(iterations=steps), checkpoint=path, resume=path if k else None)
    return solve(make_solver(solver), form, until, resume=path, certified=False)


CUT = [
    ("pursuit(columns=3)", "pg-hsvi(epsilon=0.5)"),
    ("pursuit(columns=3)", "isg(trials=3, epsilon=0.5)"),
    ("pursuit(rows=3, columns=2)", "hisg(runs=2, subset_trials=2, trials=3)"),
    ("patrolling(nodes=5)", "pg-hsvi(stage=oracle, epsilon=0.5)"),
    ("pursuit(columns=3)", "pg-hsvi(stage=oracle, epsilon=2)"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "solver"), CUT)
def test_a_run_that_was_cut_off_ends_with_the_same_bounds(spec, solver, tmp_path):
    whole = solve(make_solver(solver), forms.one_sided(make(spec)), certified=False)
    for cuts in ((3, 7), (1, 2), (4, 5)):
        again = resumed(spec, solver, cuts, Until(), tmp_path)
        assert (again.lower, again.upper) == (whole.lower, whole.upper)


@pytest.mark.parametrize("cuts", [(3, 7), (1, 7), (1,)])
def test_a_run_that_was_cut_off_takes_as_many_steps(tmp_path, cuts):
    until = Until(iterations=12)
    whole = solve(make_solver("pg-hsvi"), forms.one_sided(make("pursuit(columns=3)")), until, certified=False)
    again = resumed("pursuit(columns=3)", "pg-hsvi", cuts, until, tmp_path)
    assert (again.lower, again.upper) == (whole.lower, whole.upper)


def swapped(a):
    return np.concatenate([a[:2][::-1], a[2:]])


DAMAGE = {  # what makes the arrays of one player no bounds of this game
    ("node_part", "of another type"): lambda a: a.astype(float),
    ("node_part", "too large"): lambda a: a + 1_000_000,
    ("node_part", "below 0"): lambda a: a - 1_000,
    ("node_part", "shorter"): lambda a: a[:-1],
    ("node_value", "longer"): lambda a: np.append(a, 0.0),
    ("node_value", "without end"): lambda a: np.where(np.arange(len(a)) == 3, np.inf, a),
    ("node_value", "in two dimensions"): lambda a: a[:, None],
    ("corner", "shorter"): lambda a: a[:-1],
    ("corner", "not a number"): lambda a: np.full_like(a, np.nan),
    ("point_start", "falling"): lambda a: swapped(a),
    ("point_start", "beyond"): lambda a: a + (np.arange(len(a)) == len(a) - 1),
    ("point_start", "too few"): lambda a: a[:-1],
    ("point_start", "none"): lambda a: a[:0],
    ("point_state", "of another partition"): lambda a: np.append(a[1:], 0 if a[-1] else 1_000),
    ("point_state", "beyond"): lambda a: a + 1_000_000,
    ("point_state", "below 0"): lambda a: a - 1_000_000,
    ("point_state", "twice"): lambda a: np.repeat(a[::2], 2)[: len(a)],
    ("point_weight", "below 0"): lambda a: -a,
    ("point_weight", "none"): np.zeros_like,
    ("point_weight", "shorter"): lambda a: a[:-1],
    ("point_value", "longer"): lambda a: np.append(a, 0.0),
    ("point_value", "of another type"): lambda a: a.astype(int),
}


@pytest.mark.parametrize(("name", "how"), DAMAGE)
def test_damage_to_stored_bounds_is_told_in_one_line(name, how):
    form = forms.one_sided(make("pursuit(rows=3, columns=2)"))
    profile = answer("pursuit(rows=3, columns=2)", "pg-hsvi").profile
    kept = next(policy.stored() for policy in profile.values() if name in policy.stored().names)
    damaged = {**kept.arrays, name: DAMAGE[name, how](kept.arrays[name])}
    with pytest.raises(PolicyError, match="damaged"):
        stored_strategy(StoredBounds(kept.partially_informed, damaged), form)


@pytest.mark.parametrize("seed", range(6))
def test_numbers_without_sense_are_played_by_without_harm(seed):
    """Whatever finite numbers a file holds in the right places, compiled loops go where they should."""
    rng, game = np.random.default_rng(seed), make("pursuit(rows=3, columns=2)")
    form = forms.one_sided(game)
    for player, policy in answer("pursuit(rows=3, columns=2)", "pg-hsvi").profile.items():
        kept = policy.stored()
        spoilt = {
            name: a
            if a.dtype.kind == "i"
            else np.abs(rng.normal(size=len(a))) * 10.0 ** rng.integers(-300, 300, len(a))
            for name, a in kept.arrays.items()
        }
        strategy = stored_strategy(StoredBounds(kept.partially_informed, spoilt), form)
        policies = [Uniform(), Uniform()]
        policies[player] = strategy
        episode = Episode(game, policies, np.random.default_rng(seed))
        with suppress(PolicyError):  # promises beyond reason cannot be kept, and that is said
            assert sum(1 for _ in episode.steps(20)) > 0


def test_a_saved_reply_is_shown_with_what_it_believes(tmp_path: Path, capsys):
    path = str(tmp_path / "patrol.npz")
    assert main(["solve", "patrolling", "--with", "pg-hsvi", "-o", path]) == 0
    capsys.readouterr()
    assert main(["show", path, "--player", "1"]) == 0
    assert "not yet on a game" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_strategy_too_large_to_list_is_shown_by_how_it_begins(tmp_path: Path, capsys):
    path = str(tmp_path / "hunt.npz")
    assert main(["solve", "scotland-yard(map=12)", "--with", "pg-hsvi", "--gap", "30", "-o", path]) == 0
    capsys.readouterr()
    assert main(["show", path]) == 0
    told = capsys.readouterr().out
    assert "how it begins" in told
    assert "go to" in told
