"""ISG and HISG: subsets that only grow, vectors that carry over, bounds that hold in the whole game."""

from __future__ import annotations

import itertools
from itertools import islice, pairwise

import numpy as np
import pytest

from fogbound import forms
from fogbound.core import SpecError
from fogbound.core.errors import FormError
from fogbound.driver.protocol import Context, Until
from fogbound.games import make
from fogbound.parallel import processes
from fogbound.solvers.one_sided.action_subsets import enlarged, front, random_order
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.heuristic_search import TrialSearch, approach
from fogbound.solvers.one_sided.isg import HISG, ISG
from tests.run import solve

GAMES = ("pursuit(columns=3)", "intrusion", "patrolling", "scotland-yard(map=12)")
PORTIONS = (30, 44, 64, 100)
EPSILONS = (1.0, 1.0, 1.0, 30.0)  # the last game closes slowly
FORMS = {}


@pytest.fixture(params=GAMES)
def form(request):
    return form_of(request.param)


def oracle_subset(bounds):
    """[J] the actions that the double oracle ever mixed, and the first action of each partition in which it mixed none.

    The document asks which actions to give the blind player first: the search in the full game names these.
    """
    mask = bounds.touched.copy()
    first = bounds.form.action_start[:-1]
    mask[first[~np.logical_or.reduceat(mask, first)]] = True
    return mask


def form_of(spec):
    if spec not in FORMS:
        FORMS[spec] = forms.one_sided(make(spec))
    return FORMS[spec]


def context(seed=0):
    return Context(np.random.default_rng(seed))


def timeless(details):
    """The table of portions without what a clock said."""
    kept = "portion", "actions", "trials", "lower", "upper"
    return [{key: row[key] for key in kept} for row in details["portions"]]


def counts(form, mask):
    return np.bincount(form.part_of_action[mask], minlength=len(form.action_start) - 1)


@pytest.mark.parametrize("seed", range(3))
def test_subsets_are_nested_and_leave_something_everywhere(form, seed):
    order = random_order(form, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(form.action_label)))
    masks = [front(form, order, percent) for percent in (0.01, *PORTIONS)]
    assert all((counts(form, mask) >= 1).all() for mask in masks)
    assert all((larger | smaller == larger).all() for smaller, larger in pairwise(masks))
    assert masks[-1].all()
    assert (counts(form, masks[0]) == 1).all()
    fewest = len(form.action_start) - 1
    assert [mask.sum() for mask in masks[1:]] == [max(fewest, round(len(order) * p / 100)) for p in PORTIONS]


def test_subsets_are_drawn_evenly():
    form = form_of("patrolling")
    rng = np.random.default_rng(5)
    drawn = sum(front(form, random_order(form, rng), 50).astype(int) for _ in range(2_000)) / 2_000
    assert np.abs(drawn - 0.5).max() < 0.06


def test_what_a_subset_guarantees_holds_in_the_whole_game(form):
    upper = list(islice(approach(OneSidedBounds(form), 0.5), 16))[-1][1]
    order = random_order(form, np.random.default_rng(1))
    for percent in PORTIONS:
        bounds = OneSidedBounds(form, front(form, order, percent))
        assert all(lower <= upper + 1e-6 for lower, _ in islice(approach(bounds, 0.5), 8))


def test_vectors_carry_over_and_points_do_not(form):
    order, arrays = random_order(form, np.random.default_rng(2)), {}
    smaller = OneSidedBounds(form, front(form, order, 44), arrays)
    for _ in range(5):
        TrialSearch(smaller).explore(1.0)
    before, vectors = smaller.interval(), [smaller.vectors(p) for p in range(len(form.action_start) - 1)]
    larger = enlarged(form, front(form, order, 80), arrays)
    fresh = OneSidedBounds(form, front(form, order, 80))
    assert larger.interval()[0] == max(before[0], fresh.interval()[0])
    assert larger.interval()[1] == fresh.interval()[1]
    for p, kept in enumerate(vectors):
        np.testing.assert_array_equal(larger.vectors(p), np.concatenate([fresh.vectors(p), kept]))
        assert len(larger.points(p)[0]) == len(fresh.points(p)[0])
    TrialSearch(larger).explore(1.0)
    assert larger.interval()[0] >= before[0]


def test_many_vectors_find_room():
    form, arrays = form_of("intrusion"), {}
    order = random_order(form, np.random.default_rng(0))
    bounds = OneSidedBounds(form, front(form, order, 60), arrays)
    for _ in range(20):
        TrialSearch(bounds).explore(0.001)
    many = sum(len(bounds.vectors(p)) for p in range(len(form.action_start) - 1))
    larger = enlarged(form, np.ones(len(order), bool), arrays)
    assert sum(len(larger.vectors(p)) for p in range(len(form.action_start) - 1)) == many + len(form.action_start) - 1
    TrialSearch(larger).explore(0.001)


