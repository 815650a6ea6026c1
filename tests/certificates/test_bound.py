"""What each binder notices, one slip at a time, on answers so small that all of it takes seconds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace as Bag

import numpy as np
import pytest

import fogbound as fb
from fogbound import files
from fogbound.certificates import fields, level_k, markov, pomdp
from fogbound.certificates.certificate import UNCHECKED_SLACK
from fogbound.certificates.checking import evidence
from fogbound.certificates.held import OTHER_POLICIES, HeldSolution, certificate_of, question
from fogbound.certificates.kinds import KINDS
from fogbound.core.errors import FileError, FogboundError
from fogbound.files.lookup import LOOKUP, solves
from fogbound.forms.identity import form_digest
from fogbound.forms.protocol import derive
from fogbound.policies import Controller, Mixture, Uniform
from fogbound.policies.stored import StoredBounds
from fogbound.solvers.all_forms import ALL_FORMS

POKER = "card-poker(ranks=2)"
NIM = "po-nim(n=2)"
CASES = {
    "equilibrium": (POKER, "sequence-lp", {}),
    "memories": ("horizon(game=adversarial-tiger, steps=4)", "sequence-lp", {}),
    "restricted": (POKER, "restricted-nash(trust=0.5)", {"against": "uniform"}),
    "reply": (POKER, "belief-mdp", {"against": "uniform"}),
    "controller": ("tiger", "sarsop", {"iterations": 20}),
    "vectors": ("tiger", "sarsop(policy=vectors)", {"iterations": 20}),
    "levels": (NIM, "level-k(level=2)", {}),
    "one-sided": ("pursuit(rows=3, columns=2)", "pg-hsvi", {"gap": 20}),
    "states": ("random-markov(zero_sum=true, size=2)", "shapley", {"iterations": 5}),
    "profile": ("random-markov(size=2)", "markov-fictitious-play", {"iterations": 5}),
    "recommendations": ("horizon(game=random-markov(seed=2, size=2), steps=2)", "markov-correlated", {}),
    "team": ("horizon(game=multi-tiger, steps=2)", "team-search", {}),
}


@cache
def solved(case):
    """(The answer as a file holds it, the game)."""
    spec, solver, options = CASES[case]
    game = fb.game(spec)
    with TemporaryDirectory() as folder:
        files.save(fb.solve(game, solver, **options), Path(folder) / "a.npz")
        return files.load(Path(folder) / "a.npz"), game


def shown(solution, **arrays):
    """The solution with other evidence."""
    evidence = {**solution.certificate.evidence, **arrays}
    kept = {name: array for name, array in evidence.items() if array is not None}
    return replace(solution, certificate=replace(solution.certificate, evidence=kept))


def judged(solution, game):
    """What is refuted, or why it cannot be judged; nothing where all is well."""
    try:
        return fb.verify(solution, game).refuted
    except FogboundError as error:
        return str(error)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES)
def test_honest_answers_are_bound(case):
    assert judged(*solved(case)) is None
    assert ("memories" in solved(case)[0].certificate.kind.name) == (case == "memories")


MADE = ("strategy", "below", "above", "value", "best", "steps", "point", "begin_", "arrow_", "choice_")  # of policies
LESSER = {"restricted": None, "team": "chain-profile"}  # what is made where the solver shows nothing


@pytest.mark.parametrize("case", ["equilibrium", "memories", "reply", "states", "profile", "restricted", "team"])
def test_evidence_is_made_of_the_policies(case):
    """The same certificate again, from the form and the stored policies; without the solver's part a lesser one."""
    solution, game = solved(case)
    form = derive(game, ALL_FORMS.load(solution.provenance["form"]), question(solution))
    told = {name: array for name, array in solution.certificate.evidence.items() if not name.startswith(MADE)}
    again = evidence(form, solution.profile, solution.player, told)
    assert again.kind is solution.certificate.kind
    assert again.form_sha256 == solution.certificate.form_sha256
    assert again.evidence.keys() == solution.certificate.evidence.keys()
    for name, array in again.evidence.items():
        np.testing.assert_allclose(array, solution.certificate.evidence[name], atol=1e-12)
    if told:
        lesser = evidence(form, solution.profile, solution.player)
        assert (lesser and lesser.kind.name) == LESSER[case]


