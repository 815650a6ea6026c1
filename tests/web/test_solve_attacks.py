"""What a hostile page, visitor or file may try against Solve and Open: paths, names, sizes, labels, code."""

import builtins
import io
import os
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from fogbound.web.app import make_app
from fogbound.web.guard import MOST_FILE
from fogbound.web.runs.folder import Asked, RunFolder
from fogbound.web.settings import Settings

ORIGIN = "http://127.0.0.1:8642"
FROM_HERE = {"origin": ORIGIN}
SECRET = "the secret that lies beside the folder"
SCRIPT = "<script>alert(1)</script>"

TRICKS = [
    "../secret.txt",
    "../../secret.txt",
    "..%2f..%2fsecret.txt",
    "..%2F..%2Fsecret.txt",
    "%2e%2e/%2e%2e/secret.txt",
    "%2e%2e%2fsecret.txt",
    "..%252fsecret.txt",
    "..%c0%afsecret.txt",
    "..\\secret.txt",
    "..%5csecret.txt",
    "..%5c..%5csecret.txt",
    "....//secret.txt",
    "..;/secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "%2fetc%2fpasswd",
    "file:///etc/passwd",
    "file:%2f%2f%2fetc%2fpasswd",
    "C:%5cWindows%5cwin.ini",
    "%00",
    "solution.npz%00.csv",
    "..%00/secret.txt",
    "run.json",
    "checkpoint.npz",
    "log",
    "lock",
    "over.json",
    "trace.jsonl",
    ".solution.npz.swp",
    "solution.npz/../../secret.txt",
    "bounds.svg/../run.json",
    "bounds.py",
    "bounds.exe",
    "bounds",
    "linked",
    "~root",
    "$(id)",
    "`id`",
    "%0d%0aset-cookie:x=y",
    "a" * 5000,
    "\u202e" + "txt.npz",
    "０" * 32,
    "0" * 31,
    "0" * 33,
    "G" * 32,
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "secret.txt").write_text(SECRET)
    return folder / "home"


