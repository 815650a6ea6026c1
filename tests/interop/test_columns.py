"""Observations taken apart: a column for each thing that is said."""

from __future__ import annotations

from fogbound.core import Observation
from fogbound.interop.encoders import columns


def test_parts_that_vary_have_columns():
    seen = [Observation(None, 3), Observation(("up", 1), 3), Observation(("down", 2), 1)]
    found = columns(seen)
    assert found.labels == ((None, "up", "down"), (None, 1, 2), (1, 3))
    assert found.rows.tolist() == [[0, 0, 1], [1, 1, 1], [2, 2, 0]]
    assert found.sizes == (3, 3, 2)


def test_nothing_to_see_is_one_column():
    assert columns([Observation(None, None)]).rows.tolist() == [[0]]


def test_tuples_of_different_lengths_stay_whole():
    seen = [Observation((1,), None), Observation((1, 2), None)]
    assert columns(seen).labels == (((1,), (1, 2)),)


def test_rows_tell_all_values_apart():
    seen = [Observation((a, b), c) for a in "xy" for b in (None, 2) for c in (None, ("p", 1), ("q", 1))]
    assert len({tuple(row) for row in columns(seen).rows.tolist()}) == len(seen)
