"""Levels of reasoning: known values, a second solver for every level, random games, altered games, the contract."""

from __future__ import annotations

import math
import signal
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.arena import exact
from fogbound.core import Dist, Game, Outcome
from fogbound.core.errors import FogboundError, FormError, PolicyError, SpecError
from fogbound.core.game import Observation
from fogbound.driver.protocol import Context, Until
from fogbound.games import make
from fogbound.games.random_game import RandomGame, seeded_generator
from fogbound.policies import Controller, Mixture, Tabular, Uniform, equivalent
from fogbound.solvers.level_k.form import hierarchy, prior_weights
from fogbound.solvers.level_k.hierarchy import solve_levels
from fogbound.solvers.level_k.solver import LevelK
from fogbound.solvers.pomdp.belief_dp import BeliefDP
from fogbound.solvers.pomdp.belief_graph.belief_search import BeliefSearch
from fogbound.solvers.pomdp.belief_graph.search import SearchLimits
from fogbound.solvers.pomdp.hsvi.sarsop import SARSOP
from fogbound.transforms.horizon import Horizon
from fogbound.transforms.turn_based import TurnBased
from fogbound.transforms.wrapped import Wrapped
from tests import relations
from tests.run import solve

FIRST = (7.8333, 8.8333, 9.2222, 9.2597, 9.4078, 8.7844, 8.8152, 8.9050, 9.0267, 8.8248)
FIRST += (8.7498, 8.5208, 8.4038, 8.1607, 8.0167)
SECOND = (7.6944, 8.8333, 9.1963, 9.3972, 9.3867, 9.4889, 9.5492, 9.6056, 9.2156, 9.1940)
SECOND += (8.9947, 8.9118, 8.6878, 8.5673, 8.4622)
EXACT = {(1, 0): "47/6", (1, 1): "277/36", (2, 0): "53/6", (2, 1): "53/6", (3, 0): "83/9", (3, 1): "2483/270"}
ROUND = math.sqrt(0.999)  # a move, where a round is discounted by .999
THREE = make("po-nim(n=3)")


@pytest.fixture(scope="module")
def three():
    return solve_levels(THREE, 15)


def mixture(found, level, player):
    """What `level` believes about a player, as a policy."""
    return Mixture.of([(found.policy(k, player), w) for k, w in enumerate(found.weights(level)) if w > 0])


def facing(found, solution):
    """The plain product that a level's player faces."""
    others = {player: mixture(found, solution.level, player) for player in found.players if player != solution.player}
    return forms.pomdp(found.table, solution.player, others), others


# --- known values ----------------------------------------------------------------------------------------------------


def test_fifteen_levels_of_nim_with_three(three):
    for player, known in enumerate((FIRST, SECOND)):
        assert [three.solution(k, player).value for k in range(1, 16)] == pytest.approx(known, abs=1e-4)
    for (level, player), fraction in EXACT.items():
        assert three.solution(level, player).value == pytest.approx(float(Fraction(fraction)), abs=1e-9)
    for solution in three.solutions:
        assert solution.converged
        assert solution.by == "beliefs"
        assert solution.value <= solution.upper <= solution.value + 1e-8


def test_fifteen_levels_are_eight_and_nine_controllers(three):
    assert [len({three.kind(k, player) for k in range(1, 16)}) for player in (0, 1)] == [8, 9]
    assert all(three.kind(0, player) not in {three.kind(k, player) for k in range(1, 16)} for player in (0, 1))
    assert {solution.kind for solution in three.solutions if solution.player} == set(three.kinds[1][1:])
    for solution in three.solutions:
        policy = three.policy(solution.level, solution.player)
        assert policy.minimal().size == policy.size
        assert solution.moves == sum(choice is not None for choice in policy.choices) <= 18


