"""The belief search's kernels against references, its plans against linear algebra, its proofs against sabotage."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fogbound import evaluation, forms, verify
from fogbound.certificates.certificate import plain as as_checked
from fogbound.certificates.checking import evidence
from fogbound.evaluation.plan_values import policy_graph_value
from fogbound.forms.mixed_observability import mixed_observability
from fogbound.forms.pomdp import steps_left
from fogbound.solvers.pomdp.hsvi import improvement
from fogbound.solvers.pomdp.hsvi import search as belief_search
from fogbound.solvers.pomdp.hsvi import upper_evidence as proofs
from fogbound.solvers.pomdp.hsvi.hull import lower_by_hull
from fogbound.solvers.pomdp.hsvi.improvement import improve_bounds
from fogbound.solvers.pomdp.hsvi.kernels.backup import (
    current,
    evaluate_vectors,
    make_vector,
    refresh,
    sawtooth_bound,
    update_action_bound,
)
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import NODES, ROOT, WEIGHTS, WORK, support_mask, weighted_sum
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE, SARSOP_RULE
from fogbound.solvers.pomdp.hsvi.kernels.witnesses import BY_INFORMED, NEVER, WHOLE_ACTION
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.hsvi.solution import HSVISolution, evaluated_policy_graph
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, qmdp_bound
from fogbound.solvers.pomdp.kernels import informed_sweep
from fogbound.verify.pomdp.form import read_pomdp
from fogbound.verify.pomdp.upper import upper as checked_upper
from tests.pomdps import ending_value, game_of, line_interval, plain, random_dense, random_flat, random_listed

few = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
seeds = st.integers(0, 2**32 - 1)
BOTH = ((HSVI_RULE, 0.9), (SARSOP_RULE, 0.5))


def model(seed):
    """All shapes in turn: dense, with an observed part, unequal menus with endings and without discount."""
    kind = seed % 3
    if kind == 0:
        return random_flat(seed, 0.9, states=4, actions=3, observations=2)
    if kind == 1:
        return random_flat(seed, 0.95, states=6, fill=0.4, known=2, shown=True)
    return forms.pomdp(random_listed(seed, 1.0 if seed % 2 else 0.9))


def searched(form, work=30_000):
    search = HeuristicSearch(mixed_observability(form), {})
    improve_bounds(search, BOTH, work)
    return search


class Opened:
    """A search's records, read one by one."""

    def __init__(self, search):
        self.search, self.cut, self.state = search, search.blocks, search.state
        self.tree, self.vectors, self.upper = self.state.tree, self.state.vectors, self.state.points
        self.informed, self.corner = self.state.informed, self.upper.corner
        self.size = np.diff(self.cut.first)

    def alpha(self, vector, block):
        at = self.vectors.alpha[vector]
        return self.vectors.value[at : at + self.size[block]]

    def points(self, block):
        """(value, excess, belief) of each."""
        for point in self.search.points(block):
            support = slice(*self.upper.support[point : point + 2])
            belief = np.zeros(self.size[block])
            belief[self.upper.state[support]] = self.upper.weight[support]
            yield self.upper.value[point], self.upper.excess[point], belief

    def nodes(self):
        for node in self.tree.bucket:
            while node >= 0:
                yield int(node), int(self.tree.block[node])
                node = self.tree.next[node]

    def belief(self, node):
        at, block = self.tree.belief[node], self.tree.block[node]
        return self.tree.weight[at : at + self.size[block]]

    def corners(self, block):
        return self.corner[self.cut.first[block] : self.cut.first[block + 1]]

    def reward(self, choice, table=None):
        table = self.cut.reward if table is None else table
        return table[self.cut.offset[choice] : self.cut.offset[choice + 1]]

    def moves(self, outcome, block):
        """[from, to] weights."""
        cut, found = self.cut, np.zeros((self.size[block], self.size[self.cut.target[outcome]]))
        for s in range(len(found)):
            for e in range(cut.start[cut.begin[outcome] + s], cut.start[cut.begin[outcome] + s + 1]):
                found[s, cut.to[e]] += cut.weight[e]
        return found

    def choices(self, block):
        return range(self.cut.choice[block], self.cut.choice[block + 1])

    def outcomes(self, choice):
        return range(self.cut.outcome[choice], self.cut.outcome[choice + 1])

    def saw(self, block, beta):
        """Corners, less the best excess, of an unnormalised belief."""
        gains = [excess * (beta[b > 0] / b[b > 0]).min() for _, excess, b in self.points(block)]
        return float(self.corners(block) @ beta) + min([0.0, *gains])

    def informed_bound(self, block, beta):
        return max(float(self.reward(choice, self.informed) @ beta) for choice in self.choices(block))