def beside(stored, form, report=None):
    """The solution beside a form and a report, as the kind of its certificate sees it."""
    return HeldSolution(stored, form, form, 1.0, frozenset(), report, LOOKUP)


def fault_of(stored, form, report=None):
    """What the kind of its certificate says of a solution."""
    return stored.certificate.kind.fault(beside(stored, form, report))


# --- figures ----------------------------------------------------------------------------------------------------


def held(stored, scale, **proven):
    report = Bag(**{"lower": -2.0, "upper": 4.0, "regret": None} | proven)
    return HeldSolution(stored, None, None, scale, frozenset(), report, LOOKUP)


def stored(proves="both", claimed=None, solver="sequence-lp", **said):
    told = {"lower": -2.0, "upper": 4.0, "value": 1.0, "gap": 6.0} | said
    claimed = claimed or (told["lower"], told["upper"])
    proof = Bag(player=0, lower=claimed[0], upper=claimed[1], kind=Bag(proves=proves))
    return Bag(certificate=proof, provenance={"solver": solver, "form": fb.solver(solver).form.kind}, **told)


def figures_fault(file, weaker=False, earned=1.0, only_earned=True):
    """The first figure that is refuted; what the policies earn is 1 unless told."""
    value = fields.value_fault(file, lambda _: earned, only_earned)
    found = fields.bounds_fault(file, weaker) or fields.gap_fault(file, weaker)
    return found or value or fields.claim_fault(file)


def told_of(weaker=False, regret=None, **said):
    """The fault of a file that says so of an answer proven to lie from -2 to 4, with rewards of up to 8."""
    return figures_fault(held(stored(**said), 8.0, regret=regret), weaker)


SLACK = 8e-9  # a billionth of the largest reward


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, None),
        ({"lower": -2 + 0.9 * SLACK}, None),
        ({"lower": -2 + 1.1 * SLACK}, "the file reports"),
        ({"lower": -2 - 1.1 * SLACK}, "the file reports"),
        ({"upper": 4 - 0.9 * SLACK}, None),
        ({"upper": 4 - 1.1 * SLACK}, "the file reports"),
        ({"upper": 4 + 1.1 * SLACK}, "the file reports"),
        ({"lower": -2 + 1.1 * SLACK, "proves": "lower"}, "the file reports"),
        ({"upper": 3.0, "gap": 5.0, "proves": "lower"}, None),
        ({"upper": -3.0, "gap": -1.0, "proves": "lower"}, "the file reports"),
        ({"upper": 3.0, "gap": 6.0, "proves": "lower"}, "reports the gap"),
        ({"claimed": (-1.0, 5.0)}, "player 0's bounds: claimed -1.0"),
        ({"claimed": (-2.0, 3.0)}, "player 0's bounds: claimed -2.0"),
        ({"claimed": (-2.0 - 1.9 * SLACK, 4.0 + 1.9 * SLACK)}, None),
        ({"claimed": (-2.0 - 2.1 * SLACK, 4.0)}, "player 0's bounds"),
        ({"value": 1 + 0.9 * SLACK}, None),
        ({"value": 1 + 1.1 * SLACK}, "its policies have 1.0"),
        ({"value": 1 - 1.1 * SLACK}, "its policies have 1.0"),
        ({"value": -2.0}, "its policies have 1.0"),
        ({"gap": 6 - 1.9 * SLACK}, None),
        ({"gap": 6 - 2.1 * SLACK}, "reports the gap"),
        ({"gap": 7.0}, "reports the gap"),
        ({"gap": 0.5, "regret": 0.5}, None),
        ({"gap": 1.0, "regret": 0.5}, "certified is 0.5"),
        ({"gap": 1.0, "regret": 0.5, "solver": "belief-mdp"}, "certified is 6.0"),
        ({"lower": -3.0, "upper": 5.0, "gap": 8.0, "weaker": True}, None),
        ({"lower": -3.0, "upper": 5.0, "gap": 6.0, "weaker": True}, "reports the gap"),
        ({"lower": -1.0, "gap": 5.0, "weaker": True}, "the file reports"),
    ],
)
def test_a_figure_may_be_off_by_rounding_alone(said, told):
    found = told_of(**said)
    assert (found is None) == (told is None)
    assert told is None or told in found


