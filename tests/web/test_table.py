"""The table: whole games, bad input, a killed server, people by links, what is kept and what can be taken away."""

from __future__ import annotations

import json
import re

import pytest

from fogbound.__main__ import main
from fogbound.api import game as make_game
from fogbound.arena import log
from fogbound.games import GAMES
from fogbound.web.streams import EventStreams
from fogbound.web.table import store as stored
from tests.web.tables import look, move, moves, others, play_out, serving, sit, step_of


@pytest.fixture
def client(tmp_path):
    with serving(tmp_path) as client:
        yield client


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("game", "seat"), [("po-nim(n=3)", 1), ("card-poker", 0), ("king-up", 1), ("pursuit", 0), ("kuhn(seats=3)", 2)]
)
def test_a_whole_game(client, game, seat):
    link = sit(client, game, seat)
    page = play_out(client, link, lambda places: places[-1] if game == "king-up" else places[0])
    assert "Your play" in page
    kept, player = client.table.find(link.removeprefix("/table/"))
    assert player == seat
    assert kept.sitting.result.ended == "over"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", list(GAMES))
def test_every_game_can_be_begun(client, name):
    form = client.get(f"/table/new?game={name}")
    assert form.status_code == 200
    page = client.get(sit(client, name)).text
    assert "Your move" in page or "film" in page
    assert 'style="' not in page  # the content policy forbids it


@pytest.mark.slow
def test_parameters_come_from_the_form(client):
    answer = client.post("/table/new", data={"game": "po-nim", "p.n": "5", "p.fail": "", "seat": "second"})
    page = client.get(answer.headers["location"]).text
    assert "po-nim(n=5)" in page
    assert "You are second" in page


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"game": "no-such-game"}, 404),
        ({"game": ""}, 400),
        ({}, 400),
        ({"game": "po-nim", "p.n": "0"}, 400),
        ({"game": "po-nim", "p.n": "3)(", "against": "uniform"}, 400),
        ({"game": "po-nim", "p.n": "9" * 300}, 400),
        ({"game": "po-nim", "p.nothing": "1"}, 400),
        ({"game": "po-nim", "seat": "7"}, 400),
        ({"game": "po-nim", "seat": "nobody"}, 400),
        ({"game": "po-nim", "against": "no-solver"}, 400),
        ({"game": "po-nim", "against": "bot.py:Bot"}, 400),
        ({"game": "po-nim", "against": "/etc/passwd"}, 400),
        ({"game": "po-nim", "against": "x.npz"}, 400),
        ({"game": "po-nim", "against": "level-k(level=-1)"}, 400),
        ({"game": "po-nim", "against": "run:../../secret"}, 404),
        ({"game": "po-nim", "against": "run:" + "0" * 32}, 404),
        ({"game": "po-nim", "against": ["uniform", "uniform"]}, 400),
        ({"game": "my_game.py:MyGame"}, 400),
        ({"game": "../x.pomdp"}, 400),
    ],
)
def test_what_cannot_be_begun(client, data, status):
    answer = client.post("/table/new", data=data)
    assert answer.status_code == status, answer.text
    assert "Traceback" not in answer.text
    assert not list(client.table.folder.iterdir())


def test_a_stale_move_changes_nothing(client):
    link = sit(client, "po-nim(n=3)", 0)
    page = client.get(link).text
    assert move(client, link, 0, step_of(page)).status_code == 303
    now = client.get(link).text
    again = move(client, link, 0, step_of(page))  # a double click, or another tab
    assert again.status_code == 409
    assert "earlier position" in again.text
    assert step_of(again.text) == step_of(now)  # with the position as it is
    assert client.get(link).text == now


@pytest.mark.parametrize(
    ("step", "place", "status"),
    [
        (0, 99, 400),
        (0, -1, 400),
        (5, 0, 409),
        (-1, 0, 409),
        ("x", 0, 422),
        (0, "", 422),
        ("[1]", 0, 422),
        (0, "1e9", 422),
    ],
)
def test_moves_that_are_none(client, step, place, status):
    link = sit(client, "po-nim(n=3)", 0)
    before = client.get(link).text
    answer = client.post(f"{link}/move", data={"step": step, "place": place})
    assert answer.status_code == status
    assert client.get(link).text == before


