"""One game followed through the picture of a controller, titles, and a key as wide as the graph."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from fogbound.arena import record
from fogbound.core import Dist
from fogbound.core.errors import SpecError
from fogbound.core.game import Observation
from fogbound.core.svg import EMBER
from fogbound.draw import controller
from fogbound.draw.controller.graph import MORE, START, controller_path
from fogbound.evaluation import Visitation
from fogbound.games import make
from fogbound.policies import Controller, Uniform
from fogbound.policies.vocabulary import Vocabulary
from tests.draw.made import NASTY, SVG, checked, replied, words_in

DEALT = Observation(None, "dealt")


def saw(word):
    return Observation(word, None)


def forked() -> Controller:
    """Node 0 waits, 1 goes and may come back to 0, 2 and 3 are ends."""
    arrows = {(0, None, saw("on")): 1, (0, None, saw("off")): 3, (1, "go", saw("again")): 0, (1, "go", saw("out")): 2}
    words = Vocabulary((DEALT, *map(saw, ("on", "off", "again", "out", "else", "won"))), ("go", "stop", "run"))
    choices = (None, Dist.sure("go"), Dist.sure("stop"), Dist.sure("stop"))
    return Controller({DEALT: 0}, arrows, choices, vocabulary=words)


ROUND = (DEALT, (None, saw("on")), ("go", saw("again")), (None, saw("on")), ("go", saw("out")))


def heavy_boxes(root):
    return {
        int(group.get("data-node"))
        for group in root.iter(f"{SVG}g")
        if group.get("data-node") and EMBER in {part.get("stroke") for part in group}
    }


def heavy_labels(root):
    """The words on the plates with the accent's edge."""
    children = list(root)
    return [b.text for a, b in pairwise(children) if a.tag == f"{SVG}rect" and a.get("stroke") == EMBER]


def heavy_arrows(root):
    return [e for e in root.findall(f"{SVG}path") if e.get("stroke") == EMBER and e.get("stroke-width") == "2.5"]


def test_exactly_the_path_stands_out():
    root = checked(controller(forked(), follow=ROUND))
    assert heavy_boxes(root) == {0, 1, 2}
    assert sorted(heavy_labels(root)) == ["again", "dealt", "on", "out"]
    assert len(heavy_arrows(root)) == 4
    assert len([e for e in root.findall(f"{SVG}path") if e.get("fill") == EMBER]) == 4
    assert "goes through nodes 0, 1, 0, 1, 2." in root.get("aria-label")
    assert "node 0: waits; the game is here after step 0, 2" in [e.text for e in root.iter(f"{SVG}title")]


def test_heavy_lines_lie_on_top():
    strokes = [e.get("stroke") for e in checked(controller(forked(), follow=ROUND)).findall(f"{SVG}path")]
    lines = [stroke == EMBER for stroke in strokes if stroke]
    assert lines == sorted(lines)
    assert set(lines) == {False, True}


def test_nothing_moves():
    """Following a game changes strokes and words, no place: the same curves, perhaps in another order."""
    plain, lit = (sorted(re.findall(r' d="([^"]*)"', controller(forked(), follow=game).svg)) for game in ((), ROUND))
    assert plain == lit
    assert controller(forked(), follow=()) == controller(forked())


def test_the_walk():
    walked = controller_path(forked(), ROUND)
    assert walked.nodes == (0, 1, 0, 1, 2)
    assert walked.arrows({0, 1, 2, 3}) == {(START, 0), (0, 1), (1, 0), (1, 2)}
    assert walked.arrows({0}) == {(START, 0), (0, MORE)}
    assert walked.arrows({0, 2}) == {(START, 0), (0, MORE)}  # what comes back from nodes not drawn has no arrow
    assert controller_path(forked(), ()).said() == ""


def test_a_path_that_leaves_the_picture_is_dotted():
    root = checked(controller(forked(), most=1, follow=ROUND))
    assert heavy_boxes(root) == {0}
    assert [e.get("stroke-dasharray") for e in heavy_arrows(root)] == [None, "1 5"]


def test_a_long_game_is_told_briefly():
    circling = (DEALT, *((None, saw("on")), ("go", saw("again"))) * 5_000)
    assert len(controller(forked(), follow=circling).svg) < len(controller(forked(), follow=ROUND).svg) + 500


def test_where_the_controller_is_left_the_picture_says_so():
    over = (*ROUND, ("stop", saw("won")))
    lost = (*over, (None, saw("and on")))
    assert controller_path(forked(), over).nodes == controller_path(forked(), ROUND).nodes
    assert (
        controller_path(forked(), over).said()
        == controller_path(forked(), ROUND).said()
        == "the heavy line is one game"
    )
    said = words_in(checked(controller(forked(), follow=lost)))
    assert any(
        word.endswith("; the heavy line is one game, which leaves the controller after 4 of 6 steps") for word in said
    )


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ((saw("else"),), "begins no game with Observation"),
        ((DEALT, (None, saw("on")), ("run", saw("out"))), "step 2 does 'run', which node 1 never chooses"),
        ((DEALT, "on"), "step 1 is 'on', expected (own action or None, what was seen)"),
    ],
)
def test_games_it_cannot_have_played(game, message):
    with pytest.raises(SpecError, match=re.escape(message)) as caught:
        controller(forked(), follow=game)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", range(3))
def test_recorded_games(seed):
    spec = "po-nim(n=3, discount=0.9)"
    game, policy = make(spec), replied(spec).profile[0].minimal()
    (kept,) = record(game, [policy, Uniform()], 1, seed)
    walked = controller_path(policy, kept.histories[0])
    assert len(walked.nodes) >= walked.observations - 1
    assert heavy_boxes(checked(controller(policy, describe=game.describe, follow=kept.histories[0]))) == set(
        walked.nodes
    )


def test_a_title_keeps_the_size():
    root = checked(controller(forked(), title="Mine"))
    assert words_in(root)[:2] == ["Mine", "Controller with 4 nodes: boxes act, arrows wait for what is seen"]
    assert root.get("aria-label").startswith("Mine: controller with 4 nodes, ")
    assert words_in(checked(controller(forked())))[0] == "Controller with 4 nodes"
    assert words_in(checked(controller(forked(), most=1, title="Mine")))[1].startswith(
        "Controller with 4 nodes: the 1 "
    )
    assert "<b>" in words_in(checked(controller(forked(), title=NASTY[0])))[0]


@pytest.mark.parametrize(("size", "rows"), [(1, 2), (6, 1)])
def test_the_key_is_as_wide_as_the_graph(size, rows):
    arrows = {(k, "go", saw("on")): k + 1 for k in range(size - 1)}
    policy = Controller({DEALT: 0}, arrows, (Dist.sure("go"),) * size)
    belief = tuple((f"a state named {k}", 0.1) for k in range(10))
    held = Visitation((1.0,) * size, (belief,) * size, {}, {})
    root = checked(controller(policy, visitation=held))
    key = [e for e in root.findall(f"{SVG}text") if e.text == "all others" or (e.text or "").startswith("a state")]
    assert len(key) == 8
    assert len({e.get("y") for e in key}) == rows
