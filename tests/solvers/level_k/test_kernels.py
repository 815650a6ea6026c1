"""Kernels of levels and of belief search against plain references: dictionaries, rows one by one, no numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fogbound import forms
from fogbound.core import Dist
from fogbound.core.game import Observation
from fogbound.forms.kernels.induced import MIXED, UNIFORM
from fogbound.forms.pomdp import NOT_ASKED
from fogbound.games import make
from fogbound.games.random_game import RandomGame
from fogbound.policies import Controller, Mixture, Uniform
from fogbound.solvers.level_k.hierarchy import solve_levels
from fogbound.solvers.pomdp.belief_graph.belief_search import belief_graph_of
from fogbound.solvers.pomdp.belief_graph.kernels import belief_trials, equivalence, policy_evaluation
from fogbound.solvers.pomdp.belief_graph.kernels.belief_graph import expand
from fogbound.solvers.pomdp.belief_graph.search import GraphSearch, SearchLimits, values
from fogbound.solvers.pomdp.vectors.qmdp import FIB
from tests.pomdps import after, first_beliefs, legal, plain, random_flat, random_listed
from tests.run import solve

GAMES = [
    *(RandomGame(seed=seed, depth=3, width=3, signals=2) for seed in range(6)),
    *(RandomGame(seed=seed, depth=3, width=2, actions_=3, signals=1, discount=0.75) for seed in range(4)),
    make("po-nim(n=2)"),
    make("po-nim(n=3)"),
    make("card-poker(ranks=3)"),
]
named = pytest.mark.parametrize("game", GAMES, ids=str)


def mixture(hierarchy, level, player):
    """What `level` believes about the levels below it of a player, as a policy."""
    return Mixture.of([(hierarchy.policy(k, player), w) for k, w in enumerate(hierarchy.weights(level)) if w > 0])


# --- the process of a meeting, and the plain product -----------------------------------------------------------------


def rows_of(form):
    """[state] -> {action: (reward, [(what is seen, state, probability)])}, and the same of the start."""

    def outcomes(row):
        span = range(form.out[row], form.out[row + 1])
        return [(form.observations[form.obs[o]], int(form.next[o]), form.prob[o]) for o in span if form.prob[o] > 0]

    rows = [
        {int(form.action[r]): (form.reward[r], outcomes(r)) for r in range(form.row[s], form.row[s + 1])}
        for s in range(form.size)
    ]
    return rows, outcomes(0)


def summed(outcomes, classes):
    found = {}
    for seen, state, p in outcomes:
        found[seen, classes[state]] = found.get((seen, classes[state]), 0.0) + p
    return frozenset((key, round(p, 9)) for key, p in found.items())


def bisimilar(one, two):
    """Both starts in terms of common classes of states that no sequence of actions tells apart; how many there are."""
    (rows_one, start_one), (rows_two, start_two) = rows_of(one), rows_of(two)
    shifted = [
        {a: (r, [(z, t + one.size, p) for z, t, p in outs]) for a, (r, outs) in rows.items()} for rows in rows_two
    ]
    rows = [*rows_one, *shifted]
    classes, many = [0] * len(rows), 1
    while True:
        marks = [
            (classes[s], frozenset((a, round(r, 9), summed(outs, classes)) for a, (r, outs) in rows[s].items()))
            for s in range(len(rows))
        ]
        numbers = {}
        classes = [numbers.setdefault(mark, len(numbers)) for mark in marks]
        if len(numbers) == many:
            starts = summed(start_one, classes), summed([(z, t + one.size, p) for z, t, p in start_two], classes)
            return *starts, len(set(classes[: one.size])), len(set(classes[one.size :]))
        many = len(numbers)


@named
def test_a_meeting_is_the_plain_product_up_to_merging(game):
    """Which nodes the other's automaton shares is its own affair: the process has the same future, action by action."""
    hierarchy = solve_levels(game, 3)
    for solution in hierarchy.solutions:
        compiled = hierarchy.process(solution.level, solution.player)
        product = forms.pomdp(
            hierarchy.table,
            solution.player,
            {1 - solution.player: mixture(hierarchy, solution.level, 1 - solution.player)},
        )
        start, other, mine, theirs = bisimilar(compiled, product)
        assert start == other
        assert mine == theirs <= compiled.size <= product.size
        assert compiled.reward[0] == pytest.approx(product.reward[0], abs=1e-12)
        assert len(set(compiled.names)) == compiled.size


