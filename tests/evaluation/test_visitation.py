"""Where controllers spend their time: against plain recursion over the rules, a plan's own figures, and play."""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from fogbound import files
from fogbound.arena.episode import Episode
from fogbound.core import FormError, LimitError, Observation, PolicyError
from fogbound.core.policy import kinds
from fogbound.driver.protocol import Until
from fogbound.evaluation.belief_words import track
from fogbound.evaluation.plan_values import policy_graph_value
from fogbound.evaluation.visitation import visitation
from fogbound.forms import ModelGame, belief_mdp, pomdp
from fogbound.games import make
from fogbound.policies import LOST, Controller, Mixture, Uniform, controller
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers import make as make_solver
from tests import shared
from tests.run import solve

MODELS = shared.MODELS / "pomdp"
START = Observation(None, None)


def reply(spec, player=0):
    game = make(spec)
    others = {i: Uniform() for i in range(len(game.players)) if i != player}
    found = solve(make_solver("belief-mdp"), belief_mdp(pomdp(game, player, others)), Until(gap=1e-6), certified=False)
    return game, {**others, player: found.profile[player].minimal()}


def scrambled(policy, seed, keep=0.6):
    """A partial controller: some arrows are gone."""
    rng = random.Random(seed)
    kept = {arrow: target for arrow, target in policy.arrows.items() if rng.random() < keep}
    return Controller(policy.first, kept, policy.choices, vocabulary=policy.vocabulary)


def by_recursion(game, profile, player):
    """Visits of (node, state), and how likely each observation is after a node and its action, straight from the
    rules.
    """
    seats = sorted(profile)
    visits, along, left = (defaultdict(float) for _ in range(3))

    def go(types, memories, state, p):
        actors = game.actors(state)
        if not actors:
            return
        visits[memories[player], state] += p
        choices = [types[i].act(memories[i], tuple(game.actions(state, i))) for i in actors]
        for drawn in product(*choices):
            joint = tuple(action for action, _ in drawn)
            q = p * np.prod([chance for _, chance in drawn])
            own = dict(zip(actors, joint))
            for outcome, chance in game.step(state, joint):
                if q * chance == 0:
                    continue
                after = [types[i].update(memories[i], own.get(i), outcome.observation(i)) for i in seats]
                left[memories[player], own.get(player)] += q * chance
                if game.actors(outcome.state):
                    along[memories[player], own.get(player), outcome.observation(player)] += q * chance
                go(types, after, outcome.state, q * chance * game.discount)

    for drawn in product(*(kinds(profile[i]) for i in seats)):
        types = [policy for policy, _ in drawn]
        for outcome, p in game.start():
            begun = [policy.begin(outcome.observation(i)) for i, policy in enumerate(types)]
            go(types, begun, outcome.state, p * np.prod([chance for _, chance in drawn]))
    return visits, {key: p / left[key[:2]] for key, p in along.items() if p > 0}


def compare(game, profile, player):
    found, (visits, chances) = visitation(game, profile, player), by_recursion(game, profile, player)
    assert found.lost == pytest.approx(sum(p for (node, _), p in visits.items() if node == LOST))
    for node in range(profile[player].size):
        here = {state: p for (at, state), p in visits.items() if at == node and p > 0}
        assert found.visits[node] == pytest.approx(sum(here.values()))
        assert dict(found.beliefs[node]) == pytest.approx({s: p / sum(here.values()) for s, p in here.items()})
        shares = [p for _, p in found.beliefs[node]]
        assert shares == sorted(shares, reverse=True) or np.allclose(shares, sorted(shares, reverse=True), atol=1e-11)
    assert found.chances == pytest.approx({key: p for key, p in chances.items() if key[0] != LOST})
    return found


def test_tiger_holds_the_beliefs_of_exact_tracking():
    game, profile = reply("tiger")
    found = visitation(game, profile)
    left = sorted(dict(belief)["left"] for belief in found.beliefs)
    assert left == pytest.approx([0.15**2 / (0.15**2 + 0.85**2), 0.15, 0.5, 0.85, 0.85**2 / (0.15**2 + 0.85**2)])
    assert sum(found.visits) == pytest.approx(20)
    assert found.lost == 0
    form, policy = pomdp(game), profile[0]
    history = [START]
    memory = policy.begin(START)
    for side in ("left", "right", "left", "left", "right", "right", "right"):
        action = next(iter(policy.choices[memory]))[0]
        seen = Observation(f"growl-{side}", None)
        memory = policy.update(memory, action, seen)
        history.append((action, seen))
        believed = track(form, tuple(history))[-1].belief
        assert dict(found.beliefs[memory]) == pytest.approx(
            {form.label(int(s)): p for s, p in zip(believed.states, believed.weights)}
        )