def test_a_value_is_what_is_earned_or_where_nothing_else_is_known_guaranteed():
    proven = {"lower": -2.0, "upper": 4.0}
    for value, earned, only, fine in (
        (1.0, 1.0, True, True),
        (-2.0, 1.0, True, False),  # what one strategy guarantees is not what two of them earn
        (-2.0, 1.0, False, True),
        (1.0, 1.0, False, True),
        (1.0, None, False, False),
        (-2.0, None, False, True),
    ):
        file = held(stored(value=value), 8.0, **proven)
        assert (fields.value_fault(file, lambda _, e=earned: e, only) is None) == fine, (value, earned, only)
    assert fields.value_fault(held(stored(value=-2.0), 8.0), None, only_earned=False) is None


def test_where_rounding_ends():
    """Exactly at the slack a figure is excused, and where nothing is paid and nothing proven there is none."""
    zero = {"lower": 0.0, "upper": 0.0, "value": 0.0, "gap": 0.0}
    exact = {"lower": 0.0, "upper": 0.0}
    assert figures_fault(held(stored(**zero), 0.0, **exact), earned=0.0) is None
    for name, off in (("lower", 1e-12), ("upper", -1e-12), ("value", 1e-12), ("value", -1e-12)):
        assert figures_fault(held(stored(**{**zero, name: off}), 0.0, **exact), earned=0.0), name
    edge = 2.0**30 * UNCHECKED_SLACK  # exact multiples, so that the comparison is
    for name, off in (("lower", edge), ("upper", -edge), ("value", edge), ("value", -edge), ("gap", -2 * edge)):
        for share, fine in ((1.0, True), (1.0001, False)):
            file = held(stored(**{**zero, name: share * off}), 2.0**30, **exact)
            assert (figures_fault(file, earned=0.0) is None) == fine, (name, share)


def test_each_bound_has_its_own_slack():
    proven = {"lower": -2.0, "upper": 4e12}
    said = {"lower": -2.0, "upper": 4e12, "gap": 4e12}
    for changes, fine in (
        ({"upper": 4e12 - 3e3}, True),  # a billionth of itself
        ({"upper": 4e12 - 5e3}, False),
        ({"lower": -2 + 3e-9}, False),
        ({"lower": -2 + 1e-9}, True),
        ({"gap": 4e12 - 7e3}, True),
        ({"gap": 4e12 - 9e3}, False),
    ):
        assert (figures_fault(held(stored(**{**said, **changes}), 0.0, **proven)) is None) == fine, changes


# --- what a file says of itself ---------------------------------------------------------------------------------

GAME = Bag(players=("me", "you"), origin=None)
CHECKS = (fields.player_fault, fields.players_fault, fields.game_fault, fields.finds_fault, fields.answer_fault)
ALIKE, APART = (Bag(reward=np.array(rows)) for rows in ([[1.0, 1.0]], [[1.0, -1.0]]))


