"""Certificates of hierarchies of many levels and of several players: true whatever the evidence, narrow if honest."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

import fogbound.verify as checker
from fogbound import evaluation, forms
from fogbound.certificates.certificate import plain
from fogbound.certificates.checking import evidence as collected
from fogbound.certificates.checking import seconds_to_check
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Mixture
from fogbound.solvers.level_k import certificate
from fogbound.solvers.level_k.form import hierarchy
from fogbound.solvers.level_k.hierarchy import solve_levels
from fogbound.solvers.level_k.solver import LevelK
from fogbound.solvers.pomdp.belief_dp import BeliefDP
from fogbound.verify.levels.bounds import level_intervals
from fogbound.verify.levels.form import Links
from tests.run import solve

SEVERAL = [
    (RandomGame(seed=0, seats=3, depth=3, width=2, signals=2), "uniform"),
    (RandomGame(seed=3, seats=3, depth=3, width=2, signals=2, discount=0.9), "poisson"),
    (RandomGame(seed=1, seats=4, depth=2, width=2, signals=2), "uniform"),
    (RandomGame(seed=2, seats=3, depth=3, width=3, signals=1), "previous"),
]
several = pytest.mark.parametrize("case", range(len(SEVERAL)), ids=lambda k: str(SEVERAL[k][0]))


@cache
def made(case, levels=3):
    """(hierarchy, form, evidence) of one of these games."""
    game, prior = SEVERAL[case]
    found = solve_levels(game, levels, prior=prior)
    return (
        found,
        plain(forms.table(game).arrays()),
        plain(certificate.hierarchy_evidence(found, found.solution(levels, 0)).arrays),
    )


@cache
def truth(case):
    """{(level, player): (what its controller earns, what its best reply earns)}, found without the belief graph."""
    found, figures = made(case)[0], {}
    for solution in found.solutions:
        weights = found.weights(solution.level)
        others = {
            player: Mixture.of([(found.policy(k, player), w) for k, w in enumerate(weights) if w > 0])
            for player in found.players
            if player != solution.player
        }
        faced = forms.belief_mdp(forms.pomdp(found.table, solution.player, others))
        own = {solution.player: found.policy(solution.level, solution.player)}
        earned = evaluation.value(found.table, {**others, **own})[solution.player]
        figures[solution.level, solution.player] = earned, solve(BeliefDP(), faced, certified=False).value
    return figures


def holds(case, intervals):
    """Whether what is proven is true, but for what floats may have lost of the truth."""
    best = truth(case)
    return all(
        rung.proven[0] - 1e-9 <= best[rung.level, rung.player][0]
        and rung.proven[0] - 1e-9 <= best[rung.level, rung.player][1] <= rung.proven[1] + 1e-9
        for rung in intervals
    )


@pytest.mark.one_in(2)
@several
def test_every_level_of_several_players_is_certified(case):
    found, form, arrays = made(case)
    intervals = level_intervals(form, arrays)
    assert [(rung.level, rung.player) for rung in intervals] == [(s.level, s.player) for s in found.solutions]
    assert holds(case, intervals)
    for rung in intervals:
        assert rung.proven[1] - rung.proven[0] < 1e-9
        assert rung.claimed[0] <= rung.proven[0] <= rung.proven[1] <= rung.claimed[1]


def spoilt(arrays, rng):
    """The evidence with one of its arrays changed, dropped or taken from another level; not what it is about."""
    name = rng.choice(sorted(name for name in arrays if name[0] in "uw" and not name.endswith(("_claim", "_link"))))
    item = arrays[name]
    values = np.frombuffer(item.data, item.dtype).reshape(item.shape).copy()
    how = rng.randrange(4)
    if how == 0 and values.size:
        values.flat[rng.randrange(values.size)] += rng.choice([-3, -1, 1, 2])
    elif how == 1 and values.size:
        values = rng.choice([values * 0, -values, values[::-1], values[:-1]])
    elif how == 2:
        other = rng.choice(sorted(other for other in arrays if other.split("_")[-1] == name.split("_")[-1]))
        return {**arrays, name: arrays[other]}
    else:
        return {key: kept for key, kept in arrays.items() if key != name}
    return {**arrays, **plain({name: values})}


@pytest.mark.one_in(4)
@several
def test_spoilt_evidence_of_several_players_never_proves_what_is_not_so(case):
    _, form, arrays = made(case)
    rng, judged = random.Random(case), 0
    for _ in range(60):
        try:
            intervals = level_intervals(form, spoilt(arrays, rng))
        except checker.Refused:
            continue
        judged += 1
        assert holds(case, intervals)
    assert judged > 0


def test_a_combination_that_is_missing_is_named():
    _, form, arrays = made(0)
    pairs = np.frombuffer(arrays["pairs"].data, "<i8").reshape(-1, 3)
    words = " against ".join(f"kind {kind} of player {player}" for player, kind in enumerate(pairs[0]))
    with pytest.raises(checker.Refused, match=f"level 1 of player 0: 'pairs' lacks {words}"):
        level_intervals(form, {**arrays, **plain({"pairs": pairs[1:]})})
    with pytest.raises(checker.Refused, match="'pairs' has shape"):
        level_intervals(form, {**arrays, **plain({"pairs": pairs[:, :2].copy()})})


def test_a_level_replies_to_all_others():
    """Its link changes with the automaton of each other player, and not with its own."""
    _, _, arrays = made(0)
    links = Links(arrays)
    for owner in range(3):
        weights = np.frombuffer(arrays[f"b{owner}_0"].data, "<i8").reshape(-1, 2).copy()
        weights[:, 1] += 1
        other = Links({**arrays, **plain({f"b{owner}_0": weights})})
        assert [links.of(1, player) != other.of(1, player) for player in range(3)] == [p != owner for p in range(3)]


# --- many levels -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["previous", pytest.param("uniform", marks=pytest.mark.slow)])
def test_eighty_levels_are_certified_and_a_forged_one_is_refuted(prior):
    form = hierarchy(make("po-nim(n=3)"))
    found = solve(LevelK(levels=80, prior=prior), form)
    assert found.certified == "both"
    proof = found.certificate
    header, given = proof.header(), (plain(proof.form), plain(proof.evidence))
    report = checker.check(header, *given)
    assert report.refuted is None
    assert len(report.levels) == 160
    low, high = next((low, high) for level, player, low, high in report.levels if (level, player) == (70, 1))
    for claim, side in (([low + 1.0, high + 2.0], "lower"), ([low - 2.0, high - 1.0], "upper")):
        forged = {**given[1], **plain({"u70_1_claim": np.array(claim)})}
        assert checker.check(header, given[0], forged).refuted.startswith(f"level 70 of player 1's {side} bound")


def repeating():
    """Levels that soon believe what lower ones did."""
    game = make("po-nim(n=2)")
    found = solve_levels(game, 8, prior="previous")
    return found, plain(forms.table(game).arrays()), certificate.hierarchy_evidence(found, found.solution(8, 1)).arrays


def test_levels_that_believe_the_same_share_their_evidence():
    found, form, arrays = repeating()
    shared = {name: int(array[0]) for name, array in arrays.items() if name.endswith("_same")}
    assert shared
    for name, first in shared.items():
        level, player = map(int, name[1:].split("_")[:2])
        assert found.kinds[1 - player][level - 1] == found.kinds[1 - player][first - 1]
    for rung in level_intervals(form, plain(arrays)):
        assert rung.proven[0] - 1e-9 <= found.solution(rung.level, rung.player).value <= rung.proven[1]


@pytest.mark.slow
def test_evidence_that_is_shared_wrongly_proves_nothing_that_is_not_so():
    found, form, arrays = repeating()
    honest, tried = {(r.level, r.player): r.proven for r in level_intervals(form, plain(arrays))}, 0
    for level, player in [(s.level, s.player) for s in found.solutions if s.level > 1]:
        for first in range(1, level):
            forged = {**arrays, f"u{level}_{player}_same": np.array([first])}
            try:
                intervals = level_intervals(form, plain(forged))
            except checker.Refused:
                continue
            tried += 1
            assert all(rung.proven[1] >= honest[rung.level, rung.player][0] for rung in intervals)
        for wrong in (0, level, level + 1):
            with pytest.raises(checker.Refused, match=f"level {level} of player {player}: 'same' holds {wrong}"):
                level_intervals(form, plain({**arrays, f"u{level}_{player}_same": np.array([wrong])}))
    assert tried > 0


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ("MOST_WORK", "the proof of 3 levels has more rows than the 5 that are certified"),
        ("MOST_MATCHES", "in 3 levels more than the 5 combinations of levels that are certified meet"),
        ("MOST_ARRAYS", "the proof of 3 levels has more arrays than the 5 of a file"),
    ],
)
def test_what_is_too_large_to_prove_says_so(limit, why, monkeypatch):
    found = made(0)[0]
    monkeypatch.setattr(certificate, limit, 5)
    shown = certificate.hierarchy_evidence(found, found.solution(3, 0))
    assert dict(shown.arrays) == {}
    assert shown.details["uncertified"] == why


def test_matches_are_part_of_what_a_check_takes():
    found = made(0)[0]
    arrays = dict(certificate.hierarchy_evidence(found, found.solution(3, 0)).arrays)
    form = hierarchy(found.table)
    whole = seconds_to_check(collected(form, {}, 0, arrays))
    fewer = {name: array for name, array in arrays.items() if not name.startswith("w0_")}
    assert seconds_to_check(collected(form, {}, 0, fewer)) < whole
