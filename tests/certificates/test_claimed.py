"""What a certificate claims before it is checked, when it is checked, and what is said where it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound import verify
from fogbound.certificates import checking
from fogbound.certificates.certificate import UNCHECKED_SLACK, Certificate, largest_reward
from fogbound.certificates.chain import CHAIN
from fogbound.certificates.checking import UNASKED, Checking, certify, seconds_to_check
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution
from fogbound.certificates.kinds import exact_kind
from fogbound.core.errors import FileError
from fogbound.files.lookup import LOOKUP
from fogbound.policies import Uniform, uniform_mixture
from fogbound.solvers.search.sampled import SampledGame

UNIFORM = {0: Uniform(), 1: Uniform()}


@pytest.fixture(scope="module")
def form():
    return fb.forms.sequence(fb.game("card-poker(ranks=3)"))


@pytest.fixture(scope="module")
def table():
    return fb.forms.table(fb.game("po-nim(n=2, discount=0.9)"))


def test_the_largest_reward_is_the_largest_of_all_either_way():
    assert largest_reward({}) == 0.0
    assert largest_reward({"reward": np.zeros(0)}) == 0.0
    assert largest_reward({"prob": np.array([9.0]), "reward": np.array([0.25, -0.5])}) == 0.5
    assert largest_reward({"reward": np.array([0.25]), "payoff": np.array([[-3.0, 2.0]])}) == 3.0
    assert largest_reward({"reward": np.array([4.0]), "payoff": np.array([[-3.0, 2.0]])}) == 4.0


@pytest.mark.parametrize("bound", [0.0, 2.0, -2.0, 50.0, -50.0])
def test_what_is_claimed_unchecked_is_looser_by_what_floats_may_have_lost(bound):
    proof = Certificate(CHAIN, 0, {"reward": np.array([-10.0, 1.0])}, {}, checked=True)
    claimed = proof.claiming(bound, bound)
    slack = UNCHECKED_SLACK * max(10.0, abs(bound))
    assert not claimed.checked
    assert bound - claimed.lower == pytest.approx(slack, rel=1e-5)
    assert claimed.upper - bound == pytest.approx(slack, rel=1e-5)


def test_a_check_is_timed_from_its_beginning(form):
    proof, _ = certify(form, UNIFORM, checking=Checking(seconds=0))
    moments = iter([100.0, 103.0])
    assert proof.check(lambda: next(moments)).seconds == 3.0


def test_a_limit_is_short_where_less_is_left_than_a_check_may_take():
    assert Checking(seconds=5.0, left=4.9).thins
    assert not Checking(seconds=5.0, left=5.0).thins
    assert not Checking(seconds=5.0).thins


def test_a_deadline_is_over_at_its_moment():
    for now, reason in ((2.9, ""), (3.0, "seconds"), (3.1, "seconds")):
        assert checking._Deadline(lambda now=now: now, 3.0).reason == reason


def test_a_check_begins_where_it_is_expected_to_take_no_longer_than_it_may(form):
    proof, why = certify(form, UNIFORM, checking=Checking(seconds=0.0))
    assert (proof.checked, why) == (False, UNASKED)
    expected = seconds_to_check(proof)
    proof, why = certify(form, UNIFORM, checking=Checking(seconds=expected))
    assert (proof.checked, why) == (True, "")
    proof, why = certify(form, UNIFORM, checking=Checking(seconds=np.nextafter(expected, 0.0)))
    assert not proof.checked
    assert why.startswith("the check takes about")


def test_a_refused_certificate_is_an_answer_that_is_not_certified(form, monkeypatch):
    def refuse(*_, **__):
        raise verify.Refused("of no use")

    monkeypatch.setattr(Certificate, "check", refuse)
    with pytest.warns(UserWarning, match="the checker refuses this certificate: of no use"):
        proof, why = certify(form, UNIFORM)
    assert not proof.checked
    assert why == "the checker refuses it: of no use"


def test_a_time_is_told_in_minutes_from_a_hundred_seconds_on():
    assert [checking._told(seconds) for seconds in (0.123, 99.0, 100.0, 6000.0)] == [
        "0.12 s",
        "99 s",
        "2 min",
        "100 min",
    ]


def test_a_chain_speaks_of_stored_policies_that_draw_no_type(table):
    solution = fb.solve("tiger", "belief-mdp", gap=0.1)
    kind = solution.certificate.kind
    assert kind is CHAIN
    with pytest.raises(FileError, match="holds no certificate"):
        kind.evidence(replace(solution, certificate=None), fb.game("tiger"))
    mixed = replace(solution, profile={0: uniform_mixture([Uniform(), solution.profile[0]])})
    with pytest.raises(FileError, match="holds a mixture of policies"):
        kind.evidence(mixed, fb.game("tiger"))


def test_without_evidence_from_above_a_team_proves_what_its_plans_earn(table):
    team, extra = exact_kind("team"), {"claim_tree": np.zeros(1, np.int64)}
    assert team.make(table, UNIFORM, 0, {}).kind is CHAIN
    shown = team.make(table, UNIFORM, 0, extra)
    assert shown.kind is team
    assert shown.evidence.keys() == {*team.make(table, UNIFORM, 0, {}).evidence, *extra}
    mixed = {0: Uniform(), 1: uniform_mixture([Uniform(), Uniform()])}
    assert team.make(table, mixed, 0, extra) is None


def test_a_check_of_a_moment_is_made_here_and_any_other_beside(form, monkeypatch):
    made, told, limits = [], [], []

    def check(proof, elapsed, beside=False):
        made.append(beside)
        limits.append(checking.stopping())
        return proof

    monkeypatch.setattr(Certificate, "check", check)
    proof, _ = certify(form, UNIFORM, checking=Checking(seconds=0))
    rules = Checking(seconds=4.0, tell=told.append)
    for expected in (checking.HERE, 2 * checking.HERE, checking.WORTH_SAYING):
        checking._checked(proof, expected, rules)
    assert made == [False, True, True]
    assert len(told) == 1
    clock = iter([0.0, 4.0 * checking.LATE - 0.01])
    checking._checked(proof, 1.0, replace(rules, elapsed=lambda: next(clock)))
    assert not limits[-1]
    clock = iter([0.0, 4.0 * checking.LATE])
    checking._checked(proof, 1.0, replace(rules, elapsed=lambda: next(clock)))
    assert limits[-1] == "seconds"


def test_a_form_whose_answers_are_not_certified_takes_no_time_to_check(form):
    assert checking.expected_seconds(form) > 0
    assert checking.expected_seconds(fb.forms.pomdp(fb.game("tiger"))) is None
    assert checking.expected_seconds(SampledGame(fb.game("king-ace"))) == 0


@pytest.mark.parametrize(
    ("solver", "kind"),
    [
        ("correlated(coarse=true)", "coarse-correlated"),
        ("correlated", "correlated"),
        ("correlated(extensive=true)", "extensive-form-correlated"),
    ],
)
def test_a_mediator_is_held_to_what_its_players_play(solver, kind):
    """Its draws give each player's policy; the kind is that of the named solver."""
    game = fb.game("matrix-game(matrix=aumann)")
    solution = fb.solve(game, solver)
    proof = solution.certificate
    assert proof.kind.name == kind
    names = {exact_kind(name).told for name in ("coarse-correlated", "correlated", "extensive-form-correlated")}
    assert len(names) == 3

    def fault(stored, solver=solver):
        named = replace(stored, provenance={**stored.provenance, "solver": solver})
        return named.certificate.kind.fault(HeldSolution(named, game, game, 1.0, frozenset(), None, LOOKUP))

    def weighed(weight):
        return replace(solution, certificate=replace(proof, evidence={**proof.evidence, "weight": weight}))

    weight = proof.evidence["weight"]
    assert fault(solution) is None
    assert fault(weighed(2 * weight)) is None  # draws are weighed by their shares
    assert fault(weighed(0 * weight)) == OTHER_POLICIES
    uneven = weight.copy()
    uneven[0] += 1e-6 * weight.sum()
    assert fault(weighed(uneven)) == OTHER_POLICIES
    for player in (0, 1):
        assert fault(replace(solution, profile={**solution.profile, player: Pure()})) == OTHER_POLICIES
    other = "correlated" if kind != "correlated" else "correlated(coarse=true)"
    for named in (other, "sequence-lp", "unheard-of"):
        assert f"its certificate is of the kind {kind}" in fault(solution, named)


