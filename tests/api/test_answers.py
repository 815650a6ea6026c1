"""What an answer's bounds mean: guaranteed is said only of what holds against anyone."""

from __future__ import annotations

import math

import pytest

import fogbound as fb
from fogbound import Dist, Game, Outcome
from fogbound.cli.solve import as_json, in_sentences
from tests.certificates.forging import Forgery, forge


class Sexes(Game):
    """Battle of the Sexes: she prefers the opera, he the match, and both would rather be together."""

    name = "sexes"
    players = ("she", "he")
    payoffs = ((3.0, 2.0), (0.0, 0.0), (0.0, 0.0), (2.0, 3.0))

    def start(self):
        return Dist.sure(Outcome("choose"))

    def actors(self, state):
        return (0, 1) if state == "choose" else ()

    def actions(self, state, player):
        return ("opera", "match")

    def step(self, state, joint):
        return Dist.sure(Outcome("over", self.payoffs[2 * (joint[0] == "match") + (joint[1] == "match")]))


class Dividing(Game):
    """Three players name a colour; who is alone with its colour wins 2, and the others lose 1 each."""

    name = "dividing"
    players = ("a", "b", "c")

    def start(self):
        return Dist.sure(Outcome("choose"))

    def actors(self, state):
        return (0, 1, 2) if state == "choose" else ()

    def actions(self, state, player):
        return ("red", "blue")

    def step(self, state, joint):
        alone = [i for i in range(3) if joint.count(joint[i]) == 1]
        rewards = tuple(2.0 if [i] == alone else -1.0 for i in range(3)) if alone else (0.0, 0.0, 0.0)
        return Dist.sure(Outcome("over", rewards))


def test_an_equilibrium_of_a_general_sum_guarantees_nothing():
    game = Sexes()
    solution = fb.solve(game, "lemke-howson")
    assert (solution.answer, solution.certified) == ("equilibrium", "both")
    assert solution.value in (2.0, 3.0, 1.2)
    assert solution.gap <= 1e-9
    known = solution.details["maxmin"]
    assert math.isclose(known["value"], 6 / 5, abs_tol=1e-9)
    assert known["value"] <= 6 / 5
    assert (known["against"], known["certified"]) == ("anyone", True)
    said = in_sentences(solution, game)
    assert "maxmin   she can guarantee itself 1.2 against anyone, certified" in said
    assert "guaranteed" not in said.replace("guarantee itself", "")
    assert "in this profile" in said
    assert as_json(solution)["answer"] == "equilibrium"


def test_of_three_players_the_others_may_share_what_they_see():
    known = fb.solve(Dividing(), iterations=50).details["maxmin"]
    assert math.isclose(known["value"], -1.0, abs_tol=1e-9)  # two who agree to differ leave the third no colour
    assert "together" in known["against"]


@pytest.mark.parametrize(
    ("game", "solver", "options", "answer"),
    [
        ("card-poker(ranks=3)", "sequence-lp", {}, "value"),
        ("pursuit(columns=3)", "pg-hsvi", {"gap": 30}, "value"),
        ("slide-tree", "alpha-beta", {}, "value"),
        ("tiger", "sarsop", {"gap": 1}, "reply"),
        ("card-poker(ranks=3)", "belief-mdp", {"against": "uniform"}, "reply"),
        ("card-poker(ranks=3)", "restricted-nash(trust=0.5)", {"against": "uniform"}, "reply"),
        ("po-nim(n=2)", "level-k(level=1)", {}, "reply"),
    ],
)
def test_guaranteed_belongs_to_what_holds_against_anyone(game, solver, options, answer):
    solution = fb.solve(game, solver, **options)
    assert solution.answer == answer
    said = in_sentences(solution, fb.game(game)).split("details")[0]
    assert ("guaranteed" in said) == (answer == "value")
    drawn = fb.draw.bounds(solution).svg
    assert ("guaranteed" in drawn) == (answer == "value")


def test_a_file_cannot_call_a_reply_a_value(tmp_path):
    path = tmp_path / "a.npz"
    fb.solve("card-poker(ranks=3)", "belief-mdp", against="uniform").save(path)
    forge(path, Forgery("answer", lambda header, _: header["provenance"].update(answer="value")))
    assert "calls its answer" in fb.verify(path, "card-poker(ranks=3)").refuted


def test_one_against_all_is_refused_for_nobody():
    with pytest.raises(fb.core.SpecError, match="expected one of two or more"):
        fb.game("opposed(game=tiger)")


def test_others_who_together_make_no_player_cost_no_answer():
    """They do not know which of them is asked, so that no coalition can be written down."""
    game = fb.game("random(seed=5, seats=3)")
    assert fb.api.maxmin(game, 0) is None
    assert fb.solve(game, "cfr", iterations=10).value is not None
