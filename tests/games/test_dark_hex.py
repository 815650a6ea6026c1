"""Dark Hex: who connects what, what is told to whom, small boards solved exactly, OpenSpiel side by side."""

from __future__ import annotations

import itertools
import random

import pytest

import fogbound as fb
from fogbound.core.errors import SpecError
from fogbound.games import make
from fogbound.games.dark_hex import STONES

SIZES = [(2, 2), (2, 3), (3, 2), (3, 3), (4, 3)]


def played(game, *cells):
    """The last outcome after these moves."""
    outcome = next(iter(game.start()))[0]
    for cell in cells:
        outcome = next(iter(game.step(outcome.state, (cell,))))[0]
    return outcome


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (3, 2), (3, 3)])
def test_on_a_full_board_exactly_one_player_connects(rows, columns):
    game = make(f"dark-hex(rows={rows}, columns={columns})")
    for cells in itertools.product(STONES, repeat=rows * columns):
        assert game.connects(cells, 0) != game.connects(cells, 1)


def test_a_taken_cell_costs_the_turn_and_is_told_to_the_mover_alone():
    game = make("dark-hex(rows=3, columns=3)")
    outcome = played(game, "b2", "b2")
    assert outcome.observation(1).private == "taken"
    assert tuple(outcome.observation(0)) == (None, None)
    assert game.actors(outcome.state) == (0,)
    assert "b2" not in game.actions(outcome.state, 1)
    assert game.board(outcome.state, 1).text().splitlines()[1] == "2  ? b ?"


def test_nobody_sees_where_the_other_goes():
    game = make("dark-hex")
    one, other = played(game, "a1"), played(game, "b2")
    assert one.observation(1) == other.observation(1)
    assert game.board(one.state, 1) == game.board(other.state, 1)
    assert game.hidden_words(one.state, 1) == "black: a1"


def test_a_connection_wins():
    game = make("dark-hex")
    won = played(game, "b1", "b2", "a2")  # b1 touches a2, below left of it
    assert won.rewards == (1, -1)
    assert not game.actors(won.state)
    assert game.board(won.state).text().endswith("black connects top and bottom")


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns", "value"), [(2, 3, 9 / 11), (3, 2, -1 / 8)])
def test_small_boards_agree_with_another_solver(rows, columns, value):
    found = fb.solve(f"dark-hex(rows={rows}, columns={columns})", "predictive-cfr", gap=0.02)
    assert found.lower - 1e-9 <= value <= found.upper + 1e-9


@pytest.mark.parametrize("given", ["rows=1", "columns=5"])
def test_sizes_are_checked(given):
    with pytest.raises(SpecError, match="expected 2 to 4"):
        make(f"dark-hex({given})")


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_played_side_by_side_with_openspiel(rows, columns):
    pyspiel = pytest.importorskip("pyspiel")
    game, rng = make(f"dark-hex(rows={rows}, columns={columns})"), random.Random(1)
    theirs = pyspiel.load_game(f"dark_hex(num_rows={rows},num_cols={columns},gameversion=adh)")
    for _ in range(60):
        position, outcome = theirs.new_initial_state(), game.start().sample(rng)
        while not position.is_terminal():
            (mover,) = game.actors(outcome.state)
            legal = game.actions(outcome.state, mover)
            assert mover == position.current_player()
            assert [game.cells.index(cell) for cell in legal] == position.legal_actions()
            cell = rng.choice(legal)
            outcome = game.step(outcome.state, (cell,)).sample(rng)
            position.apply_action(game.cells.index(cell))
        assert not game.actors(outcome.state)
        assert list(outcome.rewards) == position.returns()
