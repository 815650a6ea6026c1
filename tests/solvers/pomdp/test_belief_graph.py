"""Belief search: values by other ways, odd models, what it promises without a discount, certificates under attack."""

from __future__ import annotations

import math
import signal
from dataclasses import replace

import numpy as np
import pytest

from fogbound import evaluation, forms
from fogbound.certificates.checking import evidence
from fogbound.core.errors import FogboundError, FormError, GameError, SpecError
from fogbound.driver.protocol import Context, Until
from fogbound.forms.pomdp import POMDP
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Uniform
from fogbound.solvers.pomdp.belief_dp import BeliefDP
from fogbound.solvers.pomdp.belief_graph.belief_search import BeliefGraphSolution, BeliefSearch, belief_graph_of
from fogbound.solvers.pomdp.belief_graph.kernels.belief_graph import WORK
from fogbound.solvers.pomdp.belief_graph.search import GraphSearch, SearchLimits
from fogbound.solvers.pomdp.hsvi.sarsop import SARSOP
from fogbound.transforms.horizon import Horizon
from fogbound.verify import Refused
from tests import relations
from tests.pomdps import OVER, Listed, ending_value, game_of, line_interval, random_dense, random_flat, random_listed
from tests.run import solve
from tests.variable_length import VariableLength

END = [(OVER, "done", 1.0)]


def listed(rules, discount=1.0, opening=(("s", "z", 1.0),)):
    return forms.pomdp(Listed(opening, rules, discount))


def answer(form, **options):
    return solve(BeliefSearch(**options), form, certified=False)


def holds(found, low, high, slack=1e-9):
    """Whether bounds and a true interval have something in common, and the order is right."""
    scale = slack * max(1.0, abs(low), abs(high))
    return found.lower <= found.upper and found.lower <= high + scale and found.upper >= low - scale


# --- values by other ways --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_games_that_end(seed):
    """Against dynamic programming over beliefs, a certificate, and exact evaluation of the policy."""
    form = forms.pomdp(RandomGame(seed=seed, depth=4, width=3, signals=2), seed % 2, {1 - seed % 2: Uniform()})
    best = solve(BeliefDP(), forms.belief_mdp(form), certified=False).value
    found = solve(BeliefSearch(), form)
    assert found.certified == "both"
    assert found.value == pytest.approx(best, abs=1e-9)
    assert found.gap < 1e-8
    assert evaluation.value(game_of(form), found.profile)[form.player] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_unequal_menus(seed):
    form = forms.pomdp(random_listed(seed, forward=True, faces=4))
    found = solve(BeliefSearch(), form)
    assert found.certified == "both"
    assert found.value == pytest.approx(ending_value(form), abs=1e-9)


@pytest.mark.parametrize("steps", [1, 2, 5, 8])
def test_the_tiger_for_a_while(steps):
    form = forms.pomdp(Horizon(make("tiger"), steps))
    best = solve(BeliefDP(), forms.belief_mdp(form), certified=False).value
    found = solve(BeliefSearch(), form)
    assert found.certified == "both"
    assert found.value == pytest.approx(best, abs=1e-9)


def test_the_tiger_for_ever():
    found = solve(BeliefSearch(), forms.pomdp(make("tiger")))
    assert found.certified == "both"
    assert found.value == pytest.approx(19.3713683, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["rock-sample(size=3, rocks=2)", "rock-sample(size=4, rocks=4)", "tag"])
def test_models_that_are_too_large_for_it_are_left_at_sound_bounds(spec):
    form = forms.pomdp(make(spec))
    other = solve(SARSOP(), form, Until(gap=0.5, iterations=40), certified=False)
    found = answer(form, most=6_000)
    assert holds(found, other.lower, other.upper)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(6))
