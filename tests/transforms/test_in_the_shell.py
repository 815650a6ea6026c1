"""Games made from games as they are typed: players by name, actions in words."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.core import SpecError


def test_restrict_takes_names_of_players_and_words_of_actions():
    by_name = fb.game("restrict(king-ace, [[first, [raise]]])")
    assert str(by_name) == str(fb.game("restrict(game=king-ace, allow=[[0, [raise]]])"))
    assert str(fb.game(str(by_name))) == str(by_name)
    game = fb.game("goofspiel(cards=3)")
    state = next(iter(game.start()))[0].state
    player = game.actors(state)[0]
    kept = game.actions(state, player)[1]
    narrow = fb.game(f'restrict(goofspiel(cards=3), [[{player}, ["{game.describe(kept)}"]]])')
    assert narrow.actions(state, player) == (kept,)


def test_team_takes_names_of_players():
    team = fb.game("team(kuhn(seats=3), [player-2, player-3], called=table)")
    assert team.players == ("player-1", "table")
    assert str(team) == str(fb.game("team(game=kuhn(seats=3), members=[1, 2], called=table)"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("restrict(king-ace, [[third, [raise]]])", "expected one of 0 (first), 1 (second)"),
        ("restrict(king-ace, [[first, raise]])", "expected a list of actions: [raise]"),
        ("restrict(king-ace, [first])", "expected pairs such as [[first, [an action]]]"),
        ("team(king-ace, [second, first])", "expected some of 0 (first), 1 (second), in this order"),
        ("team(king-ace, [third])", "expected some of 0 (first), 1 (second)"),
        ("team(king-ace, [])", "nobody"),
    ],
)
def test_what_cannot_be_says_what_can(spec, said):
    with pytest.raises(SpecError) as raised:
        fb.game(spec)
    assert said in str(raised.value)
