"""The value of each move at a belief when best play follows, by search over the beliefs that can come after it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import FormError
from fogbound.forms.bayes_filter import Belief
from fogbound.forms.pomdp import POMDP
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph, Problem
from fogbound.solvers.pomdp.belief_graph.kernels.belief_trials import row_bounds
from fogbound.solvers.pomdp.belief_graph.search import TIE, GraphSearch, SearchLimits

MOST_BELIEFS = 20_000  # that one question may add, before it is left at bounds


@dataclass(frozen=True)
class ActionValue:
    """What a move earns from here on: what is guaranteed, and what cannot be exceeded."""

    action: Hashable
    lower: float
    upper: float
    exact: bool  # the two are the same, up to rounding


class ActionValues:
    """A POMDP with everything that was found out about it so far: later questions are cheaper."""

    def __init__(self, form: POMDP, most: int = MOST_BELIEFS) -> None:
        self.form, self.most, self.belief_graph = form, most, BeliefGraph.of(form)

    def at(self, belief: Belief) -> tuple[ActionValue, ...]:
        """The value of every action at a belief whose states all ask for a move."""
        belief_graph, form = self.belief_graph, self.form
        goes_on = int(np.argmin(belief_graph.over))
        problem = belief_graph.open(belief.states, np.full(len(belief.states), goes_on), belief.weights, 0.0)
        here = int(belief_graph.graph.child[belief_graph.graph.out[belief_graph.graph.rows[problem.root]]])
        limits = SearchLimits(most=belief_graph.beliefs + self.most)
        GraphSearch(belief_graph, problem, limits).look(here)
        first, many = int(belief_graph.graph.rows[here]), int(belief_graph.graph.many[here])
        labels = form.action[form.row[belief.states[0]] :][:many].tolist()
        if min(labels) < 0:
            raise FormError(f"{form.spec}: no move is asked for at this belief, so there is nothing to value")
        return tuple(self._value(problem, first + k, form.actions[label]) for k, label in enumerate(labels))

    def _value(self, problem: Problem, row: int, action: Hashable) -> ActionValue:
        """Every action gets a search of its own: also what is not best has its value."""
        belief_graph = self.belief_graph
        search = GraphSearch(belief_graph, problem, SearchLimits(most=belief_graph.beliefs + self.most))
        for child in belief_graph.graph.child[belief_graph.graph.out[row] : belief_graph.graph.out[row + 1]].tolist():
            search.look(child)
        low, high = row_bounds(belief_graph.model, belief_graph.graph, row)
        return ActionValue(action, float(low), float(high), bool(high - low <= 2 * TIE * belief_graph.scale))


def best_actions(action_values: tuple[ActionValue, ...], close: float = 1e-7) -> list[ActionValue]:
    """The moves that are as good as any, as far as their guarantees tell."""
    top = max(value.lower for value in action_values)
    return [value for value in action_values if value.lower >= top - close * max(1.0, abs(top))]
