"""The answer of a search: a policy that is evaluated exactly, evidence for both bounds, and less of it in time.

The vectors that the start needs are a plan: minimal, exactly evaluated, and evidence for the lower bound.

For a check that must not take long the plan is thinned. The nodes that play visits most often stay. An arrow that leads
to another one leads to that remaining node of the same block instead which earns most for the states in which play
comes that way, and so do the others where that is better. The thinner controller is evaluated anew, and its value is
the lower bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.certificates.pomdp import POMDP_RATE
from fogbound.core.cancel import check
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Evidence, Progress, Thinning
from fogbound.evaluation.plan_values import policy_graph_value
from fogbound.forms.arrays import Floats, Ints, ranges, runs_of
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.mixture import fixed_others
from fogbound.policies.policy_graph import PolicyGraph
from fogbound.solvers.pomdp.acceleration import settle
from fogbound.solvers.pomdp.greedy import GreedyVectors, policy_graph_evidence
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import BACKUPS, NODES, ROOT, VectorSet
from fogbound.solvers.pomdp.hsvi.lower_vectors import best_first_vectors, lower_bound_vectors
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.hsvi.upper_evidence import MAKING, Budget, point_evidence, points_work
from fogbound.solvers.pomdp.kernels import VectorGraph, evaluate_sweep, mark_reached, redirect, visit_sweep

SOON, SWEEPS = 500, 20_000
CARELESS = 1e-6  # of the gap: how far below its value a very large plan may be put
DIRECT = 50_000  # pairs up to which a plan that settles slowly is evaluated by one linear system
SETTLED = 1e-15
VISITS = 30  # of visits: enough to tell which nodes are met often
FADED = 1e-3  # of all visits: what is left when the sweeps end
SETTLING, STEADY = 300, 1e-7  # sweeps of values; of the largest one, a change that is not worth another
ROUNDS = 4  # of redirecting, as long as the plan gets better
LOWER_WORK = 3e8  # multiplications that settle all vectors of the lower bound: some tenths of a second
WORK, VISIT_WORK = 8e8, 6e8  # multiplications for all their sweeps of values, and for each time of visits
EVALUATION_WORK = 2e9  # multiplications for the evaluation of a plan of more than `DIRECT` pairs
REDIRECTING = 5e8  # multiplications of a round, which tries every node for every arrow
CHOOSING = 5e-3  # of a step of the checker: a point that is tried as a witness of another's outcome
EVALUATING = 0.25  # of a step of the checker: an outcome of a pair, in all sweeps that evaluate a smaller controller
THINNED_CARELESS = 1e-2  # of the gap: what the evaluation of a smaller controller may cost
POLICY_SHARE, MOST_POLICY_SHARE = 0.5, 0.75  # of what the checker can do in time
SMALL_SHARE = 0.3  # of it: a policy that takes no more is not thinned ...
LOSS = 0.05  # of the gap: ... nor one that thinning costs more, where all of it fits

InTime = Callable[[], bool]


def always() -> bool:
    """There is no limit of time."""
    return True


@dataclass(frozen=True, eq=False)
class EvaluatedPolicyGraph:
    """A plan with its value at every pair (node, state) that it meets."""

    plan: PolicyGraph
    total: float  # its value at the start
    pair: Ints  # [P, 2]
    value: Floats  # [P]
    steps: Floats  # [P] expected to remain (where there is no discount)

    @property
    def pairs(self) -> int:
        """What the checker has to look at."""
        return len(self.pair)

    def details(self) -> dict[str, Any]:
        """What only becomes known with the evidence."""
        return {"controller_nodes": self.plan.size}

    def earned(self) -> float:
        """What the plan earns from the start on."""
        return self.total

    def profile(self) -> dict[int, Strategy]:
        """The player that follows the plan, and the others as they were fixed."""
        return {self.plan.pomdp.player: self.plan.controller(), **fixed_others(self.plan.pomdp)}

    def evidence(self) -> dict[str, NDArray[Any]]:
        """In the checker's layout."""
        return policy_graph_evidence(self.plan, self.pair, self.value, self.steps)


def vector_graph(search: HeuristicSearch, settled: VectorGraph | None = None) -> VectorGraph:
    """Collect the vectors that the start's best vector can lead to, or the best for the start of all, settled."""
    root = _follow(search, _kept(search.state.vectors, int(search.state.tree.best[ROOT])))
    if settled is not None:
        root = best_first_vectors(search, root, settled)
    queue = list(dict.fromkeys(root))
    known = set(queue)
    for vector in queue:  # grows while it is walked
        for after in _follow(search, vector):
            if after not in known:
                known.add(after)
                queue.append(after)
    return _graph(search, queue, root)


