"""The compiled search against the same search in plain Python: equal draws, visits, means and beliefs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from fogbound import forms
from fogbound.compiled.draws import below, draw_place, uniform, weighted_place
from fogbound.core import Dist, Game, Observation, Outcome, SpecError
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.compiled_rules import table_rules, tree_rules
from fogbound.games import make
from fogbound.solvers.search import tree_search
from fogbound.solvers.search.belief import NOTHING_FITS
from fogbound.solvers.search.enumerated_belief import EnumeratedTracker
from fogbound.solvers.search.exploited import InfosetSearch
from fogbound.solvers.search.history import ActionObservationHistory
from fogbound.solvers.search.planner import Planner, opening
from fogbound.solvers.search.tree_search import SearchWay, TreeSearch
from tests.solvers.search import plain_search
from tests.solvers.search.plain_search import PlainSearch, SplitMix

IN_TURN = ["leduc", "liars-dice(sides=3)", "card-poker(ranks=3)"]
AT_ONCE = ["goofspiel", "rock-paper-scissors(biased=true)", "adversarial-tiger", "random(seed=3, depth=4)"]
OTHER = ["po-nim(n=2)", "tiger", "random(seed=5, depth=4, seats=3, discount=0.9)"]
WAYS = [
    ("ucb", "multiple"),
    ("rm", "multiple"),
    ("regret", "multiple"),
    ("ucb", "single"),
    ("ucb", "alone"),
]


def searched(rules, game, way, root, plain_root, me, seed, simulations):
    """Both searches; they must have met the same returns in as many nodes, each as often."""
    compiled, plain = TreeSearch(rules, way, root, me, seed), PlainSearch(game, way, plain_root, me, seed)
    compiled.run(simulations)
    plain.run(simulations)
    assert compiled.tree.used[0] == len(plain.nodes)
    assert sorted(compiled.tree.visits[: len(plain.nodes)]) == sorted(node.visits for node in plain.nodes.values())
    np.testing.assert_allclose(compiled.walk.sums, plain.sums, atol=1e-9)
    return compiled, plain


def alike(compiled, plain, legal):
    """What both learnt at the root."""
    found, edges = compiled.decision([compiled.compiled.action_code(action) for action in legal]), plain.at_root(legal)
    assert found.visits.tolist() == [edge.tried for edge in edges]
    means = [edge.total / edge.tried if edge.tried else np.nan for edge in edges]
    np.testing.assert_allclose(found.means, means, atol=1e-12)
    if plain.way.rule == "regret":
        whole = sum(edge.average for edge in edges)
        np.testing.assert_allclose(found.average, [edge.average / whole for edge in edges], atol=1e-12)
    if plain.way.rule != "ucb":
        node = plain.nodes[plain.me, plain.root[0][1][plain.me]]
        policy = plain.matched(node, legal) if plain.way.rule == "rm" else plain.strategy(node, legal)
        np.testing.assert_allclose(found.policy, policy, atol=1e-12)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("rule", "observer"), WAYS)
@pytest.mark.parametrize("spec", IN_TURN + AT_ONCE + OTHER)
def test_from_the_start_both_search_alike(spec, rule, observer):
    game, way = make(spec), SearchWay(rule, observer, depth=12)
    rules = table_rules(forms.table(game))
    searched(rules, game, way, opening(rules), plain_search.opening(game), 0, 7, 120)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("rule", "observer"), WAYS)
@pytest.mark.parametrize("spec", [*IN_TURN, "goofspiel(cards=3)", "rock-paper-scissors(biased=true)"])
def test_on_the_tree_a_game_is_searched_alike(spec, rule, observer):
    """Also by a single observer, who decides by what it knows where others move."""
    game, way = make(spec), SearchWay(rule, observer)
    rules = tree_rules(forms.tree(game))
    searched(rules, game, way, opening(rules), plain_search.opening(game), len(game.players) - 1, 11, 120)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("rule", "observer"), [way for way in WAYS if way[1] == "multiple"])
@pytest.mark.parametrize("spec", [*IN_TURN, "goofspiel(cards=3)", "rock-paper-scissors(biased=true)"])
@pytest.mark.parametrize("depth", [2, 200])
def test_at_information_sets_a_game_is_searched_alike(spec, rule, observer, depth):
    """In games that pay at their ends, as a tree does; also after what was learnt before is forgotten."""
    game, way = make(spec), SearchWay(rule, observer, depth=depth)
    tree, me = forms.tree(game), len(game.players) - 1
    compiled = InfosetSearch(tree, way, me)
    for seed in (4, 11):
        compiled.restart(opening(tree_rules(tree)), seed)
        plain = PlainSearch(game, way, plain_search.opening(game), me, seed)
        compiled.run(70)
        compiled.run(50)
        plain.run(120)
        assert sorted(compiled.visits[compiled.visits > 0]) == sorted(node.visits for node in plain.nodes.values())
        np.testing.assert_allclose(compiled.walk.sums, plain.sums, atol=1e-9)


def test_a_single_observer_has_no_information_sets_of_the_tree():
    with pytest.raises(SpecError, match="single"):
        InfosetSearch(forms.tree(make("leduc")), SearchWay(observer="single"), 0)


def test_beyond_what_is_looked_up_the_search_goes_on_alike(monkeypatch):
    monkeypatch.setattr(tree_search, "TABLE", 16)
    tree_search._looked_up.cache_clear()
    game, way = make("rock-paper-scissors(biased=true)"), SearchWay("ucb")
    rules = table_rules(forms.table(game))
    both = searched(rules, game, way, opening(rules), plain_search.opening(game), 0, 5, 400)
    tree_search._looked_up.cache_clear()
    alike(*both, ("rock", "paper", "scissors"))


@pytest.mark.parametrize("rule", ["ucb", "rm", "regret"])
def test_the_numbers_of_a_rule_are_heard(rule):
    game = make("rock-paper-scissors(biased=true)")
    rules = table_rules(forms.table(game))
    way = SearchWay(rule, spread=2.0, exploration=0.7, floor=0.05, share=0.3)
    both = searched(rules, game, way, opening(rules), plain_search.opening(game), 1, 2**63 - 1, 300)
    alike(*both, ("rock", "paper", "scissors"))


def decisions(game, seed, most=6):
    """Some decisions of a random play: who is asked, its history, its legal actions."""
    rules, rng = RuleSimulator(game), np.random.default_rng(seed)
    state, known, _ = plain_search.opening(game)[0]
    found = []
    while len(found) < most and (actors := rules.actors(state)):
        legal = rules.legal(state, actors)
        found += [(player, known[player], offered) for player, offered in zip(actors, legal) if len(offered) > 1]
        places = [int(rng.integers(len(offered))) for offered in legal]
        branches = rules.step(state, legal, places)
        state, event, _ = branches[int(rng.choice(len(branches), p=[p for *_, p in branches]))]
        known = plain_search.remembered(rules, known, actors, legal, places, event)
    return found


def history_of(known):
    first, *steps = known
    history = ActionObservationHistory(None, None, first)
    for action, seen in steps:
        history = ActionObservationHistory(history, action, seen)
    return history


def asked(game, particles, player, offered):
    """Of what may be true, that in which the player is asked, and offered these."""
    rules = RuleSimulator(game)

    def fits(state):
        actors = rules.actors(state)
        return player in actors and rules.legal(state, actors)[actors.index(player)] == offered

    return [particle for particle in particles if fits(particle[0])]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("spec", [*IN_TURN, *AT_ONCE, *OTHER])
@pytest.mark.parametrize("observer", ["multiple", "single", "alone"])
def test_at_every_decision_both_search_alike(spec, observer):
    """From what a planner holds for true, which is what Bayes' rule gives, to what it found."""
    game = make(spec)
    way = SearchWay("ucb", observer, depth=12)
    for player, known, offered in decisions(game, 5, most=4):
        planner = Planner(game, player, way, simulations=60, seed=3)
        search = planner.search(history_of(known), offered)
        particles = asked(game, plain_search.believed(game, player, known, observer == "alone"), player, offered)
        compiled, plain = searched(
            search.compiled, game, way, search.root, particles, player, int(search.walk.random[0]), 60
        )
        alike(compiled, plain, offered)