@pytest.fixture(scope="module")
def client(home):
    settings = Settings(folder=home, workers=1, queue=0)
    with TestClient(make_app(settings), base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture(scope="module")
def run(client, home):
    folder = RunFolder(home / "runs" / ("c" * 32))
    folder.begin(Asked("tiger", "sarsop"))
    folder.end(state="failed", why="it was made for a test")
    (folder.path / "linked").symlink_to(home.parent / "secret.txt")
    return folder


@pytest.fixture
def opened(monkeypatch, home):
    """Every path outside the folder and the installed files that is opened while a request is answered."""
    seen = []
    plain, of_path = builtins.open, Path.open

    def watched(path, *args, **kwargs):
        seen.append(str(path))
        return plain(path, *args, **kwargs)

    def watched_path(self, *args, **kwargs):
        seen.append(str(self))
        return of_path(self, *args, **kwargs)

    monkeypatch.setattr(builtins, "open", watched)
    monkeypatch.setattr(Path, "open", watched_path)
    return lambda: [path for path in seen if "secret" in path or "passwd" in path or "win.ini" in path]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("trick", TRICKS)
def test_paths_lead_nowhere(client, run, opened, trick):
    for address in (f"/runs/{trick}", f"/runs/{run.id}/{trick}", f"/open/{trick}", f"/runs/{trick}/live"):
        answer = client.get(address.replace(" ", "%20"))
        assert answer.status_code in (404, 405, 400), address
        assert SECRET not in answer.text
        assert "Traceback" not in answer.text
        assert "root:" not in answer.text
        assert "set-cookie" not in answer.headers
    assert opened() == []


@pytest.mark.parametrize("verb", ["stop", "discard", "verify", "go-on"])
@pytest.mark.parametrize("name", ["..", "0" * 32, "%2e%2e", "c" * 31, "file:" + "0" * 64])
def test_changes_need_a_run_that_is_there(client, run, verb, name):
    assert client.post(f"/runs/{name}/{verb}", headers=FROM_HERE).status_code in (404, 405)
    assert run.path.exists()


@pytest.mark.parametrize("where", ["/solve/runs", "/open", f"/runs/{'c' * 32}/discard", f"/runs/{'c' * 32}/stop"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.test"},
        {"origin": "null"},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
        {"origin": ORIGIN, "content-type": "application/json"},
        {"origin": ORIGIN, "content-type": "text/plain"},
        {"origin": ORIGIN, "host": "evil.test"},
        {"referer": "http://evil.test/"},
    ],
)
def test_other_sites_change_nothing(client, run, where, headers):
    assert client.post(where, headers=headers).status_code in (403, 415, 421)
    assert run.path.exists()


GAMES = [
    "/etc/passwd",
    "../secret.pomdp",
    "x.pomdp",
    "evil.py:Evil",
    "./evil.py:Evil",
    "horizon(game=evil.py:Evil, steps=3)",
    "horizon(x.pomdp, 3)",
    "horizon(game='/etc/x.pomdp', steps=3)",
    "scotland-yard(map=here)",
    "scotland-yard(map='here')",
    "file:0",
    f"file:{'0' * 64}",
    "file:../../etc/passwd",
    "run:0",
    "no-such-game",
    "sarsop",
    "__import__('os').system('id')",
    "x" * 2000,
    "(" * 900,
    "horizon(" * 20 + "tiger" + ", 2)" * 20,
    "tiger(accuracy=)",
    "tiger(accuracy=\x00)",
    "",
    SCRIPT,
]


@pytest.mark.parametrize("game", GAMES)
def test_games_that_a_request_may_not_name_begin_no_run(client, home, monkeypatch, game):
    monkeypatch.chdir(home)
    (home / "here").write_text(SECRET)  # a file without an ending, where the server was started
    answer = client.post("/solve/runs", data={"spec": game, "game": game}, headers=FROM_HERE)
    if game:
        assert answer.status_code in (400, 404), game[:80]
    page = client.get("/solve", params={"spec": game})
    for said in (answer, page):
        assert SECRET not in said.text
        assert SCRIPT not in said.text
        assert "Traceback" not in said.text
    for folder in (home / "runs").glob("*/run.json"):
        assert SECRET not in folder.read_text()
    if not game:  # the form's first game: it is begun, and thrown away
        client.post(f"{answer.headers['location']}/discard", headers=FROM_HERE)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seconds", "1e999"),
        ("seconds", "-1"),
        ("seconds", "nan"),
        ("seconds", "10" * 100),
        ("gap", "-1"),
        ("gap", "x"),
        ("gap", "%"),
        ("gap", "nan"),
        ("iterations", "1e9"),
        ("iterations", "-1"),
        ("iterations", "9" * 4000),
        ("iterations", "٣"),
        ("seed", "-1"),
        ("seed", "x"),
        ("player", "7"),
        ("player", SCRIPT),
        ("solver", "no-such-solver"),
        ("solver", "tiger"),
        ("solver", "evil.py:Evil"),
        ("sarsop.target", "[1, 2]"),
        ("sarsop.zeta", "__import__('os')"),
        ("sarsop.policy", "../x"),
        ("tiger.accuracy", "7"),
        ("tiger.accuracy", SCRIPT),
        ("tiger.discount", "1e308"),
    ],
)
def test_values_that_cannot_be_are_refused_in_one_line(client, field, value):
    answer = client.post("/solve/runs", data={"game": "tiger", "solver": "sarsop", field: value}, headers=FROM_HERE)
    assert answer.status_code in (400, 404)
    assert SCRIPT not in answer.text
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    "against", ["/etc/passwd", "x.npz", "bot.py:Bot", f"run:{'0' * 32}", "run:../x", "tiger", "x.csv"]
)
def test_opponents_are_policies_by_name(client, against):
    asked = {"game": "king-ace", "solver": "belief-mdp", "against": against}
    assert client.post("/solve/runs", data=asked, headers=FROM_HERE).status_code in (400, 404)


@pytest.mark.parametrize("game", ["goofspiel(cards=100000000)", "random-markov(size=100000000)"])
def test_huge_parameters_cost_the_server_nothing(client, game):
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = client.get("/solve", params={"game": game})
    assert answer.status_code == 200
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


