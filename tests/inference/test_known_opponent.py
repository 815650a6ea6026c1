"""Beliefs and worths are those against exactly the policy that sits there, whatever policy that is."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fogbound as fb
from fogbound.arena.episode import Episode
from fogbound.inference.fog import OpponentFog, fog_for, levels_fog
from fogbound.inference.opponent import Opponent
from tests import naive_worths

GAMES = [
    "kuhn",
    "card-poker(ranks=4)",
    "king-ace",
    "horizon(game=po-nim(n=2), steps=4)",
    "random(seed=4, depth=4, zero_sum=true)",
    "random(seed=7, depth=3, seats=3)",
    "goofspiel(cards=3)",
]
TWO_ALONE = ("level-k", "sequence-lp", "mixture", "saved")


def saved(game, player, tmp_path):
    """A solution from a file."""
    fb.solve(game, "cfr-plus", iterations=3, certify=False).save(tmp_path / "saved.npz")
    return fb.policy(tmp_path / "saved.npz", game, player)


OPPONENTS = {
    "uniform": lambda game, player, _: fb.policy("uniform", game, player),
    "sequence-lp": lambda game, player, _: fb.policy("sequence-lp", game, player),
    "level-k": lambda game, player, _: fb.policy("level-k(level=2)", game, player),
    "mixture": lambda game, player, _: levels_fog(game, 1 - player, "", 2).some_level(),
    "searching": lambda game, player, _: fb.policy("is-mcts(simulations=30)", game, player),
    "saved": saved,
}


class Chosen:
    """A player that makes random moves and keeps its history, with what it could choose from."""

    def __init__(self, seed):
        self.rng, self.history, self.asked = random.Random(seed), [], []

    def begin(self, observation):
        self.history.append(observation)
        return 0

    def update(self, memory, action, observation):
        self.history.append((action, observation))
        return memory + 1

    def act(self, memory, actions):
        self.asked.append((tuple(self.history), tuple(actions)))
        return fb.Dist.sure(self.rng.choice(actions))


def played(game, player, others, seed):
    """One game: the player, who knows all it did and saw."""
    one = Chosen(seed)
    table = [one if i == player else others[i] for i in range(len(game.players))]
    for _ in Episode(game, table, np.random.default_rng(seed)).steps():
        pass
    return one


@pytest.mark.one_in(4)
@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("kind", list(OPPONENTS))
def test_worths_are_those_against_the_policy_that_sits_there(spec, kind, tmp_path):
    game = fb.game(spec)
    if (kind in TWO_ALONE and len(game.players) > 2) or (kind == "sequence-lp" and "po-nim" in spec):
        pytest.skip("for two players; an equilibrium by linear programming for zero-sum games")
    for player in range(len(game.players)):
        others = {i: OPPONENTS[kind](game, i, tmp_path) for i in range(len(game.players)) if i != player}
        fog = fog_for(game, player, {i: Opponent(kind, policy) for i, policy in others.items()})
        for seed in range(3):
            one = played(game, player, others, seed)
            for history, actions in one.asked:
                found = fog.inferred(history, actions)
                courses = naive_worths.following(game, player, others, history)
                exact = naive_worths.worths(game, player, courses)
                assert {w.action: w.lower for w in found.worths} == pytest.approx(exact, abs=1e-9)
                assert {w.action: w.upper for w in found.worths} == pytest.approx(exact, abs=1e-9)
                top = max(exact.values())
                assert {w.action for w in found.worths if w.best} == {a for a, v in exact.items() if v > top - 1e-7}
                likely = {state.state: state.chance for state in found.states}
                assert likely == pytest.approx(naive_worths.belief(courses))
                assert found.source == f"exact against {kind}, with optimal play from here on"
            _reviewed(game, player, others, fog, one)


def _reviewed(game, player, others, fog, one):
    """The moves of a whole game, judged."""
    review = fog.review(tuple(one.history))
    made = [action for action, _ in one.history[1:] if action is not None]
    assert [move.action for move in review.moves] == made
    assert review.assumption == fog.assumption
    for move, (history, _) in zip(review.moves, one.asked):
        exact = naive_worths.worths(game, player, naive_worths.following(game, player, others, history))
        cost = max(exact.values()) - exact[move.action]
        assert move.cost == (pytest.approx(cost, abs=1e-7), pytest.approx(cost, abs=1e-7))


def test_a_call_against_the_equilibrium_of_8_card_poker_loses():
    """The dealer's call with card 6 against a bet: -0.5 against the equilibrium, +1.448 against levels 0 to 3."""
    game = fb.game("card-poker")
    others = {0: fb.policy("sequence-lp", game, 0)}
    history = (fb.Observation(None, 6), (None, fb.Observation("bet", None)))
    exact = naive_worths.worths(game, 1, naive_worths.following(game, 1, others, history))
    found = fog_for(game, 1, {0: Opponent("equilibrium (sequence-lp)", others[0])}).inferred(history, ("fold", "call"))
    assert {worth.action: worth.lower for worth in found.worths} == pytest.approx(exact)
    assert found.source == "exact against equilibrium (sequence-lp), with optimal play from here on"
    levels = fog_for(game, 1, {0: Opponent()}).inferred(history, ("fold", "call"))
    assert {worth.action: worth.lower for worth in levels.worths}["call"] > 0 > exact["call"]


def test_levels_of_a_mixture_are_weighed():
    """An opponent drawn from levels: which one it may be, jointly with the state, those that play alike together."""
    game = fb.game("po-nim(n=3)")
    drawn = levels_fog(game, 0, "", 3)
    mixture = drawn.some_level()
    fog = fog_for(game, 0, {1: Opponent("a drawn level", mixture, levels=(0, 1, 2, 3))})
    one = played(game, 0, {1: mixture}, 2)
    for history, actions in one.asked:
        known, levels = fog.inferred(history, actions), drawn.inferred(history, actions)
        assert [kind[0] for kind in known.kinds] == [kind[0] for kind in levels.kinds]
        assert [kind[1:] for kind in known.kinds] == [pytest.approx(kind[1:]) for kind in levels.kinds]
        assert [w.lower for w in known.worths] == pytest.approx([w.lower for w in levels.worths])
        shares = {state.state: state.shares for state in levels.states}
        assert {state.state: state.shares for state in known.states} == {
            state: pytest.approx(parts) for state, parts in shares.items()
        }


def test_a_person_is_taken_for_a_level_and_that_is_said():
    game = fb.game("kuhn")
    fog = fog_for(game, 0, {1: Opponent()})
    assert isinstance(fog, OpponentFog)
    one = played(game, 0, {1: fb.policy("uniform", game, 1)}, 1)
    found = fog.inferred(*one.asked[0])
    said = "if player-2, a person, plays at one of levels 0 to 3 (equally likely before the game)"
    assert found.source == f"exact {said}, with optimal play from here on"
    assert found.assumption == fog.review(tuple(one.history)).assumption == said
