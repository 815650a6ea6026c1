"""Nim in the open: Bouton's theorem against minimax, normal and misère."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from fogbound import forms
from fogbound.core.errors import SpecError
from fogbound.games import make
from fogbound.games.nim import Nim, mover_wins, nim_sum
from fogbound.solvers import make as solver
from tests.run import solve


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("heaps", [(4, 3), (3, 2, 1)])
def test_boutons_theorem(heaps, misere):
    """Every board below a few larger ones, whoever moves there."""
    smaller = [tuple(min(have, most) for have, most in zip(board, heaps)) for board in boards(len(heaps), max(heaps))]
    for board in {board for board in smaller if any(board)}:
        found = solve(solver("minimax"), forms.table(Nim(tuple(h for h in board if h), misere)), certified=False)
        assert found.value == (1 if mover_wins(board, misere) else -1), board


def boards(heaps, most):
    return [board[::-1] for board in combinations_with_replacement(range(most + 1), heaps)]


def test_misere_differs_only_where_all_heaps_are_of_one():
    for board in boards(3, 4):
        assert (mover_wins(board, True) == mover_wins(board)) == (max(board) > 1)


def test_the_last_object_wins_or_loses():
    for misere, paid in ((False, (1, -1)), (True, (-1, 1))):
        game = Nim((1,), misere)
        ((outcome, _),) = game.step(((1,), 0), ((1, 1),))
        assert (outcome.rewards, game.actors(outcome.state)) == (paid, ())
    assert nim_sum((3, 3)) == 0


@pytest.mark.parametrize("spec", ["nim(heaps=[])", "nim(heaps=[0, 2])", "nim(heaps=[1.5])", "nim(heaps=[101])"])
def test_heaps_that_cannot_be(spec):
    with pytest.raises(SpecError, match="expected"):
        make(spec)