def test_every_other_player_must_be_believed_to_play_as_stored():
    """Of three players one plays the highest level, and believes in levels below of both others."""
    game = fb.game("random(seed=4, seats=3)")
    solution = fb.solve(game, "level-k(level=2)")
    assert fb.verify(solution, game).refuted is None
    for other in (1, 2):
        changed = replace(solution, profile={**solution.profile, other: Pure()})
        assert fb.verify(changed, game).refuted == OTHER_POLICIES


@pytest.mark.parametrize(
    ("spec", "solver", "proven"),
    [
        ("pursuit(rows=3, columns=2)", "pg-hsvi", False),  # vectors may earn more than they promise
        ("tiger", "sarsop(policy=vectors)", False),
        ("tiger", "sarsop", True),
        ("tiger", "belief-mdp", True),
        ("card-poker(ranks=2)", "sequence-lp", False),  # a guarantee against anyone
        ("random(seed=2, depth=1)", "lemke-howson", True),
    ],
)
def test_which_certificates_prove_what_the_policies_earn(spec, solver, proven):
    proof = fb.solve(spec, solver, iterations=20, gap=20).certificate
    assert proof.proves_value == proven


@pytest.mark.parametrize(("discount", "ends"), [(1, True), (0.5, False)])
def test_a_game_of_states_that_is_not_discounted_is_shown_to_end(discount, ends):
    """One step in four is the last, so that four are expected: twice as many leave room for floats."""
    spec = f"random-markov(seed=2, zero_sum=true, ends=0.25, discount={discount}, size=3)"
    proof = fb.solve(spec, "shapley", iterations=200).certificate
    assert proof.checked
    assert ("steps" in proof.evidence) == ends
    if ends:
        np.testing.assert_allclose(proof.evidence["steps"], [8.0, 8.0, 8.0, 0.0])
        assert proof.upper - proof.lower < 1e-6


class Pure(Uniform):
    """The first action, always."""

    def act(self, memory, actions):
        return fb.Dist.sure(actions[0])
