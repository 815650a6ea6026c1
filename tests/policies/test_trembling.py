"""Hands that slip, and which policies are the same player."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound import evaluation, forms
from fogbound.core import Dist, Observation, PolicyError, SpecError
from fogbound.games import make
from fogbound.inference.type_posterior import classes
from fogbound.policies import LOST, Controller, Mixture, Tabular, Uniform
from fogbound.policies.equivalence import equivalent
from fogbound.policies.mixture import Trembling, trembling
from fogbound.policies.vocabulary import Vocabulary

SIGHT, LATER = Observation(None, 1), Observation("x", 1)
LEFT, RIGHT = Dist.sure("left"), Dist.sure("right")


def ring(length, choices=(LEFT,), start=0):
    """Nodes in a ring, each choosing one of `choices` in turn."""
    arrows = {(k, next(iter(choices[k % len(choices)]))[0], LATER): (k + 1) % length for k in range(length)}
    return Controller({SIGHT: start}, arrows, tuple(choices[k % len(choices)] for k in range(length)))


def test_a_slip_is_drawn_from_all_legal_actions():
    acted = Trembling(ring(1), 0.2).act(0, ("left", "right", "up", "down"))
    assert acted["left"] == pytest.approx(0.85)
    assert [acted[a] for a in ("right", "up", "down")] == pytest.approx([0.05] * 3)
    assert acted.fault() is None
    assert Trembling(ring(1), 0.0).act(0, ("left", "right"))["left"] == 1
    assert Trembling(Uniform(), 0.3).act(None, ("a", "b"))["a"] == pytest.approx(0.5)


def test_memory_goes_on_from_what_was_really_done():
    slipping = Controller({SIGHT: 0}, {(0, "left", LATER): 0, (0, "right", LATER): 1}, (LEFT, RIGHT))
    shaky = Trembling(slipping, 0.1)
    after = shaky.update(shaky.begin(SIGHT), "right", LATER)
    assert after == 1
    assert shaky.act(after, ("left", "right"))["right"] == pytest.approx(0.95)
    lost = Trembling(ring(1), 0.1).update(0, "right", LATER)
    assert lost == LOST
    assert Trembling(ring(1), 0.1).act(lost, ("left", "right"))["left"] == pytest.approx(0.5)


def test_rates_and_mixtures():
    for rate in (-0.1, 1.1, float("nan")):
        with pytest.raises(SpecError, match="from 0 to 1"):
            Trembling(Uniform(), rate)
    mixture = Mixture((ring(1), Uniform()), (0.25, 0.75))
    with pytest.raises(PolicyError, match="members"):
        Trembling(mixture, 0.1)
    assert [(type(kind), p) for kind, p in trembling(mixture, 0.1).kinds()] == [(Trembling, 0.25), (Trembling, 0.75)]


@pytest.mark.parametrize("rate", [0.0, 0.1, 1.0])
def test_what_trembling_is_worth(rate):
    """In a one-move decision a trembling player earns the average of steady and random play."""
    game = make("king-ace")
    steady = Controller(
        {Observation(None, "A"): 0, Observation(None, "K"): 1},
        {},
        (Dist.sure("raise"), Dist.sure("check")),
        vocabulary=Vocabulary.of(forms.table(game), 0),
    )
    worths = [evaluation.value(game, {0: p, 1: Uniform()})[0] for p in (steady, Uniform(), Trembling(steady, rate))]
    assert worths[2] == pytest.approx((1 - rate) * worths[0] + rate * worths[1])


def test_numbering_does_not_matter():
    both = (LEFT, RIGHT)
    assert equivalent(ring(2, both), ring(6, both))
    assert equivalent(ring(2, both, start=1), ring(4, (RIGHT, LEFT)))
    assert not equivalent(ring(2, both), ring(2, both, start=1))
    assert not equivalent(ring(2, both), ring(2, (LEFT, Dist((("right", 0.5), ("left", 0.5))))))
    halves = [
        Controller({SIGHT: 0}, {}, (Dist(pairs),)) for pairs in ((("a", 0.5), ("b", 0.5)), (("b", 0.5), ("a", 0.5)))
    ]
    assert equivalent(*halves)


def test_uniform_play_is_that_of_the_lost():
    assert equivalent(Uniform(), Uniform())
    assert equivalent(Uniform(), Controller({}, {}, ()))
    assert equivalent(Controller({SIGHT: 0}, {(0, None, LATER): LOST}, (None,)), Uniform())
    assert not equivalent(Uniform(), ring(1))


def test_what_follows_a_slip_counts_only_when_hands_slip():
    one, two = (
        Controller({SIGHT: 0}, {(0, "left", LATER): 0, (0, "right", LATER): 1}, (LEFT, after))
        for after in (LEFT, RIGHT)
    )
    assert equivalent(one, two)
    assert not equivalent(one, two, slips=True)
    assert not equivalent(Trembling(one, 0.1), Trembling(two, 0.1))
    assert equivalent(Trembling(one, 0.0), Trembling(two, 0.0))
    assert classes([one, Uniform(), two, ring(3), Uniform()]) == [(0, 2, 3), (1, 4)]
    assert classes([one, Uniform(), two, Uniform()], slips=True) == [(0,), (1, 3), (2,)]
    assert classes([]) == []


def test_only_controllers_can_be_compared():
    form = forms.sequence(make("king-ace"))
    table = Tabular(form.tree, 0, form.plexes[0].uniform)
    assert equivalent(table, table)
    with pytest.raises(PolicyError, match=r"Tabular.*policies\.controller"):
        equivalent(table, Uniform())


@pytest.mark.parametrize("seed", range(30))
def test_a_minimal_controller_is_alike_and_a_changed_one_is_not(seed):
    rng = np.random.default_rng(seed)
    nodes, words = 6, [Observation("a", None), Observation("b", None)]
    choices = [Dist.sure(str(k)) for k in rng.integers(2, size=nodes)]
    arrows = {(k, choices[k].pairs[0][0], w): int(rng.integers(nodes)) for k in range(nodes) for w in words}
    made = Controller({SIGHT: 0}, arrows, tuple(choices))
    small = made.minimal()
    assert equivalent(made, small)
    for node in range(small.size):
        changed = list(small.choices)
        changed[node] = Dist.sure("2")
        assert not equivalent(Controller(small.first, small.arrows, tuple(changed)), made)
