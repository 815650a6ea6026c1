"""Profiles of controllers: known sums, exact values by elimination, wrong claims only widen."""

import random
from fractions import Fraction

import numpy as np
import pytest

from fogbound.verify import Refused
from fogbound.verify.chain import intervals
from tests.verify.made import plain, stored
from tests.verify.tables import claims, controllers, exact_values, random_game, table

OVER = ((), [], [])
ALONE = [({0: 0}, {(0, 7, 0): 0}, {(0, 7): 1.0})]  # one player, one node, one action labelled 7


def loop(discount, stay):
    """One player is paid 1 a step and goes on with probability `stay`; the start pays 3."""
    row = [(stay, 0, (1.0,), (0,)), (1 - stay, 1, (1.0,), (0,))]
    return table(1, discount, [(1.0, 0, (3.0,), (0,))], [((0,), [(7,)], [row]), OVER])


def test_discounted_sum():
    form, certificate = loop(0.5, 1.0), controllers(ALONE)
    assert intervals(form, {**certificate, **claims({(0, 0): [2.0]}, 1)}) == [(5, 5)]


def test_start_and_first_step_are_not_discounted():
    form, certificate = loop(0.0, 1.0), controllers(ALONE)
    assert intervals(form, {**certificate, **claims({(0, 0): [1.0]}, 1)}) == [(4, 4)]


def test_undiscounted_sum():
    form, certificate = loop(1.0, 0.75), controllers(ALONE)
    exact = claims({(0, 0): [4.0]}, 1, {(0, 0): 4.0})
    assert intervals(form, {**certificate, **exact}) == [(7, 7)]
    inflated = claims({(0, 0): [4.5]}, 1, {(0, 0): 400.0})
    ((low, high),) = intervals(form, {**certificate, **inflated})
    assert (low, high) == (7, 8)  # residual 1/8 times four steps, however the steps are scaled


@pytest.mark.parametrize("steps", [{}, {(0, 0): 0.5}, {(0, 0): -3.0}, {(0, 0): 1e300}])
def test_play_that_never_ends_is_refused(steps):
    certificate = {**controllers(ALONE), **claims({(0, 0): [4.0]}, 1, steps)}
    with pytest.raises(Refused, match="not certified to end"):
        intervals(loop(1.0, 1.0), certificate)


