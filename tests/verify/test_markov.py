"""Markov games: honest evidence closes, wrong evidence only widens, garbage stays true."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.certificates.certificate import plain as as_plain
from fogbound.certificates.markov import markov_certificate
from fogbound.evaluation.markov import chain_values, from_start, markov_behaviours, markov_values
from fogbound.verify import Refused, check
from fogbound.verify.markov import correlated, profile, zero_sum
from tests.verify.made import header, stored

GAMES = {
    "zero-sum": ("random-markov(seed=1, zero_sum=true)", "hoffman-karp"),
    "ending": ("random-markov(seed=2, zero_sum=true, ends=0.2, ragged=true, discount=1)", "hoffman-karp"),
    "three": ("random-markov(seed=3, seats=3, choices=2, ragged=true)", "markov-nash"),
    "ending sum": ("random-markov(seed=4, ends=0.3, discount=1)", "markov-nash"),
    "alone": ("random-markov(seed=5, seats=1)", "policy-iteration"),
}


@pytest.fixture(scope="module")
def solved():
    made = {}

    def make(name):
        if name not in made:
            spec, solver = GAMES[name]
            solution = fb.solve(spec, solver, gap=1e-11)
            form = forms.markov(fb.game(spec))
            proof = markov_certificate(form, markov_behaviours(form, solution), 0)
            made[name] = form, as_plain(form.arrays()), as_plain(proof.evidence), proof.evidence, proof.kind.name
        return made[name]

    return make


@pytest.mark.parametrize("name", GAMES)
def test_honest_evidence_closes(solved, name):
    _, arrays, proof, _, kind = solved(name)
    report = check(header(arrays, kind, 0, -1e9, 1e9), arrays, proof)
    assert report.refuted is None
    assert report.upper - report.lower < 1e-9
    assert (report.regret is None) == (kind == "zero-sum-markov")
    assert report.regret is None or report.regret < 1e-9


def spoilt(shown, rng):
    """Evidence in which something, or everything, is wrong."""
    wrong = {name: np.array(values, float) for name, values in shown.items()}
    every = rng.random() < 0.3
    for name in wrong if every else [rng.choice(list(wrong))]:
        if name == "steps":
            wrong[name] = wrong[name] * rng.uniform(1.0, 3.0) + rng.uniform(0, 2, wrong[name].shape)
            continue
        ways = [
            lambda old: rng.normal(size=old.shape) * 10.0 ** rng.integers(-3, 4),
            lambda old: old + rng.normal(size=old.shape) * 10.0 ** rng.integers(-8, 1),
            lambda old: -old,
            lambda old: np.zeros_like(old),
            lambda old: rng.permutation(old.ravel()).reshape(old.shape),
            lambda old: old * rng.choice([1e-300, 1e9, 0.5, 2.0]),
        ]
        wrong[name] = ways[rng.integers(len(ways))](wrong[name])
    return {name: stored(values) for name, values in wrong.items()}, wrong


def repaired(form, player, weights):
    """What the checker makes of weights: clipped, divided by their sums, uniform where nothing is left."""
    first, played = form.first[player], form.uniform[player].copy()
    for state in np.flatnonzero(form.live):
        part = np.maximum(weights[first[state] : first[state + 1]], 0.0)
        if part.sum() > 0:
            played[first[state] : first[state + 1]] = part / part.max() / (part / part.max()).sum()
    return played


def falsified(solved, count):
    """Intervals from garbage that leave out what they must hold."""
    bad = []
    for number, name in enumerate(GAMES):
        form, arrays, _, shown, kind = solved(name)
        rng = np.random.default_rng(100 + number)
        value = fb.solve(form, GAMES[name][1], gap=1e-11).value
        for turn in range(count):
            proof, wrong = spoilt(shown, rng)
            try:
                if kind == "zero-sum-markov":
                    low, high = zero_sum(arrays, proof, 0)
                    if not low <= Fraction(value) + Fraction(1e-9) or not high >= Fraction(value) - Fraction(1e-9):
                        bad.append((name, turn))
                    continue
                intervals, regret = profile(arrays, proof)
            except Refused:  # play is not shown to end
                continue
            played = [repaired(form, i, wrong[f"strategy_{i}"]) for i in range(len(form.players))]
            measured, slack = markov_values(form, played), 1e-7
            true = zip(measured.values, measured.best_values, intervals)
            if any(low > Fraction(v + slack) or high < Fraction(b - slack) for v, b, (low, high) in true):
                bad.append((name, turn))
            if float(regret) < measured.regret - slack:
                bad.append((name, turn, "regret"))
    return bad


def test_garbage_gives_no_false_interval(solved):
    assert not falsified(solved, 60)


@pytest.mark.slow
def test_thousands_of_garbage_certificates_give_no_false_interval(solved):
    assert not falsified(solved, 5_000)


@pytest.mark.parametrize("count", [200, pytest.param(5_000, marks=pytest.mark.slow)])
def test_garbage_recommendations_give_no_false_interval(count):
    form = forms.markov(fb.game("horizon(game=random-markov(seed=2, size=2), steps=2)"))
    solution = fb.solve(form, "markov-correlated")
    arrays, shown = as_plain(form.arrays()), dict(solution.certificate.evidence)
    assert correlated(arrays, as_plain(shown))[1] < 1e-6
    rng = np.random.default_rng(3)
    for _ in range(count):
        proof, wrong = spoilt(shown, rng)
        try:
            intervals, _ = correlated(arrays, proof)
        except Refused:
            continue
        joint = np.maximum(wrong["joint"], 0.0)
        sums = np.bincount(form.state_of, joint, form.size)
        even = 1.0 / np.bincount(form.state_of, minlength=form.size).clip(1)
        weight = np.where(
            sums[form.state_of] > 0,
            joint / np.where(sums > 0, sums, 1.0)[form.state_of],
            even[form.state_of],
        )
        values = from_start(form, chain_values(form, weight))
        assert all(low <= Fraction(v + 1e-7) for v, (low, _) in zip(values, intervals))
        assert all(high >= Fraction(v - 1e-7) for v, (_, high) in zip(values, intervals))


def test_correlation_is_paid_for_as_obedience_not_as_independence():
    """A fair coin between both crashes of chicken avoided is obeyed; the same parts drawn apart are not."""
    form = forms.markov(fb.game("horizon(game=repeated(matrix=chicken), steps=1)"))
    arrays = as_plain(form.arrays())
    value = np.zeros((form.size, 2))
    joint = {"joint": stored(np.array([0.0, 0.5, 0.5, 0.0])), "steps": stored(np.array([2.0, 0.0])[: form.size])}
    shown = {"value": stored(value), "best": stored(value)}
    assert correlated(arrays, {**joint, **shown})[1] == 0
    apart = {f"strategy_{i}": stored(np.array([0.5, 0.5])) for i in (0, 1)}
    assert profile(arrays, {**apart, **shown, "steps": joint["steps"]})[1] >= 2


def test_claims_that_are_too_good_are_paid_for(solved):
    _, arrays, proof, shown, _ = solved("zero-sum")
    low, high = zero_sum(arrays, proof, 0)
    better = {**proof, "below": stored(shown["below"] + 1.0)}
    assert zero_sum(arrays, better, 0)[0] <= low + Fraction(1e-9)
    worse = {**proof, "above": stored(shown["above"] - 1.0)}
    assert zero_sum(arrays, worse, 0)[1] >= high - Fraction(1e-9)


def test_values_claimed_at_an_end_are_ignored(solved):
    form, arrays, proof, shown, _ = solved("ending")
    lied = {**proof, "below": stored(np.where(form.live, shown["below"], 1e6))}
    assert zero_sum(arrays, lied, 0) == zero_sum(arrays, proof, 0)


def test_without_discount_play_must_be_shown_to_end(solved):
    _, arrays, proof, shown, _ = solved("ending")
    with pytest.raises(Refused, match="'steps' is missing"):
        zero_sum(arrays, {name: array for name, array in proof.items() if name != "steps"}, 0)
    with pytest.raises(Refused, match="not certified to end"):
        zero_sum(arrays, {**proof, "steps": stored(np.zeros_like(shown["steps"]))}, 0)


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("width", lambda a: a * 0 - 1, "'width' must be"),
        ("width", lambda a: a + 1, "has shape"),
        ("out", lambda a: a[::-1], "'out' must rise"),
        ("next", lambda a: a + 1000, "'next' holds"),
        ("prob", lambda a: -a, "'prob' holds a negative"),
        ("start", lambda a: a * 0, "'start' holds"),
        ("discount", lambda a: a + 1, "no Markov game"),
        ("reward", lambda a: a[:-1], "'reward' has shape"),
    ],
)
def test_what_is_no_game_is_refused(solved, name, change, told):
    form, arrays, proof, _, _ = solved("zero-sum")
    with pytest.raises(Refused, match=told):
        zero_sum({**arrays, name: stored(change(form.arrays()[name]))}, proof, 0)


def test_a_zero_sum_certificate_is_for_two(solved):
    _, arrays, proof, _, _ = solved("three")
    with pytest.raises(Refused, match="needs 2 players"):
        zero_sum(arrays, proof, 0)


def test_a_claim_beyond_the_proof_is_refuted(solved):
    _, arrays, proof, _, kind = solved("zero-sum")
    low, high = zero_sum(arrays, proof, 0)
    report = check(header(arrays, kind, 0, float(low) + 1, float(high) + 2), arrays, proof)
    assert "lower bound" in report.refuted