# --- kernels ---------------------------------------------------------------------------------------------------


@few
@given(seed=seeds, n=st.integers(0, 70))
def test_dot(seed, n):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n + 5), rng.normal(size=n + 3)
    exact = math.fsum(float(a) * float(b) for a, b in zip(x[2 : 2 + n], y[1 : 1 + n]))
    assert abs(weighted_sum(x, 2, y, 1, n) - exact) <= 1e-15 * n * 20


@few
@given(seed=seeds)
def test_sawtooth(seed):
    search = searched(model(seed))
    search.make_room(search.room)
    o, rng = Opened(search), np.random.default_rng(seed)
    for block in range(o.cut.size):
        n, at = int(o.size[block]), int(o.state.used[WEIGHTS])
        for _ in range(20):
            belief = rng.dirichlet(np.full(n, 0.5)) * (rng.random(n) < 0.8)
            belief = belief / belief.sum() if belief.any() else np.eye(n)[0]
            o.tree.weight[at : at + n] = belief
            mask = support_mask(o.tree.weight[at : at + n], 0, n)
            assert sawtooth_bound(o.state, block, at, mask, -1) == pytest.approx(
                o.saw(block, belief), rel=1e-12, abs=1e-12
            )


@few
@given(seed=seeds)
def test_points_remember_their_distance_to_the_corners(seed):
    o = Opened(searched(model(seed)))
    for block in range(o.cut.size):
        for value, excess, belief in o.points(block):
            assert excess == pytest.approx(value - float(o.corners(block) @ belief), abs=1e-9)
            assert belief.sum() == pytest.approx(1, abs=1e-12)


@few
@given(seed=seeds)
def test_informed_sweep(seed):
    form = model(seed)
    o = Opened(searched(form, 1))
    swept = qmdp_bound(UnderlyingMDP(o.cut))
    q = swept.copy()
    for _ in range(3):
        change = informed_sweep(UnderlyingMDP(o.cut).model, swept, o.cut.size)
        most = 0.0
        for block in range(o.cut.size):
            for choice in o.choices(block):
                for s in range(o.size[block]):
                    total = float(o.reward(choice)[s])
                    for j in o.outcomes(choice):
                        beta = o.moves(j, block)[s]
                        if beta.any():
                            total += max(float(o.reward(k, q) @ beta) for k in o.choices(o.cut.target[j]))
                    at = o.cut.offset[choice] + s
                    most, q[at] = max(most, q[at] - total), min(q[at], total)
        assert swept == pytest.approx(q, rel=1e-12, abs=1e-12)
        assert change == pytest.approx(most, rel=1e-6, abs=1e-12)


