"""Titles of specs: the record's, with the spec's parameters, and without making a game of any size."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.games import GAMES
from fogbound.naming.titles import game_titles, spec_title

SPECS = [
    *GAMES,
    "card-poker(ranks=5)",
    "card_poker(5)",
    "rps",
    "horizon(game=tiger, steps=3)",
    "horizon(team(kuhn(seats=3), [0, 1]), 2)",
    "opposed(leduc, 1)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_the_title_of_a_spec_is_that_of_its_game(spec):
    assert spec_title(spec) == fb.game(spec).title


@pytest.mark.parametrize(
    "text", ["", "nothing-of-ours", "file:1234", "my_game.py:MyGame", "horizon", "tiger(", "horizon(3, 4)", "a b"]
)
def test_what_has_no_title_stays_as_it_is(text):
    assert spec_title(text) == text


def test_nothing_is_made_for_a_title():
    assert spec_title("goofspiel(cards=100000000)") == "Goofspiel"
    assert spec_title("card-poker(ranks=-1)") == "-1-card poker"


def test_titles_tell_games_apart():
    titles = game_titles()
    assert list(titles) == list(GAMES)
    assert len(set(titles.values())) == len(titles)
