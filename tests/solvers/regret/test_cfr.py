"""The CFR family: against plain references, against the LP, against each other, and as a solver among solvers."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound import evaluation, forms
from fogbound.cli.main import main
from fogbound.compiled.draws import uniform
from fogbound.core.errors import FormError
from fogbound.driver.protocol import Context, Until
from fogbound.games import make
from fogbound.solvers import make as make_solver
from fogbound.solvers.regret.minimiser import sequence_layout
from fogbound.testing import check_solver, random_games
from tests import naive, relations
from tests.run import solve

VARIANTS = [
    "cfr",
    "cfr(sampling=full)",
    "cfr(sampling=full, alternating=false)",
    "cfr-plus",
    "dcfr",
    "predictive-cfr",
    "pdcfr-plus",
    "cfr-br",
    "mccfr",
    "mccfr(sampling=outcome)",
    "mccfr(sampling=outcome, baseline=0.5)",
]
SWEEPS = {  # spec -> kind, alternating, alpha, beta, gamma
    "cfr(sampling=full)": ("vanilla", True, 0, 0, 0),
    "cfr(sampling=full, alternating=false)": ("vanilla", False, 0, 0, 0),
    "cfr-plus": ("plus", True, 0, 0, 1),
    "dcfr": ("discounted", True, 1.5, 0, 2),
    "predictive-cfr": ("predictive", True, 0, 0, 2),
    "pdcfr-plus": ("predictive discounted", True, 2.3, 0, 5),
    "cfr-br": ("response", 0, 0, 0, 1),  # second: who learns
    "cfr-br(learner=1)": ("response", 1, 0, 0, 1),
}
some = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


class PlainCFR:
    """CFR by recursion over the oracle's tree: dictionaries, no arrays, no kernels."""

    def __init__(self, nodes, kind, alternating, alpha, beta, gamma):
        self.root, self.kind, self.alternating = nodes[0], kind, alternating
        self.alpha, self.beta, self.gamma = alpha, beta, gamma
        self.players = len(nodes[0].payoff)
        self.sets = {}
        for node in nodes:
            if node.player >= 0:
                self.sets[node.player, node.known[node.player]] = node.moves
        self.regret = {key: [0.0] * len(moves) for key, moves in self.sets.items()}
        self.hint = {key: [0.0] * len(moves) for key, moves in self.sets.items()}
        self.average = {key: [0.0] * len(moves) for key, moves in self.sets.items()}
        self.played = {key: [1 / len(moves)] * len(moves) for key, moves in self.sets.items()}

    def iterate(self, t):
        if self.kind == "response":
            self.respond(t, learner=int(self.alternating))
            return
        for player in range(self.players):
            news = {key: [0.0] * len(moves) for key, moves in self.sets.items()}
            reach = {}
            self.walk(self.root, player, [1.0] * self.players, 1.0, news, reach)
            self.update(t, player, news)
            if self.alternating:
                self.play_on(t, player, reach)
            else:
                self.later = getattr(self, "later", {})
                self.later[player] = reach
        if not self.alternating:
            for player in range(self.players):
                self.play_on(t, player, self.later[player])

    def respond(self, t, learner):
        """The other replies best to what the learner plays now; both count in the averages; then the learner learns."""
        other, groups = 1 - learner, {}
        self.gather(self.root, other, 1.0, groups)
        for key in sorted(groups, key=lambda key: -len(key[1])):  # the latest first: those below are decided
            worth = [sum(w * self.value(node.children[a], other) for node, w in groups[key]) for a in self.moves(key)]
            best = worth.index(max(worth))
            self.played[key] = [float(a == best) for a in self.moves(key)]
        for player in (other, learner):
            news, reach = {key: [0.0] * len(moves) for key, moves in self.sets.items()}, {}
            self.walk(self.root, player, [1.0] * self.players, 1.0, news, reach)
            played = {key: list(p) for key, p in self.played.items()}
            if player == learner:
                self.update(t, player, news)
            self.play_on(t, player, reach)
            if player == other:
                self.played = played

    def moves(self, key):
        return range(len(self.sets[key]))

    def gather(self, node, player, weight, groups):
        """By information set of a player: its nodes, and how likely chance and the others make them."""
        if node.player == naive.END:
            return
        key = (node.player, node.known[node.player]) if node.player >= 0 else None
        if node.player == player:
            groups.setdefault(key, []).append((node, weight))
        for a, child in enumerate(node.children):
            p = child.prob if node.player == naive.CHANCE else 1.0 if node.player == player else self.played[key][a]
            self.gather(child, player, weight * p, groups)

    def value(self, node, player):
        if node.player == naive.END:
            return node.payoff[player]
        if node.player == naive.CHANCE:
            return sum(c.prob * self.value(c, player) for c in node.children)
        chances = self.played[node.player, node.known[node.player]]
        return sum(p * self.value(child, player) for p, child in zip(chances, node.children) if p)

    def walk(self, node, player, own, chance, news, reach):
        if node.player == naive.END:
            return node.payoff[player]
        if node.player == naive.CHANCE:
            return sum(c.prob * self.walk(c, player, own, chance * c.prob, news, reach) for c in node.children)
        who = node.player
        key = (who, node.known[who])
        reach[key] = own[who]
        values = []
        for p, child in zip(self.played[key], node.children):
            below = list(own)
            below[who] *= p
            values.append(self.walk(child, player, below, chance, news, reach))
        value = sum(p * v for p, v in zip(self.played[key], values))
        if who == player:
            others = chance * math.prod(own[i] for i in range(self.players) if i != player)
            for a, v in enumerate(values):
                news[key][a] += others * (v - value)
        return value

    def update(self, t, player, news):
        up, down = t**self.alpha / (t**self.alpha + 1), t**self.beta / (t**self.beta + 1)
        before = (t - 1) ** self.alpha / ((t - 1) ** self.alpha + 1)
        for key, regret in self.regret.items():
            if key[0] != player:
                continue
            for a, more in enumerate(news[key]):
                faded = regret[a] * before if self.kind == "predictive discounted" else regret[a]
                total = faded + more
                if self.kind == "discounted":
                    total *= up if total > 0 else down
                elif self.kind != "vanilla":
                    total = max(total, 0.0)
                regret[a] = total
                if self.kind == "predictive":
                    self.hint[key][a] = more
                elif self.kind == "predictive discounted":  # wished for is what fades by now, and the last regret
                    self.hint[key][a] = more - (1 - up) * total

    def play_on(self, t, player, reach):
        for key in self.sets:
            if key[0] == player:
                for a, p in enumerate(self.played[key]):
                    self.average[key][a] += t**self.gamma * reach[key] * p
                wish = [max(r + h, 0.0) for r, h in zip(self.regret[key], self.hint[key])]
                total = sum(wish)
                self.played[key] = [w / total if total > 0 else 1 / len(wish) for w in wish]