def header_fault(kind="zero-sum-tree", report_player=0, game=None, form=None, **said):
    solver = said.pop("solver", "sequence-lp")
    made = fb.solver(solver)
    provenance = {"solver": solver, "form": made.form.kind, "finds": made.finds, "player": 0}
    provenance |= {"players": ["me", "you"], "game": str(game or GAME), **said.pop("provenance", {})}
    told = {"player": 0, "profile": {0: None, 1: None}, "answer": "value"} | said
    stored = Bag(provenance=provenance, certificate=Bag(kind=KINDS[kind]), **told)
    file = HeldSolution(stored, game or GAME, form, 1.0, frozenset(), Bag(player=report_player), LOOKUP)
    return next(filter(None, (check(file) for check in CHECKS)), None)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, None),
        ({"report_player": 1}, "speaks of player 1, the file of player 0"),
        ({"provenance": {"player": 1}}, "its provenance about 1"),
        ({"provenance": {"player": 0}}, None),
        ({"provenance": {"players": ["you", "me"]}}, "names the players"),
        ({"provenance": {"game": "other"}}, "names the game 'other'"),
        ({"answer": "reply"}, "is about a 'value'"),
        ({"kind": "pomdp"}, "is about a 'reply'"),
        ({"kind": "pomdp", "answer": "reply"}, None),
        ({"kind": "tree-profile", "answer": "equilibrium"}, None),
        ({"kind": "tree-profile", "answer": "reply"}, "is about a 'equilibrium'"),
        ({"kind": "tree-profile", "answer": "reply", "solver": "belief-mdp"}, None),
        ({"kind": "chain-profile", "answer": "reply", "solver": "belief-mdp"}, None),
        ({"kind": "chain-profile", "answer": "team", "solver": "team-search", "form": ALIKE}, None),
        ({"kind": "chain-profile", "answer": "team", "solver": "team-search", "form": APART}, "not paid alike"),
        ({"kind": "chain-profile", "answer": "reply", "solver": "team-search"}, "is about a 'team'"),
        ({"kind": "team", "answer": "team", "solver": "team-search", "form": ALIKE}, None),
        ({"provenance": {"finds": "a team optimum"}}, "finds 'a team optimum', which it does not"),
        ({"provenance": {"form": "table"}}, "solved a 'table' form"),
        ({"kind": "tree-profile", "answer": "team", "solver": "team-search"}, "is about a 'equilibrium'"),
    ],
)
def test_what_a_file_says_of_itself(said, told, monkeypatch):
    monkeypatch.setattr(fields, "Table", Bag)
    found = header_fault(**said)
    assert (found is None) == (told is None)
    assert told is None or told in found


def test_alone_an_answer_is_a_reply():
    alone = Bag(players=("me",), origin=None)
    said = {"provenance": {"players": ["me"]}, "game": alone, "kind": "tree-profile"}
    assert header_fault(answer="reply", **said) is None
    assert "is about a 'reply'" in header_fault(answer="equilibrium", **said)


def test_a_model_file_is_known_by_what_it_says():
    form = fb.forms.pomdp(fb.game("tiger"))
    game = Bag(origin=form, players=form.players)
    known = {"form": form.kind, "form_sha256": form_digest(form), "game": "elsewhere"}
    assert solves(known, game)
    assert not solves({**known, "form_sha256": "0" * 64}, game)
    assert not solves({**known, "form": "tree"}, game)
    assert solves({"form": "tree", "game": str(game)}, game)
    assert solves({"game": form.spec}, form)
    assert not solves({"game": str(form)}, form)


# --- opponents --------------------------------------------------------------------------------------------------


def test_opponents_are_read_off_the_policies():
    solution, game = solved("reply")
    other = 1 - solution.player
    assert fields.against(solution, LOOKUP) == ((other, "uniform play"),)
    assert fields.against(solved("equilibrium")[0], LOOKUP) == ()
    node = Controller({}, {}, {})
    assert fields.described(node).startswith("a stored controller of 0 nodes")
    assert fields.described(Mixture([Uniform(), Uniform()], [0.5, 0.5])) == "a mixture of 2 stored policies"
    assert fields.described(solved("one-sided")[0].profile[0]) == "stored StoredBounds"
    assert fields.opponents_fault(beside(solution, game)) is None


def said_uniform(case, said, **profile):
    solution, game = solved(case)
    played = {**solution.profile, **{int(name[1:]): policy for name, policy in profile.items()}}
    provenance = {**solution.provenance, "against": said}
    return fields.opponents_fault(beside(replace(solution, provenance=provenance, profile=played), game))


def test_uniform_play_is_uniform_however_it_is_written():
    solution, _ = solved("reply")
    me, other = solution.player, 1 - solution.player
    mine, even = {f"p{other}": solved("equilibrium")[0].profile[other]}, Mixture([Uniform(), Uniform()], [0.5, 0.5])
    assert "plays uniformly, its stored policy does not" in said_uniform("reply", ["uniform"], **mine)
    assert said_uniform("reply", ["mine"], **mine) is None
    assert said_uniform("reply", ["uniform", "mine"], **mine) is None
    assert said_uniform("reply", [], **mine) is None
    assert said_uniform("reply", ["uniform"], **{f"p{other}": even}) is None
    assert said_uniform("reply", ["uniform"], **{f"p{me}": mine[f"p{other}"]}) is None  # of oneself nothing is said
    assert said_uniform("equilibrium", ["uniform"]) is None  # it is not against anybody


