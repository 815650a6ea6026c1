"""One-sided forms: the game's own steps to the bit, partitions as brute force finds them, and the same values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fogbound import evaluation, forms
from fogbound.core import Dist, FormError, Game, GameError, LimitError, Outcome
from fogbound.forms.identity import form_digest
from fogbound.forms.one_sided.form import WAIT
from fogbound.forms.player_view import NOT_ASKED, player_view
from fogbound.games import make
from fogbound.policies import Uniform
from fogbound.solvers import make as make_solver
from fogbound.testing import random_games
from tests.run import solve

some = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
few = settings(some, max_examples=25)
seats = st.integers(0, 1)
UNIFORM = {0: Uniform(), 1: Uniform()}


@dataclass(frozen=True, eq=False)
class Shown(Game):
    """A game of two in which the other player than `blind` is shown everything that happens."""

    game: Game
    blind: int
    name = "shown"

    def __post_init__(self):
        object.__setattr__(self, "players", self.game.players)
        object.__setattr__(self, "discount", self.game.discount)

    def start(self):
        return self._shown(self.game.start(), None)

    def actors(self, state):
        return self.game.actors(state)

    def actions(self, state, player):
        return self.game.actions(state, player)

    def step(self, state, joint):
        return self._shown(self.game.step(state, joint), joint)

    def _shown(self, dist, joint):
        return Dist(tuple((self._outcome(o, joint), p) for o, p in dist))

    def _outcome(self, outcome, joint):
        observations = list(outcome.private or (None, None))
        observations[1 - self.blind] = (outcome.state, joint, outcome.observation(self.blind))
        return Outcome(outcome.state, outcome.rewards, outcome.public, tuple(observations))

    def __str__(self):
        return f"shown({self.game})"


@dataclass(frozen=True, eq=False)
class Chart(Game):
    """A game of two from a chart: opening (state, sight, probability), rules state -> joint -> (pay, outcomes)."""

    opening: tuple
    rules: dict  # joint = (action of player 0 or None, action of player 1 or None)
    discount: float = 0.5
    players = ("me", "you")
    name = "chart"

    def start(self):
        return Dist(tuple((Outcome(s, (), None, (z, s)), p) for s, z, p in self.opening))

    def actors(self, state):
        joint = next(iter(self.rules.get(state, {(None, None): 0})))
        return tuple(player for player in (0, 1) if joint[player] is not None)

    def actions(self, state, player):
        return tuple(dict.fromkeys(joint[player] for joint in self.rules[state]))

    def step(self, state, joint):
        full = dict(zip(self.actors(state), joint))
        pay, outcomes = self.rules[state][full.get(0), full.get(1)]
        return Dist(tuple((Outcome(s, (pay, -pay), None, (z, (s, joint, z))), p) for s, z, p in outcomes))

    def __str__(self):
        return "chart"


def members(form, part):
    return [form.states[s] for s in range(form.state_start[part], form.state_start[part + 1])]


def partitions(form):
    return [members(form, part) for part in range(len(form.state_start) - 1)]


def labels(form, numbers, whose):
    return [None if k == WAIT else form.actions[whose][k] for k in numbers]


def steps(form, state):
    """(blind action, seeing action) -> (pay, {(sight, next label): probability}), as the form's arrays say."""
    part, found = int(form.part[state]), {}
    low = form.reply_start[form.state_start[part]]
    rows = range(form.reply_start[state], form.reply_start[state + 1])
    for j in form.actions_of(part):
        for k in rows:
            led = {}
            for b in form.successors_of(j):
                for e in range(form.transition_start[b], form.transition_start[b + 1]):
                    if form.source[e] == k:
                        assert form.part[form.to[e]] == form.target[b]
                        key = form.observations[form.obs[b]], form.states[form.to[e]]
                        assert key not in led
                        led[key] = form.prob[e]
            joint = *labels(form, [form.action_label[j]], 0), *labels(form, [form.reply_label[k]], 1)
            found[joint] = form.reward[form.reward_start[j] + k - low], led
    return found


def expected_steps(game, state, blind):
    found, actors = {}, game.actors(state)
    offers = [game.actions(state, player) if player in actors else (None,) for player in (blind, 1 - blind)]
    for mine in offers[0]:
        for theirs in offers[1]:
            taken = {blind: mine, 1 - blind: theirs}
            pay, led = 0.0, {}
            for outcome, p in game.step(state, tuple(taken[player] for player in actors)):
                pay += p * (outcome.rewards or (0.0, 0.0))[blind]
                if p > 0 and game.actors(outcome.state):
                    key = outcome.observation(blind), outcome.state
                    led[key] = led.get(key, 0.0) + p
            found[mine, theirs] = pay, led
    return found