@pytest.mark.parametrize(
    "link", ["x", "0" * 65, "0" * 32 + "." + "0" * 32, "../../etc/passwd", "%2e%2e%2fsecret", "0" * 32 + ".", "a.b%00"]
)
def test_links_that_are_none(client, link):
    for answer in (client.get(f"/table/{link}"), client.post(f"/table/{link}/move", data={"step": 0, "place": 0})):
        assert answer.status_code in (404, 405)
        assert "Traceback" not in answer.text


def test_another_seats_secret_is_needed(client):
    link = sit(client, "po-nim(n=3)", 0)
    game = link.partition(".")[0]
    assert client.get(f"{game}.{'0' * 32}").status_code == 404
    assert client.get(game).status_code == 404


def _in_the_middle(client):
    """A game that is not over after a move: then its page does not wait for what moves cost."""
    while True:
        link = sit(client, "po-nim(n=5)", 1)
        move(client, link, 0)
        if "film" not in client.get(link).text:
            return link


@pytest.mark.slow
def test_a_killed_server_loses_nothing(tmp_path):
    with serving(tmp_path) as client:
        link = sit(client, "card-poker(ranks=5)", 0)
        nim = _in_the_middle(client)
        client.post(f"{nim}/fog", data={"lift": "1"})
        client.post(f"{nim}/fog", data={"lift": "0"})
        before = client.get(link).content, client.get(nim).content
    with serving(tmp_path) as client:  # nothing was said to the first one: all that is known is on disk
        assert (client.get(link).content, client.get(nim).content) == before
        assert "assisted" in client.get(nim).text
        play_out(client, nim)


def test_a_choice_that_waits_for_others_is_kept(tmp_path):
    with serving(tmp_path) as client:
        one = sit(client, "rock-paper-scissors", 0, "person")
        (other,) = others(client, one)
        move(client, one, 2)
    with serving(tmp_path) as client:
        assert "You have chosen" in client.get(one).text
        assert not others(client, one)  # they were shown once, before the server was started again
        move(client, other, 0)  # rock blunts scissors
        assert "You lost" in client.get(one).text
        assert "You won" in client.get(other).text


@pytest.mark.slow
def test_games_beside_each_other_do_not_mix(tmp_path):
    """Eight games, a move here and a move there: each is what its own journal says, played again alone."""
    with serving(tmp_path) as client:
        games = ["po-nim(n=5)", "card-poker", "liars-dice", "goofspiel(cards=4)"]
        links = [sit(client, game, seat) for game in games for seat in (0, 1)]
        for k in range(6):
            for link in links[k % 3 :] + links[: k % 3]:
                page = client.get(link).text
                if "film" not in page:
                    move(client, link, moves(page)[k % len(moves(page))], step_of(page))
        played = [client.table.find(link.removeprefix("/table/"))[0].ready().record() for link in links]
    for link, record in zip(links, played):
        with serving(tmp_path) as client:
            assert client.table.find(link.removeprefix("/table/"))[0].ready().record() == record


@pytest.mark.slow
def test_a_line_that_was_cut_off_is_none(tmp_path):
    with serving(tmp_path) as client:
        link = sit(client, "po-nim(n=5)", 0)
        move(client, link, 0)
        before = client.get(link).content
        (path,) = client.table.folder.iterdir()
    path.write_bytes(path.read_bytes() + b'{"step":[')
    with serving(tmp_path) as client:
        assert client.get(link).content == before


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"{}\n", b"[]\n", b"x\n", b'{"fogbound":"table","schema":9}\n'])
def test_a_damaged_journal_is_said_to_be(tmp_path, damage):
    with serving(tmp_path) as client:
        link = sit(client, "po-nim(n=5)", 0)
        (path,) = client.table.folder.iterdir()
    path.write_bytes(damage)
    with serving(tmp_path) as client:
        answer = client.get(link)
        assert answer.status_code == 410
        assert "damaged" in answer.text


@pytest.mark.slow
def test_a_journal_of_other_rules_is_refused(tmp_path):
    with serving(tmp_path) as client:
        link = sit(client, "po-nim(n=5)", 0)
        (path,) = client.table.folder.iterdir()
    with path.open("ab") as file:
        file.write(b'{"step":[77]}\n')
    with serving(tmp_path) as client:
        assert client.get(link).status_code == 410