@pytest.mark.parametrize("spec", [*IN_TURN, *AT_ONCE, *OTHER, "multi-tiger", "pursuit(columns=2)"])
@pytest.mark.parametrize("alone", [False, True])
def test_a_belief_is_what_bayes_rule_gives(spec, alone):
    game = make(spec)
    rules = table_rules(forms.table(game))
    for player, known, _ in decisions(game, 1):
        belief = EnumeratedTracker(rules, player, alone, 0).belief(history_of(known))
        plain = plain_search.believed(game, player, known, alone)
        assert belief.exact
        assert [rules.state(row) for row in belief.root.rows] == [state for state, *_ in plain]
        weights = np.array([weight for *_, weight in plain])
        np.testing.assert_allclose(np.diff(belief.root.upto, prepend=0), weights / weights.sum(), atol=1e-12)


@dataclass(frozen=True)
class Urn(Game):
    """One ball of many is drawn unseen, then another, `draws` times; in the end somebody guesses."""

    name = "urn"
    players = ("guesser",)
    balls: int = 40
    draws: int = 4

    def start(self):
        return Dist.sure(Outcome(()))

    def actors(self, state):
        return () if state and state[-1] == "over" else (0,)

    def actions(self, state, player):
        return ("draw",) if len(state) < self.draws else ("low", "high")

    def step(self, state, joint):
        if joint[0] == "draw":
            return Dist.uniform([Outcome((*state, ball)) for ball in range(self.balls)])
        return Dist.sure(Outcome((*state[:1], "over"), (float((joint[0] == "low") == (state[0] < self.balls / 2)),)))