def test_over_at_once():
    form = table(1, 1.0, [(1.0, 0, (3.0,), (0,))], [OVER])
    assert intervals(form, {**controllers([({}, {}, {})]), **claims({}, 1)}) == [(3, 3)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_random_games(seed, discount):
    players = 1 + seed % 3
    start, states, each = random_game(seed, players)
    total, values, steps = exact_values(players, discount, start, states, each)
    form, certificate = table(players, discount, start, states), controllers(each)
    good = {x: [float(v) for v in value] for x, value in values.items()}
    waits = {x: float(w) for x, w in steps.items()}
    tight = intervals(form, {**certificate, **claims(good, players, waits)})
    for value, (low, high) in zip(total, tight):
        assert low <= value <= high
        assert high - low < 1e-11
    rng = random.Random(seed)
    for _ in range(20):
        bad = {x: [v + rng.choice([0.0, 0.1, -30.0]) for v in value] for x, value in good.items() if rng.random() < 0.8}
        slow = {x: w * rng.uniform(1.0, 1.02) for x, w in waits.items()}
        if discount == 1.0:
            bad = {x: bad.get(x, [0.0] * players) for x in good}
        try:
            found = intervals(form, {**certificate, **claims(bad, players, slow)})
        except Refused:  # the steps were spoilt so much that play is not certified to end
            continue
        assert all(low <= value <= high for value, (low, high) in zip(total, found))


def test_choices_are_repaired():
    row = [[(1.0, 1, (1.0,), (0,))], [(1.0, 1, (0.0,), (0,))]]
    form = table(1, 1.0, [(1.0, 0, (0.0,), (0,))], [((0,), [(4, 5)], row), OVER])
    told = claims({(0, 0): [0.0]}, 1, {(0, 0): 1.0})
    for weights, value in (((3.0, 1.0), 0.75), ((-1.0, -1.0), 0.5), ((0.0, 2e300), 0.0)):
        certificate = controllers([({0: 0}, {}, {(0, 4): weights[0], (0, 5): weights[1], (0, 9): 8.0})])
        ((low, high),) = intervals(form, {**certificate, **told})
        assert low <= value <= high
        assert high - low == 2 * value  # the claim, 0, is off by the value, over one step


def without(certificate, name, place):
    return {**certificate, name: stored(np.delete(plain(certificate[name]), place, 0))}


def test_missing_entries_that_are_reached_are_refused():
    certificate = {**controllers(ALONE), **claims({(0, 0): [2.0]}, 1)}
    with pytest.raises(Refused, match="player 0 has no arrow from node 0 after action 7 and observation 0"):
        intervals(loop(0.5, 1.0), without(certificate, "arrow_0", 0))
    with pytest.raises(Refused, match="player 0 has no first node for observation 0"):
        intervals(loop(0.5, 1.0), without(certificate, "begin_0", 0))
    uniform = without(without(certificate, "choice_0_key", 0), "choice_0_weight", 0)
    assert intervals(loop(0.5, 1.0), uniform) == [(5, 5)]


def test_missing_idle_arrow_is_named():
    row = [(1.0, 0, (0.0, 0.0), (0, 3))]
    form = table(2, 0.5, [(1.0, 0, (0.0, 0.0), (0, 3))], [((0,), [(7,)], [row])])
    certificate = controllers([*ALONE, ({3: 2}, {}, {})])
    with pytest.raises(Refused, match="player 1 has no arrow from node 2 after not acting and observation 3"):
        intervals(form, {**certificate, **claims({}, 2)})


def test_entries_that_are_not_reached_may_be_missing():
    form = loop(1.0, 0.0)
    certificate = {**controllers(ALONE), **claims({(0, 0): [1.0]}, 1, {(0, 0): 1.0})}
    assert intervals(form, without(certificate, "arrow_0", 0)) == [(4, 4)]


def test_one_question_answered_twice():
    certificate = {**controllers(ALONE), **claims({(0, 0): [2.0]}, 1)}
    for name in ("begin_0", "arrow_0", "point", "choice_0_key"):
        twice = {k: stored(np.repeat(plain(certificate[k]), 2, 0)) for k in certificate if k.startswith(name[:5])}
        twice |= {k: stored(np.repeat(plain(certificate[k]), 2, 0)) for k in ("value",) if name == "point"}
        with pytest.raises(Refused, match="twice"):
            intervals(loop(0.5, 1.0), {**certificate, **twice})


def test_too_many_points():
    counter = [({0: 0}, {(k, 7, 0): k + 1 for k in range(200)}, {})]
    certificate = {**controllers(counter), **claims({}, 1)}
    with pytest.raises(Refused, match="more than 100 points"):
        intervals(loop(0.5, 1.0), certificate, limit=100)


WRONG = [
    ("discount", [1.5], "discount 1.5"), ("discount", [-0.5], "discount"), ("players", [2], "'reward' has shape"),
    ("actor_set", [1, 2], "'actor_set' holds"), ("actor_set_players", [[-1], [1]], "'actor_set_players' holds"),
    ("actor_set_players", [[-1], [-1]], "line 0"), ("actor_set_players", [[0], [0]], "line 0"),
    ("legal", [[0], [0]], "1 lists of legal actions for 0 actors"),
    ("legal", [[-1], [-1]], "0 lists of legal actions for 1"),
    ("legal", [[1], [-1]], "'legal' holds"), ("legal_actions", [[-1]], "without actions"),
    ("legal_actions", [[7, 7]], "twice"), ("legal_actions", [[-1, 7]], "padded"),
    ("legal_actions", [[7, 8]], "expected 2"),
    ("row", [1, 3, 3], "number of rows"), ("row", [0, 2, 2], "'row' must"), ("row", [1, 1, 2], "state 0 has 0 rows"),
    ("out", [0, 1, 1], "without outcomes"), ("out", [0, 4, 3], "without outcomes"), ("out", [1, 2, 3], "from 0"),
    ("out", np.zeros(0, int), "'out' from 0"), ("out", [0, 1, 2], "'next' has shape"),
    ("next", [0, 0, -1], "'next' holds"), ("next", [0, 0, 2], "'next' holds"), ("event", [0, 1, 9], "'event' holds"),
    ("prob", [1.0, -0.5, 0.5], "negative"), ("prob", [1.0, 0.0, 0.0], "zeros"), ("reward", [[1.0]], "'event' holds"),
    ("seen", [[0.0], [0.0]], "dtype"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "why"), WRONG)
def test_wrong_tables_are_refused(name, values, why):
    form, certificate = loop(0.5, 0.5), {**controllers(ALONE), **claims({}, 1)}
    with pytest.raises(Refused, match=why):
        intervals({**form, name: stored(values)}, certificate)
    with pytest.raises(Refused, match=f"'{name}' is missing"):
        intervals({k: v for k, v in form.items() if k != name}, certificate)


def test_random_damage_is_refused_or_harmless():
    start, states, each = random_game(1, 2)
    total, values, steps = exact_values(2, 1.0, start, states, each)
    good = {x: [float(v) for v in value] for x, value in values.items()}
    form = table(2, 1.0, start, states)
    certificate = {**controllers(each), **claims(good, 2, {x: float(w) for x, w in steps.items()})}
    rng, refused = random.Random(2), 0
    for turn in range(600):
        arrays = dict(certificate if turn % 2 else form)
        name = rng.choice(list(arrays))
        cells = plain(arrays[name]).reshape(-1)
        cells[rng.randrange(cells.size)] = rng.choice([-2, -1, 0, 1, 3, 2**62])
        arrays[name] = stored(cells.reshape(arrays[name].shape))
        try:
            found = intervals(form, arrays) if turn % 2 else intervals(arrays, certificate)
        except Refused:
            refused += 1
            continue
        if turn % 2 and name in ("value", "steps", "point"):
            assert all(Fraction(low) <= v <= high for v, (low, high) in zip(total, found))
    assert 0 < refused < 600
