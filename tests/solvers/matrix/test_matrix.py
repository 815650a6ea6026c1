"""Games in matrix form: drawn, solved by Lemke–Howson and support enumeration, and thinned out by dominance."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fogbound import draw, evaluation, forms
from fogbound.cli.main import main
from fogbound.core import Dist, FormError, Game, LimitError, Outcome, SpecError
from fogbound.driver.protocol import Context, Until
from fogbound.evaluation.dominance import iterated_dominance, letters, pure_equilibria, strategy_names
from fogbound.forms.normal import count_strategies
from fogbound.games import make
from fogbound.solvers import make as make_solver
from fogbound.solvers.matrix import exact, lemke_howson
from fogbound.solvers.matrix.dominance import mixed_dominance
from fogbound.solvers.matrix.support_enumeration import meet, vertices
from fogbound.testing import check_solver, random_games
from tests.draw.made import checked, words_in
from tests.run import solve

some = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@dataclass(frozen=True)
class Bimatrix(Game[tuple, str]):
    """Both choose at once; `pay[row][column]` is what the two get."""

    pay: tuple
    rows: tuple
    columns: tuple
    players = ("row", "column")

    def start(self):
        return Dist.sure(Outcome(()))

    def actors(self, state):
        return () if state else (0, 1)

    def actions(self, state, player):
        return (self.rows, self.columns)[player]

    def step(self, state, joint):
        pay = self.pay[self.rows.index(joint[0])][self.columns.index(joint[1])]
        return Dist.sure(Outcome(joint, tuple(map(float, pay))))

    def __str__(self):
        return "bimatrix"


def bimatrix(mine, theirs, rows="ABCDEFGHIJKL", columns="abcdefghijkl"):
    pay = tuple(tuple(zip(*row)) for row in zip(mine, theirs))
    return forms.normal(Bimatrix(pay, tuple(rows[: len(pay)]), tuple(columns[: len(pay[0])])))


def zero_sum(mine):
    return bimatrix(mine, [[-v for v in row] for row in mine])


DILEMMA = bimatrix([[2, 0], [3, 1]], [[2, 3], [0, 1]], ("cooperate", "defect"), ("cooperate", "defect"))
SEXES = bimatrix([[3, 0], [0, 2]], [[2, 0], [0, 3]], ("opera", "football"), ("opera", "football"))
STAG = bimatrix([[4, 0], [3, 3]], [[4, 3], [0, 3]], ("stag", "hare"), ("stag", "hare"))
PENNIES = zero_sum([[1, -1], [-1, 1]])
THROWS = zero_sum([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
CLASSIC = {  # what each plays, by name: all equilibria
    "dilemma": (DILEMMA, [({"defect": 1}, {"defect": 1})]),
    "sexes": (
        SEXES,
        [
            ({"opera": 1}, {"opera": 1}),
            ({"football": 1}, {"football": 1}),
            ({"opera": 3 / 5, "football": 2 / 5}, {"opera": 2 / 5, "football": 3 / 5}),
        ],
    ),
    "stag": (
        STAG,
        [
            ({"stag": 1}, {"stag": 1}),
            ({"hare": 1}, {"hare": 1}),
            ({"stag": 3 / 4, "hare": 1 / 4}, {"stag": 3 / 4, "hare": 1 / 4}),
        ],
    ),
    "pennies": (PENNIES, [({"A": 1 / 2, "B": 1 / 2}, {"a": 1 / 2, "b": 1 / 2})]),
    "throws": (THROWS, [(dict.fromkeys("ABC", 1 / 3), dict.fromkeys("abc", 1 / 3))]),
    "von Stengel 2007, game (3.3)": (
        bimatrix([[3, 3], [2, 5], [0, 6]], [[3, 2], [2, 6], [3, 1]]),
        [
            ({"A": 1}, {"a": 1}),
            ({"A": 4 / 5, "B": 1 / 5}, {"a": 2 / 3, "b": 1 / 3}),
            ({"B": 1 / 3, "C": 2 / 3}, {"a": 1 / 3, "b": 2 / 3}),
        ],
    ),
    "the same made degenerate: A is safe while b is rare": (
        bimatrix([[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]]),
        [
            ({"A": 1}, {"a": 1}),
            ({"A": 1}, {"a": 2 / 3, "b": 1 / 3}),
            ({"B": 1 / 3, "C": 2 / 3}, {"a": 1 / 3, "b": 2 / 3}),
        ],
    ),
    "3 x 3 coordination": (
        bimatrix(np.diag([1, 2, 4]), np.diag([1, 2, 4])),
        [
            *(({up: 1}, {up.lower(): 1}) for up in "ABC"),
            ({"A": 2 / 3, "B": 1 / 3}, {"a": 2 / 3, "b": 1 / 3}),
            ({"A": 4 / 5, "C": 1 / 5}, {"a": 4 / 5, "c": 1 / 5}),
            ({"B": 2 / 3, "C": 1 / 3}, {"b": 2 / 3, "c": 1 / 3}),
            ({"A": 4 / 7, "B": 2 / 7, "C": 1 / 7}, {"a": 4 / 7, "b": 2 / 7, "c": 1 / 7}),
        ],
    ),
    "nothing matters": (
        bimatrix([[1, 1], [1, 1]], [[2, 2], [2, 2]]),
        [({up: 1}, {low: 1}) for up in "AB" for low in "ab"],
    ),
}


def equilibria(form, spec="support-enumeration"):
    found = solve(make_solver(spec), form, certified=False)
    assert found.details["equilibria"] == len(found.details["list"])
    assert found.details["complete"]
    return found.details["list"]


def same(one, other):
    """Two pairs of mixed strategies by name are one."""
    return all(set(a) == set(b) and all(math.isclose(a[k], b[k], abs_tol=1e-9) for k in a) for a, b in zip(one, other))


def regret(form, profile):
    played = evaluation.behaviours(form.sequence, profile)
    return evaluation.exploitability(form.sequence, played).nash_conv


def listed(form, profile):
    """A profile on the tree of a bimatrix as mixed strategies by name."""
    told = []
    for i, strategies in enumerate(strategy_names(form).strategies):
        chances = evaluation.behaviours(form.sequence, profile)[i] @ form.weights[i].T - 1.0
        told.append({name: p for name, p in zip(strategies, chances.tolist()) if p > 1e-12})
    return told


# --- solving


@pytest.mark.parametrize("name", CLASSIC)
def test_all_equilibria_of_classic_games(name):
    form, known = CLASSIC[name]
    found = [one["strategies"] for one in equilibria(form)]
    assert len(found) == len(known)
    assert all(any(same(one, other) for other in found) for one in known)


@pytest.mark.parametrize("name", CLASSIC)
def test_lemke_howson_on_classic_games(name):
    form, known = CLASSIC[name]
    for label in range(sum(form.payoff.shape[:2])):
        found = solve(make_solver(f"lemke-howson(label={label})"), form)
        assert regret(form, found.profile) < 1e-12
        if found.iterations > 1:  # uniform play was no equilibrium already
            assert any(same(listed(form, found.profile), other) for other in known)


def test_payoffs_are_reported():
    assert [one["payoffs"] for one in equilibria(SEXES)] == [[3, 2], [2, 3], pytest.approx([6 / 5, 6 / 5])]


def test_equal_supports_are_enough_where_nothing_ties():
    for name in ("sexes", "von Stengel 2007, game (3.3)", "3 x 3 coordination"):
        assert equilibria(CLASSIC[name][0], "support-enumeration(equal_size=true)") == equilibria(CLASSIC[name][0])


def test_a_game_whose_only_equilibria_have_unequal_supports():
    """The rows are alike, so the column player's indifference needs both of them against one column."""
    form = bimatrix([[1, 0, 0], [1, 0, 0]], [[2, 3, 0], [2, 0, 3]])
    found = [one["strategies"] for one in equilibria(form)]
    assert any(same(one, ({"A": 2 / 3, "B": 1 / 3}, {"a": 1})) for one in found)
    assert len(equilibria(form, "support-enumeration(equal_size=true)")) < len(found)


