"""Perfect information: minimax, alpha-beta, expectimax, backward induction and UCT against each other and the LP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from fogbound import draw, evaluation, files, forms
from fogbound.api import form_for
from fogbound.arena import match, play
from fogbound.core import Dist, FormError, Game, LimitError, Outcome, PolicyError, SpecError
from fogbound.driver.protocol import Context, Until
from fogbound.games import make
from fogbound.games.random_game import OVER, RandomGame
from fogbound.policies import StatePolicy, Uniform, controller
from fogbound.solvers import make as make_solver
from fogbound.solvers.perfect_information.alpha_beta import shifted
from fogbound.solvers.search.sampled import SampledGame, stable_text
from fogbound.transforms.subgame import StartAt
from tests.run import solve

ALPHA_BETAS = [f"alpha-beta(ordering={o}, table={t})" for o in ("false", "true") for t in ("false", "true")]
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Open(Game):
    """A random game with nothing hidden: one mover at a time, every move, outcome and state seen by all."""

    seed: int = 0
    seats: int = 2
    zero_sum: bool = True
    discount: float = 1.0
    chance: bool = True
    loops: bool = False
    depth: int = 4
    gift: float = 0.0  # what the last player gets at the start: constant-sum instead of zero-sum

    def __post_init__(self):
        inner = RandomGame(self.seed, self.seats, self.depth, 3, 3, 2, self.zero_sum, self.discount, self.loops)
        object.__setattr__(self, "inner", inner)
        object.__setattr__(self, "players", inner.players)

    def start(self):
        begun = self._open(self.inner.start(), ())
        gift = (*[0.0] * (self.seats - 1), self.gift)
        paid = lambda o: tuple(a + b for a, b in zip(o.rewards or [0.0] * self.seats, gift))  # noqa: E731
        return Dist(tuple((Outcome(o.state, paid(o), o.public), p) for o, p in begun))

    def actors(self, state):
        actor_set = self.inner.actors(state)
        return (actor_set[(state[1] + self.seed) % len(actor_set)],) if actor_set else ()

    def actions(self, state, player):
        return self.inner.actions(state, player)

    def step(self, state, joint):
        (mover,) = self.actors(state)
        full = tuple(joint[0] if i == mover else self.actions(state, i)[0] for i in self.inner.actors(state))
        return self._open(self.inner.step(state, full), joint)

    def _open(self, dist, joint):
        pairs = [(Outcome(o.state, o.rewards, (o.state, *joint, o.public)), p) for o, p in dist]
        return Dist(tuple(pairs)) if self.chance else Dist.sure(pairs[0][0])


@dataclass(frozen=True)
class Walk(Game):
    """A coin on every step, and a player that may stop: long plays, few states."""

    steps: int
    players = ("a", "b")

    def start(self):
        return Dist.sure(Outcome((0, 0)))

    def actors(self, state):
        return (state[0] % 2,) if state[0] < self.steps else ()

    def actions(self, state, player):
        return ("go", "stop")

    def step(self, state, joint):
        t, x = state
        if joint == ("stop",):
            return Dist.sure(Outcome((self.steps, x), (x / 8, -x / 8), "stop"))
        return Dist.uniform(Outcome((t + 1, (x + d) % 5 - 2), (d / 4, -d / 4), d) for d in (-1, 2))


@cache
def solved(game, solver):
    return solve(make_solver(solver), forms.table(game))


def answer(solver, form):
    """The solver's own answer, without the driver."""
    return next(make_solver(solver).run(form, Context(np.random.default_rng(0))))


def counts(solution):
    return {key: solution.details[key] for key in ("nodes", "leaves", "states")}


@pytest.mark.parametrize("seventh", [19, 14])
def test_the_slides_tree(seventh):
    game = make(f"slide-tree(seventh={seventh})")
    for name in ("minimax", "backward-induction", *ALPHA_BETAS):
        found = solved(game, name)
        assert (found.value, found.lower, found.upper, found.certified) == (3, 3, 3, "both")
        memory = found.profile[0].begin(game.start().pairs[0][0].observation(0))
        assert found.profile[0].act(memory, ("a1", "a2", "a3")) == Dist.sure("a1")
    assert counts(solved(game, "minimax")) == {"nodes": 13, "leaves": 9, "states": 13}
    assert counts(solved(game, ALPHA_BETAS[0])) == {"nodes": 11, "leaves": 7, "states": 11}


