"""Bounds over time: steps, never smoothed; what is infinite or missing is not invented."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import pytest

from fogbound import draw
from fogbound.core.svg import EMBER_FILL, FOG_3, SEA_FILL
from fogbound.draw import bounds
from fogbound.draw.chart import Scale, duration, log_ticks, ticks
from fogbound.driver.protocol import TraceEntry
from tests.draw.made import SVG, checked, replied, words_in


def moments(*rows: tuple[float, float, float]) -> list[TraceEntry]:
    return [TraceEntry(k, t, (low + high) / 2, low, high, high - low) for k, (t, low, high) in enumerate(rows, 1)]


def curve(root, colour: str) -> str:
    (path,) = [e for e in root.iter(f"{SVG}path") if e.get("stroke") == colour]
    return path.get("d", "")


def test_curves_are_stairs():
    root = checked(bounds(moments((1, -3, 5), (2, -1, 4), (3, 0, 1))))
    for colour in (EMBER_FILL, SEA_FILL):
        spots = [tuple(map(float, spot.split())) for spot in curve(root, colour)[1:].split(" L")]
        assert len(spots) == 5
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(spots))
    assert [e for e in root.iter(f"{SVG}path") if e.get("fill") == FOG_3]


def test_infinite_bounds_are_not_drawn():
    root = checked(bounds(moments((0.5, -inf, inf), (1, -3, inf), (4, -1, inf))))
    assert not [e for e in root.iter(f"{SVG}path") if e.get("stroke") == EMBER_FILL or e.get("fill") == FOG_3]
    assert curve(root, SEA_FILL)
    assert "from −1" in words_in(root)
    assert any("no upper bound yet" in word for word in words_in(root))


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(0.0, -inf, inf)],
        [(0.0, 1.0, 1.0)],
        [(2.0, -1.0, 3.0)],
        [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)],
        [(1e-7, -1e12, 1e12), (5e4, -1e-9, 1e-9)],
        [(1.0, 100.00001, 100.00002), (1.0, 100.000015, 100.00002)],
        [(0.0, -inf, 7.0), (3.0, 2.0, inf)],
    ],
)
def test_odd_traces_still_make_a_picture(rows):
    checked(bounds(moments(*rows), title='<run> & "title"'))


def test_a_real_run_with_a_logarithmic_axis():
    root = checked(bounds(replied("tiger"), title="tiger"))
    assert {"claimed upper bound", "19.371"} <= set(words_in(root))
    assert "earns 19.371" in words_in(root)


def test_long_traces_stay_small():
    long = moments(*((k / 1000, -1 / k, 1 / k) for k in range(1, 50_000)))
    assert len(bounds(long).svg) < 200_000


def test_ticks_are_round_and_cover():
    assert ticks(-19.9, 188.9) == [-50.0, 0.0, 50.0, 100.0, 150.0, 200.0]
    assert ticks(0.0, 1.0) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert log_ticks(0.1, 21) == pytest.approx([0.1, 0.3, 1, 3, 10])
    assert [duration(t) for t in (0, 2e-6, 0.25, 3, 1234)] == ["0", "2 µs", "250 ms", "3 s", "1234 s"]
    scale = Scale(1, 100, 0, 200, log=True)
    assert [scale(v) for v in (1, 10, 100)] == pytest.approx([0, 100, 200])


def test_same_bytes():
    trace = moments((1, -3, 5), (2, -1, 4))
    assert bounds(trace) == bounds(trace)


def test_a_page_gets_a_picture_without_heading_as_wide_as_it_asks():
    trace = [TraceEntry(1, 0.5, 0.0, -1.0, 1.0, 2.0), TraceEntry(2, 1.0, 0.2, 0.1, 0.3, 0.2)]
    wide = draw.bounds(trace, title=None, words=("guaranteed", "at most"))
    narrow = draw.bounds(trace, title=None, words=("guaranteed", "at most"), width=350)
    assert "guaranteed 0.1" in wide.label
    assert "Bounds over time<" not in wide.svg
    assert 'width="350"' in narrow.svg
    assert ">guaranteed 0.1<" in wide.svg
    assert ">guaranteed 0.1<" not in narrow.svg  # a page says it beside
    assert draw.gaps({"x": trace}, title=None, width=350).svg.count('width="350"') >= 1