def test_enough_is_enough_and_the_rest_is_not_claimed():
    form, _ = CLASSIC["3 x 3 coordination"]
    found = solve(make_solver("support-enumeration(most=2)"), form)
    assert found.details["equilibria"] == 2
    assert not found.details["complete"]
    assert solve(make_solver("support-enumeration"), form, Until(gap=1e-9)).details["complete"]  # all, however good
    first = solve(make_solver("support-enumeration(most=1)"), form)
    assert first.details["equilibria"] == 1
    assert first.gap < 1e-9
    assert solve(make_solver("support-enumeration"), form, Until(iterations=10)).stopped == "iterations"


def test_a_stopped_search_says_what_it_has():
    form, _ = CLASSIC["3 x 3 coordination"]
    context = Context(np.random.default_rng(0), stopping=lambda: True)
    *_, last = make_solver("support-enumeration").run(form, context)
    assert 0 < last.details["looked"] < last.details["supports"]
    *_, last = make_solver("lemke-howson").run(SEXES, context)
    assert last.distance > 0


payoffs = st.integers(1, 5).flatmap(
    lambda m: st.integers(1, 5).flatmap(
        lambda n: st.tuples(
            st.sampled_from(["real", "tied", "thirds"]), st.integers(0, 2**32 - 1), st.just(m), st.just(n)
        )
    )
)