# --- evidence ---------------------------------------------------------------------------------------------------


def test_evidence_is_asked_for_by_name():
    solution, _ = solved("equilibrium")
    held = beside(solution, None)
    assert certificate_of(solution) is held.proof is solution.certificate
    assert held.array("strategy") is solution.certificate.evidence["strategy"]
    with pytest.raises(FileError, match="lacks its array 'other'"):
        held.array("other")
    with pytest.raises(FileError, match="holds no certificate"):
        certificate_of(replace(solution, certificate=None))
    assert question(solution).others == {1: solution.profile[1]}


def test_without_a_certificate_there_is_nothing_to_bind():
    for case in ("equilibrium", "team", "states"):
        solution, game = solved(case)
        with pytest.raises(FileError, match="holds no certificate"):
            solution.certificate.kind.evidence(replace(solution, certificate=None), game)


@pytest.mark.parametrize("case", ["equilibrium", "memories", "restricted"])
def test_strategies_beside_the_policies_are_those_that_are_played(case):
    solution, game = solved(case)
    strategy = solution.certificate.evidence["strategy"]
    assert judged(shown(solution, strategy=strategy[:-1]), game) == OTHER_POLICIES
    changed = np.abs(strategy - 1)
    assert judged(shown(solution, strategy=changed), game) == OTHER_POLICIES
    nearly = strategy.copy()
    nearly[1] += 1e-11
    assert judged(shown(solution, strategy=nearly), game) is None
    nearly[1] += 1e-7
    assert judged(shown(solution, strategy=nearly), game) == OTHER_POLICIES


def test_trust_is_the_solver_s():
    solution, game = solved("restricted")
    assert "has trust 0.25" in fault_of(shown(solution, trust=np.array([0.25])), game)
    other = replace(solution, provenance={**solution.provenance, "solver": "sequence-lp"})
    assert "names sequence-lp" in fault_of(other, game)
    strategy = 1 - solution.certificate.evidence["strategy"]
    assert judged(shown(solution, strategy=strategy), game) == OTHER_POLICIES


@pytest.mark.parametrize(("case", "names"), [("controller", ("begin", "arrow", "node_action")), ("vectors", ())])
def test_another_plan_is_not_the_certificate_s(case, names):
    solution, game = solved(case)
    report = Bag(player=solution.player)
    for name in names or pomdp.VECTORS:
        assert fault_of(shown(solution, **{name: None}), game, report) == OTHER_POLICIES
    assert fault_of(solution, game, report) is None
    mine, other = solution.profile[0], solved("vectors" if case == "controller" else "controller")[0].profile[0]
    assert fault_of(replace(solution, profile={0: other}), game, report) == OTHER_POLICIES
    if case == "controller":
        for change in ({"first": {}}, {"arrows": {}}, {"choices": mine.choices[::-1]}):
            changed = replace(mine, **change)
            assert fault_of(replace(solution, profile={0: changed}), game, report) == OTHER_POLICIES


def test_vectors_are_compared_bit_by_bit():
    from fogbound.policies import StoredVectors

    solution, game = solved("vectors")
    form, evidence = fb.forms.pomdp(game), solution.certificate.evidence
    actions = tuple(form.actions[a] for a in evidence["vector_action"])
    whole = (form.size, actions, *(evidence[f"vector_{part}"] for part in ("start", "state", "value")))
    fields = dict(zip(("size", "actions", "first", "states", "values"), whole))

    def same(**changes):
        mine = Bag(**{**fields, **changes})
        return pomdp._same_vectors(mine, form, evidence)

    assert issubclass(StoredVectors, object)
    assert same()
    assert not same(size=form.size + 1)
    assert not same(actions=("sing", *actions[1:]))
    other = next(action for action in form.actions if action != actions[0])
    assert not same(actions=(other, *actions[1:]))
    assert not same(values=np.nextafter(fields["values"], np.inf))
    waiting = {**evidence, "vector_action": np.full_like(evidence["vector_action"], -1)}
    none = Bag(**{**fields, "actions": (), "first": np.zeros(1, int), "states": fields["states"][:0]})
    none.values = fields["values"][:0]
    assert pomdp._same_vectors(none, form, waiting)
    turned = {**evidence}
    for name in ("vector_state", "vector_value"):  # the same vectors, their states in another order
        turned[name] = np.concatenate(
            [evidence[name][a:b][::-1] for a, b in zip(fields["first"][:-1], fields["first"][1:])]
        )
    assert pomdp._same_vectors(Bag(**fields), form, turned)


