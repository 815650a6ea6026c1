"""Explore: every view of one answer of each kind, what is selected, downloads, and what cannot be looked at."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from urllib.parse import quote

import numpy as np
import pytest
from starlette.testclient import TestClient

import fogbound as fb
from fogbound.web.app import make_app
from fogbound.web.settings import Settings

VIEWS = ("strategy", "controller", "tree", "beliefs", "matrix", "bounds")


@pytest.fixture(scope="module")
def client(solved_folder):
    with TestClient(make_app(Settings(folder=solved_folder)), base_url="http://127.0.0.1:8642") as client:
        yield client


def page(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_answers_are_listed(client):
    text = page(client, "/explore")
    assert 'href="/explore/tiger"' in text
    assert "card-poker(ranks=3)" in text


@pytest.mark.parametrize("answer", ["poker", "tiger", "nim", "rps"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers_with_a_picture_or_the_reason(client, answer, view):
    text = page(client, f"/explore/{answer}/{view}")
    assert ("<svg xmlns" in text) != ("There is no such view of this answer" in text)
    assert " style=" not in text
    assert "<script>" not in text
    assert "<h2>Value</h2>" in text


@pytest.mark.parametrize(
    ("answer", "view"), [("poker", "strategy"), ("tiger", "controller"), ("nim", "controller"), ("rps", "strategy")]
)
def test_an_answer_opens_in_the_view_that_suits_it(client, answer, view):
    answered = client.get(f"/explore/{answer}", follow_redirects=False)
    assert answered.status_code == 303
    assert answered.headers["location"] == f"/explore/{answer}/{view}"


@pytest.mark.parametrize("address", ["/explore", "/explore/poker/strategy?set=1", "/explore/tiger/controller?node=0"])
def test_a_fragment_is_the_main_part_of_the_same_page(client, address):
    part = client.get(address, headers={"x-fragment": "main"})
    assert part.status_code == 200
    assert part.text in client.get(address).text


def test_a_cell_of_a_strategy_says_what_each_move_is_worth(client):
    text = page(client, "/explore/poker/strategy")
    (address, *_) = re.findall(r'href="(/explore/poker/strategy\?set=\d+)"', text)
    chosen = page(client, address.replace("&amp;", "&"))
    assert "Worth of each move, if all play on as in this answer" in chosen
    assert "dealer knows" in chosen
    assert chosen.count('class="best"') >= 1
    assert "var(--lamp-line" in chosen


def test_which_of_many_equilibria_is_said(client):
    assert "One equilibrium, the one that sequence-lp came to" in page(client, "/explore/poker/strategy")
    assert "A best reply to how the others are said to play" in page(client, "/explore/tiger/controller")


def test_a_game_is_followed_through_a_controller_by_its_links(client):
    """From the start, by what is seen, as far as arrows lead; each page says the way that was taken."""
    here = "/explore/tiger/controller"
    seen = []
    for _ in range(4):
        text = page(client, here)
        steps = re.findall(r'<li><a data-swap href="([^"]+)"><span class="seen">', text)
        assert steps
        here = steps[0].replace("&amp;", "&")
        seen.append(int(re.search(r"node=(\d+)", here)[1]))
    trail = re.findall(r'aria-label="The way here">(.*?)</nav>', page(client, here))[0]
    assert [int(node) for node in re.findall(r"node (\d+)", trail)] == seen
    assert "one game goes through nodes" in page(client, here)


def test_the_worth_of_a_node_is_what_play_from_there_earns(solved_folder):
    answer = fb.load(solved_folder / "runs" / "tiger" / "solution.npz")
    held = fb.look(answer).visitation()
    first = next(iter(fb.look(answer).automaton().first.values()))
    assert held.values[first] == pytest.approx(answer.value, abs=1e-9)


def test_a_tree_opens_at_any_node(client):
    text = page(client, "/explore/poker/tree?node=1")
    assert "the start" in text
    assert "9 nodes" in text
    assert "/explore/poker/tree?node=0" in text


@pytest.mark.parametrize(
    ("file", "begins"),
    [
        ("poker/strategy.svg", b"<svg"),
        ("poker/strategy.pdf", b"%PDF"),
        ("poker/strategy.csv", b"player,information_set,action"),
        ("poker/strategy.py", b"import fogbound as fb"),
        ("tiger/bounds.csv", b"iteration,seconds,value,lower,upper"),
        ("rps/matrix.csv", b"first,second,pays first"),
        ("poker/tree.svg?node=1", b"<svg"),
    ],
)
def test_what_is_seen_can_be_taken_away(client, file, begins):
    answer = client.get(f"/explore/{file}")
    assert answer.status_code == 200
    assert answer.content.startswith(begins)
    assert answer.headers["content-disposition"].startswith("attachment")


def test_the_lines_of_python_make_the_picture(client, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = client.get("/explore/poker/strategy.py").text
    exec(lines, {})
    assert (tmp_path / "strategy.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/explore/nobody/strategy", 404),
        ("/explore/..%2f..%2fetc/strategy", 404),
        ("/explore/%00/strategy", 404),
        ("/explore/poker/nothing", 404),
        ("/explore/poker/strategy.exe", 404),
        ("/explore/poker/strategy?set=9999", 404),
        ("/explore/poker/strategy?set=-1", 400),
        ("/explore/poker/strategy?set=1e9", 400),
        ("/explore/tiger/controller?node=99999999999999999999", 400),
        ("/explore/tiger/controller?node=5000", 404),
        ("/explore/tiger/controller?node=1&path=a-b", 400),
        ("/explore/tiger/controller?seed=x", 400),
        ("/explore/poker/tree?node=4000", 404),
        ("/explore/poker/strategy?player=nobody", 400),
        ("/explore/poker/strategy?player=<script>", 400),
    ],
)
def test_what_cannot_be_looked_at_is_a_clear_page(client, address, status):
    answer = client.get(address)
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert "<script>" not in answer.text


def test_a_trail_that_no_arrow_allows_is_left_out(client):
    text = page(client, "/explore/tiger/controller?node=0&path=77-3-99999")
    assert "node 77" not in text


@pytest.mark.slow
def test_a_damaged_file_is_said_to_be_one(tmp_path):
    place = tmp_path / "runs" / "broken"
    place.mkdir(parents=True)
    (place / "solution.npz").write_bytes(b"PK not a solution")
    with TestClient(make_app(Settings(folder=tmp_path)), base_url="http://127.0.0.1:8642") as client:
        assert "cannot be read" in page(client, "/explore")
        answer = client.get("/explore/broken/strategy")
        assert answer.status_code == 400
        assert str(tmp_path) not in answer.text


class Hostile(fb.Game):
    """Names of players, actions and observations that would be markup."""

    players = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>')

    def start(self):
        return fb.Dist.sure(fb.Outcome("s", public="</svg><script>x</script>"))

    def actors(self, state):
        return (0, 1) if state == "s" else ()

    def actions(self, state, player):
        return ["<b onclick=x>", "&lt;script&gt;'\"\x00"]

    def step(self, state, joint):
        paid = 1.0 if joint[0] == joint[1] else -1.0
        return fb.Dist.sure(fb.Outcome("over", (paid, -paid)))


class Met(HTMLParser):
    """Tags, names of attributes and sources of scripts, as a browser reads them."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.scripts = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "script":
            self.scripts.append(dict(attrs).get("src"))


