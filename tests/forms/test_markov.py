"""Markov games as a form: a view of the table, or of arrays, where whoever moves knows the state."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms, policies
from fogbound.core.errors import FormError, LimitError
from tests.solvers.markov.made import markov_form

RAGGED = "random-markov(seed=7, seats=3, ragged=true, ends=0.1, choices=4, size=6)"


def random_arrays(seed, players=2, states=4, actions=3):
    rng = np.random.default_rng(seed)
    shape = (states, *(actions,) * players)
    transition = rng.exponential(size=(*shape, states))
    transition /= transition.sum(axis=-1, keepdims=True)
    return transition, rng.normal(size=(players, *shape))


@pytest.mark.parametrize("spec", ["soccer", "repeated(memory=true)", RAGGED, "rock-paper-scissors"])
def test_rows_and_outcomes_are_those_of_the_rules(spec):
    game, form = fb.game(spec), forms.markov(fb.game(spec))
    number = {state: k for k, state in enumerate(form.states)}
    rng = np.random.default_rng(0)
    for row in rng.choice(len(form.reward), min(40, len(form.reward)), replace=False):
        state = int(form.state_of[row])
        done = [form.actions(state, i) for i in range(len(game.players))]
        joint = tuple(done[i][form.choice[row, i] - form.first[i][state]] for i in game.actors(form.states[state]))
        after, paid = np.zeros(form.size), np.zeros(len(game.players))
        for outcome, p in game.step(form.states[state], joint):
            after[number[outcome.state]] += p
            paid += p * np.array(outcome.rewards or [0.0] * len(paid))
        assert np.allclose(form.moves[row].toarray()[0], after)
        assert np.allclose(form.reward[row], paid)


@dataclass(frozen=True)
class Peek(fb.Game):
    """A coin, which the player is shown just before it must move, or never."""

    told: bool = True
    players = ("guesser", "other")

    def start(self):
        return fb.Dist.uniform(fb.Outcome(("tossed", coin)) for coin in ("heads", "tails"))

    def actors(self, state):
        return {"tossed": (1,), "shown": (0,), "over": ()}[state[0]]

    def actions(self, state, player):
        return ("heads", "tails") if player == 0 else ("wait",)

    def step(self, state, joint):
        if state[0] == "tossed":
            return fb.Dist.sure(fb.Outcome(("shown", state[1]), private=(state[1] if self.told else None, None)))
        return fb.Dist.sure(fb.Outcome(("over", ""), (float(joint[0] == state[1]), 0.0)))


def test_only_who_moves_must_know_the_state_and_two_states_are_named():
    with pytest.raises(FormError, match=r"other cannot tell state \('tossed', 'heads'\) from \('tossed', 'tails'\)"):
        forms.markov(Peek())  # the other moves before anybody knows


def test_a_player_who_waits_need_not_know():
    class Told(Peek):
        def actors(self, state):
            return () if state[0] == "over" else (0,) if state[0] == "shown" else (1,)

        def start(self):
            shown = (fb.Outcome(("tossed", c), private=(None, c)) for c in ("heads", "tails"))
            return fb.Dist.uniform(shown)

    form = forms.markov(Told())
    assert fb.solve(form, "markov-backward-induction").value == 1.0
    with pytest.raises(FormError, match="guesser cannot tell"):
        forms.markov(Told(told=False))


def test_a_model_is_the_game_that_it_was_made_of():
    form = markov_form(*random_arrays(1), 0.9)
    again = forms.markov(forms.table(form.as_game()))
    assert forms.markov(form.as_game()) is form
    for name, array in again.arrays().items():
        assert np.allclose(array, form.arrays()[name]), name
    assert forms.derive(form.as_game(), forms.MarkovGame) is form


def test_ends_and_states_that_cannot_be_reached():
    transition = np.zeros((4, 2, 4))
    transition[0, :, 1] = transition[1, 0, 2] = transition[1, 1, 0] = 1.0  # 2 is an end, 3 is never reached
    transition[3, :, 3] = 1.0
    form = forms.markov(fb.mdp(transition, np.ones((4, 2)), 0.5, start=0, terminal=[2]))
    assert list(form.states) == [0, 1, 2]
    assert form.live.tolist() == [True, True, False]
    assert fb.solve(form, "policy-iteration").value == pytest.approx(2.0)  # for ever between 0 and 1
    begun = [0, 0, 0.5, 0.5]
    assert forms.markov(fb.mdp(transition, np.ones((4, 2)), 0.5, start=begun, terminal=[2])).size == 2


def test_too_many_states_are_refused():
    with pytest.raises(LimitError, match="more than 100 states"):
        forms.markov(fb.game("soccer"), limit=100)


def test_a_constant_sum_is_noticed_whatever_it_depends_on():
    """A potential that is paid as the state changes moves no value from one player to the other."""
    transition, reward = random_arrays(3)
    potential = np.array([3.0, -1.0, 2.0, 5.0])
    shaped = 0.9 * transition @ potential - potential[:, None, None]
    plain = np.stack([reward[0], -reward[0]])
    form = markov_form(transition, plain + shaped, 0.9)
    assert form.constant_sum == pytest.approx(-2 * potential.mean())
    value = fb.solve(markov_form(transition, plain, 0.9), "shapley", gap=1e-10).value
    assert fb.solve(form, "hoffman-karp", gap=1e-10).value == pytest.approx(value - potential.mean())
    assert markov_form(transition, reward, 0.9).constant_sum is None
    assert forms.markov(fb.game("rock-paper-scissors")).constant_sum == 1.0


def test_play_that_need_not_end():
    assert not len(forms.markov(fb.game("tic-tac-toe")).endless)
    assert len(forms.markov(fb.game("repeated")).endless) == 1
    assert forms.markov(fb.game("horizon(game=repeated, steps=3)")).order is not None
    assert forms.markov(fb.game("repeated")).order is None


def test_a_model_from_arrays_is_played_by_policies_that_are_saved(tmp_path):
    form = markov_form(*random_arrays(4), 0.9, name="made")
    solution = fb.solve(form, "markov-nash")
    solution.save(tmp_path / "made.npz")
    stored = fb.load(tmp_path / "made.npz")
    assert evaluation.value(form.as_game(), stored) == pytest.approx(solution.details["values"])
    assert fb.verify(stored, form.as_game())
    played = fb.match(form.as_game(), [stored.policy(0), policies.Uniform()], games=3, most_steps=50)
    assert played.games == 3


def test_what_is_listed_of_a_game():
    listed = {one.form: str(one) for one in forms.available(fb.game("soccer"))}
    assert listed["markov"] == "markov     761 states, 19,000 joint actions, discount 0.9"
    assert "cannot tell" in {one.form: str(one) for one in forms.available(fb.game("king-ace"))}["markov"]


@pytest.mark.parametrize("spec", ["tiger", "king-ace", "leduc", "po-nim(n=2)", "battleship", "pursuit(columns=2)"])
def test_hidden_states_are_found_at_once_and_by_the_walk_alike(spec, monkeypatch):
    """The quick look only says sooner what the walk over sets of states would say."""
    with pytest.raises(FormError, match="cannot tell state"):
        forms.markov(fb.game(spec))
    monkeypatch.setattr(import_module("fogbound.forms.markov"), "_confused_soon", lambda *_: None)
    if spec in ("tiger", "king-ace", "po-nim(n=2)"):
        with pytest.raises(FormError, match="cannot tell state"):
            forms.markov(fb.game(spec))
