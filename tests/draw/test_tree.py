"""Pictures of game trees: whole, honest about what is left out, information sets in one piece."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.draw import tree
from fogbound.draw.layout.tree import tree_layout
from fogbound.forms.tree import END
from fogbound.games import make
from tests.draw.made import SVG, checked, made_tree, marked, words_in

SPECS = ["king-ace", "card-poker(ranks=3)", "goofspiel(cards=3)", "rock-paper-scissors", "nasty", "random(seed=3)"]


@pytest.mark.parametrize("spec", SPECS)
def test_every_information_set_is_drawn(spec):
    form = made_tree(spec)
    root = checked(tree(form, most=400))
    assert marked(root, "data-set") == set(range(len(form.set_owner)))
    bands = {h for h in range(len(form.set_owner)) if (form.infoset == h).sum() > 1}
    assert marked(root, "data-band") == bands
    assert not [w for w in words_in(root) if w.startswith("…")]


def test_moves_chances_and_pays_are_printed():
    said = words_in(checked(tree(made_tree("king-ace"))))
    assert said.count("1/6") == 2
    assert said.count("1/3") == 2
    assert {"raise", "check", "call", "fold", "A | K", "+2", "−2", "0"} <= set(said)
    assert "ends: payoff to first" in said


def test_all_players_are_paid_where_the_sum_varies():
    said = words_in(checked(tree(made_tree("nasty"), most=400)))
    assert {"1,", "−0.5,", "1e−9"} <= set(said)


@pytest.mark.parametrize(("spec", "most"), [("card-poker(ranks=8)", 200), ("leduc", 200), ("leduc", 10), ("leduc", 1)])
def test_cuts_say_how_much_is_missing(spec, most):
    form = made_tree(spec)
    root = checked(tree(form, most=most))
    said = words_in(root)
    missing = sum(int(re.sub(r"\D", "", w)) for w in said if w.startswith("…"))
    shown = tree_layout(form, most).shown
    assert shown <= most
    assert shown + missing == form.size
    assert any(f"the first {shown:,} of {form.size:,} nodes" in w for w in said)


def test_parents_stand_in_the_middle_and_sets_in_one_lane():
    form = made_tree("card-poker(ranks=3)")
    plan = tree_layout(form, 200)
    for v in range(form.size):
        below = plan.children(v)
        assert (form.mover[v] == END) == (not below)
        if below:
            assert plan.y[v] == pytest.approx((plan.y[below[0]] + plan.y[below[-1]]) / 2)
    for nodes in plan.bands.values():
        assert len({(plan.column[v], plan.lane[v]) for v in nodes}) == 1
    spans = [
        (plan.column[nodes[0]], plan.lane[nodes[0]], plan.y[nodes[0]], plan.y[nodes[-1]])
        for nodes in plan.bands.values()
    ]
    for k, (column, lane, top, bottom) in enumerate(spans):
        for other in spans[k + 1 :]:
            assert (column, lane) != other[:2] or bottom < other[2] or other[3] < top


def test_sets_along_one_line_of_play_cannot_share_a_column():
    form = made_tree("king-ace")
    absent_minded = replace(form, infoset=np.where(form.infoset >= 0, 0, -1))
    plan = tree_layout(absent_minded, 200)
    assert all(plan.column[v] == plan.column[form.parent[v]] + 1 for v in range(1, form.size))
    checked(tree(absent_minded))


def test_same_bytes():
    assert tree(made_tree("card-poker(ranks=3)")) == tree(made_tree("card-poker(ranks=3)"))


def test_describe_names_the_moves():
    root = checked(tree(made_tree("king-ace"), describe=lambda move: f"to {move}"))
    assert "to raise" in words_in(root)
    titles = [e.text for e in root.iter(f"{SVG}title")]
    assert "second knows: A · raise" in titles


def test_hidden_chance_outcomes_are_named():
    """Nobody hears where the tiger is at the start, but who looks at the tree must know which branch is which."""
    said = words_in(checked(tree(fb.game("horizon(game=tiger, steps=1)"))))
    assert {"left", "right"} <= set(said)
    assert "A | K" in words_in(checked(tree(make("king-ace"))))  # seen by somebody: nothing to add