@pytest.mark.parametrize(("spec", "epsilon"), list(zip(GAMES, EPSILONS, strict=True)))
def test_isg_only_rises_and_ends_with_the_value_of_the_game(spec, epsilon):
    form = form_of(spec)
    answers = list(ISG(epsilon=epsilon, trials=3).run(form, context()))
    assert all(low.lower <= high.lower + 1e-9 for low, high in pairwise(answers))
    rows = answers[-1].details["portions"]
    assert [row["portion"] for row in rows] == list(PORTIONS)
    assert all(answer.upper == np.inf for answer in answers if answer.details["portion"] < 100)
    assert answers[-1].upper - answers[-1].lower <= epsilon
    lower, upper = list(islice(approach(OneSidedBounds(form), epsilon), 50))[-1]
    assert answers[-1].lower <= upper + 1e-6
    assert lower <= answers[-1].upper + 1e-6
    assert all(row["trials"] <= 3 for row in rows[:-1])


def test_times_of_a_portion_are_in_order():
    *_, answer = ISG(epsilon=0.5, trials=5, widths=(10, 1, 0.001)).run(form_of("pursuit(columns=3)"), context())
    for row in answer.details["portions"]:
        times = [row["below"][width] for width in ("10", "1") if row["below"][width] is not None]
        assert sorted(times) == times
        assert all(0 < row["start"] <= spent <= row["seconds"] for spent in times)
        assert row["below"]["0.001"] is None
        assert (row["below"]["1"] is not None) == (row["upper"] - row["lower"] < 1)
    assert answer.details["portions"][-1]["below"]["1"] is not None


def test_same_seed_same_result():
    form, solver = form_of("pursuit(columns=3)"), ISG(epsilon=2.0, trials=3)
    *_, one = solver.run(form, context(7))
    *_, two = solver.run(form, context(7))
    *_, other = solver.run(form, context(8))
    assert timeless(one.details) == timeless(two.details) != timeless(other.details)


@pytest.mark.parametrize("stop", [1, 6, 9])
def test_a_resumed_run_ends_alike(stop):
    form, solver = form_of("pursuit(columns=3)"), ISG(epsilon=1.0, trials=4)
    *_, whole = solver.run(form, context())
    first, second = context(), context()
    list(islice(solver.run(form, first), stop))
    second.arrays = {name: array.copy() for name, array in first.arrays.items()}
    second.rng = first.rng
    *_, resumed = solver.run(form, second)
    assert timeless(resumed.details) == timeless(whole.details)


def test_the_driver_runs_it_to_a_gap_and_goes_on_from_a_checkpoint(tmp_path):
    form, solver, file = form_of("pursuit(columns=3)"), ISG(trials=4), tmp_path / "state.fog"
    whole = solve(solver, form, Until(gap=1.0), certified=False)
    assert whole.stopped == "gap"
    assert set(whole.profile) == {0, 1}
    short = solve(solver, form, Until(iterations=7), certified=False, checkpoint=file)
    assert short.upper == np.inf
    resumed = solve(solver, form, Until(gap=1.0), certified=False, resume=file)
    assert (resumed.lower, resumed.upper) == (whole.lower, whole.upper)


@pytest.mark.parametrize("iterations", [2, 12])  # within a portion, in the last one
def test_answers_are_certified(iterations):
    found = solve(ISG(trials=3), form_of("pursuit(columns=3)"), Until(iterations=iterations))
    assert found.certificate.checked
    assert 0 < found.certificate.lower < 83.51
    assert 83.48 < found.certificate.upper < 90


def test_a_stop_is_heard_within_a_smaller_game():
    form, asked = form_of("scotland-yard(map=12)"), context()
    asked.stopping = lambda: True
    assert len(list(ISG().run(form, asked))) == 1
    asked = context()
    asked.stopping = lambda: True
    (answer,) = HISG(runs=40, subset_trials=1).run(form, asked)
    assert 1 <= answer.details["subsets"]["runs"] < 40


