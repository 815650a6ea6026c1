"""Pictures fit a paper's column: titles wrap, axes say what they mean, nothing is cut."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import fogbound as fb
from fogbound.core import measure, svg
from fogbound.draw.chart import tick_names
from fogbound.driver.protocol import TraceEntry

WIDEST = 640
TITLE = "Bounds of SARSOP on the tiger problem with an accuracy of 0.85 and a discount of 0.95, as printed in 1998"


def trace(*gaps):
    return [TraceEntry(k, 0.1 * k, 0.5, 0.5 - gap / 2, 0.5 + gap / 2, gap) for k, gap in enumerate(gaps, 1)]


def words_of(drawing):
    return [element.text for element in ElementTree.fromstring(drawing.svg).iter("{http://www.w3.org/2000/svg}text")]


def box_of(drawing):
    return [float(x) for x in ElementTree.fromstring(drawing.svg).get("viewBox").split()]


@pytest.mark.parametrize(
    "draw",
    [
        lambda title: fb.draw.bounds(trace(1.0, 0.1), title=title),
        lambda title: fb.draw.gaps({"run": trace(1.0, 0.1)}, title=title),
        lambda title: fb.draw.bounds([], title=title),
        lambda title: fb.draw.tree(fb.game("king-ace"), title=title),
    ],
)
def test_long_titles_wrap_and_are_not_cut(draw):
    whole, short = draw(TITLE), draw("Bounds")
    assert TITLE in " ".join(words_of(whole))
    left, top, wide, high = box_of(whole)
    assert wide <= WIDEST
    assert left == 0
    assert top < 0  # what does not fit in the first line stands above
    assert high - box_of(short)[3] == -top
    for element in ElementTree.fromstring(whole.svg).iter("{http://www.w3.org/2000/svg}text"):
        assert float(element.get("y")) - top > 12


def test_a_word_wider_than_the_picture_is_broken_and_a_percent_sign_is_not():
    assert "".join(measure.lines_of("m" * 100, 200)) == "m" * 100
    assert max(map(measure.width_of, measure.lines_of("m" * 100, 200))) <= 200
    assert not [line for line in measure.lines_of("bands are 95 % intervals " * 9, 150) if line.startswith("%")]
    assert svg.wrapped_heading("", "", 100).above == 0


def test_bounds_show_the_gap_on_a_logarithmic_axis():
    drawn = words_of(fb.draw.bounds(trace(1.0, 0.1, 0.001)))
    assert "gap: upper minus lower bound" in drawn
    assert {"1", "0.1", "0.01", "0.001"} <= set(drawn)
    assert "gap: upper minus lower bound" not in words_of(
        fb.draw.bounds([TraceEntry(1, 1.0, 0.0, -1.0, float("inf"), float("inf"))])
    )


@pytest.mark.parametrize("levels", [[0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 2.5, 5.0], [0.0, 0.5, 1.0], [0.0, 20.0, 40.0]])
def test_ticks_say_what_they_are(levels):
    assert [float(name) for name in tick_names(levels)] == levels


def test_the_tree_of_tiger_fits_a_column_and_speaks_to_you():
    game = fb.game("horizon(tiger, 1)")
    drawn = fb.draw.tree(game, describe=game.describe)
    assert box_of(drawn)[2] <= WIDEST
    assert "ends: payoff to you" in words_of(drawn)
    assert re.search(
        r"ends: payoffs to player-1, .*player-3", " ".join(words_of(fb.draw.tree(fb.game("kuhn(seats=3)"), most=20)))
    )
