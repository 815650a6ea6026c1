"""Policies and bots across the door, both ways, by histories: OpenSpiel measures ours, ours measures OpenSpiel's."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.core.errors import FormError, PolicyError, SpecError
from fogbound.interop.openspiel import OpenSpielGame, OpenSpielPlayer, from_openspiel, passage, seats

pytestmark = pytest.mark.usefixtures("pyspiel")

FAITHFUL = [  # zero-sum games for two whose strings keep what players know; most with other parameters than usual
    "kuhn_poker",
    "leduc_poker",
    "leduc_poker(suit_isomorphism=True)",
    "liars_dice(dice_sides=3)",
    "liars_dice(dice_sides=4)",
    "matrix_mp",
    "matrix_rps",
    "matrix_rpsw",
    "matrix_brps",
    "blotto",
    "blotto(coins=4,fields=3)",
    "goofspiel(num_cards=3,imp_info=True)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "goofspiel(num_cards=3,imp_info=True,points_order=ascending)",
    "dark_hex(num_rows=2,num_cols=2)",
    "dark_hex(num_rows=2,num_cols=2,gameversion=adh)",
    "coordinated_mp",
    "nim(pile_sizes=1;2;2)",
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2)",
    "misere(game=kuhn_poker())",
    "restricted_nash_response(game=kuhn_poker())",  # padded: who is bound by chance is asked later
    "normal_form_extensive_game(game=kuhn_poker())",
    "hex(board_size=2)",
    "y(board_size=2)",
    "mnk(m=3,n=2,k=2)",
    "dots_and_boxes(num_rows=1,num_cols=1)",
    "clobber(rows=2,columns=3)",
    "repeated_game(stage_game=matrix_rps(),num_repetitions=2)",
    "add_noise(epsilon=1.0,seed=1,game=kuhn_poker())",
    "zerosum(game=first_sealed_auction(max_value=4))",
    "oshi_zumo(coins=4,size=1,horizon=4)",
    "python_kuhn_poker",
]


def nash_conv(load):
    """What OpenSpiel finds that our equilibrium leaves."""
    import pyspiel

    game = OpenSpielGame(load)
    turns = game.source.get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    source = game.source if turns else pyspiel.load_game_as_turn_based(load)
    return pyspiel.nash_conv(source, passage(game, source).policy(fb.solve(game, "sequence-lp")))


@pytest.mark.parametrize("load", ["kuhn_poker", "matrix_rps", "restricted_nash_response(game=kuhn_poker())"])
def test_openspiel_finds_nothing_to_gain_against_ours(load):
    assert abs(nash_conv(load)) <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("load", FAITHFUL)
def test_openspiel_finds_nothing_to_gain_in_many_games(load):
    assert len(FAITHFUL) >= 20
    assert abs(nash_conv(load)) <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "recall"),
    [
        ("goofspiel(num_cards=4,points_order=descending)", "restored"),
        ("goofspiel(num_cards=4,points_order=ascending)", "restored"),
        ("oshi_zumo(coins=3,size=1,horizon=4)", "perfect"),
    ],
)
def test_our_own_regret_is_exact_with_openspiels_returns(load, recall, pyspiel):
    """Also where strings hold the position alone, so that no table by strings can hold what we play."""
    from open_spiel.python.algorithms import expected_game_score

    from fogbound.interop.openspiel import ReplayingPolicy

    game, source = OpenSpielGame(load), pyspiel.load_game_as_turn_based(load)
    assert game.structure.recall.startswith(recall)
    solution = fb.solve(game, "sequence-lp")
    found = fb.evaluate(game, solution)
    assert found.exact
    assert found.nash_conv[1] <= 1e-9
    replaying = ReplayingPolicy(game, solution)
    returns = expected_game_score.policy_value(source.new_initial_state(), [replaying, replaying])
    assert returns == pytest.approx(found.values, abs=1e-9)


def test_a_table_that_strings_cannot_hold_is_refused():
    game = OpenSpielGame("goofspiel(num_cards=4,points_order=descending)")
    with pytest.raises(FormError, match="OpenSpiel says .* ReplayingPolicy"):
        passage(game).policy(fb.solve(game, "sequence-lp"))


def test_by_replay_openspiels_own_algorithms_take_ours(pyspiel):
    from open_spiel.python.algorithms import exploitability

    from fogbound.interop.openspiel import ReplayingPolicy

    game = OpenSpielGame("kuhn_poker")
    replaying = ReplayingPolicy(game, fb.solve(game, "sequence-lp"))
    assert exploitability.nash_conv(game.source, replaying) == pytest.approx(0, abs=1e-9)
    at = pyspiel.load_game("kuhn_poker").new_initial_state()
    for number in (0, 1, 0):  # jack, queen, pass
        at.apply_action(number)
    assert replaying.action_probabilities(at).keys() == {0, 1}  # zeros too


def test_replay_waits_where_the_game_is_padded(clock, pyspiel):
    from fogbound.interop.openspiel import ReplayingPolicy

    game = from_openspiel(clock)
    replaying = ReplayingPolicy(game, fb.solve(game, "sequence-lp"))
    at = clock.new_initial_state()
    for number in (1, 0, 0):  # tails, go, go
        at.apply_action(number)
    assert list(replaying.action_probabilities(at).values()) == pytest.approx([0.5, 0.5])
    assert pyspiel.nash_conv(clock, passage(game).policy(fb.solve(game, "sequence-lp"))) == pytest.approx(0, abs=1e-9)
    assert fb.evaluate(game, seats(game, pyspiel.UniformPolicy())).values == pytest.approx((0, 0))


def test_simultaneous_moves_by_replay():
    from fogbound.interop.openspiel import ReplayingPolicy

    game = OpenSpielGame("goofspiel(num_cards=3,imp_info=True,points_order=descending)")
    at = game.source.new_initial_state()
    at.apply_actions([2, 0])
    chances = ReplayingPolicy(game, fb.solve(game, "sequence-lp")).action_probabilities(at, 1)
    assert chances.keys() == {1, 2}
    assert sum(chances.values()) == pytest.approx(1)


def test_openspiels_policy_at_our_table(pyspiel):
    game = OpenSpielGame("kuhn_poker")
    solver = pyspiel.CFRPlusSolver(game.source)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    theirs = solver.average_policy()
    wanted = pyspiel.nash_conv(game.source, theirs)
    assert fb.evaluate(game, seats(game, theirs)).nash_conv[0] == pytest.approx(wanted, abs=1e-12)
    assert fb.evaluate(game, passage(game).profile(theirs)).nash_conv[0] == pytest.approx(wanted, abs=1e-12)
    assert fb.match(game, [*seats(game, theirs)[:1], "uniform"], games=20, seed=1).games == 20


def test_openspiels_bots_at_our_table(pyspiel):
    import numpy as np

    game = OpenSpielGame("tic_tac_toe")
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
    bot = pyspiel.MCTSBot(game.source, evaluator, 2.0, 200, 1, True, 1, False)
    drawn = fb.match(game, OpenSpielPlayer(game, 0, bot), "uniform", games=4, seed=1)
    assert drawn.players[0].wins > 0.7
    kuhn = OpenSpielGame("kuhn_poker")
    plain = [
        pyspiel.make_uniform_random_bot(player, int(np.random.default_rng(player).integers(99))) for player in (0, 1)
    ]
    assert fb.evaluate(kuhn, seats(kuhn, plain)).values == pytest.approx(fb.evaluate(kuhn, "uniform", "uniform").values)


def test_whoever_cannot_play_is_refused():
    game = OpenSpielGame("kuhn_poker")
    with pytest.raises(PolicyError, match="expected a policy or a bot"):
        OpenSpielPlayer(game, 0, "uniform")
    with pytest.raises(SpecError, match="found 1 policies"):
        seats(game, [object()])
    with pytest.raises(FormError, match="to_openspiel"):
        passage(fb.game("kuhn"))