def drawn(kind, seed, m, n):
    rng = np.random.default_rng(seed)
    pay = rng.standard_normal((m, n, 2)) if kind == "real" else rng.integers(-2, 3, (m, n, 2)).astype(float)
    pay = pay / 3 if kind == "thirds" else pay
    return bimatrix(pay[..., 0], pay[..., 1])


@pytest.mark.slow
@settings(some, max_examples=60)
@given(payoffs)
def test_random_bimatrix_games(drawing):
    """Every answer is an equilibrium; paths end at corners, so enumeration must know them, ties or not."""
    form = drawn(*drawing)
    found = equilibria(form, "support-enumeration(most=1000)")
    assert found
    for one in found:
        mixed = [
            np.array([told.get(name, 0.0) for name in part]) for told, part in zip(one["strategies"], names_of(form))
        ]
        x, y = mixed
        worth = [x @ form.payoff[..., i] @ y for i in (0, 1)]
        assert (form.payoff[..., 0] @ y).max() <= worth[0] + 1e-9
        assert (x @ form.payoff[..., 1]).max() <= worth[1] + 1e-9
        assert np.allclose(worth, one["payoffs"])
    assert set(pure_equilibria(form)) <= {supports(form, one) for one in found}
    if drawing[0] == "real":
        assert len(found) % 2 == 1  # Wilson 1971
        assert found == equilibria(form, "support-enumeration(equal_size=true)")
    for label in range(sum(form.payoff.shape[:2])):
        pair = lemke_howson.polytopes(form.payoff)
        assert lemke_howson.follow_path(pair, label, lambda: False) > 0
        mixed = [tableau.mixed() for tableau in pair]
        told = [{n: p for n, p in zip(part, m.tolist()) if p > 0} for part, m in zip(names_of(form), mixed)]
        assert any(same(told, one["strategies"]) for one in found)


def oracle(pay):
    """The corners of {(y, u): pay y <= u, y >= 0, sum y = 1} by brute force over active inequalities."""
    n = pay.shape[1]
    sides = [[*row, -1] for row in pay.tolist()] + [[-int(j == k) for k in range(n)] + [0] for j in range(n)]
    found = set()
    for active in combinations(sides, n):
        system = np.array([*active, [1] * n + [0]], object)
        solved = exact.solve_exactly(system, np.array([0] * n + [1], object))
        if solved and all(sum(c * v for c, v in zip(side, solved)) <= 0 for side in sides):
            found.add(tuple(solved[:n]))
    return found


@pytest.mark.slow
@settings(some, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 3), st.integers(2, 5))
def test_degenerate_games_keep_no_secret(seed, m, n, most):
    """All corners of the sets of equilibria, from an enumeration that knows nothing of supports."""
    pay = np.random.default_rng(seed).integers(0, most, (m, n, 2))
    known = set()
    for x in oracle(pay[..., 1].T):
        for y in oracle(pay[..., 0]):
            mine, theirs = pay[..., 0] @ np.array(y, object), np.array(x, object) @ pay[..., 1]
            if best_replies(x, mine) and best_replies(y, theirs):
                known.add((tuple(map(float, x)), tuple(map(float, y))))
    form = bimatrix(pay[..., 0], pay[..., 1])
    found = equilibria(form, "support-enumeration(most=10000)")
    assert len(found) == len(known)
    for one in found:
        pair = zip(one["strategies"], names_of(form))
        assert tuple(tuple(told.get(name, 0.0) for name in part) for told, part in pair) in known


def best_replies(played, gains):
    return all(p == 0 or gain == max(gains) for p, gain in zip(played, gains))


def names_of(form):
    return strategy_names(form).strategies


def supports(form, one):
    """The cell of a pure equilibrium; None for a mixed one."""
    pure = all(len(told) == 1 for told in one["strategies"])
    return tuple(part.index(*told) for part, told in zip(names_of(form), one["strategies"])) if pure else None


