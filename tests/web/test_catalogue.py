"""The first page and a game's page: every registered game is its own documentation."""

from __future__ import annotations

import html

import pytest
from starlette.testclient import TestClient

import fogbound as fb
from fogbound.games import GAMES
from fogbound.web.app import make_app
from fogbound.web.settings import Settings

SLOW = {"tic-tac-toe", "phantom-tic-tac-toe", "scotland-yard", "stratego", "soccer", "king-up", "pocman"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with TestClient(make_app(Settings(folder=folder)), base_url="http://127.0.0.1:8642") as client:
        yield client


def told(name, client):
    answer = client.get(f"/games/{name}")
    assert answer.status_code == 200
    text = html.unescape(answer.text)
    rules = " ".join(fb.rules(fb.game(name)).partition("\n\n")[0].split())
    plain = text.replace("<code>", "").replace("</code>", "")
    assert rules.replace("`", "") in plain
    assert " style=" not in answer.text
    return text


@pytest.mark.parametrize("name", [name for name in GAMES if name not in SLOW])
def test_the_page_of_a_game_has_its_rules_and_sizes(name, client):
    text = told(name, client)
    assert "the rules themselves, for solvers that only sample" in text
    assert '<th scope="row">table</th>' in text
    assert 'action="/table/new"' in text


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOW))
def test_the_page_of_a_large_game_too(name, client):
    told(name, client)


def test_every_game_is_on_the_first_page_once(client):
    text = client.get("/").text
    for name in GAMES:
        assert text.count(f'<h3><a href="/games/{name}">') == 1
    assert ">8-card poker</a>" in text


def test_po_nim_can_be_played_at_once(client):
    """One form on the first page, with all that the table needs to begin a game."""
    text = client.get("/").text
    form = text[text.index('<form method="post" action="/table/new"') :].partition("</form>")[0]
    for field in ('name="game" value="po-nim"', 'name="seat" value="0"', 'name="against" value="uniform"'):
        assert field in form


def test_the_form_of_the_first_page_leads_to_a_seat(client):
    given = {"game": "po-nim", "seat": "0", "against": "uniform"}
    answer = client.post("/table/new", data=given, headers={"origin": "http://127.0.0.1:8642"}, follow_redirects=False)
    assert answer.status_code == 303
    assert client.get(answer.headers["location"]).status_code == 200


def test_known_values_stand_on_the_page_with_their_sources(client):
    text = html.unescape(client.get("/games/card-poker").text)
    assert "Kuhn 1950" in text
    assert "−0.0625" in text


def test_parameters_are_chosen_in_the_address(client):
    answer = client.get("/games/po-nim?n=2&win=&fail=")
    assert answer.status_code == 200
    assert "po-nim(n=2, win=10, fail=-1, discount=1)" in answer.text
    assert 'name="game" value="po-nim(n=2)"' in answer.text


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/games/nothing", 404),
        ("/games/../app.py", 404),
        ("/games/po-nim?n=many", 400),
        ("/games/po-nim?n=-3", 400),
        ("/games/po-nim?n=3, win=5", 400),
        ("/games/po-nim?n=3)", 400),
        ("/games/po-nim?x=1", 400),
        ("/games/po-nim?n=" + "9" * 300, 400),
        ("/games/matrix-game?payoffs=../x.py:Foo", 400),
        ("/games/po-nim?<script>=1", 400),
        ("/games/po-nim?n=<script>", 400),
    ],
)
def test_what_is_no_game_is_a_clear_page(client, address, status):
    answer = client.get(address)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert "<script>" not in answer.text


@pytest.mark.slow
def test_another_name_of_a_game_is_that_game(client):
    assert "<h1>Rock, paper, scissors</h1>" in client.get("/games/rps").text
