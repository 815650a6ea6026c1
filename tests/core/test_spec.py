"""Specs as people type them: by position, after a colon, by the names that other libraries use."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import fogbound as fb
from fogbound.core import SpecError
from fogbound.core.registry import parameters
from fogbound.core.spec import Spec, parse

OWN = """
from dataclasses import dataclass
from fogbound.core import Dist, Game, Outcome


@dataclass(frozen=True)
class Coin(Game):
    n: int = 2
    loud: bool = False
    players = ("caller",)

    def start(self):
        return Dist.sure(Outcome(self.n))

    def actors(self, state):
        return (0,) if state else ()

    def actions(self, state, player):
        return ("heads", "tails")

    def step(self, state, joint):
        return Dist.sure(Outcome(state - 1, (float(joint[0] == "heads"),)))


class Bot:
    def __init__(self, game, word="heads", other=0):
        self.word, self.other = word, other

    def begin(self, observation):
        return None

    def update(self, memory, action, observation):
        return None

    def act(self, memory, actions):
        return Dist.sure(self.word)
"""


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "coin.py"
    path.write_text(OWN)
    return path


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("horizon(tiger, 3)", "horizon(game=tiger, steps=3)"),
        ("horizon(tiger, steps=3)", "horizon(game=tiger, steps=3)"),
        ("horizon(tiger(false, 0.7), 3)", "horizon(game=tiger(resets=false, accuracy=0.7), steps=3)"),
        ("card-poker(3)", "card-poker(ranks=3)"),
        ("card-poker:ranks=3", "card-poker(ranks=3)"),
        ("card-poker:3", "card-poker(ranks=3)"),
        ("horizon:tiger,3", "horizon(game=tiger, steps=3)"),
        ("horizon:game=tiger,steps=3", "horizon(game=tiger, steps=3)"),
        ("kuhn(players=3)", "kuhn(seats=3)"),
        ("kuhn_poker(players=2)", "kuhn(seats=2)"),
        ("kuhn-poker:players=2", "kuhn(seats=2)"),
        ("leduc_poker", "leduc"),
        ("liars_dice:players=2", "liars-dice(seats=2)"),
        ("horizon(rps, 1)", "horizon(game=rock-paper-scissors, steps=1)"),
    ],
)
def test_what_people_type(typed, meant):
    assert str(fb.game(typed)) == str(fb.game(meant))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("horizon(tiger, 3, 4)", "3 values, but horizon takes game, steps"),
        ("horizon(tiger, game=tiger, steps=2)", "'game' is given twice"),
        ("horizon(game=tiger, 3)", "found '3' after a named one"),
        ("kuhn(players=3, seats=3)", "'seats' is given twice"),
        ("leduc(3)", "leduc takes no parameters"),
        ("leduc(players=3)", "leduc has no parameter 'players'"),
        ("card-poker(3", "the closing ')' is missing at the end"),
        ("kuhnpoker", "did you mean 'kuhn-poker'?"),
    ],
)
def test_what_cannot_be(typed, said):
    with pytest.raises(SpecError, match="^[^\n]*$") as raised:
        fb.game(typed)
    assert said in str(raised.value)


def test_positions_come_back():
    assert parse("horizon(tiger, 3)") == Spec("horizon", (), ("tiger", 3))
    assert str(parse("a(b, c=[1, x])")) == "a(b, c=[1, x])"


def test_own_classes_with_parameters_inside_others(own):
    assert fb.game(f"horizon(game={own}:Coin(n=3), steps=2)").game.n == 3
    assert fb.game(f"horizon({own}:Coin(3, loud=true), 2)").game.loud
    assert fb.game(f"turn-based(horizon({own}:Coin(3), 2))").game.game.n == 3
    assert fb.game(f"horizon:{own}:Coin,2").steps == 2
    assert fb.game(f"{own}:Coin:n=5").n == fb.game(f"{own}:Coin(5)").n == fb.game(f"{own}:Coin:5").n == 5


def test_a_folder_with_a_bracket_is_a_folder(own):
    folder = own.parent / "copy(1)"
    folder.mkdir()
    moved = own.rename(folder / "coin.py")
    assert fb.game(f"{moved}:Coin(n=3)").n == 3


def test_bots_by_position(own):
    assert fb.policy(f"{own}:Bot(tails)", f"{own}:Coin").word == "tails"
    assert fb.policy(f"{own}:Bot:other=3", f"{own}:Coin").other == 3


def test_solvers_by_position_and_colon():
    assert fb.solve("king-ace", "cfr:sampling=full", iterations=3).provenance["solver"].startswith("cfr(sampling=full")
    assert fb.policy("cfr:iterations=3", "king-ace")


def test_parameters_know_what_the_docstring_says_of_them():
    @dataclass(frozen=True)
    class Both:
        """Something.

        Parameters
        ----------
        left, right : int
            How far
            it goes.
        loud
            Whether it can be heard.

        Examples
        --------
        None of this is a parameter.
        """

        left: int = 1
        right: int = 2
        loud: bool = False
        silent: int = 0

    assert {one.name: one.about for one in parameters(Both)} == {
        "left": "How far it goes.",
        "right": "How far it goes.",
        "loud": "Whether it can be heard.",
        "silent": "",
    }