def random_plan(form, seed, most=3):
    """Any nodes, any arrows that what is offered allows."""
    rng = np.random.default_rng(seed)
    nodes = [(legal, rng.integers(len(labels))) for legal, labels in enumerate(form.legal_sets) for _ in range(most)]
    number = {label: k for k, label in enumerate(form.actions)}
    action = np.array([number[form.legal_sets[legal][k]] for legal, k in nodes])

    def fit(z):
        return int(rng.choice([k for k, (legal, _) in enumerate(nodes) if legal == form.observations[z][1]]))

    asked = [z for z, (_, legal) in enumerate(form.observations) if legal >= 0]
    begin = np.array([(z, fit(z)) for z in asked])
    arrow = np.array([(node, z, fit(z)) for node in range(len(nodes)) for z in asked])
    return PolicyGraph(form, action, begin, arrow)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_a_plan_says_the_same(seed, discount):
    game = make(f"random(seed={seed}, seats=1, depth=4, width=3, actions_=3, loops=true, discount={discount})")
    form = pomdp(game)
    plan = random_plan(form, seed)
    told, policy = policy_graph_value(plan), plan.controller(tuple(map(str, range(plan.size))))
    found = visitation(game, {0: policy})
    often = np.bincount(told.pair[:, 0], told.visits, plan.size)
    follows = {tuple(plan.arrow[k, :2].tolist()): p for k, p in zip(told.used.tolist(), told.follows.tolist())}
    observations = {seen: z for z, (seen, legal) in enumerate(form.observations) if legal >= 0}
    met = 0.0
    for node, name in enumerate(policy.notes):
        assert found.visits[node] == pytest.approx(often[int(name)])
        for state, p in found.beliefs[node]:
            pairs = [
                v
                for (n, s), v in zip(told.pair.tolist(), told.visits.tolist())
                if n == int(name) and form.label(s) == state
            ]
            assert p * found.visits[node] == pytest.approx(sum(pairs))
    for (node, _, seen), p in found.chances.items():
        times = follows[int(policy.notes[node]), observations[seen]]
        assert p * found.visits[node] == pytest.approx(times)
        met += times
    assert met == pytest.approx(sum(follows.values()))


def test_tiger_as_a_plan():
    form = pomdp(make("tiger"))
    solved = solve(make_solver("sarsop"), form, Until(gap=1e-3))
    evidence = solved.certificate.evidence
    plan = PolicyGraph(form, *(evidence[name] for name in ("node_action", "begin", "arrow")))
    told = policy_graph_value(plan)
    found = visitation(form, {0: plan.controller()})
    assert sorted(found.visits) == pytest.approx(sorted(np.bincount(told.pair[:, 0], told.visits)))
    assert found.visits == visitation(make("tiger"), {0: plan.controller()}).visits


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("player", [0, 1])
def test_recursion_over_the_rules_agrees(seed, player):
    game = make(f"random(seed={seed}, seats=2, depth=4, width=3)")
    mixed = controller(game, player, Uniform())
    compare(game, {player: mixed, 1 - player: Uniform()}, player)
    lost = compare(game, {player: scrambled(mixed, seed, keep=0.0), 1 - player: Uniform()}, player)
    assert lost.lost > 0
    compare(game, {player: scrambled(mixed, seed), 1 - player: Uniform()}, player)


def test_mixtures_and_three_players():
    game = make("random(seed=5, seats=3, depth=3, width=3, discount=0.8)")
    first = controller(game, 1, Uniform())
    blend = Mixture((Uniform(), scrambled(first, 3)), (0.25, 0.75))
    compare(game, {0: controller(game, 0, Uniform()), 1: blend, 2: Uniform()}, 0)


@pytest.mark.parametrize(("spec", "player"), [("card-poker(ranks=4)", 0), ("card-poker(ranks=4)", 1)])
def test_replies_in_games_with_others(spec, player):
    compare(*reply(spec, player), player)


def test_play_agrees():
    game, profile = reply("po-nim(n=3, discount=0.9)")
    found = visitation(game, profile)
    rng, games = random.Random(3), 4_000
    visits = np.zeros(profile[0].size)
    for _ in range(games):
        table, scale = Episode(game, [profile[0], profile[1]], rng), 1.0
        for step in table.steps(200):
            if game.actors(step.outcome.state):
                visits[table.memories[0]] += scale
            scale *= game.discount
    assert visits / games == pytest.approx(np.array(found.visits), abs=0.05)


def test_sweeps_agree_with_the_factors(monkeypatch):
    game, profile = reply("tiger")
    exact = visitation(game, profile)
    monkeypatch.setattr(sys.modules[visitation.__module__], "DIRECT", 0)
    assert visitation(game, profile).visits == pytest.approx(exact.visits, rel=1e-12)


def test_a_model_file_as_a_game():
    path = MODELS / "4x3.95.pomdp"
    if not path.is_file():
        pytest.skip("the model files are not here")
    form = files.read_model(path)
    solved = solve(make_solver("sarsop"), form, Until(gap=0.05))
    found = visitation(ModelGame(form), solved.profile)
    assert sum(found.visits) == pytest.approx(20)
    totals = defaultdict(float)
    for (node, action, _), p in found.chances.items():
        totals[node, action] += p
    assert list(totals.values()) == pytest.approx([1.0] * len(totals))


def test_nodes_that_are_never_visited_hold_no_belief():
    game, profile = reply("tiger")
    policy = profile[0]
    found = visitation(game, {0: replace(policy, choices=(*policy.choices, None), notes=())})
    assert found.visits[-1] == 0
    assert found.beliefs[-1] == ()


def test_first_sights_have_their_chances():
    game, profile = reply("card-poker(ranks=4)")
    assert list(visitation(game, profile).first.values()) == pytest.approx([0.25] * 4)


def test_what_cannot_be_answered_is_said():
    game, profile = reply("tiger")
    with pytest.raises(PolicyError, match="player 0 has a policy of class Uniform, expected a controller"):
        visitation(game, {0: Uniform()})
    with pytest.raises(PolicyError, match="player 0 has no policy"):
        visitation(game, {})
    with pytest.raises(LimitError, match="over 3 pairs"):
        visitation(pomdp(game), profile, limit=3)
    with pytest.raises(FormError, match="some play never ends"):
        visitation(replace(pomdp(game), discount=1.0), profile)
    nim = make("po-nim(n=3)")
    with pytest.raises(FormError, match="has no policy"):
        visitation(nim, {0: controller(nim, 0, Uniform())})


def test_a_game_that_is_over_at_once():
    form = pomdp(make("tiger"))
    ended = replace(form, row=np.ones_like(form.row))
    assert visitation(ended, {0: Controller({START: 0}, {}, (None,))}).visits == (0.0,)
