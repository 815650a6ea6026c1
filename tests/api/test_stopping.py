"""When calls stop: what nobody limits has limits all the same, and says so; a gap may be a share of the answer."""

from __future__ import annotations

import math

import pytest

import fogbound as fb
from fogbound import evaluation
from fogbound.core.errors import SpecError
from fogbound.core.spec import parse
from fogbound.driver.protocol import Until
from fogbound.naming import limits as stopping
from fogbound.naming.limits import DEFAULT, limits_apart, stop_rules, why_stopped
from tests.driver.made import ctrl_c

KUHN = "card-poker(ranks=3)"


def test_without_a_limit_there_are_two_and_with_one_only_that():
    assert stop_rules() == DEFAULT
    assert (DEFAULT.relative, DEFAULT.seconds, DEFAULT.iterations) == (1e-3, 60.0, math.inf)
    assert stop_rules(seconds=5) == Until(seconds=5.0)
    assert stop_rules(gap="1%") == Until(relative=0.01)
    assert stop_rules(seconds=math.inf) == Until()


@pytest.mark.parametrize("gap", ["1", "%", "x%", "-1%", "1%%", "nan%", "1 of %", "", -1.0, math.nan, True])
def test_what_is_no_gap_is_refused(gap):
    with pytest.raises(SpecError, match="expected a number"):
        stop_rules(gap=gap)


def test_a_share_is_one_of_the_larger_bound_or_of_what_can_be_won():
    one = Until(relative=0.01)
    assert one.close(-300.0, 200.0, largest=1_000.0) == 3.0
    assert one.close(-1e-9, 1e-9, largest=1_000.0) == pytest.approx(0.1)
    assert one.close(-math.inf, 1.0, largest=1.0) == 0.0  # nothing is known yet, so nothing is close
    assert Until(gap=0.5, relative=0.01).close(0.0, 1.0, 1.0) == 0.5


def test_learning_ends_by_itself_and_says_at_what():
    found = fb.solve(KUHN, "dcfr")
    assert found.stopped == "gap"
    assert found.gap <= DEFAULT.close(found.lower, found.upper, 2.0)
    assert found.provenance["until"] == {"relative": 1e-3, "seconds": 60.0, "default": True}
    assert why_stopped(found, "--gap, --seconds") == "gap reached (0.1 %, by default; --gap, --seconds change it)"
    rough = fb.solve(KUHN, "dcfr", gap="10%")
    assert rough.iterations < found.iterations
    assert why_stopped(rough) == "gap reached (10 %)"


def test_what_converges_to_nothing_ends_after_its_time(monkeypatch):
    monkeypatch.setattr(stopping, "DEFAULT", Until(relative=1e-3, seconds=2.0, default=True))
    found = fb.solve("random(seed=11, seats=3)", "cfr(sampling=full)")
    assert found.stopped == "seconds" or found.gap <= 1e-3 * found.upper
    if found.stopped == "seconds":
        assert why_stopped(found).startswith("time limit (2 s, by default;")


def test_limits_in_the_spec_of_a_policy_are_taken_off():
    spec, until = limits_apart(parse("cfr(sampling=full, gap=1%, iterations=7)"))
    assert str(spec) == "cfr(sampling=full)"
    assert until == Until(relative=0.01, iterations=7)
    assert limits_apart(parse("dcfr"))[1] == DEFAULT


def test_a_policy_is_computed_within_its_limits_and_says_how_it_came_out():
    told = []
    policy = fb.policy("cfr-plus(iterations=5)", KUHN, tell=told.append)
    assert policy is not None
    assert told[-1].startswith("cfr-plus(iterations=5) for gambler: iteration limit after")
    fb.policy("dcfr", KUHN, "dealer", tell=told.append)
    assert "for dealer: gap reached (0.1 %, by default; dcfr(gap=…), dcfr(seconds=…) change it)" in told[-1]


def test_after_ctrl_c_a_policy_is_the_best_so_far():
    told, seen = [], []

    def watch(entry):
        seen.append(entry)
        if len(seen) == 3:
            ctrl_c()

    assert fb.policy("dcfr(seconds=10000)", KUHN, watch=watch, tell=told.append)
    assert "stopping" in told
    assert "interrupted" in told[-1]


def test_the_gap_is_the_distance_of_the_bounds_and_exploitability_half_of_it():
    found = fb.solve(KUHN, "cfr-plus", iterations=20)
    exact = evaluation.exploitability(fb.game(KUHN), found)
    assert found.gap == pytest.approx(found.upper - found.lower)
    assert found.gap == pytest.approx(exact.nash_conv)
    assert found.exploitability == pytest.approx(exact.exploitability)
    assert [entry.gap for entry in found.trace] == pytest.approx([e.upper - e.lower for e in found.trace])
    assert fb.solve("tiger", "sarsop", gap="5%").exploitability is None


def test_of_more_players_the_gap_is_the_largest_regret():
    game = fb.game("random(seed=11, seats=3)")
    found = fb.solve(game, "cfr(sampling=full)", iterations=50)
    assert found.gap == pytest.approx(max(evaluation.exploitability(game, found).regrets))
    assert found.exploitability is None


def test_whether_a_check_is_wanted_is_said():
    assert fb.solve(KUHN, "sequence-lp").certified == "both"
    left = fb.solve(KUHN, "sequence-lp", certify=False)
    assert left.certified == "none"
    assert left.details["uncertified"] == "not yet certified: nobody asked for a certificate"
    assert fb.verify(left)


def test_what_stops_before_the_evidence_says_that_nobody_asked(monkeypatch):
    from fogbound.core.errors import Stopped
    from fogbound.driver import solve as driver

    def stopped(*given):
        raise Stopped("seconds", "time was up")

    monkeypatch.setattr(driver, "report", stopped)
    unasked = fb.solve(KUHN, "sequence-lp", certify=False)
    assert unasked.details["uncertified"] == "not yet certified: nobody asked for a certificate"
    late = fb.solve(KUHN, "sequence-lp")
    assert late.details["uncertified"] == "not yet certified: stopped (seconds) before the evidence was there"
