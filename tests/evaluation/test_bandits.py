"""Bandits: the game by a dynamic program of its own, the rules by what is proved of them."""

from __future__ import annotations

from functools import cache
from math import log, pi, sqrt

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import SpecError
from fogbound.evaluation import bandit_regret
from fogbound.evaluation.bandits import RULES
from fogbound.games import make

TWO = (0.4, 0.6)


def bayes_optimal(arms, levels, pulls, discount):
    """The value by counts of successes and failures of each arm, which are all that matters."""
    chances = [k / (levels + 1) for k in range(1, levels + 1)]

    def mean(won, lost):
        weights = [c**won * (1 - c) ** lost for c in chances]
        return sum(c * w for c, w in zip(chances, weights)) / sum(weights)

    @cache
    def value(counts, left):
        if not left:
            return 0.0
        best = 0.0
        for a, (won, lost) in enumerate(counts):
            p = mean(won, lost)
            good, bad = (
                tuple(sorted((*counts[:a], new, *counts[a + 1 :]))) for new in ((won + 1, lost), (won, lost + 1))
            )
            best = max(best, p * (1 + discount * value(good, left - 1)) + (1 - p) * discount * value(bad, left - 1))
        return best

    return value(((0, 0),) * arms, pulls)


@pytest.mark.parametrize(("arms", "levels", "pulls", "discount"), [(2, 3, 6, 1.0), (3, 2, 4, 0.9), (1, 4, 3, 1.0)])
def test_the_bandit_is_worth_what_counting_says(arms, levels, pulls, discount):
    spec = f"bandit(arms={arms}, levels={levels}, pulls={pulls}, discount={discount})"
    assert fb.solve(spec, "belief-mdp", gap=1e-9).value == pytest.approx(bayes_optimal(arms, levels, pulls, discount))


def test_exploring_pays():
    """A Bayes-optimal gambler earns more than one who pulls any arm, and less than one who knows the best."""
    game = make("bandit(pulls=8)")
    value = fb.solve(game, "belief-mdp").value
    assert 8 * 0.5 < value < 8 * (3 * 0.75 + 0.5 + 2 * 0.5 + 2 * 0.75 + 0.25) / 9


@pytest.mark.parametrize(("chances", "rounds"), [(TWO, 1500), ((0.1, 0.5, 0.9), 800)])
def test_ucb1_keeps_its_bound(chances, rounds):
    """Auer, Cesa-Bianchi and Fischer (2002), theorem 1."""
    gaps = [max(chances) - chance for chance in chances if chance < max(chances)]
    found = bandit_regret("ucb1", chances, rounds)
    for n, regret in zip(found.rounds[1:], found.mean[1:]):
        assert regret <= 8 * log(n) * sum(1 / gap for gap in gaps) + (1 + pi**2 / 3) * sum(gaps)
    assert found.mean[-1] - found.mean[len(found.mean) // 2] < found.mean[len(found.mean) // 2]  # it flattens


def plain_ucb1(chances, rounds):
    """UCB1 one pull after the other, on arms that always or never pay."""
    pulls, paid, regret = [0] * len(chances), [0.0] * len(chances), 0.0
    for n in range(rounds):
        index = [
            float("inf") if not pulls[a] else paid[a] / pulls[a] + sqrt(2 * log(n) / pulls[a])
            for a in range(len(chances))
        ]
        arm = index.index(max(index))
        pulls[arm] += 1
        paid[arm] += chances[arm]
        regret += max(chances) - chances[arm]
    return regret


@pytest.mark.parametrize("chances", [(0.0, 1.0), (1.0, 0.0, 0.0)])
def test_ucb1_pulls_what_the_plain_one_pulls(chances):
    for rounds in (10, 100, 400):
        assert bandit_regret("ucb1", chances, rounds, runs=3).mean[-1] == plain_ucb1(chances, rounds)


def test_the_printed_index_never_learns():
    """Document 004, section 2.1.3: both arms are pulled alike, so that every pull loses half the gap, to the end."""
    found = bandit_regret("printed-ucb", TWO, 2_000)
    assert found.mean[-1] == pytest.approx(0.1 * 2_000, rel=0.02)
    assert found.mean[-1] > 4 * bandit_regret("ucb1", TWO, 2_000).mean[-1]


def test_what_is_always_random_loses_half_the_gap():
    found = bandit_regret("epsilon-greedy(epsilon=1)", TWO, 500, runs=400)
    assert found.low[-1] - 1 < 0.1 * 500 < found.high[-1] + 1


def test_exp3_keeps_its_bound():
    """Auer et al. (2002), corollary 3.2: at most 2 sqrt(e - 1) sqrt(g K log K), whatever the arms pay."""
    found = bandit_regret("exp3", TWO, 1_000)
    assert found.mean[-1] <= 2 * sqrt(np.e - 1) * sqrt(1_000 * 2 * log(2))


@pytest.mark.slow
def test_who_knows_the_model_loses_least():
    last = {rule: bandit_regret(rule, TWO, 1_500).mean[-1] for rule in RULES}
    assert min(last, key=last.get) == "thompson"
    assert max(last, key=last.get) == "printed-ucb"


@pytest.mark.parametrize("rule", list(RULES))
def test_curves(rule):
    found = bandit_regret(rule, (0.2, 0.5, 0.5), 200, runs=50, rng=np.random.default_rng(3))
    again = bandit_regret(rule, (0.2, 0.5, 0.5), 200, runs=50, rng=np.random.default_rng(3))
    assert found == again
    assert found.rounds[-1] == 200
    assert list(found.mean) == sorted(found.mean)
    assert bandit_regret(rule, (0.3,), 20).mean[-1] == 0
    drawn = fb.draw.sweep(found.rows(), x="pulls", y="regret", by="rule", lower="low", upper="high")
    assert rule in drawn.svg


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("ucb1", (0.5, 1.5)), "from 0 to 1"),
        (("ucb1", ()), "one for each arm"),
        (("ucb1", TWO, 0), "at least 1"),
        (("ucb2", TWO), "unknown bandit rule"),
        (("epsilon-greedy(epsilon=2)", TWO), "0 to 1"),
        (("ucb1(width=-1)", TWO), "0 or more"),
    ],
)
def test_bad_questions(given, words):
    with pytest.raises(SpecError, match=words):
        bandit_regret(*given)


@pytest.mark.parametrize("spec", ["bandit(arms=0)", "bandit(pulls=0)", "bandit(arms=30)", "bandit(discount=2)"])
def test_bandits_that_cannot_be(spec):
    with pytest.raises(SpecError):
        make(spec)
