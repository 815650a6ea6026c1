"""The stop that may be asked for at any time, and the one number: what they promise, they keep."""

from __future__ import annotations

import numpy as np
import pytest

from fogbound.arena.match import wilson
from fogbound.experiments.tournaments.sequential import (
    Race,
    ScoreRace,
    asymptotic_sequence,
    confidence_sequence,
    log_wealth,
)
from fogbound.experiments.tournaments.strength import POINTS, payoff_shares, strengths

RUNS, BLOCKS = 400, 600
EVEN = {"coin": (0.0, 1.0), "with ties": (0.0, 0.5, 1.0), "of eight": tuple(k / 8 for k in range(9))}


def alarms_of(draws, kind=Race, alpha=0.05):
    """How many runs, the columns of [blocks, runs], ever say that equals differ; each at its own alpha."""
    runs = draws.shape[1]
    race = kind(runs, alpha * runs)  # undoes what all pairs of a tournament share
    ever = np.zeros(runs, bool)
    for block in draws:
        race.add(block)
        ever |= ~race.open
    return float(ever.mean())


@pytest.mark.parametrize("kind", EVEN)
def test_false_alarms_are_rare_however_often_one_looks(kind):
    draws = np.random.default_rng(7).choice(EVEN[kind], (BLOCKS, RUNS))
    assert alarms_of(draws) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.parametrize("scores", [(-1.0, 1.0), (-1.0, 0.0, 0.0, 1.0), (-13.0, 1.0, *[1.0] * 12)])
def test_false_alarms_of_scores_are_rare(scores):
    """Also where a rare loss evens out many gains. In the limit of many blocks; here for as many as are played."""
    draws = np.random.default_rng(7).choice(np.array(scores) - np.mean(scores), (2 * BLOCKS, RUNS))
    assert alarms_of(draws, ScoreRace) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)


def test_the_race_of_scores_and_the_interval_say_the_same():
    draws, race = np.random.default_rng(2).normal(0.2, 1.0, 600), ScoreRace(1)
    for n, draw in enumerate(draws, 1):
        race.add(np.array([draw]))
        low, high = asymptotic_sequence(draws[:n])
        assert race.decided() == (low > 0 or high < 0)
    assert race.decided()


def test_looking_at_a_fixed_interval_again_and_again_is_not_valid():
    """What the test is for: Wilson's interval, looked at after every game, errs many times as often as it says."""
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(RUNS):
        rates = np.cumsum(rng.random(BLOCKS) < 0.5) / np.arange(1, BLOCKS + 1)
        intervals = (wilson(rate, n) for n, rate in enumerate(rates.tolist(), 1))
        alarms += any(low > 0.5 or high < 0.5 for low, high in list(intervals)[10:])
    assert alarms / RUNS > 0.2


def test_several_pairs_together():
    """With six equal pairs one of them is called different at most 5 times in 100."""
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(100):
        race, ever = Race(6), False
        for draw in rng.choice((0.0, 0.5, 1.0), (150, 6)):
            race.add(draw)
            ever |= not race.open.all()
        alarms += ever
    assert alarms / 100 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


