"""From the rules to a one-sided form: every short cut against the long way round."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fogbound import forms
from fogbound.core import Dist, FormError, Game, GameError, LimitError, Outcome
from fogbound.forms import player_view as view
from fogbound.forms.arrays import ranges
from fogbound.forms.enumeration import RowBuilder
from fogbound.forms.one_sided.form import OFFSETS
from fogbound.forms.one_sided.from_table import (
    Transitions,
    information_partition,
    sorted_successors,
    two_player_table,
)
from fogbound.forms.one_sided.kernels import OfferedActions, StepInformation, legal_actions_clash, unobserved
from fogbound.games import make
from fogbound.solvers.all_forms import ALL_FORMS
from fogbound.solvers.one_sided.shaping import shaped_game
from fogbound.testing import random_games
from tests.forms.test_one_sided import Shown, built

some = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
seats = st.integers(0, 1)
games = st.one_of(random_games(zero_sum=True, most_nodes=400), random_games(zero_sum=True, loops=True))


@dataclass(frozen=True, eq=False)
class Remembered(Game):
    """A game that hands out one object for all steps that lead to the same; or a new one each time."""

    game: Game
    keeps: bool
    name = "remembered"
    kept: dict = field(default_factory=dict)

    def __post_init__(self):
        object.__setattr__(self, "players", self.game.players)
        object.__setattr__(self, "discount", self.game.discount)

    def start(self):
        return self._given(self.game.start())

    def actors(self, state):
        return self.game.actors(state)

    def actions(self, state, player):
        return self.game.actions(state, player)

    def step(self, state, joint):
        return self._given(self.game.step(state, joint))

    def _given(self, dist):
        return self.kept.setdefault(dist, dist) if self.keeps else Dist(tuple(dist))

    def __str__(self):
        return str(self.game)


@dataclass(frozen=True, eq=False)
class Walk(Game):
    """Round a ring of `size`, by -1 or 1 and with `chances` of slipping; states that differ by `size` are the same."""

    size: int = 6
    chances: int = 1
    players = ("me",)
    name = "walk"
    kept: dict = field(default_factory=dict)

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return (0,)

    def actions(self, state, player):
        return (-1, 1)

    def step(self, state, joint):
        at = state + joint[0]
        if at not in self.kept:
            self.kept[at] = Dist.uniform(Outcome(at + k, (), k // 2) for k in range(self.chances))
        return self.kept[at]

    def canonical(self, state):
        return state % self.size


def same_arrays(one, other):
    found, wanted = one.arrays(), other.arrays()
    assert found.keys() == wanted.keys()
    for name, array in wanted.items():
        assert np.array_equal(found[name], array), name


@some
@given(game=st.one_of(games, random_games()))
def test_a_step_handed_out_again_is_the_same_step(game):
    fresh, kept = (forms.table(Remembered(game, keeps)) for keeps in (False, True))
    same_arrays(kept, fresh)
    assert (kept.states, kept.actions, kept.observations) == (fresh.states, fresh.actions, fresh.observations)


def test_scotland_yard_takes_apart_what_it_remembers_once(monkeypatch):
    held = []
    monkeypatch.setattr(RowBuilder, "hold", lambda rows, dist, kind: held.append(dist))
    long_way = forms.table(make("scotland-yard(map=12)"))
    monkeypatch.undo()
    assert len(held) > 25_000
    same_arrays(forms.table(make("scotland-yard(map=12)")), long_way)


@pytest.mark.parametrize("chances", [1, 2, 5])
def test_canonical_states_of_steps_that_come_again(chances):
    table = forms.table(Walk(chances=chances))
    assert sorted(table.states) == list(range(6))
    for s, state in enumerate(table.states):
        for row, way in zip(range(table.row[s], table.row[s + 1]), (-1, 1)):
            led = {
                (table.states[n], table.observations[0][table.seen[e, 0]].public): p for n, e, p in outcomes(table, row)
            }
            assert led == pytest.approx({((state + way + k) % 6, k // 2): 1 / chances for k in range(chances)})


def outcomes(table, row):
    return [(table.next[o], table.event[o], table.prob[o]) for o in range(table.out[row], table.out[row + 1])]


def test_a_wrong_step_is_named_though_the_author_keeps_it():
    wrong = Dist(((Outcome(0), 0.5),))

    class Wrong(Walk):
        def step(self, state, joint):
            return wrong if (state, joint) == (3, (1,)) else super().step(state, joint)

    with pytest.raises(GameError, match=r"sum to 0.5, expected 1, after \(1,\) at state 3"):
        forms.table(Wrong())


def test_outcomes_of_steps_that_come_again_count():
    with pytest.raises(LimitError, match="more than 600 outcomes, over what a limit of 6 states allows"):
        forms.table(Crowd(), limit=6)
    assert len(forms.table(Crowd(), limit=20).prob) == 1 + 6 * 30 * 8


class Crowd(Walk):
    """All of 30 actions in each of 6 states lead to one of 8 outcomes."""

    all_ways = Dist(tuple((Outcome(k % 6, (), k), 1 / 8) for k in range(8)))

    def actions(self, state, player):
        return tuple(range(30))

    def step(self, state, joint):
        return self.all_ways


@some
@given(game=games, blind=seats, shown=st.booleans())
def test_steps_are_laid_out_as_sorting_lays_them_out(game, blind, shown):
    game = Shown(game, blind) if shown else game
    form = built(game, blind)
    table = form.table
    sides, members = two_player_table(table, blind), information_partition(two_player_table(table, blind))
    count = np.diff(table.row)[members.state]
    rows, member = ranges(table.row[members.state], count), np.repeat(np.arange(form.size), count)
    slot = form.action_start[members.part[member]] + sides.move[rows]
    line = form.reply_start[member] + sides.reply[rows]
    pay = [sum(p * table.reward[e, blind] for _, e, p in outcomes(table, row)) for row in rows]
    low = form.reply_start[form.state_start[members.part[member]]]
    assert np.array_equal(form.reward[form.reward_start[slot] + line - low], pay)
    many = np.diff(table.out)[rows]
    outcome = ranges(table.out[rows], many)
    goes_on = members.place[table.next[outcome]] >= 0
    outcome, slot, line = outcome[goes_on], np.repeat(slot, many)[goes_on], np.repeat(line, many)[goes_on]
    steps = Transitions(slot, sides.mine.obs[outcome], line, members.place[table.next[outcome]], table.prob[outcome])
    for name, wanted in vars(sorted_successors(steps, members.part, len(form.action_label))).items():
        assert np.array_equal(getattr(form, name), wanted), name


@some
@given(game=games, player=seats, room=st.sampled_from([0, 10**6]))
def test_observations_are_numbered_alike_by_counting_and_sorting(game, player, room):
    table = forms.table(game)
    usual = view.player_view(table, player)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(view, "ROOM", room)
        found = view.player_view(table, player)
    assert np.array_equal(found.obs, usual.obs)
    assert found.observations == usual.observations
    legal = view.legal_by_state(table, player)
    for o, k in enumerate(found.obs):
        assert found.observations[k] == (
            table.observations[player][table.seen[table.event[o], player]],
            legal[table.next[o]],
        )
    assert found.obs.dtype == np.int32
    assert len(set(found.observations)) == len(found.observations) == found.obs.max() + 1


@some
@given(game=games, blind=seats, shown=st.booleans())
def test_what_stays_open_to_the_one_who_sees(game, blind, shown):
    table = forms.table(Shown(game, blind) if shown else game)
    sides = two_player_table(table, blind)
    led, state = {}, np.repeat(np.arange(table.size), np.diff(table.row))
    for row in range(len(table.out) - 1):
        for o in range(table.out[row], table.out[row + 1]):
            if table.actor_set[table.next[o]]:
                key = state[row - 1] if row else -1, sides.reply[row], sides.theirs.obs[o]
                led.setdefault(key, []).append((table.next[o], (sides.move[row], sides.mine.obs[o])))
    wanted = tuple(any(len({step[k] for step in lot}) > 1 for lot in led.values()) for k in (0, 1))
    steps = (
        table.row,
        table.out,
        table.next,
        table.actor_set,
        sides.wide,
        sides.tall,
        sides.mine.obs,
        sides.theirs.obs,
    )
    last = np.zeros((4, len(sides.theirs.observations)), np.int64)
    assert unobserved(StepInformation(*steps, *last), blind) == wanted


@pytest.mark.parametrize("seed", range(40))
def test_menus_that_clash_are_found(seed):
    rng = np.random.default_rng(seed)
    size, blind, observations = 6, seed % 2, 3
    wide, tall = rng.integers(1, 3, size), rng.integers(1, 3, size)
    row = np.append(1, 1 + np.cumsum(wide * tall)).astype(np.int32)
    out = np.append(0, np.cumsum(rng.integers(1, 3, row[-1]))).astype(np.int32)
    next_, event = rng.integers(0, size, out[-1], np.int32), rng.integers(0, 5, out[-1], np.int32)
    seen, legal = rng.integers(0, observations, 5, np.int32), np.where(np.arange(size) < 5, -1 - seed % 2, 0)
    legal[: seed % 4] = 1  # the more of them, the likelier two meet
    block, state = np.sort(rng.integers(0, 4, size)), rng.permutation(size)
    offered = {}
    for b, s in [(-1, -1), *zip(block.tolist(), state.tolist())]:
        for r in range(row[s], row[s + 1]) if s >= 0 else [0]:
            move = divmod(r - row[s], tall[s])[0] if blind == 0 else divmod(r - row[s], wide[s])[1]
            for o in range(out[r], out[r + 1]):
                if legal[next_[o]] >= 0:
                    offered.setdefault((b, int(move) if s >= 0 else 0, seen[event[o]]), set()).add(legal[next_[o]])
    wanted = any(len(legal_sets) > 1 for legal_sets in offered.values())
    arrays = (row, out, next_, event, seen, legal, wide, tall, block, state)
    last, first = np.full(observations, -1), np.zeros(observations, np.int64)
    assert legal_actions_clash(OfferedActions(*arrays, last, first), blind) == wanted


def scaled(form):
    try:
        return shaped_game(form)
    except FormError as error:
        assume("without a discount play must end" not in str(error))
        raise


@some
@given(game=games, blind=seats)
def test_the_least_is_taken_off(game, blind):
    form = built(game, blind)
    found = scaled(form)
    owner = form.state_of_reply[form.reply_of_reward]
    values = np.zeros(form.size) if form.reward.min() >= 0 else found.least
    ahead = form.reward + form.discount * np.bincount(form.cells(), form.prob * values[form.to], len(form.reward))
    assert np.array_equal(found.game.reward, (ahead - values[owner]) / found.scale)
    assert found.game.reward.min(initial=0) >= -1e-9
    assert np.abs(found.game.reward).max() in (0.0, pytest.approx(1.0))
    assert np.array_equal(found.game.prob, form.discount * form.prob)
    for name in (*OFFSETS, "target", "source", "to"):
        assert getattr(found.game, name) is getattr(form, name)  # not a copy


def test_forms_that_are_listed():
    listed = {found.form: found for found in forms.available(make("patrolling"))}
    assert str(listed["one-sided"]) == (
        "one-sided  guard blind: 16 states in 4 partitions of at most 4; "
        "intruder blind: 16 states in 16 partitions of at most 1, the other informed of more"
    )
    of = lambda game: {found.form: str(found) for found in forms.available(make(game))}  # noqa: E731
    assert "has 1 player" in of("tiger")["one-sided"]
    assert "none: is not zero-sum" in of("random(seed=1)")["one-sided"]
    assert list(of("leduc")) == list(ALL_FORMS)  # all there are
    large = forms.available(make("leduc"), states=10)
    assert [found.form for found in large if found.exists] == ["sampled", "modelled"]