def test_other_heaps():
    two, four = solve_levels(make("po-nim(n=2)"), 1), solve_levels(make("po-nim(n=4)"), 2)
    assert [solution.value for solution in two.solutions] == pytest.approx([5, 7.25], abs=1e-9)
    assert four.solution(1, 0).value == pytest.approx(49 / 6, abs=1e-9)
    assert four.solution(2, 0).value == pytest.approx(9.0556, abs=1e-4)  # an earlier solver stopped too soon, at 9.0694


def test_the_game_of_figure_2(three):
    """Level 1 of the first player against level 2 of the second, move for move."""
    policies = [three.policy(1, 0), three.policy(2, 1)]
    outcome = THREE.start().pairs[0][0]
    memories, moves = [p.begin(outcome.observation(i)) for i, p in enumerate(policies)], []
    state, paid = outcome.state, np.zeros(2)
    while THREE.actors(state):
        (mover,) = THREE.actors(state)
        ((action, chance),) = policies[mover].act(memories[mover], THREE.actions(state, mover))
        outcome = THREE.step(state, (action,)).pairs[0][0]
        moves.append((*action, outcome.state[:2]))
        took = [action if i == mover else None for i in (0, 1)]
        memories = [p.update(m, a, outcome.observation(i)) for i, (p, m, a) in enumerate(zip(policies, memories, took))]
        state, paid = outcome.state, paid + (outcome.rewards or (0.0, 0.0))
        assert chance == 1
        assert len(moves) < 20
    assert moves == [
        ("hidden", 1, (3, 2)),
        ("hidden", 1, (2, 2)),
        ("hidden", 3, (2, 2)),
        ("own", 2, (2, 0)),
        ("own", 2, (2, 0)),
        ("hidden", 1, (1, 0)),
    ]
    assert tuple(paid) == (-12, 10)


def test_a_higher_level_may_lose_to_a_lower_one_and_two_may_never_end(three):
    assert exact(THREE, [three.policy(1, 0), three.policy(15, 1)]).winner == 0
    with pytest.raises(FormError, match="never ends"):
        evaluation.value(THREE, {0: three.policy(1, 0), 1: three.policy(1, 1)})


def test_without_a_cost_of_failing_every_level_beats_all_below():
    found = solve_levels(make(f"po-nim(n=3, fail=0, discount={ROUND!r})"), 8)
    for solution in found.solutions:
        assert min(solution.against[1:], default=10) > 9.5
        assert solution.converged


# --- a second solver for every level ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4])
def test_sarsop_finds_the_value_of_every_level(n):
    found = solve_levels(make(f"po-nim(n={n}, discount={ROUND!r})"), 4)
    for solution in found.solutions:
        other = solve(SARSOP(), found.process(solution.level, solution.player), Until(gap=1e-4), certified=False)
        assert other.gap <= 1e-4
        assert other.lower - 1e-9 <= solution.value <= other.upper + 1e-9
        assert solution.upper >= other.lower - 1e-9


@pytest.mark.parametrize("n", [2, 3, 4])
def test_dynamic_programming_where_play_is_cut(n):
    found = solve_levels(Horizon(make(f"po-nim(n={n})"), 6), 4)
    for solution in found.solutions:
        process = forms.belief_mdp(found.process(solution.level, solution.player))
        assert solve(BeliefDP(), process, certified=False).value == pytest.approx(solution.value, abs=1e-10)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_plain_product_has_the_same_value(n):
    found = solve_levels(make(f"po-nim(n={n})"), 4)
    for solution in found.solutions:
        product, _ = facing(found, solution)
        other = solve(BeliefSearch(), product, certified=False)
        assert (other.lower, other.upper) == pytest.approx((solution.value, solution.upper), abs=1e-8)


def test_level_one_is_the_best_reply_to_uniform_play_on_the_tree():
    for spec in ("card-poker(ranks=4)", "leduc", "goofspiel(cards=3)"):
        game = make(spec)
        form, found = forms.sequence(game), solve_levels(game, 1)
        uniform = [plex.uniform for plex in form.plexes]
        for player in (0, 1):
            best = evaluation.best_response(form, uniform, player).value
            assert found.solution(1, player).value == pytest.approx(best, abs=1e-9)


