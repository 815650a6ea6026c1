"""What a planner may search for a move: simulations, seconds, or both; and what it carries over to the next move."""

import pytest

import fogbound as fb
from fogbound.solvers.search.budget import UNLIMITED

PLANNERS = ["pomcp", "is-mcts", "pomcp-pgt", "pomcpow", "pft-dpw", "despot"]


@pytest.mark.parametrize("name", PLANNERS)
def test_seconds_alone_decide_where_no_number_of_simulations_is_given(name):
    game = fb.game("tiger")
    usual = fb.solver(name).usual
    assert fb.solver(name).policy(game, 0).simulations == usual
    assert fb.solver(f"{name}(seconds=0.1)").policy(game, 0).simulations == UNLIMITED
    assert fb.solver(f"{name}(seconds=0.1, simulations=7)").policy(game, 0).simulations == 7


def test_milliseconds_alone_decide_in_lookahead():
    assert fb.solve("tiger", "lookahead(milliseconds=5)", certify=False).details["beliefs"] <= 1000  # at the start
    limits = [
        fb.policy(f"lookahead({given})", "tiger").nodes for given in ("", "milliseconds=5", "nodes=7, milliseconds=5")
    ]
    assert limits == [1000, UNLIMITED, 7]


def test_a_move_ends_with_its_time_and_not_with_the_usual_number(monkeypatch):
    asked = iter([False] * 20 + [True] * 1000)
    monkeypatch.setattr("fogbound.solvers.search.planner.deadline", lambda seconds: lambda: next(asked))
    game = fb.game("tiger")
    planner = fb.solver("pomcp(seconds=1)").policy(game, 0)
    found = planner.look(planner.begin(fb.Observation(None, None)), game.actions("left", 0))
    assert found.simulations == 21 * 256  # lots, after each of which the clock is asked


def test_a_move_whose_tree_has_no_more_room_ends_too():
    game = fb.game("tiger")
    planner = fb.solver("pomcp(seconds=600)").policy(game, 0)
    object.__setattr__(planner.way, "megabytes", 0.2)
    found = planner.look(planner.begin(fb.Observation(None, None)), game.actions("left", 0))
    assert 0 < found.simulations < 100_000


def histories(planner, game, state, steps):
    """What a player who listens did and saw."""
    memory = planner.begin(fb.Observation(None, None))
    found = [memory]
    for seen in steps:
        memory = planner.update(memory, "listen", fb.Observation(seen, None))
        found.append(memory)
    return found


@pytest.mark.parametrize("by_rules", [False, True])
def test_the_subtree_of_a_decision_is_the_tree_of_the_next(by_rules):
    game, spec = fb.game("tiger"), "pomcp(simulations=60, value=rollout, depth=10, reuse={})"
    actions = game.actions("left", 0)
    found = {}
    for reuse in ("true", "false"):
        planner = fb.solver(spec.format(reuse)).policy(game, 0, by_rules=by_rules)
        visits = [
            planner.look(one, actions).visits.sum()
            for one in histories(planner, game, "left", ["growl-left", "growl-left"])
        ]
        found[reuse] = visits
    assert found["false"] == [60, 60, 60]
    assert found["true"][0] == 60
    assert found["true"][1] > 60 < found["true"][2]


@pytest.mark.parametrize(
    "spec", ["pomcp(simulations=40, value=rollout, depth=10)", "pomcpow(simulations=40, depth=10, reuse=true)"]
)
def test_what_is_found_depends_on_the_seed_and_the_history_alone(spec):
    """Whatever was asked before: decisions that were not searched in this order are searched again."""
    game = fb.game("tiger")
    actions = game.actions("left", 0)
    one, other = (fb.solver(spec).policy(game, 0) for _ in range(2))
    way = histories(one, game, "left", ["growl-left", "growl-right", "growl-left"])
    in_order = [one.look(history, actions).visits.tolist() for history in way]
    assert [other.look(history, actions).visits.tolist() for history in reversed(way)] == in_order[::-1]
    assert one.look(way[2], actions).visits.tolist() == in_order[2]


def test_players_of_a_game_carry_their_trees_over_as_well():
    spec = "is-mcts(simulations=50, reuse=true)"
    first, again = (fb.match("leduc", spec, "uniform", games=6, seed=2).players[0].score for _ in range(2))
    assert first == again
