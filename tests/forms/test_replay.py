"""Rules that change their mind are found when a game is enumerated, not certified."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field

import pytest

import fogbound as fb
from fogbound.core import Dist, Game, GameError, Outcome
from fogbound.forms.replay import SAMPLE


class Pile:
    """A heap of matches that anybody may alter."""

    def __init__(self, matches: int) -> None:
        self.matches = matches

    def __hash__(self) -> int:
        return hash(self.matches)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pile) and self.matches == other.matches

    def __repr__(self) -> str:
        return f"Pile({self.matches})"


@dataclass(frozen=True)
class Matches(Game):
    """Take one or two; who takes the last one wins. Subclasses get the rules wrong."""

    players = ("first", "second")

    def start(self):
        return Dist.sure(Outcome((5, 0)))

    def actors(self, state):
        return (state[1],) if state[0] else ()

    def actions(self, state, player):
        return tuple(range(1, min(2, state[0]) + 1))

    def step(self, state, joint):
        left, mover = state[0] - joint[0], state[1]
        rewards = () if left else ((1.0, -1.0), (-1.0, 1.0))[mover]
        return Dist.sure(Outcome((left, 1 - mover), rewards, public=joint[0]))


class Altering(Matches):
    """Takes matches from the very heap that it was given."""

    def start(self):
        return Dist.sure(Outcome(Pile(5)))

    def actors(self, state):
        return (state.matches % 2,) if state.matches > 0 else ()

    def actions(self, state, player):
        return (1, 2)

    def step(self, state, joint):
        state.matches -= joint[0]
        return Dist.sure(Outcome(state, (1.0, -1.0) if state.matches <= 0 else (), public=joint[0]))


class Unnoticed(Altering):
    """Alters a state whose hash does not tell, and which is always the same object."""

    heap = type("Heap", (Pile,), {"__hash__": lambda self: 1})(50)

    def start(self):
        return Dist.sure(Outcome(self.heap))

    def step(self, state, joint):
        state.matches -= joint[0]
        return Dist.sure(Outcome(state, public=joint[0]))


class Drawing(Matches):
    """Pays by a die that is thrown inside the rules."""

    def step(self, state, joint):
        outcome = super().step(state, joint).pairs[0][0]
        return Dist.sure(Outcome(outcome.state, (random.Random().random(), 0.0), outcome.public))


@dataclass(frozen=True)
class Counting(Matches):
    """Every 30th question is answered otherwise."""

    asked: itertools.count = field(default_factory=itertools.count)

    def step(self, state, joint):
        outcome = super().step(state, joint).pairs[0][0]
        return Dist.sure(Outcome(outcome.state, (float(next(self.asked) >= 30), 0.0), outcome.public))


class Redealing(Matches):
    """A start that is not a distribution but a draw from one."""

    seeds = itertools.count()

    def start(self):
        return Dist.sure(Outcome((5, 0), (float(next(self.seeds)), 0.0)))


class Wavering(Matches):
    """Offers its actions in an order that changes."""

    asked = itertools.count()

    def actions(self, state, player):
        legal = super().actions(state, player)
        return legal if next(self.asked) < 10 else legal[::-1]


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Altering(), "alter"),
        (Unnoticed(), "alter"),
        (Drawing(), "step"),
        (Counting(), "step"),
        (Redealing(), "start()"),
        (Wavering(), "actions"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Game) else "",
)
def test_no_answer_about_rules_that_change(game, words):
    with pytest.raises(GameError) as caught:
        fb.solve(game, "sequence-lp")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_state_is_named():
    with pytest.raises(GameError, match=r"Pile\("):
        fb.forms.table(Altering())
    with pytest.raises(GameError, match=r"step\(\(\d, \d\), \(\d,\)\) says something else"):
        fb.forms.table(Counting())


def test_the_sample_does_not_grow_with_the_game():
    asked = []

    class Long(Matches):
        def start(self):
            return Dist.sure(Outcome((500, 0)))

        def step(self, state, joint):
            asked.append(state)
            return super().step(state, joint)

    rows = len(fb.forms.table(Long()).out) - 2
    assert len(asked) == rows + SAMPLE
    assert len(set(asked[rows:])) > SAMPLE // 2  # spread over the game


def test_canonical_states_and_impossible_outcomes_are_no_change():
    class Mirrored(Matches):
        def start(self):
            return Dist.of({Outcome((5, 0)): 0.5, Outcome((5, 0), public="other"): 0.5, Outcome((7, 0)): 0.0})

        def canonical(self, state):
            return (state[0], 0) if state[0] == 0 else state

    assert fb.solve(Mirrored(), "sequence-lp").value == 1.0
