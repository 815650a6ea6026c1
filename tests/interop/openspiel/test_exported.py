"""Games of ours inside OpenSpiel: as trees that its C++ solves, as games in Python where there is no tree."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.files.gambit.efg import efg_text, read_efg
from fogbound.files.gambit.rewording import paid_at_ends
from fogbound.interop.openspiel import passage_to, to_openspiel

pytestmark = pytest.mark.usefixtures("pyspiel")

ZERO_SUM = ["kuhn", "king-ace", "goofspiel(cards=3)", "card-poker(ranks=4)", "rock-paper-scissors", "myerson-poker"]


@pytest.mark.parametrize("spec", ZERO_SUM)
def test_an_equilibrium_is_one_there_and_back(spec, pyspiel):
    way, solution = passage_to(spec), fb.solve(spec, "sequence-lp")
    there = way.policy(solution)
    assert pyspiel.nash_conv(way.source, there) == pytest.approx(0, abs=1e-9)
    assert fb.evaluate(spec, way.profile(there)).nash_conv[1] <= 1e-9


@pytest.mark.parametrize("spec", ["kuhn(seats=3)", "selten-horse", "matrix-game", "horizon(game=multi-tiger, steps=2)"])
def test_uniform_play_is_worth_the_same(spec, pyspiel):
    way = passage_to(spec)
    profile = way.profile(pyspiel.UniformPolicy())
    ours = fb.evaluate(spec, profile)
    assert pyspiel.nash_conv(way.source, way.policy(profile)) == pytest.approx(ours.nash_conv[0], abs=1e-9)


def test_a_model_file_goes_there_as_well(tmp_path, pyspiel):
    fb.convert("king-ace", tmp_path / "ka.efg")
    assert passage_to(tmp_path / "ka.efg").source.num_players() == 2


FILES = sorted((Path(__file__).parents[4] / "shared" / "models" / "gambit").rglob("*.efg"))


@pytest.mark.skipif(not FILES, reason="the folder of Gambit's files is not there")
def test_openspiel_reads_every_file_that_pays_at_the_ends(pyspiel):
    texts = [efg_text(paid_at_ends(read_efg(path))) for path in FILES]
    assert all(pyspiel.load_efg_game(text).num_players() >= 1 for text in texts)


def walk(game, most=300):
    at, rng = game.new_initial_state(), random.Random(0)
    for _ in range(most):
        if at.is_terminal():
            break
        offered = [n for n, _ in at.chance_outcomes()] if at.is_chance_node() else at.legal_actions()
        at.apply_action(rng.choice(offered))
    return at


@pytest.mark.parametrize("spec", ["po-nim(n=2)", "king-up", "tiger"])
def test_without_a_tree_it_is_a_game_in_python(spec):
    game = to_openspiel(spec, limit=1_000)
    assert game.get_type().short_name == "fogbound"
    at = walk(game)
    assert len(at.returns()) == game.num_players()
    again = at.clone()
    assert (again.history(), str(again)) == (at.history(), str(at))


def test_the_game_in_python_is_the_same_game(pyspiel):
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    from fogbound.interop.openspiel import ReplayingPolicy, python_game

    game = python_game(fb.game("kuhn"))
    uniform = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert uniform == pytest.approx(fb.evaluate("kuhn", "uniform", "uniform").nash_conv[0])
    ours = ReplayingPolicy(game, fb.solve("kuhn", "sequence-lp"))
    assert exploitability.nash_conv(game, ours) == pytest.approx(0, abs=1e-9)


def test_openspiels_policies_and_bots_come_back_from_the_game_in_python(pyspiel):
    from open_spiel.python.algorithms import cfr, exploitability

    from fogbound.interop.openspiel import PlayerInPython, python_game

    game = python_game(fb.game("king-ace"))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    theirs = solver.average_policy()
    found = fb.evaluate("king-ace", [PlayerInPython(game, player, theirs) for player in (0, 1)])
    assert found.nash_conv[0] == pytest.approx(exploitability.nash_conv(game, theirs), abs=1e-12)
    nim = python_game(fb.game("nim(heaps=[2, 1])"))
    bot = pyspiel.make_uniform_random_bot(0, 1)
    assert fb.match("nim(heaps=[2, 1])", PlayerInPython(nim, 0, bot), "uniform", games=5, seed=1).games == 5


def test_by_name_there(pyspiel):
    import fogbound.interop.openspiel.in_python  # noqa: F401 - registers it

    assert pyspiel.load_game("fogbound", {"game": "card-poker(ranks=3)"}).num_players() == 2


def test_discounts_are_paid_there():
    from fogbound.interop.openspiel import python_game

    at = python_game(fb.game("tiger(discount=0.5)")).new_initial_state()
    at.apply_action(0)  # chance
    listen = [at.action_to_string(0, n) for n in at.legal_actions()].index("listen")
    for _ in range(2):
        at.apply_action(listen)
        at.apply_action(0)  # what is heard
    assert at.returns() == [-1.5]


@pytest.mark.slow
def test_cfr_plus_there_is_as_fast_as_on_its_own_leduc(pyspiel):
    from benchmarks.openspiel import rates

    found = rates(pyspiel, "leduc", "leduc_poker", rounds=2)
    assert found["ours"] >= 0.8 * found["theirs"]
