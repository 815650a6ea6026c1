"""A time limit covers the evidence: what is reserved, what is thinned, and an answer that no certificate can cost."""

from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.certificates import checking
from fogbound.certificates.checking import Checking
from fogbound.certificates.kinds import KINDS
from fogbound.cli.main import main
from fogbound.cli.solve import _parser
from fogbound.core.errors import FormError
from fogbound.driver import report
from fogbound.driver.clock import Clock
from fogbound.driver.limits import GRACE, MAKING, MOST, RESERVE, SHARE, TIME_RULE, Limits
from fogbound.driver.protocol import Context, Evidence, Progress, Thinning, Until
from fogbound.games import make
from fogbound.solvers import SOLVERS
from tests.pomdps import random_dense
from tests.run import solve

MADE = {  # by Form.certified_as: a problem, a solver whose answer is certified that way, and what it is given
    "tree": ("king-ace", "matrix-lp", {}),
    "sequence": ("king-ace", "sequence-lp", {}),
    "table": ("nim", "backward-induction", {}),
    "restricted": ("kuhn", "restricted-nash", {"against": "uniform"}),
    "average": ("tiger", "average-reward", {}),
    "reply": ("tiger", "belief-mdp", {}),
    "team": ("horizon(broadcast-channel, 2)", "team-search", {}),
    "pomdp": ("tiger", "sarsop", {}),
    "one-sided": ("patrolling", "pg-hsvi", {}),
    "level-k": ("po-nim(n=3)", "level-k", {}),
    "markov": ("random-markov(zero_sum=true)", "shapley", {}),
}


class Late:
    """A clock that is put forward by hand."""

    def __init__(self):
        self.now, self.before = 0.0, 0.0

    def elapsed(self):
        return self.now


def test_the_search_leaves_what_the_check_is_expected_to_take_and_no_more():
    clock = Late()
    limits = Limits(10.0, clock)
    cases = (
        (0.5, 0.0, 10 * MAKING + 0.5 / SHARE),
        (0.5, 0.5, 10 * MAKING + 0.5 / SHARE),
        (60.0, 0.0, 10 * RESERVE),
        (60.0, 2.0, 2 + 8 * RESERVE),  # what cannot be thinned, and a share of the rest
        (60.0, 5.0, 10 * MOST),
        (60.0, 60.0, 0.0),
    )
    for expected, least, kept in cases:
        limits.keep_for_evidence(expected, least, 10.0)
        assert limits.reserve == pytest.approx(kept)
        clock.now = 10.0 - kept - 0.01
        assert not limits.reason
        clock.now = 10.0 - kept
        assert limits.reason == "seconds"
    clock.now = 4.0
    late = Limits(10.0, clock)
    late.keep_for_evidence(60.0, 3.5, 10.0)
    assert late.reserve == pytest.approx(6 * MOST)  # of what building has left
    late.keep_for_evidence(60.0, 4.0, 10.0)
    assert late.reserve == 0.0  # rather a good answer than a certificate of a poor one
    endless = Limits(np.inf, clock)
    endless.keep_for_evidence(60.0, 0.0, np.inf)
    assert endless.reserve == 0.0


THINNED = ("sarsop", "sarsop(policy=vectors)", "hsvi")


def last_answer(form, spec, trials=40):
    context = Context(np.random.default_rng(0), most=trials)
    for number, progress in enumerate(SOLVERS.make(spec).run(form, context)):
        if (progress.iteration or number) >= trials:
            break
    return progress


@pytest.mark.parametrize("spec", THINNED)
@pytest.mark.parametrize("seed", range(3))
def test_less_evidence_proves_wider_bounds_that_hold(spec, seed):
    form = random_dense(seed, 0.9, states=6, actions=3, observations=3).form()
    progress = last_answer(form, spec)
    hold_when_thinned(form, progress, progress.earned())