def test_hisg_starts_from_the_best_subset_whoever_finds_it():
    form = form_of("pursuit(columns=3)")
    solver, side_by_side = HISG(runs=10, subset_trials=3, epsilon=2.0, trials=3), context()
    side_by_side.engine = processes(2)
    *_, one = solver.run(form, context())
    *_, two = solver.run(form, side_by_side)
    assert timeless(one.details) == timeless(two.details)
    assert one.details["subsets"] == two.details["subsets"]
    subsets = one.details["subsets"]
    assert subsets["least"] < subsets["mean"] < subsets["best"]
    assert one.details["portions"][0]["lower"] == subsets["best"]  # as many trials, in the same subset


def test_a_look_ends_with_its_trials_or_its_time_or_its_gap():
    form = form_of("pursuit(columns=3)")

    def best(**limits):
        *_, found = HISG(runs=3, epsilon=2.0, trials=1, **limits).run(form, context())
        return found.details["subsets"]["best"]

    none, few, all_of_them = best(subset_trials=0, subset_seconds=1e-9), best(subset_trials=2), best(subset_trials=0)
    assert none < few < all_of_them
    assert best(subset_trials=2, subset_seconds=60) == few
    assert best(subset_trials=10**6, subset_seconds=60) == all_of_them


def test_hisg_that_is_stopped_has_at_least_what_the_best_subset_had():
    form, asked = form_of("pursuit(columns=3)"), context()
    asked.stopping = lambda: True
    (answer,) = HISG(runs=5, subset_trials=4).run(form, asked)
    assert answer.details["subsets"]["runs"] == 1  # one at least
    assert answer.lower == answer.details["subsets"]["best"] == answer.evidence().lower
    assert answer.upper == np.inf
    assert set(answer.profile()) == {0, 1}


def test_hisg_never_tells_less_than_before():
    answers = list(HISG(runs=4, subset_trials=3, epsilon=2.0, trials=5).run(form_of("pursuit(columns=3)"), context()))
    subsets = [found.details["subsets"]["runs"] for found in answers]
    assert subsets[:5] == [1, 2, 3, 4, 4]
    assert all(one.lower <= two.lower for one, two in itertools.pairwise(answers[:6]))


def test_the_oracle_names_better_actions_than_chance():
    form, rng = form_of("pursuit(columns=3)"), np.random.default_rng(3)

    def solved(mask):
        *_, (low, high) = islice(approach(bounds := OneSidedBounds(form, mask), 0.5), 80)
        return bounds, low, high

    whole, _, upper = solved(None)
    oracle = oracle_subset(whole)
    assert oracle.sum() < 0.7 * len(form.action_label)
    _, low, _ = solved(oracle)
    assert low <= upper
    assert upper - low < 2.0  # what is lost at most
    for _ in range(4):
        as_many = front(form, random_order(form, rng), 100 * oracle.sum() / len(oracle))
        assert as_many.sum() == oracle.sum()
        assert solved(as_many)[2] < low  # surely worse


def test_the_oracle_leaves_something_everywhere(form):
    bounds = OneSidedBounds(form)
    assert (counts(form, oracle_subset(bounds)) == 1).all()
    TrialSearch(bounds).explore(1.0)
    mask = oracle_subset(bounds)
    assert (counts(form, mask) >= 1).all()
    assert mask[bounds.touched].all()
    assert mask.sum() == bounds.touched.sum() + (counts(form, bounds.touched) == 0).sum()


@pytest.mark.parametrize(
    ("solver", "wrong"),
    [
        (ISG, {"portions": (30, 60)}),
        (ISG, {"portions": (60, 30, 100)}),
        (ISG, {"portions": ()}),
        (ISG, {"portions": (0, 100)}),
        (ISG, {"epsilon": 0.0}),
        (ISG, {"trials": -1}),
        (ISG, {"widths": (0,)}),
        (HISG, {"runs": 0}),
        (HISG, {"subset_trials": -1}),
        (HISG, {"subset_seconds": -0.5}),
        (HISG, {"subset_seconds": float("nan")}),
        (HISG, {"stage_tolerance": 1.0}),
    ],
)
def test_wrong_parameters_are_named(solver, wrong):
    with pytest.raises(SpecError, match=f"{solver.name}: {next(iter(wrong))} is "):
        solver(**wrong)


def test_masks_that_fit_no_game_are_refused():
    form = form_of("pursuit(columns=3)")
    whole = np.ones(len(form.action_label), bool)
    with pytest.raises(FormError, match="expected one truth value an action"):
        OneSidedBounds(form, whole[1:])
    with pytest.raises(FormError, match="expected one truth value an action"):
        OneSidedBounds(form, whole.astype(np.int64))
    whole[form.action_start[2] : form.action_start[3]] = False
    with pytest.raises(FormError, match="the mask leaves no action in partition 2"):
        OneSidedBounds(form, whole)