def test_the_log_is_read_by_infer(client, tmp_path, capsys):
    link = sit(client, "po-nim(n=3)", 1)
    assert client.get(f"{link}/log").status_code == 404  # it would tell all
    play_out(client, link)
    answer = client.get(f"{link}/log")
    assert answer.headers["content-disposition"].startswith('attachment; filename="po-nim-')
    path = tmp_path / "game.jsonl"
    path.write_bytes(answer.content)
    (record,) = log.load_log(path, make_game("po-nim(n=3)"))
    assert len(record.histories) == 2
    assert main(["infer", "po-nim(n=3)", str(path), "--player", "second", "--levels", "1"]) == 0
    assert "second is" in capsys.readouterr().out


def test_lifting_the_fog_marks_the_game(client):
    client.table.insights.patience = 60.0
    link = sit(client, "po-nim(n=3)", 0)
    assert "Worth of each move" not in client.get(link).text
    client.post(f"{link}/fog", data={"lift": "1"})
    page = client.get(link).text
    assert "Worth of each move" in page
    assert 'aria-checked="true"' in page
    assert re.search(r'class="move best"[^>]*aria-label="take . of (yours|theirs), worth \+', page)
    client.post(f"{link}/fog", data={"lift": "0"})
    page = client.get(link).text
    assert "Worth of each move" not in page
    assert "counts as assisted" in page


@pytest.mark.slow
def test_what_the_moves_cost_and_which_level_it_was(client):
    client.table.insights.briefly = 60.0
    page = play_out(client, sit(client, "po-nim(n=2)", 0))
    assert "Moves that were best" in page
    assert "You played as" in page


@pytest.mark.slow
def test_earlier_positions_have_links(client):
    link = sit(client, "po-nim(n=5)", 0)
    first = client.get(link).text
    move(client, link, 0)
    page = client.get(f"{link}?step=0").text
    assert "After step 0" in page
    assert not moves(page)
    drawing = re.search(r"<svg xmlns.*?</svg>", first, re.DOTALL)[0]
    assert drawing in page  # what was seen then
    assert client.get(f"{link}?step=99").status_code == 200
    assert client.get(f"{link}?step=x").status_code == 422


def test_playing_from_a_position(client):
    link = sit(client, "leduc", 0)
    assert client.post(f"{link}/from", data={"step": 0}).status_code == 409
    play_out(client, link)
    kept, _ = client.table.find(link.removeprefix("/table/"))
    step = kept.sitting.count - 1
    answer = client.post(f"{link}/from", data={"step": step})
    assert answer.status_code == 303
    made, player = client.table.find(answer.headers["location"].removeprefix("/table/"))
    assert player == 0
    assert made.ready().steps[: step + 1] == kept.sitting.steps[: step + 1]
    assert made.assisted == {0}
    assert client.post(f"{link}/from", data={"step": 10_000}).status_code == 404
    again = client.post(f"{answer.headers['location']}/end")
    assert again.status_code == 303
    twice = client.post(f"{answer.headers['location']}/from", data={"step": 1})
    made, _ = client.table.find(twice.headers["location"].removeprefix("/table/"))
    assert made.ready().steps[:2] == kept.sitting.steps[:2]


def test_play_again_is_another_game(client):
    link = sit(client, "card-poker", 1)
    play_out(client, link)
    answer = client.post(f"{link}/again")
    assert answer.status_code == 303
    assert answer.headers["location"] != link
    assert "You are dealer" in client.get(answer.headers["location"]).text


def test_a_game_that_does_not_end_can_be_ended(client):
    link = sit(client, "tiger")
    move(client, link, 0)
    assert client.post(f"{link}/end").status_code == 303
    page = client.get(link).text
    assert "before its rules ended it" in page
    assert json.loads(client.get(f"{link}/log").text.splitlines()[1])["returns"] == [-1.0]
    assert client.post(f"{link}/end").status_code == 303  # twice is once
    assert move(client, link, 0, 1).status_code == 409


def test_a_live_search_plays(tmp_path):
    with serving(tmp_path) as client:
        link = sit(client, "kuhn", 1, "is-mcts(simulations=20)")
        assert "good play (is-mcts)" in look(client, link)
        play_out(client, link)
    with serving(tmp_path) as client:
        assert "film" in look(client, link)


