"""Tables from arrays, and tables cut off, against the same games asked rule by rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound import forms
from fogbound.core import Dist, FormError, Game, LimitError, Outcome
from fogbound.forms.table import plain_table
from fogbound.games import make
from fogbound.testing import random_games
from fogbound.transforms.horizon import Horizon
from tests.test_forms_agree import SMALL

LABELS = ("spec", "players", "states", "actions", "observations")


def enumerated(game):
    return plain_table(game, 100_000)


def assert_same(found, expected, ulps=0):
    """Equal to the byte; probabilities to so many units in the last place."""
    for name in (name for name in LABELS if name != "spec"):
        assert getattr(found, name) == getattr(expected, name), name
    for name, column in vars(expected).items():
        if isinstance(column, np.ndarray):
            mine = getattr(found, name)
            assert (mine.dtype, mine.shape) == (column.dtype, column.shape), name
            if name == "prob" and ulps:
                np.testing.assert_array_max_ulp(mine, column, ulps)
            else:
                assert mine.tobytes() == column.tobytes(), name


@pytest.mark.one_in(3)
@pytest.mark.parametrize("spec", [*SMALL, "tiger", "po-nim(n=3)", "tag", "pursuit(columns=3)"])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_a_table_cut_off_is_the_table_of_the_game_cut_off(spec, steps):
    game = make(spec)
    cut = Horizon(forms.table(game).as_game(), steps)
    assert_same(forms.table(cut), enumerated(Horizon(game, steps)))
    assert forms.table(cut).spec == str(cut) == str(Horizon(game, steps))


@given(game=random_games(), steps=st.integers(0, 4))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_random_tables_cut_off(game, steps):
    source = forms.table(game).as_game()
    assert_same(forms.table(Horizon(source, steps)), enumerated(Horizon(game, steps)))


def test_the_rules_are_not_asked_for_a_table_cut_off():
    class Silent(forms.TableGame):
        def step(self, state, joint):
            raise AssertionError("asked")

    source = Silent(forms.table(make("tiger")))
    assert forms.derive(Horizon(source, 3), forms.Table).size == 8
    assert forms.derive(source, forms.Table) is source.form is forms.table(source)


def test_whoever_alters_a_horizon_is_asked():
    class Longer(Horizon):
        name = "longer"

        def start(self):
            return self._counted(self.steps + 1, self.game.start())

    source = forms.table(make("tiger")).as_game()
    assert forms.table(Longer(source, 1)).size == 6


@pytest.mark.parametrize("spec", [*SMALL, "tiger", "po-nim(n=3)"])
def test_the_game_around_a_table_has_that_table(spec):
    form = forms.table(make(spec))
    assert_same(enumerated(form.as_game()), form, ulps=1)


def meaning(form):
    """What follows what, in words: rounded, since probabilities are multiplied and divided in another order."""
    said = {}
    for row in range(len(form.out) - 1):
        state = int(np.searchsorted(form.row, row, side="right")) - 1
        key = ("start",) if row == 0 else (form.states[state], row - int(form.row[state]))
        follows = said.setdefault(key, {})
        for o in range(form.out[row], form.out[row + 1]):
            event = form.event[o]
            seen = tuple(labels[k] for labels, k in zip(form.observations, form.seen[event]))
            what = (form.states[form.next[o]], tuple(form.reward[event]), seen)
            follows[what] = round(follows.get(what, 0.0) + float(form.prob[o]), 12)
    return said


def random_arrays(seed, players=2, states=3, actions=2, observations=2, sparse=0.5):
    """T, O and R with zeros in them, as rows that sum to 1."""
    rng = np.random.default_rng(seed)
    joint, shown = actions**players, observations**players

    def rows(*shape):
        weights = rng.random(shape) * (rng.random(shape) > sparse)
        weights[..., 0] += weights.sum(axis=-1) == 0
        return weights / weights.sum(axis=-1, keepdims=True)

    labels = forms.ModelLabels(
        tuple(f"p{k}" for k in range(players)),
        tuple(f"s{k}" for k in range(states)),
        tuple(tuple(f"a{k}" for k in range(actions)) for _ in range(players)),
        tuple(tuple(f"o{k}" for k in range(observations)) for _ in range(players)),
    )
    reward = rng.integers(-2, 3, (states, joint, states, shown, players)).astype(float)
    return labels, rows(states), rows(states, joint, states), rows(joint, states, shown), reward


def table_of(name, discount, labels, start, transition, observation, reward):
    """The table of arrays in which joint actions and joint observations are numbers, the last player's fastest."""
    states, wide = len(labels.states), tuple(map(len, labels.actions))
    shape = (states, *wide) if reward.ndim == 3 else (states, *wide, states, *map(len, labels.observations))
    game = fb.posg(
        transition.reshape(states, *wide, states),
        observation.reshape(*wide, states, *map(len, labels.observations)),
        [own.reshape(shape) for own in np.moveaxis(reward, -1, 0)],
        *(discount, start),
        **vars(labels),
        name=name,
    )
    return forms.table(game)