class Declining:
    """Seconds for a check that become fewer each time somebody asks."""

    def __init__(self, seconds, each):
        self.seconds, self.each = seconds, each

    def __call__(self):
        self.seconds -= self.each
        return self.seconds


@pytest.mark.parametrize("each", [0.0, 1e-4, 1e-3])
@pytest.mark.parametrize("spec", THINNED)
@pytest.mark.parametrize("seed", range(2))
def test_the_check_fits_into_what_is_left_when_the_evidence_is_made(spec, seed, each):
    """Making it takes time too: the seconds that are left in the end are what counts, not those at its beginning."""
    form = random_dense(seed, 0.95, states=8, actions=3, observations=3).form()
    progress = last_answer(form, spec, 80)
    whole = progress.thinning.seconds()
    for seconds in (0.3 * whole, 0.6 * whole):
        allowed = Declining(seconds, each * whole)
        proof = checking.evidence(form, {}, 0, progress.thinning.make(allowed).arrays)
        assert checking.seconds_to_check(proof) <= 1.1 * max(allowed.seconds, 0.0) + progress.thinning.least + 0.005


ONE_SIDED = [("pursuit(columns=3)", 0), ("intrusion", 0), ("leduc", 1)]  # the last one without a discount


@pytest.mark.parametrize("solver", ["pg-hsvi", "isg(portions=[60, 100], trials=4)"])
@pytest.mark.parametrize(("spec", "blind"), ONE_SIDED)
def test_less_evidence_of_a_one_sided_game_proves_wider_bounds_that_hold(spec, blind, solver):
    form = forms.one_sided(make(spec), blind)
    progress = last_answer(form, solver, 6)
    hold_when_thinned(form, progress, progress.lower)


def hold_when_thinned(form, progress, lower):
    """Whatever the seconds, the checker proves what the evidence says, and that holds the value."""
    upper = min(progress.upper, progress.evidence().upper)
    sizes = []
    for seconds in (0.0, 0.01, 0.03, 0.1, np.inf):
        shown = progress.thinning.make(partial(float, progress.thinning.least + seconds))
        proof = checking.evidence(form, {}, 0, shown.arrays).check()
        sizes.append(checking.seconds_to_check(proof))
        slack = 1e-6 * max(1.0, abs(lower), abs(upper))
        assert proof.lower <= upper + slack  # it holds the value as well
        assert proof.upper >= lower - slack
        assert proof.lower >= shown.lower - 2e-3 * (upper - lower) - slack  # what is said in floats is what is proven
        assert proof.upper <= shown.upper + 2e-3 * (upper - lower) + slack
    assert sizes[0] < sizes[-1]
    whole = checking.evidence(form, {}, 0, progress.evidence().arrays).check()
    assert (proof.lower, proof.upper) == (whole.lower, whole.upper)  # with time enough nothing is left out


def test_evidence_is_thinned_where_the_time_limit_is_short_and_the_cost_is_told(monkeypatch):
    form = random_dense(1, 0.95, states=8, actions=3, observations=3).form()
    monkeypatch.setattr(report, "SHARE", 1e-3)  # of ten seconds
    monkeypatch.setattr(report, "slowness", lambda _: 1.0)
    monkeypatch.setattr(report, "MOMENT", 0.0)
    monkeypatch.setattr(report, "LOSS", np.inf)
    found = solve(SOLVERS.make("sarsop"), form, Until(seconds=10.0, iterations=60))
    assert found.certified == "both"
    cost = found.details["thinned"]
    assert cost["cost"] == pytest.approx(found.gap - cost["gap"], rel=1e-2)
    assert "thinning the evidence to fit the time limit widened the gap by" in fb.api.trust(found)
    assert f", {cost['cost'] / found.gap:.0%} of it (the solver's own: " in fb.api.trust(found)