def every_vector(search: HeuristicSearch) -> VectorGraph:
    """All vectors of the lower bound, but the start's: whatever one of them goes on with is there too."""
    return _graph(search, [vector for block in range(1, search.blocks.size) for vector in search.vectors(block)], [])


def _graph(search: HeuristicSearch, listed: list[int], root: list[int]) -> VectorGraph:
    vectors = search.state.vectors
    order = np.sort(np.array(listed, np.int64))
    number = {vector: k for k, vector in enumerate(order.tolist())}
    after = np.array([number[after] for v in order.tolist() for after in _follow(search, v)], np.int64)
    first = np.array([number[vector] for vector in root], np.int64)
    graph = search.mdp.vector_graph(vectors.choice[order], after, first=first)
    graph.value[:] = vectors.value[ranges(vectors.alpha[order], np.diff(graph.pairs))]
    return graph


def _follow(search: HeuristicSearch, vector: int) -> list[int]:
    """The vectors that a vector goes on with, one for each outcome of its choice."""
    vectors, blocks = search.state.vectors, search.blocks
    first, choice = int(vectors.successors[vector]), int(vectors.choice[vector])
    many = int(blocks.outcome[choice + 1] - blocks.outcome[choice])
    return [_kept(vectors, after) for after in vectors.successor[first : first + many].tolist()]


def _kept(vectors: VectorSet, vector: int) -> int:
    """The vector itself, or what replaced it."""
    while vectors.replaced[vector] >= 0:
        vector = int(vectors.replaced[vector])
    return vector


def evaluated_policy_graph(
    search: HeuristicSearch, graph: VectorGraph | None = None, careless: float = 0.0, in_time: InTime = always
) -> EvaluatedPolicyGraph:
    """Evaluate vectors as a plan, drop what play never meets, and make it minimal.

    Parameters
    ----------
    search
        Where the vectors are from.
    graph
        The vectors; those that the start's best one leads to where none are given.
    careless
        How much of the gap the evaluation may cost; 0 = next to nothing, by one linear system where that is quicker.
    in_time
        Whether there is time for another sweep.
    """
    blocks, form, graph = search.blocks, search.blocks.pomdp, graph or vector_graph(search)
    reached, followed = np.zeros(len(graph.value), bool), np.zeros(len(graph.after), bool)
    outcome, begun = _opening(search, graph)
    stack = np.zeros((len(graph.value) + 1, 2), np.int64)
    _, once = np.unique(begun, return_index=True)
    reached[begun] = True
    stack[: len(once)] = np.stack([graph.first[outcome[once]], blocks.to[once]], axis=1)
    mark_reached(graph, reached, followed, stack, np.int64(len(once)))
    value, steps = np.where(reached, graph.value, 0.0), np.zeros(len(graph.value))
    small, slow = bool(reached.sum() <= DIRECT) and not careless, False
    lower, upper = search.bounds()
    rest = 0.0 if small else (careless or CARELESS) * (upper - lower) / search.horizon()
    owed, most = 0.0, SOON if small else _affordable(graph, SWEEPS, EVALUATION_WORK)
    for column, rewarded in ((value, True), (steps, False)) if form.discount == 1 else ((value, True),):
        enough = max(rest, SETTLED * float(np.abs(column).max(initial=0.0)))
        sweep = partial(_evaluation_sweep, graph, reached, rewarded)
        change = settle(sweep, column, enough, most, in_time) if careless else _plainly(sweep, column, enough, most)
        slow = slow or change > enough
        owed = max(owed, change * search.horizon() if careless and change > enough else 0.0)
    total = (
        float(form.reward[0] + blocks.weight[: len(outcome)] @ value[begun]) if len(begun) else float(form.reward[0])
    )
    lean = _lean(search, graph, reached, followed, value, steps, total - owed)
    return _solved(lean) if slow and small else lean


def _evaluation_sweep(graph: VectorGraph, reached: NDArray[np.bool_], rewarded: bool, value: Floats) -> float:
    return float(evaluate_sweep(graph, len(graph.choice), reached, value, rewarded))


