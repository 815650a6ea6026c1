"""Trees: exact best replies, intervals that hold the value whatever the certificate, malformed forms refused."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from fogbound.verify import Refused
from fogbound.verify import tree as reach
from fogbound.verify.arithmetic import row
from fogbound.verify.tree import guarantees, play, read_tree, replies
from tests.verify.made import kuhn, kuhn_equilibrium, matrix, plain, random_tree, stored, tree, widths

KUHN, NAMES = kuhn()


def zero_sum(form, strategy):
    """Bounds on player 0's value of a tree for two: what each strategy guarantees."""
    return guarantees(play(read_tree(form), strategy), 0)


def profile(form, strategy):
    """For each player: the value of the repaired profile, and of a best reply to it."""
    return replies(play(read_tree(form), strategy))


def two_rows(pays):
    """The value of a matrix game with two rows: the best of all crossings of the columns' lines."""
    lines = [(Fraction(a), Fraction(b)) for a, b in zip(*pays)]
    spots = {Fraction(0), Fraction(1)}
    for (a, b), (c, d) in itertools.combinations(lines, 2):
        if a - b != c - d:
            spots.add((d - b) / (a - b - c + d))
    return max(min(p * a + (1 - p) * b for a, b in lines) for p in spots if 0 <= p <= 1)


def test_matching_pennies():
    form = matrix([[1.0, -1.0], [-1.0, 1.0]])
    assert zero_sum(form, stored([1.0, 1.0, 1.0, 1.0])) == (0, 0)
    assert zero_sum(form, stored([1.0, 0.0, 1.0, 1.0])) == (-1, 0)
    assert profile(form, stored([1.0, 0.0, 3.0, 1.0])) == [(Fraction(1, 2), Fraction(1, 2)), (Fraction(-1, 2), 1)]


def test_kuhn_is_exactly_minus_one_eighteenth():
    assert zero_sum(KUHN, kuhn_equilibrium(NAMES)) == (Fraction(-1, 18), Fraction(-1, 18))


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 7), Fraction(1, 4)])
def test_kuhn_other_equilibria(alpha):
    low, high = zero_sum(KUHN, kuhn_equilibrium(NAMES, alpha))
    assert low <= Fraction(-1, 18) <= high
    assert high - low < Fraction(1, 10**11)


def test_kuhn_uniform_replies():
    (value, best), (other, reply) = profile(KUHN, stored([1.0] * 24))
    assert (value, best, other, reply) == (Fraction(1, 8), Fraction(1, 2), Fraction(-1, 8), Fraction(5, 12))


def garbage(rng, count):
    pick = [
        lambda: 0.0, lambda: -rng.random(), lambda: rng.random(), lambda: 10.0 ** rng.randint(-300, 300),
        lambda: 5e-324, lambda: -1.7e308, lambda: 1.7e308, lambda: float(rng.randint(0, 3)),
    ]  # fmt: skip
    kinds = rng.choice([pick, pick[:2], pick[2:3], pick[3:4], pick[:1] + pick[-1:]])
    return stored(np.array([rng.choice(kinds)() for _ in range(count)], float))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("game", range(10))
def test_garbage_never_gives_a_wrong_interval(game):
    rng = random.Random(game)
    if game == 0:
        form, value = KUHN, Fraction(-1, 18)
    elif game == 1:
        form, value = matrix([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]), 0
    else:
        pays = [[rng.uniform(-5, 5) for _ in range(game)] for _ in range(2)]
        form, value = matrix(pays), two_rows(pays)
    checked = read_tree(form)
    for _ in range(1000):
        low, high = guarantees(play(checked, garbage(rng, checked.start[checked.sets])), 0)
        assert low <= value <= high


