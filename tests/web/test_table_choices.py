"""Who sits in the other seats, a level that is drawn for each game, and the position so far."""

from __future__ import annotations

import re

import pytest

from fogbound.core.errors import SpecError
from fogbound.inference.fog import Worth
from fogbound.policies.mixture import Mixture
from fogbound.web.refusal import Refusal
from fogbound.web.table.opponents import DrawnLevel, drawn_level, opponent_choices, seated
from fogbound.web.table.panel import position_so_far
from tests.web.tables import look, move, moves, play_out, serving, sit


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("home")) as client:
        client.table.insights.briefly = 60.0  # so that no page is sent before it is worked out
        yield client


def kept(client, link):
    return client.table.find(link.removeprefix("/table/"))[0]


def test_every_other_seat_may_have_its_own_opponent(client):
    form = client.get("/table/new?game=king-up").text
    assert "Another opponent for a seat" in form
    assert 'name="against.2"' in form
    data = {"game": "king-up", "seat": "0", "against": "uniform", "against.2": "is-mcts(simulations=5)"}
    link = client.post("/table/new", data={**data, "against.0": "sequence-lp"}).headers["location"]
    assert kept(client, link).asked.against == {1: "uniform", 2: "is-mcts(simulations=5)"}
    page = look(client, link)
    assert "random play" in page
    assert "is-mcts" in page
    assert "Another opponent" not in client.get("/table/new?game=po-nim").text


def test_one_opponent_serves_for_all_unless_told():
    assert seated({}, ["uniform"], [1, 2]) == {1: "uniform", 2: "uniform"}
    assert seated({}, [], [1]) == {1: "uniform"}
    assert seated({"against.1": " "}, ["a", "b"], [0, 1]) == {0: "a", 1: "b"}
    with pytest.raises(Refusal, match="3 opponents"):
        seated({}, ["a", "b", "c"], [0, 1])


@pytest.mark.slow
def test_a_level_is_drawn_for_each_game(client):
    spec = "some-level(levels=2, prior=[1, 2, 1])"
    link = sit(client, "po-nim(n=2)", 0, spec)
    assert "a level from 0 to 2, drawn for each game" in play_out(client, link)
    (policy,) = (future.result() for future in kept(client, link).policies.values())
    assert isinstance(policy, Mixture)
    assert policy.weights == pytest.approx((0.25, 0.5, 0.25))
    assert any(text.startswith("some-level") for text, _ in opponent_choices(("a", "b")))
    assert not any(text.startswith("some-level") for text, _ in opponent_choices(("a", "b", "c")))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("some-level(levels=1)", "levels is 1"),
        ("some-level(levels=99)", "expected 2 to 12"),
        ("some-level(prior=mine)", "prior"),
        ("some-level(prior=previous)", "expected poisson"),
        ("some-level(tau=-1)", "tau"),
        ("some-level(depth=2)", "no parameter 'depth'"),
    ],
)
def test_a_level_that_cannot_be_drawn_says_why(client, text, why):
    with pytest.raises(SpecError, match=re.escape(why)):
        drawn_level(text)
    assert client.post("/table/new", data={"game": "po-nim", "against": text}).status_code == 400


@pytest.mark.slow
def test_levels_are_drawn_for_two(client):
    link = sit(client, "kuhn(seats=3)", 0, "some-level")
    assert "levels are drawn for one of two" in look(client, link)
    assert DrawnLevel().reply == "level-k(levels=5, prior=poisson, tau=1.5)"


@pytest.mark.slow
def test_the_position_so_far_is_drawn_once_there_were_moves(client):
    link = sit(client, "po-nim(n=3)", 0, "level-k(level=1)")
    look(client, link)
    client.post(f"{link}/fog", data={"lift": "1"})
    assert "Position so far" not in look(client, link)  # one point is no line
    for count in (1, 2):
        page = look(client, link)
        if "film" in page:
            break
        move(client, link, moves(page)[0])
        page = look(client, link)
        if "film" in page:
            break
        assert "Position so far" in page
        assert page.count("<circle cx=") >= count + 1
        assert re.search(r'aria-label="What is still to come: [^"]+ at your first move, [^"]+ now\."', page)
        assert "<dt>now</dt>" in page


class _Value:
    def __init__(self, lower, upper):
        self.lower, self.upper = lower, upper


class _Move:
    def __init__(self, lower, upper):
        self.best = (_Value(lower, upper),)


@pytest.mark.slow
def test_the_line_goes_through_the_worth_of_the_best_moves():
    now = [Worth("a", -1.0, -1.0, False), Worth("b", 2.0, 2.0, True)]
    found = position_so_far([_Move(4.0, 4.0), _Move(-2.0, 0.0)], now)
    assert [point.figure for point in found.points] == ["+4", "−2 to 0", "+2"]
    heights = [point.y for point in found.points]
    assert heights[0] < heights[2] < found.zero < heights[1]
    assert found.points[1].top < found.points[1].bottom
    assert all(point.named for point in found.points)
    many = position_so_far([_Move(1.0, 1.0)] * 9, now)
    assert [point.number for point in many.points if point.named] == [1, 10]
    assert position_so_far([], now) is None
    assert position_so_far([], []) is None
