"""Games with locks: against a linear program with the same constraints, written here, on random games."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import fogbound.verify as checker
from fogbound import evaluation, forms
from fogbound.certificates.certificate import plain
from fogbound.core.errors import LimitError
from fogbound.driver.protocol import Until
from fogbound.forms.locked_tree import locked_tree
from fogbound.forms.tree import tree_size
from fogbound.games import make
from fogbound.policies import Tabular, Uniform
from fogbound.solvers import make as make_solver
from tests.run import solve
from tests.variable_length import VariableLength

SEEN = (("signals", "nothing"), ("all", "signals"), ("signals", "signals"))
MOST = 1_000  # nodes
COLUMNS = ("mover", "parent", "child", "prob", "reach", "infoset", "payoff", "memory", "state")
KNOWN = ("memory_up", "memory_code", "memory_sequence", "memory_infoset", "set_memory", "set_first", "set_size")


def drawn(seed):
    """A random zero-sum game of variable length, with chance and unequal lists of actions, or of simultaneous moves."""
    if seed % 2:
        return make(f"random(seed={seed}, seats=2, depth=3, width=3, actions_=3, zero_sum=true)")
    shape = {"rooms": 3, "hidden": 2, "pays": "zero", "loops": False, "discount": 1.0}
    games = [VariableLength(seed, sees=SEEN[seed // 2 % 3], choices=choices, **shape) for choices in (3, 2)]
    return next((game for game in games if tree_size(forms.table(game))[0] <= MOST), games[-1])


def random_floors(form, seed, kinds):
    """Locks at some information sets: exact ones, floors, or both kinds."""
    rng = np.random.default_rng(seed)
    floors = [np.zeros(plex.sequences) for plex in form.plexes]
    for player, plex in enumerate(form.plexes):
        for first, size in zip(plex.first, plex.size):
            kind = rng.choice([*kinds, "free"])
            share = rng.dirichlet(np.ones(size))
            share[rng.random(size) < 0.3] = 0.0  # what is locked at 0 cuts off what lies below
            if kind != "free" and share.sum() > 0:
                share = share / share.sum()
                floors[player][first : first + size] = share if kind == "exact" else share * rng.random()
    return floors


def restricted_value(form, floors):
    """max over x, min over y of x'Ay, where weights are plans with r(q) >= floor(q) r(parent of q)."""
    plans = [constraints(plex, floor) for plex, floor in zip(form.plexes, floors)]
    (plan, least), (others, theirs) = plans
    pay = np.zeros((form.plexes[0].sequences, form.plexes[1].sequences))
    np.add.at(pay, (form.ends[:, 0], form.ends[:, 1]), form.payoff[:, 0])
    sizes = [len(pay), len(others), len(theirs)]  # x; v and w >= 0, the dual of the other's program
    cost = np.zeros(sum(sizes))
    cost[sizes[0]] = -1.0
    above = np.hstack([-pay.T, others.T, theirs.T])
    kept = np.hstack([-least, np.zeros((len(least), sizes[1] + sizes[2]))])
    equal = np.hstack([plan, np.zeros((len(plan), sizes[1] + sizes[2]))])
    bounds = [(0, None)] * sizes[0] + [(None, None)] * sizes[1] + [(0, None)] * sizes[2]
    start = np.eye(len(plan))[0]
    upper = np.vstack([above, kept])
    found = linprog(cost, upper, np.zeros(len(upper)), equal, start, bounds, method="highs")
    assert found.status == 0
    return -found.fun


def constraints(plex, floor):
    """Rows of a realisation plan, and those of its floors."""
    plan, least = np.zeros((1 + len(plex.parent), plex.sequences)), []
    plan[0, 0] = 1.0
    for h, (up, first, size) in enumerate(zip(plex.parent, plex.first, plex.size), 1):
        plan[h, up] = -1.0
        for q in range(first, first + size):
            plan[h, q] = 1.0
            row = np.zeros(plex.sequences)
            row[q], row[up] = 1.0, -floor[q]
            least.append(row)
    return plan, np.array(least).reshape(-1, plex.sequences)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(50))
def test_values_are_those_of_the_restricted_program(seed):
    free = forms.tree(drawn(seed))
    form = forms.sequence(free)
    for kinds in (("exact",), ("floor",), ("exact", "floor")):
        floors = random_floors(form, seed, kinds)
        value = restricted_value(form, floors)
        tree = locked_tree(free, floors)
        scale = max(1.0, tree.largest)
        exact = solve(make_solver("sequence-lp"), forms.sequence(tree))
        assert exact.certified == "both"
        assert exact.value == pytest.approx(value, abs=1e-6 * scale)
        assert exact.lower - 1e-6 * scale <= value <= exact.upper + 1e-6 * scale
        learnt = solve(make_solver("cfr-plus"), forms.sequence(tree), Until(gap=1e-2 * scale, iterations=3_000))
        assert learnt.certified == "both"
        assert learnt.lower - 1e-6 * scale <= value <= learnt.upper + 1e-6 * scale
        for found in (exact, learnt):
            assert_played_in_the_game(found, form, floors, value)


