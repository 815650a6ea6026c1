"""Every label of random signalling games, proven once more by brute force; beer and quiche as Cho and Kreps have it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

import pytest

import fogbound as fb
from tests.solvers.all_equilibria import brute

TYPES, MESSAGES, REPLIES = ("strong", "weak"), ("up", "down"), ("yes", "no")
PURE = list(product((0, 1), repeat=2))  # a choice by type, or by message


@dataclass(frozen=True)
class Signals:
    """A signalling game of two types, messages and replies: prior, and payoffs [type][message][reply] of both."""

    prior: tuple
    sender: tuple
    receiver: tuple

    def game(self):
        def replies(kind, message):
            ends = {REPLIES[r]: [self.sender[kind][message][r], self.receiver[kind][message][r]] for r in (0, 1)}
            return ["receiver", f"saw {MESSAGES[message]}", ends]

        kinds = {
            TYPES[t]: (self.prior[t], ["sender", f"is {TYPES[t]}", {MESSAGES[m]: replies(t, m) for m in (0, 1)}])
            for t in (0, 1)
        }
        return fb.tree(["chance", kinds], players=("sender", "receiver"))

    def paid(self, table, sent, replied):
        """What behaviour pays: `sent[t][m]` and `replied[m][r]` are probabilities."""
        cells = product((0, 1), repeat=3)
        return sum(self.prior[t] * sent[t][m] * replied[m][r] * table[t][m][r] for t, m, r in cells)

    def matrices(self):
        cells = [[(sure(s), sure(r)) for r in PURE] for s in PURE]
        return tuple(
            [[self.paid(table, *cell) for cell in row] for row in cells] for table in (self.sender, self.receiver)
        )


def sure(choices):
    return [[Fraction(int(c == k)) for k in (0, 1)] for c in choices]


def random_game(number):
    rng = random.Random(f"signals {number}")
    prior = Fraction(rng.randint(1, 9), 10)
    tables = [tuple(tuple(tuple(rng.randint(0, 4) for _ in (0, 1)) for _ in (0, 1)) for _ in (0, 1)) for _ in (0, 1)]
    return Signals((prior, 1 - prior), *tables)


def behaviour(one):
    """sent[t][m] and replied[m][r] of a listed equilibrium."""
    sender, receiver = one.behaviour["sender"], one.behaviour["receiver"]
    sent = [[sender[f"is {kind}"].get(m, Fraction(0)) for m in MESSAGES] for kind in TYPES]
    replied = [[receiver[f"saw {m}"].get(r, Fraction(0)) for r in REPLIES] for m in MESSAGES]
    return sent, replied


def mixed(one, game):
    """A listed equilibrium as mixed strategies over PURE, by what each pure strategy does."""
    form = fb.forms.normal(game)
    found = []
    for i, marks in enumerate(([f"is {kind}" for kind in TYPES], [f"saw {m}" for m in MESSAGES])):
        moves, weights = (MESSAGES, REPLIES)[i], dict.fromkeys(PURE, Fraction(0))
        for name, does in zip(fb.evaluation.dominance.strategy_names(form).strategies[i], form.strategies[i]):
            chosen = {mark: moves.index(move) for known, move in does.items() for mark in marks if mark in str(known)}
            weights[tuple(chosen[mark] for mark in marks)] = one.strategies[i].get(name, Fraction(0))
        found.append(tuple(weights[key] for key in PURE))
    return tuple(found)


def beliefs_between(values):
    """Probabilities of the first type at which the best replies can change, and one between each two of them."""
    corners = {Fraction(0), Fraction(1)}
    (a, b), (c, d) = values  # [type][reply]
    if (a - b) != (c - d):
        cross = (d - c) / Fraction((a - b) - (c - d))
        corners |= {cross} if 0 <= cross <= 1 else set()
    points = sorted(corners)
    return points + [(p + q) / 2 for p, q in pairwise(points)]


def best_replies(values, belief):
    worth = [belief * values[0][r] + (1 - belief) * values[1][r] for r in (0, 1)]
    return {r for r in (0, 1) if worth[r] == max(worth)}


def column(table, message):
    return [table[t][message] for t in (0, 1)]


def sequential(game, sent, replied):
    """Whether each reply is best under Bayes's rule, or after an unsent message under some belief."""
    for m in (0, 1):
        reached = [game.prior[t] * sent[t][m] for t in (0, 1)]
        values = column(game.receiver, m)
        played = {r for r in (0, 1) if replied[m][r]}
        beliefs = [reached[0] / sum(reached)] if sum(reached) else beliefs_between(values)
        if not any(played <= best_replies(values, p) for p in beliefs):
            return False
    return True


