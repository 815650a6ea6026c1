"""Extreme equilibria, maximal Nash subsets, components and indices against an independent enumeration."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import LimitError
from fogbound.solvers.all_equilibria import vertices
from tests.shared import MODELS
from tests.solvers.all_equilibria import brute

GAMBIT = MODELS / "gambit"
LONG = {"8x8.nfg"}  # the independent enumeration takes seconds
FILES = [
    pytest.param(path, marks=pytest.mark.slow, id=path.name) if path.name in LONG else pytest.param(path, id=path.name)
    for path in sorted(GAMBIT.glob("*.nfg"))
]


@cache
def degenerate_games():
    """60 random bimatrix games with ties, 2 x 2 to 4 x 4, in some of which players have unequally many strategies."""
    rng, found = random.Random(2010), []
    while len(found) < 60:
        rows, columns = rng.randint(2, 4), rng.randint(2, 4)
        first, second = ([[rng.randint(0, 2) for _ in range(columns)] for _ in range(rows)] for _ in (0, 1))
        if brute.degenerate(first, second):
            found.append((first, second))
    return found


def as_pairs(answer):
    """The equilibria of an answer as pairs of mixed strategies."""
    listed = []
    for one in answer:
        mixed = [
            tuple(own.get(name, Fraction(0)) for name in names) for own, names in zip(one.strategies, answer.strategies)
        ]
        listed.append(tuple(mixed))
    return listed


def compare(first, second, answer):
    """All that an answer says of a bimatrix equals what the test finds itself."""
    expected, listed = brute.extreme(first, second), as_pairs(answer)
    assert answer.complete
    assert len(listed) == len(expected)
    assert set(listed) == expected
    for pair, one in zip(listed, answer):
        assert one.payoffs == brute.payoffs(first, second, *pair)
        assert one.regret == 0
    subsets = {frozenset(listed[k - 1] for k in part) for group in answer.components for part in group.subsets}
    assert subsets == brute.nash_subsets(expected)
    groups = [frozenset(listed[k - 1] for k in group.equilibria) for group in answer.components]
    assert len(groups) == len(brute.components(expected))
    assert set(groups) == brute.components(expected)
    indices = [group.index for group in answer.components]
    assert None in indices or sum(indices) == 1
    for one in answer:
        assert one.index == 1 or not one.has("strict")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("number", range(60))
def test_random_degenerate_games(number):
    first, second = degenerate_games()[number]
    compare(first, second, fb.equilibria(fb.matrix_game(first, second)))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("number", range(10))
def test_random_games_without_ties_have_indices_that_sum_to_one(number):
    rng = random.Random(number)
    rows, columns = rng.randint(2, 4), rng.randint(2, 4)
    first, second = ([[rng.randint(-50, 50) for _ in range(columns)] for _ in range(rows)] for _ in (0, 1))
    answer = fb.equilibria(fb.matrix_game(first, second))
    compare(first, second, answer)
    if not brute.degenerate(first, second):
        assert sum(one.index for one in answer) == 1
        assert len(answer) % 2 == 1
        assert all(one.has("proper") for one in answer)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("path", FILES or [None])
def test_files_of_gambit(path):
    if path is None:
        pytest.skip(f"no files of Gambit's at {GAMBIT}")
    game = fb.game(path)
    if len(game.players) != 2:
        pytest.skip(f"{path.name}: {len(game.players)} players")
    compare(*matrices(path), fb.equilibria(game))


def matrices(path):
    """The payoffs in a file, read from its text's own fractions."""
    from fogbound.files.gambit.nfg import read_nfg

    table = read_nfg(path)
    rows, columns = (len(names) for names in table.strategies)
    paid = [[[Fraction(v) for v in table.payoffs[i + rows * j]] for j in range(columns)] for i in range(rows)]
    return tuple([[cell[k] for cell in row] for row in paid] for k in (0, 1))


def test_what_is_known_of_textbook_games():
    hunt = fb.equilibria("matrix-game(matrix=stag-hunt)")
    assert [one.payoffs for one in hunt] == [(4, 4), (3, 3), (3, 3)]
    assert [one.index for one in hunt] == [1, 1, -1]
    assert [one.has("risk-dominant") for one in hunt] == [False, True, False]
    assert [one.has("Pareto-efficient among all outcomes") for one in hunt] == [True, False, False]
    dilemma = fb.equilibria("matrix-game(matrix=prisoners-dilemma)")
    assert dilemma[0].proven == (
        "pure",
        "strict",
        "Pareto-efficient among the equilibria",
        "undominated",
        "trembling-hand perfect",
        "proper",
    )
    assert "risk-dominant" not in dilemma[0].labels


def test_a_continuum_is_one_component_with_two_maximal_subsets():
    """Avis et al. 2010, section 2: an L-shaped component is the union of two segments."""
    answer = fb.equilibria(([[1, 1], [1, 0]], [[1, 1], [1, 0]]))
    assert len(answer.components) == 1
    assert sorted(answer.components[0].subsets) == [(1, 2), (1, 3)]
    assert answer.components[0].index == 1


def test_fractions_stay_exact():
    answer = fb.equilibria((np.array([["1/3", "0"], ["0", "1/7"]]), np.array([[0.1, 0], [0, 0.2]])))
    mixed = next(one for one in answer if not one.has("pure"))
    assert list(mixed.strategies[1].values()) == [Fraction(3, 10), Fraction(7, 10)]
    assert list(mixed.strategies[0].values()) == [Fraction(2, 3), Fraction(1, 3)]


def test_too_many_vertices_are_refused(monkeypatch):
    monkeypatch.setattr(vertices, "MOST_RAYS", 20)
    rng = np.random.default_rng(1)
    with pytest.raises(LimitError, match="over 20 vertices of best-reply polyhedra, 7 x 7"):
        fb.equilibria((rng.integers(0, 99, (7, 7)), rng.integers(0, 99, (7, 7))))
