"""Pictures of controllers: every node, every arrow, circles too, and what is left out counted."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from fogbound.core import Dist
from fogbound.core.game import Observation
from fogbound.draw import controller, controller_dot
from fogbound.draw.controller.graph import START, controller_graph
from fogbound.draw.controller.outline import dominators, outline_rows
from fogbound.draw.layout.layered import layered_layout
from fogbound.evaluation import visitation
from fogbound.forms.pomdp import pomdp
from fogbound.games import make
from fogbound.policies import Controller, Uniform
from tests.draw.made import NASTY, checked, marked, replied, solved, words_in


def tiger() -> Controller:
    return replied("tiger").profile[0].minimal()


def tangle(size: int, seed: int) -> Controller:
    """A controller with arrows anywhere: circles, loops, unreachable nodes."""
    rng = random.Random(seed)
    mixed = Dist.of({"go": 0.25, "stay": 0.75})
    picked = [rng.choice([Dist.sure("go"), mixed, None]) for _ in range(size)]
    arrows = {
        (v, "go" if picked[v] else None, Observation(f"sight {k}", None)): rng.choice(
            [rng.randrange(size), v, (v + 1) % size]
        )
        for v in range(size)
        for k in range(3)
    }
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
    assert any(word.endswith("…") for word in words_in(root))


@pytest.mark.parametrize("seed", range(6))
def test_many_nodes_make_an_outline_that_fits_a_column(seed):
    """At 8.5 cm a picture of 500 pixels has letters of six points: what is wider cannot be read there."""
    picture = controller(tangle(236, seed), most=60)
    _, _, width, _ = map(float, checked(picture).get("viewBox").split())
    assert width <= 500
    shape = controller_graph(tangle(236, seed), str, 60)
    rows = outline_rows(shape)
    assert sorted(row.node for row in rows if row.node is not None) == sorted((START, *shape.nodes))
    told = set()  # every arrow is told: by a branch, by the next line, or by what stands behind →
    for k, row in enumerate(rows):
        assert row.above < k
        told |= {(rows[row.above].node, row.node)} if row.above >= 0 and row.node is not None else set()
        told |= {(rows[row.above].node if row.node is None else row.node, target) for _, target in row.ways}
    assert told == set(shape.arrows)


def test_what_branches_meet_in_stands_after_them():
    """As code after an `if`: two sights, one of them acted on, then the same for both."""
    sight = [Observation(word, None) for word in ("good", "bad", "calm")]
    arrows = {(0, "look", sight[0]): 1, (0, "look", sight[1]): 2, (1, "take", sight[2]): 2}
    more = {(k, "walk", sight[2]): k + 1 for k in range(2, 9)}
    nodes = (Dist.sure("look"), Dist.sure("take"), *[Dist.sure("walk")] * 8)
    rows = outline_rows(controller_graph(Controller({sight[2]: 0}, {**arrows, **more}, nodes), str, 24))
    assert [(row.depth, row.node, row.seen, row.ways) for row in rows[:5]] == [
        (0, START, "", ()),
        (0, 0, "", ()),
        (1, None, "", (("bad", 2),)),
        (1, 1, "good", (("", 2),)),
        (0, 2, "", ()),
    ]
    assert [row.node for row in rows[5:]] == list(range(3, 10))


def test_the_likeliest_nodes_come_first():
    spec = "card-poker(ranks=8)"
    policy = replied(spec).profile[0].minimal()
    form = pomdp(make(spec), 0, {1: Uniform()})
    held = visitation(form, {0: policy}, 0)
    root = checked(controller(policy, visitation=held, most=3))
    drawn = marked(root, "data-node")
    rest = set(range(policy.size)) - drawn
    reached = {target for (node, _, _), target in policy.arrows.items() if node in drawn} | set(policy.first.values())
    assert min(held.visits[v] for v in drawn) >= max(held.visits[v] for v in rest & reached)
    assert any("likeliest" in word and "% of play" in word for word in words_in(root))


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


@pytest.mark.parametrize("seed", range(20))
def test_dominators_are_on_every_way(seed):
    """Against the definition: without its dominator a node cannot be reached, and none nearer is so."""
    rng = random.Random(seed)
    after = {v: rng.sample(range(9), rng.randrange(4)) for v in range(9)}

    def reach(without: int | None) -> set[int]:
        found, fresh = set(), [0] if without != 0 else []
        while fresh:
            v = fresh.pop()
            if v not in found:
                found.add(v)
                fresh += [w for w in after[v] if w != without]
        return found

    held = dominators(0, after)
    assert held.keys() == reach(None)
    strict = {v: {d for d in held if d != v and v not in reach(d)} for v in held}
    assert all(strict[v] == {held[v]} | strict[held[v]] for v in held if v)


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