def _plainly(sweep: Callable[[Floats], float], value: Floats, enough: float, most: int) -> float:
    """Sweep at most so often; claims of a search still hold after each sweep. The change that is left."""
    change = np.inf
    for _ in range(most):
        check()
        change = sweep(value)
        if change <= enough:
            break
    return change


def _solved(lean: EvaluatedPolicyGraph) -> EvaluatedPolicyGraph:
    """The same plan, evaluated by one linear system."""
    exact = policy_graph_value(lean.plan, DIRECT)
    return EvaluatedPolicyGraph(lean.plan, exact.total, exact.pair.astype(np.int64), exact.value, exact.steps)


def _lean(
    search: HeuristicSearch,
    graph: VectorGraph,
    reached: NDArray[np.bool_],
    followed: NDArray[np.bool_],
    value: Floats,
    steps: Floats,
    total: float,
) -> EvaluatedPolicyGraph:
    """The plan with the arrows that are followed, merged; pairs and values named by its nodes."""
    blocks = search.blocks
    node = np.repeat(np.arange(len(graph.choice)), np.diff(graph.arrows))
    outcome = blocks.outcome[graph.choice[node]] + np.arange(len(graph.after)) - graph.arrows[node]
    arrow = np.stack([node, blocks.obs[outcome], graph.after], axis=1)[followed]
    begin = np.stack([blocks.obs[: len(graph.first)], graph.first], axis=1)
    plan, named = PolicyGraph(blocks.pomdp, blocks.action[graph.choice], begin, arrow).merged()
    owner = np.repeat(np.arange(len(graph.choice)), np.diff(graph.pairs))
    state = blocks.state[search.mdp.members(graph)]
    mine = np.flatnonzero(reached & (named[owner] >= 0))
    pairs = np.stack([named[owner[mine]], state[mine]], axis=1).astype(np.int64)
    pairs, once = np.unique(pairs, axis=0, return_index=True)
    return EvaluatedPolicyGraph(plan, total, pairs, value[mine[once]], steps[mine[once]])


def thinned_graph(search: HeuristicSearch, graph: VectorGraph, pairs: float, in_time: InTime = always) -> VectorGraph:
    """The same plan with about that number of (node, state) pairs; one node of every reachable block stays."""
    visits = visits_of(search, graph, in_time)
    kept = _most_visited(search, graph, visits, min(pairs, _redirectable(search, graph)))
    _redirect(search, graph, kept, visits, every=False)
    best = thin = _part(search, graph, np.flatnonzero(kept))
    total = -np.inf
    for _ in range(ROUNDS):
        check()
        if not in_time() or (earned := _settle(search, thin, in_time)) <= total:
            break
        total, best = earned, _copy(thin)
        visits = visits_of(search, thin, in_time)
        if not in_time() or not _redirect(search, thin, np.ones(len(thin.choice), bool), visits, every=True):
            break
    return best


def _redirectable(search: HeuristicSearch, graph: VectorGraph) -> float:
    """About how many pairs a plan may have for a round of redirecting to take `REDIRECTING` multiplications."""
    nodes = len(graph.choice)
    size, arrows = len(graph.value) / nodes, max(len(graph.after) / nodes, 1.0)
    blocks = len(np.unique(runs_of(search.blocks.choice, graph.choice)))
    return size * float(np.sqrt(REDIRECTING * blocks / (arrows * size)))


def _redirect(search: HeuristicSearch, graph: VectorGraph, kept: NDArray[np.bool_], visits: Floats, every: bool) -> int:
    """Let arrows lead to the best of the nodes that are kept, all or those that must; how many were changed."""
    block, listed = runs_of(search.blocks.choice, graph.choice), np.flatnonzero(kept)
    listed = listed[np.argsort(block[listed], kind="stable")]
    lists = np.searchsorted(block[listed], np.arange(search.blocks.size + 1))
    belief = np.zeros(int(np.diff(search.blocks.first).max()))
    return int(redirect(graph, kept, every, listed, lists, visits, belief))


def _settle(search: HeuristicSearch, graph: VectorGraph, in_time: InTime) -> float:
    """Evaluate the plan at all of its pairs; what it earns from the first of its nodes on."""
    sweep = partial(_evaluation_sweep, graph, np.ones(len(graph.value), bool), True)
    enough = STEADY * float(np.abs(graph.value).max(initial=0.0))
    settle(sweep, graph.value, enough, _affordable(graph, SETTLING, WORK / ROUNDS), in_time)
    _, begun = _opening(search, graph)
    return float(search.blocks.weight[: len(begun)] @ graph.value[begun])


