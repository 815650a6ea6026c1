"""King Up's compiled rules say what the plain ones say, everywhere; `check_compiled_rules` finds what is planted."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fogbound.compiled import asking
from fogbound.compiled.kernel import kernel
from fogbound.compiled.rules import Rules, rule
from fogbound.core import GameError, SpecError
from fogbound.games import make
from fogbound.games.king_up import kernels
from fogbound.games.king_up.positions import FIGURES, position
from fogbound.testing import check_compiled_rules

SPECS = [
    "king-up",
    "king-up(setting=full)",
    "king-up(setting=full, seats=4)",
    *[f"king-up(seats={seats})" for seats in (2, 4, 5, 6)],
    "king-up(lists=any, targets=2, pieces=5, rounds=1)",
    "king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1, rejections=2)",
    "king-up(seats=2, pieces=5, targets=2, height=3, width=2, rounds=1, ground=rest, rejections=2)",
    "king-up(top=0.1, bonus=0.7, unit=3)",
    "king-up(rejections=0, top=0, bonus=0)",
    "king-up-figure(figure=5, mover=third)",
]
LARGEST = "king-up(seats=2, pieces=26, targets=13, height=26, width=1, rounds=13, rejections=26)"


@pytest.mark.parametrize("spec", SPECS)
def test_compiled_and_plain_rules_play_alike(spec):
    assert check_compiled_rules(make(spec), plays=2, seed=3) >= 10


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*SPECS, "king-up(setting=full, seats=5)", LARGEST])
def test_compiled_and_plain_rules_play_alike_in_many_games(spec):
    assert check_compiled_rules(make(spec), plays=15, seed=4) > 100


def test_listing_and_making_the_game_compiles_nothing():
    code = """import sys; from fogbound.games import GAMES, make; make("king-up").start(); set(map(GAMES.load, GAMES))
assert "numba" not in sys.modules"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("figure", FIGURES)
def test_positions_are_rows(figure):
    game = make("king-up")
    compiled, state = game.compiled_rules(), position(game, figure, 1)
    assert compiled.state(compiled.state_row(state)) == state


def test_lists_that_are_never_dealt_are_no_row():
    compiled = make("king-up").compiled_rules()
    with pytest.raises(GameError, match="none of the 210 that are dealt"):
        compiled.state_row((("ABCE", "BCDE", "CDEF"), (0,) * 7, (1, 1, 1), 0, 0))


@kernel
def play_games(begin, play_out, rules, room, beginnings, games, left):
    """Random games one after the other from beginnings in turn, what they pay added up: how many steps they took."""
    steps = 0
    for game in range(games):
        begin(rules, game % beginnings, room.state, room.seen)
        steps += play_out(rules, room.state, room.random, left, room.returns)
    return steps


def test_random_games_pay_what_random_play_is_worth():
    """10.921919 in every seat, found exactly elsewhere; the standard error of 200,000 games is about .01."""
    compiled = make("king-up").compiled_rules()
    room = asking.step_arrays(compiled)
    room.random[0] = 7
    games = 200_000
    play_games(compiled.begin, compiled.play_out, compiled.rules, room, compiled.beginnings, games, 1_000)
    assert room.returns / games * 50 == pytest.approx(10.921919, abs=0.06)


# What is planted.


def changed(compiled, integers=None, numbers=None):
    """The compiled rules with some numbers of its rules changed."""
    columns = compiled.rules.integers.copy(), compiled.rules.numbers.copy()
    for column, changes in zip(columns, (integers, numbers)):
        for place, number in (changes or {}).items():
            column[place] = number
    return replace(compiled, rules=Rules(*columns))


def saying(compiled, **other):
    """The compiled rules with other words for some numbers."""
    words = {
        name: getattr(compiled, name) for name in ("action", "action_code", "observation_code", "state", "state_row")
    }
    return replace(compiled, words=SimpleNamespace(**words | other))


def alike(compiled):
    """All lists are ABCD."""
    first = compiled.rules.integers[kernels.LISTS]
    return changed(compiled, dict.fromkeys(range(first, len(compiled.rules.integers)), 15))


FLAWS = {
    "width": (lambda compiled: changed(compiled, {kernels.WIDTH: 2}), "legal actions"),
    "rest": (lambda compiled: changed(compiled, {kernels.REST: 1}), "legal actions"),
    "cards": (lambda compiled: changed(compiled, {kernels.FIRST + kernels.CARDS: 2}), "the state"),
    "left": (lambda compiled: changed(compiled, {kernels.FIRST + kernels.LEFT: 3}), "the state"),
    "lists": (lambda compiled: alike(compiled), "the code of"),
    "top": (lambda compiled: changed(compiled, numbers={kernels.TOP: 11.0}), "rewards"),
    "bonus": (lambda compiled: changed(compiled, numbers={kernels.BONUS: 10.0}), "rewards"),
    "unit": (lambda compiled: changed(compiled, numbers={kernels.UNIT: np.nextafter(50.0, 51.0)}), "rewards"),
    "deals": (lambda compiled: changed(compiled, numbers={kernels.CHANCE: 1 / 211}), "the probability"),
    "beginnings": (lambda compiled: replace(compiled, beginnings=209), "number of beginnings"),
    "players": (lambda compiled: replace(compiled, players=("first", "third", "second")), "players"),
    "action": (lambda compiled: saying(compiled, action=lambda code: compiled.action(code ^ 1)), "legal actions"),
    "code": (
        lambda compiled: saying(compiled, action_code=lambda word: compiled.action_code(word) ^ 1),
        "codes of actions",
    ),
    "seen": (lambda compiled: saying(compiled, observation_code=lambda player, seen: 0), "the code of"),
    "row": (lambda compiled: saying(compiled, state_row=lambda state: compiled.state_row(state)[::-1]), "row"),
}


@pytest.mark.parametrize(("plant", "words"), FLAWS.values(), ids=FLAWS)
def test_planted_errors_are_found(plant, words):
    game = make("king-up(targets=2)")
    with pytest.raises(GameError, match=words) as caught:
        check_compiled_rules(game, plays=20, compiled=plant(game.compiled_rules()))
    assert "\n" not in str(caught.value)


@rule
def play_out(rules, state, random, left, returns):
    """Ends at once."""
    for word in range(len(state)):
        state[word] = 0
    return left * 0


@rule
def follow(rules, state, joint, places, k, rewards, seen):
    """Nothing happens, and nothing is seen."""
    for player in range(len(rewards)):
        rewards[player], seen[player] = 0.0, 0
    return k


@pytest.mark.parametrize(("flaw", "words"), [({"play_out": play_out}, "playing on"), ({"follow": follow}, "the state")])
def test_planted_rules_are_found(flaw, words):
    game = make("king-up")
    with pytest.raises(GameError, match=words):
        check_compiled_rules(game, plays=3, compiled=replace(game.compiled_rules(), **flaw))


def test_two_observations_of_one_code_are_found():
    """Words that agree with the compiled rules do not save a code that stands for two things."""
    game = make("king-up")
    compiled = alike(game.compiled_rules())
    agreeing = saying(
        compiled,
        observation_code=lambda player, seen: (
            kernels.LIST + 15 if seen.private is not None else compiled.observation_code(player, seen)
        ),
    )
    with pytest.raises(GameError, match="what code 4111 stands for"):
        check_compiled_rules(game, plays=20, compiled=agreeing)


def test_a_game_without_compiled_rules_is_refused():
    with pytest.raises(SpecError, match="has no compiled rules"):
        check_compiled_rules(make("tiger"))