# --- random games ----------------------------------------------------------------------------------------------------

ENDING = [
    *(RandomGame(seed=seed, depth=3, width=3, signals=2) for seed in range(12)),
    *(RandomGame(seed=seed, depth=4, width=2, actions_=3, signals=1, discount=0.9) for seed in range(12)),
    *(RandomGame(seed=seed, seats=3, depth=3, width=2, signals=2) for seed in range(5)),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("game", ENDING, ids=str)
def test_every_level_is_the_best_reply_to_its_beliefs(game):
    found = solve_levels(game, 3)
    for solution in found.solutions:
        product, others = facing(found, solution)
        best = solve(BeliefDP(), forms.belief_mdp(product), certified=False).value
        assert solution.value == pytest.approx(best, abs=1e-9)
        assert solution.converged
        assert solution.value <= solution.upper <= best + 1e-9
        profile = {solution.player: found.policy(solution.level, solution.player), **others}
        assert evaluation.value(found.table, profile)[solution.player] == pytest.approx(solution.value, abs=1e-10)
        met = [found.policy(k, 1 - solution.player) for k in range(solution.level)] if len(game.players) == 2 else []
        alone = [evaluation.value(found.table, {**profile, 1 - solution.player: p})[solution.player] for p in met]
        assert solution.against == pytest.approx(alone, abs=1e-10)


@pytest.mark.parametrize("game", [ENDING[0], ENDING[5], ENDING[13], ENDING[-1], make("po-nim(n=2)")], ids=str)
def test_levels_are_one_kind_exactly_when_they_play_alike(game):
    found = solve_levels(game, 5)
    for player in found.players:
        for one in range(6):
            for two in range(one):
                same = equivalent(found.policy(one, player), found.policy(two, player))
                assert (found.kind(one, player) == found.kind(two, player)) == same


def test_a_tree_says_the_same_as_beliefs():
    """The mixture as one behaviour on the tree, replied to there."""
    for seed in range(6):
        game = RandomGame(seed=seed, depth=3, width=2, signals=3)
        form, found = forms.sequence(game), solve_levels(game, 3)
        for solution in found.solutions:
            played = [evaluation.behaviour(form, player, mixture(found, solution.level, player)) for player in (0, 1)]
            best = evaluation.best_response(form, played, solution.player).value
            assert solution.value == pytest.approx(best, abs=1e-9)


LOOPS = [
    RandomGame(seed=seed, depth=2, width=3, actions_=3, signals=3, loops=True, discount=0.99) for seed in range(24)
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 6, 8, 20])
def test_where_beliefs_never_end_the_bounds_are_sound(seed):
    """Infinitely many beliefs: left at `most`, or SARSOP's; the answer lies between the bounds, and earns its value."""
    found = solve_levels(LOOPS[seed], 2, limits=SearchLimits(most=500))
    for solution in found.solutions:
        product, others = facing(found, solution)
        other = solve(SARSOP(), product, Until(gap=1e-5, iterations=200), certified=False)
        assert solution.value <= other.upper + 1e-9
        assert solution.upper >= other.lower - 1e-9
        worth = evaluation.value(
            found.table, {solution.player: found.policy(solution.level, solution.player), **others}
        )[solution.player]
        assert worth == pytest.approx(solution.value, abs=1e-8)
        assert np.dot(found.weights(solution.level), solution.against) == pytest.approx(solution.value, abs=1e-8)
        assert solution.converged <= (solution.upper - solution.value <= 1e-5)
    assert {solution.by for solution in found.solutions} <= {"beliefs", "sarsop"}


@pytest.mark.slow
def test_sarsop_steps_in():
    assert "sarsop" in {solution.by for solution in solve_levels(LOOPS[0], 2, limits=SearchLimits(most=500)).solutions}