def test_beliefs_without_end(seed):
    """Two states, all actions everywhere: an interval by grids."""
    form = random_flat(seed, 0.8, states=2, actions=3, observations=2)
    low, high = line_interval(form)
    found = answer(form, most=4_000)
    assert holds(found, low, high)
    assert found.upper - found.lower < 2


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 6))])
def test_cycles_without_a_discount(seed):
    """Every step may end the game: nothing is discounted, and SARSOP is asked at a discount so close that it tells."""
    found = answer(forms.pomdp(random_listed(seed, discount=1.0, ends=0.4)), most=6_000)
    close = forms.pomdp(random_listed(seed, discount=1 - 1e-7, ends=0.4))
    near = solve(SARSOP(), close, Until(gap=1e-4, iterations=30), certified=False)
    assert holds(found, near.lower - 1e-4, near.upper + 1e-4)


# --- altered models --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("power", [-30, -3, 20, 300])
def test_scaling_by_a_power_of_two_is_exact_to_the_bit(power):
    for seed in range(4):
        game = RandomGame(seed=seed, depth=3, width=3, signals=2)
        one, two = (answer(forms.pomdp(g, 0, {1: Uniform()})) for g in (game, relations.Scaled(game, 2.0**power)))
        assert [m.lower * 2.0**power for m in one.trace] == [m.lower for m in two.trace]
        assert [m.upper * 2.0**power for m in one.trace] == [m.upper for m in two.trace]


def test_pay_may_be_tiny():
    tiny = 2.0**-60
    rules = {"s": {"a": (0.0, [("t", "y", 1.0)]), "b": (tiny / 2, END)}, "t": {"c": (tiny, END), "d": (tiny / 4, END)}}
    assert answer(listed(rules)).value == tiny


def test_permuted_states_and_actions():
    rng = np.random.default_rng(0)
    for seed in range(4):
        dense = random_dense(seed, 0.7, states=3, actions=3, observations=2)
        states, actions, observations = (rng.permutation(k) for k in (3, 3, 2))
        move = dense.move[states][:, actions][:, :, states][..., observations]
        other = replace(dense, start=dense.start[states], move=move, pay=dense.pay[states][:, actions])
        one, two = (answer(d.form(), most=3_000) for d in (dense, other))
        assert one.value == pytest.approx(two.value, abs=1e-6)
        assert holds(one, two.lower, two.upper)


# --- without a discount ----------------------------------------------------------------------------------------------


def test_play_without_end_is_refused():
    for rules in (
        {"s": {"go": (-1.0, [("s", "z", 1.0)])}},
        {"s": {"go": (-1.0, [("s", "z", 1.0), (OVER, "done", 0.0)])}},
    ):
        with pytest.raises(FormError, match="never end") as caught:
            answer(listed(rules))
        assert "\n" not in str(caught.value)


def test_waiting_for_nothing_is_not_taken_for_winning():
    """A free wait comes first on the menu, and ties with what it only puts off."""
    found = answer(listed({"s": {"wait": (0.0, [("s", "z", 1.0)]), "end": (1.0, END)}}))
    assert (found.value, found.upper) == pytest.approx((1, 1))
    assert evaluation.value(Listed((("s", "z", 1.0),), {}, 1.0), {0: Uniform()})[0] == 0


def test_without_a_discount_only_policies_that_end_count():
    form = listed({"s": {"wait": (0.0, [("s", "z", 1.0)]), "end": (-1.0, END)}})
    found = solve(BeliefSearch(), form)
    assert (found.value, found.upper) == pytest.approx((-1, -1))


def test_what_pays_for_ever_is_refused():
    try:
        upper = answer(listed({"s": {"wait": (1.0, [("s", "z", 1.0)]), "end": (0.0, END)}})).upper
    except FormError:
        upper = math.inf
    assert upper == math.inf


@pytest.mark.parametrize("rare", [1e-4, 1e-6])
def test_play_that_ends_rarely(rare):
    """One action, so the value is known: it must lie between the bounds."""
    found = answer(listed({"s": {"go": (-1.0, [("s", "z", 1 - rare), (OVER, "done", rare)])}}))
    assert holds(found, -1 / rare, -1 / rare, slack=1e-6)


def test_a_discount_next_to_one():
    found = answer(listed({"s": {"go": (-1.0, [("s", "z", 1.0)])}}, discount=1 - 1e-6))
    assert holds(found, -1e6, -1e6, slack=1e-6)


# --- odd models ------------------------------------------------------------------------------------------------------


