"""The front door: whatever names a game, a solver, a policy or a profile is taken, and errors say what is needed."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound import api, evaluation, forms, policies
from fogbound.core.errors import FormError, PolicyError, SpecError
from fogbound.core.profile import as_profile, policy_of
from fogbound.solvers.all_forms import ALL_FORMS
from tests.house.static import any_in_signatures

OWN = """
from dataclasses import dataclass
from fogbound import Dist, Game, Outcome

@dataclass(frozen=True)
class Coin(Game):
    players = ("one", "two")

    def start(self):
        return Dist.sure(Outcome("begin"))

    def actors(self, state):
        return (0, 1) if state == "begin" else ()

    def actions(self, state, player):
        return ("heads", "tails")

    def step(self, state, joint):
        return Dist.sure(Outcome("over", (1, -1) if joint[0] == joint[1] else (-1, 1)))
"""


@pytest.fixture(scope="module")
def poker():
    return fb.game("card-poker(ranks=3)")


@pytest.fixture(scope="module")
def nash(poker):
    return fb.solve(poker, "sequence-lp")


def test_a_game_is_whatever_names_one(tmp_path, poker):
    assert fb.game(poker) is poker
    assert str(fb.game("horizon(game=tiger, steps=3)")).startswith("horizon(game=tiger")
    fb.convert("tiger", tmp_path / "tiger.pomdp")
    assert fb.game(tmp_path / "tiger.pomdp").players == ("agent",)
    (tmp_path / "own.py").write_text(OWN)
    assert fb.solve(f"{tmp_path / 'own.py'}:Coin").value == pytest.approx(0, abs=1e-12)
    with pytest.raises(SpecError, match="expected a game"):
        fb.game(7)


def test_without_a_solver_one_is_chosen_and_the_answer_says_why(poker):
    answer = fb.solve(poker)
    assert answer.provenance["solver"].startswith("sequence-lp")
    assert "linear program" in answer.provenance["chosen"]
    assert "chosen" not in fb.solve(poker, "sequence-lp").provenance


@pytest.mark.parametrize("shape", ["text", "policy", "list", "dict", "name", "solution"])
def test_opponents_come_in_any_shape(poker, nash, shape):
    against = {
        "text": "uniform",
        "policy": policies.Uniform(),
        "list": ["uniform"],
        "dict": {1: policies.Uniform()},
        "name": {poker.players[1]: "uniform"},
        "solution": nash,
    }[shape]
    reply = fb.solve(poker, "belief-mdp", player=0, against=against)
    expected = nash.value if shape == "solution" else fb.solve(poker, against="uniform").value
    assert reply.value == pytest.approx(expected, abs=1e-9)


def test_a_form_is_solved_as_it_is(poker):
    form = forms.sequence(poker)
    assert fb.solve(form, "cfr-plus", iterations=50).provenance["form"] == "sequence"
    assert fb.solve(form, "matrix-lp").value == pytest.approx(-1 / 18)  # the matrix is derived from it
    assert fb.solve(forms.normal(poker), "sequence-lp").value == pytest.approx(-1 / 18)  # and the way back is kept
    tiger = forms.pomdp(fb.game("tiger"))
    assert fb.solve(tiger, gap=0.01).value == pytest.approx(19.371, abs=0.02)


@pytest.mark.parametrize(
    ("what", "solver", "options", "said"),
    [
        ("card-poker(ranks=3)", "sarsop", {}, "against=POLICY"),
        ("card-poker(ranks=3)", "sequence-lp", {"against": "uniform"}, "means nothing to it"),
        ("tiger", "sequence-lp", {}, "histories never end"),
        ("card-poker(ranks=3)", "sequence-lp", {"player": "nobody"}, "expected one of 0"),
        ("card-poker(ranks=3)", "belief-mdp", {"against": ["uniform"] * 3}, "against= has 3 policies"),
    ],
)
def test_errors_say_what_is_needed(what, solver, options, said):
    with pytest.raises(fb.FogboundError, match=said):
        fb.solve(what, solver, **options)


def test_the_wrong_form_is_refused_by_name(poker):
    from tests.run import solve

    with pytest.raises(FormError, match=r"sarsop works on a pomdp form, found sequence form.*derive\(game, POMDP"):
        solve(fb.solver("sarsop"), forms.sequence(poker))
    with pytest.raises(FormError, match="from which no table form can be made"):
        forms.derive(replace(forms.tree(poker), origin=None), forms.Table)


def test_every_form_keeps_the_protocol(poker):
    tiger = fb.game("tiger")
    built = [
        forms.derive(poker, ALL_FORMS.load(kind), forms.Question(0, {1: policies.Uniform()}))
        for kind in ALL_FORMS
        if kind not in ("markov", "average-reward")  # poker hides cards, and ends
    ]
    built += [forms.derive(tiger, ALL_FORMS.load(kind)) for kind in ("pomdp", "average-reward")]
    built += [forms.derive(fb.game("repeated"), forms.MarkovGame)]
    assert {form.kind for form in built} == set(ALL_FORMS)
    for form in built:
        assert isinstance(form, forms.Form), form
        assert ALL_FORMS.load(form.kind) is type(form)
        assert form.describe()
        assert form.size >= 0
        assert len(form.players) in (1, 2)
        assert form.arrays()
        assert form.describe() in repr(form)
        assert len(repr(form)) < 200


def test_profiles_have_one_meaning(poker, nash):
    alike = [nash, nash.profile, [nash.profile[0], nash.profile[1]]]
    gaps = [evaluation.exploitability(poker, given).nash_conv for given in alike]
    values = [evaluation.value(poker, given)[0] for given in alike]
    assert gaps == [gaps[0]] * 3
    assert gaps[0] < 1e-12
    assert values == [values[0]] * 3
    assert policy_of(nash, 1) is nash.profile[1] is nash.policy(1)
    assert nash.policy() is nash.profile[0]
    with pytest.raises(PolicyError, match="no policy for player 1"):
        as_profile({0: policies.Uniform()}, players=2)
    with pytest.raises(PolicyError, match="expected a profile"):
        as_profile(7)
    with pytest.raises(PolicyError, match="expected a policy"):
        as_profile([3, 4])


def test_a_solution_saves_verifies_and_shows_itself(nash, poker, tmp_path):
    path = tmp_path / "nash.npz"
    assert nash.save(path) is nash
    for checked in (nash.verify(), nash.verify(poker), fb.verify(path), fb.verify(path, poker)):
        assert checked
        assert checked.kind == "zero-sum-tree"
        assert checked.lower <= -1 / 18 <= checked.upper
    assert fb.load(path).value == nash.value
    assert "<table>" in nash._repr_html_()
    assert "certified" in repr(nash)
    assert len(repr(nash)) < 400


def test_matches_take_policies_or_a_profile(poker, nash):
    one = fb.match(poker, nash, games=50, seed=1)
    two = fb.match(poker, nash.policy(0), nash.policy(1), games=50, seed=1)
    assert [s.score for s in one.players] == [s.score for s in two.players]
    assert fb.play_out(poker, nash, seed=3) == fb.play_out(poker, nash, seed=3)
    with pytest.raises(SpecError, match="3 policies are given"):
        fb.match(poker, "uniform", "uniform", "uniform")


def test_what_there_is_can_be_listed():
    assert fb.games()["tiger"].kind == "game"
    assert fb.solvers()["pg-hsvi"].form == "one-sided"
    assert len(fb.solvers()[:3]) == 3
    assert all(len(line) <= 110 for line in repr(fb.games()).splitlines())
    with pytest.raises(KeyError):
        fb.games()["nothing"]


def test_packages_that_are_questions_stay_packages():
    code = "import fogbound.verify, fogbound.games, fogbound as fb; fb.games(); fb.games.make('tiger'); fb.verify.check"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tab_completion_shows_the_front_door_and_nothing_else():
    shown = dir(fb)
    assert {"game", "solve", "policy", "match", "verify", "games", "solvers", "load", "save"} <= set(shown)
    assert not {"annotations", "importlib", "Any", "sys"} & set(shown)
    for name in shown:
        assert getattr(fb, name) is not None


def test_first_parameters_are_called_alike():
    """A game is `game`, an answer `solution`, a file `path`; `source` is whatever a game or a policy is made from."""
    named = {"GameLike": "game", "GameLike | Form": "game", "Solution": "solution", "PolicyLike": "source"}
    for name in fb.__all__:
        function = getattr(api, name, None)
        if inspect.isfunction(function) and name != "game":
            first = next(iter(inspect.signature(function).parameters.values()), None)
            if first is not None and first.annotation in named:
                assert first.name == named[first.annotation], name
    assert [name for name in ("evaluate", "match", "play_out", "solve", "tournament") if _first(name) != "game"] == []


def _first(name):
    return next(iter(inspect.signature(getattr(api, name)).parameters))


def test_the_front_door_has_no_signature_without_types():
    assert any_in_signatures("fogbound.api") == []


def test_import_is_light():
    code = "import sys, fogbound; print('numpy' in sys.modules, 'numba' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert told.split() == ["False", "False"]


def test_several_threads_solve_at_once():
    games, answers = ["card-poker(ranks=3)", "card-poker(ranks=4)", "king-ace", "rock-paper-scissors"], {}

    def work(name):
        answers[name] = fb.solve(name, "cfr-plus", iterations=200).value

    threads = [threading.Thread(target=work, args=(name,)) for name in games]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {name: fb.solve(name, "cfr-plus", iterations=200).value for name in games}


def test_everything_public_is_documented():
    for name in fb.__all__:
        thing = getattr(fb, name)
        if callable(thing) and name not in ("__version__",):
            assert (thing.__doc__ or "").strip(), name


def test_an_answer_of_a_game_that_no_spec_names_is_verified_against_what_was_handed_over(tmp_path):
    scope: dict[str, object] = {"__name__": "a_notebook"}
    sys.modules["a_notebook"] = type(sys)("a_notebook")  # dataclasses look their module up
    exec(OWN, scope)
    coin = scope["Coin"]()
    answer = fb.solve(coin)
    assert answer.verify()
    assert answer.verify(coin)
    assert fb.solve(forms.sequence(coin)).verify()  # a form keeps what it was made from
    assert fb.solve(forms.pomdp(coin, 0, {1: policies.Uniform()}), gap=1e-6).verify()
    read = fb.load(answer.save(tmp_path / "coin.npz") and tmp_path / "coin.npz")
    assert read.verify(coin)
    with pytest.raises(SpecError, match=r"hand it over: verify\(solution, game\)"):
        read.verify()
    assert answer.__getstate__()["asked"] is None  # such a class may be unknown to another process


@pytest.mark.parametrize(("game", "solver"), [("pursuit(columns=2)", "pg-hsvi"), ("tiger", "sarsop(policy=vectors)")])
def test_bounds_and_vectors_hold_before_they_are_saved(game, solver):
    assert fb.solve(game, solver, gap=1).verify().refuted is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seconds": "2"}, "seconds is '2', expected a number"),
        ({"gap": float("nan")}, "gap is nan, expected a number"),
        ({"iterations": True}, "iterations is True, expected a number"),
        ({"seed": -1}, "seed is -1, expected a whole number from 0"),
        ({"seed": None}, "seed is None, expected a whole number from 0"),
        ({"cancel": True}, "cancel is True, expected a token"),
        ({"solver": 3}, "found 3, expected a solver"),
        ({"solver": type(fb.solver("cfr"))}, "expected a solver"),
    ],
)
def test_what_is_no_option_is_refused_before_anything_is_done(poker, options, said):
    with pytest.raises(SpecError, match=said):
        fb.solve(poker, **{"solver": "cfr", "iterations": 1, **options})


def test_none_is_no_limit(poker):
    assert fb.solve(poker, "sequence-lp", gap=None, seconds=None, iterations=None).value == pytest.approx(-1 / 18)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"games": "5"}, "games is '5', expected a whole number"),
        ({"games": 5.0}, "games is 5.0, expected a whole number"),
        ({"names": ["a"]}, "1 names are given, expected one for each of 2 players"),
        ({"names": ["a", "b", "c"]}, "3 names are given"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_a_match_refuses_what_it_cannot_mean(poker, options, said):
    with pytest.raises(SpecError, match=said):
        fb.match(poker, "uniform", "uniform", **options)


@pytest.mark.parametrize("junk", [3, None, object()])
def test_what_is_no_file_is_refused_in_a_line(junk):
    with pytest.raises(fb.FogboundError, match="expected"):
        fb.load(junk)
    with pytest.raises(fb.FogboundError, match="expected"):
        fb.verify(junk)


def test_a_saved_solution_alone_plays_for_everybody(poker, nash, tmp_path):
    nash.save(tmp_path / "nash.npz")
    one, two = fb.match(poker, str(tmp_path / "nash.npz"), games=5), fb.match(poker, tmp_path / "nash.npz", games=5)
    assert [each.score for each in one.players] == [each.score for each in two.players]
    with pytest.raises(SpecError, match="but 1 policy is given"):
        fb.match(poker, "uniform", games=5)


def test_a_match_prints_on_a_line_and_as_a_table(poker):
    played = fb.match(poker, "uniform", "uniform", games=5, names=["<one>", "two"])
    assert repr(played).startswith("<Match of 5 games, ")
    assert len(repr(played)) < 110
    assert "<td>&lt;one&gt;</td>" in played._repr_html_()


def test_a_policy_is_asked_for_by_a_number_that_is_text(nash):
    assert nash.policy("1") is nash.policy(1) is nash.policy("dealer")


def test_what_would_be_ignored_is_refused(poker, nash):
    with pytest.raises(SpecError, match=r"a solution of card-poker\(ranks=3\), not of king-ace"):
        fb.policy(nash, "king-ace")
    dealer = forms.pomdp(poker, 1, {0: policies.Uniform()})
    assert fb.solve(dealer, "belief-mdp").player == 1
    with pytest.raises(FormError, match="is that of gambler, not of 'dealer'"):
        fb.solve(forms.pomdp(poker, 0, {1: policies.Uniform()}), "belief-mdp", player="dealer")


def test_a_matrix_is_answered_by_what_suits_it():
    assert fb.solve(forms.normal(fb.game("king-ace"))).provenance["solver"].startswith("matrix-lp")
    general = forms.normal(fb.game("random(seats=2, depth=1, seed=4)"))
    assert fb.solve(general).provenance["solver"].startswith("lemke-howson")


def test_everything_prints_on_one_screen(poker, nash):
    tiger = fb.solve("tiger", "sarsop", gap=0.1)
    levels = fb.solve("po-nim(n=3)", "level-k(levels=3)")
    table = forms.table(poker)
    printed = [nash, nash.policy(), tiger.policy(), levels.policy(), levels.profile[1], nash.verify(), nash.certificate]
    printed += [fb.play_out(poker, nash), fb.match(poker, nash, games=5), evaluation.chain(poker, nash), table]
    printed += [forms.induced(table, {1: nash.policy(1)}), forms.sequence(poker).plexes[0], fb.draw.tree(poker)]
    for thing in printed:
        assert len(repr(thing)) < 400, type(thing)


def test_a_form_is_its_own_problem_and_not_that_of_the_game_it_came_from(poker):
    """With the others fixed, or granted sight, another game is solved: its forms are derived from that one."""
    against = forms.pomdp(poker, 0, {1: policies.Uniform()})
    assert forms.derive(against, forms.Table).players == ("agent",)
    assert fb.solve(against, "belief-mdp").value == pytest.approx(0.5)
    relaxed = forms.one_sided(poker)
    assert relaxed.relaxed
    assert fb.solve(relaxed, "sequence-lp").value < fb.solve(poker, "sequence-lp").value - 0.01  # the dealer sees all
    assert forms.derive(relaxed.as_game(), forms.Table).size > relaxed.size


@pytest.mark.parametrize(
    "ask",
    [
        lambda name: forms.table(name),
        lambda name: forms.derive(name, forms.Tree),
        lambda name: forms.pomdp(name),
        lambda name: forms.one_sided(name),
        lambda name: forms.available(name),
        lambda name: forms.belief_mdp(name),
        lambda name: forms.knowledge(name, 0),
        lambda name: forms.induced(name, {}),
        lambda name: evaluation.value(name, policies.Uniform()),
        lambda name: evaluation.exploitability(name, policies.Uniform()),
        lambda name: evaluation.pure_equilibria(name),
        lambda name: evaluation.simulate(name, policies.Uniform(), 1, np.random.default_rng(0)),
        lambda name: evaluation.track(name, ()),
        lambda name: evaluation.ParticleFilter(name),
        lambda name: fb.arena.play(name, [policies.Uniform()], np.random.default_rng(0)),
        lambda name: fb.draw.tree(name),
    ],
)
@pytest.mark.parametrize("name", ["tiger", 7])
def test_below_the_front_door_a_name_is_no_game(ask, name):
    with pytest.raises(SpecError, match=rf"found {name!r}, expected a game or a form of one; fb\.game\(\.\.\.\)"):
        ask(name)


def test_what_needs_a_form_takes_what_it_can_be_derived_from(poker):
    tiger, table = fb.game("tiger"), forms.table(poker)
    assert forms.belief_mdp(forms.pomdp(tiger)).describe() == forms.belief_mdp(tiger).describe()
    assert forms.knowledge(poker, 0).sets == forms.knowledge(table, 0).sets
    assert forms.induced(poker, {1: policies.Uniform()}).size == forms.induced(table, {1: policies.Uniform()}).size
    assert evaluation.pure_equilibria(fb.game("king-ace")) == [(1, 1), (3, 1)]
    assert fb.draw.tree(forms.sequence(poker)).text == fb.draw.tree(poker).text
    against = forms.pomdp(poker, 0, {1: policies.Uniform()})  # its own problem: one player
    assert evaluation.value(against, policies.Uniform()) == pytest.approx(
        evaluation.value(poker, [policies.Uniform()] * 2)[:1]
    )


def test_what_is_returned_prints_as_what_it_is():
    """No result of a public call prints as the address of an object."""
    answer = fb.solve("king-ace", "sequence-lp")
    made = [
        answer,
        fb.look(answer),
        fb.agent(answer),
        answer.table(),
        answer.policy(0),
        fb.game("king-ace"),
        fb.policy("uniform", "king-ace"),
        fb.solver("cfr"),
        fb.match("king-ace", "uniform", "uniform", games=2),
        fb.tournament("king-ace", "uniform", "uniform"),
        fb.sweep("king-ace", "cfr", iterations=1),
        fb.verify(answer),
        fb.play_out("king-ace", "uniform"),
        fb.look(answer).strategy("second"),
    ]
    assert [type(one).__name__ for one in made if " at 0x" in repr(one) or "object" in repr(one)] == []
    assert repr(fb.look(answer)) == "<Look at king-ace, solved by sequence-lp(method=auto): first, second>"
