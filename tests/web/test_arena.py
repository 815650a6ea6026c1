"""Arena and Reproduce: jobs beside the server, what they leave, and what cannot be asked of them."""

from __future__ import annotations

import json
import threading

import pytest
from starlette.testclient import TestClient

import fogbound.web.processes.jobs as jobs
from fogbound.web.app import make_app
from fogbound.web.settings import Settings
from tests.web.loops import run_apart

HEADERS = {"origin": "http://127.0.0.1:8642"}
CLAIM = {
    "statement": "a <b>claim</b>",
    "where": "§ 1",
    "published": "1",
    "ours": "2",
    "verdict": "refuted",
    "evidence": "because <script>",
    "figure": "",
    "command": "fogbound solve x",
}


@pytest.fixture
def client(tmp_path):
    with TestClient(make_app(Settings(folder=tmp_path)), base_url="http://127.0.0.1:8642", headers=HEADERS) as client:
        yield client


def ended():
    """Wait until all jobs are over: for their own threads, not for a clock."""
    for thread in threading.enumerate():
        if thread.name.startswith("process "):
            thread.join(120)


@pytest.mark.slow
def test_a_small_tournament_is_played_and_told(client):
    asked = {"game": "rock-paper-scissors", "entrant": ["uniform", "matrix-lp"], "deals": "20"}
    answer = client.post("/arena/new", data=asked, follow_redirects=False)
    assert answer.status_code == 303
    here = answer.headers["location"]
    ended()
    text = client.get(here).text
    assert "matrix-lp" in text
    assert "<h1>Rock, paper, scissors</h1>" in text
    assert "a fair share is 0.500" in text
    assert "equal" in text
    assert client.get(f"{here}.csv").text.startswith("entrant,wins")
    assert "\\begin{tabular}" in client.get(f"{here}.tex").text
    assert here in client.get("/arena").text


@pytest.mark.slow
def test_a_tournament_that_fails_says_why(client):
    asked = {"game": "tiger", "entrant": ["uniform", "matrix-lp"]}
    answer = client.post("/arena/new", data=asked, follow_redirects=False)
    ended()
    text = client.get(answer.headers["location"]).text
    assert "It came to nothing" in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"game": "po-nim", "entrant": ["uniform"]}, 400),
        ({"game": "po-nim", "entrant": ["uniform"] * 9}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "../x.npz"]}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "/etc/passwd"]}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "--json"]}, 404),
        ({"game": "po-nim", "entrant": ["uniform", "run:nothing"]}, 404),
        ({"game": "po-nim", "entrant": ["uniform", "run:../../x"]}, 404),
        ({"game": "po-nim", "entrant": ["uniform", "nobody"]}, 404),
        ({"game": "nothing", "entrant": ["uniform", "uniform"]}, 404),
        ({"game": "x.py:Evil", "entrant": ["uniform", "uniform"]}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "uniform"], "deals": "0"}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "uniform"], "deals": "99999999"}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "uniform"], "deals": "-5"}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "uniform"], "ties": "mine"}, 400),
        ({"game": "po-nim", "entrant": ["uniform", "u" * 300]}, 400),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_runs(client, monkeypatch, asked, status):
    monkeypatch.setattr(jobs, "ChildProcess", lambda *_, **__: pytest.fail("a process was started"))
    answer = client.post("/arena/new", data=asked)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", ["/arena/nothing", "/arena/..%2f..", "/arena/x.exe", "/arena/nothing/live"])
def test_tournaments_that_are_not_there(client, path):
    assert client.get(path).status_code == 404


def test_enough_is_enough(client, monkeypatch):
    """Two at once, and a third is told so; none of them is started here."""
    started = threading.Event()

    class Waiting:
        def __init__(self, *_, **__):
            pass

        def wait(self):
            started.wait(30)

        def leave(self):
            started.set()

        code, kill = 1, leave

    monkeypatch.setattr(jobs, "ChildProcess", Waiting)
    asked = {"game": "rock-paper-scissors", "entrant": ["uniform", "uniform"]}
    codes = [client.post("/arena/new", data=asked, follow_redirects=False).status_code for _ in range(3)]
    assert codes == [303, 303, 429]
    started.set()


def test_documents_are_listed_and_nothing_is_computed_in_a_request(client, monkeypatch):
    monkeypatch.setattr(jobs, "ChildProcess", lambda *_, **__: pytest.fail("a process was started"))
    text = client.get("/reproduce").text
    assert "Fully-Nested Interactive POMDPs" in text
    assert "Pol Rosello" in text
    assert "not computed yet" in text
    assert "Compute it" in client.get("/reproduce/000").text
    assert client.get("/reproduce/999").status_code == 404
    assert client.post("/reproduce/999/run").status_code == 404


