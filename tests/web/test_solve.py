"""The Solve screen: forms from dataclasses, a run from the form to its files, streams with ids."""

import csv
import io
import re
from dataclasses import replace
from html import escape

import pytest
from starlette.testclient import TestClient

import fogbound as fb
from fogbound.certificates.chain import CHAIN
from fogbound.core.errors import SpecError
from fogbound.core.registry import parameters
from fogbound.core.spec import parse
from fogbound.evaluation.chain import chain
from fogbound.games import GAMES
from fogbound.solvers import SOLVERS
from fogbound.web.app import make_app
from fogbound.web.fields import fields_of, spec_from
from fogbound.web.runs.folder import Asked, RunFolder
from fogbound.web.settings import Settings
from fogbound.web.solve import routes
from fogbound.web.streams import EventStreams
from tests.web.loops import run_apart
from tests.web.waiting import until

ORIGIN = "http://127.0.0.1:8642"
FROM_HERE = {"origin": ORIGIN}
START, GROWLS = fb.Observation(None, None), [fb.Observation(f"growl-{side}", None) for side in ("left", "right")]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    settings = Settings(folder=tmp_path_factory.mktemp("home"), workers=1)
    with TestClient(make_app(settings), base_url=ORIGIN, follow_redirects=False) as client:
        yield client


def site(client):
    return client.app.app.state.site


@pytest.mark.parametrize("registry", [SOLVERS, GAMES], ids=["solvers", "games"])
def test_every_parameter_of_every_solver_and_game_has_a_field(registry):
    for name in registry:
        cls = registry.load(name)
        fields = fields_of(registry, parse(name), {}, f"{name}.")
        missing = {p.name for p in parameters(cls)} - {field.name.partition(".")[2] for field in fields}
        assert missing <= {"value"}, name  # of `resolve`: a function, which no form can hold
        assert spec_from(registry, parse(name), fields, f"{name}.") == name
        assert registry.make(spec_from(registry, parse(name), fields, f"{name}."))


def changed(text, prefix="x.", registry=GAMES, **given):
    fields = fields_of(registry, parse(text), {f"{prefix}{key}": value for key, value in given.items()}, prefix)
    return spec_from(registry, parse(text), fields, prefix)


def test_what_is_changed_in_a_form_stands_in_the_spec():
    assert changed("po-nim", n="5", fail="-2.5") == "po-nim(n=5, fail=-2.5)"
    assert changed("po-nim(n=4)", n=" ") == "po-nim"  # left empty
    assert changed("po-nim(4)") == "po-nim(n=4)"
    assert changed("kuhn(players=3)") == "kuhn(seats=3)"  # another word for it
    assert changed("stratego", army="[flag, spy]") == "stratego(army=[flag, spy])"
    assert changed("horizon(tiger, 3)", n="5") == "horizon(tiger, 3)"  # no form has fields of it
    fields = fields_of(GAMES, parse("random"), {}, "")
    assert {field.label for field in fields} >= {"actions"}


@pytest.mark.parametrize(
    ("text", "given", "why"),
    [
        ("pursuit(cops=2)", {}, "pursuit has no parameter 'cops'"),
        ("po-nim", {"stones": "5"}, "po-nim has no parameter 'stones'"),
        ("po-nim", {"n": "9" * 201}, "201 letters"),
        ("po-nim", {"n": "3)("}, "expected a number"),
        ("po-nim", {"n": "3, win=5"}, "expected a number"),
        ("rock-paper-scissors", {"biased": "perhaps"}, "expected true, false"),
    ],
)
def test_nothing_that_a_form_or_a_spec_says_is_passed_over(text, given, why):
    with pytest.raises(SpecError, match=re.escape(why)):
        changed(text, **given)


def test_what_no_form_can_hold_is_as_the_spec_has_it():
    assert changed("resolve(value=zero)", registry=SOLVERS) == "resolve(value=zero)"


def test_what_docstrings_say_of_parameters_is_in_the_form():
    fields = fields_of(SOLVERS, parse("sequence-lp"), {}, "")
    assert "HiGHS" in fields[0].about
    assert fields[0].choices == ("auto", "simplex", "ipm", "hipo")