# --- levels -----------------------------------------------------------------------------------------------------


def test_a_file_of_levels_says_what_its_levels_are():
    solution, game = solved("levels")
    report = Bag(levels=[(1, 0, -2.0, 4.0), (2, 1, 0.0, 1.0)])

    def valued(*said):
        return level_k._other_values(beside(replace(solution, details={"levels": list(said)}), game, report))

    assert valued() is None
    one = {"level": 1, "player": 0}
    for value, fine in ((4.0 + 3e-9, True), (4.0 + 5e-9, False), (-2 - 3e-9, True), (-2 - 5e-9, False), (1, False)):
        assert (valued({**one, "value": value}) is None) == fine, value
    assert "for level 2" in valued({**one, "value": 1.0}, {"level": 2, "player": 1, "value": 2.0})
    assert valued({"level": 3, "player": 0, "value": 1.0}) is None  # above what is proven: only claimed
    assert "for level 2" in valued({"level": 2, "player": 0, "value": 1.0})
    assert level_k._other_values(beside(replace(solution, details={"levels": [one]}), game, Bag(levels=[])))
    nothing = Bag(levels=[(1, 0, 0.0, 0.0)])
    for value, fine in ((0.0, True), (1e-10, False), (-1e-10, False)):
        told = replace(solution, details={"levels": [{**one, "value": value}]})
        assert (level_k._other_values(beside(told, game, nothing)) is None) == fine
    assert "reports level 3, certified is level 2" in judged(replace(solution, details={"level": 3}), game)
    assert judged(replace(solution, details={}), game) is None


def test_the_prior_is_the_one_that_is_named():
    solution, game = solved("levels")
    evidence = solution.certificate.evidence

    def named(solver, prior=evidence["prior"]):
        provenance = {**solution.provenance, "solver": solver}
        return level_k._other_prior(beside(replace(shown(solution, prior=prior), provenance=provenance), game))

    assert named("level-k(level=2)") is None
    assert "names sarsop" in named("sarsop")
    assert "at level 2" in named("level-k(level=2, prior=previous)")
    off = evidence["prior"].copy()
    off[1, 0] += 5e-13
    assert named("level-k(level=2)", off) is None
    off[1, 0] += 5e-12
    assert "at level 2" in named("level-k(level=2)", off)
    assert judged(replace(solution, provenance={**solution.provenance, "solver": "level-k(prior=previous)"}), game)


def test_believed_levels_are_those_that_are_stored():
    from fogbound import forms
    from fogbound.certificates.level_k import _as_believed, _other_policies, _other_zero
    from fogbound.forms.protocol import derive
    from fogbound.solvers.pomdp.belief_graph.fsc import certified_policies

    solution, game = solved("levels")
    evidence = solution.certificate.evidence
    policies = certified_policies(derive(game, forms.Table), evidence)
    prior, other = evidence["prior"][1].tolist(), 1 - solution.player
    zero, one = policies[0, other], policies[1, other]
    both = Mixture([zero, one], [0.5, 0.5])
    assert prior == [0.5, 0.5]
    assert _as_believed(both, other, prior, policies)
    assert _as_believed(one, other, [0.0, 1.0], policies)
    assert not _as_believed(one, other, prior, policies)
    assert not _as_believed(zero, other, [0.0, 1.0], policies)
    assert not _as_believed(Mixture([one, zero], [0.5, 0.5]), other, prior, policies)
    for either in (zero, one):  # one of the two is believed in
        assert not _as_believed(Mixture([either, either], [0.5, 0.5]), other, prior, policies)
    assert not _as_believed(Mixture([zero, one], [0.25, 0.75]), other, prior, policies)
    assert not _as_believed(Mixture([zero, one], [0.5 + 1e-11, 0.5 - 1e-11]), other, prior, policies)
    assert _as_believed(Mixture([zero, one], [0.5 + 5e-13, 0.5 - 5e-13]), other, prior, policies)
    assert _other_policies(beside(solution, game), policies) is None
    for player, played in ((solution.player, Uniform()), (other, Uniform())):
        changed = replace(solution, profile={**solution.profile, player: played})
        assert _other_policies(beside(changed, game), policies) == OTHER_POLICIES
    assert _other_zero(beside(solution, game), policies) is None
    wrong = {**policies, (0, 1): policies[1, 1]}
    assert f"level 0 of {game.players[1]} plays uniformly" in _other_zero(beside(solution, game), wrong)
    told = replace(solution, provenance={**solution.provenance, "against": ["mine"]})
    assert _other_zero(beside(told, game), wrong) is None


