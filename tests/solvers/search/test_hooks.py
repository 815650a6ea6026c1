"""Hooks of planners: rollout policy, leaf value, initial values and preferred actions, as functions and by name."""

from dataclasses import dataclass

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, GameError, LimitError, PolicyError, SpecError
from fogbound.core.game import Game, Outcome
from fogbound.solvers.search.hooks import Hooks
from fogbound.solvers.search.pomcp import POMCP
from fogbound.solvers.search.rules_search import RulesSimulator

LONG = 12


@dataclass(frozen=True)
class Corridor(Game):
    """Go right to the end, or leave at once for a little."""

    players: tuple[str, ...] = ("walker",)
    discount: float = 0.9

    def start(self):
        return Dist.sure(Outcome(0, public=0))

    def actors(self, state):
        return () if state < 0 or state == LONG else (0,)

    def actions(self, state, player):
        return ("leave", "left", "right")

    def step(self, state, joint):
        if joint[0] == "leave":
            return Dist.sure(Outcome(-1, (1.0,), public=-1))
        after = max(0, state + (1 if joint[0] == "right" else -1))
        return Dist.sure(Outcome(after, (10.0 if after == LONG else 0.0,), public=after))


class Walk(fb.Simulator):
    """The same, which can only be sampled."""

    actions = ("leave", "left", "right")
    discount = 0.9

    def initial(self, rng):
        return 0

    def step(self, state, action, rng):
        if action == "leave":
            return -1, -1, 1.0, True
        after = max(0, state + (1 if action == "right" else -1))
        return after, after, 10.0 if after == LONG else 0.0, after == LONG

    def observation_density(self, state, action, next_state, observation):
        return float(next_state == observation)


def right(state, player, actions):
    return "right"


def optimal(state, player):
    return 10 * 0.9 ** (LONG - 1 - state) if 0 <= state < LONG else 0.0


def action_values(state, player, actions):
    after = {"leave": 1.0, "left": 0.9 * optimal(max(0, state - 1), 0), "right": 0.9 * optimal(state + 1, 0)}
    return after if state + 1 < LONG else {**after, "right": 10.0}


def only_right(state, player, actions):
    return ["right"]


def decided(solver, game, **fields):
    """What is found at the first decision."""
    game = fb.game(game)
    planner = fb.solver(solver, **fields).policy(game, 0)
    outcome = game.start().sample(np.random.default_rng(0))
    memory, actions = planner.begin(outcome.observation(0)), game.actions(outcome.state, 0)
    return planner.look(memory, actions)


SEARCHES = [("pomcp(value=rollout)", Corridor()), ("pomcp", Walk()), ("pomcpow(value=rollout)", Corridor())]
SEARCHES += [("pomcpow", Walk()), ("pft-dpw(m=2)", Walk()), ("is-mcts", Corridor()), ("pomcp-pgt", Corridor())]


@pytest.mark.parametrize(("solver", "game"), SEARCHES)
def test_an_optimal_rollout_policy_makes_few_simulations_enough(solver, game):
    bare = decided(solver, game, simulations=30, exploration=0.05)
    good = decided(solver, game, simulations=30, exploration=0.05, rollout=right)
    assert good.means[2] > 1 > bare.means[2]  # leaving brings 1
    assert good.visits.argmax() == 2 != bare.visits.argmax()


@pytest.mark.parametrize(("solver", "game"), SEARCHES)
def test_a_leaf_value_that_is_the_optimal_one_makes_a_search_of_one_step_optimal(solver, game):
    solver = solver.replace("value=rollout", "")
    compiled = isinstance(game, Corridor) and not solver.startswith("pomcpow")  # the root is valued first
    found = decided(solver, game, simulations=3 + compiled, value=optimal, depth=2)
    expected = list(action_values(0, 0, ()).values())
    tried = found.visits > 0
    assert tried.sum() == 3
    np.testing.assert_allclose(found.means, expected)


@pytest.mark.parametrize(("solver", "game"), SEARCHES)
def test_initial_values_and_preferred_actions_steer_the_first_visits(solver, game):
    known = decided(solver, game, simulations=9, initial=action_values, prior=1000.0)
    assert known.visits[2] == known.visits.sum() >= 8
    first = decided(solver, game, simulations=9, prefer=only_right, prior=20.0)
    assert first.visits[2] == first.visits.sum() >= 8
    later = decided(solver, game, simulations=30, prefer=only_right, prior=5.0)
    assert (later.visits > 0).all()  # then all are tried


