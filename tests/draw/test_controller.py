"""Pictures of controllers: every node, every arrow, circles too, and what is left out counted."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from fogbound.core import Dist
from fogbound.core.game import Observation
from fogbound.draw import controller, controller_dot
from fogbound.draw.layout.layered import layered_layout
from fogbound.policies import Controller
from tests.draw.made import NASTY, checked, marked, replied, solved, words_in


def tiger() -> Controller:
    return replied("tiger").profile[0].minimal()


def tangle(size: int, seed: int) -> Controller:
    """A controller with arrows anywhere: circles, loops, unreachable nodes."""
    rng = random.Random(seed)
    arrows = {
        (v, "go", Observation(f"sight {k}", None)): rng.choice([rng.randrange(size), v, (v + 1) % size])
        for v in range(size)
        for k in range(3)
    }
    mixed = Dist.of({"go": 0.25, "stay": 0.75})
    picked = [rng.choice([Dist.sure("go"), mixed, None]) for _ in range(size)]
    return Controller({Observation(None, k): k for k in range(2)}, arrows, tuple(picked), tuple(["a note"] * size))


def test_tiger_shows_all_nodes_arrows_and_notes():
    policy = tiger()
    root = checked(controller(policy))
    assert marked(root, "data-node") == set(range(5))
    said = words_in(root)
    assert said.count("listen") == 3
    assert {"open-left", "open-right", "growl-left", "growl-left, growl-right", *policy.notes} <= set(said)


@pytest.mark.parametrize("player", [0, 1])
def test_best_replies_in_poker(player):
    policy = replied("card-poker(ranks=8)", player).profile[player].minimal()
    root = checked(controller(policy))
    assert marked(root, "data-node") == set(range(policy.size))
    assert any(" to 8" in word or word == "8" for word in words_in(root))


def test_mixed_nodes_say_their_chances():
    policy = solved("card-poker(ranks=8)").profile[0].controller().minimal()
    said = words_in(checked(controller(policy)))
    assert "check 0.25, bet 0.75" in said
    assert "waits" in said


@pytest.mark.parametrize("seed", range(6))
def test_tangles_are_drawn_without_overlaps(seed):
    policy = tangle(14, seed)
    root = checked(controller(policy))
    reached = policy.minimal()
    assert len(marked(root, "data-node")) >= reached.size


@pytest.mark.parametrize("most", [1, 5, 9])
def test_nodes_left_out_are_counted(most):
    policy = tangle(40, 1)
    root = checked(controller(policy, most=most))
    shown = marked(root, "data-node")
    assert len(shown) == most
    (line,) = [word for word in words_in(root) if "nearest to the start" in word]
    assert line.startswith(f"the {most} nearest to the start, ")
    assert any(word.endswith("…") and "sight" in word for word in words_in(root))


def test_empty_and_single():
    checked(controller(Controller({}, {}, (), ())))
    root = checked(controller(Controller({Observation(None, None): 0}, {}, (Dist.sure("go"),))))
    assert "go" in words_in(root)


def test_nasty_names_are_only_text():
    names = {(0, NASTY[0], Observation(name, None)): 0 for name in NASTY}
    policy = Controller({Observation(*NASTY[:2]): 0}, names, (Dist.uniform(NASTY),), (NASTY[1],))
    assert any('<b>&"' in word for word in words_in(checked(controller(policy))))
    dot = controller_dot(policy)
    assert "\x00" not in dot + controller(policy).text
    for line in dot.splitlines()[5:-1]:
        assert line.replace("\\\\", "").replace('\\"', "").count('"') in (2, 4)


def test_text_and_dot_leave_nothing_out():
    policy = tiger()
    told, dot = controller(policy).text, controller_dot(policy)
    assert told.startswith("controller with 5 nodes\n\nstart\n")
    assert "3  open-right · 0.97" in told
    assert "    growl-left, growl-right → 0" in told
    assert dot.count(" -> ") == 9
    assert dot.startswith("digraph controller {")
    assert dot.endswith("}\n")


def test_layers_keep_items_apart():
    arrows = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (3, 1), (3, 3)]
    plan = layered_layout([(40, 40)] * 4, arrows, [(30, 20)] * len(arrows), (0, 0))
    assert plan.back == [5, 6]
    for a, b in combinations(plan.items, 2):
        if a.layer == b.layer:
            assert abs(a.y - b.y) >= (a.height + b.height) / 2
    for chain in plan.chains.values():
        assert [plan.items[i].layer for i in chain] == list(
            range(plan.items[chain[0]].layer, plan.items[chain[-1]].layer + 1)
        )


def test_same_bytes():
    for draw in (controller, controller_dot):
        assert draw(tangle(20, 3)) == draw(tangle(20, 3))
