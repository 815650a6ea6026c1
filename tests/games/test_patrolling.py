"""Patrolling and intrusion: games by hand, what is seen, and values known by reasoning."""

from __future__ import annotations

import math

import pytest

from fogbound import forms
from fogbound.core import Observation, SpecError
from fogbound.forms.player_view import NOT_ASKED, OVER, legal_by_state
from fogbound.games import intrusion, make, patrolling
from fogbound.solvers import make as make_solver
from fogbound.testing import check_game
from fogbound.transforms.horizon import Horizon
from tests.run import solve

SPECS = [
    "patrolling",
    "patrolling(nodes=5, edges=[[0, 1], [1, 2], [1, 3], [3, 4]], values=[1, 2, 3, 4, 5], duration=3, arrest=2)",
    "patrolling(nodes=2, duration=1)",
    "intrusion",
    "intrusion(rows=2, columns=2, guarded=[0, 1], capture=0)",
    "intrusion(rows=4, columns=1, guarded=[0])",
]
BLIND, SEEING = 0, 1


@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec):
    assert all(finding.mark == "ok" for finding in check_game(make(spec)))
    assert make(str(make(spec))) == make(spec)
    assert not forms.table(make(spec)).reward.sum(axis=1).any()


@pytest.mark.parametrize("spec", SPECS)
def test_one_knows_the_state_and_the_other_its_menu(spec):
    table = forms.table(make(spec))
    assert {len(states) for states in forms.knowledge(table, SEEING).sets} == {1}
    known = forms.knowledge(table, BLIND)
    assert known.complete
    assert max(map(len, known.sets)) > 1 or "duration=1" in spec
    for states in known.sets:
        assert len({*legal_by_state(table, BLIND)[list(states)].tolist()} - {NOT_ASKED, OVER}) <= 1


def play(game, *joints):
    ((outcome, _),) = game.start().pairs
    for joint in joints:
        ((outcome, p),) = game.step(outcome.state, joint).pairs
        assert p == 1
    return outcome


def test_an_attack_lasts_its_duration():
    game = make("patrolling(duration=3, values=[1, 2, 3, 4], arrest=5)")
    begun = play(game, ("stay", "wait"), ("go 1", "attack 3"))
    assert begun.state == (1, 3, 2)
    assert [begun.observation(player) for player in (BLIND, SEEING)] == [Observation(None, None), Observation(None, 1)]
    assert game.actions(begun.state, SEEING) == ("go on",)
    before = (("stay", "wait"), ("go 1", "attack 3"), ("go 2", "go on"))
    late = play(game, *before, ("stay", "go on"))
    assert (late.state, late.rewards, late.public) == (patrolling.OVER, (-4, 4), "lost 3")
    in_time = play(game, *before, ("go 3", "go on"))
    assert (in_time.state, in_time.rewards, in_time.public) == (patrolling.OVER, (5, -5), "caught")
    at_once = play(game, ("go 3", "attack 3"))
    assert at_once.public == "caught"


def test_patrolling_states_are_as_counted():
    """A guard's node; and an attack on another one, which has begun but not ended, for each time left."""
    for nodes, duration in [(4, 2), (5, 3), (6, 4)]:
        game = make(f"patrolling(nodes={nodes}, duration={duration})")
        assert forms.table(game).size == nodes + nodes * (nodes - 1) * (duration - 1) + 1


@pytest.mark.parametrize(
    ("spec", "steps", "value"),
    [
        ("patrolling(nodes=2, duration=1)", 1, -50),  # two nodes, one look: a coin that both toss
        ("patrolling(nodes=3, duration=1)", 1, -100 * 2 / 3),
        ("patrolling(nodes=2, duration=1, values=[300, 100])", 1, -75),  # 300 a = 100 b where a + b = 1
        ("patrolling(nodes=2, duration=2)", 6, 0),  # both nodes are visited while an attack lasts
        ("patrolling(nodes=3, edges=[[0, 1]], duration=9)", 9, -100 * 0.95**8),  # no way leads to node 2
        ("intrusion(rows=1, columns=1, guarded=[0])", 9, 0),  # in sight as soon as it enters: it stays away
        ("intrusion(rows=2, columns=1, guarded=[0], capture=0)", 2, -95 / 2),  # one of two rows, and out
    ],
)
def test_values_by_reasoning(spec, steps, value):
    found = solve(make_solver("sequence-lp"), forms.sequence(Horizon(make(spec), steps)))
    assert math.isclose(found.value, value, abs_tol=1e-6)