def knowledge(form, player, h):
    seen, *rest = form.tree.history(player, int(form.tree.set_memory[h]))
    known = (None, tuple(seen))
    for action, observation in rest:
        known = (*known, action, tuple(observation))
    return known


def assert_like_the_reference(game, spec, iterations=12):
    form = forms.sequence(game)
    context = Context(np.random.default_rng(0), most=iterations)
    for progress in make_solver(spec).run(form, context):
        if progress.iteration >= iterations:
            break
    reference = PlainCFR(naive.tree(game), *SWEEPS[spec])
    for t in range(1, iterations + 1):
        reference.iterate(t)
    laid = sequence_layout(form)
    alpha = reference.alpha
    faded = iterations**alpha / (iterations**alpha + 1) if reference.kind == "predictive discounted" else 1.0
    for player, plex in enumerate(form.plexes):
        for h, first, size in zip(plex.sets, plex.first, plex.size):
            at = slice(laid.offset[player] + first, laid.offset[player] + first + size)
            key = (player, knowledge(form, player, h))
            assert np.allclose(context.arrays["regret"][at], faded * np.array(reference.regret[key]), atol=1e-9)
            assert np.allclose(context.arrays["behaviour"][at], reference.played[key], atol=1e-6)
            assert np.allclose(context.arrays["average"][at], reference.average[key], atol=1e-9)


@pytest.mark.parametrize("spec", list(SWEEPS))
def test_sweeps_are_the_references_on_poker(spec):
    assert_like_the_reference(make("card-poker(ranks=3)"), spec)


@pytest.mark.parametrize("spec", ["cfr(sampling=full)", "dcfr"])
@some
@given(game=random_games(most_nodes=150))
def test_sweeps_are_the_references_on_random_games(spec, game):
    """One to three players, general-sum. Few iterations: regrets near zero would amplify rounding."""
    assert_like_the_reference(game, spec, iterations=2)