SOURCE = '''
import fogbound as fb
from tests.web.test_explore import Hostile as Told

class Hostile(Told):
    """Rules with <script>alert(1)</script> and `<b>` in them."""
'''


@pytest.mark.slow
def test_hostile_labels_are_escaped(tmp_path):
    source = tmp_path / "hostile.py"
    source.write_text(SOURCE)
    own = f"{source}:Hostile"
    game = fb.game(own)
    place = tmp_path / "runs" / "h"
    place.mkdir(parents=True)
    fb.solve(game, "sequence-lp").save(place / "solution.npz")
    name = '<i>"hostile"'
    settings = Settings(folder=tmp_path, own={name: own})
    with TestClient(make_app(settings), base_url="http://127.0.0.1:8642") as client:
        addresses = [
            "/",
            "/explore",
            f"/games/{quote(name)}",
            *(f"/explore/h/{view}" for view in VIEWS),
            "/explore/h/tree?node=1",
        ]
        for address in addresses:
            text = page(client, address)
            assert "\x00" not in text
            met = Met()
            met.feed(text)
            assert not met.tags & {"img", "i", "iframe"}, address
            assert met.scripts == ["/static/fog.js"], address
            assert not [name for name in met.attributes if name.startswith("on") or name == "style"], address


@pytest.mark.slow
def test_a_file_that_changes_is_read_anew(solved_folder, tmp_path):
    place = tmp_path / "runs" / "one"
    place.mkdir(parents=True)
    shutil.copy(solved_folder / "runs" / "poker" / "solution.npz", place / "solution.npz")
    with TestClient(make_app(Settings(folder=tmp_path)), base_url="http://127.0.0.1:8642") as client:
        assert "card-poker" in page(client, "/explore/one/bounds")
        shutil.copy(solved_folder / "runs" / "rps" / "solution.npz", place / "solution.npz")
        assert "rock-paper-scissors" in page(client, "/explore/one/bounds")


def test_worth_of_moves_agrees_with_the_value_of_the_game():
    """Averaged over what is dealt, the best move at the first decision earns the value."""
    game = fb.game("card-poker(ranks=4)")
    looked = fb.look(fb.solve(game, "sequence-lp"))
    assert looked.on_tree.value[0] == pytest.approx([looked.solution.value, -looked.solution.value], abs=1e-9)
    form = looked.tree_form
    first = [h for h in form.sets_of(0).tolist() if form.memory_up[form.set_memory[h]] < len(form.players)]
    found = [looked.on_tree.at(h) for h in first]
    total = sum(one.reached * max(value for _, _, value in one.moves) for one in found)
    assert total == pytest.approx(looked.solution.value, abs=1e-9)
    assert np.isclose(sum(one.reached for one in found), 1)


@pytest.mark.slow
def test_the_server_itself_builds_nothing_of_what_a_file_names(client, monkeypatch):
    """A file may name a game of any size: whatever is drawn of it is drawn under limits, in the process that looks."""
    from fogbound.naming import games as naming

    for package in (fb, fb.api, naming):  # the first two find theirs in the last, when it is first asked for
        monkeypatch.setattr(package, "game", None)
    monkeypatch.setattr("fogbound.naming.solved.problem", None)
    for address in ("/explore/poker", "/explore/poker/strategy?set=2", "/explore/poker/tree.svg?node=3"):
        assert client.get(address).status_code == 200


@pytest.mark.slow
def test_an_answer_that_came_too_late_is_asked_for_again(monkeypatch):
    from fogbound.web.processes import looker
    from fogbound.web.refusal import Refusal

    one = looker.Looker()
    answers = [looker.LATE, {"players": []}]
    monkeypatch.setattr(one, "_answer", lambda *_: answers.pop(0))
    with pytest.raises(Refusal, match="too long"):
        one.ask(about="start", game="tiger")
    assert one.ask(about="start", game="tiger") == {"players": []}