def test_over_before_it_begins():
    found = solve(BeliefSearch(), listed({}, opening=((OVER, "z", 1.0),)))
    assert (found.lower, found.upper) == (0, 0)


def test_some_plays_are_over_before_they_begin():
    opening = ((OVER, "lost", 0.5), ("s", "z", 0.5))
    found = solve(BeliefSearch(), listed({"s": {"a": (1.0, END), "b": (3.0, END)}}, opening=opening))
    assert found.certified == "both"
    assert found.value == 1.5


def test_a_discount_of_next_to_nothing():
    with pytest.raises(FormError, match="nothing after the first step counts"):
        answer(listed({"s": {"a": (1.0, [("s", "z", 1.0)])}}, discount=1e-320))


def test_nothing_to_choose_and_nothing_that_matters():
    """All actions are as good: the first of the menu, and a certificate all the same."""
    found = solve(BeliefSearch(), listed({"s": {"a": (1.0, END), "b": (1.0, END)}}))
    assert found.certified == "both"
    assert dict(found.profile[0].choices[0].pairs) == {"a": 1.0}


def test_ties_go_to_the_first_of_the_menu():
    """Equal up to rounding: .1 + .2 first, or .3 first."""
    sums = {"x": (0.1, [("t", "y", 1.0)]), "y": (0.3, END)}
    for names in ("xy", "yx"):
        rules = {"s": {name: sums[name] for name in names}, "t": {"c": (0.2, END)}}
        found = answer(listed(rules))
        assert dict(found.profile[0].choices[0].pairs) == {names[0]: 1.0}


def test_what_may_be_done_must_follow_from_what_is_seen():
    opening = (("s", "z", 0.5), ("t", "z", 0.5))
    form = listed({"s": {"a": (1.0, END), "b": (0.0, END)}, "t": {"c": (1.0, END), "d": (0.0, END)}}, opening=opening)
    with pytest.raises(GameError):
        forms.belief_mdp(form)
    with pytest.raises(FogboundError):
        answer(form)


def test_long_corridors():
    """What is hidden is asked for at the end of a corridor of forced steps."""
    long = 400
    rules = {f"{side}{k}": {"go": (0.0, [(f"{side}{k + 1}", "dark", 1.0)])} for side in "lr" for k in range(long)}
    for side in "lr":
        rules[f"{side}{long}"] = {guess: (float(guess == side), END) for guess in "lr"}
    found = answer(listed(rules, opening=(("l0", "dark", 0.25), ("r0", "dark", 0.75))))
    assert (found.lower, found.upper) == pytest.approx((0.75, 0.75))


# --- the contract ----------------------------------------------------------------------------------------------------


def test_wrong_options():
    with pytest.raises(SpecError, match="most is 0"):
        BeliefSearch(most=0)


def test_the_trace_only_improves():
    """Lower bounds rise, upper ones fall, and all of them hold the value."""
    form = forms.pomdp(make("rock-sample(size=4, rocks=4)"))
    moments = []
    for progress in BeliefSearch(most=40_000).run(form, Context(np.random.default_rng(0))):
        moments.append((progress.lower, progress.upper))
    lows, highs = zip(*moments)
    assert list(lows) == sorted(lows)
    assert list(highs) == sorted(highs, reverse=True)
    assert lows[-1] <= 17.9244986 + 1e-6
    assert highs[-1] >= 17.9244985
    assert len(moments) > 1


def test_stopped_from_outside():
    """Stopped at the first look at the clock: bounds are sound, and the policy earns what is said."""
    form = forms.pomdp(make("rock-sample(size=4, rocks=4)"))
    (progress,) = BeliefSearch().run(form, Context(np.random.default_rng(0), stopping=lambda: True))
    assert progress.lower <= 17.9244985 <= progress.upper
    shown = progress.evidence()
    assert evaluation.value(game_of(form), progress.profile())[0] == pytest.approx(shown.lower, abs=1e-8)
    assert shown.lower >= progress.lower - 1e-9