@some
@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(2, 30), st.booleans())
def test_float_pivots_find_equilibria_too(seed, m, n, tied):
    rng = np.random.default_rng(seed)
    pay = rng.integers(0, 4, (m, n, 2)).astype(float) if tied else rng.random((m, n, 2)) * 1e3
    before, lemke_howson.MOST_EXACT = lemke_howson.MOST_EXACT, 0
    try:
        pair = lemke_howson.polytopes(pay)
        assert not pair[0].exact
        assert lemke_howson.follow_path(pair, seed % (m + n), lambda: False) > 0
    finally:
        lemke_howson.MOST_EXACT = before
    x, y = (tableau.mixed() for tableau in pair)
    assert (pay[..., 0] @ y).max() - x @ pay[..., 0] @ y < 1e-9 * 1e3
    assert (x @ pay[..., 1]).max() - x @ pay[..., 1] @ y < 1e-9 * 1e3


def test_a_larger_game_is_solved_in_floats():
    pay = np.random.default_rng(5).random((40, 40, 2)).round(3)
    labels = [f"s{k}" for k in range(40)]
    found = solve(make_solver("lemke-howson(label=3)"), bimatrix(pay[..., 0], pay[..., 1], labels, labels))
    assert found.details["arithmetic"] == "float"
    assert found.gap < 1e-9


@pytest.mark.slow
@some
@given(random_games(zero_sum=True, most_nodes=200))
def test_zero_sum_values_are_the_linear_programs(game):
    form = small(game)
    value = solve(make_solver("matrix-lp"), form).value
    for spec in ("lemke-howson", "support-enumeration(most=1)"):
        try:
            found = check_solver(make_solver(spec), form)
        except LimitError:
            continue
        assert math.isclose(found.value, value, abs_tol=1e-9)
        assert found.gap < 1e-9
        assert found.certified == "both"


@pytest.mark.slow
@settings(some, max_examples=60)
@given(random_games(most_nodes=300).filter(lambda game: game.seats == 2))
def test_random_trees_that_are_not_zero_sum(game):
    form = small(game)
    found = solve(make_solver("lemke-howson"), form)
    assert regret(form, found.profile) < 1e-9
    assert found.value == pytest.approx(evaluation.value(game, found.profile)[0], abs=1e-9)
    try:
        many = solve(make_solver("support-enumeration(most=5)"), form)
    except LimitError:
        return
    assert many.details["equilibria"] > 0
    assert regret(form, many.profile) < 1e-9


def small(game):
    form = forms.sequence(game)
    assume(all(count_strategies(plex) <= 40 for plex in form.plexes))
    return forms.normal(form)


@pytest.mark.parametrize("spec", ["lemke-howson(label=2)", "support-enumeration"])
def test_the_same_again(spec):
    form = forms.normal(make("king-ace"))
    one, other = solve(make_solver(spec), form, seed=1), solve(make_solver(spec), form, seed=2)
    assert (one.value, one.details) == (other.value, other.details)
    for i in (0, 1):
        assert np.array_equal(one.profile[i].behaviour, other.profile[i].behaviour)


def test_king_ace():
    """The note on the slides: (kk or rk) against cf."""
    found = [one["strategies"] for one in equilibria(forms.normal(make("king-ace")))]
    assert found == [[{"rk": 1.0}, {"cf": 1.0}], [{"kk": 1.0}, {"cf": 1.0}]]


@pytest.mark.parametrize(
    ("solver", "form", "error", "message"),
    [
        ("lemke-howson(label=-1)", None, SpecError, "0 or more"),
        ("lemke-howson(label=8)", "king-ace", FormError, "expected 0 to 7"),
        ("lemke-howson", "random(seats=3, depth=1)", FormError, "3 players, expected 2"),
        ("support-enumeration(most=0)", None, SpecError, "at least 1"),
        ("support-enumeration(starts=0)", None, SpecError, "at least 1"),
        ("support-enumeration", "matrix-game(payoffs=[[[1], [2]]])", SpecError, "payoffs need"),
        ("support-enumeration", "card-poker(ranks=3)", LimitError, "pairs of supports"),
    ],
)
def test_refusals(solver, form, error, message):
    with pytest.raises(error, match=message):
        solve(make_solver(solver), forms.normal(make(form)))


