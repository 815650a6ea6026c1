"""Pictures whose parts are links: by number, escaped, one chosen; trees from any node, under a profile."""

from __future__ import annotations

import re

import pytest

import fogbound as fb
from fogbound import draw, forms
from fogbound.core.errors import SpecError
from fogbound.draw.layout.tree import subtree
from tests.draw.made import checked


@pytest.fixture(scope="module")
def poker():
    return fb.look(fb.solve("card-poker(ranks=3)", "sequence-lp"))


def numbers(picture):
    checked(picture)
    return [int(n) for n in re.findall(r'href="\?at=(\d+)"', picture.svg)]


def link(number):
    return f"?at={number}"


def test_without_addresses_a_picture_is_one_image(poker):
    plain = draw.strategy(poker.tabular(0))
    assert "<a " not in plain.svg
    assert 'role="img"' in plain.svg


def test_every_cell_of_a_strategy_is_a_link(poker):
    picture = draw.strategy(poker.tabular(0), link=link, chosen=0)
    assert sorted(numbers(picture)) == sorted(poker.form.plexes[0].sets.tolist())
    assert 'role="group"' in picture.svg
    assert picture.svg.count("var(--lamp-line") == 1


def test_every_node_of_a_controller_is_a_link():
    for spec, solver in (("tiger", "sarsop"), ("po-nim(n=3)", "level-k(levels=2)")):  # a graph, and an outline
        looked = fb.look(fb.solve(spec, solver, gap=0.1))
        picture = looked.controller(link=link, chosen=0)
        assert set(numbers(picture)) == set(range(looked.automaton().size))
        assert "var(--lamp-wash" in picture.svg


def test_addresses_are_escaped(poker):
    picture = draw.strategy(poker.tabular(0), link=lambda _: '"><script>alert(1)</script>&')
    checked(picture)
    assert "<script" not in picture.svg


def test_a_subtree_is_the_tree_below_a_node():
    form = forms.tree(fb.game("card-poker(ranks=3)"))
    for root in range(form.size):
        part, old = subtree(form, root)
        assert part.child[-1] == part.size == len(old)
        for v in range(1, part.size):
            up = part.parent[v]
            assert old[up] == form.parent[old[v]]
            assert part.child[up] <= v < part.child[up + 1]
    with pytest.raises(SpecError, match="expected one of 0 to 54"):
        subtree(form, form.size)


def test_a_tree_under_a_profile_says_how_likely_moves_are(poker):
    picture = poker.tree(1, link=link)
    assert "0.33" in picture.svg or "0.67" in picture.svg or "1.00" in picture.svg
    assert min(numbers(picture)) >= 1
    assert "9 nodes, 4 information sets" in picture.label


def test_marks_of_other_equilibria_and_best_replies(poker):
    """In Kuhn's game the first player bets a 1 up to one time in three, and may as well do so or not."""
    lowest = int(poker.form.plexes[0].sets[0])
    assert poker.ranges(0)[lowest] == pytest.approx((0, 1 / 3), abs=1e-6)
    assert poker.best_moves(0)[lowest] == 0.5
    picture = poker.strategy(0)
    assert "any equilibrium: lowest to highest" in picture.svg
    assert "best reply to it" in picture.svg
