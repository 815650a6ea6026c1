"""A problem of a belief graph solved: bounds brought together, ties broken by the order of the actions, a plan read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fogbound.core.errors import FormError
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats, Longs, ranges
from fogbound.solvers.pomdp.belief_graph.graph import MOST_BYTES, BeliefGraph, Problem, converges, linear
from fogbound.solvers.pomdp.belief_graph.kernels import belief_trials
from fogbound.solvers.pomdp.belief_graph.kernels.belief_graph import WORK, expand
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import (
    BeliefPolicy,
    list_moves,
    pair_after,
    value_sweep,
)

CLOSE, TIE = 1e-11, 1e-9  # bounds count as met, actions as equally good, up to these shares of the largest value
PATIENCE = 2_000_000  # outcomes between two looks at the clock
DEEPEST = 20_000  # steps that a trial goes
MOST_BELIEFS = 2_000_000


@dataclass(frozen=True)
class SearchLimits:
    """When to leave it at what is known: asked now and then, or at so many beliefs, or bytes of them.

    `reading` limits the work of settling the policy's choices once the search is over, beyond as much work again as the
    search took: a policy may come to hold far more beliefs than the bounds of the start depend on.
    """

    stopping: Callable[[], bool] = lambda: False
    most: int = MOST_BELIEFS
    bytes: int = MOST_BYTES
    reading: float = np.inf


@dataclass(frozen=True, eq=False)
class SolvedProblem:
    """A plan for one problem, with what is known about it."""

    plan: BeliefPolicy = field(repr=False)
    converged: bool  # whether every choice was made for good, ties included
    value: Floats = field(repr=False)  # of the plan, for each of its beliefs' states
    start_value: float  # of the plan, from the start
    upper: float


class GraphSearch:
    """The kernels at work on one problem, given room and time as they ask for it."""

    def __init__(self, belief_graph: BeliefGraph, problem: Problem, limits: SearchLimits) -> None:
        self.belief_graph, self.problem, self.limits = belief_graph, problem, limits
        self.root = problem.root
        self.path, self.marks = np.zeros(DEEPEST, np.int64), np.zeros(1, np.int64)
        self.marks[0] = int(belief_graph.graph.mark[: belief_graph.beliefs].max(initial=0))
        self.close, self.tie = CLOSE * belief_graph.scale, TIE * belief_graph.scale
        self.stopped = False
        self.unfinished: StopReason | None = None  # why bounds that have not met were left, where no limit asked for it

    def bounds(self) -> tuple[float, float]:
        graph = self.belief_graph.graph
        return float(graph.low[self.root]), float(graph.high[self.root])

    def step(self) -> bool:
        """Bring the bounds of the start together, for a while. True when nothing more is to be had."""
        return self._searched(self.root)

    def _searched(self, belief: int) -> bool:
        graph, count = self.belief_graph, self.belief_graph.count
        search = (self.close, self.path, self.marks, count[WORK] + PATIENCE)
        return self._finished(int(belief_trials.search(graph.model, graph.graph, count, belief, *search)))

    def look(self, belief: int) -> None:
        """Settle one belief, unless a limit is met before."""
        graph = self.belief_graph
        while not self.stopped and not self._searched(belief):
            pass
        while graph.graph.rows[belief] < 0 and not expand(graph.model, graph.graph, graph.count, belief):
            graph.grow()

    def solution(self) -> SolvedProblem:
        """The plan that is as good as the bounds are known to allow, with its value."""
        return self.evaluated(*self.chosen())

    def chosen(self) -> tuple[BeliefPolicy, bool]:
        """The plan that is as good as the bounds are known to allow, and whether every choice was made for good."""
        known = self._as_known() if np.isfinite(self.limits.reading) else None  # without the beliefs that reading adds
        read = self._settled(np.array([self.root]))
        self.belief_graph.check_legal_actions()
        if read is not None and _surely_ends(self.belief_graph, self.pure(*read[:2])):
            return self.pure(*read[:2]), read[2]
        known = known or self._as_known()  # where waiting costs nothing, a tie may be to wait for ever
        return self.pure(*known), read is not None and read[2]

    def pure(self, listed: Longs, rows: Longs) -> BeliefPolicy:
        """A plan that takes one row at each belief, or none where it is -1."""
        kept = rows[rows >= 0]
        return self.plan(listed, np.concatenate([[0], np.cumsum(rows >= 0)]), kept, np.ones(len(kept)))

    def plan(self, listed: Longs, take: Longs, row: Longs, share: Floats) -> BeliefPolicy:
        """A plan in the graph: which rows are taken at the listed beliefs, and how likely."""
        graph = self.belief_graph.graph
        number = np.full(len(graph.low), -1, np.int64)
        number[listed] = np.arange(len(listed))
        sizes = graph.first[listed + 1] - graph.first[listed]
        return BeliefPolicy(listed, number, take, row, share, np.concatenate([[0], np.cumsum(sizes)]))

    def evaluated(self, plan: BeliefPolicy, converged: bool) -> SolvedProblem:
        """A plan with its value."""
        value = values(self.belief_graph, plan)
        if value is None:
            raise FormError(f"{self.belief_graph.spec}: with this plan play ends too rarely to be evaluated")
        start_value = float(
            self.problem.paid + self.problem.chance @ first_values(self.belief_graph, self.problem, plan, value)
        )
        return SolvedProblem(plan, converged, value, start_value, max(start_value, self.bounds()[1]))

    def best_policy(self, known: Longs, done: Longs | None = None) -> tuple[Longs, Longs, bool]:
        """The beliefs that best play may come to hold from the `known` ones on, and the row it takes at each.

        The rows of the first known beliefs may be given in `done`. In the end: whether every choice was made for good.
        """
        return self._settled(known, done) or (*self._as_known(), False)

    def _settled(self, known: Longs, done: Longs | None = None) -> tuple[Longs, Longs, bool] | None:
        """The best policy as far as the limits allow it to be read; None where they do not."""
        belief_graph, sure = self.belief_graph, True
        allowed = 2 * float(belief_graph.count[WORK]) + self.limits.reading
        rows = np.zeros(0, np.int64) if done is None else done
        state, number = np.array([len(known), len(rows)]), np.full(len(belief_graph.graph.low), -1, np.int64)
        number[known] = np.arange(len(known))
        room = 2 * len(known) + 256
        listed, rows = (np.concatenate([part, np.zeros(room - len(part), np.int64)]) for part in (known, rows))
        while not self.stopped and belief_graph.count[WORK] < allowed:
            read = (state, listed, rows, number, self.limits.most // 2, self.tie, self.close, self.path, self.marks)
            status, now = belief_trials.read_policy(
                belief_graph.model, belief_graph.graph, belief_graph.count, *read, belief_graph.count[WORK] + PATIENCE
            )
            sure = sure and bool(now)
            if status == belief_trials.DONE:
                return listed[: state[0]].copy(), rows[: state[0]].copy(), sure
            if status == belief_trials.LIST:
                listed, rows = (np.concatenate([part, np.zeros_like(part)]) for part in (listed, rows))
            else:
                self._finished(int(status))
            more = len(belief_graph.graph.low) - len(number)
            number = np.concatenate([number, np.full(max(more, 0), -1)])
        return None

    def _as_known(self) -> tuple[Longs, Longs]:
        """What the lower bounds stand for, as far as that is known: from there on play is at random."""
        graph = self.belief_graph.graph
        known = np.zeros(self.belief_graph.beliefs, bool)
        known[self.root] = True
        layers, layer = list[Longs](), np.array([self.root])
        while len(layer):  # breadth first, a layer at a time
            layers.append(layer)
            row = graph.best[layer]
            row = row[row >= 0]
            child = graph.child[ranges(graph.out[row], graph.out[row + 1] - graph.out[row])]
            child = child[~known[child]]
            first = np.sort(np.unique(child, return_index=True)[1])
            layer = child[first].astype(np.int64)
            known[layer] = True
        listed = np.concatenate(layers)
        return listed, graph.best[listed].astype(np.int64)

    def _finished(self, status: int) -> bool:
        """Whether to leave it at that; makes room where that is all that is missing."""
        if status in (belief_trials.ROOM, belief_trials.BUDGET):
            if self.belief_graph.beliefs > self.limits.most:
                self.unfinished = StopReason.BELIEFS
            elif 2 * self.belief_graph.pools.bytes > self.limits.bytes:
                self.unfinished = StopReason.MEMORY
            self.stopped = bool(self.unfinished) or self.limits.stopping()
            if status == belief_trials.ROOM and not self.stopped:
                self.belief_graph.grow()
            return self.stopped
        self.unfinished = StopReason.STALLED if status == belief_trials.STUCK else None
        return True


def first_values(belief_graph: BeliefGraph, problem: Problem, plan: BeliefPolicy, value: Floats) -> Floats:
    """A plan's value from each of the problem's first states on."""
    graph, row = belief_graph.graph, plan.row[0]
    first = np.zeros(len(problem.state))
    for k, (state, seen) in enumerate(zip(problem.state.tolist(), problem.seen.tolist())):
        if not belief_graph.over[seen]:
            pair = pair_after(graph, plan, row, seen, state)
            first[k] = value[pair] if pair >= 0 else belief_graph.low[state]
    return first


def values(belief_graph: BeliefGraph, plan: BeliefPolicy, paid: bool = True) -> Floats | None:
    """A plan's value in every state of its beliefs (or the steps it takes until it stops); None: not finite."""
    model, graph, value = belief_graph.model, belief_graph.graph, np.zeros(int(plan.at[-1]))
    if converges(lambda: value_sweep(model, graph, plan, value, paid), value):
        return value
    none = np.zeros(0, np.int64)
    many = list_moves(model, graph, plan, none, none, np.zeros(0), value)
    source, target = np.zeros((2, many), np.int64)
    chance, reward = np.zeros(many), np.zeros(len(value))
    list_moves(model, graph, plan, source, target, chance, reward)
    return linear(source, target, chance, reward if paid else np.ones(len(value)))


def _surely_ends(belief_graph: BeliefGraph, plan: BeliefPolicy) -> bool:
    """Whether play surely ends with a plan."""
    if belief_graph.discount < 1:
        return True
    steps = values(belief_graph, plan, paid=False)
    return steps is not None and bool((steps > 0).all())
