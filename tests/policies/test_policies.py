"""Policies: each plays the game, is exactly evaluable, and becomes a controller where it is finite."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fogbound import evaluation, forms
from fogbound.arena import match, play
from fogbound.core import Dist, FormError, LimitError, Observation, PolicyError, SpecError
from fogbound.games import make
from fogbound.policies import LOST, AlphaVectors, Controller, Mixture, Tabular, Uniform, controller
from fogbound.solvers import make as make_solver
from fogbound.transforms.horizon import Horizon
from tests.run import solve


def tiger_vectors():
    """Alpha vectors of the classic tiger by many exact backups at a grid of beliefs (point-based)."""
    game = make("tiger")
    model = forms.pomdp(game)
    accuracy, listen = 0.85, np.array([-1.0, -1.0])
    opens = {"open-left": np.array([-100.0, 10.0]), "open-right": np.array([10.0, -100.0])}
    left = np.array([accuracy, 1 - accuracy])
    states = [model.label(s) for s in range(model.size)]
    order = [states.index("left"), states.index("right")]
    vectors, points = [np.zeros(2)], np.linspace(0, 1, 41)
    chosen = ["listen"]
    for _ in range(400):
        fresh, names = [], []
        for b in points:
            belief = np.array([b, 1 - b])
            options = []
            for name, pay in opens.items():
                best = max(vectors, key=lambda v: v.mean())
                options.append((pay + 0.95 * best.mean() * np.ones(2), name))
            parts = []
            for likelihood in (left, 1 - left):
                best = max(vectors, key=lambda v, w=likelihood * belief: float(v @ w))
                parts.append(likelihood * best)
            options.append((listen + 0.95 * sum(parts), "listen"))
            vector, name = max(options, key=lambda o, w=belief: float(o[0] @ w))
            if not any((abs(vector - f) <= 1e-8 + 1e-5 * abs(f)).all() for f in fresh):
                fresh.append(vector)
                names.append(name)
        vectors, chosen = fresh, names
    planes = np.zeros((len(vectors), 2))
    planes[:, order] = np.array(vectors)
    return game, AlphaVectors(model, planes, np.array([model.actions.index(name) for name in chosen]))


@pytest.mark.slow
def test_alpha_vectors_track_the_belief_and_play():
    game, policy = tiger_vectors()
    machine = controller(game, 0, policy).minimal()
    assert machine.size == 5
    worth = evaluation.value(game, {0: machine})[0]
    assert 19.371 < worth < 19.372
    assert math.isclose(worth, evaluation.value(game, {0: policy})[0], abs_tol=1e-6)


def test_simulation_agrees_with_evaluation():
    game = make("card-poker(ranks=4)")
    found = solve(make_solver("sequence-lp"), forms.sequence(game))
    profile = {0: found.profile[0], 1: Uniform()}
    exact = evaluation.value(game, profile)
    played = match(game, [profile[0], profile[1]], games=4_000, seed=3)
    low, high = played.players[0].score_interval
    assert low - 0.02 <= exact[0] <= high + 0.02
    assert played.players[0].score == pytest.approx(-played.players[1].score)


def test_minimal_controllers_behave_alike_and_are_small():
    game = Horizon(make("tiger"), 4)
    found = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game)))
    policy = found.profile[0]
    small = policy.minimal()
    assert small.size <= policy.size
    assert evaluation.value(game, {0: small}) == pytest.approx(evaluation.value(game, {0: policy}))
    assert small.minimal().size == small.size


def test_a_lost_controller_plays_uniformly_and_is_counted():
    game = make("card-poker(ranks=3)")

    class Folder:
        def begin(self, observation):
            return 0

        def update(self, memory, action, observation):
            return 0

        def act(self, memory, actions):
            return Dist.sure("fold" if "fold" in actions else "check")

    reply = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game, 1, {0: Folder()})))
    machine = reply.profile[1]
    with pytest.raises(PolicyError, match="nonsense"):
        machine.update(0, "bet", Observation("nonsense", None))
    assert machine.update(LOST, None, Observation("check", None)) == LOST
    assert len(machine.act(LOST, ("a", "b"))) == 2
    played = match(game, [Uniform(), machine], games=200)
    assert played.players[1].lost > 0
    assert match(game, [Folder(), machine], games=50).players[1].lost == 0


def test_illegal_and_improper_answers_are_refused():
    game = make("card-poker(ranks=3)")

    class Cheat:
        def begin(self, observation):
            return 0

        def update(self, memory, action, observation):
            return 0

        def act(self, memory, actions):
            return Dist.sure("raise")

    class Careless(Cheat):
        def act(self, memory, actions):
            return Dist.of({actions[0]: 0.5})

    for policy, message in ((Cheat(), "plays 'raise', expected one of"), (Careless(), "sum to 0.5")):
        with pytest.raises(PolicyError, match=message):
            evaluation.value(game, {0: policy, 1: Uniform()})
        with pytest.raises(PolicyError, match=message):
            play(game, [policy, Uniform()], np.random.default_rng(0))
    stuck = Controller({}, {}, (Dist.sure("raise"),))
    with pytest.raises(PolicyError, match="legal actions are"):
        stuck.act(0, ("check", "bet"))


def test_a_strategy_knows_its_own_game_only():
    poker = solve(make_solver("sequence-lp"), forms.sequence(make("card-poker(ranks=3)")))
    with pytest.raises(PolicyError, match="none of this game's"):
        evaluation.value(make("card-poker(ranks=4)"), {0: poker.profile[0], 1: Uniform()})


def test_policies_with_endless_memory_meet_the_limit():
    class Counter:
        def begin(self, observation):
            return 0

        def update(self, memory, action, observation):
            return memory + 1

        def act(self, memory, actions):
            return Dist.uniform(actions)

    game = make("tiger")
    with pytest.raises(LimitError, match="fewer memories"):
        evaluation.value(game, {0: Counter()}, limit=100)
    with pytest.raises(LimitError, match="no controller"):
        controller(game, 0, Counter(), limit=100)


def test_endless_play_has_no_undiscounted_value():
    class Stubborn:
        def begin(self, observation):
            return 0

        def update(self, memory, action, observation):
            return 0

        def act(self, memory, actions):
            return Dist.sure(("hidden", 2))

    game = make("po-nim(n=2, discount=1)")
    stubborn = Stubborn()
    both = {0: stubborn, 1: stubborn}
    played = play(game, [stubborn, stubborn], np.random.default_rng(0))
    assert played.ended == "cycle"
    with pytest.raises(FormError, match="never ends"):
        evaluation.value(game, both)
    result = match(game, [stubborn, stubborn], games=3)
    assert (result.cycles, result.tied) == (3, 3)


def test_mixtures_must_be_distributions():
    with pytest.raises(PolicyError, match="sum to"):
        Mixture((Uniform(), Uniform()), (0.5, 0.4))
    with pytest.raises(PolicyError):
        Mixture((), ())
    nested = Mixture.of([(Mixture.of([(Uniform(), 1.0)]), 0.5), (Uniform(), 0.5)])
    assert len(nested.kinds()) == 2


def test_workers_change_nothing():
    game = make("card-poker(ranks=3)")
    nash = solve(make_solver("sequence-lp"), forms.sequence(game)).profile
    alone = match(game, [nash[0], Uniform()], games=230, seed=9)
    assert alone == match(game, [nash[0], Uniform()], games=230, seed=9, workers=2)
    assert alone == match(game, [nash[0], Uniform()], games=230, seed=9, workers=3)


def test_a_mixture_becomes_a_controller_through_its_behaviour():
    game = make("card-poker(ranks=3)")
    form = forms.sequence(game)
    mixed = Mixture((Uniform(), solve(make_solver("sequence-lp"), form).profile[0]), (0.5, 0.5))
    with pytest.raises(PolicyError, match="drawn before the game"):
        controller(game, 0, mixed)
    machine = Tabular(form.tree, 0, evaluation.behaviour(form, 0, mixed)).controller()
    assert evaluation.value(game, {0: machine, 1: Uniform()}) == pytest.approx(
        evaluation.value(game, {0: mixed, 1: Uniform()})
    )


def test_matches_are_fair_and_reproducible():
    game = make("rock-paper-scissors")
    one = match(game, [Uniform(), Uniform()], games=300, seed=4)
    assert one == match(game, [Uniform(), Uniform()], games=300, seed=4)
    assert one != match(game, [Uniform(), Uniform()], games=300, seed=5)
    assert sum(p.wins for p in one.players) == pytest.approx(1)
    first = match(game, [Uniform(), Uniform()], games=300, seed=4, ties="first")
    assert first.players[0].wins > one.players[0].wins
    with pytest.raises(SpecError, match="ties"):
        match(game, [Uniform(), Uniform()], ties="none")
    with pytest.raises(SpecError, match="games"):
        match(game, [Uniform(), Uniform()], games=0)
    with pytest.raises(FormError, match="1 policy for 2"):
        match(game, [Uniform()])


def test_tabular_reads_as_rows():
    form = forms.sequence(make("card-poker(ranks=3)"))
    policy = Tabular(form.tree, 0, form.plexes[0].uniform)
    rows = policy.rows()
    assert len(rows) == 6
    assert rows[0][0][0].private == 1
    assert dict(rows[0][1]) == {"check": 0.5, "bet": 0.5}