def test_chance_sampling_is_the_slides_pseudocode():
    """Lines 5 to 30 by recursion, with the same random numbers: poker deals once, so a walk draws once."""
    game = make("card-poker(ranks=3)")
    form = forms.sequence(game)
    context = Context(np.random.default_rng(3), most=50)
    for progress in make_solver("cfr").run(form, context):
        if progress.iteration >= 50:
            break
    state = np.array([np.random.default_rng(3).integers(0, 2**63)], np.int64)
    nodes = naive.tree(game)
    reference = PlainCFR(nodes, "vanilla", True, 0, 0, 0)

    def cfr(node, i, reach, strategies):
        if node.player == naive.END:
            return node.payoff[i]
        if node.player == naive.CHANCE:
            point = uniform(state)
            for child in node.children:
                point -= child.prob
                if point < 0:
                    break
            return cfr(child, i, reach, strategies)
        key = (node.player, node.known[node.player])
        values = []
        for p, child in zip(strategies[key], node.children):
            below = list(reach)
            below[node.player] *= p
            values.append(cfr(child, i, below, strategies))
        value = sum(p * v for p, v in zip(strategies[key], values))
        if node.player == i:
            for a, v in enumerate(values):
                reference.regret[key][a] += reach[1 - i] * (v - value)
                reference.average[key][a] += reach[i] * strategies[key][a]
            wish = [max(r, 0.0) for r in reference.regret[key]]
            total = sum(wish)
            reference.played[key] = [w / total if total > 0 else 1 / len(wish) for w in wish]
        return value

    for _ in range(50):
        for i in (0, 1):
            cfr(nodes[0], i, [1.0, 1.0], {key: list(p) for key, p in reference.played.items()})
    laid = sequence_layout(form)
    for player, plex in enumerate(form.plexes):
        for h, first, size in zip(plex.sets, plex.first, plex.size):
            at = slice(laid.offset[player] + first, laid.offset[player] + first + size)
            key = (player, knowledge(form, player, h))
            assert np.allclose(context.arrays["regret"][at], reference.regret[key], atol=1e-9)
            assert np.allclose(context.arrays["average"][at], reference.average[key], atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["cfr", "mccfr", "mccfr(sampling=outcome)"])  # with baselines: test_baselines.py
def test_sampled_regrets_are_right_on_average(spec):
    """From uniform play, the mean sampled regret of player 0 is the exact counterfactual regret."""
    form = forms.sequence(make("liars-dice(sides=2)"))
    exact = Context(np.random.default_rng(0), most=1)
    whole = make_solver("cfr(sampling=full)").run(form, exact)
    next(whole)  # uniform play
    next(whole)
    n, total, squares = 4_000, 0.0, 0.0
    mine = slice(0, form.plexes[0].sequences)
    for seed in range(n):
        context = Context(np.random.default_rng(seed), most=1)
        run = make_solver(spec).run(form, context)
        next(run)
        next(run)
        total = total + context.arrays["regret"][mine]
        squares = squares + context.arrays["regret"][mine] ** 2
    mean = total / n
    error = np.sqrt(np.maximum(squares / n - mean**2, 0) / n)
    assert (np.abs(mean - exact.arrays["regret"][mine]) <= 5 * error + 1e-12).all()


@pytest.mark.parametrize("spec", VARIANTS)
def test_all_approach_the_equilibrium(spec):
    form = forms.sequence(make("card-poker(ranks=3)"))
    found = check_solver(make_solver(spec), form, Until(gap=2e-2, iterations=20_000))
    assert found.stopped == "gap"
    assert abs(found.value + 1 / 18) <= 2 * found.gap
    assert found.certified == "both"
    assert found.lower <= -1 / 18 <= found.upper


@pytest.mark.parametrize("spec", ["cfr-plus", "dcfr", "predictive-cfr", "pdcfr-plus"])
def test_leduc_to_one_in_ten_thousand(spec):
    found = solve(make_solver(spec), forms.sequence(make("leduc")), Until(gap=1e-4, iterations=50_000))
    assert found.stopped == "gap"
    assert abs(found.value + 0.0856064241) <= 2e-4


@pytest.mark.parametrize("learner", [0, 1])
def test_best_responses_to_one_who_learns_approach_the_value_of_leduc(learner):
    """Bounds hold from the first answer on; the gap falls about as one over the root of the iterations."""
    spec = f"cfr-br(learner={learner})"
    found = solve(make_solver(spec), forms.sequence(make("leduc")), Until(gap=0.05, iterations=20_000))
    assert found.stopped == "gap"
    assert found.lower <= -0.0856064241 + 1e-9
    assert found.upper >= -0.0856064241 - 1e-9


def test_best_responses_are_for_two_players_of_constant_sum():
    with pytest.raises(FormError, match=r"cfr-br: .* has 3 players, expected 2"):
        solve(make_solver("cfr-br"), forms.sequence(make("random(seed=11, seats=3)")), Until(iterations=2))