def _affordable(graph: VectorGraph, most: int, work: float) -> int:
    """How many sweeps over all pairs of a plan this work allows, `most` at most."""
    sweep = len(graph.value) * len(graph.model.weight) / max(len(graph.model.reward), 1)
    return max(1, int(min(most, work / max(sweep, 1.0))))


def _copy(graph: VectorGraph) -> VectorGraph:
    return replace(graph, after=graph.after.copy(), value=graph.value.copy())


def _opening(search: HeuristicSearch, graph: VectorGraph) -> tuple[Ints, Ints]:
    """By entry of the start: the outcome that it belongs to, and the pair in which play begins."""
    blocks, first = search.blocks, search.blocks.begin[: len(graph.first)]
    outcome = np.repeat(np.arange(len(graph.first)), blocks.start[first + 1] - blocks.start[first])
    return outcome, graph.pairs[graph.first[outcome]] + blocks.to[: len(outcome)]


def visits_of(search: HeuristicSearch, graph: VectorGraph, in_time: InTime = always) -> Floats:
    """[pairs] how often play comes to each, discounted."""
    _, begun = _opening(search, graph)
    visits = np.bincount(begun, search.blocks.weight[: len(begun)], len(graph.value)).astype(np.float64)
    step, after = visits.copy(), np.zeros_like(visits)
    for _ in range(_affordable(graph, VISITS, VISIT_WORK)):
        check()
        left = visit_sweep(graph, step, after)
        step, after = after, step
        visits += step
        if left <= FADED * visits.sum() or not in_time():
            break
    return visits


def _most_visited(search: HeuristicSearch, graph: VectorGraph, visits: Floats, pairs: float) -> NDArray[np.bool_]:
    """[nodes] the first ones, then the most visited, and one for every block that any of them leads to."""
    mass = np.add.reduceat(visits, graph.pairs[:-1])
    kept = np.zeros(len(graph.choice), bool)
    kept[graph.first] = True
    order = np.argsort(-mass, kind="stable")
    size = np.diff(graph.pairs)
    kept[order[np.cumsum(size[order]) <= pairs - size[kept].sum()]] = True
    block = runs_of(search.blocks.choice, graph.choice)
    likeliest = np.full(search.blocks.size, -1)
    likeliest[block[order[::-1]]] = order[::-1]  # of each block, the most visited node
    while True:
        own = np.flatnonzero(kept)
        led = np.unique(block[graph.after[ranges(graph.arrows[own], np.diff(graph.arrows)[own])]])
        missing = np.setdiff1d(led, block[own])
        if not len(missing):
            return kept
        kept[likeliest[missing]] = True


def _part(search: HeuristicSearch, graph: VectorGraph, kept: Ints) -> VectorGraph:
    """These nodes alone, none of which leads to another."""
    number = np.full(len(graph.choice), -1)
    number[kept] = np.arange(len(kept))
    after = graph.after[ranges(graph.arrows[kept], np.diff(graph.arrows)[kept])]
    value = graph.value[ranges(graph.pairs[kept], np.diff(graph.pairs)[kept])]
    return search.mdp.vector_graph(graph.choice[kept], number[after], value, number[graph.first])


