"""The master test: same game, two forms, one number. On every small game, and on hundreds of random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fogbound import evaluation, forms
from fogbound.core import Dist, Observation
from fogbound.driver.protocol import Until
from fogbound.forms.normal import count_strategies
from fogbound.forms.tree import CHANCE
from fogbound.games import make
from fogbound.policies import AlphaVectors, Mixture, Tabular, Uniform, controller
from fogbound.solvers import make as make_solver
from fogbound.solvers.pomdp.belief_dp import _action_values, best_values
from fogbound.testing import check_form, check_solver, random_games
from fogbound.transforms.turn_based import TurnBased
from tests import naive
from tests.run import solve

SMALL = [
    "rock-paper-scissors",
    "rock-paper-scissors(biased=true)",
    "king-ace",
    "beer-quiche",
    "card-poker(ranks=3)",
    "card-poker(ranks=5)",
    "liars-dice(sides=2)",
    "liars-dice(sides=2, dice=2)",
    "kuhn(seats=2)",
    "goofspiel(cards=3)",
    "nim(heaps=[2, 1], misere=true)",
]
thorough = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def random_profile(form, seed):
    """Random behaviour strategies, sometimes pure, sometimes leaving actions out."""
    rng = np.random.default_rng(seed)
    played = []
    for plex in form.plexes:
        weights = rng.random(plex.sequences) * (rng.random(plex.sequences) < 0.8)
        behaviour = plex.uniform.copy()
        for first, size in zip(plex.first, plex.size):
            part = weights[first : first + size]
            if part.sum() > 0:
                behaviour[first : first + size] = part / part.sum()
        played.append(behaviour)
    return played


def in_words(form, played):
    """Behaviours as the oracle's dictionaries."""
    tree = form.tree
    strategies: dict = {}
    for player, plex in enumerate(form.plexes):
        table = strategies.setdefault(player, {})
        for h, first, size in zip(plex.sets, plex.first, plex.size):
            seen, *rest = tree.history(player, int(tree.set_memory[h]))
            known: tuple = (None, tuple(seen))
            for action, observation in rest:
                known = (*known, action, tuple(observation))
            table[known] = dict(zip(tree.moves(int(h)), played[player][first : first + size].tolist()))
    return strategies


def assert_same_tree(game):
    """The array tree equals the oracle's node by node, information sets included."""
    tree, nodes = forms.tree(game), naive.tree(game)
    assert tree.size == len(nodes)
    place = {id(node): v for v, node in enumerate(nodes)}
    sets: dict = {}
    for v, node in enumerate(nodes):
        assert tree.mover[v] == node.player
        assert tree.parent[v] == (-1 if node.parent is None else place[id(node.parent)])
        if node.parent is not None and node.parent.player == CHANCE:
            assert math.isclose(tree.prob[v], node.prob)
        assert np.allclose(tree.payoff[v], node.payoff, atol=1e-12)
        if node.player >= 0:
            assert tree.moves(int(tree.infoset[v])) == node.moves
            key = (node.player, node.known[node.player])
            assert sets.setdefault(key, int(tree.infoset[v])) == tree.infoset[v]
    assert len(set(sets.values())) == len(sets) == len(tree.set_owner)


def assert_memories_agree(form, played, profile):
    """With histories summed out everything is as on the tree: sets, moves, values and best replies."""
    known = forms.sequence(forms.memories(form.tree.origin))
    assert [plex.sequences for plex in known.plexes] == [plex.sequences for plex in form.plexes]
    assert (known.constant_sum is None) == (form.constant_sum is None)
    assert math.isclose(known.largest, form.largest, abs_tol=1e-9)
    again = evaluation.behaviours(known, profile)
    assert np.allclose(evaluation.expected(known, again), evaluation.expected(form, played), atol=1e-9)
    for player in range(len(form.players)):
        one, two = evaluation.best_response(form, played, player), evaluation.best_response(known, again, player)
        assert math.isclose(one.value, two.value, abs_tol=1e-9)