@pytest.mark.parametrize("spec", VARIANTS)
def test_resume_is_bit_equal(spec, tmp_path):
    form = forms.sequence(make("card-poker(ranks=4)"))
    whole = solve(make_solver(spec), form, Until(iterations=200), seed=7)
    solve(make_solver(spec), form, Until(iterations=40), seed=7, checkpoint=tmp_path / "c.npz", every=0)
    resumed = solve(make_solver(spec), form, Until(iterations=200), seed=7, resume=tmp_path / "c.npz")
    assert (resumed.value, resumed.lower, resumed.upper) == (whole.value, whole.lower, whole.upper)
    for i in (0, 1):
        assert np.array_equal(resumed.profile[i].behaviour, whole.profile[i].behaviour)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("spec", VARIANTS)
@settings(some, max_examples=60)
@given(game=random_games(zero_sum=True, most_nodes=200), power=st.integers(-12, 12))
def test_scaling_by_a_power_of_two_is_exact_to_the_bit(spec, game, power):
    """No absolute tolerance hides anywhere in the family: traces are bit-equal after division."""
    one, other = (
        solve(make_solver(spec), forms.sequence(g), Until(iterations=12), certified=False)
        for g in (game, relations.Scaled(game, 2.0**power))
    )
    assert [m.value * 2.0**power for m in one.trace] == [m.value for m in other.trace]


ALTERED = {
    "reordered": relations.Reordered,
    "cloned": relations.Cloned,
    "tempted": relations.Tempted,
    "coin": relations.Coin,
    "doubled": relations.Doubled,
    "impossible": relations.Impossible,
}


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*VARIANTS, "sequence-lp"])
@settings(some, max_examples=60)
@given(game=random_games(zero_sum=True, most_nodes=100), name=st.sampled_from(list(ALTERED)))
def test_intervals_of_altered_games_meet(spec, game, name):
    """Relations 1, 5 to 8 and 12: the value stays, so the bounds found for both games must intersect."""
    one, other = (
        solve(make_solver(spec), forms.sequence(g), Until(gap=1e-3, iterations=100), certified=False)
        for g in (game, ALTERED[name](game))
    )
    assert one.lower <= other.upper + 1e-9
    assert other.lower <= one.upper + 1e-9


@pytest.mark.one_in(4)
@pytest.mark.parametrize("spec", ["cfr(sampling=full)", "cfr-plus", "dcfr", "predictive-cfr"])
@settings(some, max_examples=25)
@given(game=random_games(zero_sum=True, most_nodes=200))
def test_bounds_hold_the_value(spec, game):
    exact = solve(make_solver("sequence-lp"), forms.sequence(game)).value
    found = solve(make_solver(spec), forms.sequence(game), Until(gap=1e-3, iterations=3_000))
    assert all(m.lower <= exact + 1e-9 and m.upper >= exact - 1e-9 for m in found.trace)
    swapped = solve(make_solver(spec), forms.sequence(relations.Swapped(game)), Until(gap=1e-3, iterations=3_000))
    assert abs(found.value + swapped.value) <= found.gap + swapped.gap + 1e-9


def test_three_players_report_their_regret():
    form = forms.sequence(make("random(seed=11, seats=3)"))
    found = solve(make_solver("cfr(sampling=full)"), form, Until(iterations=2_000))
    played = evaluation.behaviours(form, found.profile)
    assert found.gap == pytest.approx(max(evaluation.exploitability(form, played).regrets))
    assert found.value == pytest.approx(evaluation.expected(form, played)[0])
    assert found.certificate.kind.name == "tree-profile"


def test_iterations_are_counted_and_kept_to(capsys):
    assert main(["solve", "card-poker(ranks=3)", "--with", "dcfr", "--iterations", "37", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["iterations"] == 37
    assert main(["solve", "leduc", "--with", "cfr-plus", "--gap", "1e-2", "--averaging", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["solver"] == "cfr-plus(averaging=2)"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cfr(sampling=odd)", "expected chance or full"),
        ("cfr(alternating=false)", "players take turns"),
        ("mccfr(sampling=odd)", "expected external or outcome"),
        ("mccfr(explore=0)", "explore is 0"),
        ("mccfr(sampling=outcome, baseline=2)", "baseline is 2.0, expected 0 to 1"),
        ("mccfr(baseline=0.5)", "baselines are for sampling=outcome"),
        ("cfr-br(learner=2)", "learner is 2, expected 0 or 1"),
    ],
)
def test_bad_parameters(spec, message):
    from fogbound.core import SpecError

    with pytest.raises(SpecError, match=message):
        make_solver(spec)


@pytest.mark.parametrize("sampling", ["external", "outcome"])
def test_who_plays_alone_learns_too(sampling):
    """A player's average is noted while others traverse, of whom there are none in a game of one."""
    found = solve(
        make_solver(f"mccfr(sampling={sampling})"),
        forms.sequence(fb.game("horizon(game=tiger, steps=2)")),
        Until(iterations=4_000),
    )
    assert found.value == pytest.approx(-1.95, abs=0.5)  # playing at random: -59