TINY = RandomGame(seed=2, depth=2, width=2, signals=2, loops=True, discount=0.6)


def test_six_beliefs_are_settled():
    solution = solve_levels(TINY, 1, limits=SearchLimits(most=500)).solution(1, 0)
    assert solution.upper - solution.value < 1e-9
    assert solution.converged


def test_where_one_has_nothing_to_choose_there_is_nothing_to_list():
    """The second player is never asked, and its beliefs have no end: bounds meet at once, and so must the answer."""
    found = solve_levels(TINY, 1, limits=SearchLimits(most=500))
    assert found.solution(1, 1).converged
    assert found.sides[1].belief_graph.beliefs < 500


# --- altered games ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Untied(Wrapped):
    """Every pay altered by a little of its own: no two plans are equally good by accident."""

    def _change(self, dist, *where):
        pairs = []
        for k, (outcome, p) in enumerate(dist):
            rng = seeded_generator(k, *(number for part in where for number in part))
            rewards = outcome.rewards or (0.0,) * len(self.players)
            pairs.append((replace(outcome, rewards=tuple(r + rng.random() / 4 for r in rewards)), p))
        return Dist(tuple(pairs))

    def start(self):
        return self._change(self.game.start())

    def step(self, state, joint):
        moves = [int(action[1:]) for action in joint]
        return self._change(self.game.step(state, joint), state, moves, [len(moves)])


@dataclass(frozen=True)
class CoinEach(relations.Coin):
    """Player 0 also sees a fair coin after every step."""

    def step(self, state, joint):
        return self._change(self.game.step(state, joint))


@dataclass(frozen=True)
class Ghosts(relations.Impossible):
    """Every step also lists an outcome of probability 0, with pay and news of its own."""

    def step(self, state, joint):
        pairs = self.game.step(state, joint).pairs
        ghost = replace(pairs[0][0], public="never", rewards=(1e6,) * len(self.players))
        return Dist(((ghost, 0.0), *pairs))


ALTERED = {
    "relabelled and reordered": relations.Reordered,
    "a coin that means nothing": relations.Coin,
    "a coin after every step": CoinEach,
    "states doubled": relations.Doubled,
    "an impossible outcome listed": relations.Impossible,
    "impossible outcomes everywhere": Ghosts,
    "pay deferred to the end": relations.Deferred,
    "a forced move first": relations.Delayed,
    "moves at once made one by one": TurnBased,
}
UNTIED = [Untied(RandomGame(seed=seed, depth=3, width=2, actions_=3, signals=2)) for seed in range(8)]
CHANCY = Untied(RandomGame(seed=3, seats=3, depth=2, width=2, signals=2))


def levels_of(game, levels=3):
    return [(solution.value, solution.upper) for solution in solve_levels(game, levels).solutions]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", ALTERED)
def test_values_stay(name):
    for game in UNTIED:
        assert np.allclose(levels_of(ALTERED[name](game)), levels_of(game), atol=1e-9)


@pytest.mark.parametrize("name", ["relabelled and reordered", "states doubled", "impossible outcomes everywhere"])
def test_values_stay_among_three(name):
    assert np.allclose(levels_of(ALTERED[name](CHANCY), 2), levels_of(CHANCY, 2), atol=1e-9)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("power", [-20, -8, 1, 30, 200])
def test_scaling_by_a_power_of_two_is_exact_to_the_bit(power):
    factor = 2.0**power
    for game in [*UNTIED[:4], THREE]:
        scaled = levels_of(relations.Scaled(game, factor))
        assert scaled == [(value * factor, upper * factor) for value, upper in levels_of(game)]


def test_scaling_far_down():
    """No absolute tolerance hides anywhere: pay may be as small as it likes."""
    scaled = levels_of(relations.Scaled(THREE, 2.0**-60))
    assert scaled == [(value * 2.0**-60, upper * 2.0**-60) for value, upper in levels_of(THREE)]


