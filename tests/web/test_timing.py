"""Time tells nothing either: answers come at beats that are fixed beforehand, however long an opponent thought."""

from __future__ import annotations

import random
import time
from statistics import fmean, median, stdev

import pytest

from fogbound.web.table import routes, store
from fogbound.web.table.pace import LONGEST, QUICK, Beats, Pace
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
    """However long each thought takes: as many different times as doublings, and up to the longest they never fall."""
    rng = random.Random(1)
    for _ in range(200):
        beats = Beats(0.5)
        told = [gone + beats.after(gone) for gone in (rng.expovariate(0.7) for _ in range(50))]
        kept = [min(seconds, LONGEST) for seconds in told]
        assert kept == sorted(kept)
        assert {round(seconds, 6) for seconds in told} <= {0.5 * 2**k for k in range(8)}


def test_one_long_thought_does_not_slow_a_game_down_for_ever():
    beats = Beats(0.5)
    assert 20 + beats.after(20.0) == pytest.approx(32)
    assert 1 + beats.after(1.0) == pytest.approx(LONGEST)


def hidden(client, place):
    """All that a browser can get of a game in which the other has moved, and the beat is not over."""
    link = sit(client, "rock-paper-scissors")
    first = client.get(link).text
    kept, player = client.table.find(link.removeprefix("/table/"))
    kept.pace = Pace(600.0)
    kept.choose(player, 0, place)
    page = client.get(link)
    again = client.post(f"{link}/move", data={"step": 1, "place": 0})
    late = client.post(f"{link}/end")
    log = client.get(f"{link}/log")
    assert (page.status_code, again.status_code, late.status_code, log.status_code) == (200, 409, 409, 404)
    assert "They are thinking" in page.text
    assert "film" not in page.text
    assert routes.seat_standing(kept, player) == "1-thinking"
    sent = [first, page.text, again.text, late.text, log.text]
    over = kept.sitting.over
    kept.pace = Pace(0.0)
    assert "film" in client.get(link).text
    return [text.replace(kept.link(player), "LINK") for text in sent], over


def test_before_the_beat_is_over_a_page_shows_what_there_was(tmp_path):
    """Who asks again and again sees a game change at beats, and not when somebody has thought."""
    with serving(tmp_path) as client:
        (one, over), (other, _) = hidden(client, 0), hidden(client, 1)
        assert over
        assert one == other  # whatever was chosen, and although both games are over


def test_a_request_waits_for_the_beat_and_no_longer_than_its_patience(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "PATIENCE", 0.4)
    with serving(tmp_path) as client:
        client.table.pace = client.table.thoughtful = 0.2
        link = sit(client, "rock-paper-scissors")
        client.get(link)
        for first, least, word in ((0.2, 0.19, "film"), (60.0, 0.39, "thinking")):
            link = sit(client, "rock-paper-scissors")
            client.get(link)
            kept, _ = client.table.find(link.removeprefix("/table/"))
            kept.pace = Pace(first)
            began = time.perf_counter()
            assert client.post(f"{link}/move", data={"step": 0, "place": 0}).status_code == 303
            assert least <= time.perf_counter() - began < 30
            assert word in client.get(link).text
