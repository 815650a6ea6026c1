"""Vectorised rules make the table of the plain rules, to the bit, and what does not fit is named."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import GameError, LimitError
from fogbound.forms.table import vector_table
from fogbound.forms.vector_rules import ManyOutcomes, VectorRules

PLACES = ("low", "high")


@dataclass(frozen=True)
class Race(fb.Game):
    """Two tokens on a line: first together, then in turns; slips make outcomes equal, and a last step ends it."""

    length: int = 7
    fault: str = ""
    players = ("one", "two")
    discount = 0.9

    def start(self):
        return fb.Dist.of({fb.Outcome((0, 0, 0)): 0.25, fb.Outcome((1, 0, 0), private=("ahead", None)): 0.75})

    def actors(self, state):
        one, two, turn = state
        return () if max(one, two) >= self.length else (0, 1) if turn == 0 else (1,)

    def actions(self, state, player):
        return ("go", "stay") if state[2] == 0 else ("go", "swap", "stay")

    def step(self, state, joint):
        one, two, turn = state
        pairs = []
        for slip, p in ((0, 0.1), (1, 0.6), (0, 0.2), (2, 0.1)):
            if turn == 0:
                after = (one + slip * (joint[0] == "go"), two + slip * (joint[1] == "go"), 1)
            else:
                after = (two, one, 0) if joint == ("swap",) else (one, two + slip * (joint == ("go",)), 0)
            paid = (float(after[0] - after[1]), 0.5 * slip) if turn else ()
            place = PLACES[int(after[0] > 3)]
            pairs.append((fb.Outcome(after, paid, public=slip, private=(place, None)), p))
        return fb.Dist.of(pairs)

    def vector_rules(self):
        return RaceRules(self)


class RaceRules(VectorRules):
    decisions = ({}, {0: ("go", "stay"), 1: ("go", "stay")}, {1: ("go", "swap", "stay")})

    def __init__(self, game):
        self.game = game

    def state_row(self, state):
        return state

    def state(self, row):
        return row

    def private(self, player, code):
        return PLACES[code]

    def decision_of(self, states):
        return np.where(states[:, :2].max(axis=1) >= self.game.length, 0, 1 + states[:, 2])

    def step_many(self, states, joint):
        one, two, turn = states.T
        first, found = bool(turn[0] == 0), []
        for slip, p in ((0, 0.1), (1, 0.6), (0, 0.2), (2, 0.1)):
            if first:
                after = np.column_stack([one + slip * (joint[0] == "go"), two + slip * (joint[1] == "go"), 1 - turn])
            elif joint == ("swap",):
                after = np.column_stack([two, one, turn - 1])
            else:
                after = np.column_stack([one, two + slip * (joint == ("go",)), turn - 1])
            paid = () if first else np.column_stack([after[:, 0] - after[:, 1], np.full(len(after), 0.5 * slip)])
            seen = (after[:, 0] > 3).astype(int)
            found.append(ManyOutcomes(after, p, paid, public=slip, private=(seen, None)))
        return self.spoiled(found)

    def spoiled(self, found):
        match self.game.fault:
            case "probability":
                return [replace(found[0], probability=0.2), *found[1:]]
            case "negative":
                return [replace(found[0], probability=-0.1), *found[1:]]
            case "reward":
                return [*found[:-1], replace(found[-1], rewards=(7.0, 7.0))]
            case "state":
                return [replace(found[0], states=np.asarray(found[0].states) * 0.5), *found[1:]]
            case "shape":
                return [replace(found[0], rewards=np.zeros((2, 3))), *found[1:]]
            case "raises":
                raise ZeroDivisionError("oh")
        return found


def test_the_tables_are_the_same_to_the_bit():
    assert fb.testing.check_vector_rules(Race()) > 50


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("probability", r"probabilities that do not sum to 1, in step_many at state \(0, 0, 0\)"),
        ("negative", r"a probability below 0, in step_many at state"),
        ("state", "states after .* are float64, expected whole numbers"),
        ("shape", r"rewards after .* have shape \(2, 3\), expected"),
        ("raises", "vector_rules raised ZeroDivisionError"),
        ("reward", "the vectorised rules"),
    ],
)
def test_what_does_not_fit_is_named(fault, words):
    with pytest.raises(GameError, match=words):
        fb.testing.check_vector_rules(Race(fault=fault))


def test_a_large_game_is_enumerated_by_them(monkeypatch):
    monkeypatch.setattr(sys.modules["fogbound.forms.table"], "BY_RULES", 50)
    asked = []
    monkeypatch.setattr(Race, "step", lambda self, *given, step=Race.step: asked.append(given) or step(self, *given))
    table = fb.forms.table(Race(length=20))
    assert len(asked) < len(table.out) / 2
    with pytest.raises(LimitError, match="more than 60 states"):
        vector_table(Race(length=20), Race(length=20).vector_rules(), 60)


def test_check_and_solvers_take_it(monkeypatch):
    monkeypatch.setattr(sys.modules["fogbound.forms.table"], "BY_RULES", 20)
    assert "every state and action enumerates" in str(fb.check(Race()))
