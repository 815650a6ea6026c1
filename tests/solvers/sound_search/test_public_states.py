"""Public states: held against merging by hand, and what resolving relies on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import fogbound as fb
from fogbound.solvers.sound_search.public_states import public_states
from fogbound.testing import random_games
from tests.solvers.sound_search import plain

some = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def groups(public):
    found = {}
    for node, state in enumerate(public.of_node.tolist()):
        found.setdefault(state, set()).add(node)
    return sorted(map(sorted, found.values()))


@pytest.mark.parametrize("spec", ["card-poker(ranks=3)", "king-ace", "rock-paper-scissors", "liars-dice(sides=2)"])
def test_they_are_what_nobody_can_tell_apart(spec):
    tree = fb.forms.tree(fb.game(spec))
    assert groups(public_states(tree)) == sorted(map(sorted, plain.public_states(tree)))


@given(random_games(zero_sum=True, most_nodes=300))
@some
def test_of_random_games(game):
    tree = fb.forms.tree(game)
    public = public_states(tree)
    assert groups(public) == sorted(map(sorted, plain.public_states(tree)))
    for state in range(len(public.parent)):  # preorder: a subgame is a run of numbers
        below = {s for s in range(len(public.parent)) if descends(public.parent, s, state)}
        assert below == set(range(state, public.end[state]))


def descends(parent, state, above):
    while state > above:
        state = parent[state]
    return state == above


def test_leduc():
    public = public_states(fb.forms.tree(fb.game("leduc")))
    assert len(public.parent) == 461  # with the five chance nodes before the board counted on their own, 466
    assert public.acts.sum(axis=0).tolist() == [93, 93]


def test_an_information_set_lies_in_one():
    tree = fb.forms.tree(fb.game("goofspiel(cards=3)"))
    public = public_states(tree)
    for infoset in range(len(tree.set_owner)):
        assert len(np.unique(public.of_node[tree.infoset == infoset])) == 1
