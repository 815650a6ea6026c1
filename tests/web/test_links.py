"""Links of seats: the one who began a game is shown those of the others once, and nobody else is shown any."""

from __future__ import annotations

import re

import pytest

import fogbound as fb
from tests.web.tables import BASE, moves, others, serving, sit, step_of

GAMES = ["rock-paper-scissors", "kuhn(seats=2)", "kuhn(seats=3)", "king-up", "random(seats=4)"]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("home")) as client:
        client.table.insights.patience = client.table.insights.briefly = 0.0
        yield client


def sent(client, link):
    """Everything that the server sends to one seat: pages, fragments, a stream, refusals, and what forms lead to."""
    page = client.get(link)
    yield page
    for path in ("", "?step=0", "?step=1", "?step=-1", "/links", "/log", "/nothing"):
        yield client.get(link + path)
        yield client.get(link + path, headers={"x-fragment": "main"})
    yield client.get(f"{link}/live?moment=another")
    for lift in "10":
        yield client.post(f"{link}/fog", data={"lift": lift})
        yield client.get(link)
    for data in ({"step": 0, "place": 9_999}, {"step": "x"}):
        yield client.post(f"{link}/move", data=data)
    if moves(page.text):
        yield client.post(f"{link}/move", data={"step": step_of(page.text), "place": 0})
        yield client.get(link)


def ended(client, link):
    """What a seat is sent once the game is over, and when it begins another."""
    yield from sent(client, link)
    for path, data in (("/again", {}), ("/from", {"step": 0})):
        answer = client.post(link + path, data=data)
        assert answer.status_code == 303
        yield answer


def secrets_of(client, link):
    """By player, the secret of each seat of a game, and the one whose link it is."""
    kept, player = client.table.find(link.removeprefix("/table/"))
    return kept.asked.seats, player


def check(client, link, answers):
    """No answer to a seat has the secret of another."""
    secrets, player = secrets_of(client, link)
    for answer in answers:
        text = answer.text + str(answer.headers)
        assert not [i for i, secret in secrets.items() if i != player and secret in text], answer.url


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", GAMES)
def test_no_seat_is_sent_the_link_of_another(client, spec):
    seats = len(fb.game(spec).players)
    for creator in {0, seats - 1}:
        link = sit(client, spec, creator, "person")
        secrets, _ = secrets_of(client, link)
        shown = others(client, link)
        assert sorted(shown) == sorted(f"{link.rpartition('.')[0]}.{secrets[i]}" for i in secrets if i != creator)
        everybody = [link, *shown]
        for one in everybody:
            check(client, one, sent(client, one))
        client.post(f"{shown[0]}/end")
        for one in everybody:
            check(client, one, ended(client, one))


def test_the_creator_is_shown_the_links_once_and_nobody_else_is(client):
    data = {"game": "kuhn(seats=3)", "seat": "1", "against": "person"}
    answer = client.post("/table/new", data=data)
    where = answer.headers["location"]
    secrets, _ = secrets_of(client, where.removesuffix("/links"))
    for i in (0, 2):  # others who guess the address of the page are led to their seat, and use nothing up
        own = f"{where.rpartition('.')[0]}.{secrets[i]}"
        assert client.get(f"{own}/links").headers["location"] == own
    page = client.get(where).text
    for i in (0, 2):
        assert page.count(f'href="{BASE}{where.rpartition(".")[0]}.{secrets[i]}"') == 1
    again = client.get(where)
    assert (again.status_code, again.headers["location"]) == (303, where.removesuffix("/links"))


def test_links_that_were_shown_are_not_shown_after_a_restart(tmp_path):
    with serving(tmp_path) as client:
        shown, unseen = sit(client, "kuhn", 0, "person"), sit(client, "kuhn", 0, "person")
        assert others(client, shown)
    with serving(tmp_path) as client:
        assert not others(client, shown)
        assert others(client, unseen)
        assert not others(client, unseen)


def test_who_begins_another_game_is_its_creator(client):
    link = sit(client, "rock-paper-scissors", 0, "person")
    (other,) = others(client, link)
    client.post(f"{other}/end")
    for path, data in (("/again", {}), ("/from", {"step": 0})):
        made = client.post(other + path, data=data).headers["location"]
        assert re.fullmatch(r"/table/[0-9a-f]{32}\.[0-9a-f]{32}/links", made)
        (mine,) = others(client, made.removesuffix("/links"))
        assert "You are" in client.get(mine).text


def test_a_game_without_other_people_has_no_links(client):
    answer = client.post("/table/new", data={"game": "kuhn", "seat": "0", "against": "uniform"})
    link = answer.headers["location"]
    assert not link.endswith("/links")
    assert client.get(f"{link}/links").headers["location"] == link