def test_an_intruder_leaves_tracks_and_covers_them():
    game = make("intrusion(rows=3, columns=3, guarded=[0, 2])")
    ((start, _),) = game.start().pairs
    assert start.state == ((1, 1), intrusion.OUTSIDE, (-1, -1))
    assert game.actions(start.state, SEEING) == ("wait", "row 0", "row 1", "row 2")
    entered = play(game, ((1, 1), "row 0"))
    assert (entered.state, entered.public) == (((1, 1), (0, 0), (0, -1)), None)
    assert game.actions(entered.state, SEEING) == ("wait", "row 0", "row 1")
    gone = play(game, ((1, 1), "row 0"), ((0, 1), "row 1"))
    assert (gone.state, gone.public) == (((0, 1), (1, 1), (0, -1)), "tracks in column 0")
    assert gone.observation(SEEING) == Observation("tracks in column 0", (0, 1))
    slow = play(game, ((1, 1), "row 0"), ((1, 1), "wait"), ((0, 1), "row 1"))
    assert (slow.state, slow.public) == (((0, 1), (1, 1), (-1, -1)), None)
    found = play(game, ((1, 1), "row 0"), ((0, 1), "wait"))
    assert (found.state, found.rewards, found.public) == (intrusion.OVER, (100, -100), "caught")


def test_an_intruder_gets_through_or_is_caught_on_the_way_in():
    game = make("intrusion(rows=3, columns=1, guarded=[0], capture=7, through=3)")
    inside = play(game, ((0,), "row 2"))
    assert game.actions(inside.state, SEEING) == ("wait", "leave")
    through = play(game, ((0,), "row 2"), ((1,), "leave"))
    assert (through.state, through.rewards, through.public) == (intrusion.OVER, (-3, 3), "through")
    assert game.actors(through.state) == ()
    assert play(game, ((2,), "row 2")).rewards == (7, -7)


def test_boards():
    game = make("patrolling(duration=3)")
    assert game.board((1, 3, 2), BLIND) == game.board((1, -1, 0), SEEING)
    assert [tile.text for tile in game.board((1, 3, 2), SEEING).rows[0]] == ["0", "G1", "2", "A3"]
    land = make("intrusion(guarded=[0, 2])")
    rows = [
        [[tile.text for tile in row] for row in land.board(((0, 1), (1, 1), (0, -1)), player).rows] for player in (0, 1)
    ]
    assert rows[BLIND] == [["Gt", "", ""], ["", "", "G"], ["", "", ""]]
    assert rows[SEEING] == [["Gt", "", ""], ["", "I", "G"], ["", "", ""]]
    assert land.describe("row 2") == "go on to row 2"
    assert land.describe((0, 1)) == "guard rows 0 1"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("patrolling(nodes=1)", "nodes is 1, expected 2 to 100"),
        ("patrolling(edges=[[0, 4]])", "expected pairs of different nodes from 0 to 3"),
        ("patrolling(edges=[[1, 1]])", "expected pairs of different nodes"),
        ("patrolling(edges=[1])", "expected pairs of different nodes"),
        ("patrolling(values=[1, 2])", "expected 4 finite numbers above 0"),
        ("patrolling(values=[1, 2, 3, 0])", "expected 4 finite numbers above 0"),
        ("patrolling(duration=0)", "duration is 0, expected 1 to 100 steps"),
        ("patrolling(arrest=-1)", "arrest is -1.0, expected a finite number of at least 0"),
        ("patrolling(discount=1)", "discount is 1.0, expected above 0 and below 1"),
        ("intrusion(rows=0)", "rows is 0, expected 1 to 10"),
        ("intrusion(columns=11)", "columns is 11, expected 1 to 10"),
        ("intrusion(guarded=[3])", "expected columns from 0 to 2, ascending"),
        ("intrusion(guarded=[1, 0])", "expected columns from 0 to 2, ascending"),
        ("intrusion(guarded=[])", "expected columns from 0 to 2, ascending"),
        ("intrusion(capture=-1)", "capture is -1.0, expected a finite number of at least 0"),
        ("intrusion(through=0)", "through is 0.0, expected a finite number above 0"),
        ("intrusion(discount=1)", "discount is 1.0, expected above 0 and below 1"),
    ],
)
def test_parameters_are_checked(spec, words):
    with pytest.raises(SpecError, match=words):
        make(spec)