@pytest.mark.slow
def test_tic_tac_toe():
    table = forms.table(make("tic-tac-toe"))
    ways = ("minimax", "backward-induction", *ALPHA_BETAS)
    found = {s: solve(make_solver(s), table, certified=s == "minimax") for s in ways}  # a proof takes ten seconds
    assert found["minimax"].certified == "both"
    assert all((s.value, s.lower, s.upper) == (0, 0, 0) for s in found.values())
    assert counts(found["minimax"]) == {"nodes": 549_946, "leaves": 255_168, "states": 5_478}
    plain, remembering, ordered, both = (counts(found[s])["nodes"] for s in ALPHA_BETAS)
    assert (plain, counts(found[ALPHA_BETAS[0]])["leaves"]) == (18_297, 7_330)
    assert plain > max(remembering, ordered) >= min(remembering, ordered) > both
    quick = solve(make_solver("minimax(table=true)"), table, certified=False)
    assert (quick.value, counts(quick)["states"]) == (0, 5_478)


CASES = [
    Open(seed, chance=chance, discount=discount, gift=gift)
    for seed in range(15)
    for chance, discount, gift in ((True, 1.0, 0.0), (False, 0.9, 0.0), (True, 0.7, 0.0), (True, 1.0, 3.0))
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("game", CASES, ids=str)
def test_all_ways_to_solve_a_zero_sum_game_agree(game):
    form = forms.sequence(game)
    value = solve(make_solver("sequence-lp"), form).value
    exact = solved(game, "minimax")
    assert exact.certified == "both"
    assert math.isclose(exact.value, value, abs_tol=1e-9)
    assert counts(exact)["nodes"] == form.tree.size
    assert counts(exact)["leaves"] == len(form.tree.ends)
    table = forms.table(game)
    plain = answer("minimax", table).value
    for name in ("minimax(table=true)", "backward-induction", *ALPHA_BETAS):
        found = answer(name, table)
        assert found.value == plain, name  # to the last bit
        worth = evaluation.exploitability(form, evaluation.behaviours(form, found.profile()))
        assert worth.nash_conv < 1e-9, name


@pytest.mark.slow
def test_remembered_bounds_are_not_taken_for_values():
    """Deep games with few states: the same state is met again and again, inside other windows."""
    saved = 0
    for seed in range(120):
        game = Open(seed, chance=False, discount=(1.0, 0.9)[seed % 2], depth=9)
        table = forms.table(game)
        exact, search = answer("backward-induction", table), answer("alpha-beta(ordering=false)", table)
        assert exact.value == search.value == answer("alpha-beta", table).value
        worth = search.profile()
        assert evaluation.value(table, {0: worth[0], 1: exact.profile()[1]})[0] == pytest.approx(exact.value, abs=1e-12)
        assert evaluation.value(table, {0: exact.profile()[0], 1: worth[1]})[0] == pytest.approx(exact.value, abs=1e-12)
        saved += search.details["nodes"] < answer(ALPHA_BETAS[0], table).details["nodes"]
    assert saved > 60


@pytest.mark.slow
@pytest.mark.parametrize("players", [1, 2, 3])
def test_backward_induction_is_an_equilibrium_of_every_subgame(players):
    for seed in range(12):
        game = Open(seed, players, zero_sum=False, discount=(1.0, 0.8)[seed % 2], depth=3)
        table = forms.table(game)
        found = solve(make_solver("backward-induction"), table)
        number = {state: k for k, state in enumerate(table.states)}
        assert found.certified == "both"
        assert found.details["values"] == pytest.approx(evaluation.value(table, found.profile), abs=1e-12)
        for state in (s for s in table.states if s != OVER):
            below = StartAt(game, state)
            policies = {i: translated(below, i, found.profile[i], number) for i in range(players)}
            form = forms.sequence(below)
            assert evaluation.exploitability(form, evaluation.behaviours(form, policies)).nash_conv < 1e-12


def translated(game, player, policy, number):
    """A policy that chooses by a table's numbers, as one that chooses by states."""
    return StatePolicy(game, player, lambda state, actions: policy.choose(number[state], actions))


def test_one_player_against_chance():
    for seed in range(20):
        game = Open(seed, 1, zero_sum=False, discount=(1.0, 0.8)[seed % 2])
        table, tree = forms.table(game), forms.tree(game)
        found = solve(make_solver("expectimax"), table)
        best = solve(make_solver("belief-mdp"), forms.belief_mdp(forms.pomdp(game)))
        assert math.isclose(found.value, best.value, abs_tol=1e-9)
        assert counts(found)["nodes"] == tree.size
        assert answer("expectimax", table).value == answer("expectimax(table=true)", table).value
        assert math.isclose(found.value, answer("backward-induction", table).value, abs_tol=1e-12)


def test_the_other_seat_is_told_its_own_value():
    for gift in (0.0, 3.0):
        game = Open(4, gift=gift)
        values = solved(game, "minimax").details["values"]
        assert math.isclose(sum(values), gift, abs_tol=1e-12)
        for name in ("minimax", "alpha-beta", "backward-induction"):
            solver = make_solver(name)
            form = form_for(solver, game, 1)
            for certified in (True, False):
                found = solve(solver, form, player=1, certified=certified)
                assert found.player == 1
                assert math.isclose(found.value, values[1], abs_tol=1e-12)
        assert form.describe().startswith("table, ")


@pytest.mark.slow
def test_windows_are_shifted_outwards():
    rng = np.random.default_rng(0)
    for _ in range(20_000):
        bound, pay = rng.normal(size=2) * 10.0 ** rng.integers(-9, 9, 2)
        discount = float(rng.choice([1.0, 0.9, 1 / 3, 0.01]))
        assert pay + discount * shifted(bound, pay, discount, math.inf) >= bound
        assert pay + discount * shifted(bound, pay, discount, -math.inf) <= bound
    assert shifted(math.inf, 1.0, 0.5, math.inf) == math.inf
    assert shifted(-math.inf, 1.0, 0.5, -math.inf) == -math.inf


@pytest.mark.slow
def test_long_plays():
    table = forms.table(Walk(150))
    values = [answer(n, table).value for n in ("alpha-beta", "minimax(table=true)", "backward-induction")]
    assert values[0] == values[1] == pytest.approx(values[2], abs=1e-12)
    with pytest.raises(LimitError, match=r"histories, over the limit of .* minimax\(table=true\)"):
        solve(make_solver("minimax"), table)
    long = forms.table(Walk(2_000))
    assert math.isfinite(solve(make_solver("backward-induction"), long).value)
    with pytest.raises(LimitError, match="can take 2,000 steps, over the 150"):
        solve(make_solver("alpha-beta"), long)


REFUSED = [
    ("minimax", "king-ace", "minimax: king-ace hides something: first cannot tell state"),
    ("alpha-beta", "rock-paper-scissors", "first and second move at once at state"),
    ("backward-induction", "leduc", "perfect information is needed"),
    ("expectimax", "tic-tac-toe", "has 2 players, expected 1"),
    ("expectimax", "tiger", "cannot tell state 'left' from 'right'"),
    ("minimax", "horizon(game=tiger, steps=2)", "hides something"),
    ("mcts", "card-poker(ranks=3)", "mcts: card-poker.* hides something: gambler is asked to move"),
    ("mcts", "goofspiel(cards=3)", "move at once"),
]


@pytest.mark.parametrize(("solver", "spec", "message"), REFUSED)
def test_what_hides_something_is_refused(solver, spec, message):
    from fogbound.api import game

    made = make_solver(solver)
    with pytest.raises(FormError, match=message):
        solve(made, form_for(made, game(spec)))


def test_two_players_zero_sum_and_no_others():
    with pytest.raises(FormError, match="is not zero-sum: .* use backward-induction"):
        solve(make_solver("minimax"), forms.table(Open(1, zero_sum=False)))
    with pytest.raises(FormError, match="has 3 players, expected 2; use backward-induction"):
        solve(make_solver("alpha-beta"), forms.table(Open(1, 3)))
    with pytest.raises(FormError, match="has 1 player, expected 2; use expectimax"):
        solve(make_solver("minimax"), forms.table(Open(1, 1, zero_sum=False)))
    with pytest.raises(SpecError, match="simulations is 0"):
        make_solver("mcts(simulations=0)")
    with pytest.raises(SpecError, match="exploration is -1"):
        make_solver("mcts(exploration=-1)")
    with pytest.raises(SpecError, match="seventh is inf"):
        type(make("slide-tree"))(math.inf)


def test_seeing_follows_the_state_and_says_when_it_cannot():
    game = Open(7)
    table = forms.table(game)
    first = lambda state, actions: Dist.sure(actions[0])  # noqa: E731
    for player in range(2):
        by_rules, by_rows = StatePolicy(game, player, first), StatePolicy(table, player, first)
        assert controller(game, player, by_rules).arrows == controller(table, player, by_rows).arrows
    poker = make("card-poker(ranks=3)")
    with pytest.raises(PolicyError, match="hides something: gambler .* cannot tell state"):
        play(poker, [StatePolicy(poker, 0, first), Uniform()], np.random.default_rng(0))
    with pytest.raises(PolicyError, match="observations that the game never shows"):
        StatePolicy(poker, 0, first).act((), ("bet",))


def test_seeing_keeps_exactly_what_is_possible():
    """In games that hide much, by rules and by rows alike: the sets that knowledge is made of."""
    rng = np.random.default_rng(0)
    for seed in range(30):
        game = RandomGame(seed, 2, 4, 3, 2, 2)
        table = forms.table(game)
        sets = [set(forms.knowledge(table, player).sets) for player in range(2)]
        policies = [(StatePolicy(game, i, None), StatePolicy(table, i, None)) for i in range(2)]
        for _ in range(20):
            outcome = game.start().sample(rng)
            held = [[policy.begin(outcome.observation(i)) for policy in policies[i]] for i in range(2)]
            while True:
                for i, (by_rules, by_rows) in enumerate(held):
                    assert {table.states[s] for s in by_rows} == set(by_rules)
                    assert outcome.state in by_rules
                    assert tuple(sorted(by_rows)) in sets[i]
                actor_set = game.actors(outcome.state)
                if not actor_set:
                    break
                joint = tuple(Dist.uniform(game.actions(outcome.state, i)).sample(rng) for i in actor_set)
                outcome, own = game.step(outcome.state, joint).sample(rng), dict(zip(actor_set, joint))
                seen = [outcome.observation(i) for i in range(2)]
                held = [[e.update(m, own.get(i), seen[i]) for e, m in zip(policies[i], held[i])] for i in range(2)]


@pytest.mark.parametrize(
    ("spec", "solver"), [("slide-tree", "minimax"), pytest.param("tic-tac-toe", "alpha-beta", marks=pytest.mark.slow)]
)
def test_saved_as_a_controller(tmp_path, spec, solver):
    game = make(spec)
    found = solved(game, solver)
    files.save(found, tmp_path / "answer.npz")
    loaded = files.load(tmp_path / "answer.npz")
    assert loaded.value == found.value
    assert evaluation.value(game, loaded.profile) == evaluation.value(game, found.profile)


def searched(game, spec="mcts(simulations=2000)", seed=0, **more):
    return solve(make_solver(spec), SampledGame(game), seed=seed, **more)


def test_uct_finds_the_first_branch_of_the_slides_tree():
    game = make("slide-tree")
    found = searched(game)
    assert (found.lower, found.upper, found.certified) == (-math.inf, math.inf, "none")
    assert max(found.details["visits"], key=found.details["visits"].get) == "a1"
    assert found.iterations == sum(found.details["visits"].values()) == 2000
    assert list(evaluation.value(game, found.profile)) == [3, -3]
    near = [abs(searched(game, f"mcts(simulations={n})").value - 3) for n in (100, 20_000)]
    assert near[1] < 0.25 < near[0]


@pytest.mark.slow
def test_uct_discounts_what_comes_later():
    for seed in range(10):
        game = Open(seed, 1, zero_sum=False, discount=0.5, chance=False)
        exact = answer("backward-induction", forms.table(game)).value
        assert searched(game, "mcts(simulations=3000, exploration=0.5)").value == pytest.approx(exact, abs=0.1)


def test_uct_same_seed_same_search(tmp_path):
    game = Open(3, 3, zero_sum=False)
    one, two, other = (searched(game, "mcts(simulations=300)", seed) for seed in (5, 5, 6))
    assert (one.value, one.details) == (two.value, two.details)
    assert one.value != other.value
    searched(game, "mcts(simulations=300)", 5, until=Until(iterations=100), checkpoint=tmp_path / "run.npz")
    resumed = searched(game, "mcts(simulations=300)", 5, resume=tmp_path / "run.npz")
    assert (resumed.value, resumed.details) == (one.value, one.details)
    assert stable_text(frozenset(("b", "a"))) == "{'a','b'}"
    assert stable_text((1, Open(3))) != stable_text((1, Open(4)))


@pytest.mark.slow
def test_uct_plays_tic_tac_toe():
    game = make("tic-tac-toe")
    policy = make_solver("mcts(simulations=200)").policy
    for player in range(2):
        players = [policy(game, i) if i == player else Uniform() for i in range(2)]
        assert match(game, players, 10, seed=1).players[player].score >= 0.8
    best, strong = solved(game, "alpha-beta").profile, make_solver("mcts(simulations=1500)").policy
    for player in range(2):
        players = [strong(game, i) if i == player else best[i] for i in range(2)]
        assert play(game, players, np.random.default_rng(0)).returns == (0, 0)


@pytest.mark.slow
def test_uct_with_chance_and_several_players():
    """Where one first move is clearly best for its mover, the search finds it; where play cycles, it ends."""
    clear = 0
    for seed in range(40):
        game = Open(seed, 3, zero_sum=False, discount=0.9, depth=3)
        table = forms.table(game)
        exact = answer("backward-induction", table).profile()
        start = game.start().pairs[0][0].state
        (mover,) = game.actors(start)
        actions = game.actions(start, mover)
        first = exact[mover].choose(table.states.index(start), actions).pairs[0][0]
        worths = {a: branch(game, start, a)[mover] for a in actions}
        if sorted(worths.values())[-1] - sorted([-math.inf, *worths.values()])[-2] < 0.75 or len(actions) < 2:
            continue
        clear += 1
        policy = make_solver("mcts(simulations=1500)").policy(game, mover)
        assert policy.choose(start, actions) == Dist.sure(first), game
    assert clear >= 8
    cyclic = Open(2, discount=0.9, loops=True)
    assert math.isfinite(searched(cyclic, "mcts(simulations=100, depth=30, rollouts=2)").value)
    with pytest.raises(FormError, match="histories never end"):
        solve(make_solver("minimax"), forms.table(cyclic))


def branch(game, state, action):
    """What each player gets after `action` at `state`, all playing best."""
    ahead = StartAt(game, Dist(tuple((Outcome(o.state, (), o.public), p) for o, p in game.step(state, (action,)))))
    later = answer("backward-induction", forms.table(ahead)).details["values"]
    paid = [sum(p * o.rewards[i] for o, p in game.step(state, (action,)) if o.rewards) for i in range(game.seats)]
    return [now + game.discount * rest for now, rest in zip(paid, later)]


def drawn(source, **options):
    root = ElementTree.fromstring(draw.minimax(source, **options).svg)
    said = [e.text for e in root.iter(f"{SVG}text")]
    cut = {e.get("data-cut") for e in root.iter() if e.get("data-cut")}
    return said, cut


@pytest.mark.slow
def test_minimax_trees_are_drawn():
    said, cut = drawn(make("slide-tree"))
    assert "value 3 for max; alpha-beta from left to right looks at 7 of 9 ends" in said
    assert said.count("≤2") == 1
    assert len(cut) == 2
    assert {"a1", "d3", "3", "12", "19", "cut off", "best play"} <= set(said)
    said, cut = drawn(make("slide-tree"), pruned=False)
    assert not cut
    assert said.count("2") == 4  # two nodes of min, two ends
    said, _ = drawn(make("tic-tac-toe"), most=20)
    assert "7,330 of 255,168 ends; the first 10 of 549,946 nodes" in " ".join(said)
    said, cut = drawn(Open(3, 1, zero_sum=False, depth=2))
    assert not cut
    assert "chance: the average" in said
    for spec in ("king-ace", "rock-paper-scissors", "goofspiel(cards=2)"):
        with pytest.raises(FormError, match="hides something"):
            draw.minimax(make(spec))
    with pytest.raises(FormError, match="one player, or two whose payoffs are zero-sum"):
        draw.minimax(Open(1, 3))


@pytest.mark.slow
def test_the_picture_prunes_what_the_solver_prunes():
    for game in CASES[:12]:
        said, _ = drawn(game, most=2_000)
        leaves = solved(game, ALPHA_BETAS[0]).details["leaves"]
        assert any(f"looks at {leaves:,} of" in (line or "") for line in said) or "expectimax" in said[0]