def test_the_form_says_what_fits_and_why_the_rest_does_not(client):
    page = client.get("/solve?game=tiger").text
    assert "sarsop (fits best)" in page
    assert re.search(r'<option[^>]* disabled value="sequence-lp"', page)
    assert "no sequence form" in page
    assert 'name="tiger.accuracy" value="0.85"' in page


def test_a_spec_in_the_address_fills_the_form(client):
    page = client.get("/solve", params={"game": "card-poker(ranks=4)"}).text
    assert 'name="card-poker.ranks" value="4"' in page
    page = client.get("/solve", params={"spec": "horizon(tiger, 2)"}).text
    assert 'value="horizon(tiger, 2)"' in page


def test_a_solver_of_another_game_is_not_kept(client):
    given = {"game": "tiger", "for": "card-poker", "solver": "sequence-lp"}
    assert re.search(r'<option selected value="sarsop"', client.get("/solve", params=given).text)


@pytest.fixture(scope="module")
def kept(client):
    """A run that is over."""
    asked = {"game": "card-poker", "card-poker.ranks": "3", "solver": "sequence-lp", "seconds": "30", "gap": ""}
    answer = client.post("/solve/runs", data=asked, headers=FROM_HERE)
    assert answer.status_code == 303, answer.text
    where = answer.headers["location"]
    run = where.rpartition("/")[2]
    until(lambda: site(client).runs.get(run).over())
    until(lambda: site(client).runs.state(site(client).runs.get(run)) == "kept")
    return where


@pytest.mark.slow
def test_a_run_goes_from_the_form_to_a_certified_answer(client, kept):
    page = client.get(kept).text
    assert "What you have" in page
    assert "guarantees gambler −0.0555556 against anyone" in page
    assert "certified by the independent checker" in page
    assert "<noscript><meta" not in page
    assert kept in client.get("/solve").text


def test_all_of_a_run_can_be_taken_away(client, kept):
    found = {name: client.get(f"{kept}/{name}") for name in ("solution.npz", "strategy.csv", "trace.csv", "bounds.svg")}
    assert {answer.status_code for answer in found.values()} == {200}
    assert all("attachment" in answer.headers["content-disposition"] for answer in found.values())
    assert found["solution.npz"].content[:2] == b"PK"
    assert next(csv.reader(io.StringIO(found["strategy.csv"].text)))[0] == "player"
    assert found["bounds.svg"].text.startswith("<svg")
    lines = client.get(f"{kept}/solve.py").text
    assert "fb.solve('card-poker(ranks=3)', 'sequence-lp', seconds=30.0, seed=0)" in lines


def test_the_checker_can_be_asked_again(client, kept):
    page = client.post(f"{kept}/verify", headers=FROM_HERE).text
    assert "confirms it" in page


@pytest.mark.slow
def test_a_kept_solution_can_be_opened_again_and_is_not_believed(client, kept):
    data = client.get(f"{kept}/solution.npz").content
    answer = client.post("/open", files={"file": ("nash.npz", data)}, headers=FROM_HERE)
    page = client.get(answer.headers["location"]).text
    assert "Claimed by the file, not checked yet." in page
    assert "certified by" not in page
    assert "confirms it" in client.post(f"{answer.headers['location']}/verify", headers=FROM_HERE).text


def stream(client, run, last=""):
    """The events of a run that is over, and those of one that goes on up to the first frame."""
    events = routes._events(site(client), site(client).runs.get(run), last, "")

    async def first():
        await anext(events)  # the time after which to come back
        return await anext(events)

    return run_apart(first())


def test_a_stream_has_ids_and_a_page_that_comes_back_gets_what_is_new_and_no_more(client, kept):
    run = kept.rpartition("/")[2]
    frame = stream(client, run)
    seen = re.findall(r"^id: (.*)$", frame, re.M)[-1]
    assert frame.count("event: part") == len(routes.PARTS)
    assert stream(client, run, seen).startswith(f"id: {seen}\nevent: over")
    assert "event: over" in client.get(f"{kept}/live").text
    assert client.get(f"{kept}/live", headers={"last-event-id": seen}).text.count("event: part") == 0


