"""Lemke's algorithm on the sequence form: exact regret 0, judged by recursion over the tree in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import count, islice

import numpy as np
import pytest

import fogbound as fb
from fogbound import forms
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.files.gambit.efg import read_efg
from fogbound.files.gambit.forms import tree_of
from fogbound.files.gambit.nfg import uniform_behaviour
from fogbound.files.gambit.structure import PERFECT, recall
from fogbound.forms.tree import CHANCE, END
from fogbound.games import make
from fogbound.solvers import make as make_solver
from fogbound.solvers.complementarity import sequence_lcp
from fogbound.solvers.complementarity.rational_payoffs import rational_payoffs
from fogbound.solvers.complementarity.sequence_lcp import lcp, lemke
from fogbound.solvers.matrix.exact import integers, rationals
from fogbound.testing import check_solver
from tests import shared
from tests.run import solve
from tests.solvers.matrix.test_matrix import CLASSIC, bimatrix, listed, same
from tests.variable_length import VariableLength

FILES = sorted((shared.MODELS / "gambit").glob("*.efg"))


def exactly(form, start=0):
    """(Realization plans, values, regrets, pivots) in fractions, from the first start whose path is short enough."""
    game = rational_payoffs(form)
    for now, budget in sequence_lcp.attempts(form, start, endless=True):
        tableau = lcp(form, now, game)
        if not any(pivots >= budget for pivots in lemke(tableau)):
            plans = tableau.plans()
            return plans, *game.regrets(plans), tableau.pivots
    raise AssertionError


def behaviour(plex, plan):
    """Move probabilities of a realization plan by sequence, uniform where it does not come."""
    moves = [Fraction(1)] * plex.sequences
    for parent, first, size in zip(plex.parent.tolist(), plex.first.tolist(), plex.size.tolist()):
        for q in range(first, first + size):
            moves[q] = plan[q] / plan[parent] if plan[parent] else Fraction(1, size)
    return moves


class Judge:
    """Values and best replies by recursion over the nodes of a tree, in fractions, without the sequence form."""

    def __init__(self, form, plans):
        tree = form.tree
        self.tree, self.prob = tree, [Fraction(p).limit_denominator(10**6) for p in tree.prob.tolist()]
        self.paid = [[Fraction(v).limit_denominator(10**6) for v in row] for row in tree.payoff.tolist()]
        self.moves = [behaviour(plex, plan) for plex, plan in zip(form.plexes, plans)]
        self.nodes = {}
        for node, name in enumerate(tree.infoset.tolist()):
            self.nodes.setdefault(name, []).append(node)

    def children(self, node):
        return range(int(self.tree.child[node]), int(self.tree.child[node + 1]))

    def share(self, node, child):
        """How likely play moves on to a child, by chance or by its mover."""
        who = int(self.tree.mover[node])
        if who == CHANCE:
            return self.prob[child]
        return self.moves[who][int(self.tree.set_first[self.tree.infoset[node]]) + child - int(self.tree.child[node])]

    def reach(self, node, free):
        """How likely all but `free` make a node."""
        likely = Fraction(1)
        while node:
            above = int(self.tree.parent[node])
            if int(self.tree.mover[above]) != free:
                likely *= self.share(above, node)
            node = above
        return likely

    def value(self, node, player, reply=None):
        """What the player earns from a node on; with `reply`, which remembers them, by its best replies."""
        known = {} if reply is None else reply
        if ("worth", node) in known:
            return known["worth", node]
        who = int(self.tree.mover[node])
        if who == END:
            worth = self.paid[node][player]
        elif reply is not None and who == player:
            place = self.reply(int(self.tree.infoset[node]), player, reply)
            worth = self.value(self.children(node)[place], player, reply)
        else:
            shares = ((self.share(node, c), c) for c in self.children(node))
            worth = sum((p * self.value(c, player, reply) for p, c in shares if p), Fraction(0))
        known["worth", node] = worth
        return worth

    def reply(self, name, player, reply):
        if ("set", name) not in reply:
            nodes = [(self.reach(node, player), node) for node in self.nodes[name]]
            worth = [
                sum((r * self.value(self.children(v)[k], player, reply) for r, v in nodes if r), Fraction(0))
                for k in range(int(self.tree.set_size[name]))
            ]
            reply["set", name] = worth.index(max(worth))
        return reply["set", name]

    def regrets(self):
        return [self.value(0, i, {}) - self.value(0, i) for i in range(2)]


def plan_is_one(plex, plan):
    return (
        plan[0] == 1
        and min(plan) >= 0
        and all(
            sum(plan[first : first + size]) == plan[parent]
            for parent, first, size in zip(plex.parent.tolist(), plex.first.tolist(), plex.size.tolist())
        )
    )


def judged(form, start=0):
    plans, _, regrets, _ = exactly(form, start)
    assert all(map(plan_is_one, form.plexes, plans))
    assert regrets == [0, 0]
    return Judge(form, plans).regrets()


def random_tree(seed):
    """Play of variable length, chance, unequal lists of moves, payoffs on the way, ends that depend on moves."""
    depth, most = ((2, 4), (3, 3), (4, 2))[seed % 3]
    return forms.sequence(make(f"random(seed={seed}, depth={depth}, actions_={most})"))


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, 7])
def test_random_trees_exactly(seed):
    assert judged(random_tree(seed), seed % 3) == [0, 0]


@pytest.mark.slow
def test_a_hundred_random_trees_exactly():
    drawn = (form for form in map(random_tree, count()) if form.size <= sequence_lcp.MOST_EXACT)
    trees = list(islice(drawn, 100))
    for start, form in enumerate(trees):
        assert judged(form, start % 2) == [0, 0]
    assert max(form.size for form in trees) > 200


@pytest.mark.parametrize("seed", [3, 5])
def test_payoffs_that_are_no_simple_fractions_are_taken_as_floats(seed):
    form = forms.sequence(VariableLength(seed, ("signals", "signals"), hidden=2, loops=False, discount=1.0))
    assert not rational_payoffs(form).simple
    plans, _, regrets, _ = exactly(form)
    assert regrets == [0, 0]
    assert all(map(plan_is_one, form.plexes, plans))
    found = solve(make_solver("sequence-lcp"), form)
    assert found.gap <= 1e-14
    assert found.certified == "both"


@pytest.mark.parametrize("name", CLASSIC)
@pytest.mark.parametrize("start", [0, 1, 2])
def test_classic_games_end_in_one_of_their_extreme_equilibria(name, start):
    form, known = CLASSIC[name]
    found = solve(make_solver(f"sequence-lcp(start={start})"), form.sequence)
    assert found.details["fractions"]["regrets"] == ["0", "0"]
    assert any(same(listed(form, found.profile), other) for other in known)


@pytest.mark.parametrize("seed", range(20))
def test_degenerate_matrices_do_not_cycle(seed):
    rng = np.random.default_rng(seed)
    pay = rng.integers(0, 2 + seed % 3, (*rng.integers(2, 9, 2), 2))
    form = bimatrix(pay[..., 0], pay[..., 1]).sequence
    assert judged(form, seed % 4) == [0, 0]


@pytest.mark.parametrize("seed", range(6))
def test_floats_follow_the_same_path(seed):
    """Without ties, which rounding breaks at random, the two arithmetics pivot alike."""
    rng = np.random.default_rng(seed)
    pay = rng.random((9, 12, 2))
    form = bimatrix(pay[..., 0], pay[..., 1]).sequence
    plans, _, regrets, pivots = exactly(form)
    assert regrets == [0, 0]
    tableau = lcp(form, 0, None)
    for _ in lemke(tableau):
        pass
    assert tableau.pivots == pivots
    for one, other in zip(tableau.plans(), plans):
        assert one == pytest.approx([float(w) for w in other], abs=1e-12)


def test_larger_trees_are_solved_in_floats_and_not_called_exact(monkeypatch):
    monkeypatch.setattr(sequence_lcp, "MOST_EXACT", 0)
    found = solve(make_solver("sequence-lcp"), random_tree(2))
    assert found.details["arithmetic"] == "float"
    assert "fractions" not in found.details
    assert found.gap < 1e-12
    assert found.certified == "both"


@pytest.mark.slow
def test_a_long_path_is_left_for_another():
    """From start 0 this one is thousands of pivots long, from start 1 45."""
    form = random_tree(105)
    assert [start for start, _ in islice(sequence_lcp.attempts(form, 0, endless=True), 5)] == [0, 1, 2, 3, 0]
    found = solve(make_solver("sequence-lcp"), form)
    assert (found.details["start"], found.details["pivots"]) == (1, 45)
    assert found.details["fractions"]["regrets"] == ["0", "0"]


def test_a_tree_whose_normal_form_cannot_be_built():
    form = forms.sequence(make("random(seed=2, depth=3)"))
    with pytest.raises(LimitError, match="54 x 131,072 pure strategies"):
        forms.normal(form)
    found = solve(make_solver("sequence-lcp"), form)
    assert found.details["fractions"]["values"] == ["871/1024", "5467/8192"]
    assert found.details["fractions"]["regrets"] == ["0", "0"]
    assert judged(form) == [0, 0]


@pytest.mark.parametrize("path", FILES or [None])
def test_files_of_gambits(path):
    """Every tree for two with perfect recall: the fractions are those of the file, and the regret is 0 in them."""
    if path is None:
        pytest.skip(f"no files of Gambit's in {shared.MODELS / 'gambit'}")
    file = read_efg(path)
    if len(file.players) != 2 or recall(file).kind != PERFECT:
        pytest.skip(f"{path.name}: {len(file.players)} players, recall {recall(file).kind}")
    form = forms.sequence(tree_of(file))
    assert rational_payoffs(form).regrets([even_plan(plex) for plex in form.plexes])[0] == list(uniform_behaviour(file))
    assert judged(form) == [0, 0]


def even_plan(plex):
    plan = [Fraction(1)] * plex.sequences
    for parent, first, size in zip(plex.parent.tolist(), plex.first.tolist(), plex.size.tolist()):
        plan[first : first + size] = [plan[parent] / size] * size
    return plan


def test_scaling_payoffs_changes_no_pivot():
    pay = np.random.default_rng(3).integers(-9, 9, (7, 6, 2))
    plain, scaled = (exactly(bimatrix(pay[..., 0] * f, pay[..., 1]).sequence) for f in (1, 3))
    assert plain[0] == scaled[0]
    assert plain[3] == scaled[3]


def test_a_small_payoff_beside_a_huge_one_counts():
    values = np.array([1e19, 1.0, 1 / 3, 0.1 + 0.2 - 0.3, 0.0])
    assert rationals(values).tolist() == [10**19, 1, Fraction(1, 3), 0, 0]
    large, one, three = integers(np.array([1e19, 1.0, 3.0]))
    assert (large, three) == (10**19 * one, 3 * one)


@pytest.mark.parametrize("spec", ["kuhn", "beer-quiche", "random(seed=3, depth=3)"])
def test_contract(spec):
    found = check_solver(make_solver("sequence-lcp"), forms.sequence(make(spec)))
    assert found.gap < 1e-15
    assert found.certified == "both"


def test_nobody_chooses():
    form = forms.sequence(make("random(seed=1, depth=1, actions_=1)"))
    assert solve(make_solver("sequence-lcp"), form).gap == 0


def test_the_path_can_be_stopped():
    form = forms.sequence(make("random(seed=2, depth=3)"))
    found = solve(make_solver("sequence-lcp"), form, fb.Until(iterations=1))
    assert found.stopped == "iterations"
    assert found.gap > 0


@pytest.mark.parametrize(
    ("solver", "form", "error", "message"),
    [
        ("sequence-lcp(start=-1)", "kuhn", SpecError, "start is -1, expected 0 or more"),
        ("sequence-lcp", "kuhn(seats=3)", FormError, "3 players, expected 2"),
        ("sequence-lcp", "leduc", LimitError, "sequences, over the limit of 20"),
    ],
)
def test_refusals(solver, form, error, message, monkeypatch):
    monkeypatch.setattr(sequence_lcp, "MOST_SEQUENCES", 20)
    with pytest.raises(error, match=message):
        solve(make_solver(solver), forms.sequence(make(form)))