def assert_played_in_the_game(found, form, floors, value):
    """The profile is one of the game itself, keeps the locks everywhere, and earns what is reported."""
    played = [policy.behaviour for policy in found.profile.values()]
    assert all(policy.decisions is form.decisions for policy in found.profile.values())
    for plex, behaviour, floor in zip(form.plexes, played, floors):
        assert (behaviour >= floor - 1e-9).all()
        for first, size in zip(plex.first, plex.size):
            assert behaviour[first : first + size].sum() == pytest.approx(1.0)
            if floor[first : first + size].sum() > 1 - 1e-9:
                assert behaviour[first : first + size] == pytest.approx(floor[first : first + size])
    assert evaluation.expected(form, played)[0] == pytest.approx(found.value, abs=1e-9)
    assert found.lower - 1e-9 <= found.value <= found.upper + 1e-9
    assert abs(found.value - value) <= found.gap + 1e-6 * max(1.0, form.largest)


@pytest.mark.parametrize("seed", range(6))
def test_without_locks_the_tree_is_the_games(seed):
    free = forms.tree(drawn(seed))
    same = locked_tree(free, [np.zeros(plex.sequences) for plex in forms.sequence(free).plexes])
    assert all(np.array_equal(getattr(free, name), getattr(same, name)) for name in (*COLUMNS, *KNOWN))
    assert checker.digest(plain(free.arrays())) == checker.digest(plain(same.arrays()))


@pytest.mark.parametrize("seed", range(8))
def test_there_and_back_again(seed):
    """A behaviour that keeps the floors, restricted and played again, is the same and earns the same."""
    free = forms.tree(drawn(seed))
    form = forms.sequence(free)
    floors = random_floors(form, seed, ("exact", "floor"))
    tree = locked_tree(free, floors)
    rng, whole = np.random.default_rng(seed), forms.sequence(tree)
    played = []
    for plex, floor in zip(form.plexes, floors):
        behaviour = np.ones(plex.sequences)
        for first, size in zip(plex.first, plex.size):
            least = floor[first : first + size]
            behaviour[first : first + size] = least + (1 - least.sum()) * rng.dirichlet(np.ones(size))
        played.append(behaviour)
    chosen = [tree.restricted(i, behaviour) for i, behaviour in enumerate(played)]
    again = [Tabular(tree, i, behaviour).behaviour for i, behaviour in enumerate(chosen)]
    for i, (plex, one, other) in enumerate(zip(form.plexes, played, again)):
        met = np.isin(plex.sets, tree.set_source)[np.repeat(np.arange(len(plex.size)), plex.size)]
        assert one[1:][met] == pytest.approx(other[1:][met])  # the rest lies below what a lock rules out
        assert tree.broken(i, other) == -1
    assert evaluation.expected(whole, chosen) == pytest.approx(evaluation.expected(form, played))
    assert all(tree.broken(i, behaviour) == -1 for i, behaviour in enumerate(played))


def test_any_profile_is_taken_and_clipped_to_the_locks():
    free = forms.tree(make("kuhn"))
    floors = [np.zeros(13), np.zeros(13)]
    floors[0][1:3] = 0.1, 0.9
    floors[1][1:3] = 0.8, 0.0
    tree = locked_tree(free, floors)
    uniform = evaluation.behaviours(forms.sequence(tree), [Uniform(), Uniform()])
    (copy,) = np.flatnonzero(tree.set_source == forms.sequence(free).plexes[1].sets[0])
    assert uniform[1][tree.set_first[copy] :][:2].tolist() == [0.0, 1.0]
    assert tree.broken(0, forms.sequence(free).plexes[0].uniform) == 0
    assert tree.broken(1, forms.sequence(free).plexes[1].uniform) >= 0


def test_floors_everywhere_soon_pass_a_limit():
    free = forms.tree(make("leduc"))
    floors = [0.01 * plex.uniform for plex in forms.sequence(free).plexes]
    with pytest.raises(LimitError, match="over 20,000 nodes with these floors, 9,451 without them"):
        locked_tree(free, floors, limit=20_000)


@pytest.mark.parametrize("spec", ["matrix-lp", "cfr", "dcfr", "predictive-cfr", "mccfr", "double-oracle", "mmd"])
def test_other_solvers_find_the_same_value(spec):
    free = forms.tree(make("kuhn"))
    floors = [np.zeros(13), np.zeros(13)]
    floors[0][1:3], floors[0][5:7], floors[1][1:3] = (0.0, 1.0), (0.3, 0.2), (0.1, 0.3)
    value = restricted_value(forms.sequence(free), floors)
    form = forms.sequence(locked_tree(free, floors))
    solver = make_solver(spec)
    on = form if solver.form is forms.SequenceForm else forms.derive(form, solver.form)
    found = solve(solver, on, Until(gap=0.05, iterations=20_000))
    assert found.certified == "both"
    assert found.lower - 1e-9 <= value <= found.upper + 1e-9
    assert found.gap <= 0.05
