"""Runs of unequal length, laid one after the other: each function against the loop that it stands for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fogbound.forms.arrays import (
    KeyIndex,
    heads,
    last_of_each,
    offsets,
    owned_ranges,
    positions,
    ranges,
    run_of,
    runs_of,
    starts,
)

counts = st.lists(st.integers(0, 4), max_size=6)
small = st.lists(st.integers(0, 5), max_size=12)


@given(counts)
def test_a_layout_and_back(count):
    first = offsets(np.array(count, np.int32))
    owner = [run for run, many in enumerate(count) for _ in range(many)]
    assert first.tolist() == [sum(count[:run]) for run in range(len(count) + 1)]
    assert starts(np.array(owner, np.int64), len(count)).tolist() == first.tolist()
    assert runs_of(first, np.arange(len(owner))).tolist() == owner
    assert [run_of(first, cell) for cell in range(len(owner))] == owner


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=6))
def test_ranges(runs):
    first, count = np.array(runs, np.int32).reshape(-1, 2).T
    numbers, owner = owned_ranges(first, count)
    assert ranges(first, count).tolist() == numbers.tolist() == [f + k for f, many in runs for k in range(many)]
    assert owner.tolist() == [run for run, (_, many) in enumerate(runs) for _ in range(many)]


@given(st.lists(st.integers(0, 9), unique=True), small)
def test_where_keys_stand(keys, wanted):
    place = {key: k for k, key in enumerate(keys)}
    assert KeyIndex(np.array(keys, np.int64)).find(np.array(wanted, np.int64)).tolist() == [
        place.get(key, -1) for key in wanted
    ]
    rank = {key: k for k, key in enumerate(sorted(keys))}
    assert positions(np.array(sorted(keys), np.int64), np.array(wanted, np.int64)).tolist() == [
        rank.get(key, -1) for key in wanted
    ]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12))
def test_heads_of_equal_lines(lines):
    one, two = np.array(lines, np.int64).reshape(-1, 2).T
    assert heads(one, two).tolist() == [k == 0 or lines[k] != lines[k - 1] for k in range(len(lines))]


@given(small, st.randoms(use_true_random=False))
def test_the_last_of_each_key(keys, random):
    rank = random.sample(range(len(keys)), len(keys))
    best = [max((k for k in range(len(keys)) if keys[k] == key), key=rank.__getitem__) for key in sorted(set(keys))]
    assert last_of_each(np.array(keys, np.int64), np.array(rank, np.int64)).tolist() == best