@pytest.mark.parametrize(("left", "fits"), [(5.5, True), (4.5, False)])
def test_a_policy_is_not_given_up_for_a_certificate(left, fits):
    """Where less evidence would cost the policy, all of it is checked if that may fit, and otherwise none."""
    poor, whole = Evidence({}, 0.2, 1.6), Evidence({"all": np.ones(1)}, 1.0, 1.5)
    progress = Progress(
        1.0, 1.0, 1.5, dict, evidence=lambda: whole, thinning=Thinning(lambda: 5.0, lambda _: poor, least=1.0)
    )
    shown = report.evidence_in_time(progress, Checking(left=left))
    assert (shown is whole) == fits
    assert ("a policy small enough" in shown.details.get("uncertified", "")) == (not fits)
    assert shown.lower == 1.0


@pytest.mark.parametrize(("cost", "told"), [(1e-12, False), (1e-6, True)])
def test_rounding_is_no_cost_of_thinning(cost, told):
    """Where bounds have met, less evidence differs in the last digits alone."""
    less = Evidence({}, 17.0, 17.0 + 1e-13 + cost)
    progress = Progress(
        17.0, 17.0, 17.0 + 1e-13, dict, evidence=lambda: less, thinning=Thinning(lambda: 5.0, lambda _: less, least=1.0)
    )
    assert ("thinned" in report.evidence_in_time(progress, Checking(left=4.5)).details) == told


def test_the_rule_is_printed_where_the_limit_is_named():
    help_text = " ".join(_parser().format_help().split())
    assert TIME_RULE in help_text
    assert f"{checking.CHECK_SECONDS:g} seconds at most" in help_text


@pytest.mark.parametrize("kind", sorted(MADE))
def test_a_run_that_ends_by_its_time_limit_has_reserved_time_for_the_check(kind, monkeypatch):
    spec, name, others = MADE[kind]
    clock, kept, keep = Clock(), [], Limits.keep_for_evidence
    late = Late()
    monkeypatch.setattr(clock, "elapsed", late.elapsed)

    def note(limits, expected, least, allowed):
        keep(limits, expected, least, allowed)
        kept.append((expected, limits.reserve))
        late.now = limits.seconds - limits.reserve  # the first moment at which the search must end
        assert limits.reason == "seconds"

    monkeypatch.setattr(Limits, "keep_for_evidence", note)
    found = fb.solve(spec, name, seconds=1000.0, clock=clock, **others)
    assert len(kept) == 1  # the search ended there, or had but one answer
    expected, reserve = kept[0]
    assert reserve == pytest.approx(GRACE + min(expected, 10.0) * (1 + 1 / SHARE))
    assert found.certified != "none"


def test_there_is_a_case_for_every_kind_that_solvers_work_on():
    kinds = {SOLVERS.load(name).form.certified_as for name in SOLVERS}
    assert kinds - {"nothing"} == set(MADE)


@pytest.mark.parametrize("fault", [FormError("no such form"), ValueError("a defect"), MemoryError()])
@pytest.mark.parametrize("kind", sorted(MADE))
def test_a_certificate_that_cannot_be_made_costs_no_answer(kind, fault, monkeypatch):
    def fail(*_):
        raise fault

    spec, name, others = MADE[kind]
    monkeypatch.setattr(type(KINDS.certifying(kind)), "make", fail)
    unforeseen = not isinstance(fault, FormError)
    with pytest.warns(UserWarning, match="no certificate could be made") if unforeseen else nullcontext():
        found = fb.solve(spec, name, iterations=3, **others)
    assert found.profile
    assert found.certified == "none"
    assert "no certificate could be made" in found.details["uncertified"]


def test_a_belief_mdp_from_a_file_is_certified(tmp_path):
    path = str(tmp_path / "d.pomdp")
    assert main(["convert", "tiger", path]) == 0
    found = fb.solve(path, "belief-mdp", gap=0.5)
    assert found.certified == "lower"
    assert "uncertified" not in found.details
    assert fb.verify(found).lower == pytest.approx(found.lower)