def assert_values_agree(game, seed):
    """One profile, five ways to its value; best replies on the tree, by the POMDP and by brute force."""
    form, source = forms.sequence(game), forms.table(game)
    played = random_profile(form, seed)
    profile = {i: Tabular(form.tree, i, b) for i, b in enumerate(played)}
    on_tree = evaluation.expected(form, played)
    assert_memories_agree(form, played, profile)
    nodes, words = naive.tree(game), in_words(form, played)
    assert np.allclose(on_tree, naive.expected(nodes, words), atol=1e-9)
    assert np.allclose(on_tree, evaluation.value(source, profile), atol=1e-9)
    machines = {i: p.controller() for i, p in profile.items()}
    assert np.allclose(on_tree, evaluation.value(source, machines), atol=1e-9)
    small = {i: p.controller().minimal() for i, p in profile.items()}
    assert np.allclose(on_tree, evaluation.value(source, small), atol=1e-9)
    walked = {i: controller(source, i, p) for i, p in profile.items()}
    assert np.allclose(on_tree, evaluation.value(source, walked), atol=1e-9)
    for player in range(len(game.players)):
        reply = evaluation.best_response(form, played, player)
        assert reply.value >= on_tree[player] - 1e-9
        swapped = [reply.behaviour if i == player else b for i, b in enumerate(played)]
        assert math.isclose(evaluation.expected(form, swapped)[player], reply.value, abs_tol=1e-9)
        if naive.pure_strategies(nodes, player) <= 64:
            assert math.isclose(naive.best_value(nodes, words, player), reply.value, abs_tol=1e-9)
        others = {i: p for i, p in profile.items() if i != player}
        assert_reply_through_beliefs(source, player, others, reply.value)


def assert_reply_through_beliefs(source, player, others, value):
    """Best reply by the POMDP and its beliefs; the extracted policies are worth what was said."""
    model = forms.pomdp(source, player, others)
    check_form(model)
    form = forms.belief_mdp(model)
    found = solve(make_solver("belief-mdp"), form, certified=False)
    assert math.isclose(found.value, value, abs_tol=1e-8)
    assert math.isclose(evaluation.value(source, found.profile)[player], value, abs_tol=1e-8)
    split = solve(make_solver("belief-mdp(ties=split)"), form, certified=False)
    assert math.isclose(evaluation.value(source, split.profile)[player], value, abs_tol=1e-6)
    if model.ends and source.discount == 1:
        vectors = exact_vectors(model, form)
        if vectors is not None:
            assert math.isclose(evaluation.value(source, {**others, player: vectors})[player], value, abs_tol=1e-6)


def exact_vectors(model, form):
    """The value of the best action at each belief as a vector over states: one plane a belief of the optimum.

    Built from the greedy plan by evaluating it state by state, so it is an independent way to the policy.
    """
    value = np.zeros(form.size)
    for _ in range(form.size + 1):
        value = best_values(form, _action_values(form, value, model.discount))
    action_worth = _action_values(form, value, model.discount)
    planes: dict[int, np.ndarray] = {}

    def plane(b):
        if b not in planes:
            first, last = int(form.row[b]), int(form.row[b + 1])
            r = first + int(np.argmax(action_worth[first:last]))
            after = {int(form.obs[o]): plane(int(form.next[o])) for o in range(form.out[r], form.out[r + 1])}
            vector = np.full(model.size, -1e6)
            for s in form.states[b]:
                row = int(model.row[s]) + (r - first)
                vector[s] = model.reward[row]
                for o in range(model.out[row], model.out[row + 1]):
                    z = int(model.obs[o])
                    if z in after:
                        vector[s] += model.discount * model.prob[o] * after[z][model.next[o]]
            planes[b] = vector
        return planes[b]

    if form.size == 0 or form.size > 400:
        return None
    vectors = np.array([plane(b) for b in range(form.size)])
    actions = []
    for b in range(form.size):
        first, last = int(form.row[b]), int(form.row[b + 1])
        actions.append(int(form.action[first + int(np.argmax(action_worth[first:last]))]))
    return AlphaVectors(model, vectors, np.array(actions))


def assert_equilibria_agree(game):
    """Sequence LP = matrix LP where that exists, from both players, certified; = the turn-based game's."""
    form = forms.sequence(game)
    found = check_solver(make_solver("sequence-lp"), form)
    assert found.certified == "both"
    assert found.gap < 1e-9
    other = solve(make_solver("sequence-lp"), form, player=1)
    assert math.isclose(other.value, (form.constant_sum or 0.0) - found.value, abs_tol=1e-9)
    summed_out = check_solver(make_solver("sequence-lp"), forms.sequence(forms.memories(game)))
    assert summed_out.certified == "both"
    assert math.isclose(summed_out.value, found.value, abs_tol=1e-9)
    if all(count_strategies(plex) <= 300 for plex in form.plexes):
        matrix = check_solver(make_solver("matrix-lp"), forms.normal(form))
        assert math.isclose(matrix.value, found.value, abs_tol=1e-9)
    if game.discount == 1:
        turns = solve(make_solver("sequence-lp"), forms.sequence(TurnBased(game)))
        assert math.isclose(turns.value, found.value, abs_tol=1e-9)