def test_ctrl_c(tmp_path):
    form, kept = forms.pomdp(make("rock-sample(size=4, rocks=4)")), tmp_path / "kept.npz"
    found = solve(
        BeliefSearch(most=30_000),
        form,
        watch=lambda _: signal.raise_signal(signal.SIGINT),
        checkpoint=kept,
        certified=False,
    )
    assert found.stopped == "interrupted"
    assert found.lower <= 17.9244985 <= found.upper
    resumed = solve(BeliefSearch(most=30_000), form, resume=kept, certified=False)
    whole = solve(BeliefSearch(most=30_000), form, certified=False)
    assert (resumed.lower, resumed.upper) == (whole.lower, whole.upper)


# --- certificates under attack ---------------------------------------------------------------------------------------

ATTACKED = {
    "ending": forms.pomdp(RandomGame(seed=3, depth=4, width=3, signals=2), 0, {1: Uniform()}),
    "nim": forms.pomdp(make("po-nim(n=3)"), 0, {1: Uniform()}),
    "tiger": forms.pomdp(Horizon(make("tiger"), 5)),
    "unequal": forms.pomdp(random_listed(2, forward=True, faces=4)),
    "discounted": forms.pomdp(make("po-nim(n=2, discount=0.9)"), 1, {0: Uniform()}),
}


def searched(form):
    belief_graph, problem = belief_graph_of(form)
    search = GraphSearch(belief_graph, problem, SearchLimits())
    while not search.step():
        pass
    return search


def spoil_high(search, rng, size):
    high = search.belief_graph.graph.high
    high[: search.belief_graph.beliefs] += size * rng.normal(size=search.belief_graph.beliefs)


def spoil_q_values(search, rng, size):
    q_values = search.belief_graph.q_values
    q_values += size * rng.normal(size=len(q_values))


def spoil_low(search, rng, size):
    low = search.belief_graph.graph.low
    low[: search.belief_graph.beliefs] += size * rng.normal(size=search.belief_graph.beliefs)


def spoil_best(search, rng, size):
    """Other actions than the best, here and there: a worse policy, honestly evaluated."""
    graph = search.belief_graph.graph
    for b in range(search.belief_graph.beliefs):
        if graph.many[b] and rng.random() < size:
            graph.best[b] = graph.rows[b] + rng.integers(graph.many[b])


SPOILT = {"high": spoil_high, "q_values": spoil_q_values, "low": spoil_low, "best": spoil_best}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ATTACKED)
@pytest.mark.parametrize("part", SPOILT)
def test_what_is_spoilt_never_gives_a_false_certificate(name, part):
    """The value lies in every interval that is certified; what cannot be mended is refused."""
    form = ATTACKED[name]
    honest = solve(BeliefSearch(), form)
    assert honest.certified == "both"
    proven = 0
    for seed, size in enumerate([1e-9, 1e-3, 0.1, 1.0, 30.0]):
        rng, search = np.random.default_rng(seed), searched(form)
        SPOILT[part](search, rng, size)
        told = BeliefGraphSolution(form, search)
        shown = told.evidence()
        claim = evidence(form, {form.player: told.controller()}, form.player, shown.arrays)
        if claim is None:
            continue
        try:
            checked = claim.check()
        except Refused:
            continue
        proven += 1
        assert checked.lower <= honest.upper
        assert checked.upper >= honest.lower
        assert checked.lower <= checked.upper
    assert proven or part == "low"


@pytest.mark.parametrize("name", ATTACKED)
def test_what_is_altered_in_the_evidence_never_gives_a_false_certificate(name):
    """Every array of floats, made more optimistic: claims lowered, worths raised."""
    form = ATTACKED[name]
    honest = solve(BeliefSearch(), form)
    arrays, rng = dict(honest.certificate.evidence), np.random.default_rng(0)
    for part, array in arrays.items():
        for size in (1e-6, 0.5, 100.0):
            if array.dtype.kind == "f" and len(array):
                noise = size * np.abs(rng.normal(size=array.shape))
                altered = array + noise if part == "value" else array - noise
                spoilt = replace(honest.certificate, evidence={**arrays, part: altered})
                try:
                    checked = spoilt.check()
                except Refused:
                    continue
                assert checked.lower <= honest.upper
                assert checked.upper >= honest.lower