def intuitive(game, sent, replied):
    """Cho and Kreps's criterion, type by type."""
    earned = [sum(sent[t][m] * replied[m][r] * game.sender[t][m][r] for m in (0, 1) for r in (0, 1)) for t in (0, 1)]
    for m in (0, 1):
        if any(sent[t][m] for t in (0, 1)):
            continue
        values, gets = column(game.receiver, m), column(game.sender, m)
        every = set().union(*(best_replies(values, p) for p in beliefs_between(values)))
        left = [t for t in (0, 1) if max(gets[t][r] for r in every) >= earned[t]]
        if not left:
            continue
        believed = beliefs_between(values) if len(left) == 2 else [Fraction(1 - left[0])]
        still = set().union(*(best_replies(values, p) for p in believed))
        if any(min(gets[t][r] for r in still) > earned[t] for t in (0, 1)):
            return False
    return True


def undominated(paid, x):
    """Whether x is a best reply to a strategy that plays everything: `paid[j][i]` is what i pays against j."""
    wide = len(paid)
    rows = [[paid[j][i] for j in range(wide)] for i in range(len(paid[0]))]
    played = brute.support(x)
    faces = [y for y in brute.polyhedron_vertices(rows) if played <= brute.best(rows, y)]
    return set().union(*(brute.support(y) for y in faces)) == set(range(wide))


def dominated_by_lottery(point, cells):
    """Whether a mixture of two outcomes pays both as much as `point`, and one more."""
    for a, b in product(cells, repeat=2):
        shares = {Fraction(0), Fraction(1)}
        for i in (0, 1):
            if a[i] != b[i]:
                shares.add(Fraction(point[i] - b[i]) / (a[i] - b[i]))
        for share in (s for s in shares if 0 <= s <= 1):
            mix = [share * v + (1 - share) * w for v, w in zip(a, b)]
            if all(v >= p for v, p in zip(mix, point)) and mix != list(point):
                return True
    return False


def check_labels(game, answer):
    """Every label of every equilibrium is what the test finds itself."""
    first, second = game.matrices()
    cells = {(first[i][j], second[i][j]) for i in range(4) for j in range(4)}
    profiles = [mixed(one, game.game()) for one in answer]
    assert set(profiles) == brute.extreme(first, second)
    all_paid = [brute.payoffs(first, second, *profile) for profile in profiles]
    for one, (x, y), paid in zip(answer, profiles, all_paid):
        assert one.payoffs == paid
        replies = brute.best(first, y), brute.best(brute.transposed(second), x)
        pure = len(brute.support(x)) == len(brute.support(y)) == 1
        whole = undominated(brute.transposed(first), x) and undominated(second, y)
        played = (brute.support(x), brute.support(y))
        regular = replies == played and len(played[0]) == len(played[1])
        better = any(all(v >= p for v, p in zip(other, paid)) and other != paid for other in all_paid)
        sent, replied = behaviour(one)
        consistent = sequential(game, sent, replied)
        everything = all(len(part) == 4 for part in played)
        assert one.labels == {
            "pure": pure,
            "strict": pure and all(len(part) == 1 for part in replies),
            "Pareto-efficient among the equilibria": not better,
            "Pareto-efficient among all outcomes": not dominated_by_lottery(paid, cells),
            "undominated": whole,
            "trembling-hand perfect": whole,
            "proper": True if regular or everything else False if not (whole and consistent) else None,
            "subgame-perfect": True,
            "sequential": consistent,
            "survives the intuitive criterion": consistent and intuitive(game, sent, replied),
        }
        assert consistent or not regular
        check_beliefs(game, one, sent, replied)


def check_beliefs(game, one, sent, replied):
    """Beliefs are Bayes's where a message is sent, and every reply that is played is best under them."""
    assert bool(one.beliefs) == one.has("sequential")
    for belief, m in zip(one.beliefs, (0, 1)):
        assert belief.information_set == f"saw {MESSAGES[m]}"
        (p, q), reached = belief.histories.values(), [game.prior[t] * sent[t][m] for t in (0, 1)]
        assert p + q == 1
        assert p >= 0
        assert q >= 0
        assert not sum(reached) or p == reached[0] / sum(reached)
        assert {r for r in (0, 1) if replied[m][r]} <= best_replies(column(game.receiver, m), p)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("number", range(30))
def test_random_signalling_games(number):
    game = random_game(number)
    answer = fb.equilibria(game.game())
    assert answer.proper_subgames == 0
    check_labels(game, answer)


def test_beer_and_quiche():
    answer = fb.equilibria("beer-quiche")
    kept = [one.has("survives the intuitive criterion") for one in answer]
    drinks = [{"beer": Fraction(1)} == one.behaviour["sender"]["wimp"] for one in answer]
    assert kept == drinks == [True, True, False, False]
    assert all(one.has("sequential") for one in answer)
    assert [tuple(map(str, one.payoffs)) for one in answer][::2] == [("29/10", "9/10"), ("21/10", "9/10")]
    assert [group.equilibria for group in answer.components] == [(1, 2), (3, 4)]
    fears = next(belief for belief in answer[2].beliefs if belief.information_set == "beer")
    assert fears.histories["the sender is a wimp"] >= Fraction(1, 2)