@pytest.mark.slow
@few
@given(seed=seeds)
def test_a_backups_vector_is_sondiks(seed):
    """The best over all vectors for each observation; before vectors are lifted, after which nodes look at fewer."""
    search = HeuristicSearch(mixed_observability(model(seed)), {})
    search.make_room(64 * search.room)
    o = Opened(search)
    for node, block in list(o.nodes())[:20]:
        refresh(o.state, node)
        belief = o.belief(node).copy()
        for k, choice in enumerate(o.choices(block)):
            update_action_bound(o.state, node, k, 0.0)
            expected = float(o.reward(choice) @ belief)
            for j in o.outcomes(choice):
                beta, target = belief @ o.moves(j, block), o.cut.target[j]
                expected += max(float(o.alpha(v, target) @ beta) for v in search.vectors(target))
            vector = make_vector(o.state, node, k)
            assert float(o.alpha(vector, block) @ belief) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@few
@given(seed=seeds)
def test_lift(seed):
    o = Opened(searched(model(seed)))
    listed = [(block, v) for block in range(o.cut.size) for v in reversed(o.search.vectors(block))]
    expected = {v: o.alpha(v, block).copy() for block, v in listed}
    for block, vector in listed:
        choice, after = int(o.vectors.choice[vector]), int(o.vectors.successors[vector])
        raised = o.reward(choice).copy()
        for k, j in enumerate(o.outcomes(choice)):
            raised += o.moves(j, block) @ expected[current(o.vectors, o.vectors.successor[after + k])]
        expected[vector] = np.maximum(expected[vector], raised)
    evaluate_vectors(o.state, o.cut.size)
    for block, vector in listed:
        assert o.alpha(vector, block) == pytest.approx(expected[vector], rel=1e-12, abs=1e-12)


@few
@given(seed=seeds)
def test_bounds_of_every_belief_are_in_order(seed):
    o = Opened(searched(model(seed), 300_000))
    for node, block in o.nodes():
        refresh(o.state, node)
        low, high = o.tree.V_lower[node], o.tree.V_upper[node]
        best = max(float(o.alpha(v, block) @ o.belief(node)) for v in o.search.vectors(block))
        assert low <= best + 1e-9
        assert best <= high + 1e-7 * max(1.0, abs(high))