def zipped(**members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return data.getvalue()


TIGER = (
    b"discount: 0.9\nvalues: reward\nstates: 2\nactions: 1\nobservations: 1\nstart: uniform\nT: * identity\n"
    b"O: * uniform\n"
)
HOSTILE = {
    "empty.pomdp": b"",
    "noise.pomdp": os.urandom(5000),
    "nul.pomdp": b"discount: 0.9\n\0\0",
    "huge.pomdp": b"discount: 0.9\nvalues: reward\nstates: 999999999\nactions: 999999999\nobservations: 999999999\n",
    "negative.pomdp": b"discount: 0.9\nvalues: reward\nstates: -3\nactions: 1\nobservations: 1\n",
    "infinite.pomdp": TIGER.replace(b"0.9", b"1e999"),
    "entity.pomdpx": b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 99 + b'"><!ENTITY b "&a;&a;">]><pomdpx>&b;</pomdpx>',
    "outside.pomdpx": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><pomdpx>&a;</pomdpx>',
    "deep.pomdpx": b"<a>" * 50_000,
    "bomb.npz": lambda: zipped(header=b"\0" * 50_000_000),  # takes a while to make
    "noise.npz": os.urandom(5000),
    "plain.npz": zipped(header=b"x"),
    "pickle.npz": zipped(header=b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"),
    "table.dpomdp": b"agents: 99999999\n",
    "one.osposg": b"1 2 3\n" * 1000,
    f"{SCRIPT}.pomdp": b"states: <script>\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        list(HOSTILE)[::6],
        pytest.param([name for name in HOSTILE if name not in list(HOSTILE)[::6]], marks=pytest.mark.slow),
    ],
    ids=["some", "others"],
)
def test_hostile_files_cost_one_line(client, home, names):
    for name in names:
        content = HOSTILE[name]
        content = content() if callable(content) else content
        answer = client.post("/open", files={"file": (name, content)}, headers=FROM_HERE)
        assert answer.status_code in (400, 415), name
        assert "Traceback" not in answer.text
        assert SCRIPT not in answer.text
        assert "root:" not in answer.text
        assert str(home) not in answer.text
    assert not list((home / "files").glob("*.pomdp"))  # nothing is kept in which nothing was found


@pytest.mark.parametrize(
    "name",
    ["x.py", "x.exe", "x", "", "x.npz.py", "../../x.sh", "x.svg", "x.html", "x.pomdp\0.py", "..", ".pomdp", "x.efg"],
)
def test_other_endings_are_not_taken(client, home, name):
    answer = client.post("/open", files={"file": (name, b"data")}, headers=FROM_HERE)
    assert answer.status_code in (400, 415, 422)
    assert not [path for path in home.parent.rglob("*") if path.suffix in (".py", ".sh", ".exe", ".html")]


def test_a_file_that_is_too_large_is_refused(client):
    answer = client.post("/open", files={"file": ("x.pomdp", b"#" * (MOST_FILE + 1))}, headers=FROM_HERE)
    assert answer.status_code == 413


def test_several_files_at_once_are_not_taken(client):
    answer = client.post("/open", files=[("file", ("x.pomdp", b"1")), ("file", ("y.pomdp", b"2"))], headers=FROM_HERE)
    assert answer.status_code == 400


@pytest.mark.slow
def test_labels_of_a_file_are_text(client, home):
    model = (
        b"discount: 0.9\nvalues: reward\nstates: a b\nactions: img onerror\nobservations: see\nstart: uniform\n"
        b"T: * identity\nO: * uniform\nR: img : * : * : * 1\n"
    )
    name = 'a"><img src=x onerror=alert(1)>.pomdp'
    answer = client.post("/open", files={"file": (name, model)}, headers=FROM_HERE)
    assert answer.status_code == 303, answer.text
    page = client.get(answer.headers["location"])
    assert page.status_code == 200
    assert "<img" not in page.text
    assert "&lt;img" in page.text
    found = answer.headers["location"].rpartition("/")[2]
    assert (home / "files" / f"{found}.pomdp").read_bytes() == model
    form = client.get("/solve", params={"game": f"file:{found}"})
    assert "<img" not in form.text
    assert "sarsop (fits best)" in form.text
    assert str(home) not in page.text + form.text  # where files are kept is nobody's business


def test_labels_of_a_run_are_text(client, home):
    folder = RunFolder(home / "runs" / ("d" * 32))
    folder.begin(Asked(SCRIPT, SCRIPT, against=SCRIPT))
    folder.tell_about({"answer": "value", "players": [SCRIPT], "player": 0, "game": SCRIPT, "problem": SCRIPT})
    folder.trace.write_text('{"doing": "' + SCRIPT.replace('"', "") + '"}\n[1, 1.0, 1.0, 1.0, 2.0, 1.0]\n')
    for address in ("", "/live", "/bounds.svg"):
        if address == "/live":
            folder.end(state="failed", why=SCRIPT)
        answer = client.get(f"/runs/{folder.id}{address}")
        assert answer.status_code == 200
        assert SCRIPT not in answer.text
    assert SCRIPT not in client.get("/solve").text


def test_a_picture_to_take_away_runs_nothing_where_it_is_opened(client, run):
    run.trace.write_text("[1, 1.0, 1.0, 1.0, 2.0, 1.0]\n")
    answer = client.get(f"/runs/{run.id}/bounds.svg")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert (
        "sandbox" in answer.headers["content-security-policy"]
        or "default-src 'self'" in answer.headers["content-security-policy"]
    )


@pytest.mark.slow
def test_the_queue_is_bounded_for_visitors_too(client):
    asked = {"game": "leduc", "solver": "cfr-plus", "seconds": "600", "gap": ""}
    first = client.post("/solve/runs", data=asked, headers=FROM_HERE)
    assert first.status_code == 303
    answers = [client.post("/solve/runs", data=asked, headers=FROM_HERE).status_code for _ in range(10)]
    assert answers == [429] * 10
    client.post(f"{first.headers['location']}/discard", headers=FROM_HERE)


@pytest.mark.slow
def test_forms_of_many_fields_are_refused(client):
    many = {f"f{k}": "x" for k in range(500)}
    assert client.post("/solve/runs", data=many, headers=FROM_HERE).status_code in (400, 413)
    assert client.get("/solve?" + "&".join(f"f{k}={quote('x' * 10)}" for k in range(500))).status_code == 200