@named
def test_against_one_random_player_nothing_is_left_to_merge(game):
    hierarchy = solve_levels(game, 1)
    for player in (0, 1):
        product = forms.pomdp(hierarchy.table, player, {1 - player: Uniform()})
        compiled = hierarchy.process(1, player)
        live = [s for s in range(product.size) if product.row[s] < product.row[s + 1]]
        kept = [s for s in range(compiled.size) if compiled.row[s] < compiled.row[s + 1]]
        states = [hierarchy.table.states[product.product.point[s, 0]] for s in live]
        assert sorted(states, key=str) == sorted((compiled.names[s][0] for s in kept), key=str)
        assert len(product.action) == len(compiled.action)


def test_the_bisimulation_sees_a_difference():
    """The reference itself can fail: a process altered in one number is told apart."""
    hierarchy = solve_levels(make("po-nim(n=2)"), 2)
    one = hierarchy.process(2, 0)
    for part, change in (("reward", 0.5), ("prob", 0.25)):
        altered = getattr(one, part).copy()
        altered[len(altered) // 2] += change
        other = replace(one, **{part: altered})
        start, changed, *_ = bisimilar(one, other)
        assert start != changed


# --- bounds of single states -----------------------------------------------------------------------------------------


def informed_plainly(form, sweeps=3_000):
    """Q of the fast informed bound by sweeps from above that copy everything: state -> action -> worth."""
    model = plain(form)
    top = max(abs(pay) for rows in model.rules.values() for pay, _ in rows.values()) / (1 - model.discount)
    q_values = {s: dict.fromkeys(rows, top) for s, rows in model.rules.items()}
    for _ in range(sweeps):
        fresh = {}
        for s, rows in model.rules.items():
            fresh[s] = {}
            for a in rows:
                pay, beliefs = after(model, {s: 1.0}, a)
                ahead = sum(
                    max(sum(w * q_values[t][b] for t, w in beta.items()) for b in legal(model, beta))
                    for beta in beliefs.values()
                )
                fresh[s][a] = pay + model.discount * ahead
        change = max(abs(fresh[s][a] - q_values[s][a]) for s in q_values for a in q_values[s])
        q_values = fresh
        if change < 1e-13 * top:
            break
    return q_values


FLAT = [random_flat(seed, 0.75, states=4, actions=3, observations=2, fill=0.6) for seed in range(4)] + [
    forms.pomdp(random_listed(seed, discount=0.8)) for seed in range(6)
]


@pytest.mark.parametrize("form", FLAT, ids=range(len(FLAT)))
def test_the_informed_bound_of_rows(form):
    belief_graph, _ = belief_graph_of(form)
    q_values = informed_plainly(form)
    scale = max(abs(q) for rows in q_values.values() for q in rows.values())
    for s, rows in q_values.items():
        first, last = belief_graph.process.row[s], belief_graph.process.row[s + 1]
        assert belief_graph.q_values[first:last] == pytest.approx(list(rows.values()), abs=1e-8 * scale)
        assert (belief_graph.q_values[first:last] >= np.array(list(rows.values())) - 1e-12 * scale).all()
        assert belief_graph.low[s] <= max(rows.values()) + 1e-12 * scale


@pytest.mark.parametrize("form", FLAT, ids=range(len(FLAT)))
def test_the_informed_bound_at_the_start_is_that_of_the_other_solver(form):
    belief_graph, problem = belief_graph_of(form)
    _, high = belief_trials.row_bounds(belief_graph.model, belief_graph.graph, belief_graph.graph.rows[problem.root])
    found = solve(FIB(games=2), form, certified=False)
    assert high == pytest.approx(found.upper, rel=1e-6, abs=1e-9)


def test_random_play_is_the_lower_bound_of_states():
    """Against exact evaluation by a linear system: [S] from the rows of the process."""
    for seed in range(5):
        form = forms.pomdp(random_listed(seed, discount=0.9))
        belief_graph, _ = belief_graph_of(form)
        matrix, pay = np.eye(form.size), np.zeros(form.size)
        for s in range(form.size):
            rows = range(form.row[s], form.row[s + 1])
            for r in rows:
                pay[s] += form.reward[r] / len(rows)
                for o in range(form.out[r], form.out[r + 1]):
                    matrix[s, form.next[o]] -= 0.9 * form.prob[o] / len(rows)
        assert belief_graph.low[: form.size] == pytest.approx(np.linalg.solve(matrix, pay), abs=1e-11)


# --- the graph of beliefs --------------------------------------------------------------------------------------------


def expanded(form):
    """A belief graph in which every belief was looked into."""
    belief_graph, problem = belief_graph_of(form)
    belief = 0
    while belief < belief_graph.beliefs:
        while belief_graph.graph.rows[belief] < 0 and not expand(
            belief_graph.model, belief_graph.graph, belief_graph.count, belief
        ):
            belief_graph.grow()
        belief += 1
    return belief_graph, problem


def searched(belief_graph, problem):
    search = GraphSearch(belief_graph, problem, SearchLimits())
    while not search.step():
        pass
    return search


def told(states, weights):
    return tuple(sorted((int(s), round(float(w), 9)) for s, w in zip(states, weights)))


@pytest.mark.parametrize("seed", range(8))
def test_all_beliefs_of_a_game_that_ends(seed):
    """The compiled expansion and `forms.belief_mdp`: the same beliefs, rows, chances and rewards."""
    form = forms.pomdp(RandomGame(seed=seed, depth=4, width=3, signals=2), 0, {1: Uniform()})
    known, (belief_graph, problem) = forms.belief_mdp(form), expanded(form)
    graph = belief_graph.graph

    def name(belief):
        own = slice(graph.first[belief], graph.first[belief + 1])
        return told(graph.state[own], graph.weight[own])

    def follow(row):
        return {
            (int(graph.obs[o]), name(graph.child[o])): graph.prob[o] for o in range(graph.out[row], graph.out[row + 1])
        }

    numbers = {told(s, w): b for b, (s, w) in enumerate(zip(known.states, known.weights))}
    beliefs = [b for b in range(belief_graph.beliefs) if b != problem.root]
    assert {name(b) for b in beliefs} == set(numbers)
    for b in [problem.root, *beliefs]:
        rows = [0] if b == problem.root else range(known.row[numbers[name(b)]], known.row[numbers[name(b)] + 1])
        assert graph.many[b] == len(rows)
        for mine, theirs in zip(range(graph.rows[b], graph.rows[b] + graph.many[b]), rows):
            outs = range(known.out[theirs], known.out[theirs + 1])
            expected = {
                (int(known.obs[o]), told(known.states[known.next[o]], known.weights[known.next[o]])): known.prob[o]
                for o in outs
            }
            assert follow(mine) == pytest.approx(expected, abs=1e-12)
            assert graph.reward[mine] == pytest.approx(known.reward[theirs], abs=1e-12)


def test_beliefs_are_bayes_and_held_once():
    """Every outcome of every row against Bayes' rule on dictionaries, where beliefs recur."""
    form = forms.pomdp(make("po-nim(n=2)"), 0, {1: Uniform()})
    model, (belief_graph, problem) = plain(form), expanded(form)
    graph, names = belief_graph.graph, set()
    for b in range(belief_graph.beliefs):
        own = slice(graph.first[b], graph.first[b + 1])
        weights = dict(zip(graph.state[own].tolist(), graph.weight[own].tolist()))
        if b == problem.root:
            spread = [first_beliefs(model)]
        else:
            assert told(weights, weights.values()) not in names
            names.add(told(weights, weights.values()))
            spread = [after(model, weights, a)[1] for a in legal(model, weights)]
        for row, beliefs in zip(range(graph.rows[b], graph.rows[b] + graph.many[b]), spread, strict=True):
            outs = range(graph.out[row], graph.out[row + 1])
            assert {int(graph.obs[o]) for o in outs} == set(beliefs)
            for o in outs:
                beta = beliefs[int(graph.obs[o])]
                child = slice(graph.first[graph.child[o]], graph.first[graph.child[o] + 1])
                assert graph.prob[o] == pytest.approx(sum(beta.values()), abs=1e-12)
                assert dict(zip(graph.state[child].tolist(), (graph.weight[child] * graph.prob[o]).tolist())) == (
                    pytest.approx(beta, abs=1e-12)
                )


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_the_value_of_every_belief(seed):
    """After a search, low and high of every belief hold what dynamic programming finds there."""
    form = forms.pomdp(RandomGame(seed=seed, depth=4, width=3, signals=2), 0, {1: Uniform()})
    belief_graph, problem = belief_graph_of(form)
    searched(belief_graph, problem)
    model, graph = plain(form), belief_graph.graph

    def best(weights):
        tried = (after(model, weights, a) for a in legal(model, weights))
        return max(pay + model.discount * sum(best(b) for b in found.values()) for pay, found in tried)

    for b in range(belief_graph.beliefs):
        own = slice(graph.first[b], graph.first[b + 1])
        if b != problem.root:
            value = best(dict(zip(graph.state[own].tolist(), graph.weight[own].tolist())))
            assert graph.low[b] - 1e-10 <= value <= graph.high[b] + 1e-10


def test_a_plan_is_worth_what_its_rows_say():
    """The sweep over (belief, state) pairs against one linear system over the same pairs."""
    form = forms.pomdp(make("po-nim(n=3)"), 0, {1: Uniform()})
    belief_graph, problem = belief_graph_of(form)
    plan, graph, model = searched(belief_graph, problem).solution().plan, belief_graph.graph, belief_graph.model
    pairs = [
        (k, s) for k, b in enumerate(plan.listed) for s in graph.state[graph.first[b] : graph.first[b + 1]].tolist()
    ]
    place = {pair: n for n, pair in enumerate(pairs)}
    matrix, pay = np.eye(len(pairs)), np.zeros(len(pairs))
    for (k, s), n in place.items():
        assert plan.take[k + 1] - plan.take[k] == 1
        row = plan.row[plan.take[k]]
        r = model.row[s] + row - graph.rows[plan.listed[k]]
        pay[n] = model.reward[r]
        for o in range(model.out[r], model.out[r + 1]):
            if not model.over[model.obs[o]]:
                out = policy_evaluation._find(graph.obs, graph.out[row], graph.out[row + 1], model.obs[o])
                child = graph.child[out]
                matrix[n, place[int(plan.number[child]), int(model.next[o])]] -= model.prob[o]
    assert values(belief_graph, plan) == pytest.approx(np.linalg.solve(matrix, pay), abs=1e-10)


# --- which nodes behave alike ----------------------------------------------------------------------------------------


def random_fsc(rng, nodes, actions, observations):
    """(label, choices, arrows {(node, action, sight): node}): every node twice, so that arrows may lead to either."""
    label = rng.integers(-3, actions, nodes)
    label[label == -1] = UNIFORM
    mixed = {n: [(0.5, 0.5), (0.25, 0.75)][rng.integers(2)] for n in range(nodes) if label[n] == MIXED}
    arrows = {}
    for n in range(nodes):
        taken = [label[n]] if label[n] >= 0 else range(2 if label[n] == MIXED else actions)
        for key in [(int(a), z) for a in taken for z in range(observations) if rng.random() < 0.7]:
            to = int(rng.integers(nodes))
            for copy in (0, nodes):
                arrows[(n + copy, *key)] = to + nodes * int(rng.integers(2))
    both = mixed | {n + nodes: own for n, own in mixed.items()}
    return np.concatenate([label, label]), both, arrows


def marks_of(label, mixed, arrows, observations):
    pointer, keys, to = [0], [], []
    choice, choice_action, choice_prob = [0], [], []
    for n in range(len(label)):
        own = sorted(((a + 1) * observations + z, t) for (m, a, z), t in arrows.items() if m == n)
        keys += [k for k, _ in own]
        to += [t for _, t in own]
        pointer.append(len(keys))
        for a, p in enumerate(mixed.get(n, ())):
            choice_action.append(a)
            choice_prob.append(p)
        choice.append(len(choice_action))
    ints = [np.array(part, np.int64) for part in (choice, choice_action)]
    first = equivalence.first_marks(label, *ints, np.array(choice_prob))
    return equivalence.futures(first, *(np.array(part, np.int64) for part in (pointer, keys, to)))


def reached_from(start, arrows):
    found = [start]
    for node in found:  # grows while it is walked
        found += {t for (n, _, _), t in arrows.items() if n == node} - set(found)
    return found


def test_equal_futures_are_those_that_minimal_controllers_merge():
    """One controller a start node: as many nodes stay as there are different marks among those it reaches."""
    merged = 0
    for seed in range(30):
        label, mixed, arrows = random_fsc(np.random.default_rng(seed), nodes=7, actions=3, observations=2)
        marks = marks_of(label, mixed, arrows, observations=2)
        choices = tuple(
            Dist(tuple(enumerate(mixed[n])))
            if n in mixed
            else Dist.sure(int(own))
            if own >= 0
            else Dist.uniform(range(3))
            for n, own in enumerate(label)
        )
        worded = {(n, a, Observation(z, None)): t for (n, a, z), t in arrows.items()}
        for start in range(len(label)):
            smallest = Controller({Observation("go", None): start}, worded, choices).minimal().size
            reached = reached_from(start, arrows)
            assert len({marks[n] for n in reached}) == smallest
            merged += len(reached) - smallest
    assert merged > 100  # the draw does hold equal futures


def test_not_asked_is_part_of_what_is_seen():
    """The observations of a process carry the menu that follows, as those of the plain product do."""
    hierarchy = solve_levels(make("po-nim(n=2)"), 1)
    compiled = hierarchy.process(1, 1)
    first = [compiled.observations[z] for z in compiled.obs[: compiled.out[1]]]
    assert [legal for _, legal in first] == [NOT_ASKED]