def closure(table, blind):
    """The finest partition by brute force: sets of (kind, state), united until nothing changes."""
    seen, sets = player_view(table, blind), {}
    for o in range(table.out[1]):
        sets.setdefault(int(seen.obs[o]), set()).add(("start", int(table.next[o])))
    found = [frozenset(group) for group in sets.values()]
    while True:
        grown = united(found + successors(table, seen, blind, found))
        if set(grown) == set(found):
            return found
        found = grown


def successors(table, seen, blind, sets):
    groups = {}
    for k, known in enumerate(sets):
        for _, s in known:
            for r in range(table.row[s], table.row[s + 1]):
                move = own_move(table, blind, s, r - int(table.row[s]))
                for o in range(table.out[r], table.out[r + 1]):
                    groups.setdefault((k, move, int(seen.obs[o])), set()).add(("state", int(table.next[o])))
    return [frozenset(group) for group in groups.values()]


def own_move(table, blind, state, inside):
    actors = table.actor_set_players[table.actor_set[state]][: table.actor_set_size[table.actor_set[state]]].tolist()
    move = None
    for k in reversed(range(len(actors))):
        inside, digit = divmod(inside, int(table.legal_size[table.legal[state, k]]))
        move = digit if actors[k] == blind else move
    return move


def united(sets):
    found = []
    for group in sets:
        touching = [other for other in found if other & group]
        found = [other for other in found if not other & group] + [group.union(*touching)]
    return found


def uniform_value(form):
    """What it is worth when both choose uniformly, by a dense linear system."""
    matrix, pay = np.eye(form.size), np.zeros(form.size)
    for s in range(form.size):
        cells = steps_by_number(form, s)
        for reward, led in cells:
            pay[s] += reward / len(cells)
            for t, p in led:
                matrix[s, t] -= form.discount * p / len(cells)
    return form.paid + form.start @ np.linalg.solve(matrix, pay)


def steps_by_number(form, state):
    part, found = int(form.part[state]), []
    for j in form.actions_of(part):
        entries = np.arange(*form.transition_start[form.successor_start[j : j + 2]])
        for k in range(form.reply_start[state], form.reply_start[state + 1]):
            mine = entries[form.source[entries] == k]
            reward = form.reward[form.reward_start[j] + k - form.reply_start[form.state_start[part]]]
            found.append((reward, list(zip(form.to[mine].tolist(), form.prob[mine].tolist()))))
    return found


def built(game, blind):
    try:
        return forms.one_sided(game, blind)
    except FormError as error:
        assume("is over before the first step" not in str(error))
        raise


def lp_value(game, blind):
    value = solve(make_solver("sequence-lp"), forms.sequence(game), certified=False).value
    return value if blind == 0 else -value


zero_sum = random_games(zero_sum=True, most_nodes=600)
looping = random_games(zero_sum=True, loops=True)


@some
@given(game=st.one_of(zero_sum, looping), blind=seats, shown=st.booleans())
def test_every_step_is_the_games(game, blind, shown):
    game = Shown(game, blind) if shown else game
    form = built(game, blind)
    for s, label in enumerate(form.states):
        mine, theirs = steps(form, s), expected_steps(game, label, blind)
        assert list(mine) == list(theirs)
        for joint, (pay, led) in mine.items():
            assert pay == pytest.approx(theirs[joint][0], abs=1e-12)
            assert led == pytest.approx(theirs[joint][1], abs=1e-12)


@some
@given(game=st.one_of(zero_sum, looping), blind=seats)
def test_probability_only_leaves_where_play_ends(game, blind):
    form = built(game, blind)
    kept = np.bincount(form.cells(), weights=form.prob, minlength=len(form.reward))
    assert (kept <= 1 + 1e-12).all()
    ended = sum(p for outcome, p in game.start() if not game.actors(outcome.state))
    assert form.start.sum() + ended == pytest.approx(1.0)
    begun = {}
    for outcome, p in game.start():
        if game.actors(outcome.state):
            key = outcome.observation(blind), outcome.state
            begun[key] = begun.get(key, 0.0) + p
    found = {}
    for s in np.flatnonzero(form.start):
        key = form.opening[int(form.part[s])], form.states[s]
        found[key] = found.get(key, 0.0) + form.start[s]
    assert found == pytest.approx(begun)


@some
@given(game=st.one_of(zero_sum, looping), blind=seats)
def test_partitions_are_the_finest(game, blind):
    form, table = built(game, blind), forms.table(game)
    running = {s for s in range(table.size) if table.actor_set[s] != 0}
    later = []
    for group in closure(table, blind):
        kept = frozenset(s for kind, s in group if kind == "state" and s in running)
        later += [kept] if kept else []
    number = {label: k for k, label in enumerate(table.states)}
    found = [frozenset(number[label] for label in part) for part in partitions(form)]
    assert set(later) <= set(found)
    assert len(set(later)) == len(later)
    for k, part in enumerate(found):
        if k in form.opening and (part not in later or found.index(part) != k or found.count(part) > 1):
            begun = {number[o.state] for o, p in game.start() if p > 0 and o.observation(blind) == form.opening[k]}
            assert part <= begun  # what begins so, and is asked alike
        else:
            assert part in later
            assert [found[j] for j in range(len(found)) if j not in form.opening].count(part) <= 1


