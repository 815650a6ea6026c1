"""Time tells nothing either: answers come at beats that are fixed beforehand, however long an opponent thought."""

from __future__ import annotations

import random
import time
from statistics import fmean, median, stdev

import pytest

from fogbound.web.table.pace import QUICK, Beats
from tests.web.tables import serving, sit, step_of

SLOW = 0.07  # seconds that a step takes in one of two worlds that the player cannot tell apart
GAME = f'''
import time
from dataclasses import dataclass
from fogbound.core import Dist, Game, Outcome

@dataclass(frozen=True)
class Thinker(Game):
    """The other takes longer where the hidden card is a slow one."""

    players = ("guesser", "holder")

    def start(self):
        return Dist.uniform(Outcome((card, 0), private=(None, card)) for card in ("slow", "fast"))

    def actors(self, state):
        return () if state[1] == 2 else (0,)

    def actions(self, state, player):
        return ("wait", "look")

    def step(self, state, joint):
        if state[0] == "slow":
            time.sleep({SLOW})
        return Dist.sure(Outcome((state[0], state[1] + 1)))
'''


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "thinker.py"
    path.write_text(GAME)
    with serving(tmp_path / "home", Thinker=f"{path}:Thinker()") as client:
        yield client


def answered(client, games):
    """Seconds to the answer to a first move, by what was hidden then."""
    found = {"slow": [], "fast": []}
    for _ in range(games):
        link = sit(client, "Thinker")
        step = step_of(client.get(link).text)
        began = time.perf_counter()
        assert client.post(f"{link}/move", data={"step": step, "place": 0}).status_code == 303
        took = time.perf_counter() - began
        kept, _ = client.table.find(link.removeprefix("/table/"))
        found[kept.sitting.steps[-1].before[0]].append(took)
    return found


def chance(one, other, rounds=2000):
    """How often a difference of means as large as this one is seen where labels mean nothing."""
    rng, both, real = random.Random(0), [*one, *other], abs(fmean(one) - fmean(other))
    larger = 0
    for _ in range(rounds):
        rng.shuffle(both)
        larger += abs(fmean(both[: len(one)]) - fmean(both[len(one) :])) >= real
    return larger / rounds


@pytest.mark.slow
def test_two_worlds_that_cannot_be_told_apart_are_answered_in_the_same_time(table):
    at_once = answered(table, 16)  # the test can tell them apart where answers are sent as soon as they are there
    assert median(at_once["slow"]) - median(at_once["fast"]) > SLOW / 2
    table.table.pace = 2 * QUICK
    paced = answered(table, 40)
    slow, fast = paced["slow"], paced["fast"]
    assert min(len(slow), len(fast)) >= 8
    noise = max(stdev(slow), stdev(fast)) * (1 / len(slow) + 1 / len(fast)) ** 0.5
    assert abs(median(slow) - median(fast)) < max(0.02, 2 * noise)
    assert chance(slow, fast) > 0.001


def test_beats_are_fixed_until_one_is_too_short_and_then_twice_as_long():
    beats = Beats(0.1)
    assert [round(gone + beats.after(gone), 9) for gone in (0.0, 0.03, 0.0999)] == [0.1, 0.1, 0.1]
    assert 0.15 + beats.after(0.15) == pytest.approx(0.2)
    assert 0.01 + beats.after(0.01) == pytest.approx(0.2)  # from now on
    assert 0.9 + beats.after(0.9) == pytest.approx(1.6)
    assert Beats(0.0).after(3.0) == 0.0


def test_the_times_of_answers_tell_no_more_than_how_often_beats_were_doubled():
    """However long each thought takes: as many different times as doublings, and they never fall."""
    rng = random.Random(1)
    for _ in range(200):
        beats = Beats(0.5)
        told = [gone + beats.after(gone) for gone in (rng.expovariate(0.7) for _ in range(50))]
        assert told == sorted(told)
        assert len({round(seconds, 6) for seconds in told}) <= 6
