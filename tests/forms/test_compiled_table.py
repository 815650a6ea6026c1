"""Tables by compiled rules: equal to those by the plain ones, bit for bit; states that are made when asked for."""

from __future__ import annotations

import copy
import importlib
import pickle
from dataclasses import dataclass, replace

import pytest
from numba import njit

import fogbound as fb
from fogbound.compiled.rules import rule
from fogbound.core import Dist, GameError, LimitError, Outcome
from fogbound.core.game import Game
from fogbound.forms import enumeration
from fogbound.games import GAMES
from fogbound.games.king_up.game import KingUp
from fogbound.testing import check_compiled_rules
from tests.forms.counter_rules import Counter, counter_rules
from tests.forms.counter_rules import follow as counter_follow

table_module = importlib.import_module("fogbound.forms.table")

SMALL = {
    "phantom-tic-tac-toe": [],  # no instance is small: see below
    "rock-sample": ["rock-sample", "rock-sample(size=2, rocks=2, half_distance=0.001)"],
    "pocman": ["pocman(maze=ring)"],
    "king-up": [
        "king-up(seats=2, pieces=3, targets=1, height=2, width=2, rounds=1)",
        "king-up(pieces=3, targets=1, height=2, width=2, rounds=1)",
        "king-up(seats=2, pieces=3, targets=2, height=3, width=2, rounds=1, ground=rest, rejections=2)",
    ],
    "king-up-figure": [],
}
LARGE = ["phantom-tic-tac-toe", "phantom-tic-tac-toe(abrupt=true)", "rock-sample(size=7, rocks=8)"]


def test_every_game_with_compiled_rules_is_here():
    assert {name for name in GAMES if GAMES.load(name).compiled_rules is not Game.compiled_rules} == set(SMALL)


def assert_equal(one, other):
    for name, column in one.arrays().items():
        assert column.tobytes() == other.arrays()[name].tobytes(), name
        assert column.shape == other.arrays()[name].shape
    for name in ("actor_set", "legal", "row", "out", "next", "event", "prob", "seen", "legal_size", "actor_set_size"):
        assert getattr(one, name).dtype == getattr(other, name).dtype, name
    assert list(one.states) == list(other.states)
    assert (one.actions, one.observations) == (other.actions, other.observations)


@pytest.mark.parametrize("spec", [spec for specs in SMALL.values() for spec in specs])
def test_tables_are_equal(spec):
    game = fb.game(spec)
    plain = table_module.plain_table(game, 10_000)
    assert_equal(plain, table_module.compiled_table(game, game.compiled_rules()))


@pytest.mark.slow
@pytest.mark.parametrize("spec", LARGE)
def test_large_tables_are_equal(spec):
    game = fb.game(spec)
    assert_equal(table_module.plain_table(game, 1_000_000), fb.forms.table(game))


@pytest.mark.parametrize("scale", [1, 2**40])
def test_chance_and_simultaneous_moves(scale):
    game = Counter(scale=scale)
    plain = table_module.plain_table(game, 1_000)
    assert_equal(plain, table_module.compiled_table(game, counter_rules(game)))


@dataclass(frozen=True)
class Repeating(Counter):
    """Every outcome is listed twice, and the first state may be begun from twice."""

    def start(self):
        return Dist(tuple((o, p / 2) for o, p in super().start() for _ in range(2)))

    def step(self, state, joint):
        return Dist(tuple((o, p / 2) for o, p in super().step(state, joint) for _ in range(2)))


@rule
def begin(rules, k, state, seen):
    state[0], state[1] = k // 2, k // 2 * rules.integers[0]
    seen[0] = seen[1] = 0
    return (0.25 + 0.5 * (k // 2)) / 2


@rule
def chances(rules, state, joint, places, weights):
    weights[0] = weights[1] = rules.numbers[0] / 2
    weights[2] = weights[3] = 0.375
    return 4


once = njit(counter_follow.function)


@rule
def follow(rules, state, joint, places, k, rewards, seen):
    return once(rules, state, joint, places, k // 2, rewards, seen)


def test_equal_outcomes_are_merged():
    game = Repeating()
    rules = {"begin": begin, "chances": chances, "follow": follow}
    twice = replace(counter_rules(game), beginnings=4, most_outcomes=4, **rules)
    assert_equal(table_module.plain_table(game, 1_000), table_module.compiled_table(game, twice))


def test_few_states_need_no_compiled_rules(monkeypatch):
    monkeypatch.setattr(KingUp, "compiled_rules", None)
    assert fb.forms.table(fb.game(SMALL["king-up"][0])).size == 331


def test_states_are_made_when_asked_for(monkeypatch):
    game = fb.game(SMALL["king-up"][0])
    monkeypatch.setattr(table_module, "BY_RULES", 100)
    found = fb.forms.table(game)
    plain = table_module.plain_table(game, 1_000)
    assert not isinstance(found.states, list)
    assert found.states == plain.states
    assert found.states[-1] == plain.states[-1]
    assert found.states[3:7] == plain.states[3:7]
    assert pickle.loads(pickle.dumps(found)).states == plain.states  # noqa: S301
    assert copy.deepcopy(found).states == plain.states


def test_limits_are_kept(monkeypatch):
    monkeypatch.setattr(table_module, "BY_RULES", 100)
    game = fb.game(SMALL["king-up"][0])
    assert fb.forms.table(game, limit=331).size == 331
    with pytest.raises(LimitError, match="more than 330 states"):
        fb.forms.table(game, limit=330)
    monkeypatch.setattr(enumeration, "OUTCOMES_PER_STATE", 1)
    with pytest.raises(LimitError, match="more than 400 outcomes"):
        fb.forms.table(game, limit=400)


class Paid(Counter):
    """Counter whose plain rules pay otherwise."""

    def step(self, state, joint):
        return Dist(tuple((Outcome(o.state, (1.0, 1.0), o.public), p) for o, p in super().step(state, joint)))


class Begun(Counter):
    """Counter that pays something before the first step, which compiled rules cannot."""

    def start(self):
        return Dist(tuple((Outcome(o.state, (1.0, 0.0)), p) for o, p in super().start()))


class Shifted(Counter):
    """Counter whose plain rules lead elsewhere in one state alone."""

    def step(self, state, joint):
        found = super().step(state, joint)
        if state != (2, 3):
            return found
        return Dist(tuple((Outcome((o.state[0], o.state[1] + 1), o.rewards, o.public), p) for o, p in found))


@pytest.mark.parametrize(("kind", "words"), [(Paid, "after"), (Begun, "start"), (Shifted, r"state \(2, 3\)")])
def test_compiled_rules_that_differ_are_refused(kind, words):
    with pytest.raises(GameError, match=words):
        table_module.compiled_table(kind(), counter_rules(kind()))


def test_the_contract_test_compares_whole_tables():
    with pytest.raises(GameError):
        check_compiled_rules(Shifted(), plays=0, compiled=counter_rules(Shifted()))
    assert check_compiled_rules(Shifted(), plays=0, compiled=counter_rules(Shifted()), limit=1) == 0
