"""Strategies where histories were summed out: what is proven there is what is proven on the tree."""

import random
from fractions import Fraction

import numpy as np
import pytest

from fogbound import forms
from fogbound.certificates.tree import by_set
from fogbound.games import make
from fogbound.verify import Refused, check
from fogbound.verify import memories as bounds
from fogbound.verify import tree as on_tree
from fogbound.verify.memories import guarantees, play, read_memories, replies, restricted
from fogbound.verify.tree import read_tree
from tests.test_forms_agree import random_profile
from tests.verify.made import stored
from tests.verify.test_check import told
from tests.verify.test_tree import garbage


def checked(form):
    """A form's arrays as the checker takes them."""
    return {name: stored(array) for name, array in form.arrays().items()}


def pair(spec):
    """The same game, histories written out and summed out."""
    game = make(spec)
    return forms.sequence(forms.tree(game)), forms.sequence(forms.memories(game))


def on_both(spec, seed):
    """The same random profile on both, as the checkers take it."""
    from fogbound import evaluation
    from fogbound.policies import Tabular

    tree, memories = pair(spec)
    played = random_profile(tree, seed)
    profile = {i: Tabular(tree.decisions, i, b) for i, b in enumerate(played)}
    again = evaluation.behaviours(memories, profile)
    written = on_tree.play(read_tree(checked(tree)), stored(by_set(tree, played)))
    return written, play(read_memories(checked(memories)), stored(by_set(memories, again)))


SPECS = [
    "king-ace",
    "card-poker(ranks=3)",
    "goofspiel(cards=3)",
    "random(seed=3)",
    "random(seed=8, seats=3)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_is_proven_as_on_the_tree(spec):
    for seed in range(5):
        tree, memories = on_both(spec, seed)
        for one, two in zip(on_tree.replies(tree), replies(memories), strict=True):
            assert abs(one[0] - two[0]) < Fraction(1, 10**12)
            assert abs(one[1] - two[1]) < Fraction(1, 10**12)


def test_long_denominators_are_rounded_outward(monkeypatch):
    for seed in range(5):
        exact = on_both("card-poker(ranks=3)", seed)[1]
        monkeypatch.setattr(bounds, "EXACT_BITS", -1)
        rounded = on_both("card-poker(ranks=3)", seed)[1]
        monkeypatch.undo()
        for (value, best), (lower, upper) in zip(replies(exact), replies(rounded), strict=True):
            assert value - Fraction(1, 2**230) < lower <= value
            assert best <= upper < best + Fraction(1, 2**230)


def test_guarantees_and_restricted_games_as_on_the_tree():
    tree, memories = on_both("card-poker(ranks=3)", 1)
    free_tree, free = on_both("card-poker(ranks=3)", 2)
    for player in (0, 1):
        for one, two in zip(on_tree.guarantees(tree, player), guarantees(memories, player), strict=True):
            assert abs(one - two) < Fraction(1, 10**12)
        one = on_tree.restricted(tree, free_tree, Fraction(1, 3), player)
        two = restricted(memories, free, Fraction(1, 3), player)
        assert max(abs(a - b) for a, b in zip(one, two, strict=True)) < Fraction(1, 10**12)


@pytest.mark.parametrize(("spec", "value"), [("card-poker(ranks=3)", Fraction(-1, 18)), ("king-ace", Fraction(0))])
def test_garbage_never_gives_a_wrong_interval(spec, value):
    form = checked(forms.memories(make(spec)))
    read, rng = read_memories(form), random.Random(1)
    for _ in range(1_000):
        low, high = guarantees(play(read, garbage(rng, read.slots)), 0)
        assert low <= value + Fraction(1, 10**12)
        assert value - Fraction(1, 10**12) <= high


def test_a_certificate_of_memories_is_judged():
    form = checked(forms.memories(make("rock-paper-scissors")))
    evenly = {"strategy": stored([1.0] * read_memories(form).slots)}
    assert guarantees(play(read_memories(form), evenly["strategy"]), 0) == (Fraction(1, 2), Fraction(1, 2))
    report = check(told("zero-sum-memories", lower=0.5, upper=0.5, form=form), form, evenly)
    assert (report.refuted, report.lower, report.upper) == (None, 0.5, 0.5)
    assert check(told("memories-profile", lower=0.5, upper=0.5, form=form), form, evenly).regret == 0.0
    assert "claimed 0.75" in check(told("zero-sum-memories", lower=0.75, upper=0.75, form=form), form, evenly).refuted


FAULTS = {
    "a later sequence": lambda a: a["set_parent"].__setitem__(-1, 10**6),
    "an owner too many": lambda a: a["set_owner"].__setitem__(0, 2),
    "a set of no moves": lambda a: a["set_size"].__setitem__(0, 0),
    "a sequence too many": lambda a: a["ends"].__setitem__((0, 0), 10**6),
    "a negative sequence": lambda a: a["ends"].__setitem__((0, 1), -1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_form_that_is_no_game_is_refused(fault):
    arrays = {name: np.array(array) for name, array in forms.memories(make("king-ace")).arrays().items()}
    FAULTS[fault](arrays)
    with pytest.raises(Refused):
        read_memories({name: stored(array) for name, array in arrays.items()})