def test_exact_arithmetic():
    thirds = np.array([[1 / 6 + 1 / 6, -1 / 3], [7 / 6, 0.1 + 0.2 - 0.3]])
    assert exact.integers(thirds).tolist() == [[2, -2], [7, 0]]
    tiny = np.array([[1e12, 1.0], [2.0, 3.0]])  # small beside a penalty, but no rounding
    assert exact.integers(tiny).tolist() == (tiny.astype(int) * int(exact.integers(tiny)[0, 1])).tolist()
    odd = exact.integers(np.array([[math.pi, 1 / 3], [-math.e, 1e-3]]))
    assert Fraction(odd[0, 0], odd[1, 0]) == Fraction(math.pi) / Fraction(-math.e)
    matrix = np.array([[0, 2, 1], [1, 0, 3], [2, 1, 0]], object)
    solved = exact.solve_exactly(matrix, np.array([4, 5, 6], object))
    assert (matrix @ np.array(solved, object)).tolist() == [4, 5, 6]
    assert exact.solve_exactly(np.array([[1, 2], [2, 4]], object), np.array([1, 2], object)) is None


# --- dominance


def test_the_dilemma_dissolves():
    left = iterated_dominance(DILEMMA)
    assert [[(r.player, r.label, r.by) for r in part] for part in left.rounds] == [
        [(0, "cooperate", "defect"), (1, "cooperate", "defect")]
    ]
    assert left.kept == ((1,), (1,))
    assert left.payoff.tolist() == [[[1, 1]]]


def test_what_only_a_mixture_dominates():
    form = bimatrix([[4, 0], [0, 4], [1, 1]], [[1, 0], [0, 1], [0, 2]])
    assert iterated_dominance(form).rounds == ()
    left = mixed_dominance(form)
    assert left.rounds[0][0].label == "C"
    assert left.rounds[0][0].by == "1/2 A + 1/2 B"
    assert left.kept[0] == (0, 1)


def test_weakly_dominated():
    form = bimatrix([[1, 1], [1, 0]], [[1, 1], [1, 0]])
    assert iterated_dominance(form).rounds == ()
    assert mixed_dominance(form).rounds == ()
    assert iterated_dominance(form, strict=False).kept == ((0,), (0,))
    # C is weakly dominated by the half-and-half mixture only
    form = bimatrix([[2, 0, 1], [0, 2, 1], [1, 1, 0]], [[0, 0, 0]] * 3)
    assert iterated_dominance(form, strict=False).rounds == ()
    assert mixed_dominance(form).rounds == ()
    assert [r.by for r in mixed_dominance(form, strict=False).rounds[0]] == ["1/2 A + 1/2 B"]


def test_rounds_follow_each_other():
    """A guessing game: whoever names the higher number loses a point to the other, so all go down."""
    mine = [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]
    left = iterated_dominance(zero_sum(mine), strict=False)
    assert left.kept == ((0,), (0,))
    assert (1, 2) in left.removed
    assert left.removed[1, 2][0] == 1


@pytest.mark.slow
@settings(some, max_examples=60)
@given(payoffs)
def test_strict_dominance_loses_no_equilibrium(drawing):
    form = drawn(*drawing)
    found = list(vertices(form.payoff, equal_size=False))
    first, second = ([c for block in found for c in block[who]] for who in (1, 2))
    pairs = [(x, y) for x in first for y in second if meet(x, y, False)]
    assert pairs
    pure, mixed = iterated_dominance(form), mixed_dominance(form)
    for i in (0, 1):
        assert set(mixed.kept[i]) <= set(pure.kept[i])
        bits = sum(1 << k for k in mixed.kept[i])
        assert all(not pair[i].support & ~bits for pair in pairs)
    assert np.array_equal(mixed.payoff, form.payoff[np.ix_(*mixed.kept)])
    weak = mixed_dominance(form, strict=False)
    assert all(set(w) <= set(s) and w for w, s in zip(weak.kept, mixed.kept))
    assert any(all(not pair[i].support & ~sum(1 << k for k in weak.kept[i]) for i in (0, 1)) for pair in pairs)


def test_dominance_for_three_players():
    left = iterated_dominance(forms.normal(make("random(seats=3, depth=1, seed=4)")))
    assert left.payoff.shape == (*map(len, left.kept), 3)


# --- names and drawings