def test_shift_and_swap():
    for game in UNTIED:
        base = np.array(levels_of(game)).reshape(-1, 2, 2)  # [level, player, value or upper]
        shifted = np.array(levels_of(relations.Shifted(game, 0.75))).reshape(-1, 2, 2)
        swapped = np.array(levels_of(relations.Swapped(game))).reshape(-1, 2, 2)
        assert np.allclose(shifted - base, [[0.75, 0.75], [-0.75, -0.75]], atol=1e-9)
        assert np.allclose(swapped, base[:, ::-1], atol=1e-9)


def test_public_chance_mixes_values():
    for one, other in zip(UNTIED[::2], UNTIED[1::2]):
        mixed = 0.25 * np.array(levels_of(one)) + 0.75 * np.array(levels_of(other))
        assert np.allclose(levels_of(relations.Either(one, other, 0.25)), mixed, atol=1e-9)


# --- priors, level 0, logit replies ----------------------------------------------------------------------------------


def test_priors_by_hand():
    assert prior_weights("uniform", 1.5, 4) == (0.25,) * 4
    assert prior_weights("previous", 1.5, 3) == (0, 0, 1)
    assert prior_weights("poisson", 2.0, 3) == pytest.approx((1 / 5, 2 / 5, 2 / 5))
    assert prior_weights((1, 2, 1), 1.5, 2) == pytest.approx((1 / 3, 2 / 3))
    assert prior_weights((1, 2, 1), 1.5, 5) == pytest.approx((1 / 4, 1 / 2, 1 / 4, 0, 0))


@pytest.mark.parametrize(("prior", "tau"), [("poisson", 1e10), ("poisson", 1e300), ((1e308, 1e308, 1e308), 1.5)])
def test_priors_of_any_size_are_priors(prior, tau):
    found = prior_weights(prior, tau, 100)
    assert math.fsum(found) == pytest.approx(1)
    assert all(0 <= w <= 1 for w in found)


def test_priors_decide():
    assert solve_levels(THREE, 2, prior="previous").solution(2, 0).value == pytest.approx(10)
    only_zero = solve_levels(THREE, 3, prior=(1,))
    assert len({solution.kind for solution in only_zero.solutions if solution.player == 0}) == 1
    assert [solution.value for solution in only_zero.solutions] == pytest.approx([47 / 6, 277 / 36] * 3)
    assert all(math.isnan(worth) for worth in only_zero.solution(3, 0).against[1:])
    poisson = solve_levels(THREE, 15, prior="poisson")
    assert [poisson.solution(15, player).value for player in (0, 1)] == pytest.approx([8.97, 9.32], abs=0.01)
    assert np.allclose(
        levels_of(THREE), [(r.value, r.upper) for r in solve_levels(THREE, 3, prior=(3, 3, 3)).solutions]
    )


def test_stochastic_levels_are_harder_to_beat():
    quantal = solve_levels(make(f"po-nim(n=3, discount={ROUND!r})"), 2, precision=2.0)
    assert [quantal.solution(2, player).upper for player in (0, 1)] == pytest.approx([7.83, 7.45], abs=0.01)
    for solution in quantal.solutions:
        assert solution.value < solution.upper
        _, others = facing(quantal, solution)
        profile = {solution.player: quantal.policy(solution.level, solution.player), **others}
        assert evaluation.value(quantal.table, profile)[solution.player] == pytest.approx(solution.value, abs=1e-9)


