"""What agents that search at every move say of their actions and beliefs: one contract for all of them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import PolicyError
from fogbound.core.policy import HoldsBelief, ValuesActions
from fogbound.core.q_value import QValue
from fogbound.solvers import SOLVERS
from fogbound.solvers.search.lookahead import LookaheadPolicy

SAMPLED = ["pomcp(simulations=200)", "pomcpow(simulations=100)", "pft-dpw(simulations=20)", "is-mcts(simulations=200)"]
SAMPLED += ["pomcp-pgt(simulations=200)"]


def first_observation(game, player=0):
    return fb.game(game).start().sample(np.random.default_rng(0)).observation(player)


def test_a_q_value_is_a_number():
    value = QValue(1.5, 0.25, 40)
    assert value + 1 == 2.5
    assert [value.exact, QValue(2.0).exact] == [False, True]
    again = pickle.loads(pickle.dumps(value))  # noqa: S301
    assert (again, again.half_width, again.visits) == (1.5, 0.25, 40)
    assert value.text() == "1.5 ± 0.25"
    assert QValue(1.5).text() == QValue(1.5, math.nan, 3).text() == "1.5"


@pytest.mark.parametrize("solver", SAMPLED)
def test_means_come_with_intervals_and_visits(solver):
    agent = fb.agent(solver, "tiger")
    done = agent.act()
    values = agent.values
    assert done in values
    assert set(values) <= set(agent.actions)
    assert sum(value.visits for value in values.values()) <= fb.solver(solver).simulations + len(values)
    assert all(value.half_width > 0 and math.isfinite(value) for value in values.values())
    assert agent.values == values  # the same search
    assert agent.belief == pytest.approx({"left": 0.5, "right": 0.5})


def test_the_action_that_is_played_was_tried_most():
    agent = fb.agent("pomcp(simulations=300)", "rock-sample(3, 2)")
    done = agent.act()
    assert max(agent.values, key=lambda action: agent.values[action].visits) == done


def test_scenarios_have_bounds_and_no_spread():
    agent = fb.agent("despot(simulations=20)", "tiger")
    done = agent.act()
    assert max(agent.values, key=agent.values.get) == done
    assert all(math.isnan(value.half_width) and value.visits >= 1 for value in agent.values.values())


def test_lookahead_knows_lower_bounds():
    form = fb.forms.pomdp(fb.game("tiger"))
    agent = fb.agent(LookaheadPolicy(form, nodes=200), "tiger")
    assert agent.act() == "listen"
    assert agent.values["listen"] == pytest.approx(19.3714, abs=1e-3)
    assert all(value.exact and value.visits is None for value in agent.values.values())


def test_computed_values_are_exact():
    agent = fb.solve("tiger", "sarsop", gap=1e-3).agent()
    agent.act()
    assert all(value.exact for value in agent.values.values())


@pytest.mark.parametrize("solver", ["mcts(simulations=200)", "mcts(simulations=60, rollouts=2)"])
def test_a_search_of_positions_says_what_it_found(solver):
    agent = fb.agent(solver, "tic-tac-toe")
    done = agent.act()
    values = agent.values
    assert max(values, key=lambda action: values[action].visits) == done
    assert sum(value.visits for value in values.values()) == fb.solver(solver).simulations
    assert all(0 < value.half_width < 2 for value in values.values())


@pytest.mark.parametrize("solver", ["pomcp(simulations=50)", "pomcpow(simulations=50)", "pft-dpw(simulations=10)"])
def test_a_simulator_is_believed_by_particles(solver):
    agent, game = fb.agent(solver, "light-dark"), fb.game("light-dark")
    start = game.start().sample(np.random.default_rng(0))
    done = agent.act(start.observation(0), game.actions(start.state, 0))
    assert done in agent.values
    assert sum(agent.belief.values()) == pytest.approx(1)
    assert len(agent.belief) > 1


@pytest.mark.parametrize("solver", ["is-mcts(simulations=100)", "pomcp(simulations=100)"])
def test_against_others_whose_ways_are_not_known_particles_are_believed(solver):
    agent = fb.agent(solver, "kuhn")
    seen = first_observation("kuhn")
    agent.act(seen)
    assert set(agent.values) == {"check", "bet"}
    assert list(agent.belief.values()) == pytest.approx([0.5, 0.5])


def test_nothing_has_a_value_before_a_move_is_asked_for():
    agent = fb.agent("pomcp(simulations=20)", "tiger")
    with pytest.raises(PolicyError, match="nothing was seen yet"):
        agent.values  # noqa: B018


@pytest.mark.parametrize("name", [name for name in SOLVERS if fb.solver(name).searches])
def test_every_planner_keeps_the_contract(name):
    """All that search as they play, but those that find equilibria: their values rest on how the others play."""
    if name in ("resolve", "oos"):
        pytest.skip("it keeps regrets; values are those of its plans against given others")
    game = "tic-tac-toe" if name == "mcts" else "tiger"
    policy = fb.policy(name, game, 0)
    assert isinstance(policy, ValuesActions)
    assert name == "mcts" or isinstance(policy, HoldsBelief)
