"""One player's reply to its beliefs about the others: best or quantal, against one opponent or several.

Quantal levels: a level that prefers better actions without always finding the best one.

A logit response plays each action with a probability in proportion to exp(precision x value), where the value is
that of the action followed by best play (McKelvey and Palfrey 1995, as level-k models take it up: Stahl and Wilson
1994). Every action may happen, so the beliefs that a quantal player can come to hold have no end; what is reached
with a probability below `faint` is left out, and from there it plays at random. Its value is computed with that.

What to do after a slip of one's own hand: a plan that also covers actions it would not have taken.

A controller says how to go on after what it does. A player whose hand trembles sometimes does something else, knows
it, and believes accordingly; from that belief it plays as well as it can. Only as many slips as are asked for are
covered, since there is no end to them.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

import numpy as np

from fogbound.core.errors import brief
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.player_view import PlayerView
from fogbound.forms.table import Table
from fogbound.solvers.pomdp.belief_graph.fsc import FSC, fsc_of_policy
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph, Problem
from fogbound.solvers.pomdp.belief_graph.kernels.belief_trials import row_bounds
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import BeliefPolicy
from fogbound.solvers.pomdp.belief_graph.search import GraphSearch, SearchLimits, SolvedProblem

FAINT = 1e-5
KindOdds = Mapping[int, float]  # of kinds


def quantal(search: GraphSearch, precision: float, faint: float = FAINT) -> BeliefPolicy:
    """The logit plan of a problem whose bounds were searched."""
    graph = search.belief_graph.graph
    root = search.root
    reach, rows, shares = {root: 1.0}, {}, {}
    queue = [(-1.0, 0, root)]
    while queue:
        chance, _, belief = heapq.heappop(queue)
        if belief in rows or -chance < reach[belief]:
            continue  # done, or listed again with more weight
        action_values = _action_values(search, belief)
        graph = search.belief_graph.graph  # it may have grown
        first = int(graph.rows[belief])
        rows[belief], shares[belief] = first, _logit(action_values, precision)
        for row, share in enumerate(shares[belief].tolist(), first):
            for o in range(graph.out[row], graph.out[row + 1]):
                child = int(graph.child[o])
                if child not in rows:
                    reach[child] = reach.get(child, 0.0) + reach[belief] * share * float(graph.prob[o])
                    if reach[child] >= faint:
                        heapq.heappush(queue, (-reach[child], len(reach), child))
    counts = [len(shares[belief]) for belief in rows]
    taken = [first + np.arange(many) for first, many in zip(rows.values(), counts)]
    take = np.concatenate([[0], np.cumsum(counts)])
    return search.plan(np.array(list(rows)), take, np.concatenate(taken), np.concatenate(list(shares.values())))


def _action_values(search: GraphSearch, belief: int) -> Floats:
    """[actions] the value of each when best play follows."""
    search.look(belief)
    graph, model = search.belief_graph.graph, search.belief_graph.model
    first, many = int(graph.rows[belief]), int(graph.many[belief])
    if many > 1:
        for row in range(first, first + many):
            for child in graph.child[graph.out[row] : graph.out[row + 1]].tolist():
                search.look(child)
                graph = search.belief_graph.graph
    model = search.belief_graph.model
    return np.array([sum(row_bounds(model, graph, row)) / 2 for row in range(first, first + many)])


def _logit(values: Floats, precision: float) -> Floats:
    likely = np.exp(precision * (values - values.max()))
    share: Floats = likely / likely.sum()
    return share


def covering_slips(search: GraphSearch, plan: BeliefPolicy, slips: int) -> BeliefPolicy:
    """A plan of single rows with the beliefs that up to `slips` slips lead to, each played on as well as can be."""
    listed, fresh = plan.listed, 0
    rows = np.full(len(listed), -1, np.int64)  # one row at each belief, or none
    rows[np.diff(plan.take) > 0] = plan.row
    for _ in range(slips):
        graph, known = search.belief_graph.graph, dict.fromkeys(listed.tolist())
        for belief in listed[fresh:].tolist():
            search.look(belief)
            graph = search.belief_graph.graph
            first, many = int(graph.rows[belief]), int(graph.many[belief])
            for child in graph.child[graph.out[first] : graph.out[first + many]].tolist():
                known.setdefault(child)
        fresh = len(listed)
        listed, rows, _ = search.best_policy(np.array(list(known)), rows)
    return search.pure(listed, rows)


@dataclass(frozen=True, eq=False)
class ReplyProblem:
    """A problem, with the table's names for what its belief graph numbers."""

    belief_graph: BeliefGraph = field(repr=False)
    problem: Problem = field(repr=False)
    action: Longs = field(repr=False)  # [rows] the label of each row's action

    def fsc(self, solved: SolvedProblem, slips: bool = False) -> FSC:
        """A plan as an FSC of its player."""
        return fsc_of_policy(self.belief_graph, solved.plan, self.action, slips)