@dataclass(frozen=True, eq=False)
class HSVISolution:
    """What the search knows at one moment, in the forms that are asked for at the end."""

    search: HeuristicSearch
    policy: str  # controller or vectors

    @cached_property
    def answer(self) -> GreedyVectors | EvaluatedPolicyGraph:
        """The policy. Vectors earn at least what the controller does: at each belief the best of them goes on."""
        if self.policy == "vectors":
            return GreedyVectors.settled(self.search.mdp, every_vector(self.search))
        return evaluated_policy_graph(self.search, vector_graph(self.search, self.lower.graph))

    @cached_property
    def lower(self) -> GreedyVectors:
        """All vectors of the lower bound, each worth what its plan earns."""
        return GreedyVectors.settled(self.search.mdp, every_vector(self.search), LOWER_WORK)

    def profile(self) -> dict[int, Strategy]:
        return self.answer.profile()

    def earned(self) -> float:
        """What the policy earns, evaluated when it was extracted: the search may know less of its own vectors."""
        return self.answer.earned()

    def evidence(self) -> Evidence:
        return _evidence(self.answer, point_evidence(self.search))

    def alpha_vectors(self, played: GreedyVectors | EvaluatedPolicyGraph | None = None) -> AlphaVectors | None:
        """The vectors of the lower bound beside what is played, the answer unless given; None beside vectors."""
        own = played or self.answer
        if not isinstance(own, EvaluatedPolicyGraph):
            return None
        nodes = own.plan.begin[:, 1] if played is None else np.arange(own.plan.size)
        return lower_bound_vectors(self.lower, own.plan, own.pair, own.value, nodes)

    def proving(self) -> float:
        """About how many seconds the evidence and its check would take."""
        steps, pairs = self.search.check_steps, float(self.search.state.vectors.count @ self.search.sizes)
        points = self.search.state.points.count.astype(np.float64)
        tried = CHOOSING * float((points**2) @ np.diff(self.search.blocks.outcome[self.search.blocks.choice]))
        return (steps.fixed + pairs * steps.pair + (1 + MAKING) * points_work(self.search) + tried) / POMDP_RATE

    @property
    def least(self) -> float:
        """The seconds of the check that no thinning saves: reading the model."""
        return self.search.check_steps.fixed / POMDP_RATE

    def thinned(self, allowed: Callable[[], float]) -> Evidence:
        """Evidence whose check is allowed to take that long: all of it, or a smaller policy, which is then played."""
        steps = self.search.check_steps

        def budget() -> float:
            return max(allowed() * POMDP_RATE - steps.fixed, 0.0)

        below = self._below(budget)
        own = steps.pair * below.pairs
        shown = _evidence(below, point_evidence(self.search, lambda: budget() - own))
        if below is self.answer:
            return shown
        return replace(shown, profile=below.profile, alpha_vectors=partial(self.alpha_vectors, below))

    def _below(self, budget: Budget) -> GreedyVectors | EvaluatedPolicyGraph:
        """The policy, or a smaller one whose part of the check fits into its share of the budget.

        A smaller one often earns more, as its arrows are directed anew; where it loses, all of the policy is shown if
        it still fits.
        """
        search, pair = self.search, self.search.check_steps.pair
        whole, above = pair * self.answer.pairs, (1 + MAKING) * points_work(self.search)
        share = min(max(POLICY_SHARE, 1 - above / max(budget(), 1.0)), MOST_POLICY_SHARE)
        if whole <= min(SMALL_SHARE * budget(), budget() - above):
            return self.answer
        entries = len(search.blocks.weight) / max(len(search.blocks.reward), 1)
        pairs = share * budget() / (pair + 3 * EVALUATING * entries)
        needed = (pair + EVALUATING * entries) * pairs
        graph = thinned_graph(search, vector_graph(search, self.lower.graph), pairs, lambda: share * budget() > needed)
        smaller: GreedyVectors | EvaluatedPolicyGraph
        if self.policy == "vectors":
            smaller = GreedyVectors.settled(search.mdp, graph)
        else:
            smaller = evaluated_policy_graph(
                search, graph, THINNED_CARELESS, lambda: budget() > pair * len(graph.value)
            )
        lower, upper = self.answer.earned(), search.bounds()[1]
        loses = smaller.earned() < lower - LOSS * (upper - lower)
        return self.answer if loses and whole <= MOST_POLICY_SHARE * budget() else smaller

    def progress(self) -> Progress:
        """The answer so far."""
        search, state = self.search, self.search.state
        lower, upper = search.bounds()
        details: dict[str, Any] = {
            "blocks": search.blocks.size - 1,
            "largest_block": int(search.sizes.max()),
            "trials": search.trials,
            "backups": int(state.count[BACKUPS]),
            "beliefs": int(state.used[NODES]),
            "vectors": int(state.vectors.count.sum()),
            "points": int(state.points.count.sum()),
        }
        return Progress(
            lower, lower, max(upper, lower), self.profile, details, iteration=search.trials + 1,
            evidence=self.evidence, thinning=Thinning(self.proving, self.thinned, self.least),
            unfinished=search.unfinished,
            earned=self.earned,
            alpha_vectors=self.alpha_vectors,
        )  # fmt: skip


def _evidence(below: GreedyVectors | EvaluatedPolicyGraph, above: tuple[dict[str, NDArray[Any]], float]) -> Evidence:
    """Both sides of the evidence; the bounds may cross by rounding."""
    arrays, upper = above
    lower = below.earned()
    return Evidence({**below.evidence(), **arrays}, lower, max(upper, lower), below.details())
