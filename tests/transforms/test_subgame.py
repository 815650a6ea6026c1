"""Subgames: the rest of a game where everybody who moves knows the history, refused by name elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import fogbound as fb
from fogbound.core.errors import GameError, SpecError


def test_the_values_of_subgames_are_those_of_the_whole():
    """Zermelo: a game of perfect information is worth the best of what its subgames are worth."""
    whole = fb.solve("slide-tree", "minimax").value
    assert whole == max(fb.solve(fb.subgame("slide-tree", [a]), "minimax").value for a in ("a1", "a2", "a3"))


def test_it_is_a_spec_and_comes_back():
    game = fb.subgame("goofspiel(cards=3)", [(3, 3)])  # equal bids are seen to be equal
    assert str(fb.game(str(game))) == str(game)
    assert fb.testing.check_game(game)


@dataclass(frozen=True)
class Told(fb.Game):
    """One hides left or right; the other guesses, having seen it or not."""

    seen: bool = True
    name = "told"
    players = ("hider", "seeker")

    def start(self):
        return fb.Dist.sure(fb.Outcome(""))

    def actors(self, state):
        return ((0,), (1,), ())[len(state)]

    def actions(self, state, player):
        return ("l", "r")

    def step(self, state, joint):
        state += joint[0]
        won = float(len(state) == 2 and state[0] == state[1])
        return fb.Dist.sure(fb.Outcome(state, (-won, won), private=(None, joint[0] if self.seen else None)))


def test_who_does_not_know_the_history_is_named():
    assert fb.solve(fb.subgame(Told(), ["l"]), "minimax").value == -1
    with pytest.raises(GameError, match="seeker cannot tell this from 1 other histories"):
        fb.subgame(Told(seen=False), ["l"])
    with pytest.raises(GameError, match="third cannot tell"):
        fb.subgame("selten-horse", ["across"])
    with pytest.raises(GameError, match="cannot tell"):
        fb.subgame("card-poker(ranks=3)", [0])


@dataclass(frozen=True)
class Coin(fb.Game):
    """A coin falls, for all to see or in the dark; heads pays whoever says it."""

    dark: bool = False
    name = "coin"
    players = ("caller",)

    def start(self):
        return fb.Dist.uniform(fb.Outcome(side, public=None if self.dark else side) for side in ("heads", "tails"))

    def actors(self, state):
        return (0,) if state in ("heads", "tails") else ()

    def actions(self, state, player):
        return ("heads", "tails")

    def step(self, state, joint):
        return fb.Dist.sure(fb.Outcome("over", (float(state == joint[0]),)))


def test_chance_by_number():
    assert fb.solve(Coin(dark=True)).value == pytest.approx(0.5)
    assert [fb.solve(fb.subgame(Coin(), [k])).value for k in (0, 1)] == pytest.approx([1, 1])
    with pytest.raises(GameError, match="caller cannot tell"):
        fb.subgame(Coin(dark=True), [0])


def test_a_player_who_moves_no_more_need_not_know():
    assert fb.subgame("selten-horse", []).players == ("first", "second", "third")


@pytest.mark.parametrize(
    ("game", "history", "why"),
    [
        ("tic-tac-toe", ["a1", "a1"], "cannot do 'a1', expected one of"),
        ("rock-paper-scissors", ["rock"], "2 players move at once"),
        ("rock-paper-scissors", [("rock", "paper")], "is over after"),
        ("rock-paper-scissors", [("rock", "paper"), "rock"], "is over before"),
        ("card-poker", [], "chance has 56 outcomes in card-poker.*found nothing"),
        ("card-poker", [56], "by its number from 0 to 55"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(game, history, why):
    with pytest.raises((SpecError, GameError), match=why) as error:
        fb.subgame(game, history)
    assert "\n" not in str(error.value)