def test_a_stream_draws_what_is_new_and_the_time_when_it_is_due(client, kept):
    run = site(client).runs.get(kept.rpartition("/")[2])
    version, going, frame = routes._frame(site(client), run, "", "", due=False)
    assert frame.count("event: part") == len(routes.PARTS)
    assert routes._frame(site(client), run, version, "", due=False) == (version, going, "")
    assert routes._frame(site(client), run, version, "", due=True)[2].count("event: part") == 1


def test_the_parts_of_a_stream_are_elements_of_the_page(client, kept):
    page = client.get(kept).text
    assert all(f'id="{name}"' in page for name in routes.PARTS)


def test_no_more_streams_are_open_than_there_may_be(client, kept, monkeypatch):
    monkeypatch.setattr(routes, "streams", EventStreams(0))
    assert client.get(f"{kept}/live").status_code == 503
    monkeypatch.setattr(routes, "streams", EventStreams(1))
    client.get(f"{kept}/live")
    assert len(routes.streams) == 0


def test_a_run_that_waits_says_so_and_a_page_without_scripts_looks_again(client):
    runs = site(client).runs
    folder = RunFolder(runs.folder / ("a" * 32))
    folder.begin(Asked("tiger", "sarsop"))
    page = client.get(f"/runs/{folder.id}").text
    assert "Waiting" in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert "Stop and keep" in page
    assert f'data-stream="/runs/{folder.id}/live"' in page
    runs.discard(folder)


@pytest.mark.slow
def test_the_figures_have_the_names_that_are_true_of_them(client):
    runs = site(client).runs
    for k, (answer, said) in enumerate(
        {"value": "Guaranteed", "reply": "Earns", "equilibrium": "Regret", "team": "No team earns more than"}.items()
    ):
        folder = RunFolder(runs.folder / f"{k:032x}")
        folder.begin(Asked("tiger", "sarsop"))
        folder.tell_about({"answer": answer, "players": ["x"], "player": 0})
        folder.trace.write_text("[1, 0.5, 1.0, 1.0, 2.0, 1.0]\n[2, 0.7, 1.0, 1.2, 2.0, 0.8]\n")
        page = client.get(f"/runs/{folder.id}").text
        assert said in page
        assert ("uaranteed" in page) == (answer == "value")
        runs.discard(folder)


@pytest.mark.slow
def test_a_discarded_run_is_gone(client):
    runs = site(client).runs
    folder = RunFolder(runs.folder / ("b" * 32))
    folder.begin(Asked("tiger", "sarsop"))
    assert client.post(f"/runs/{folder.id}/discard", headers=FROM_HERE).headers["location"] == "/solve"
    assert client.get(f"/runs/{folder.id}").status_code == 404
    assert not folder.path.exists()


@pytest.fixture(scope="module")
def listening(tmp_path_factory):
    """A file that proves what one policy earns, and claims an upper bound that is as low."""
    listens = fb.policies.Controller({START: 0}, {(0, "listen", seen): 0 for seen in GROWLS}, (fb.Dist.sure("listen"),))
    found, solver = fb.solve("tiger", "sarsop", iterations=3), fb.solver("belief-mdp")
    profile = {0: listens}
    proof = CHAIN.certificate(chain(fb.forms.table(fb.game("tiger")), profile), 0).check()
    claim = {"solver": "belief-mdp", "form": solver.form.kind, "finds": solver.finds}
    figures = {"value": proof.lower, "lower": proof.lower, "upper": proof.upper, "gap": proof.upper - proof.lower}
    path = tmp_path_factory.mktemp("listening") / "listening.npz"
    replace(found, profile=profile, certificate=proof, provenance={**found.provenance, **claim}, **figures).save(path)
    return path


@pytest.mark.slow
def test_a_policy_s_own_value_is_not_called_the_best_there_is(client, listening):
    assert fb.verify(listening, "tiger").kind == "chain-profile"
    answer = client.post("/open", files={"file": ("listening.npz", listening.read_bytes())}, headers=FROM_HERE)
    run = answer.headers["location"]
    proof = client.post(f"{run}/verify", headers=FROM_HERE).text
    for page in (client.get(run).text, proof):
        assert "no policy earns more" not in page
        assert "not proven" in page
    for sentence in fb.verify(listening, "tiger").words:
        assert escape(sentence) in proof
    assert "value of the game" not in proof
