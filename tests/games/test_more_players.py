"""Kuhn poker and liar's dice for more players and dice, held to counts and to their two-player selves."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import comb

import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import SpecError
from fogbound.games import make


@pytest.mark.parametrize(("seats", "ways"), [(2, 5), (3, 13), (4, 33)])
def test_kuhn_has_as_many_ways_to_bet_as_there_are(seats, ways):
    """All check, or one of n bets and each of the others answers: 1 + n 2^(n-1)."""
    tree = forms.tree(make(f"kuhn(seats={seats})"))
    deals = len(list(permutations(range(seats + 1), seats)))
    assert ways == 1 + seats * 2 ** (seats - 1)
    sets = (seats + 1) * (ways - 1) // seats  # cards by what may have been said before a player's turn
    words = " + ".join([str(sets)] * seats)
    assert tree.describe() == f"tree, {1 + deals * (2 * ways - 1):,} nodes, {words} information sets"


def test_kuhn_for_two_is_kuhns():
    kuhn, poker = (fb.solve(spec, "sequence-lp") for spec in ("kuhn(seats=2)", "card-poker(ranks=3)"))
    assert kuhn.value == pytest.approx(poker.value) == pytest.approx(-1 / 18)


def test_kuhn_alone_is_for_two():
    assert [str(fb.game(name)) for name in ("kuhn", "kuhn-poker", "kuhn_poker")] == ["kuhn(seats=2)"] * 3


@pytest.mark.parametrize("solver", ["dcfr", "predictive-cfr"])
def test_an_equilibrium_of_three_player_kuhn(solver):
    """In the family of Szafron, Gibson and Sturtevant (2013) in which the first never bets (their c11 = 0).

    The second gets -1/48, the first -1/48 - beta/24 and the third the rest, where beta is how often the second bets a
    check with its lowest cards (the larger of their b11 and b21): the second passes coins from the first to the third.
    """
    game = make("kuhn(seats=3)")
    found = fb.solve(game, solver, iterations=4_000, gap=0)
    assert found.gap < 1e-5
    first, second, third = fb.evaluation.value(game, found.profile)
    assert second == pytest.approx(-1 / 48, abs=1e-5)
    assert first <= -1 / 48 + 1e-5
    assert first + second + third == pytest.approx(0, abs=1e-12)
    begins, follows = found.policy(0), found.policy(1)
    for card in (1, 2, 3, 4):
        assert begins.act(begins.begin(fb.Observation(None, card)), ("check", "bet"))["bet"] < 1e-4
    after_a_check = [
        follows.update(follows.begin(fb.Observation(None, card)), None, fb.Observation("check", None))
        for card in (1, 2)
    ]
    beta = max(follows.act(memory, ("check", "bet"))["bet"] for memory in after_a_check)
    assert first == pytest.approx(-1 / 48 - beta / 24, abs=1e-5)


@pytest.mark.parametrize(
    ("done", "cards", "paid"),
    [
        (("check", "check", "check"), (1, 4, 2), (-1, 2, -1)),
        (("bet", "fold", "fold"), (1, 4, 2), (2, -1, -1)),
        (("check", "bet", "call", "fold"), (4, 2, 3), (-1, -2, 3)),
        (("check", "check", "bet", "call", "call"), (4, 2, 3), (4, -2, -2)),
    ],
)
def test_a_hand_of_kuhn(done, cards, paid):
    game = make("kuhn(seats=3)")
    state, rewards = (cards, ""), ()
    for turn, action in enumerate(done):
        assert game.actors(state) == (turn % 3,)
        assert action in game.actions(state, turn % 3)
        ((outcome, _),) = game.step(state, (action,)).pairs
        state, rewards = outcome.state, outcome.rewards
    assert game.actors(state) == ()
    assert rewards == paid


@pytest.mark.parametrize(("sides", "dice", "seats"), [(6, 1, 2), (3, 2, 2), (2, 3, 2), (3, 1, 3), (2, 2, 3)])
def test_rolls_of_liars_dice(sides, dice, seats):
    """Hands in order of size are as likely as all the ways to roll them, and as many as there are multisets."""
    game = make(f"liars-dice(sides={sides}, dice={dice}, seats={seats})")
    start = game.start()
    assert len(start) == comb(sides + dice - 1, dice) ** seats
    assert start.fault() is None
    rolled = Counter(tuple(sorted(hand)) for hand in product(range(1, sides + 1), repeat=dice))
    for outcome, p in start:
        hands = [(hand,) if isinstance(hand, int) else hand for hand in outcome.private]
        expected = 1.0
        for hand in hands:
            expected *= rolled[hand] / sides**dice
        assert p == pytest.approx(expected)


def test_who_pays_whom_in_liars_dice():
    game = make("liars-dice(sides=6, dice=2, seats=3)")
    hands = ((1, 2), (2, 6), (3, 4))
    assert game.holds(hands, (3, 2))  # two twos and the wild six
    assert not game.holds(hands, (3, 3))
    for bid, paid in (((3, 2), (0, 1, -1)), ((3, 3), (0, -1, 1))):
        ((outcome, _),) = game.step((hands, bid, 2), ("liar",)).pairs  # the third calls what the second bid
        assert outcome.rewards == paid
    assert game.actions((hands, (6, 6), 0), 0) == ("liar",)
    assert len(game.actions((hands, (0, 0), 0), 0)) == 36


@pytest.mark.parametrize(("spec", "value"), [("sides=2", 0.5), ("sides=3", 1 / 9), ("sides=2, dice=2", 0.875)])
def test_values_of_small_liars_dice(spec, value):
    """One die each as before; with two coins each by an exact rational check of the certificate."""
    found = fb.solve(f"liars-dice({spec})", "sequence-lp")
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.certified == "both"


@pytest.mark.parametrize(
    "spec",
    ["kuhn(seats=1)", "kuhn(seats=11)", "liars-dice(dice=0)", "liars-dice(seats=1)", "liars-dice(dice=9, seats=9)"],
)
def test_what_cannot_be_played_is_refused(spec):
    with pytest.raises(SpecError):
        make(spec)


@pytest.mark.parametrize(
    "spec", ["kuhn(seats=3)", "liars-dice(sides=2, seats=3)", "liars-dice(sides=2, dice=2, seats=3)"]
)
def test_the_tree_and_the_table_agree_for_three(spec):
    """What random play earns: by the sequence form, and by a linear system over states and memories."""
    game, uniform = make(spec), fb.policies.Uniform()
    form = forms.sequence(game)
    by_tree = fb.evaluation.expected(form, [plex.uniform for plex in form.plexes])
    assert fb.arena.exact(game, [uniform] * 3).returns == pytest.approx(tuple(by_tree), abs=1e-12)
    assert sum(by_tree) == pytest.approx(0, abs=1e-12)
