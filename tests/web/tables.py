"""What tests of the table share: a server in this process, a seat, and playing on from it."""

from __future__ import annotations

import re
from concurrent.futures import wait
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from fogbound.web.app import make_app
from fogbound.web.settings import Settings

BASE = "http://127.0.0.1:8642"
PLACE = re.compile(r'name="place" value="(\d+)"')
LINK = re.compile(rf'<a href="{re.escape(BASE)}(/table/[0-9a-f.]+)"')
STEP = re.compile(r'name="step" value="(\d+)"')


@contextmanager
def serving(folder: Path, **own: str):
    """A client of a server that answers without waiting for a beat; `client.table` is its store."""
    guard = make_app(Settings(folder=folder, own=own))
    store = guard.app.state.site.table
    store.pace = store.thoughtful = 0.0
    with TestClient(guard, base_url=BASE, headers={"origin": BASE}, follow_redirects=False) as client:
        client.table = store
        yield client


def sit(client, game: str, seat: int | str = 0, against: str | list[str] = "uniform") -> str:
    """Begin a game; the address of the seat."""
    answer = client.post("/table/new", data={"game": game, "seat": str(seat), "against": against})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removesuffix("/links")


def others(client, link: str) -> list[str]:
    """The links of the other people, as the one who began the game is shown them; once."""
    return LINK.findall(client.get(f"{link}/links").text)


def moves(page: str) -> list[int]:
    """The places of the moves that a page offers."""
    return [int(place) for place in PLACE.findall(page)]


def step_of(page: str) -> int:
    """The step that a page's moves belong to."""
    return int(STEP.search(page)[1])


def look(client, link: str) -> str:
    """The page of a seat, once nobody is thinking or being worked out."""
    kept, _ = client.table.find(link.removeprefix("/table/"))
    wait(kept.policies.values())
    client.get(link)
    if kept.work is not None:
        wait([kept.work])
    return client.get(link).text


def move(client, link: str, place: int, step: int | None = None):
    """Make a move, of the position as it stands unless told."""
    if step is None:
        step = step_of(client.get(link).text)
    return client.post(f"{link}/move", data={"step": step, "place": place})


def play_out(client, link: str, choose=lambda places: places[0], most: int = 300) -> str:
    """Play on to the end; the page of the whole truth."""
    for _ in range(most):
        page = look(client, link)
        if "film" in page:
            return page
        assert move(client, link, choose(moves(page)), step_of(page)).status_code == 303
    raise AssertionError("the game does not end")