def test_what_differs_is_found():
    rng = np.random.default_rng(3)
    for edge, most in ((0.1, 1500), (0.3, 150)):
        race, blocks = Race(1), 0
        while not race.decided():
            race.add(np.array([float(rng.random() < 0.5 + edge)]))
            blocks += 1
            assert blocks <= most


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0.05, 0.5, 0.8])
def test_the_confidence_sequence_holds_the_mean_at_all_times(mean):
    rng = np.random.default_rng(5)
    misses = 0
    for _ in range(RUNS // 8):
        draws = (rng.random(200) < mean).astype(float)
        intervals = [confidence_sequence(draws[:n]) for n in (5, 10, 20, 50, 100, 200)]
        misses += any(not low <= mean <= high for low, high in intervals)
    assert misses / (RUNS // 8) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / (RUNS // 8))


@pytest.mark.slow
def test_the_race_and_the_interval_say_the_same():
    rng = np.random.default_rng(9)
    for _ in range(4):
        draws = rng.choice((0.0, 0.5, 1.0), 80, p=(0.2, 0.2, 0.6))
        race = Race(1)
        for n, draw in enumerate(draws, 1):
            race.add(np.array([draw]))
            low, high = confidence_sequence(draws[:n])
            if race.decided():
                assert low > 0.5 or high < 0.5
                break
            assert low <= 0.5 <= high


def test_wealth_is_fair():
    """The bettor's expected wealth stays 1 where the mean is what it bets against: a martingale, block by block."""
    for mean in (0.2, 0.5, 0.7):
        total = sum(
            np.exp(log_wealth(np.array([a, b]), mean)) * (mean if a else 1 - mean) * (mean if b else 1 - mean)
            for a in (0.0, 1.0)
            for b in (0.0, 1.0)
        )
        assert total == pytest.approx(1)


def drawn(strength, seated, blocks, rng):
    """Wins [blocks, seatings, seats] as Luce's model draws them."""
    wins = np.zeros((blocks, len(seated), len(seated[0])))
    for r, seating in enumerate(seated):
        share = np.exp([strength[e] for e in seating])
        winner = rng.choice(len(seating), blocks, p=share / share.sum())
        wins[np.arange(blocks), r, winner] = 1
    return wins


def test_strengths_are_found_again():
    """Two and three at a table, also twice the same: estimates lie in their intervals about as often as promised."""
    rng = np.random.default_rng(1)
    true = np.array([0.8, 0.0, -0.8])
    for seated in ([(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)], [(0, 1, 2), (0, 0, 1), (2, 1, 1)]):
        inside = []
        for _ in range(60):
            found = strengths(drawn(true, seated, 150, rng), seated, "abc")
            inside += [abs(p - POINTS * t) <= h for p, t, h in zip(found.points, true - true.mean(), found.half)]
        assert np.mean(inside) > 0.88


def test_bradley_terry_in_closed_form():
    wins = np.array([[[1.0, 0.0]]] * 3 + [[[0.0, 1.0]]])
    found = strengths(wins, [(0, 1)], "ab")
    assert found.points[0] - found.points[1] == pytest.approx(400 * np.log10(3))
    assert strengths(wins, [(0, 1)], "ab", exact=True).half == (0.0, 0.0)


def test_there_is_no_strength_of_the_unbeaten():
    found = strengths(np.array([[[1.0, 0.0], [0.0, 1.0]]]), [(0, 1), (1, 0)], ["best", "worst"])
    assert found.points == ()
    assert "best never lost" in found.why_not
    circle = np.array([[[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]])
    assert strengths(circle, [(0, 1), (1, 2), (2, 0)], "abc").points == pytest.approx((0, 0, 0), abs=1e-9)


def test_strength_follows_the_payoffs():
    """Whatever is paid, who scores more is stronger: also who wins seldom and much."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        paid = rng.integers(-9, 10, (60, 2)) + (seed % 5 - 2)  # [blocks, seatings] to the first seat
        returns = np.stack([paid, -paid], axis=2).astype(float)
        wins = (1 + np.sign(returns)) / 2
        shares, by = payoff_shares(wins, returns)
        found = strengths(shares, [(0, 1), (1, 0)], ["a", "b"])
        score = (returns[:, 0, 0] + returns[:, 1, 1]).mean()
        assert by == "payoffs"
        assert np.sign(found.points[0]) == np.sign(score)
    often = np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 9 + [[[-20.0, 20.0], [20.0, -20.0]]])  # wins 9 of 10, loses all
    wins = (1 + np.sign(often)) / 2
    assert strengths(wins, [(0, 1), (1, 0)], "ab").points[0] > 0
    assert strengths(payoff_shares(wins, often)[0], [(0, 1), (1, 0)], "ab").points[0] < 0


def test_where_payoffs_say_who_won_strengths_are_those_of_wins():
    rng = np.random.default_rng(1)
    for paid in (1.0, 3.5):
        returns = rng.choice([-paid, 0.0, paid], (40, 2))
        wins = (1 + np.stack([returns, -returns], axis=2) / paid) / 2
        shares, by = payoff_shares(wins, np.stack([returns, -returns], axis=2) + 7)
        assert by == "wins"
        assert shares is wins
