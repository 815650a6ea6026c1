"""Kernels against their plain references, and kernels where nothing can be cached."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from types import FunctionType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import njit

from fogbound import forms
from fogbound.forms.kernels import tree as unroll
from fogbound.forms.kernels import treeplex
from fogbound.games import make
from fogbound.testing import random_games

some = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def plain_realise(plex, behaviour):
    weight = np.zeros(plex.sequences)
    weight[0] = 1.0
    for h, parent in enumerate(plex.parent):
        for q in range(plex.first[h], plex.first[h] + plex.size[h]):
            weight[q] = weight[parent] * behaviour[q]
    return weight


def plain_gains(form, weights, player):
    gain = np.zeros(form.plexes[player].sequences)
    for end, pay in zip(form.ends, form.payoff):
        others = [weights[i][q] for i, q in enumerate(end) if i != player]
        gain[end[player]] += pay[player] * np.prod(others)
    return gain


def plain_respond(plex, gain):
    gain = gain.copy()
    for h in range(len(plex.parent) - 1, -1, -1):
        gain[plex.parent[h]] += gain[plex.first[h] : plex.first[h] + plex.size[h]].max()
    return gain[0]


@some
@given(random_games(), st.integers(0, 10**6))
def test_treeplex_sweeps(game, seed):
    form = forms.sequence(game)
    rng = np.random.default_rng(seed)
    weights = []
    for plex in form.plexes:
        behaviour = plex.behaviour(rng.random(plex.sequences))
        weight = np.empty(plex.sequences)
        treeplex.realise(plex.parent, plex.first, plex.size, behaviour, weight)
        assert np.array_equal(weight, plain_realise(plex, behaviour))
        weights.append(weight)
    offsets = np.cumsum([0, *map(len, weights)])
    for player, plex in enumerate(form.plexes):
        gain = np.zeros(plex.sequences)
        treeplex.gains(form.ends, form.payoff, np.concatenate(weights), offsets, player, gain)
        assert np.allclose(gain, plain_gains(form, weights, player), atol=1e-12)
        expected = plain_respond(plex, gain)
        choice = np.zeros(len(plex.parent), np.int32)
        assert treeplex.respond(plex.parent, plex.first, plex.size, gain, choice) == pytest.approx(expected)


def plain_count(table, state):
    """Nodes below one visit of a state, by recursion."""
    actor_set = table.actor_set[state]
    width = table.actor_set_size[actor_set]
    if width == 0:
        return 1
    total, level = 0, 1
    for k in range(width):
        total += level
        level *= table.legal_size[table.legal[state, k]]
    for r in range(table.row[state], table.row[state + 1]):
        outcomes = table.next[table.out[r] : table.out[r + 1]]
        total += (len(outcomes) > 1) + sum(plain_count(table, s) for s in outcomes)
    return total


@some
@given(random_games())
def test_counting_nodes(game):
    table = forms.table(game)
    first = table.next[: table.out[1]]
    expected = (len(first) > 1) + sum(plain_count(table, s) for s in first)
    assert forms.tree(table).size == expected


def test_states_that_recur_are_found():
    for spec, recurs in (("po-nim", True), ("tiger", True), ("leduc", False), ("random(loops=true)", True)):
        table = forms.table(make(spec))
        order, work = np.empty(table.size, np.int32), [np.zeros(table.size, np.int32) for _ in range(3)]
        assert (unroll.order_states(table.row, table.out, table.next, order, *work) >= 0) == recurs
        if not recurs:
            place = np.empty(table.size, int)
            place[order] = np.arange(table.size)
            for s in range(table.size):
                after = table.next[table.out[table.row[s]] : table.out[table.row[s + 1]]]
                assert all(place[t] < place[s] for t in after)


def with_ring_of(near):
    """The compiled unrolling as it would be with NEAR = near: compiled constants can be changed in no other way."""
    plain = unroll.unroll.py_func
    return njit(FunctionType(plain.__code__, {**vars(unroll), "NEAR": near}, plain.__name__, plain.__defaults__))


@pytest.mark.slow
@pytest.mark.parametrize("near", [16, 1])
def test_hashed_siblings_are_the_same_tree(near, monkeypatch):
    """Many siblings overflow the rings into the hash table, which has to grow; the tree must not notice."""
    expected = forms.tree(make("card-poker(ranks=40)"))
    monkeypatch.setattr(import_module("fogbound.forms.tree"), "FIRST_SLOTS", 16)  # forms.tree is the function
    if near != unroll.NEAR:
        monkeypatch.setattr(unroll, "unroll", with_ring_of(near))
    found = forms.tree(make("card-poker(ranks=40)"))
    assert found.size == expected.size
    assert np.array_equal(found.infoset, expected.infoset)
    assert np.array_equal(found.memory, expected.memory)


@pytest.mark.slow
def test_no_cache_can_be_written(tmp_path):
    """One small kernel shows it: all are compiled the same way."""
    code = (
        "import numpy as np; from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import weighted_sum; "
        "print(weighted_sum(np.ones(21), 0, np.ones(21), 0, 21))"
    )
    (tmp_path / f"fogbound-{os.getuid()}").write_text("somebody else was there first")
    env = {**os.environ, "NUMBA_CACHE_DIR": "/proc/nope", "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == "21.0"
    assert "compiled anew" in done.stderr