def test_claims_that_were_computed_are_shown_and_escaped(client, tmp_path):
    folder = tmp_path / "reproduce"
    folder.mkdir()
    (folder / "000.json").write_text(json.dumps({"000": [CLAIM], "tables": {}}))
    text = client.get("/reproduce/000").text
    assert "a &lt;b&gt;claim&lt;/b&gt;" in text
    assert "because &lt;script&gt;" in text
    assert "fogbound solve x" in text
    assert "<b>1</b> refuted" in text
    assert "<b>1</b> refuted" in client.get("/reproduce").text


@pytest.mark.parametrize(
    "held", ["", "{", "[]", '{"000": 3}', '{"000": [{}]}', '{"000": [{"verdict": "mine"}]}', '{"001": []}', "[" * 5000]
)
def test_a_damaged_file_of_claims_is_none(client, tmp_path, held):
    folder = tmp_path / "reproduce"
    folder.mkdir()
    (folder / "000.json").write_text(held)
    assert "Not computed yet" in client.get("/reproduce/000").text
    assert client.get("/reproduce").status_code == 200


HELD = {  # how a tournament of three stands after two deals: the first interval is not known yet
    "game": "king-up",
    "ties": "split",
    "games": 2,
    "exact": False,
    "stopped": "",
    "rows": [{"players": [{"policy": name, "wins": 0.5} for name in ("a", "b")]}],
    "entrants": [
        {"name": "a", "wins": 0.25, "score": -1, "score_interval": [-2, 0], "strength": None},
        {"name": "b", "wins": 0.75, "score": 1, "score_interval": [0, 2], "strength": 31.0},
    ],
    "pairs": [{"first": 0, "second": 1, "ahead": 0.25, "difference": -2.0, "scorer": 1, "winner": None}],
}
HELD["entrants"][0]["wins_interval"], HELD["entrants"][1]["wins_interval"] = [None, None], [0.5, 1.0]


def test_a_tournament_shows_how_it_stands_while_it_is_played(client, tmp_path, monkeypatch):
    """With scripts by a stream of parts, without them in the page itself."""

    from fogbound.web.arena import routes
    from fogbound.web.processes import job_routes as live
    from fogbound.web.processes.jobs import JobState

    name, site = "a" * 32, client.app.app.state.site
    folder = tmp_path / "arena"
    folder.mkdir()
    wanted = {"game": "king-up", "entrants": ["uniform", "uniform"], "deals": 9, "ties": "split", "seed": 0}
    (folder / f"{name}.asked").write_text(json.dumps(wanted))
    monkeypatch.setattr(site.tournaments, "state", lambda _: JobState(True, 1.0, "deal 2 of 9"))
    monkeypatch.setattr(live, "EVERY", 0.0)

    def frames(count):
        async def taken():
            events = live._events(
                site.tournaments, name, lambda: {"standings": routes._drawn(routes._standings(site, name))}
            )
            return [await anext(events) for _ in range(count)]

        return run_apart(taken())

    assert frames(1)[0].startswith("event: part\ndata: progress\ndata: deal 2 of 9")
    assert '<div class="stack" id="standings"></div>' in client.get(f"/arena/{name}").text
    (folder / f"{name}.live").write_text(json.dumps(HELD))
    _, standing = frames(2)
    assert standing.startswith("event: part\ndata: standings\ndata: <section")
    for text in (standing, client.get(f"/arena/{name}").text):
        assert "2 deals so far" in text
        assert text.index(">b<") < text.index(">a<")  # who scores most is first
        assert 'class="loss">−2' in text
        assert 'class="gain">+2' in text
        assert "Being played" in client.get(f"/arena/{name}").text
    (folder / f"{name}.json").write_text(json.dumps({**HELD, "games": 9, "stopped": "deals"}))
    assert "9 deals, each in 1 seatings" in client.get(f"/arena/{name}").text


def test_the_command_tells_how_a_tournament_stands(tmp_path, monkeypatch, capsys):
    """Each time it is looked at, the whole of it; in the end the last is no more than what is printed."""
    from fogbound.cli import tournament
    from fogbound.web.arena.standings import read_standings

    monkeypatch.setattr(tournament, "LIVE", 0.0)
    monkeypatch.setattr(tournament, "SHARE", 0)
    live, seen = tmp_path / "live", []
    write = tournament.write
    monkeypatch.setattr(tournament, "write", lambda path, data: (write(path, data), seen.append(read_standings(path))))
    words = ["rock-paper-scissors", "uniform", "matrix-lp", "--games", "6", "--sampled", "--json", "--live", str(live)]
    assert tournament.main(words) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [int(found.said.split()[0]) for found in seen] == [2, 3, 4, 5, 6]
    assert all("so far" in found.said for found in seen[:-1])
    assert json.loads(live.read_text())["entrants"] == printed["entrants"]