def test_the_search_by_plain_rules_uses_the_same_hooks(monkeypatch):
    game = Corridor()
    for fields in ({"rollout": right}, {"value": optimal}, {"initial": action_values}, {"prefer": only_right}):
        planner = POMCP(40, exploration=0.05, prior=10.0, **fields).policy(game, 0, by_rules=True)
        found = planner.look(planner.begin(fb.Observation(0, None)), game.actions(0, 0))
        assert isinstance(planner.simulator, RulesSimulator)
        assert found.visits[2] >= 10, fields
    monkeypatch.setattr("fogbound.solvers.search.simulator.TABULATED", 3)
    solved = fb.solve(game, POMCP(10, rollout=right, games=2))
    assert "too many states to ask rollout=right about each: the rules are sampled, in plain Python" in str(
        solved.details
    )


def test_a_name_and_a_function_that_mean_the_same_find_the_same():
    vectors = fb.policy("qmdp", "tiger")
    q = {state: dict(zip(("listen", "open-left", "open-right"), row)) for state, row in _by_state(vectors).items()}
    same = [
        ("rollout", lambda state, player, actions: max(actions, key=lambda action: q[state][action])),
        ("value", lambda state, player: max(q[state].values())),
        ("initial", lambda state, player, actions: q[state]),
        ("prefer", lambda state, player, actions: [max(actions, key=lambda action: q[state][action])]),
    ]
    for solver in ("pomcp(simulations=100)", "pomcpow(simulations=20)"):
        for hook, function in same:
            ours, named = decided(solver, "tiger", **{hook: function}), decided(solver, "tiger", **{hook: "qmdp"})
            np.testing.assert_array_equal(ours.visits, named.visits)
            np.testing.assert_array_equal(ours.means, named.means)


def _by_state(vectors):
    form, order = vectors.pomdp, ("listen", "open-left", "open-right")
    rows = [next(k for k, a in enumerate(vectors.actions) if form.actions[a] == name) for name in order]
    return {form.label(s): vectors.vectors[rows, s].tolist() for s in range(form.size)}


def test_names_go_into_specs_and_the_same_seed_gives_the_same_result():
    spec = "pomcp(simulations=50, games=2, rollout=qmdp(games=2), prefer=fib)"
    first, again = (fb.solve("tiger(resets=false)", spec, seed=4) for _ in range(2))
    assert first.value == again.value
    assert 'rollout="qmdp(games=2)"' in first.provenance["solver"]
    assert fb.solver(first.provenance["solver"]) == fb.solver(spec)


def test_a_saved_answer_is_a_hook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fb.solve("tiger", "qmdp(games=2)").save("vectors.npz")
    fb.solve("tiger", "sarsop").save("plan.npz")
    named, saved = (
        decided("pomcp(simulations=100)", "tiger", rollout=name) for name in ("qmdp(games=2)", "vectors.npz")
    )
    np.testing.assert_array_equal(named.visits, saved.visits)
    solved = fb.solve("tiger", "pomcp(simulations=3, depth=20, games=1, rollout=plan.npz)")
    assert "plan.npz plays by what its player saw: its memory is followed" in solved.details["search"]
    solved.save("planner.npz")
    again = fb.policy("planner.npz", "tiger")
    assert again.hooks.rollout == "plan.npz"


def test_a_policy_that_plays_by_what_was_seen_is_followed():
    """After two growls from the left the plan opens the right door: a rollout that follows it knows that."""
    game, listened = fb.game("tiger"), [("listen", "growl-left"), ("listen", "growl-left")]
    planner = POMCP(1, rollout="sarsop", depth=10).policy(game, 0)
    memory = planner.begin(fb.Observation(None, None))
    search = planner.search(memory, game.actions("left", 0))
    plan = search.followed
    for action, seen in listened:
        memory = planner.update(memory, action, fb.Observation(seen, None))
    found = plan.chosen(plan.after(memory.steps()), tuple(game.actions("left", 0)))
    assert found.support() == ("open-right",)


def test_the_others_that_are_modelled_are_part_of_what_vectors_know():
    found = fb.solve("po-nim(n=2)", "pomcp(simulations=20, games=3, rollout=qmdp, reuse=false)")
    assert found.details["leaf"] == "rollout"
    level = fb.solve("po-nim(n=2)", "pomcp(simulations=20, games=3, value=qmdp)", against="level-k(level=1)")
    assert level.details["leaf"] == "qmdp"