@pytest.mark.slow
def test_a_saved_solution_plays(client):
    import fogbound as fb

    folder = client.table.opponents.runs / ("a" * 32)
    folder.mkdir(parents=True)
    fb.solve("card-poker(ranks=3)", "sequence-lp").save(folder / "solution.npz")
    link = sit(client, "card-poker(ranks=3)", 0, f"run:{'a' * 32}")
    assert "a saved solution" in client.get(link).text
    play_out(client, link)
    other = sit(client, "card-poker(ranks=4)", 0, f"run:{'a' * 32}")  # it is of another game
    answer = client.get(other)
    assert answer.status_code == 400
    assert "Choose another opponent" in answer.text


def test_games_of_ones_own_and_models(tmp_path):
    model = tmp_path / "two.pomdp"
    model.write_text(
        "discount: 0.9\nvalues: reward\nstates: 2\nactions: 2\nobservations: 2\nstart: uniform\nT: *\nidentity\n"
        "O: *\nuniform\nR: 0 : 0 : * : * 1\n"
    )
    with serving(tmp_path / "home", two=str(model)) as client:
        link = sit(client, "two")
        assert "You play alone" in client.get(link).text
        assert move(client, link, 1).status_code == 303
        assert client.get("/table/new?game=two").status_code == 200


@pytest.mark.slow
def test_games_in_memory_are_few_and_none_is_lost(client, monkeypatch):
    monkeypatch.setattr(stored, "MOST", 3)
    links = [sit(client, "po-nim(n=5)", 0) for _ in range(6)]
    assert len(client.table) == 3
    for link in links:
        assert move(client, link, 0).status_code == 303
    assert len(client.table) == 3
    monkeypatch.setattr(stored, "IDLE", -1.0)
    client.get(links[0])
    assert len(client.table) == 0


def test_a_waiting_page_is_told_to_look_again(client):
    one = sit(client, "rock-paper-scissors", 0, "person")
    move(client, one, 0)
    page = client.get(one).text
    stream = re.search(r'data-stream="([^"]+)"', page)[1]
    assert "noscript" in page
    (other,) = others(client, one)
    move(client, other, 0)
    answer = client.get(stream)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "event: over" in answer.text
    assert len(client.table.streams) == 0


def test_streams_are_few(client, monkeypatch):
    link = sit(client, "po-nim")
    client.table.streams = EventStreams(0)
    assert client.get(f"{link}/live").status_code == 503


def test_an_opponent_that_cannot_be_had(client):
    link = sit(client, "tiger", 0, "uniform")  # nobody else plays: what is named is not asked for
    assert "You play alone" in client.get(link).text


def test_examples_in_its_modules():
    import doctest
    import importlib
    import pkgutil

    from fogbound.web import table

    inside = [
        importlib.import_module(f"{table.__name__}.{module.name}") for module in pkgutil.iter_modules(table.__path__)
    ]
    results = [doctest.testmod(module) for module in inside]
    assert sum(result.attempted for result in results) >= 5
    assert not sum(result.failed for result in results)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["goofspiel(cards=3000000)", "liars-dice(dice=60)", "random(size=100000000)"])
def test_a_game_that_cannot_begin_costs_its_visitor_a_line_and_the_server_nothing(client, spec):
    answer = client.post("/table/new", data={"game": spec}, headers={"origin": str(client.base_url).rstrip("/")})
    assert answer.status_code in (303, 400, 404)
    assert "Traceback" not in answer.text
    assert client.get("/table/new?game=po-nim").status_code == 200


@pytest.mark.parametrize("game", ["po-nim", "leduc", "king-up"])
def test_a_page_says_once_that_it_is_your_move(tmp_path, game):
    """The sentence below the board does; the picture says so to those who hear it."""
    with serving(tmp_path) as client:
        page = look(client, sit(client, game))
        shown = re.sub(r'aria-label="[^"]*"', "", page)
        assert shown.lower().count("your move<") + shown.count("Your move.") == 1


@pytest.mark.slow
def test_the_grid_of_the_fog_has_short_heads(tmp_path):
    with serving(tmp_path) as client:
        client.table.insights.patience = 60.0
        link = sit(client, "po-nim(n=2)", 0, "level-k(level=1)")
        look(client, link)
        client.post(f"{link}/fog", data={"lift": "1"})
        page = look(client, link)
        assert "stones left:" in page
        assert "●" not in page.partition("What you can infer")[2].partition("</section>")[0]
