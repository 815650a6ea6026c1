"""Planners on generative models: exact values of small games, widening as published, weights against Bayes' rule."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import Observation
from fogbound.forms.bayes_filter import BayesFilter
from fogbound.solvers import make
from fogbound.solvers.search.belief import LET_GO, REINVIGORATED, ParticleBelief, StepEvidence, resampled_places
from fogbound.solvers.search.generative import RuleModel
from fogbound.solvers.search.generative_search import GenerativeWay, HistorySearch, WidenedNode, widened
from fogbound.solvers.search.pft_dpw import PFTDPWSearch
from fogbound.solvers.search.pomcpow import POMCPOWSearch
from fogbound.solvers.search.sampled_belief import SampledTracker
from tests.simulators.models import Corridor, Drift, SampledTiger, ValuedTiger

PLANNERS = ["pomcpow", "pft-dpw"]
EXACT = "tiger(resets=false)"


@pytest.mark.parametrize("solver", [*PLANNERS, "pomcp"])
def test_three_steps_whose_best_is_known(solver):
    found = fb.solve(Corridor(), f"{solver}(simulations=200, games=3, spread=10)")
    assert found.value == pytest.approx(8.1)
    assert found.details["interval"] == pytest.approx([8.1, 8.1])
    assert found.lower == -np.inf


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["pomcpow(simulations=500", "pft-dpw(simulations=200"])
@pytest.mark.parametrize("game", [EXACT, ValuedTiger()], ids=["rules", "simulator"])
def test_tiger_within_the_interval(solver, game):
    exact = fb.solve(EXACT, "sarsop").value
    found = fb.solve(game, f"{solver}, games=150)", seconds=300)
    low, high = found.details["interval"]
    assert low - 1 <= exact <= high + 1
    assert found.details["games"] == 150


@pytest.mark.parametrize("solver", PLANNERS)
def test_seeds_decide(solver):
    spec = f"{solver}(simulations=10, games=3, particles=30, depth=5)"
    one, again, *others = (fb.solve(SampledTiger(), spec, seed=seed).value for seed in (3, 3, 5, 6, 7, 8))
    assert one == again
    assert {one} != {*others}


def test_simulated_and_listed_games_are_weighed_alike():
    model = RuleModel(fb.game("tiger"))
    growl = Observation("growl-left", None)
    assert model.density("left", "listen", "left", growl) == pytest.approx(0.85)
    assert model.density("right", "listen", "right", growl) == pytest.approx(0.15)
    assert model.density("left", "open-left", "right", growl) == pytest.approx(0.5)
    assert model.upper("left") >= 19.37


def test_weights_are_those_of_bayes():
    """Three growls from the left: the weights of the particles are the posterior, given how many began on each side."""
    tracker = SampledTracker(fb.game(SampledTiger()).checked, 0, 200)
    rng = np.random.default_rng(0)
    belief = ParticleBelief(["left"] * 60 + ["right"] * 140, np.full(200, 1 / 200))
    exact = np.array([0.3, 0.7])
    for seen in ("left", "left", "right", "left"):
        belief = tracker.update(belief, StepEvidence("listen", seen, rng))
        exact = exact * ([0.85, 0.15] if seen == "left" else [0.15, 0.85])
        exact /= exact.sum()
        left = sum(weight for state, weight in zip(belief.states, belief.weights) if state == "left")
        assert left == pytest.approx(exact[0], abs=0.01)
    assert belief.weights.sum() == pytest.approx(1)


def test_rules_are_followed_exactly():
    """The belief that the planners search from, beside Bayes' rule on the POMDP."""
    game = fb.game("tiger")
    planner = fb.policy("pomcpow(simulations=1)", game)
    memory = planner.begin(Observation(None, None))
    exact = BayesFilter(fb.forms.pomdp(game))
    held, _ = exact.begin(Observation(None, None))
    for seen in ("growl-left", "growl-right", "growl-left"):
        memory = planner.update(memory, "listen", Observation(seen, None))
        held, _ = exact.update(held, "listen", Observation(seen, None))
    found = planner._tracker.at_decision(memory, game.actions("left", 0))
    left = dict(zip(found.states, found.weights))["left"]
    assert left == pytest.approx(0.85)
    assert sorted(found.weights) == pytest.approx(sorted(held.weights))


def test_an_observation_that_no_particle_explains_is_counted():
    model = fb.game(SampledTiger(accuracy=1.0)).checked
    tracker, rng = SampledTracker(model, 0, 50), np.random.default_rng(0)
    found = tracker.update(ParticleBelief(["right"] * 50, np.full(50, 0.02)), StepEvidence("listen", "left", rng))
    assert found.skipped == 1
    assert set(found.states) == {"right"}
    assert tracker.tally[REINVIGORATED] == 1
    planner = fb.policy("pomcpow(simulations=5, particles=20)", SampledTiger(accuracy=1.0))
    memory = planner.update(planner.begin(Observation(None, None)), "listen", Observation("left", None))
    memory = planner.update(memory, "listen", Observation("right", None))
    planner.act(memory, SampledTiger.actions)
    assert planner.skipped(memory) == 1
    assert planner.tally[LET_GO] == 1


