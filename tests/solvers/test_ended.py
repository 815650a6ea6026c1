"""Games that are over before anybody moves: every solver has an answer, or says why it has none."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import fogbound as fb
from fogbound.core import Dist, FileError, FormError, Game, Outcome


@dataclass(frozen=True)
class Ended(Game):
    """Everybody is paid, and that is all."""

    seats: int = 2

    @property
    def players(self):
        return tuple(f"player-{i}" for i in range(self.seats))

    def start(self):
        return Dist.sure(Outcome("over", (3.0, -3.0, 0.0)[: self.seats]))

    def actors(self, state):
        return ()

    def actions(self, state, player):
        raise AssertionError("nobody moves")

    def step(self, state, joint):
        raise AssertionError("nobody moves")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seats", [1, 2, 3])
@pytest.mark.parametrize("name", [entry.name for entry in fb.solvers()])
def test_a_game_that_is_over_at_the_start_has_its_value(name, seats):
    game = Ended(seats)
    alone = seats == 1 or fb.solver(name).form.against == "nothing"
    try:
        found = fb.solve(game, name, against=None if alone else "uniform", iterations=20)
    except FormError as error:
        assert any(why in str(error) for why in ("player", "over before the first step", "play can end"))  # noqa: PT017
        return
    assert found.value == 3.0
    assert found.lower <= 3.0 <= found.upper
    try:
        assert fb.verify(found, game)
    except FileError as error:
        assert "no certificate" in str(error)  # noqa: PT017