def by_hand(form, rows, seat=None, pure=None):
    """Expected pay of every seat by walking the tree in fractions; `seat` plays `pure` instead."""
    player, parent, infoset = (plain(form[k]).tolist() for k in ("player", "parent", "infoset"))
    pay, prob = plain(form["payoff"]).tolist(), plain(form["prob"]).tolist()
    below = {v: [u for u, p in enumerate(parent) if p == v] for v in range(len(parent))}

    def walk(v):
        if player[v] == -2:
            return [Fraction(x) for x in pay[v]]
        parts = [walk(u) for u in below[v]]
        if player[v] == -1:
            odds = row([prob[u] for u in below[v]])
        elif player[v] == seat:
            return parts[pure[infoset[v]]]
        else:
            odds = rows[infoset[v]]
        return [sum(p * part[i] for p, part in zip(odds, parts)) for i in range(len(pay[0]))]

    return walk(0)


def pure_replies(form, seat):
    player, infoset = plain(form["player"]), plain(form["infoset"])
    mine = sorted({int(h) for h, who in zip(infoset, player) if who == seat})
    moves = widths(form)
    for picks in itertools.product(*(range(moves[h]) for h in mine)):
        yield dict(zip(mine, picks))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("exact", [True, False])
def test_replies_equal_brute_force(seed, exact, monkeypatch):
    if not exact:
        monkeypatch.setattr(reach, "EXACT_BITS", -1)
    players = 1 + seed % 3
    form = random_tree(seed, players, dyadic=seed % 2 == 0)
    rng = random.Random(seed)
    weights = [[rng.choice([0.0, 1.0, 0.3, 2.0, -1.0]) for _ in range(k)] for k in widths(form)]
    rows = [row(w) for w in weights]
    flat = stored(np.array([x for w in weights for x in w], float))
    values = by_hand(form, rows)
    for seat, (value, best) in enumerate(profile(form, flat)):
        replies = list(itertools.islice(pure_replies(form, seat), 400))
        found = max(by_hand(form, rows, seat, pure)[seat] for pure in replies)
        if len(replies) == 400:
            assert best >= found
        elif exact:
            assert (value, best) == (values[seat], found)
        else:
            assert values[seat] - Fraction(1, 2**230) < value <= values[seat]
            assert found <= best < found + Fraction(1, 2**230)


def test_long_denominators_are_rounded_outward():
    rng = random.Random(5)
    form = matrix([[rng.uniform(-1, 1) for _ in range(3)] for _ in range(2)])
    checked, strategy = read_tree(form), stored([rng.random() for _ in range(5)])
    exact = guarantees(play(checked, strategy), 0)
    fixed_low, fixed_high = guarantees_fixed(checked, strategy)
    assert fixed_low <= exact[0] <= exact[1] <= fixed_high
    assert fixed_high - fixed_low - (exact[1] - exact[0]) < Fraction(1, 2**240)


def guarantees_fixed(checked, strategy):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reach, "EXACT_BITS", -1)
        return guarantees(play(checked, strategy), 0)


def test_a_very_deep_tree_is_no_burden():
    depth, rng = 5000, random.Random(1)

    def expand(state):
        if state == "out" or state == depth:
            return "end", [float(state == depth), -float(state == depth)]
        return state % 2, state, [state + 1, "out"]

    form, _ = tree(0, expand)
    low, high = zero_sum(form, stored([rng.random() for _ in range(2 * depth)]))
    assert -Fraction(1, 2**240) < low <= 0 <= high < Fraction(1, 2**240)


def changed(form, **values):
    return {**form, **{name: stored(value) for name, value in values.items()}}


def edited(form, name, place, value):
    values = plain(form[name])
    values[place] = value
    return changed(form, **{name: values})


def forgetful():
    """The seat moves twice and forgets its first move."""

    def expand(line):
        return ("end", [1.0, -1.0]) if len(line) == 2 else (0, len(line), [(*line, 0), (*line, 1)])

    return tree((), expand)[0]


def absent_minded():
    def expand(line):
        return ("end", [1.0, -1.0]) if len(line) == 2 or line[-1:] == (1,) else (0, "x", [(*line, 0), (*line, 1)])

    return tree((), expand)[0]


