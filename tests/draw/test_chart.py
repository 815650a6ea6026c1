"""The parts that charts share: names of ticks, labels that keep apart, keys in lines, bars that add up."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogbound.core.errors import many
from fogbound.core.svg import FOG_2, PALETTE, SURFACE
from fogbound.draw.chart import padded, tick_names, ticks
from fogbound.draw.key import BETWEEN, hatched, key, square, stroke
from fogbound.draw.rendering import foot, label_heights, polyline
from fogbound.draw.stacked import BarPart, stacked_bar


@pytest.mark.parametrize(
    ("low", "high", "names"),
    [
        (-1, 1, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
        (0, 10_000, ["0", "2 000", "4 000", "6 000", "8 000", "10 000"]),
        (0, 3e-7, ["0", "1e−7", "2e−7", "3e−7"]),
        (1e7, 1.4e7, ["1e7", "1.1e7", "1.2e7", "1.3e7", "1.4e7"]),
    ],
)
def test_ticks_have_the_decimals_that_tell_them_apart(low, high, names):
    assert tick_names(ticks(low, high)) == names


@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9))
def test_no_two_ticks_have_one_name(low, width):
    levels = ticks(*padded(low, low + width))
    assert len(set(tick_names(levels))) == len(levels)


def test_values_are_named_finer_than_the_ticks():
    assert tick_names([0.0, 0.5], [0.12345, -2], finer=2) == ["0.123", "−2.000"]


@given(st.lists(st.tuples(st.floats(100, 300), st.sampled_from([19.0, 35.0])), min_size=1, max_size=6))
def test_labels_keep_their_order_and_their_room(labels):
    wanted, rooms = sorted(height for height, _ in labels), [room for _, room in labels]
    heights = label_heights(wanted, rooms, 92, 436)
    assert all(b - a >= room - 1e-9 for (a, b), room in zip(pairwise(heights), rooms))
    assert heights[0] >= 92 - 1e-9
    assert heights[-1] + rooms[-1] <= 436 + 1e-9


def test_labels_move_as_little_as_they_must():
    assert label_heights([100, 200], [19, 19], 0, 400) == [100, 200]
    assert label_heights([100, 101], [19, 19], 0, 400) == [91, 110]  # both give way
    assert label_heights([100, 101], [19, 19], 95, 400) == [95, 114]
    assert label_heights([390, 399], [19, 19], 0, 400) == [362, 381]


def test_marks_along_the_foot_do_not_touch():
    said = re.findall(r">([^<]+)</text>", "".join(foot([(100, "1000"), (110, "1100"), (200, "2000")], 50)))
    assert said == ["1000", "2000"]


def test_polylines_go_through_their_points():
    assert polyline([(0, 0), (1.26, 2)]) == "M0 0 L1.3 2"


def test_keys_break_into_lines():
    entries = [square("one", PALETTE[0]), stroke("two", PALETTE[1], 2), hatched("three")]
    wide = key(entries, 20, 80)
    assert wide.y == 80
    assert wide.right == pytest.approx(20 + sum(entry.width + BETWEEN for entry in entries))
    narrow = key(entries, 20, 80, room=90)
    assert narrow.y == 120
    assert [re.search(rf'x="([^"]+)" y="([^"]+)"[^>]*>{entry.name}', narrow.body).groups() for entry in entries] == [
        ("38", "80"),
        ("56", "100"),
        ("50", "120"),
    ]


def test_bars_are_as_wide_as_their_parts_are_likely():
    bar = stacked_bar(
        [BarPart(0.75, PALETTE[0], "a: 0.75"), BarPart(0.001, PALETTE[1]), BarPart(0.249, FOG_2)], 10, 0, 200, 20
    )
    boxes = re.findall(r'<rect x="([^"]+)" y="0" width="([^"]+)"', bar)
    assert boxes == [("10", "149"), ("160.2", "48.8")]  # a pixel apart; what cannot be seen is left out
    assert "<title>a: 0.75</title>" in bar
    assert "</text>" not in bar
    numbered = stacked_bar([BarPart(0.95, PALETTE[4]), BarPart(0.05, FOG_2)], 0, 0, 200, 20, numbers=True)
    assert re.findall(r'fill="([^"]+)"[^>]*>([^<]+)</text>', numbered) == [(SURFACE, "0.95")]  # the other has no room


def test_plurals():
    assert [many(n, "step") for n in (0, 1, 2000)] == ["0 steps", "1 step", "2,000 steps"]
