"""One-sided games: honest evidence closes, wrong evidence only widens, garbage stays true."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fogbound import forms
from fogbound.core.errors import FormError
from fogbound.games import make
from fogbound.solvers import make as make_solver
from fogbound.solvers.one_sided.action_subsets import enlarged, front, random_order
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.evidence.proof import bounds_evidence
from fogbound.solvers.one_sided.heuristic_search import TrialSearch
from fogbound.testing import random_games
from fogbound.verify import Refused, check
from fogbound.verify.one_sided.bounds import NODES as LOWER
from fogbound.verify.one_sided.bounds import proven
from fogbound.verify.one_sided.upper import POINTS as UPPER
from tests.forms.test_one_sided import Chart
from tests.run import solve
from tests.verify.made import header, stored

few = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
CASES = [("pursuit(columns=3)", 0, 1.0), ("intrusion", 0, 0.1), ("patrolling", 0, 1e-6), ("patrolling", 1, 1e-6)]
CASES += [("leduc", 1, 1e-2)]  # not discounted
SURE = 1e-9


def interval(form, certificate):
    """An interval that holds the value of the game."""
    return proven(form, certificate)[0]


def arrays(values):
    return {name: stored(array) for name, array in values.items()}


def bounds_of(form, gap, walks=60):
    bounds = OneSidedBounds(form)
    for _ in range(walks):
        low, high = bounds.interval()
        if high - low <= gap:
            break
        TrialSearch(bounds).explore(max(gap, 0.5 * (high - low)))
    return bounds


@cache
def solved(spec, blind, gap):
    """(form, reported bounds, evidence, certified interval)."""
    form = forms.one_sided(make(spec), blind)
    bounds = bounds_of(form, gap)
    found = bounds_evidence(bounds).arrays
    return form, bounds.interval(), found, interval(arrays(form.arrays()), arrays(found))


def secured(form):
    """What the blind player can secure, by another method."""
    value = solve(make_solver("sequence-lp"), forms.sequence(forms.OneSidedGame(form)), certified=False).value
    return value if form.player == 0 else -value


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", CASES)
def test_honest_evidence_proves_what_was_reported(case):
    _, (low, high), _, (least, most) = solved(*case)
    assert low - 1e-6 < least <= most < high + 1e-6


def test_everything_that_is_found_keeps_its_reason():
    form = forms.one_sided(make("pursuit(columns=3)"))
    bounds = bounds_of(form, 1.0)
    for p in range(len(form.action_start) - 1):
        assert (
            bounds.arrays["derivation"][[*bounds.record_numbers("vectors", p), *bounds.record_numbers("points", p)]]
            >= 0
        ).all()
    low, high = bounds.interval()
    told = bounds_evidence(bounds)
    least, most = interval(arrays(form.arrays()), arrays(told.arrays))
    assert float(least) == pytest.approx(low, abs=1e-9)  # read off, not found again
    assert high <= told.upper < high + 1e-4
    assert most <= told.upper  # no more is claimed than is proven


@pytest.mark.parametrize("kind", ["oracle", "full"])
def test_what_linear_programs_found_is_found_again(kind):
    form = forms.one_sided(make("pursuit(columns=3)"))
    bounds = OneSidedBounds(form)
    for _ in range(4):
        TrialSearch(bounds, kind).explore(2.0, 0.01)
    low, high = bounds.interval()
    least, most = interval(arrays(form.arrays()), arrays(bounds_evidence(bounds).arrays))
    assert low - 1e-6 < least <= most < high + 1e-6


def test_vectors_of_fewer_actions_keep_their_reasons():
    form, kept = forms.one_sided(make("pursuit(columns=3)")), {}
    order = random_order(form, np.random.default_rng(0))
    for share in (40, 70, 100):
        bounds = enlarged(form, front(form, order, share), kept)
        TrialSearch(bounds).explore(1.0)
    low, high = bounds.interval()
    least, most = interval(arrays(form.arrays()), arrays(bounds_evidence(bounds).arrays))
    assert low - 1e-6 < least <= most < high + 1e-6


def test_values_found_by_another_method():
    for case, value in (((*CASES[-1],), secured(solved(*CASES[-1])[0])), (CASES[2], -47.5), (CASES[3], 95 / 3)):
        low, high = solved(*case)[3]
        assert low - SURE <= value <= high + SURE


@pytest.mark.slow
@few
@given(game=random_games(zero_sum=True, most_nodes=300), blind=st.integers(0, 1), seed=st.integers(0, 2**32))
def test_random_games(game, blind, seed):
    try:
        form = forms.one_sided(game, blind)
    except FormError:
        assume(False)
    bounds, value = bounds_of(form, 1e-4, 20), secured(form)
    found, (least, most) = bounds_evidence(bounds).arrays, bounds.interval()
    low, high = interval(arrays(form.arrays()), arrays(found))
    assert least - 1e-6 <= low <= value + SURE
    assert value - SURE <= high <= most + 1e-6
    rng = np.random.default_rng(seed)
    for _ in range(6):
        holds(form, spoilt(found, rng), value, value)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[:4])
def test_spoilt_evidence_never_proves_too_much(case):
    form, _, found, (low, high) = solved(*case)
    rng = np.random.default_rng(0)
    judged = [holds(form, spoilt(found, rng), low, high) for _ in range(16)]
    assert sum(judged) > 4  # many are judged, not refused


def spoilt(found, rng):
    """Some arrays shuffled, scaled, shifted, made of noise, or left out."""
    worse = dict(found)
    for name in rng.choice(list(found), rng.integers(1, 4), replace=False):
        array, how = found[name].copy(), rng.integers(6)
        if array.dtype.kind == "i" and how:
            array = rng.permutation(array) if how > 2 and not name.endswith("start") else array
        elif how == 0:
            rng.shuffle(array)
        elif how == 1:
            array = array * rng.choice([-1.0, 0.0, 0.5, 1.01, 3.0, 1e6])
        elif how == 2:
            array = array + rng.choice([-200.0, -1e-3, 1e-9, 0.1, 50.0])
        elif how == 3:
            array = array + rng.normal(size=array.shape)
        elif how == 4:
            array = rng.normal(size=array.shape) * rng.choice([1e-300, 1.0, 1e6])
        else:
            array[rng.random(array.shape) < 0.1] *= -2
        worse[name] = array
    if rng.random() < 0.2:
        worse.pop(rng.choice(["toll", "least"]), None)
    return worse


def holds(form, found, low, high):
    """Whether it was judged; what is then proven must agree with the value, which lies from `low` to `high`."""
    try:
        least, most = interval(arrays(form.arrays()), arrays(found))
    except Refused:
        return False
    assert least <= high + SURE
    assert most >= low - SURE
    return True


def test_claims_that_are_too_good_are_paid_for():
    form, _, found, (low, high) = solved(*CASES[0])
    for name, change in (("node_value", 1.0), ("corner", -1.0), ("point_value", -1.0)):
        worse = found[name].copy()
        worse[0] += change
        least, most = interval(arrays(form.arrays()), arrays(found | {name: worse}))
        wider = low - least if change > 0 else most - high
        assert wider > 0.01, name


def test_a_cover_may_be_too_large():
    form, _, found, (_, high) = solved(*CASES[0])
    more = found | {"cover_weight": found["cover_weight"] * 1.001}
    assert high <= interval(arrays(form.arrays()), arrays(more))[1] < high + 10
    double = found | {"cover_weight": found["cover_weight"] * 2}
    assert interval(arrays(form.arrays()), arrays(double))[1] == Fraction(form.reward.max()) / (1 - Fraction(0.95))


def test_without_evidence_only_pay_bounds():
    form, _, found, (low, high) = solved(*CASES[1])
    lower = {name: array for name, array in found.items() if name in LOWER}
    upper = {name: array for name, array in found.items() if name in UPPER}
    assert set(found) == set(lower) | set(upper)
    given = arrays(form.arrays())
    ever = 1 / (1 - Fraction(form.discount))
    assert interval(given, arrays(lower)) == (low, ever * Fraction(max(form.reward.max(), 0)))
    assert interval(given, arrays(upper)) == (ever * Fraction(min(form.reward.min(), 0)), high)


def test_without_discount_play_must_be_known_to_end():
    form, _, found, _ = solved(*CASES[-1])
    given = arrays(form.arrays())
    with pytest.raises(Refused, match="'steps' is missing"):
        interval(given, arrays({name: array for name, array in found.items() if name != "steps"}))
    with pytest.raises(Refused, match="not certified to end"):
        interval(given, arrays(found | {"steps": np.zeros(form.size)}))


def test_probabilities_above_one_are_divided():
    form, _, found, (low, high) = solved(*CASES[0])
    more = form.arrays()
    more["prob"] = more["prob"] * (1 + 2**-40)
    least, most = interval(arrays(more), arrays(found))
    assert abs(least - low) + abs(most - high) < 1e-6


def test_only_some_actions_still_guarantee():
    form, _, _, (_, high) = solved(*CASES[0])
    mask = np.random.default_rng(1).random(len(form.action_label)) < 0.8
    mask[form.action_start[:-1]] = True
    bounds = OneSidedBounds(form, mask)
    for _ in range(8):
        TrialSearch(bounds).explore(2.0)
    told = bounds_evidence(bounds)
    assert not len(told.arrays["point_value"])  # what some actions are held to says nothing of all
    least, most = interval(arrays(form.arrays()), arrays(told.arrays))
    assert bounds.interval()[0] - 1e-6 < least <= high
    assert told.lower == bounds.interval()[0]
    assert high <= most <= told.upper + 1e-6
    assert told.upper == pytest.approx(OneSidedBounds(form).interval()[1], abs=1e-4)  # the blind player sees all


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("follow_node", 10**6, "'follow_node' holds"),
        ("begin", -2, "'begin' holds"),
        ("cover_point", -1, "'cover_point' holds"),
        ("point_state", 0, "states of one partition"),
        ("follow_start", 3, "'follow_start' must rise"),
    ],
)
def test_what_cannot_be_judged_is_refused(name, value, told):
    form, _, found, _ = solved(*CASES[0])
    with pytest.raises(Refused, match=told):
        interval(arrays(form.arrays()), arrays(found | {name: np.full_like(found[name], value)}))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("target", "'target' holds|'to' holds"),
        ("source", "'source' holds"),
        ("prob", "negative"),
        ("start", "negative"),
    ],
)
def test_a_form_that_is_none_is_refused(name, told):
    form, _, found, _ = solved(*CASES[0])
    wrong = form.arrays()
    wrong[name] = -1 - wrong[name]
    with pytest.raises(Refused, match=told):
        interval(arrays(wrong), arrays(found))


def test_a_claim_beyond_the_proof_is_refuted():
    form, _, found, (low, high) = solved(*CASES[3])
    given, proof = arrays(form.arrays()), arrays(found)
    report = check(header(given, "one-sided", 1, low - Fraction(SURE), high + Fraction(SURE)), given, proof)
    assert report.refuted is None
    assert report.lower <= low
    assert high <= report.upper
    report = check(header(given, "one-sided", 1, low + 1, high + 2), given, proof)
    assert "lower bound" in str(report.refuted)


def test_a_strategy_that_hopes_for_kind_replies_proves_nothing():
    """Matching pennies, once: whoever always shows the same side is found out, whatever is claimed."""
    pennies = Chart(
        (("toss", "go", 1.0),),
        {"toss": {(a, b): (1.0 if a == b else -1.0, (("over", "end", 1.0),)) for a in "ht" for b in "ht"}},
    )
    form = forms.one_sided(pennies)
    found = bounds_evidence(bounds_of(form, 1e-6)).arrays
    assert interval(arrays(form.arrays()), arrays(found)) == (0, 0)
    nodes = len(found["node_part"])
    hopeful = found | {"node_share": np.tile([1.0, 0.0], nodes), "node_value": np.ones(nodes)}
    assert interval(arrays(form.arrays()), arrays(hopeful))[0] <= 0