def test_a_search_that_met_a_limit_of_its_own_is_not_finished():
    found = solve(BeliefSearch(most=200), forms.pomdp(make("rock-sample")))
    assert found.gap > 0
    assert found.stopped == "beliefs"


def test_policies_are_there_before_anybody_knows_what_they_are_worth(monkeypatch):
    def never(*_, **__):
        raise AssertionError("to play a plan nobody needs its value")

    monkeypatch.setattr("fogbound.solvers.pomdp.belief_graph.search.values", never)
    found = solve(BeliefSearch(), forms.pomdp(make("tiger")), Until(iterations=1), certified=False)
    assert found.profile


# --- growing arrays, and beliefs too faint to be held -----------------------------------------------------------------


@pytest.mark.parametrize("room", [2, 4, 8, 64])
@pytest.mark.parametrize("seed", range(6))
def test_the_room_that_there_is_at_first_changes_nothing(monkeypatch, room, seed):
    """Arrays were written beyond their end when a list grew and where its parts begin did not; and a plan was read
    off the arrays as they were before the last growth.
    """
    form = forms.pomdp(RandomGame(seed=seed, depth=4, width=3, signals=2), seed % 2, {1 - seed % 2: Uniform()})
    expected = answer(form)
    monkeypatch.setattr("fogbound.solvers.pomdp.belief_graph.graph.ROOM", room)
    belief_graph, problem = belief_graph_of(form)
    search = GraphSearch(belief_graph, problem, SearchLimits())
    while not search.step():
        pass
    found = BeliefGraphSolution(form, search)
    plan = found.plan  # before anything else is asked
    arrays = belief_graph.graph
    assert len(arrays.first) > belief_graph.beliefs
    assert found.solved.start_value == expected.value
    assert plan.controller().size == expected.profile[form.player].size


def faint(noise, discount=0.9):
    """Weather that stays as it is; a storm looks like calm weather now and then, and shows itself in the end."""
    rules = {
        "calm": {"wait": (1.0, [("calm", "dull", 1.0)]), "look": (0.5, [("calm", "bright", 1.0)])},
        "storm": {
            "wait": (-1.0, [("storm", "dull", noise), ("storm", "bright", 1 - noise)]),
            "look": (-2.0, [("storm", "odd", 1.0)]),
        },
    }
    return listed(rules, discount, (("calm", "z", 0.25), ("storm", "z", 0.75)))


@pytest.mark.parametrize("noise", [1e-3, 1e-7, 1e-10, 1e-15])
def test_what_is_too_faint_to_be_believed_is_played_on(noise):
    """After some dull days a storm is not believed any more, and it may still come: a node had no arrow for it."""
    found = solve(BeliefSearch(), faint(noise))
    assert found.certified == "both"
    assert found.value == pytest.approx(0.25 * 10 - 0.75 * 10, abs=1e-9)
    assert found.gap < 1e-8


# --- what the policy may cost once the gap is small enough -----------------------------------------------------------

READING = 1_000


def loose_search():
    """A search left at a gap of 0.05, in a game whose best policy comes to hold beliefs without end."""
    game = VariableLength(1, sees=("signals",), hidden=2, choices=2, discount=1.0)
    search = GraphSearch(*belief_graph_of(forms.derive(forms.table(game), POMDP)), SearchLimits(reading=READING))
    while search.bounds()[1] - search.bounds()[0] > 0.05:
        assert not search.step()
    return search


def test_a_policy_is_read_with_about_as_much_work_as_the_search():
    search = loose_search()
    work, (low, high) = int(search.belief_graph.count[WORK]), search.bounds()
    plan, converged = search.chosen()
    assert not converged
    assert search.belief_graph.count[WORK] <= 3 * (work + READING)  # a last call may double the pools
    assert low - 1e-9 <= search.evaluated(plan, converged).start_value <= high + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_loose_gap_ends_the_run(seed):
    game = VariableLength(seed, sees=("signals",), hidden=2, choices=2, discount=1.0)
    form = forms.derive(forms.table(game), POMDP)
    found = solve(BeliefSearch(), form, Until(gap=0.05, iterations=2_000), certified=False)
    assert found.gap <= 0.05
    assert found.lower <= found.value <= found.upper
    assert found.details["beliefs"] < 50_000
