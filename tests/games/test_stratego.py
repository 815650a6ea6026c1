"""Stratego: who beats whom, games by hand, what is seen of them, the ways to end, and values known by reasoning."""

from __future__ import annotations

import math
from itertools import permutations

import pytest

from fogbound import forms
from fogbound.core import Observation, SpecError
from fogbound.games import make
from fogbound.games.stratego import DRAW, ENDS, FIRST, RANKS, SECOND, SYMBOLS, survivor
from fogbound.solvers import make as make_solver
from fogbound.testing import check_game
from tests.run import solve
from tests.test_forms_agree import assert_same_tree, assert_values_agree

TINY = "rows=2, columns=2, army=[flag, marshal]"
SPECS = [
    "stratego",
    "stratego(most=0, cost=0.01, army=[flag, spy, spy])",
    "stratego(rows=4, columns=2, army=[flag, scout, miner], most=6, deal=random)",
    "stratego(rows=4, columns=3, army=[flag, bomb, scout], most=5)",
]
SMALL = [  # small enough for the oracle
    f"stratego({TINY})",
    "stratego(rows=3, columns=2, army=[flag, scout], deal=random, most=5, cost=0.25, discount=0.9)",
    "stratego(rows=3, columns=2, army=[flag, spy, marshal], most=4)",
]


def play(game, *joints):
    """The outcomes of a game in which nothing is left to chance."""
    (((outcome, _),), found) = (game.start().pairs, [])
    for joint in joints:
        ((outcome, p),) = game.step(outcome.state, joint).pairs
        assert p == 1
        found.append(outcome)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec):
    assert all(finding.mark == "ok" for finding in check_game(make(spec)))


@pytest.mark.parametrize("spec", SMALL)
def test_forms_agree(spec):
    assert_same_tree(make(spec))
    assert_values_agree(make(spec), seed=1)


@pytest.mark.parametrize(("army", "count"), [("flag, spy, marshal", 6), ("flag, spy, spy", 3), ("flag, bomb", 2)])
def test_every_setup_once(army, count):
    game = make(f"stratego(army=[{army}])")
    ((start, _),) = game.start().pairs
    wanted = {" ".join(ranks) for ranks in permutations(army.split(", "))}
    for player in (FIRST, SECOND):
        offered = game.actions(start.state, player)
        assert len(offered) == count
        assert set(offered) == wanted
    dealt = make(f"stratego(army=[{army}], deal=random)").start()
    assert {outcome.private for outcome, _ in dealt} == {(one, other) for one in wanted for other in wanted}
    assert len(dealt) == count**2