# --- states -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["states", "profile"])
def test_policies_by_state_are_those_that_are_played(case):
    solution, game = solved(case)
    for name in ("strategy_0", "strategy_1"):
        played = solution.certificate.evidence[name]
        assert judged(shown(solution, **{name: played[:-1]}), game) == OTHER_POLICIES
        for off, fine in ((5e-10, True), (5e-9, False)):
            changed = played.copy()
            changed[0] += off
            assert judged(shown(solution, **{name: changed}), game) == (None if fine else OTHER_POLICIES)
        assert f"lacks its array {name!r}" in judged(shown(solution, **{name: None}), game)
    mixed = replace(solution, profile={**solution.profile, 0: Mixture([Uniform(), solution.profile[0]], [0.5, 0.5])})
    assert "such a certificate cannot speak" in judged(mixed, game)
    assert judged(replace(solution, certificate=None), game) == "the solution: holds no certificate to check"


def test_recommendations_are_what_the_policies_are_parts_of():
    solution, game = solved("recommendations")
    joint = solution.certificate.evidence["joint"]
    assert "joint" in judged(shown(solution, joint=joint[:-1]), game)
    assert fault_of(shown(solution, joint=joint[:-1]), game) == OTHER_POLICIES
    assert fault_of(shown(solution, joint=joint[::-1].copy()), game) == OTHER_POLICIES
    assert fault_of(solution, game) is None


def test_what_was_read_is_of_this_game():
    solution, game = solved("states")
    again = fb.game(CASES["states"][0])
    first = markov._read(solution, game)[0]
    assert markov._read(solution, game)[0] is first
    assert markov._read(solution, again)[0] is not first


# --- one-sided games --------------------------------------------------------------------------------------------


def test_one_sided_policies_are_the_evidence():
    solution, game = solved("one-sided")
    form = fb.forms.one_sided(game, solution.player)
    largest = float(abs(form.reward).max())
    scale = max(LOOKUP.one_sided(form).scale, largest)

    def found(violation=0.0, player=solution.player, **changes):
        return fault_of(replace(solution, **changes), game, Bag(player=player, violation=violation))

    assert found() is None
    assert found(violation=0.9e-8 * scale) is None
    assert "claims of the certificate are wrong by up to" in found(violation=1.1e-8 * scale)
    blind, other = solution.profile[solution.player], solution.profile[1 - solution.player]
    assert found(profile={0: other, 1: blind}) == OTHER_POLICIES
    assert found(profile={**solution.profile, 1: Uniform()}) == OTHER_POLICIES
    assert found(profile={**solution.profile, 2: blind}) == OTHER_POLICIES
    for policy in (blind, other):
        for name in policy.names:
            for change in (lambda a: a[:-1], lambda a: np.ascontiguousarray(a[::-1]), lambda a: a.astype(complex)):
                arrays = {**policy.arrays, name: change(policy.arrays[name])}
                if arrays[name].tobytes() == policy.arrays[name].tobytes():
                    continue
                player = solution.player if policy is blind else 1 - solution.player
                changed = StoredBounds(policy.partially_informed, arrays)
                assert found(profile={**solution.profile, player: changed}) == OTHER_POLICIES
            lacking = shown(solution, **{name: None})
            assert fault_of(lacking, game, Bag(player=solution.player, violation=0.0)) == OTHER_POLICIES