def test_few_particles_are_reinvigorated():
    """Where no density is known particles must show just what was seen, and more are drawn until enough do."""

    class Dice(fb.Simulator):
        actions = ["roll"]

        def initial(self, rng):
            return 0

        def step(self, state, action, rng):
            rolled = int(rng.integers(100))
            return rolled, rolled, 0.0, False

    tracker = SampledTracker(fb.game(Dice()).checked, 0, 100)
    rolled = StepEvidence("roll", 7, np.random.default_rng(0))
    found = tracker.update(ParticleBelief([0] * 100, np.full(100, 0.01)), rolled)
    assert set(found.states) == {7}
    assert len(found.states) >= 10
    assert tracker.tally[REINVIGORATED] == 1


def test_systematic_resampling_is_proportional():
    places = resampled_places(np.array([0.1, 0.2, 0.7]), 10, np.random.default_rng(0))
    assert Counter(places.tolist()) == {0: 1, 1: 2, 2: 7}


@pytest.mark.parametrize(("k", "alpha"), [(1.0, 0.5), (2.0, 0.25), (5.0, 1 / 15)])
def test_widening_is_as_published(k, alpha):
    """|C(ha)| <= k N(ha)^alpha lets one more child in: after N visits there are exactly these, where all differ."""
    model, visits = fb.game(Drift()).checked, 0
    root = ParticleBelief([np.zeros(2)], np.ones(1))
    way = GenerativeWay(depth=6, k_observation=k, alpha_observation=alpha)
    search = POMCPOWSearch(model, way, root, 0)
    search.run(400)
    assert search.root.count == sum(search.root.counts) == 400
    for place, visits in enumerate(search.root.counts):
        children = 0
        for before in range(visits):
            children += children <= k * before**alpha
        below = search.root.edges[place]
        assert len(below.children) == children
        assert sum(len(child.steps) for child in below.children) == visits
        assert below.times == sum(child.times for child in below.children)
        for child in below.children:  # the first visit of a child is no visit of the decision below
            assert child.decision.count == len(child.steps) - 1
    beliefs = PFTDPWSearch(model, way, root, 0, 5)
    beliefs.run(100)
    for place, visits in enumerate(beliefs.root.counts):
        children = 0
        for before in range(visits):
            children += children <= k * before**alpha
        assert len(beliefs.root.edges[place]) == children


def test_actions_widen():
    node = WidenedNode(tuple(range(10)), list(range(9, -1, -1)))
    opened = []
    for _ in range(50):
        if node.opened < 10 and widened(1.0, 0.5, node.count, node.opened):
            node.opened += 1
        opened.append(node.opened)
        node.learn(node.select(1.0), 0.0)
    assert opened[:5] == [1, 2, 2, 2, 3]
    assert opened[-1] == 8
    assert node.counts[9] > 0 == node.counts[0]
    found = fb.solve(Corridor(), "pomcpow(simulations=300, games=2, k_action=1, spread=10)")
    assert found.value == pytest.approx(8.1)


def test_particles_are_drawn_by_weight():
    model = fb.game(SampledTiger()).checked
    search = POMCPOWSearch(model, GenerativeWay(), ParticleBelief(["left", "right"], np.array([0.5, 0.5])), 0)
    search.run(500)
    below = search.root.edges[0].known["left"]
    weights = np.diff([0.0, *below.upto])
    assert {step.state: weight for step, weight in zip(below.steps, weights.round(6))} == {"left": 0.85, "right": 0.15}
    assert [below.draw(point).state for point in (0.0, 0.999999)] == [below.steps[0].state, below.steps[-1].state]


def test_pomcp_branches_by_what_is_seen():
    model = fb.game(SampledTiger()).checked
    search = HistorySearch(model, GenerativeWay(), ParticleBelief(["left", "right"], np.array([0.5, 0.5])), 0)
    search.run(300)
    assert set(search.root.edges[0]) == {"left", "right"}


@pytest.mark.parametrize("solver", PLANNERS)
def test_one_player_alone(solver):
    with pytest.raises(FormError, match=f"{solver} plans for one player alone, and kuhn.* has 2"):
        fb.policy(solver, "kuhn")
    with pytest.raises(FogboundError := fb.FogboundError, match="player"):
        fb.solve("kuhn", solver)
    assert FogboundError


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("pomcpow(k_observation=0.5)", "k_observation is 0.5, expected a number of 1 or more"),
        ("pomcpow(alpha_observation=2)", "alpha_observation is 2.0, expected a number from 0 to 1"),
        ("pft-dpw(m=0)", "m is 0, expected 1 or more"),
        ("pft-dpw(simulations=0)", "simulations is 0, expected 1 or more"),
        ("pomcpow(prior=0)", "prior is 0.0, expected a number above 0"),
    ],
)
def test_parameters(spec, words):
    with pytest.raises(SpecError, match=words):
        make(spec)


def test_a_saved_planner_plays_as_before(tmp_path):
    found = fb.solve("tiger", "pomcpow(simulations=20, games=1)")
    fb.save(found, tmp_path / "tiger.npz")
    again = fb.policy(tmp_path / "tiger.npz", "tiger")
    first = Observation(None, None)
    actions = ("listen", "open-left", "open-right")
    assert again.act(again.begin(first), actions) == found.policy(0).act(found.policy(0).begin(first), actions)


def test_no_estimate_is_refused_by_name():
    with pytest.raises(FormError, match="pomcpow: nothing estimates what a state of SampledTiger"):
        fb.solve(SampledTiger(), "pomcpow(value=informed)")