PENNIES = matrix([[1.0, -1.0], [-1.0, 1.0]])
MALFORMED = {
    "forgets": (forgetful(), "perfect recall"),
    "absent-minded": (absent_minded(), "perfect recall"),
    "two owners": (edited(PENNIES, "infoset", [1, 2], 0), "two owners"),
    "a set of its own": (edited(KUHN, "infoset", 1, 10**6), "perfect recall"),
    "no root": (edited(PENNIES, "parent", 0, 0), "root"),
    "forward parent": (edited(PENNIES, "parent", 1, 1), "breadth-first"),
    "negative parent": (edited(PENNIES, "parent", 3, -1), "breadth-first"),
    "not breadth first": (edited(PENNIES, "parent", [3, 5], [2, 1]), "breadth-first"),
    "player range": (edited(PENNIES, "player", 1, 2), "'player' holds"),
    "end with moves": (edited(PENNIES, "player", 1, -2), "infoset|has 2 moves"),
    "decision without moves": (edited(PENNIES, "player", 3, 0), "has 0 moves"),
    "infoset at end": (edited(PENNIES, "infoset", 3, 0), "'infoset'"),
    "no infoset": (edited(PENNIES, "infoset", 0, -1), "'infoset'"),
    "negative chance": (edited(KUHN, "prob", 1, -0.1), "negative"),
    "zero chance": (edited(KUHN, "prob", slice(1, 7), 0.0), "only zeros"),
    "odd prob": (edited(PENNIES, "prob", 1, 0.5), "'prob'"),
    "three players": (changed(PENNIES, players=[3]), "'payoff' has shape"),
    "no players": (changed(PENNIES, players=[0]), "0 players"),
    "dtype": (changed(PENNIES, player=plain(PENNIES["player"]).astype(float)), "dtype"),
    "empty": (changed(PENNIES, player=np.zeros(0, int), parent=np.zeros(0, int)), "0 nodes"),
    "missing": ({k: v for k, v in PENNIES.items() if k != "prob"}, "'prob' is missing"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_forms_are_refused(name):
    form, why = MALFORMED[name]
    with pytest.raises(Refused, match=why):
        zero_sum(form, stored([1.0] * (24 if len(form["player"].data) > 100 else 4)))


def test_widths_must_agree():
    def expand(line):
        if len(line) == 2:
            return "end", [0.0, 0.0]
        return len(line), "same", [(*line, k) for k in range(2 + sum(line))]

    with pytest.raises(Refused, match="different numbers of moves"):
        read_tree(tree((), expand)[0])


def test_a_node_is_not_its_own_parent():
    form = changed(PENNIES, player=[0, -2, 0], parent=[-1, 0, 2], infoset=[0, -1, 1], prob=[1.0] * 3)
    with pytest.raises(Refused, match="breadth-first"):
        read_tree(changed(form, payoff=np.zeros((3, 2))))


def test_strategies_are_laid_out_by_information_set_id():
    ids, order = plain(KUHN["infoset"]), np.random.default_rng(0).permutation(12)
    renamed = changed(KUHN, infoset=np.where(ids >= 0, 5 * order[ids] + 3, -1))
    moved = plain(kuhn_equilibrium(NAMES)).reshape(12, 2)[np.argsort(order)]
    assert zero_sum(renamed, stored(moved.reshape(-1))) == (Fraction(-1, 18), Fraction(-1, 18))


def test_wrong_strategy_length():
    with pytest.raises(Refused, match="'strategy' has shape"):
        zero_sum(PENNIES, stored([1.0, 1.0, 1.0]))


def test_a_tree_that_is_over_at_once():
    form, _ = tree((), lambda _: ("end", [0.1, -0.1]))
    assert zero_sum(form, stored(np.zeros(0))) == (Fraction(0.1), Fraction(0.1))


def test_random_damage_is_refused_or_harmless():
    rng = random.Random(3)
    for _ in range(1500):
        form = dict(KUHN)
        for _ in range(rng.choice([1, 1, 2])):
            name = rng.choice(list(form))
            values = plain(form[name]).reshape(-1)
            values[rng.randrange(values.size)] = rng.choice([-2, -1, 0, 1, 3, 7, 2**62])
            form[name] = stored(values.reshape(form[name].shape))
        try:
            low, high = zero_sum(form, kuhn_equilibrium(NAMES))
        except Refused:
            continue
        assert low <= high
