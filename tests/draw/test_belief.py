"""Pictures of beliefs: bars as long as the states are likely, steps in their order, lines where they belong."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound.core import FormError, Observation
from fogbound.core.svg import EMBER_FILL, FOG_1, FOG_3, PALETTE, SURFACE
from fogbound.draw.belief.bars import BAR, belief
from fogbound.draw.belief.history import BAR as WIDE
from fogbound.draw.belief.history import belief_history
from fogbound.draw.belief.vectors import height_at, line_value, lower_hull, upper_envelope, vectors
from fogbound.evaluation.belief_words import BeliefStep, entropy, entropy_words, track
from fogbound.evaluation.particle_filter import ParticleFilter
from fogbound.forms import pomdp, pomdp_from_arrays
from fogbound.forms.bayes_filter import Belief
from fogbound.games import make
from fogbound.policies import AlphaVectors
from tests.draw.made import NASTY, SVG, checked, marked, words_in

START = Observation(None, None)
LONG = "an extraordinarily long name that goes on and on, and then some more of it, to no end at all"


class Named:
    """States with given names."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def label(self, state: int) -> str:
        return self.names[state % len(self.names)]


def boxes(root, but=()):
    found = [(e.get("fill"), float(e.get("width", "0"))) for e in root.iter(f"{SVG}rect")][1:]
    return [(fill, width) for fill, width in found if fill not in but]


# --- one belief -------------------------------------------------------------------------------------------------


def test_bars_are_as_long_as_states_are_likely():
    root = checked(belief(Belief.of([0, 1, 2], [0.2, 0.7, 0.1]), model=Named("a", "b", "c")))
    assert [w for _, w in boxes(root, but=(FOG_1,))] == pytest.approx([0.7 * BAR, 0.2 * BAR, 0.1 * BAR], abs=0.1)
    said = words_in(root)
    assert [word for word in said if word in "abc"] == ["b", "a", "c"]
    assert "3 possible states, 1.16 bits of fog" in said


def test_the_rest_is_summed():
    root = checked(belief(Belief(np.arange(20), np.full(20, 0.05)), model=Named("s"), most=13))
    assert {"7 more", "0.35"} <= set(words_in(root))
    assert len(boxes(root, but=(FOG_1,))) == 13
    assert "1 more" not in words_in(
        checked(belief(Belief(np.arange(14), np.full(14, 1 / 14)), model=Named("s"), most=13))
    )


def test_what_is_known_and_what_is_impossible():
    root = checked(belief(Belief.of([0]), model=Named("here")))
    assert "1 possible state, no fog left" in words_in(root)
    assert any("probability 0" in word for word in words_in(checked(belief(None, model=Named("here")))))


def test_particles_say_so():
    form = pomdp(make("tiger"))
    particles = ParticleFilter(form, 200)
    cloud = particles.begin(START, np.random.default_rng(0))
    root = checked(belief(cloud.belief, model=particles, note="200 particles"))
    assert any(word.endswith("200 particles") for word in words_in(root))
    assert {"left", "right"} <= set(words_in(root))


def test_fog_is_entropy():
    assert entropy(np.full(8, 1 / 8)) == pytest.approx(3)
    assert entropy(np.array([1.0, 0.0])) == 0
    assert entropy_words(np.array([1.0, 0.0])) == "no fog left"


@pytest.mark.parametrize("names", [(LONG,), NASTY, ("",)])
def test_any_names(names):
    weights = np.random.default_rng(0).dirichlet(np.full(30, 0.3))
    believed = Belief(np.arange(30), weights)
    checked(belief(believed, model=Named(*names), title=names[0], note=LONG))
    steps = [BeliefStep(None if k == 0 else names[0], Observation(names[-1], LONG), believed, 0.5) for k in range(3)]
    checked(
        belief_history(
            [*steps, BeliefStep(names[0], Observation(LONG, None), None, 0.0)], model=Named(*names), title=names[0]
        )
    )


# --- a history --------------------------------------------------------------------------------------------------


def tiger_told():
    form = pomdp(make("tiger"))
    sounds = [("listen", "left"), ("listen", "left"), ("open-right", "right"), ("listen", "bark")]
    return form, track(form, (START, *((action, Observation(f"growl-{side}", None)) for action, side in sounds)))


def test_a_history_is_told_in_order():
    form, steps = tiger_told()
    root = checked(belief_history(steps, model=form, describe=make("tiger").describe))
    said = words_in(root)
    told = ["at the start", "listen", "growl-left", "open the right door", "growl-right"]
    assert sorted(told, key=said.index) == told
    assert marked(root, "data-step") == {0, 1, 2, 3, 4}
    assert said.count("0.85") == 1
    assert any(word.startswith("impossible") for word in said)


def test_shares_fill_the_bar():
    form, steps = tiger_told()
    root = checked(belief_history(steps, model=form))
    for group in root.iter(f"{SVG}g"):
        if group.get("data-step") in ("0", "1", "2", "3"):
            parts = [float(e.get("width", "0")) + 1 for e in group.iter(f"{SVG}rect")]
            assert sum(parts) == pytest.approx(WIDE, abs=0.3)
            k = int(group.get("data-step", ""))
            assert parts == pytest.approx(
                (np.bincount(steps[k].belief.states, steps[k].belief.weights, 2) * WIDE).tolist(), abs=0.2
            )