def test_without_precision_play_is_uniform_and_with_much_of_it_best():
    blind, sharp, best = (solve_levels(UNTIED[0], 2, precision=p) for p in (0.0, 1e9, math.inf))
    random = evaluation.value(UNTIED[0], {0: Uniform(), 1: Uniform()})
    for one, two, three in zip(blind.solutions, sharp.solutions, best.solutions):
        assert one.value == pytest.approx(random[one.player], abs=1e-9)
        assert two.value == pytest.approx(three.value, abs=1e-9)
        assert two.upper == pytest.approx(three.upper, abs=1e-9)
    values = [solve_levels(UNTIED[0], 1, precision=p).solution(1, 0).value for p in (0.0, 0.5, 1.0, 4.0, 64.0)]
    assert values == sorted(values)


def test_level_zero_as_given(three):
    """A controller, and a table of behaviours: level 1 is the best reply to it."""
    given = solve_levels(THREE, 1, zero={1: three.policy(2, 1)})
    reply, _ = facing(given, given.solution(1, 0))
    assert given.solution(1, 0).value == pytest.approx(solve(BeliefSearch(), reply, certified=False).value)
    assert given.solution(1, 0).value == 10
    assert given.solution(1, 1).value == pytest.approx(277 / 36)
    game = RandomGame(seed=4, depth=3, width=2, signals=2)
    form = forms.sequence(game)
    rng = np.random.default_rng(0)
    played = [plex.behaviour(rng.random(plex.sequences)) for plex in form.plexes]
    found = solve_levels(game, 1, zero={player: Tabular(form.tree, player, played[player]) for player in (0, 1)})
    for player in (0, 1):
        assert found.solution(1, player).value == pytest.approx(
            evaluation.best_response(form, played, player).value, abs=1e-9
        )


def test_level_zero_must_be_a_policy_of_the_game(three):
    with pytest.raises(PolicyError, match="mixture"):
        solve_levels(THREE, 1, zero={1: Mixture.of([(Uniform(), 0.5), (three.policy(1, 1), 0.5)])})
    with pytest.raises(FormError, match="legal"):
        solve_levels(THREE, 1, zero={1: always(three.policy(1, 1), Dist.sure(("own", 3)))})


@pytest.mark.parametrize("wrong", [Dist.sure("nonsense"), Dist((("nonsense", 0.5), (("hidden", 1), 0.5)))])
def test_level_zero_may_only_play_actions_of_the_game(wrong, three):
    with pytest.raises(FogboundError, match="nonsense"):
        solve_levels(THREE, 1, zero={1: always(three.policy(1, 1), wrong)})


def always(policy, choice):
    """A controller's nodes, all of which choose the same."""
    return Controller(policy.first, policy.arrows, tuple(own and choice for own in policy.choices))


def test_level_zero_that_is_lost_from_the_start_plays_uniformly():
    assert solve_levels(THREE, 1, zero={1: Controller({}, {}, ())}).solution(1, 0).value == pytest.approx(47 / 6)


# --- the contract of the solver --------------------------------------------------------------------------------------


def plainly(solution):
    """What a solution says, but for how long it took."""
    levels = [{k: v for k, v in told.items() if k != "seconds"} for told in solution.details["levels"]]
    return solution.value, solution.lower, solution.upper, levels


def test_what_is_reported(three):
    found = solve(LevelK(levels=4, level=3), hierarchy(THREE, player=1), certified=False)
    assert found.value == three.solution(3, 1).value
    assert found.player == 1
    assert found.details["level"] == 3
    assert [(told["level"], told["player"]) for told in found.details["levels"]] == [
        (k, s) for k in (1, 2, 3, 4) for s in (0, 1)
    ]
    for told, solution in zip(found.details["levels"], three.solutions):
        assert told["value"] == solution.value
        assert told["against"] == list(solution.against)
        assert told["kind"] == solution.kind
    assert equivalent(found.profile[1], three.policy(3, 1))
    assert evaluation.value(THREE, found.profile)[1] == pytest.approx(found.value)


def test_stopped_by_iterations():
    found = solve(LevelK(levels=9), hierarchy(THREE), Until(iterations=2), certified=False)
    assert found.stopped == "iterations"
    assert found.iterations == 2
    assert found.details["level"] == 2