@pytest.mark.parametrize("attacker", [rank for rank in RANKS if rank not in ("flag", "bomb")])
def test_who_beats_whom(attacker):
    order = [rank for rank in SYMBOLS if rank not in ("flag", "bomb")]
    assert [SYMBOLS[rank] for rank in order] == ["S", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
    for met in RANKS:
        left = survivor((FIRST, attacker), (SECOND, met))
        wins = met == "flag" or (met in order and order.index(attacker) > order.index(met))
        wins = wins or (attacker, met) in (("spy", "marshal"), ("miner", "bomb"))
        assert left == (None if attacker == met else (FIRST, attacker) if wins else (SECOND, met))


def test_a_game_by_hand():
    """The spy takes the marshal that it attacks; the marshal that attacks the spy would have taken it."""
    game = make("stratego(win=2)")
    setups = ("flag spy marshal", "flag marshal spy")  # a1 to a3, and from the far corner c3 to c1
    armed, *moves = play(game, setups, ("a2-b2",), ("c1-b1",), ("b2-c2",), ("b1-a1",))
    assert [armed.observation(player) for player in (FIRST, SECOND)] == [Observation(None, None)] * 2
    seen = ["a2-b2", "c1-b1", "b2-c2 spy meets marshal", "b1-a1 spy meets flag"]
    assert [move.public for move in moves] == seen
    assert all(move.observation(FIRST) == move.observation(SECOND) == Observation(move.public, None) for move in moves)
    assert [move.rewards for move in moves] == [(), (), (), (-2, 2)]
    assert moves[-1].state == ENDS[SECOND]
    assert game.actors(moves[-1].state) == ()


def test_a_board_shows_own_ranks_and_where_the_others_stand():
    game = make("stratego")
    (*_, last) = play(game, ("flag spy marshal", "flag marshal spy"), ("a2-b2",), ("c2-b2",))
    first, second, all_ = (
        [[t.text for t in row] for row in game.board(last.state, player).rows] for player in (0, 1, None)
    )
    assert first == [["F", "", "10"], ["", "?", ""], ["?", "", "?"]]
    assert second == [["?", "", "?"], ["", "10", ""], ["S", "", "F"]]
    assert all_ == [["F", "", "10"], ["", "10", ""], ["S", "", "F"]]
    assert game.board(last.state, 0).caption == "first to move, 6 moves before a draw"


def test_a_random_deal_is_seen_by_its_owner_alone():
    for outcome, p in make("stratego(deal=random)").start():
        squares, _, _ = outcome.state
        assert math.isclose(p, 1 / 36)
        own = " ".join(rank for owner, rank in filter(None, squares) if owner == FIRST)
        others = " ".join(rank for owner, rank in filter(None, reversed(squares)) if owner == SECOND)
        assert (outcome.public, outcome.private) == (None, (own, others))


def test_scouts_run_along_free_lines_and_no_other_piece_does():
    game = make("stratego(rows=4, columns=2, army=[flag, scout])")
    (armed,) = play(game, ("flag scout", "scout flag"))
    assert game.actions(armed.state, FIRST) == ("a2-b2", "a2-c2", "a2-d2")  # and not over d2, where a scout stands
    *_, later = play(game, ("flag scout", "scout flag"), ("a2-c2",), ("d2-c2",))
    assert (later.public, later.state) == ("d2-c2 scout meets scout", ENDS[DRAW])
    slow = make("stratego(rows=4, columns=2, army=[flag, miner])")
    (armed,) = play(slow, ("flag miner", "flag miner"))
    assert slow.actions(armed.state, FIRST) == ("a2-b2",)


def test_equal_ranks_both_go_and_neither_side_able_to_move_is_a_draw():
    game, setups = make("stratego"), ("flag spy marshal", "flag spy marshal")
    spies, marshals = [("a2-b2",), ("c2-b2",)], [("a3-b3",), ("c1-b1",), ("b3-b2",), ("b1-b2",)]
    *_, last = play(game, setups, *spies)
    assert [piece for piece in last.state[0] if piece and piece[1] == "spy"] == []
    assert last.state[1] == FIRST
    *_, last = play(game, setups, *spies, *marshals)
    assert (last.state, last.rewards) == (ENDS[DRAW], ())


def test_who_leaves_the_other_without_a_move_wins():
    game, setups = make("stratego(army=[flag, bomb, scout])"), ("bomb scout flag", "scout bomb flag")
    *_, last = play(game, setups, ("a2-b2",), ("c3-b3",), ("b2-c2",))
    assert last.public == "b2-c2 scout meets bomb"
    assert last.state[1] == SECOND  # the first player could not move, but need not yet
    *_, last = play(game, setups, ("a2-b2",), ("c3-b3",), ("b2-c2",), ("b3-b2",))
    assert (last.state, last.rewards) == (ENDS[SECOND], (-1, 1))


def test_who_is_shut_in_by_its_own_setup_has_lost():
    game = make("stratego(rows=4, columns=2, army=[flag, spy, bomb, bomb])")
    (outcome,) = play(game, ("spy flag bomb bomb", "flag bomb spy bomb"))
    assert (outcome.state, outcome.rewards) == (ENDS[SECOND], (-1, 1))


def test_a_counted_game_is_a_draw_in_the_end_and_moves_may_cost():
    game = make("stratego(most=3, cost=0.5)")
    *before, last = play(game, ("flag spy marshal",) * 2, ("a2-b2",), ("c1-b1",), ("b2-a2",))
    assert [outcome.rewards for outcome in before] == [(), (-0.5, 0.0), (0.0, -0.5)]
    assert (last.state, last.rewards) == (ENDS[DRAW], (-0.5, 0.0))
    assert forms.tree(game).size > 1
    endless = make("stratego(most=0)")
    back = [("a2-b2",), ("c1-b1",), ("b2-a2",), ("b1-c1",)]
    armed, *_, last = play(endless, ("flag spy marshal",) * 2, *back)
    assert last.state == armed.state


@pytest.mark.parametrize("spec", ["stratego", "stratego(most=0)", "stratego(most=4, deal=random, win=3)"])
def test_pay_sums_to_zero(spec):
    pay = forms.table(make(spec)).reward
    assert not pay.sum(axis=1).any()
    assert set(pay[:, 0]) == {0.0, make(spec).win, -make(spec).win}


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (f"stratego({TINY})", 1 / 2),  # the marshal meets the flag and wins, or the marshal: neither can move
        (f"stratego({TINY}, deal=random)", 1 / 2),
        ("stratego(rows=2, columns=2, army=[flag, bomb])", 0),  # nobody can ever move
    ],
)
def test_value_by_reasoning(spec, value):
    found = solve(make_solver("sequence-lp"), forms.sequence(make(spec)))
    assert math.isclose(found.value, value, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("stratego(rows=0)", "rows is 0, expected 1 to 10"),
        ("stratego(columns=11)", "columns is 11, expected 1 to 10"),
        ("stratego(army=[flag, dragon])", "expected one flag and up to 5 of spy"),
        ("stratego(army=[spy, marshal])", "expected one flag and up to 5 of spy"),
        ("stratego(army=[flag, flag, spy])", "expected one flag and up to 5 of spy"),
        ("stratego(army=[flag])", "expected one flag and up to 5 of spy"),
        ("stratego(rows=5, columns=1)", "on at most half of the squares"),
        ("stratego(deal=fair)", "deal is 'fair', expected chosen or random"),
        ("stratego(most=-1)", "most is -1, expected a number of moves, or 0 for no end"),
        ("stratego(win=0)", "win is 0.0, expected a finite number above 0"),
        ("stratego(cost=-1)", "cost is -1.0, expected a finite number of at least 0"),
        ("stratego(discount=2)", "discount is 2.0, expected above 0 and at most 1"),
    ],
)
def test_parameters_are_checked(spec, words):
    with pytest.raises(SpecError, match=words):
        make(spec)