class Arrays(Game):
    """The same game by four methods, in the slow and plain way."""

    def __init__(self, discount, labels, start, transition, observation, reward):
        self.players, self.discount, self.labels = tuple(labels.players), discount, labels
        self.begun, self.transition, self.observation, self.reward = start, transition, observation, reward

    def start(self):
        return Dist(tuple((Outcome(s), p) for s, p in zip(self.labels.states, self.begun)))

    def actors(self, state):
        return tuple(range(len(self.players)))

    def actions(self, state, player):
        return self.labels.actions[player]

    def step(self, state, joint):
        s, a = self.labels.states.index(state), 0
        for listed, action in zip(self.labels.actions, joint):
            a = a * len(listed) + listed.index(action)
        pairs = []
        for t, label in enumerate(self.labels.states):
            for o, p in enumerate(self.observation[a, t]):
                seen = np.unravel_index(o, [len(listed) for listed in self.labels.observations])
                private = tuple(listed[k] for listed, k in zip(self.labels.observations, seen))
                rewards = tuple(self.reward[s, a, t, o].tolist())
                pairs.append((Outcome(label, rewards, None, private), float(self.transition[s, a, t] * p)))
        return Dist(tuple(pairs))


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), players=st.integers(1, 3), states=st.integers(1, 4))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_arrays_give_the_table_that_the_rules_give(seed, players, states):
    labels, start, transition, observation, reward = random_arrays(seed, players, states)
    form = table_of("arrays", 0.9, labels, start, transition, observation, reward)
    assert meaning(form) == meaning(enumerated(Arrays(0.9, labels, start, transition, observation, reward)))
    assert_same(enumerated(form.as_game()), form, ulps=4)
    row = np.repeat(np.arange(len(form.out) - 1), np.diff(form.out))
    order = np.lexsort((*form.seen[form.event].T[::-1], form.next, row))
    assert (order == np.arange(len(order))).all(), "rows in the order of the table's own numbers"


def test_rewards_of_state_and_action():
    labels, start, transition, observation, _ = random_arrays(3)
    reward = np.arange(24.0).reshape(3, 4, 2)
    full = np.broadcast_to(reward[:, :, None, None], (3, 4, 3, 4, 2))
    short = table_of("arrays", 0.9, labels, start, transition, observation, reward)
    assert_same(short, table_of("arrays", 0.9, labels, start, transition, observation, full))


def test_states_that_lead_nowhere_and_pay_nothing_are_ends():
    labels, start, transition, observation, reward = random_arrays(5, states=2)
    start, transition[0], transition[1], reward[1] = np.array([1.0, 0.0]), 0.5, [0.0, 1.0], 0.0
    ending = table_of("arrays", 1.0, labels, start, transition, observation, reward)
    assert ending.actor_set.tolist() == [1, 0]
    reward[1, 0] = 1.0
    paying = table_of("arrays", 1.0, labels, start, transition, observation, reward)
    assert paying.actor_set.tolist() == [1, 1]


def test_what_is_refused():
    labels = forms.ModelLabels(("one",), ("on", "off"), (("wait",),), (("tick",),))
    zero = np.zeros(1, np.int64)
    outcomes = forms.JointOutcomes(zero, zero, zero + 1, zero, np.ones(1), np.ones((1, 1)))
    given = {"labels": labels, "start": np.array([1.0, 0.0]), "outcomes": outcomes}
    wrong = {
        "found a start that sums to 0.5": {"start": np.array([0.5, 0.0])},
        "sum to 0 after state 'off'": {},
        "sum to 0.25 after state 'on'": {"outcomes": replace(outcomes, prob=np.full(1, 0.25))},
        "expected at least one, all different": {"labels": replace(labels, states=("on", "on"))},
        "actions of 2 players": {"labels": replace(labels, actions=(("wait",),) * 2)},
    }
    for words, change in wrong.items():
        with pytest.raises(FormError) as error:
            forms.table_from_outcomes("listed", 0.9, **{**given, **change})
        assert words in str(error.value)
        assert "\n" not in str(error.value)


def test_limits_are_kept():
    given = random_arrays(1, sparse=0.0)
    game = table_of("arrays", 0.9, *given).as_game()
    with pytest.raises(LimitError, match="more than 2 states"):
        forms.table(game, limit=2)
    with pytest.raises(LimitError, match="more than 100 states"):
        forms.table(Horizon(game, 1_000), limit=100)