@pytest.mark.slow
@some
@given(game=st.one_of(zero_sum, looping), blind=seats)
def test_uniform_play_is_worth_the_same(game, blind):
    form = built(game, blind)
    assert uniform_value(form) == pytest.approx(evaluation.value(game, UNIFORM)[blind], abs=1e-9)
    played = forms.OneSidedGame(form)
    assert evaluation.value(played, UNIFORM)[blind] == pytest.approx(evaluation.value(game, UNIFORM)[blind], abs=1e-9)


@pytest.mark.slow
@few
@given(game=random_games(zero_sum=True, most_nodes=300), blind=seats)
def test_what_can_be_secured_is_the_same_where_the_other_sees_everything(game, blind):
    full = Shown(game, blind)
    form = built(full, blind)
    assert form.relaxed == ""
    secured = lp_value(forms.OneSidedGame(form), blind)
    assert secured == pytest.approx(lp_value(full, blind), abs=1e-7)
    granted = built(game, blind)
    assert lp_value(forms.OneSidedGame(granted), blind) <= lp_value(game, blind) + 1e-7
    assert granted.arrays().keys() == form.arrays().keys()


@few
@given(game=random_games(zero_sum=True, most_nodes=300), blind=seats)
def test_what_is_granted_is_said_wherever_it_matters(game, blind):
    form = built(game, blind)
    if form.relaxed == "":
        assert lp_value(forms.OneSidedGame(form), blind) == pytest.approx(lp_value(game, blind), abs=1e-7)


@some
@given(game=st.one_of(zero_sum, looping), blind=seats)
def test_the_game_of_a_form_has_that_form(game, blind):
    form = built(game, blind)
    played = forms.OneSidedGame(form)
    assert forms.one_sided(played, blind) is form
    again = forms.one_sided(forms.table(played), blind)
    assert again.relaxed == ""
    assert sorted(map(len, partitions(again))) == sorted(map(len, partitions(form)))
    assert uniform_value(again) == pytest.approx(uniform_value(form), abs=1e-9)


def fork(**changes):
    """Two states alike to me at the start; `you` moves; then all is told, or nothing."""
    rules = {
        "a": {("l", "x"): (1.0, [("c", "told", 1.0)]), ("l", "y"): (0.0, [("d", "told", 0.5), ("e", "other", 0.5)])},
        "b": {("l", "x"): (2.0, [("d", "told", 1.0)])},
        "c": {("m", None): (3.0, [("over", "end", 1.0)])},
        "d": {("m", None): (4.0, [("over", "end", 0.25), ("c", "told", 0.75)])},
        "e": {(None, "z"): (5.0, [("e", "again", 0.5), ("over", "end", 0.5)])},
    }
    opening = (("a", "hush", 0.5), ("b", "hush", 0.5))
    return Chart(**{"opening": opening, "rules": rules, **changes})


def test_a_chart_by_hand():
    form = forms.one_sided(fork())
    assert partitions(form) == [["a", "b"], ["c", "d"], ["e"]]
    assert labels(form, form.action_label, 0) == ["l", "m", None]
    assert labels(form, form.reply_label, 1) == ["x", "y", "x", None, None, "z"]
    assert form.start.tolist() == [0.5, 0.5, 0, 0, 0]
    assert form.reward.tolist() == [1, 0, 2, 3, 4, 5]
    assert sorted(form.target.tolist()) == [1, 1, 2, 2]
    assert (form.size, form.player, form.relaxed, form.discount) == (5, 0, "", 0.5)


def test_two_first_sights_into_one_partition_are_both_remembered():
    opening = (("c", "one", 0.5), ("d", "two", 0.25), ("c", "two", 0.125), ("over", "gone", 0.125))
    rules = fork().rules | {"d": {("m", None): (4.0, [("d", "told", 0.25), ("c", "told", 0.75)])}}
    form = forms.one_sided(fork(opening=opening, rules=rules))
    found = sorted(map(sorted, partitions(form)))
    assert found == [["c", "d"], ["c", "d"]]
    assert {seen.private for seen in form.opening.values()} == {"one", "two"}
    assert form.start.sum() == 0.875
    for part, seen in form.opening.items():
        begun = form.start[form.states_of(part)].sum()
        assert begun == {"one": 0.5, "two": 0.375}[seen.private]