def deep(seed):
    """A search whose trials are long: what is far ahead counts nearly as much as what is near."""
    return HeuristicSearch(
        mixed_observability(random_dense(seed, 0.999, states=8, actions=3, observations=3).form()), {}
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_trial_stops_when_it_must(seed, monkeypatch):
    monkeypatch.setattr(improvement, "AT_ONCE", 2_000)
    search, free = deep(seed), deep(seed)
    count, asked = search.state.count, []

    def stopping():
        asked.append(int(search.state.count[WORK]))
        return len(asked) > 2  # inside the first trial

    improve_bounds(free, BOTH, 10**9, most=2)
    begun = int(count[WORK])
    improve_bounds(search, BOTH, 10**9, most=2, stopping=stopping)
    assert search.state.count[WORK] - begun < min(40_000, (free.state.count[WORK] - begun) / 2)
    lower, upper = search.bounds()
    improve_bounds(free, BOTH, 3_000_000)
    assert lower <= free.bounds()[1] + 1e-9
    assert upper >= free.bounds()[0] - 1e-9


@pytest.mark.parametrize("seed", range(2))
def test_looking_at_the_clock_inside_a_trial_changes_nothing(seed, monkeypatch):
    found = []
    for at_once in (500, 10**9):
        monkeypatch.setattr(improvement, "AT_ONCE", at_once)
        search = deep(seed)
        improve_bounds(search, BOTH, 300_000)
        found.append((search.bounds(), search.state.used.tolist(), search.state.count.tolist()))
    assert found[0] == found[1]


def all_witnesses(claims, proof):
    """The best witnesses of all points that the start needs; how many these are."""
    choosing = proofs.Choosing(claims, proof)
    assert choosing.whole()
    return choosing.count


def test_witnesses_are_chosen_a_few_points_at_a_time(monkeypatch):
    """One call for all of them would let nobody stop for seconds where there are thousands of points."""
    search, asked = searched(model(3), 300_000), []
    monkeypatch.setattr(proofs, "check", lambda: asked.append(1))
    told = {}
    for at_once in (1, 3, 10**6):
        monkeypatch.setattr(proofs, "AT_ONCE", at_once)
        claims = proofs.claims_of(search)
        proof = proofs.empty_proof(search, claims)
        asked.clear()
        needed = all_witnesses(claims, proof)
        assert len(asked) == -(-needed // at_once)
        told[at_once] = needed, *(array.tolist() for array in (proof.queue, proof.begin, proof.witness))
    assert told[1][0] > 3
    assert told[1] == told[3] == told[10**6]


@pytest.mark.parametrize("seed", range(6))
def test_thinner_evidence_proves_what_it_says(seed):
    """Raised claims, rounded to a grid: what the checker finds is no more than what was promised."""
    search = searched(model(seed), 300_000)
    (lower, upper), form = search.bounds(), search.blocks.pomdp
    pomdp, little, promised = read_pomdp(as_checked(form.arrays())), 1e-9 * max(1.0, abs(upper)), []
    for steps in (1e2, 1e3, 1e4, 1e6):
        choosing = proofs._within(search, partial(float, steps), 1.0)
        if choosing is None:
            continue
        assert choosing.steps <= steps
        promised.append(proofs._settled(search, choosing))
        shown = proofs._arrays(search, choosing)
        if form.discount == 1:
            shown["steps_left"] = steps_left(form)
        assert upper - little <= checked_upper(pomdp, as_checked(shown)) <= promised[-1] + little
        assert choosing.grid < 1e-12 or (shown["fib"] % choosing.grid == 0).all()
    assert promised == sorted(promised, reverse=True)
    assert promised[-1] <= upper + 1e-3 * (upper - lower) + little


@pytest.mark.slow
@few
@given(seed=seeds)
def test_the_chosen_witness_is_the_best_bound(seed):
    search = searched(model(seed))
    o, claims = Opened(search), proofs.claims_of(search)
    o.corner = claims.corner
    proof = proofs.empty_proof(search, claims)
    needed = all_witnesses(claims, proof)
    gap, queue, begin, witness, count = claims.gap, proof.queue, proof.begin, proof.witness, len(claims.home)
    dense = np.zeros((count, int(o.size.max())))
    dense[proofs._owners(claims.start), claims.state] = claims.weight

    def says(chosen, block, beta):
        if chosen == BY_INFORMED:
            return o.informed_bound(block, beta)
        base = float(o.corners(block) @ beta)
        if chosen < 0:
            return base
        own = dense[chosen, : len(beta)]
        return base + gap[chosen] * (beta[own > 0] / own[own > 0]).min()

    for p in range(needed):
        block, at = claims.home[queue[p]], begin[p]
        belief = dense[queue[p], : o.size[block]]
        for choice in o.choices(block):
            whole = float(o.reward(choice, o.informed) @ belief)
            for k, j in enumerate(o.outcomes(choice)):
                beta, target = belief @ o.moves(j, block), o.cut.target[j]
                sources = [-1, BY_INFORMED, *np.flatnonzero(claims.home == target)]
                if witness[at + k] == WHOLE_ACTION:
                    assert whole <= claims.value[queue[p]] + 1e-9
                elif not beta.any():
                    assert witness[at + k] == NEVER
                else:
                    best = min(says(c, target, beta) for c in sources)
                    assert says(witness[at + k], target, beta) == pytest.approx(best, rel=1e-9, abs=1e-9)
            at += max(len(o.outcomes(choice)), 1)


# --- plans -----------------------------------------------------------------------------------------------------


def chained(plan):
    """(node, state) -> value and steps of a plan, by a dense linear system over the pairs that play meets."""
    form = plain(plan.pomdp)
    begin, arrow = dict(plan.begin.tolist()), {(n, z): after for n, z, after in plan.arrow.tolist()}
    first = {(begin[z], s) for z, s, _ in form.opening if s in form.rules}
    pairs, number = sorted(first), {}
    for pair in pairs:  # grows while it is walked
        number[pair] = len(number)
        node, s = pair
        for z, t, _ in form.rules[s][int(plan.action[node])][1]:
            after = (arrow[node, z], t) if t in form.rules else None
            if after is not None and after not in pairs:
                pairs.append(after)
    system, pay = np.eye(len(pairs)), np.zeros((len(pairs), 2))
    for k, (node, s) in enumerate(pairs):
        paid, outcomes = form.rules[s][int(plan.action[node])]
        pay[k] = paid, 1.0
        for z, t, p in outcomes:
            if t in form.rules:
                system[k, number[arrow[node, z], t]] -= form.discount * p
    solved = np.linalg.solve(system, pay)
    total = form.paid + sum(p * solved[number[begin[z], s], 0] for z, s, p in form.opening if s in form.rules)
    return total, {pair: tuple(solved[k]) for pair, k in number.items()}


@few
@given(seed=seeds)
def test_the_plan_is_worth_what_it_says(seed):
    search = searched(model(seed))
    found = evaluated_policy_graph(search)
    total, exact = chained(found.plan)
    assert found.total == pytest.approx(total, rel=1e-9, abs=1e-9)
    assert {tuple(pair) for pair in found.pair.tolist()} == set(exact)
    assert found.value == pytest.approx([exact[tuple(p)][0] for p in found.pair.tolist()], rel=1e-9, abs=1e-9)
    if search.blocks.pomdp.discount == 1:
        assert found.steps == pytest.approx([exact[tuple(p)][1] for p in found.pair.tolist()], rel=1e-9)
    again = policy_graph_value(found.plan)
    assert again.total == pytest.approx(total, rel=1e-9, abs=1e-9)
    assert {tuple(p): v for p, v in zip(again.pair.tolist(), again.value)} == pytest.approx(
        {pair: value for pair, (value, _) in exact.items()}, rel=1e-9, abs=1e-9
    )
    played = {0: found.plan.controller()}
    assert evaluation.value(game_of(search.blocks.pomdp), played)[0] == pytest.approx(total, rel=1e-9, abs=1e-9)
    assert total >= search.bounds()[0] - 1e-9


@few
@given(seed=seeds)
def test_the_smallest_plan_is_small_and_the_same(seed):
    """Unrolled copies of a plan's nodes melt into the plan again; what cannot be told apart in play is one."""
    plan = evaluated_policy_graph(searched(model(seed))).plan
    n, copies = plan.size, 3
    rng = np.random.default_rng(seed)
    arrow = [
        (node + n * k, z, after + n * int(rng.integers(copies))) for k in range(copies) for node, z, after in plan.arrow
    ]
    begin = [(z, node + n * int(rng.integers(copies))) for z, node in plan.begin]
    wide = type(plan)(plan.pomdp, np.tile(plan.action, copies), np.array(begin), np.array(arrow).reshape(-1, 3))
    lean, named = wide.merged()
    assert lean.size == plan.minimal().size == plan.size
    assert policy_graph_value(lean).total == pytest.approx(policy_graph_value(wide).total, rel=1e-12, abs=1e-12)
    assert set(named[named >= 0].tolist()) == set(range(lean.size))


# --- proofs under sabotage -------------------------------------------------------------------------------------


def spoil(search, rng, size):
    """Vectors raised, points lowered, corners and informed bounds lowered, the start's own bounds crossed."""
    o = Opened(search)
    for block in range(o.cut.size):
        for vector in search.vectors(block):
            o.alpha(vector, block)[:] += size * rng.random(o.size[block]) * (rng.random() < 0.5)
        for point in search.points(block):
            fall = size * rng.random() * (rng.random() < 0.5)
            o.upper.value[point] -= fall
            o.upper.excess[point] -= fall
    o.corner -= size * rng.random(len(o.corner)) * (rng.random(len(o.corner)) < 0.3)
    if rng.random() < 0.5:
        o.informed -= size * rng.random(len(o.informed)) * (rng.random(len(o.informed)) < 0.3)
    o.tree.V_lower[ROOT] += size
    o.tree.V_upper[ROOT] -= size


def proven(search):
    form = search.blocks.pomdp
    return evidence(form, {}, form.player, HSVISolution(search, "controller").evidence().arrays).check()


@pytest.mark.slow
def test_noise_in_the_search_never_becomes_a_false_proof():
    rng = np.random.default_rng(7)
    checked = 0
    for seed in range(45):
        if seed % 3 == 0:
            form = random_flat(seed, 0.9, states=2)
            low, high = line_interval(form, 64)
        else:
            form = forms.pomdp(random_listed(seed, 1.0 if seed % 2 else 0.75, forward=True))
            low = high = ending_value(form)
        search = searched(form, 20_000)
        spoil(search, rng, 10.0 ** rng.integers(-9, 3))
        try:
            proof = proven(search)
        except verify.Refused:
            continue
        checked += 1
        assert proof.lower <= high + 1e-9
        assert proof.upper >= low - 1e-9
    assert checked > 30


@pytest.mark.slow
def test_a_proof_is_as_good_as_the_search():
    closed = 0
    for seed in range(40):
        search = searched(model(seed), 3_000_000)
        lower, upper = search.bounds()
        if upper - lower < 1e-3:
            closed += 1
            proof = proven(search)
            assert proof.upper - proof.lower <= 1.1 * (upper - lower) + 1e-10
    assert closed >= 10


# --- a search that forgets its beliefs -------------------------------------------------------------------------


@pytest.mark.slow
@few
@given(seed=seeds)
def test_forgetting_beliefs_keeps_the_bounds_and_the_plan(seed):
    search = searched(model(seed), 60_000)
    before, plan = search.bounds(), evaluated_policy_graph(search).total
    search.forget_beliefs()
    lower, upper = search.bounds()
    assert (lower, upper) == pytest.approx(before, rel=1e-12)
    assert evaluated_policy_graph(search).total >= plan - 1e-9 * max(1.0, abs(plan))
    improve_bounds(search, BOTH, 60_000)
    lower, upper = search.bounds()
    assert lower >= before[0] - 1e-9 * abs(before[0])
    assert upper <= before[1] + 1e-9 * abs(before[1])
    proof = proven(search)
    assert proof.lower <= upper + 1e-9 * abs(upper)
    assert proof.upper >= lower - 1e-9 * abs(lower)


def test_how_much_room_there_is_at_first_changes_nothing(monkeypatch):
    form = random_flat(0, 0.95, states=6, fill=0.4, known=2, shown=True)
    wide = searched(form, 300_000)
    monkeypatch.setattr(belief_search, "LEAST", 1)
    monkeypatch.setattr(belief_search, "BACKUPS_AT_FIRST", 1)
    narrow = HeuristicSearch(mixed_observability(form), {})
    least = narrow.state.capacity.copy()
    improve_bounds(narrow, BOTH, 300_000)
    assert (narrow.state.capacity > least).all()
    assert narrow.bounds() == wide.bounds()
    assert narrow.state.count.tolist() == wide.state.count.tolist()


def test_the_hull_survives_forgetting(monkeypatch):
    form = random_flat(0, 0.9, states=2)
    search = searched(form, 100_000)
    search.state.capacity[:] = search.state.used + 1
    monkeypatch.setattr(belief_search, "MOST_BYTES", int(search.state.capacity @ search.pools.entry_bytes()))
    beliefs = int(search.state.used[NODES])
    lower_by_hull(search)
    assert search.state.used[NODES] < beliefs
    low, high = line_interval(form)
    assert search.bounds()[0] <= high
    assert search.bounds()[1] >= low
