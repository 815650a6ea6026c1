"""Reasons to stop: one list, with words for each; a stall and the limit of floats are told apart."""

import threading
from functools import partial

import pytest

import fogbound as fb
from fogbound.core.cancel import Cancel, cancelling
from fogbound.core.errors import Stopped
from fogbound.core.registry import parameters
from fogbound.driver.stops import StopReason, stop_advice, words
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.solvers import SOLVERS
from fogbound.solvers.pomdp.hsvi.improvement import improve_bounds
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import FINENESS, ROOT
from fogbound.solvers.pomdp.hsvi.search import FINEST, HeuristicSearch
from fogbound.solvers.search.exploited import searched_profile
from tests.pomdps import random_dense
from tests.solvers.search.sampled_levels import sampled_levels

ISSUED = {"gap reached", "time limit", "iteration limit", "interrupted", "stalled", "numerical limit", "memory limit"}


def test_every_reason_has_words_of_its_own_and_a_run_that_fell_short_has_advice():
    told = [stop.words for stop in StopReason]
    assert len(set(told)) == len(told)
    assert set(told) >= ISSUED
    short = {StopReason.STALLED, StopReason.NUMERICAL, StopReason.MEMORY, StopReason.BELIEFS, StopReason.HORIZON}
    short.add(StopReason.DISCOUNT)
    assert {stop for stop in StopReason if stop_advice(stop)} == short
    assert words("of another version") == "of another version"


@pytest.mark.parametrize(
    ("discount", "upper", "expected"),
    [
        (0.9, 21_847.0, StopReason.STALLED),
        (0.9, 1e-9, StopReason.NUMERICAL),
        (0.99999, 2_184_700.0, StopReason.DISCOUNT),
    ],
)
def test_a_wide_gap_that_does_not_close_is_a_stall(discount, upper, expected):
    search = HeuristicSearch(mixed_observability(random_dense(0, discount).form()), {})
    search.arrays["count"][FINENESS] = FINEST + 1
    search.arrays["met"][:] = 0.0
    search.state.tree.V_lower[ROOT], search.state.tree.V_upper[ROOT] = 0.0, upper
    assert improve_bounds(search, ((0, 0.5),), 1)
    assert search.unfinished == expected


PLANNERS = [name for name in SOLVERS if any(p.name == "simulations" for p in parameters(SOLVERS.load(name)))]
ALONE = {name: ["tiger"] for name in ("pomcpow", "pft-dpw", "despot")}
GAMES = {"mcts": ["tic-tac-toe"], "pomcp": ["kuhn", "tiger"], **ALONE}  # what these can play; the others play all


@pytest.mark.parametrize(
    ("name", "game"),
    [(name, game) for name in PLANNERS for game in GAMES.get(name, ["kuhn", "tiger", "tic-tac-toe"])],
)
def test_a_planner_with_a_billion_simulations_stops_when_it_is_told_to(name, game):
    rules, cancel = fb.game(game), Cancel()
    policy = SOLVERS.make(f"{name}(simulations=1000000000)").policy(rules, 0)
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    with pytest.raises(Stopped), cancelling(cancel):
        fb.match(rules, [policy, *["uniform"] * (len(rules.players) - 1)], games=2)
    timer.cancel()


BILLION = 1_000_000_000


def by_rules(many):
    """A search of a game's rules, without compiled ones."""
    game = fb.game("tic-tac-toe")
    players = [SOLVERS.make(f"mcts(simulations={many}, rollouts=2)").policy(game, 0), "uniform"]
    return partial(fb.match, game, players, games=1)


def nested(many):
    """A search against players who search as well."""
    game = fb.game("po-nim(n=2)")
    return partial(fb.match, game, [sampled_levels(game, 1, many, particles=10)[1][0], "uniform"], games=1)


def on_the_tree(many):
    """A search of every information set of a tree."""
    game = fb.game("king-ace")
    return partial(
        searched_profile, fb.forms.tree(game), SOLVERS.make("is-mcts(observer=multiple)").policy(game, 0), many
    )


@pytest.mark.parametrize("work", [by_rules, nested, on_the_tree])
def test_every_way_to_simulate_a_billion_times_stops_when_it_is_told_to(work):
    """Nothing but simulations is left to do when it is told to."""
    work(10)()
    simulate, cancel = work(BILLION), Cancel()
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    with pytest.raises(Stopped), cancelling(cancel):
        simulate()
    timer.cancel()