@pytest.mark.parametrize("most", [1, 16, 300, 5000])
def test_particles_are_thinned_to_what_is_allowed_and_never_end(most):
    """However few are allowed: from each that is left everything that may follow is tried."""
    game = Urn(draws=2)
    rules = table_rules(forms.table(game))
    nothing = Observation(None, None)
    history = history_of((nothing, ("draw", nothing), ("draw", nothing)))
    tracker = EnumeratedTracker(rules, 0, True, 3, most)
    belief = tracker.belief(history)
    assert belief.exact == (most >= 40 * 40)
    assert 0 < len(belief) <= max(most, 256)
    again = EnumeratedTracker(rules, 0, True, 3, most).belief(history)
    assert again.root.rows.tolist() == belief.root.rows.tolist()
    assert belief.root.upto.tolist() == again.root.upto.tolist()


def test_a_single_state_with_more_successors_than_there_is_room_for_is_followed_all_the_same():
    game = Urn(balls=2000, draws=1)
    nothing = Observation(None, None)
    belief = EnumeratedTracker(table_rules(forms.table(game)), 0, True, 0, 1).belief(
        history_of((nothing, ("draw", nothing)))
    )
    assert len(belief) == 2000
    assert belief.exact


def test_where_nothing_fits_any_legal_action_is_played_and_the_tally_says_why():
    game = make("leduc")
    planner = Planner(game, 0, simulations=10)
    player, known, offered = decisions(game, 0)[0]
    assert player == 0
    strange = ActionObservationHistory(history_of(known), None, Observation("a comet", None))
    assert dict(planner.act(strange, offered)) == dict(Dist.uniform(offered))
    assert planner.tally[NOTHING_FITS] == 1
    assert planner.look(strange, offered) is None


def test_regrets_are_not_pooled_over_other_actions():
    for rule, observer in (("regret", "single"), ("rm", "single"), ("regret", "alone"), ("rm", "alone")):
        with pytest.raises(SpecError, match=f"rule={rule} with observer={observer}"):
            SearchWay(rule, observer)


def test_draws_are_those_of_the_plain_generator():
    for seed in (0, 1, 2**63 - 1, 2**64 - 1):
        plain, state = SplitMix(seed), np.array([seed], np.uint64).astype(np.int64)
        weights = np.array([0.1, 0.2, 0.3, 0.4])
        for _ in range(50):
            assert uniform(state) == plain.uniform()
            assert below(state, 7) == plain.below(7)
            assert below(state, 1) == plain.below(1)
            assert draw_place(state, weights, 4) == plain.drawn(weights.tolist())
            assert draw_place(state, weights, 1) == plain.drawn([1.0])


def test_a_weighted_place_is_the_first_whose_sum_exceeds_a_number():
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 10):
        upto = np.cumsum(rng.integers(0, 3, size)).astype(float)
        for point in (-1.0, 0.0, 0.5, *upto, upto[-1] + 1):
            plain = next((k for k, total in enumerate(upto) if total > point), size - 1)
            assert weighted_place(upto, point) == plain
