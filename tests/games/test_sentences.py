"""Every shipped game says its states, actions and observations in words that a person can read."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import product

import pytest

import fogbound as fb
from fogbound.core.game import AnyGame, Observation, Outcome
from fogbound.games import GAMES, make

MOST_STATES, MOST_JOINT = 150, 24
MORE = [
    "kuhn(seats=3)",
    "liars-dice(sides=2, dice=2, seats=3)",
    "phantom-tic-tac-toe(abrupt=true)",
    "battleship(rows=1, columns=3, ships=[1, 1])",
    "stratego(deal=random, most=3)",
    "tiger(resets=false)",
    "scotland-yard(map=12, tickets=[4, 2, 1])",
    "pursuit(reveal=2)",
    "repeated(memory=true)",
    "random-markov(ends=0.1, ragged=true)",
    "king-up(seats=2, pieces=3, targets=2, height=2, rounds=1)",
    "nim(heaps=[2, 1], misere=true)",
]
SPECS = [*GAMES, *MORE]
SLUG = re.compile(r"[A-Za-z]{2,}-[A-Za-z]|_|`")
REPR = re.compile(r"['\"\[\]{}<>]|\(\)|None|\b\w+\(\w*=|^\(.*\)$|\(\s*-?[\d.]+\s*,")
APOSTROPHE = re.compile(r"(?<=\w)'s?\b|(?<=s)'")


def walked(game: AnyGame) -> Iterator[Outcome]:
    """Outcomes of a game, each state followed once, in an order that a seed draws, up to a limit of states."""
    rng = random.Random(3)
    waiting, seen = [outcome for outcome, _ in game.start()][:MOST_STATES], set()
    yield from waiting
    rng.shuffle(waiting)
    while waiting and len(seen) < MOST_STATES:
        state = waiting.pop(rng.randrange(len(waiting))).state
        actors = game.actors(state)
        if state in seen or not actors:
            continue
        seen.add(state)
        joints = list(product(*(game.actions(state, player) for player in actors)))
        for joint in rng.sample(joints, min(len(joints), MOST_JOINT)):
            after = [outcome for outcome, p in game.step(state, joint) if p > 0]
            yield from after
            waiting += after


def said(game: AnyGame) -> Iterator[tuple[str, object, str]]:
    """(What kind of value, the value, its words) for all that is met."""
    for outcome in walked(game):
        yield "state", outcome.state, game.describe_state(outcome.state)
        if outcome.public is not None:
            yield "public", outcome.public, game.describe_public(outcome.public)
        for player, private in enumerate(outcome.private):
            if private is not None:
                yield f"private of {player}", private, game.describe_private(private, player)
        for player in game.actors(outcome.state):
            for action in list(game.actions(outcome.state, player))[:MOST_JOINT]:
                yield f"action of {player}", action, game.describe(action)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("spec", SPECS)
def test_sentences(spec):
    """Words without slugs or values of Python, which differ where the values do."""
    game, values, words = make(spec), {}, {}
    for kind, value, text in said(game):
        plain = APOSTROPHE.sub("", text)
        assert text == text.strip(), (kind, value)
        assert text, (kind, value)
        assert not SLUG.search(plain), (kind, value, text)
        assert not REPR.search(plain), (kind, value, text)
        assert not (isinstance(value, tuple) and text == str(value)), (kind, value)
        assert game.name not in text or "-" not in game.name, (kind, value, text)
        assert values.setdefault((kind, value), text) == text
        assert words.setdefault((kind, text), value) == value, (kind, text)
    assert {kind for kind, *_ in values}, spec


@pytest.mark.parametrize("spec", SPECS)
def test_states_are_told_in_sentences(spec):
    """The first state and the players have words of their own, not those of the default."""
    game = make(spec)
    state = next(iter(game.start()))[0].state
    assert re.search(r"[a-z]{2,} ", game.describe_state(state)), game.describe_state(state)
    assert len(game.players) == len(set(game.player_titles)) > 0
    assert not any(SLUG.search(name) for name in game.player_titles)


def test_observation_parts_are_joined():
    game = make("po-nim")
    assert game.describe_observation(Observation(None, 3), 0) == "a heap of 3"
    assert game.describe_observation(Observation("failed", None), 0) == "the move failed"
    assert game.describe_observation(Observation(None, None), 0) == "·"


def test_sentences_of_a_few_games():
    leduc, tiger = make("leduc"), make("tiger")
    dealt = next(iter(leduc.start()))[0]
    assert leduc.describe_state(dealt.state).startswith("first holds the jack of spades, second the jack of hearts; ")
    assert leduc.describe_public(("call", "Qh")) == "call, and the public card is the queen of hearts"
    assert tiger.describe_state("left") == "the tiger is behind the left door"
    assert tiger.describe_public("growl-left") == "a growl from the left"
    assert make("nim(heaps=[3, 4, 5])").describe_state(((3, 4, 5), 0)) == "heaps of 3, 4 and 5; first to move"


def test_transforms_hand_sentences_on():
    seen = Observation("growl-left", None)
    cut = fb.game("horizon(game=tiger, steps=2)")
    assert cut.title == "Tiger, at most 2 steps"
    assert cut.describe_state((1, "left")) == "the tiger is behind the left door; 1 step left"
    assert cut.describe_observation(seen, 0) == "a growl from the left"
    turns = fb.game("turn-based(rock-paper-scissors)")
    assert turns.describe_state(((), ("rock",))) == "both throw at once; first has chosen rock"
    assert turns.describe_private((None, True), 0) == "a move to make"
    team = fb.game("team(king-ace, [first, second])")
    assert team.describe_private(("A", "K"), 0) == "first: an ace; second: a king"
    for spec in ("restrict(leduc, [[first, [check, fold]]])", "opposed(kuhn, 1)", "subgame(tic-tac-toe, [a1])"):
        game = fb.game(spec)
        for outcome, _ in game.start():
            assert game.describe_state(outcome.state) == game.game.describe_state(outcome.state)
            for player, private in enumerate(outcome.private):
                assert game.describe_private(private, player) == game.game.describe_private(private, player)


def test_games_from_files_use_the_labels_of_the_file(tmp_path):
    fb.convert("king-ace", tmp_path / "poker.efg")
    tree = fb.game(tmp_path / "poker.efg")
    first = next(iter(tree.start()))[0]
    assert tree.title == "king-ace"
    assert tree.describe_private(first.private[0], 0) == first.private[0]
    assert tree.describe_state(first.state).startswith(f"{first.private[0]}, node ")
    fb.convert("tiger", tmp_path / "tiger.pomdp")
    model = fb.game(tmp_path / "tiger.pomdp")
    states = {outcome.state for outcome, _ in model.start()}
    assert {model.describe_state(state) for state in states} == states
