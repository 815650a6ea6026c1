"""Phantom tic-tac-toe has the rules of OpenSpiel's, in both versions: played side by side."""

from __future__ import annotations

import random

import pytest

from fogbound.games import make
from fogbound.games.tic_tac_toe import SQUARES


@pytest.mark.parametrize("abrupt", [False, True], ids=["classical", "abrupt"])
def test_played_side_by_side(abrupt, pyspiel):
    game, rng = make(f"phantom-tic-tac-toe(abrupt={str(abrupt).lower()})"), random.Random(1)
    version = "abrupt" if abrupt else "classical"
    theirs = pyspiel.load_game(f"phantom_ttt(obstype=reveal-numturns,gameversion={version})")
    for _ in range(100):
        position, outcome = theirs.new_initial_state(), game.start().sample(rng)
        while not position.is_terminal():
            (mover,) = game.actors(outcome.state)
            legal = game.actions(outcome.state, mover)
            assert mover == position.current_player()
            assert [SQUARES.index(square) for square in legal] == position.legal_actions()
            square = rng.choice(legal)
            outcome = game.step(outcome.state, (square,)).sample(rng)
            position.apply_action(SQUARES.index(square))
        assert not game.actors(outcome.state)
        assert list(outcome.rewards or (0, 0)) == position.returns()
