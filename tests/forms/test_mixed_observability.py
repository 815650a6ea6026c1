"""Blocks against brute force: which states one history can lead to, and that no probability is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fogbound import forms
from fogbound.core import GameError
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.policies import Uniform, uniform_mixture
from fogbound.testing import random_games
from tests.pomdps import OVER, Listed, confusable, plain, random_flat, random_listed

some = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
seeds = st.integers(0, 2**32 - 1)
END = [(OVER, "done", 1.0)]


def members(cut, block):
    return [int(s) for s in cut.state[cut.first[block] : cut.first[block + 1]]]


def laid_out(cut, choice, local):
    """(observation, next state) -> weight, as the entries of one choice and state say."""
    found = {}
    for j in range(cut.outcome[choice], cut.outcome[choice + 1]):
        states, at = members(cut, cut.target[j]), cut.begin[j] + local
        for e in range(cut.start[at], cut.start[at + 1]):
            key = int(cut.obs[j]), states[cut.to[e]]
            found[key] = found.get(key, 0.0) + cut.weight[e]
    return found


def check_entries(form):
    """The entries are the model: P(s', z | s, a) times the discount to the bit, rewards, actions, the start."""
    cut, model = mixed_observability(form), plain(form)
    assert members(cut, 0) == [-1]
    for block in range(cut.size):
        states = members(cut, block)
        for choice in range(cut.choice[block], cut.choice[block + 1]):
            for local, state in enumerate(states):
                label = int(cut.action[choice])
                pay, outcomes = (model.paid, model.opening) if block == 0 else model.rules[state][label]
                expected = {}
                for z, t, p in outcomes:
                    weight = p * (model.discount if block else 1.0)
                    if t in model.rules and p > 0:
                        expected[z, t] = expected.get((z, t), 0.0) + weight
                assert laid_out(cut, choice, local) == expected
                assert cut.reward[cut.offset[choice] + local] == pay
        if block:
            labels = [int(a) for a in cut.action[cut.choice[block] : cut.choice[block + 1]]]
            assert all(list(model.rules[s]) == labels for s in states)


def check_blocks(form):
    """The blocks are those of brute force, and a first set of its own where only the start confuses."""
    check_entries(form)
    cut = mixed_observability(form)
    sets, first = confusable(form)
    expected = set(sets) | {begun for begun in first.values() if not any(begun <= whole for whole in sets)}
    found = [frozenset(members(cut, block)) for block in range(1, cut.size)]
    assert set(found) == expected


@some
@given(seed=seeds, discount=st.sampled_from([0.0, 0.5, 1.0]), known=st.integers(1, 4), shown=st.booleans())
def test_flat_models(seed, discount, known, shown):
    fill = 0.15 if seed % 2 else 0.5
    check_blocks(random_flat(seed, discount, states=7, observations=1 + seed % 3, fill=fill, known=known, shown=shown))


@pytest.mark.slow
@some
@given(seed=seeds, forward=st.booleans(), discount=st.sampled_from([0.5, 1.0]))
def test_menus_that_differ_and_endings(seed, forward, discount):
    check_blocks(forms.pomdp(random_listed(seed, discount, faces=4, forward=forward)))


@some
@given(game=random_games(), mixed=st.booleans())
def test_games_with_fixed_others(game, mixed):
    other = uniform_mixture([Uniform(), Uniform()]) if mixed else Uniform()
    form = forms.pomdp(game, 0, dict.fromkeys(range(1, len(game.players)), other))
    check_blocks(form)


@some
@given(game=random_games(loops=True))
def test_games_with_loops(game):
    player = len(game.players) - 1
    form = forms.pomdp(game, player, {i: Uniform() for i in range(player)})
    check_blocks(form)


def revealing(*opening):
    """Three states that the first step reveals."""
    pay = {"A": (10.0, 0.0), "B": (-20.0, 3.0), "C": (10.0, -9.0)}
    rules = {s: {"a": (one, [(f"{s}+", s, 1.0)]), "b": (two, [(f"{s}+", s, 1.0)])} for s, (one, two) in pay.items()}
    return Listed(opening, {**rules, **{f"{s}+": {"on": (1.0, END)} for s in pay}})


def test_a_state_shown_in_two_ways_with_the_same_company():
    both = [(s, z, 0.25) for s in "AB" for z in "xy"]
    check_entries(forms.pomdp(revealing(*both)))


def test_a_state_shown_in_two_ways_in_other_company():
    check_entries(forms.pomdp(revealing(("A", "x", 0.25), ("B", "x", 0.25), ("B", "y", 0.25), ("C", "y", 0.25))))


def fanning(many, deep):
    """One state whose actions show ever less of where it led; only `deep` of the places lead on, to the prize."""
    half = many // 2 + 1
    places = [f"t{i}" for i in range(many)]
    seen = {"all": [f"d{i}" for i in range(many)]}
    width = 1
    while width < 2 * (many - half):
        seen[f"by-{width}"] = ["low" if i < half else f"r{(i - half) // width}" for i in range(many)]
        width *= 2
    seen["none"] = ["some"] * many
    rules = {
        "s": {a: (0.0, [(t, z, 1 / many) for t, z in zip(places, observations)]) for a, observations in seen.items()}
    }
    rules |= {t: {"on": (0.0, [("prize" if i == deep else OVER, "same", 1.0)])} for i, t in enumerate(places)}
    return Listed((("s", "x", 1.0),), {**rules, "prize": {"take": (1000.0, END)}})


@pytest.mark.parametrize("many", [24, 100])
def test_many_joins_at_once(many):
    check_blocks(forms.pomdp(fanning(many, 1)))


def test_nothing_to_decide():
    cut = mixed_observability(forms.pomdp(Listed(((OVER, "x", 1.0),), {})))
    assert (cut.size, len(cut.to), cut.state.tolist()) == (1, 0, [-1])


def clashing(*opening):
    """After `go` from A or B one observation means two menus."""
    rules = {
        "A": {"go": (0.0, [("C", "s", 1.0)])},
        "B": {"go": (0.0, [("D", "s", 1.0)])},
        "C": {"left": (1.0, END), "right": (2.0, END)},
        "D": {"up": (5.0, END), "down": (6.0, END)},
    }
    rules["O"] = {"on": (0.0, [("A", "o", 0.5), ("B", "o", 0.5)])}
    return forms.pomdp(Listed(opening, rules))


def test_menus_must_follow_from_what_is_known():
    with pytest.raises(GameError, match="cannot tell 'C' from 'D'"):
        mixed_observability(clashing(("O", "x", 1.0)))


def test_menus_must_follow_from_what_the_start_shows():
    with pytest.raises(GameError, match="cannot tell 'C' from 'D'"):
        mixed_observability(clashing(("A", "x", 0.5), ("B", "x", 0.5)))


def test_what_is_known_is_no_longer_part_of_the_belief():
    """A walk on a line that is always seen, with a coin that never is: one block a place."""
    places = 6
    rules = {
        (at, coin): {
            move: (float(coin), [((to, coin), to, 1.0)])
            for move, to in (("left", max(at - 1, 0)), ("right", min(at + 1, places - 1)))
        }
        for at in range(places)
        for coin in (0, 1)
    }
    cut = mixed_observability(forms.pomdp(Listed((((2, 0), 2, 0.5), ((2, 1), 2, 0.5)), rules, discount=0.9)))
    assert cut.size - 1 == places
    assert (np.diff(cut.first)[1:] == 2).all()