def test_mcts_uses_hooks_by_plain_rules_and_compiled(monkeypatch):
    game = fb.game("tic-tac-toe")
    state = game.start().sample(np.random.default_rng(0)).state

    def centre(state, player, actions):
        return ["b2"] if "b2" in actions else []

    for rollouts in (1, 2):  # compiled, by plain rules
        solver = fb.solver(f"mcts(simulations=30, rollouts={rollouts})", prefer=centre, prior=30.0)
        policy = solver.policy(game, 0)
        assert policy.choose(state, game.actions(state, 0)).support() == ("b2",)
    corner = fb.solver("mcts(simulations=30, rollouts=2)", value=lambda state, player: 0.0).policy(game, 0)
    assert corner.choose(state, game.actions(state, 0)).support() != ()
    solved = fb.solve(game, fb.solver("mcts(simulations=50)", value=lambda state, player: 0.5 - player))
    assert solved.value == pytest.approx(0.5)


def test_despot_takes_a_default_policy():
    bare = decided("despot(simulations=1, scenarios=5, depth=20)", Corridor())
    good = decided("despot(simulations=1, scenarios=5, depth=20)", Corridor(), rollout=right)
    assert good.means.argmax() == 2
    assert good.values[0] > bare.values[0]
    assert good.values[0] == pytest.approx(optimal(0, 0), abs=0.3)


def test_functions_are_checked_in_one_line():
    cases = [
        (
            {"rollout": lambda state, player, actions: "fly"},
            "the rollout function .* of pomcp returned 'fly', expected one",
        ),
        ({"value": lambda state, player: "much"}, "the value function .* returned 'much', expected a finite number"),
        ({"initial": lambda state, player, actions: {}}, "the initial function .* expected a number for each"),
        ({"prefer": lambda state, player, actions: "right"}, "the prefer function .* expected a list of actions"),
        ({"prefer": lambda state, player, actions: ["fly"]}, "returned 'fly', expected some of"),
        ({"value": lambda state, player: 1 / 0}, "the value function .* raised ZeroDivisionError"),
    ]
    for fields, message in cases:
        with pytest.raises(GameError, match=message):
            decided("pomcp(simulations=5)", Corridor(), **fields)


def test_a_hook_that_cannot_be_used_is_refused_by_name():
    cases = [
        ("pomcp(rollout=qmdp, value=informed)", "rollout=qmdp is never used with value=informed"),
        ("is-mcts(value=informed)", "is-mcts: value is 'informed', expected rollout"),
        ("is-mcts(observer=single, prefer=uniform)", "is-mcts: prefer=uniform has no use here: with observer=single"),
        ("pomcp-pgt(rule=regret, initial=qmdp)", "pomcp-pgt: initial=qmdp has no use here: rule=regret draws actions"),
        ("pomcpow(k_action=1, prefer=qmdp)", "pomcpow: prefer=qmdp has no use here: with k_action"),
        ("despot(value=qmdp)", "despot has no parameter 'value'"),
    ]
    for spec, message in cases:
        with pytest.raises(SpecError, match=message):
            fb.solver(spec)
    uses = [
        ("pomcp(value=uniform)", "tiger", "value=uniform names a policy without values"),
        ("pomcp(rollout=guess)", "tiger", "rollout=guess: unknown policy 'guess'"),
        ("pomcpow(rollout=sarsop)", "tiger", "pomcpow cannot follow sarsop: it plays by what its player saw"),
        ("is-mcts(rollout=cfr-plus)", "kuhn", "is-mcts cannot follow cfr-plus"),
        ("is-mcts(value=qmdp)", "kuhn", "is-mcts cannot use qmdp"),
        ("pomcp(rollout=qmdp)", Walk(), "rollout=qmdp: .*cannot be"),
    ]
    for spec, game, message in uses:
        with pytest.raises(FogboundError, match=message):
            decided(spec, game, simulations=5)
    with pytest.raises(SpecError, match="rollout is 3, expected a function"):
        Hooks("pomcp", rollout=3)
    with pytest.raises(LimitError, match="is-mcts asks its hooks for each state of a table"):
        decided("is-mcts(simulations=5)", "king-up", rollout=lambda state, player, actions: actions[0])
    with pytest.raises(PolicyError, match="has a function as a hook, cannot be saved"):
        POMCP(5, rollout=right).policy(Corridor(), 0).stored()
    with pytest.raises(SpecError, match="pomcp has no parameter 'rollouts'"):
        fb.solver("pomcp", rollouts=right)


def test_none_is_no_hook_and_refused_where_there_must_be_one():
    assert fb.solver("pomcp(prefer=none, initial=none)").hooks().prefer is None
    with pytest.raises(SpecError, match="parameter 'rollout' is None"):
        fb.solver("pomcp(rollout=none)")
    assert "prefer=none" in str(fb.solve("tiger", "pomcp(simulations=5, games=1)").provenance["solver"])