def test_many_states_and_many_steps():
    weights = np.random.default_rng(0).dirichlet(np.ones(40), 90)
    steps = [BeliefStep("go", START, Belief(np.arange(40), w), 1.0) for w in weights]
    root = checked(belief_history(steps, model=Named(*(f"state {k}" for k in range(40)))))
    assert marked(root, "data-step") == set(range(30, 90))
    assert "the belief over 89 steps, the last 60 shown" in words_in(root)
    assert "all others" in words_in(root)
    assert len({fill for fill, _ in boxes(root)} & set(PALETTE)) == 7
    checked(belief_history([], model=Named("a")))


# --- vectors ----------------------------------------------------------------------------------------------------


def planes(*lines, names=("listen", "open-left", "open-right"), spec="tiger"):
    form = pomdp(make(spec))
    states = np.flatnonzero(np.diff(form.row))
    full = np.zeros((len(lines), form.size))
    full[:, states] = np.array(lines)
    return AlphaVectors(form, full, np.array([form.actions.index(name) for name in names[: len(lines)]], np.int32))


def test_the_best_vectors_are_on_top():
    policy = planes((4, 4), (-80, 20), (20, -80))
    root = checked(vectors(policy, upper=[(0, 21), (1, 21), (0.5, 5), (0.3, 30)]))
    thick = [e.get("d") for e in root.iter(f"{SVG}path") if e.get("stroke-width") == "3"]
    assert len(thick) == 3
    said = words_in(root)
    assert (
        "3 vectors, 3 best somewhere, the upper bound at most 11.88 above them" in said
    )  # at 0.16: 21 - 32 x 0.16 - 4
    assert {"listen", "upper bound", "← surely left", "surely right →"} <= set(said)
    assert [e for e in root.iter(f"{SVG}path") if e.get("fill") == FOG_3]
    dots = [e.get("fill") for e in root.iter(f"{SVG}circle")]
    assert dots == [EMBER_FILL] * 3  # (0.3, 30) lies above the picture
    assert SURFACE in [
        e.get("fill")
        for e in checked(vectors(policy, upper=[(0, 21), (1, 21), (0.5, 21), (0.2, 15)])).iter(f"{SVG}circle")
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [(0.0, 0.0)],
        [(5.0, 5.0), (5.0, 5.0)],
        [(1e9, 1e9 + 1), (0.0, -1e-9)],
        [(-math.inf, 3.0), (1.0, 2.0)],
        [(-math.inf, 3.0)],
        [(1e-7, 0.0), (0.0, 1e-7)],
        [(123456.1, 123456.2), (123456.2, 123456.1)],
    ],
)
def test_any_vectors(lines):
    checked(vectors(planes(*lines)))
    checked(vectors(planes(*lines), upper=[(0.0, 5.0), (1.0, math.inf)]))


def test_play_that_ends_has_two_states_that_go_on():
    checked(vectors(planes((0, 1), (1, 0), spec="tiger(resets=false)")))
    big = pomdp(make("rock-sample(size=2, rocks=2)"))
    with pytest.raises(FormError, match="expected 2 to draw"):
        vectors(AlphaVectors(big, np.zeros((1, big.size)), np.zeros(1, np.int32)))


def test_long_labels_do_not_touch():
    columns = (np.array([0, 1] * 6), np.repeat(np.arange(6), 2), np.array([0, 1] * 6), np.zeros(12, int), np.ones(12))
    actions = [f"{k} {LONG}" for k in range(6)]
    model = pomdp_from_arrays(
        "long", 0.9, [f"a {LONG}", f"b {LONG}"], actions, ["o"], np.full(2, 0.5), columns, np.zeros((2, 6))
    )
    policy = AlphaVectors(model, np.random.default_rng(0).random((6, 2)), np.arange(6, dtype=np.int32))
    checked(vectors(policy, upper=[(0, 1), (1, 1)], title=LONG))


lines_drawn = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(lines_drawn)
def test_the_envelope_is_the_maximum(lines):
    pieces = upper_envelope(lines)
    assert pieces[0].start == 0
    assert pieces[-1].end == 1
    for p in np.linspace(0, 1, 41):
        (piece, *_) = [piece for piece in pieces if piece.start <= p <= piece.end]
        assert line_value(lines[piece.line], p) == pytest.approx(max(line_value(line, p) for line in lines), abs=1e-9)
    assert all(a.end == b.start for a, b in pairwise(pieces))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10), st.integers(-20, 20)), min_size=1, max_size=12))
def test_the_hull_is_under_all_points_and_convex(points):
    hull = lower_hull(points)
    assert set(hull) <= set(points)
    assert all(height_at(hull, x) <= y + 1e-9 for x, y in points)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(hull)]
    assert all(a < b for a, b in pairwise(slopes))
