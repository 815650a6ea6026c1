"""Belief and values of moves of a player whose opponents' policies are known, from its own history alone.

A game of one player has no opponents. A mixed opponent is one of several policies, which Bayes' rule weighs. The value
of a move assumes best play afterwards, by search over the beliefs that can follow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.errors import FormError
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.bayes_filter import BayesFilter, Belief
from fogbound.forms.decisions import History
from fogbound.forms.pomdp import POMDP
from fogbound.solvers.pomdp.belief_graph.graph import BeliefGraph, Problem
from fogbound.solvers.pomdp.belief_graph.kernels.belief_trials import row_bounds
from fogbound.solvers.pomdp.belief_graph.search import TIE, GraphSearch, SearchLimits

MOST_BELIEFS = 20_000  # that one question may add, before it is left at bounds
CLOSE = 1e-7  # relative difference at which two moves are as good as each other


@dataclass(frozen=True)
class ActionValue:
    """What a move earns from here on: what is guaranteed, and what cannot be exceeded."""

    action: Hashable
    lower: float
    upper: float
    exact: bool  # the two are the same, up to rounding


class ActionValues:
    """A POMDP with everything that was found out about it so far: later questions are cheaper."""

    def __init__(self, form: POMDP) -> None:
        self.form, self.belief_graph = form, BeliefGraph.of(form)

    def at(self, belief: Belief) -> tuple[ActionValue, ...]:
        """The value of every action at a belief whose states all ask for a move."""
        belief_graph, form = self.belief_graph, self.form
        goes_on = int(np.argmin(belief_graph.over))
        problem = belief_graph.open(belief.states, np.full(len(belief.states), goes_on), belief.weights, 0.0)
        here = int(belief_graph.graph.child[belief_graph.graph.out[belief_graph.graph.rows[problem.root]]])
        GraphSearch(belief_graph, problem, SearchLimits(most=belief_graph.beliefs + MOST_BELIEFS)).look(here)
        first, many = int(belief_graph.graph.rows[here]), int(belief_graph.graph.many[here])
        labels = form.action[form.row[belief.states[0]] :][:many].tolist()
        if min(labels) < 0:
            raise FormError(f"{form.spec}: no move is asked for at this belief, so there is nothing to value")
        return tuple(self._value(problem, first + k, form.actions[label]) for k, label in enumerate(labels))

    def _value(self, problem: Problem, row: int, action: Hashable) -> ActionValue:
        """Every action gets a search of its own: also what is not best has its value."""
        belief_graph = self.belief_graph
        search = GraphSearch(belief_graph, problem, SearchLimits(most=belief_graph.beliefs + MOST_BELIEFS))
        for child in belief_graph.graph.child[belief_graph.graph.out[row] : belief_graph.graph.out[row + 1]].tolist():
            search.look(child)
        low, high = row_bounds(belief_graph.model, belief_graph.graph, row)
        return ActionValue(action, float(low), float(high), bool(high - low <= 2 * TIE * belief_graph.scale))


def best_actions(action_values: tuple[ActionValue, ...]) -> list[ActionValue]:
    """The moves that are as good as any, as far as their guarantees tell."""
    top = max(value.lower for value in action_values)
    return [value for value in action_values if value.lower >= top - CLOSE * max(1.0, abs(top))]


@dataclass(frozen=True)
class ReviewedMove:
    """A move that was made, with its value and those of the best ones."""

    action: Hashable
    value: ActionValue
    best: tuple[ActionValue, ...]

    @property
    def cost(self) -> tuple[float, float]:
        """At least and at most; nothing where it was as good as any."""
        if self.value in self.best:
            return 0.0, 0.0
        top = self.best[0]
        return max(0.0, top.lower - self.value.upper), max(0.0, top.upper - self.value.lower)


def reviewed_moves(history: History, values: Callable[[History], tuple[ActionValue, ...]]) -> list[ReviewedMove]:
    """Every own move of a history, judged by the values of all moves after what came before it."""
    reviewed = []
    for step, (action, _) in enumerate(history[1:], 1):
        if action is not None:
            listed = values(history[:step])
            own = next(value for value in listed if value.action == action)
            reviewed.append(ReviewedMove(action, own, tuple(best_actions(listed))))
    return reviewed


@dataclass(frozen=True, eq=False)
class OwnBelief:
    """Bayes' rule and the values of moves for one player, with the policies of all others fixed.

    Parameters
    ----------
    form
        The game as its player faces it: `forms.pomdp(game, player, others)`.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.inference.online.own_belief import OwnBelief
    >>> inference = OwnBelief(fb.forms.pomdp(fb.game("tiger")))
    >>> history = (fb.Observation(None, None), ("listen", fb.Observation("growl-left", None)))
    >>> inference.after(history).weights.round(2).tolist()
    [0.85, 0.15]
    """

    form: POMDP = field(repr=False)

    @cached_property
    def _bayes(self) -> BayesFilter:
        return BayesFilter(self.form)

    @cached_property
    def _values(self) -> ActionValues:
        return ActionValues(self.form)

    def after(self, history: History) -> Belief:
        """What is believed by one who is to move after a history: the first observation, then (action, observation).

        Parameters
        ----------
        history
            What the player did and saw.

        Returns
        -------
        Belief

        Raises
        ------
        FormError
            The rules do not allow the history.
        """
        *_, (belief, _) = self._bayes.along(history)
        belief = None if belief is None else self._bayes.asked(belief)[0]
        if belief is None:
            raise FormError(f"{self.form.spec}: no state fits what was done and seen")
        return belief

    def states(self, belief: Belief) -> list[tuple[Any, float]]:
        """The states of the game that are possible, the likeliest first."""
        types = np.zeros(len(belief.states), np.int64)
        return [(state, float(shares.sum())) for state, shares in self._joint(belief, types, 1)]

    def states_by_type(self, belief: Belief, other: int) -> list[tuple[Any, Floats]]:
        """The possible states, each with its probability jointly with every type [T] of a mixed opponent.

        Parameters
        ----------
        belief
            A belief at which the player is to move.
        other
            The opponent, by index.
        """
        product = self.form.product
        assert product is not None  # it was made from a game: a model file has no opponents
        fixed = product.fixed[other]
        types = [fixed.memories[memory].type for memory in product.point[belief.states, 1 + other].tolist()]
        return self._joint(belief, np.array(types), len(fixed.types))

    def _joint(self, belief: Belief, types: Ints, many: int) -> list[tuple[Any, Floats]]:
        """Possible states with a probability for each of `many` types; memories of the others are summed out."""
        product, form, joint = self.form.product, self.form, dict[int, Floats]()
        numbers = belief.states if product is None else product.point[belief.states, 0]
        for number, kind, p in zip(numbers.tolist(), types.tolist(), belief.weights.tolist()):
            joint.setdefault(number, np.zeros(many))[kind] += p
        ranked = sorted(joint.items(), key=lambda entry: (-round(float(entry[1].sum()), 9), entry[0]))
        label = form.label if product is None else product.table.states.__getitem__
        return [(label(number), shares) for number, shares in ranked]

    def action_values(self, belief: Belief) -> tuple[ActionValue, ...]:
        """The value of each move; FormError where play need never end and nothing is discounted."""
        return self._values.at(belief)

    def review(self, history: History) -> list[ReviewedMove]:
        """Every move of a history, judged by what could be known when it was made."""
        return reviewed_moves(history, lambda past: self.action_values(self.after(past)))
