"""Phantom tic-tac-toe: what is told to whom, both ways to go on after a taken square, and the compiled rules."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.forms.state_graph import state_graph
from fogbound.games import make
from fogbound.testing import check_compiled_rules
from fogbound.transforms.subgame import StartAt

BOTH = ["phantom-tic-tac-toe", "phantom-tic-tac-toe(abrupt=true)"]


def played(game, *squares):
    """The last outcome after these moves."""
    outcome = next(iter(game.start()))[0]
    for square in squares:
        outcome = next(iter(game.step(outcome.state, (square,))))[0]
    return outcome


@pytest.mark.parametrize("spec", BOTH)
def test_compiled_and_plain_rules_play_alike(spec):
    assert check_compiled_rules(make(spec), plays=15, seed=2) > 100


@pytest.mark.parametrize(
    ("spec", "states"), list(zip(BOTH, (415_123, 495_295)))
)  # as the plain rules, walked whole, give
def test_positions_are_few(spec, states):
    assert state_graph(make(spec).compiled_rules()).size == states


@pytest.mark.parametrize("spec", BOTH)
def test_a_taken_square_is_told_to_who_ran_into_it_alone(spec):
    game = make(spec)
    outcome = played(game, "a1", "a1")
    assert outcome.observation(1).private == "taken"
    assert tuple(outcome.observation(0)) == (None, None)
    assert game.actors(outcome.state) == ((0,) if game.abrupt else (1,))
    assert "a1" not in game.actions(outcome.state, 1)
    assert game.board(outcome.state, 1).text().startswith("1  x ? ?")
    unfound = played(game, "a1", "b1").state
    assert game.board(outcome.state, 0).text().splitlines()[:3] == game.board(unfound, 0).text().splitlines()[:3]


@pytest.mark.parametrize("spec", BOTH)
def test_nobody_sees_where_the_other_goes(spec):
    game = make(spec)
    one, other = played(game, "a1"), played(game, "c3")
    assert one.observation(1) == other.observation(1)
    assert game.board(one.state, 1) == game.board(other.state, 1)
    assert game.actions(one.state, 1) == game.actions(other.state, 1)
    assert game.hidden_words(one.state, 1) == "crosses: top left"
    assert game.hidden_words(one.state, 0) == "noughts: nothing more"


def test_three_in_a_row_win_even_if_some_were_found():
    game = make("phantom-tic-tac-toe")
    won = played(game, "a1", "a1", "a2", "b1", "b2", "c1")
    assert won.rewards == (1, -1)
    assert won.public == "crosses win"
    assert not game.actors(won.state)
    assert game.board(won.state, 1).text().endswith("crosses win")


def test_a_full_board_is_a_draw():
    game = make("phantom-tic-tac-toe")
    drawn = played(game, "a1", "b1", "c1", "b2", "a2", "a3", "b3", "c2", "c3")
    assert (drawn.rewards, drawn.public, game.actors(drawn.state)) == ((), "a draw", ())


@pytest.mark.parametrize(("abrupt", "value"), [("false", 0), ("true", 1 / 3)])
def test_the_end_of_a_game_is_solved(abrupt, value):
    """From a position that both know; what follows is in the dark."""
    game = make(f"phantom-tic-tac-toe(abrupt={abrupt})")
    squares, mover = played(game, "b2", "a1", "c1", "a3").state
    end = StartAt(game, (tuple(mark.upper() for mark in squares), mover))
    program, learned = fb.solve(end, "sequence-lp"), fb.solve(end, "cfr-plus", gap=1e-4)
    assert program.certified == learned.certified == "both"
    assert program.value == pytest.approx(value, abs=1e-9)
    assert learned.lower - 1e-9 <= value <= learned.upper + 1e-9


def test_search_beats_playing_at_random():
    found = fb.match("phantom-tic-tac-toe", ["is-mcts(simulations=200)", "uniform"], games=40, seed=1)
    assert found.players[0].score > 0.5