def test_ctrl_c_keeps_the_levels_so_far(three):
    def watch(moment):
        if moment.iteration == 3:
            signal.raise_signal(signal.SIGINT)

    found = solve(LevelK(levels=9), hierarchy(THREE), watch=watch, certified=False)
    assert found.stopped == "interrupted"
    assert found.value == three.solution(3, 0).value


@pytest.mark.parametrize("cut", [1, 3, 5])
def test_resumed_is_as_if_never_stopped(cut, tmp_path, three):
    kept, form = tmp_path / "kept.npz", hierarchy(make("po-nim(n=4)"))
    solve(LevelK(levels=6), form, Until(iterations=cut), checkpoint=kept, certified=False)
    resumed = solve(LevelK(levels=6), form, resume=kept, certified=False)
    whole = solve(LevelK(levels=6), form, certified=False)
    (*figures, mine), (*others, theirs) = plainly(resumed), plainly(whole)
    assert figures == pytest.approx(others, abs=1e-10)
    for one, two in zip(mine, theirs, strict=True):
        assert {**one, "upper": 0} == {**two, "upper": 0}
        assert one["upper"] == pytest.approx(two["upper"], abs=1e-10)
    assert all(equivalent(resumed.profile[0], p) for p in (whole.profile[0],))


def stopping_after(asked):
    calls = []

    def stopping():
        calls.append(None)
        return len(calls) > asked

    return stopping


NINE = make("po-nim(n=9)")


@pytest.fixture(scope="module")
def nine():
    return solve_levels(NINE, 2)


@pytest.mark.parametrize("asked", [0, 1, 2, 3])
def test_cut_short_bounds_are_sound(asked, nine):
    """Every bound that is told on the way holds the value of that level, and so does what is left in the end."""
    context, found = Context(np.random.default_rng(0), stopping=stopping_after(asked)), None
    for found in LevelK(levels=2).run(hierarchy(NINE, player=1), context):
        assert found.lower <= found.upper
    for told in found.details.get("levels", []):
        solution = nine.solution(told["level"], told["player"])
        assert told["value"] <= told["upper"] + 1e-12
        if told["level"] == 1:
            assert told["value"] <= solution.value + 1e-9
            assert told["upper"] >= solution.value - 1e-9
            assert told["converged"] == (told["upper"] - told["value"] < 1e-6)


def test_a_level_that_was_cut_short_is_finished_when_resumed(nine):
    context = Context(np.random.default_rng(0), stopping=stopping_after(1))
    list(LevelK(levels=2).run(hierarchy(NINE), context))
    resumed = list(LevelK(levels=2).run(hierarchy(NINE), Context(np.random.default_rng(0), context.arrays)))[-1]
    assert [told["value"] for told in resumed.details["levels"]] == pytest.approx(
        [solution.value for solution in nine.solutions]
    )


def test_same_again():
    one, two = (solve(LevelK(levels=4), hierarchy(make("po-nim(n=4)")), seed=seed, certified=False) for seed in (1, 2))
    assert plainly(one) == plainly(two)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"levels": 0}, "levels is 0"),
        ({"levels": 2, "level": 3}, "level is 3"),
        ({"level": 0}, "levels is 0"),
        ({"levels": 1_001}, "1,000"),
        ({"prior": "normal"}, "poisson"),
        ({"prior": (0.0, 1.0)}, "first above 0"),
        ({"prior": ()}, "weights"),
        ({"prior": (1.0, math.nan)}, "weights"),
        ({"tau": 0.0}, "tau"),
        ({"tau": math.inf}, "tau"),
        ({"precision": -1.0}, "precision"),
        ({"precision": math.nan}, "precision"),
        ({"most": 0}, "most"),
    ],
)
def test_wrong_options(options, words):
    with pytest.raises(SpecError, match=words) as caught:
        LevelK(**options)
    assert "\n" not in str(caught.value)


