"""The belief panel and the verdicts after a game are about the opponent that was chosen, whichever the table offers."""

from __future__ import annotations

import random
import re

import pytest

import fogbound as fb
from fogbound.web.table.opponents import PERSON, opponent_choices, opponent_words
from fogbound.web.table.panel import figure
from tests import naive_worths
from tests.web.tables import look, move, moves, serving, sit, step_of

RUN = "run:" + "a" * 32
MORE = [RUN, "some-level(levels=2, prior=[1, 2, 1])", "level-k(levels=2)", "cfr-plus(iterations=5)"]
GAMES = ["card-poker(ranks=3)", "kuhn"]
OFFERED = {spec: [text for text, _ in opponent_choices(fb.game(spec).players)] for spec in GAMES}  # by a form
CHOICES = [(spec, text) for spec in GAMES for text in OFFERED[spec] + MORE if text != PERSON]
SHOWN = re.compile(r'class="move[^"]*"[^>]*aria-label="(.*?), worth (.*?)(?:, best)?"')


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("home")) as client:
        client.table.insights.patience = client.table.insights.briefly = 60.0
        yield client


def check_panel(client, link, said):
    """What the page of a seat shows, against the oracle; the best of each decision's worths."""
    kept, player = client.table.find(link.removeprefix("/table/"))
    page = look(client, link)
    history = tuple(kept.sitting.people[player].seat.history)
    others = {i: future.result() for i, future in kept.policies.items()}
    courses = naive_worths.following(kept.game, player, others, history)
    exact = naive_worths.worths(kept.game, player, courses)
    shown = dict(SHOWN.findall(page))
    expected = {a: fb.inference.fog.Worth(a, v, v, False) for a, v in exact.items()}
    assert shown == {kept.game.describe(action): figure(worth) for action, worth in expected.items()}
    assert f"Exact {said}, with optimal play from here on." in page
    assert f"By Bayes&#39; rule {said}." in page or f"By Bayes' rule {said}." in page
    return exact


def check_game(client, spec, seat, text, seed):
    """A whole game with the panel on, and what it says of the moves in the end."""
    link, rng, cost, best = sit(client, spec, seat, text), random.Random(seed), 0.0, 0
    said = f"against {opponent_words(text)}"
    look(client, link)
    client.post(f"{link}/fog", data={"lift": "1"})
    kept, player = client.table.find(link.removeprefix("/table/"))
    while not kept.over:
        exact = check_panel(client, link, said)
        page = look(client, link)
        place = rng.choice(moves(page))
        value = exact[kept.sitting.people[player].actions[place]]
        cost += max(exact.values()) - value
        best += value > max(exact.values()) - 1e-7
        move(client, link, place, step_of(page))
        look(client, link)
    page = look(client, link)
    assert f"with what you could know then, {said}." in page
    given = re.search(r"Value given away</dt><dd[^>]*>([^<]*)<", page)[1]
    assert float(given.replace("−", "-")) == pytest.approx(cost, abs=1e-3)
    assert re.search(rf"Moves that were best</dt><dd>{best} of ", page)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "text"), CHOICES)
def test_the_panel_is_about_the_opponent_that_was_chosen(client, spec, text):
    folder = client.table.opponents.runs / RUN.removeprefix("run:")
    folder.mkdir(parents=True, exist_ok=True)
    fb.solve(spec, "cfr-plus", iterations=3, certify=False).save(folder / "solution.npz")
    for seat in range(2):
        check_game(client, spec, seat, text, seat)


def test_random_play_needs_no_solver(client):
    for seed in range(4):
        check_game(client, "kuhn", seed % 2, "uniform", seed)


def test_against_a_person_the_panel_says_what_it_assumes(client):
    """Nobody knows a person's policy: no figure is called exact without what it takes the person for."""
    link = sit(client, "kuhn", 0, PERSON)
    client.post(f"{link}/fog", data={"lift": "1"})
    page = look(client, link)
    assert "Exact if player-2, a person, plays at one of levels 0 to 3 (equally likely before the game)" in page
    assert "Exact," not in page