@pytest.mark.parametrize("spec", SMALL)
def test_small_games(spec):
    game = make(spec)
    assert_same_tree(game)
    assert_values_agree(game, seed=1)
    if forms.sequence(game).constant_sum is not None:
        assert_equilibria_agree(game)


def test_leduc_tree_is_the_oracles():
    assert_same_tree(make("leduc"))


@settings(thorough, max_examples=60)
@given(random_games(), st.integers(0, 2**32 - 1))
def test_random_games(game, seed):
    assert_same_tree(game)
    assert_values_agree(game, seed)


@settings(thorough, max_examples=50)
@given(random_games(zero_sum=True, most_nodes=1_000), st.integers(0, 2**32 - 1))
def test_random_zero_sum_games(game, seed):
    assert_values_agree(game, seed)
    assert_equilibria_agree(game)


@pytest.mark.slow
@thorough
@given(random_games(zero_sum=True, most_nodes=1_000), st.integers(0, 2**32 - 1))
def test_many_random_zero_sum_games(game, seed):
    assert_values_agree(game, seed)
    assert_equilibria_agree(game)


@settings(thorough, max_examples=60)
@given(random_games(loops=True), st.integers(0, 2**32 - 1))
def test_random_games_with_loops(game, seed):
    """Where play can come back there is no tree: the linear solve against a long horizon's sum."""
    source = forms.table(game)
    assert len(forms.knowledge(source, 0).sets) > 0
    profile = {i: Uniform() for i in range(len(game.players))}
    exact = evaluation.value(source, profile)
    model = forms.induced(source, profile)
    value, total, power = np.zeros((model.size, len(game.players))), None, 200
    for _ in range(power):
        ahead = np.zeros_like(value)
        for p in range(model.size):
            if model.row[p + 1] > model.row[p]:
                r = int(model.row[p])
                ahead[p] = model.reward[r]
                for o in range(model.out[r], model.out[r + 1]):
                    ahead[p] += source.discount * model.prob[o] * value[model.next[o]]
        if np.abs(ahead - value).max(initial=0.0) < 1e-13:
            break
        value = ahead
    first = range(model.out[0], model.out[1])
    total = model.reward[0] + sum(model.prob[o] * value[model.next[o]] for o in first)
    assert np.allclose(exact, total, atol=1e-8)


def test_a_mixture_is_its_behaviour():
    """Kuhn: a mixture drawn at the start and its behaviour strategy are worth the same against anyone."""
    game = make("card-poker(ranks=4)")
    form = forms.sequence(game)
    rng_profiles = [random_profile(form, seed) for seed in range(3)]
    mixed = Mixture(tuple(Tabular(form.tree, 0, p[0]) for p in rng_profiles), (0.5, 0.3, 0.2))
    behaviour = evaluation.behaviour(form, 0, mixed)
    opponent = Tabular(form.tree, 1, rng_profiles[0][1])
    apart = evaluation.value(game, {0: mixed, 1: opponent})
    together = evaluation.expected(form, [behaviour, opponent.behaviour])
    assert np.allclose(apart, together, atol=1e-12)
    reply = evaluation.best_response(form, [behaviour, opponent.behaviour], 1).value
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 1, {0: mixed})))
    assert math.isclose(found.value, reply, abs_tol=1e-9)


def test_an_unknown_type_is_inferred():
    """Against a mixture of two pure types the reply learns who it faces: better than against their average play."""

    class Always:
        def __init__(self, action):
            self.action = action

        def begin(self, observation: Observation):
            return 0

        def update(self, memory, action, observation):
            return 0

        def act(self, memory, actions):
            return Dist.sure(self.action if self.action in actions else actions[0])

    game = make("card-poker(ranks=3)")
    types = Mixture((Always("bet"), Always("check")), (0.5, 0.5))
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 1, {0: types})), Until())
    known = [
        solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 1, {0: kind}))).value
        for kind in types.policies
    ]
    assert math.isclose(found.value, sum(known) / 2, abs_tol=1e-9)  # the first move gives the type away
