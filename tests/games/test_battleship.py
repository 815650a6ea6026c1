"""Battleship: layouts counted by brute force, a game by hand, what is seen of it, and values known by reasoning."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from fogbound import forms
from fogbound.core import Observation, SpecError
from fogbound.games import make
from fogbound.games.battleship import LAYING_OUT, OVER
from fogbound.policies import Uniform
from fogbound.solvers import make as make_solver
from fogbound.testing import check_game
from tests.run import solve
from tests.test_forms_agree import assert_same_tree, assert_values_agree

SPECS = [
    "battleship",
    "battleship(rows=1, columns=5, ships=[2], miss=0.25, discount=0.5)",
    "battleship(ships=[2, 1])",
    "battleship(columns=3, ships=[3])",
]
SMALL = [  # small enough for the oracle
    "battleship(rows=1)",
    "battleship(rows=1, columns=3, miss=0.25)",
    "battleship(rows=1, columns=3, ships=[1, 1], discount=0.9)",
    "battleship(ships=[2, 2], miss=0.5)",
]


def play(game, *joints):
    """The outcomes of a game in which nothing is left to chance."""
    (((outcome, _),), found) = (game.start().pairs, [])
    for joint in joints:
        ((outcome, p),) = game.step(outcome.state, joint).pairs
        assert p == 1
        found.append(outcome)
    return found


def lines(length, rows, columns):
    """The straight ships of a length, as sets of cells, by looking at every set of cells of that size."""
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    found = set()
    for some in combinations(cells, length):
        height, width = (max(along) - min(along) + 1 for along in zip(*some))
        if (height, width) in ((1, length), (length, 1)):
            found.add(frozenset(some))
    return found


def layouts(ships, rows, columns):
    """All fleets, as multisets of disjoint ships."""
    fleets = {frozenset()}
    for length in ships:
        places = lines(length, rows, columns)
        fleets = {fleet | {ship} for fleet in fleets for ship in places if not any(ship & other for other in fleet)}
    return fleets


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec):
    assert all(finding.mark == "ok" for finding in check_game(make(spec)))


@pytest.mark.slow
@pytest.mark.parametrize("spec", SMALL)
def test_forms_agree(spec):
    assert_same_tree(make(spec))
    assert_values_agree(make(spec), seed=1)


@pytest.mark.parametrize(
    ("rows", "columns", "ships", "count"),
    [
        (2, 2, (2,), 4),
        (2, 2, (1,), 4),
        (2, 2, (2, 2), 2),
        (2, 2, (2, 1), 8),
        (3, 3, (3,), 6),
        (1, 7, (2, 3), 12),
        (2, 4, (2, 3), 16),
        (3, 3, (1, 1, 2), 252),
    ],
)
def test_every_layout_once(rows, columns, ships, count):
    game = make(f"battleship(rows={rows}, columns={columns}, ships=[{', '.join(map(str, ships))}])")
    offered = game.actions(LAYING_OUT, 0)
    wanted = layouts(ships, rows, columns)
    assert len(offered) == len(set(game.layouts.values())) == len(wanted)
    assert len(wanted) == count
    for fleet in game.layouts.values():
        cells = [frozenset(divmod(bit, columns) for bit in range(rows * columns) if ship >> bit & 1) for ship in fleet]
        assert frozenset(cells) in wanted


def test_a_game_by_hand():
    game = make("battleship(ships=[2, 1], win=3, miss=0.5)")
    laid, *shots = play(
        game, ("a1-a1 b1-b2", "a2-a2 a1-b1"), ("b1",), ("a2",), ("b2",), ("a1",), ("a1",), ("b2",), ("a2",)
    )
    assert [laid.observation(player) for player in (0, 1)] == [Observation(None, None)] * 2
    heard = ["b1 hit", "a2 miss", "b2 miss", "a1 sunk", "a1 sunk", "b2 hit", "a2 sunk"]
    assert [shot.public for shot in shots] == heard
    assert all(shot.observation(0) == shot.observation(1) == Observation(shot.public, None) for shot in shots)
    assert [shot.rewards for shot in shots] == [(), (0.5, -0.5), (-0.5, 0.5), (), (), (), (3, -3)]
    assert shots[-1].state == OVER[0]
    assert game.actors(shots[-1].state) == ()


def test_the_second_player_can_win():
    *_, last = play(make("battleship"), ("a1-a2", "b1-b2"), ("a1",), ("a1",), ("a2",), ("a2",))
    assert (last.state, last.rewards) == (OVER[1], (-1, 1))


def test_a_board_shows_own_ships_and_every_shot():
    game = make("battleship")
    state = play(game, ("a1-a2", "b1-b2"), ("b1",), ("b2",))[-1].state
    first, second, all_ = ([[t.text for t in row] for row in game.board(state, player).rows] for player in (0, 1, None))
    assert first == [["■", "■"], ["", "×"], ["?", "?"], ["×", "?"]]
    assert second == [["?", "?"], ["?", "×"], ["", ""], ["×", "■"]]
    assert all_ == [["■", "■"], ["", "×"], ["", ""], ["×", "■"]]
    assert game.board(state, 0).caption == "first to shoot; cells afloat: 2 and 1"


@pytest.mark.parametrize("spec", SPECS)
def test_pay_sums_to_zero_and_no_shot_is_offered_twice(spec):
    game = make(spec)
    source = forms.table(game)
    assert not source.reward.sum(axis=1).any()
    assert source.reward.any()
    for state in source.states:
        for mover in game.actors(state) if state != LAYING_OUT else ():
            cells = len(game.cells)
            assert len(game.actions(state, mover)) == cells - state[0][1 - mover][1].bit_count() > 0


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("battleship(rows=1, columns=1, ships=[1])", 1),  # the first shot wins
        ("battleship(rows=1)", 1),  # nothing is hidden, and the first player begins
        ("battleship(rows=1, ships=[1])", 1 / 2),  # found at once 1/2, after the other's chance of 1/2 for sure
        ("battleship(rows=1, columns=3, ships=[1])", 1 / 3),  # 1/3 + 2/3 2/3 1/2 + 2/3 2/3 1/2 1/2 = 2/3 of games won
        ("battleship(rows=1, ships=[1], miss=0.5)", 1 / 2 - 1 / 4 + 1 / 8),  # and half the shots of both pay a half
    ],
)
def test_value_by_reasoning(spec, value):
    found = solve(make_solver("sequence-lp"), forms.sequence(make(spec)))
    assert math.isclose(found.value, value, abs_tol=1e-9)


def test_the_reply_to_uniform_play_follows_up_its_hits():
    """Uniform play does not, so the reply to it is worth more than the value of the game."""
    game = make("battleship")
    beliefs = forms.belief_mdp(forms.pomdp(game, 0, {1: Uniform()}))
    reply = solve(make_solver("belief-mdp"), beliefs)
    value = solve(make_solver("sequence-lp"), forms.sequence(game), certified=False).value
    assert reply.value > value + 0.1
    player = reply.profile[0]
    memory = player.begin(Observation(None, None))
    (layout,) = player.act(memory, tuple(game.layouts)).support()
    memory = player.update(memory, layout, Observation(None, None))
    water = next(cell for bit, cell in enumerate(game.cells) if not sum(game.layouts[layout]) >> bit & 1)
    (shot,) = player.act(memory, game.cells).support()
    memory = player.update(memory, shot, Observation(f"{shot} hit", None))
    memory = player.update(memory, None, Observation(f"{water} miss", None))
    left = tuple(cell for cell in game.cells if cell != shot)
    (follow_up,) = player.act(memory, left).support()
    assert follow_up[0] == shot[0] or follow_up[1] == shot[1]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("battleship(rows=0)", "rows is 0, expected 1 to 10"),
        ("battleship(columns=11)", "columns is 11, expected 1 to 10"),
        ("battleship(ships=[])", "expected 1 to 5 lengths from 1 to 10"),
        ("battleship(ships=[2, 0])", "expected 1 to 5 lengths from 1 to 10"),
        ("battleship(ships=[two])", "expected 1 to 5 lengths from 1 to 10"),
        ("battleship(ships=[1, 1, 1, 1, 1, 1])", "expected 1 to 5 lengths from 1 to 10"),
        ("battleship(ships=[3])", r"ships \(3,\) have no layouts on 2 x 2 cells"),
        ("battleship(rows=10, columns=10, ships=[5, 4, 3, 3, 2])", "have over 10,000 layouts on 10 x 10 cells"),
        ("battleship(win=0)", "win is 0.0, expected a finite number above 0"),
        ("battleship(miss=-1)", "miss is -1.0, expected a finite number of at least 0"),
        ("battleship(discount=0)", "discount is 0.0, expected above 0 and at most 1"),
    ],
)
def test_parameters_are_checked(spec, words):
    with pytest.raises(SpecError, match=words):
        make(spec)
