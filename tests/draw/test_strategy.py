"""Pictures of strategies: a grid where the game is poker-shaped, a list elsewhere."""

from __future__ import annotations

import pytest

from fogbound.draw import strategy
from fogbound.draw.strategy.choices import as_grid, information_set_choices, move_colours
from tests.draw.made import checked, marked, solved, uniform, words_in


@pytest.mark.parametrize(
    "spec", ["card-poker(ranks=8)", "king-ace", "goofspiel(cards=3)", "nasty", "liars-dice(sides=2)"]
)
@pytest.mark.parametrize("player", [0, 1])
def test_every_information_set_is_drawn(spec, player):
    policy = uniform(spec, player)
    root = checked(strategy(policy, most=1000))
    assert marked(root, "data-set") == set(policy.decisions.sets_of(player).tolist())


def test_poker_becomes_a_grid_with_its_numbers():
    policy = solved("card-poker(ranks=8)").profile[0]
    shape = as_grid(policy, information_set_choices(policy))
    assert shape is not None
    assert shape.columns == tuple(range(1, 9))
    assert [len(row.cells) for row in shape.rows] == [8, 8]
    said = words_in(checked(strategy(policy)))
    assert {"at the start", "check → bet", "bet", "call", "0.75"} <= set(said)


def test_what_own_play_rules_out_is_hatched_not_numbered():
    policy = solved("card-poker(ranks=8)").profile[0]
    silent = sum(not c.reached for c in information_set_choices(policy))
    assert silent > 0
    assert words_in(checked(strategy(policy))).count("not reached") == silent
    assert strategy(policy).text.count("·") == silent + 1


def test_leduc_is_a_grid_with_a_bar_for_each_move():
    policy = uniform("leduc", 1)
    shape = as_grid(policy, information_set_choices(policy))
    assert shape is not None
    assert shape.columns == ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
    picture = strategy(policy, most=7)
    said = words_in(checked(picture))
    assert f"… {len(shape.rows) - 7} more rows" in said
    assert "–" in said  # the table's card cannot be held
    assert {"fold", "call", "raise", "0.33"} <= set(said)


def test_a_list_marks_what_is_not_reached_and_puts_it_last():
    policy = solved("goofspiel(cards=3)").profile[0]
    reached = [c.reached for c in information_set_choices(policy)]
    assert reached == sorted(reached, reverse=True)
    assert not all(reached)
    assert words_in(checked(strategy(policy))).count("not reached") == reached.count(False)


@pytest.mark.parametrize("most", [1, 3])
def test_a_cut_list_says_so(most):
    policy = uniform("goofspiel(cards=3)", 0)
    assert as_grid(policy, information_set_choices(policy)) is None
    missing = f"… {len(information_set_choices(policy)) - most} more"
    assert missing in words_in(checked(strategy(policy, most=most)))
    assert missing in strategy(policy, most=most).text


def test_text_is_aligned():
    lines = strategy(solved("card-poker(ranks=8)"), player=1).text.splitlines()
    assert lines[0] == "card-poker(ranks=8): how dealer plays: 16 information sets"
    assert lines[2].split()[:4] == ["seen", "by", "all", "move"]
    assert len({len(line) for line in lines[2:5]}) == 1
    listed = strategy(uniform("goofspiel(cards=3)", 0), describe=lambda card: f"card {card}").text
    assert "at the start" in listed
    assert "card 1 0.33, card 2 0.33, card 3 0.33" in listed


def test_moves_of_one_menu_never_share_a_colour():
    tones = move_colours([("check", "bet"), ("fold", "call", "raise"), ("fold", "call")])
    assert tones["check"] == tones["fold"]
    assert tones["bet"] == tones["call"]
    assert len({tones["fold"], tones["call"], tones["raise"]}) == 3


def test_same_bytes():
    policy = solved("card-poker(ranks=8)").profile[1]
    assert strategy(policy) == strategy(policy)
    assert strategy(policy).text == strategy(policy).text