def test_names_are_the_slides():
    told = strategy_names(forms.normal(make("king-ace")))
    assert told.strategies == (("rr", "rk", "kr", "kk"), ("cc", "cf", "fc", "ff"))
    assert told.letters[0]["check"] == "k"


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (("rock", "paper", "scissors"), "rps"),
        (("check", "bet", "fold", "call"), "kbfc"),
        (("bid 1", "bid 2", "bid 3"), "123"),
        (("1 of yours", "2 of yours"), "12"),
        (("a", "b"), "ab"),
        ((1, 2, 3), "123"),
        (("stay",), "s"),
        ((8, 9, 10), None),
        (("<", ">"), None),
        (("aa", "a", "aaa"), None),
    ],
)
def test_letters(moves, expected):
    found = letters(moves)
    assert found == (None if expected is None else dict(zip(moves, expected)))


@pytest.mark.parametrize("spec", ["king-ace", "card-poker(ranks=3)", "goofspiel(cards=3)", "liars-dice(sides=2)"])
def test_names_tell_strategies_apart(spec):
    form = forms.normal(make(spec))
    for part, weights in zip(strategy_names(form).strategies, form.weights):
        assert len(part) == len(set(part)) == len(weights)


def test_the_slides_table_is_drawn():
    form = forms.normal(make("king-ace"))
    said = words_in(checked(draw.matrix(form)))
    assert {"rr", "kr", "rk", "kk", "cc", "cf", "ff", "fc"} <= set(said)
    for entry in ("−1/6", "7/6", "−1/3", "5/6", "2/3", "1/3", "1/6", "1/2"):
        assert entry in said
    assert "saddle points" in said
    assert "letters: r raise, k check, c call, f fold" in said
    lines = draw.matrix(form).text.splitlines()
    assert lines[3].split() == ["first", "cc", "cf", "fc", "ff"]
    assert lines[4].split() == ["rr", "0", "−1/6", "7/6", "1"]
    assert lines[5].split() == ["rk", "1/3", "0*", "1/2", "1/6"]


def test_both_payoffs_of_a_general_sum_game_are_drawn():
    said = words_in(checked(draw.matrix(SEXES)))
    assert {"3,", "2", "pure equilibria", "opera", "football"} <= set(said)
    assert "3, 2*" in draw.matrix(SEXES).text
    assert "what row gets, then what column gets" in draw.matrix(SEXES).text


def test_dominated_strategies_are_hatched():
    plain, hatched = draw.matrix(DILEMMA), draw.matrix(DILEMMA, dominated=iterated_dominance(DILEMMA))
    assert "cooperate is dominated by defect, round 1" in hatched.svg
    assert "strictly dominated" in words_in(checked(hatched))
    assert hatched.svg.count("<path") == plain.svg.count("<path") + 4  # three cells and the key


def test_constant_sums_say_who_gets_the_rest():
    form = forms.normal(make("rock-paper-scissors"))
    assert "second gets the rest of 1" in draw.matrix(form).text
    assert pure_equilibria(form) == []
    assert "saddle" not in draw.matrix(form).svg


def test_large_and_numbered_tables():
    game = make("card-poker(ranks=3)")
    picture = draw.matrix(forms.normal(game), describe=game.describe, most=10)
    assert "… 17 more rows and 54 more columns" in words_in(checked(picture))
    long = ("<first of them", ">second of them", "&third of them")  # too long for a name, and no letters to begin with
    form = bimatrix([[1.23456, 1e6, 12.34]], [[0, 1, 2]], ("(",), long)
    said = words_in(checked(draw.matrix(form)))
    assert {"1.235,", "1000000,", "12.34,", "column 1: at the start: <first of them", "–"} <= set(said)
    assert "column 2: at the start: >second of them" in draw.matrix(form).text


def test_three_players_have_no_table():
    with pytest.raises(FormError, match="3 players, expected 2"):
        draw.matrix(forms.normal(make("random(seats=3, depth=1)")))


def test_show_and_solve_on_the_command_line(tmp_path, capsys):
    assert main(["show", "king-ace", "--view", "matrix"]) == 0
    assert "7/6" in capsys.readouterr().out
    assert main(["show", "king-ace", "--view", "matrix", "-o", str(tmp_path / "x.svg")]) == 0
    assert "7/6" in (tmp_path / "x.svg").read_text()
    saved = str(tmp_path / "s.npz")
    capsys.readouterr()
    assert main(["solve", "king-ace", "--with", "support-enumeration", "--json", "-o", saved]) == 0
    assert json.loads(capsys.readouterr().out)["details"]["equilibria"] == 2
    assert main(["verify", "king-ace", saved]) == 0
    assert main(["show", saved, "--view", "matrix"]) == 0
    assert main(["show", "king-ace", "--view", "matrix", "-o", "x.gif"]) == 2