@dataclass(frozen=True, eq=False)
class LevelReply:
    """What was found; `against` is what the policy earns against each kind of the other, apart."""

    asked: ReplyProblem = field(repr=False)
    solved: SolvedProblem = field(repr=False)
    fsc: FSC = field(repr=False)
    value: float
    upper: float
    converged: bool  # whether the bounds met and every tie was broken for good
    against: dict[int, float] = field(default_factory=dict)
    by: str = "beliefs"  # or sarsop

    def slipping(self, slips: int) -> FSC:
        """The policy, covering slips of the hand; a quantal one does whatever may happen anyway."""
        if (np.diff(self.solved.plan.take) > 1).any() or self.by != "beliefs":
            return self.fsc
        search = GraphSearch(self.asked.belief_graph, self.asked.problem, SearchLimits())
        plan = covering_slips(search, self.solved.plan, slips)
        return self.asked.fsc(search.evaluated(plan, True), True)


Replying = Generator[tuple[float, float], None, LevelReply]  # bounds now and then, a reply in the end


class ReplyModel(ABC):
    """One player of a table against all nodes of the others: every level's problem starts in its process."""

    def __init__(self, table: Table, mine: PlayerView) -> None:
        self.table, self.mine = table, mine
        self.belief_graph = BeliefGraph(table.spec, table.discount, mine.observations, self._describe)

    @abstractmethod
    def problem(self, odds: Mapping[int, KindOdds], root: int | None = None) -> Problem:
        """The start in which each other player is of each of its kinds with the given odds, independently.

        With a `root` it was posed before, and the graph of beliefs that knows it is still to be taken up again.
        """

    @property
    @abstractmethod
    def labels(self) -> Longs:
        """[rows] the label of each row's action."""

    @abstractmethod
    def points(self, kept: Longs) -> Longs:
        """[K, n] the state and the others' nodes at some states of the process."""

    def asked(self, odds: Mapping[int, KindOdds], root: int | None = None) -> ReplyProblem:
        """The problem of a start, with the table's names."""
        problem = self.problem(odds, root)
        return ReplyProblem(self.belief_graph, problem, self.labels)

    def replying(self, odds: Mapping[int, KindOdds], precision: float, limits: SearchLimits) -> Replying:
        """The best plan against such others, or the logit one where the precision is finite; bounds on the way."""
        asked = self.asked(odds)
        search = GraphSearch(asked.belief_graph, asked.problem, limits)
        while not search.step():
            yield search.bounds()
        solved = search.solution() if np.isinf(precision) else search.evaluated(quantal(search, precision), True)
        converged = solved.converged and not search.stopped
        return LevelReply(asked, solved, asked.fsc(solved), solved.start_value, solved.upper, converged)

    def _describe(self, number: int) -> str:
        return brief(self.table.states[int(self.points(np.array([number]))[0, 0])])