def test_what_only_the_start_confuses_is_not_confused_for_ever():
    rules = {
        "a": {("m", None): (1.0, [("a", "A", 0.5), ("b", "B", 0.5)])},
        "b": {("m", None): (2.0, [("a", "A", 0.5), ("b", "B", 0.5)])},
    }
    form = forms.one_sided(Chart((("a", "", 0.5), ("b", "", 0.5)), rules))
    assert partitions(form) == [["a", "b"], ["a"], ["b"]]
    assert form.start.tolist() == [0.5, 0.5, 0.0, 0.0]


def test_the_blind_player_may_sit_anywhere():
    form = forms.one_sided(fork(), player=1)
    assert (form.player, form.paid) == (1, 0.0)
    assert all(len(part) == 1 for part in partitions(form))
    assert "me is also informed of the state and of what you does and sees" in form.relaxed


def test_relaxed_says_what_is_granted():
    poker = forms.one_sided(make("card-poker"))
    assert "is also informed of the state" in poker.relaxed
    assert "lower bounds" in poker.relaxed
    secret = Chart((("a", "", 1.0),), {"a": {(m, "x"): (1.0, [("a", "", 1.0)]) for m in "lr"}})
    assert forms.one_sided(secret).relaxed == ""

    class Deaf(Chart):
        def step(self, state, joint):
            return Dist(tuple((replace(o, private=(o.private[0], o.state)), p) for o, p in super().step(state, joint)))

    deaf = forms.one_sided(Deaf(secret.opening, secret.rules))
    assert deaf.relaxed.startswith("you is also informed of what me does and sees, so values are lower bounds")


def test_arrays_are_canonical():
    form = forms.one_sided(fork())
    assert {array.dtype.str for array in form.arrays().values()} == {"<i8", "<f8"}
    assert form_digest(form) == form_digest(forms.one_sided(forms.table(fork())))
    assert form_digest(form) != form_digest(forms.one_sided(fork(discount=0.25)))


def test_games_that_have_no_such_form():
    with pytest.raises(FormError, match="has 1 player; a one-sided game has 2"):
        forms.one_sided(make("tiger"))
    with pytest.raises(FormError, match="player 2, expected a player from 0 to 1"):
        forms.one_sided(fork(), 2)
    with pytest.raises(FormError, match=r"is not zero-sum: .* is paid (after|at the start)"):
        forms.one_sided(make("random(seed=1)"))
    rules = {"e": {(None, "z"): (5.0, [("e", "again", 1.0)]), (None, "w"): (0.0, [("over", "", 1.0)])}}
    with pytest.raises(FormError, match="need not end: play can go on for ever from 'e'"):
        forms.one_sided(fork(discount=1.0, opening=(("e", "", 1.0),), rules=rules))
    with pytest.raises(FormError, match="is over before the first step, with value 0"):
        forms.one_sided(fork(opening=(("over", "", 1.0),)))
    with pytest.raises(LimitError):
        forms.one_sided(fork(), limit=3)
    assert forms.one_sided(fork(discount=1.0)).discount == 1.0  # it ends, though no number of steps is enough


@pytest.mark.parametrize("early", [True, False])
def test_menus_that_tell_what_was_not_seen(early):
    rules = {
        "a": {("l", None): (0.0, [("c", "same", 0.5), ("d", "same", 0.5)])},
        "c": {("m", None): (0.0, [("over", "", 1.0)])},
        "d": {("n", None): (0.0, [("over", "", 1.0)])},
    }
    opening = (("c", "", 0.5), ("d", "", 0.5)) if early else (("a", "", 1.0),)
    with pytest.raises(GameError, match=r"me cannot tell state '.' from '.', but may do \('.',\) in one"):
        forms.one_sided(Chart(opening, rules))


def test_different_menus_after_different_histories_are_no_clash():
    rules = {
        "a": {("l", None): (0.0, [("c", "same", 1.0)]), ("r", None): (0.0, [("d", "same", 1.0)])},
        "c": {("m", None): (0.0, [("over", "", 1.0)])},
        "d": {("n", None): (0.0, [("a", "", 1.0)])},
    }
    assert len(partitions(forms.one_sided(Chart((("a", "", 1.0),), rules)))) == 3


def test_being_asked_is_seen():
    rules = {
        "a": {("l", None): (0.0, [("c", "same", 0.5), ("d", "same", 0.5)])},
        "c": {("m", None): (0.0, [("a", "", 1.0)])},
        "d": {(None, "n"): (0.0, [("a", "", 1.0)])},
    }
    form = forms.one_sided(Chart((("a", "", 1.0),), rules))
    assert partitions(form) == [["a"], ["c"], ["d"]]
    assert NOT_ASKED in {legal for _, legal in player_view(form.table, 0).observations}