@dataclass(frozen=True)
class Toll(Game):
    """In turn: stop, for which the stopper is paid `stop`, or go on, which costs `toll`."""

    stop: float = -1.0
    toll: float = 0.0
    ends: bool = True
    discount: float = 1.0
    players = ("one", "two")

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return () if state == "over" else (state,)

    def actions(self, state, player):
        return ("go", "stop") if self.ends else ("go",)

    def step(self, state, joint):
        pay = self.stop if joint == ("stop",) else -self.toll
        rewards = (pay, 0.0) if state == 0 else (0.0, pay)
        return Dist.sure(Outcome("over" if joint == ("stop",) else 1 - state, rewards))

    def __str__(self):
        return "toll"


def test_a_game_without_end_is_one_clear_error():
    with pytest.raises(FormError, match="never end") as caught:
        solve_levels(Toll(ends=False), 1)
    assert "\n" not in str(caught.value)
    assert "horizon" in str(caught.value)
    assert solve_levels(Toll(ends=False, toll=1.0, discount=0.5), 2).solution(2, 0).value == pytest.approx(-4 / 3)


def test_zero_cost_cycles():
    """Failing for nothing: bounds are sound, every policy ends, and nothing hangs."""
    found = solve_levels(make("po-nim(n=3, fail=0)"), 6)
    for solution in found.solutions:
        _, others = facing(found, solution)
        profile = {solution.player: found.policy(solution.level, solution.player), **others}
        assert evaluation.value(found.table, profile)[solution.player] == pytest.approx(solution.value, abs=1e-6)
        assert solution.value <= solution.upper <= 10
        assert solution.upper - solution.value < 1e-6


def test_putting_off_what_must_be_paid_is_not_an_answer():
    """Whoever stops pays, going on is free: the best policy that surely ends lets the other stop."""
    found = solve_levels(Toll(), 1)
    for player, solution in enumerate(found.solutions):
        profile = {player: found.policy(1, player), 1 - player: Uniform()}
        assert evaluation.value(found.table, profile)[player] == pytest.approx(solution.value, abs=1e-9)
        assert solution.value <= solution.upper + 1e-12


NOTHING = Observation(None, None)
PATIENT = Controller({NOTHING: 0}, {(0, own, NOTHING): 0 for own in ("go", None)}, (Dist.sure("go"),))


@pytest.mark.slow
def test_without_a_discount_only_policies_that_end_count():
    """The other never stops, so that one must: to put it off for ever is worth nothing, but it is no answer."""
    solution = solve_levels(Toll(), 1, zero={1: PATIENT}).solution(1, 0)
    assert (solution.value, solution.upper) == pytest.approx((-1, -1))


def test_going_on_that_pays_for_ever_is_refused():
    """Without a discount there is no best policy: one clear error, or bounds that say so, but no number."""
    try:
        upper = solve_levels(Toll(stop=0.0, toll=-1.0), 1, zero={1: PATIENT}).solution(1, 0).upper
    except FormError:
        upper = math.inf
    assert upper == math.inf


def test_a_game_that_is_over_before_it_begins():
    assert [(solution.value, solution.upper) for solution in solve_levels(Horizon(THREE, 0), 2).solutions] == [
        (0, 0)
    ] * 4


def test_one_player_has_nobody_to_reason_about():
    with pytest.raises(FormError, match="one player"):
        solve_levels(make("tiger"), 1)


@pytest.mark.parametrize("room", [2, 4, 8, 32])
def test_the_room_that_there_is_at_first_changes_no_level(monkeypatch, room):
    """Lists, and where their parts begin, do not grow at the same time; both must be asked for room."""

    def values():
        return [(each["value"], each["nodes"]) for each in fb.solve("po-nim", "level-k(level=2)").details["levels"]]

    expected = values()
    monkeypatch.setattr("fogbound.solvers.level_k.induced.ROOM", room)
    assert values() == expected
