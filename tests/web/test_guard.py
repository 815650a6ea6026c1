"""Who may ask: names of the server, origins of changes, sizes, and what every answer says of itself."""

import pytest
from starlette.testclient import TestClient

from fogbound.web.app import make_app
from fogbound.web.guard import MOST_BODY
from fogbound.web.settings import Settings


@pytest.fixture
def client(tmp_path):
    with TestClient(make_app(Settings(folder=tmp_path)), base_url="http://127.0.0.1:8642") as client:
        yield client


def test_the_first_page_lists_games_and_guards_itself(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert "po-nim" in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in answer.text
    # with no-referrer, browsers send "Origin: null" with a page's own forms, which would be refused
    assert answer.headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "", "localhost.evil.test:8642", "[::2]:8642"])
def test_other_names_are_not_answered(client, host):
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.test", "null", "", "http://127.0.0.1:9999", "https://127.0.0.1.evil.test:8642"]
)
def test_changes_come_from_our_own_pages_only(client, origin):
    assert client.post("/", headers={"origin": origin}).status_code == 403


def test_what_is_too_large_is_refused(client):
    headers = {"origin": "http://127.0.0.1:8642", "content-type": "application/x-www-form-urlencoded"}
    assert client.post("/", headers=headers, content=b"a" * (MOST_BODY + 1)).status_code == 413


def test_what_turns_out_to_be_too_large_is_refused_with_a_page(client):
    def pieces():
        for _ in range(40):
            yield b"a" * 4096

    headers = {"origin": "http://127.0.0.1:8642", "content-type": "application/x-www-form-urlencoded"}
    answer = client.post("/solve/runs", headers=headers, content=pieces())  # chunked: no length is announced
    assert answer.status_code == 413
    assert "More was sent" in answer.text


def test_a_token_is_wanted_where_others_can_reach_it(tmp_path):
    with TestClient(make_app(Settings(folder=tmp_path, token="s3cret")), base_url="http://127.0.0.1:8642") as client:
        assert client.get("/").status_code == 403
        assert client.get("/?token=wrong").status_code == 403
        assert client.get("/?token=s3cret").status_code == 200
        assert client.get("/").status_code == 200  # by the cookie


@pytest.mark.parametrize("path", ["/nowhere", "/static/../app.py", "/static/%2e%2e/app.py", "/games/%00"])
def test_what_is_not_there_is_a_page(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text
    assert "import" not in answer.text


def test_a_fragment_is_the_main_part_of_the_same_page(client):
    whole, part = client.get("/").text, client.get("/", headers={"x-fragment": "main"}).text
    assert part in whole
    assert "<html" not in part


def test_forms_of_our_own_pages_say_where_they_come_from(client):
    """A browser sends "Origin: null" with a form of a page that forbids referrers, and would be refused."""
    assert client.get("/").headers["referrer-policy"] == "same-origin"
