"""Markov games in which no state comes again, from the ends back to the start: one stage game a state.

Where what follows is known a state is a game in normal form, and an equilibrium of each makes one that is an
equilibrium from every state on (Selten 1965; Zermelo's argument with simultaneous moves). `horizon(game, steps)`
counts the steps in its states, so that games cut off there are of this kind. Correlated equilibria are found in the
same way, one linear program a state (Aumann 1974); where play can come back to a state the program would no longer be
linear, since what follows depends on what is recommended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import FormError, brief, cut_short, many
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.driver.stops import StopReason
from fogbound.evaluation.markov import from_start
from fogbound.forms.arrays import Floats, Longs, summed
from fogbound.forms.markov import MarkovGame
from fogbound.solvers.correlated import obedience
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.markov.answers import gridded, policies, profile_answer
from fogbound.solvers.markov.stage import Stage

LOOK_UP = 64  # states between two looks at the clock


@dataclass(frozen=True)
class MarkovBackwardInduction(Solver[MarkovGame]):
    """Markov perfect equilibrium of a game in which no state recurs, by one equilibrium of each state's stage game.

    Works on the Markov game, any number of players, any sum, also simultaneous moves (Selten 1965). In a state a pure
    equilibrium is taken where there is one, the first in the order of actions; else that of the zero-sum matrix, the
    one at the end of Lemke and Howson's path, or, with three or more who choose, of the logit path.
    """

    name = "markov-backward-induction"

    form: ClassVar[type[MarkovGame]] = MarkovGame
    finds: ClassVar[str] = "equilibrium"

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        order = _order(form, self.name)
        yield profile_answer(form, form.uniform)
        played, value, failed = [x.copy() for x in form.uniform], np.zeros((form.size, len(form.players))), 0
        for done, state in enumerate(order):
            if not done % LOOK_UP and context.stopping():
                return
            stage = _stage(form, state, value)
            mixed = stage.equilibrium()
            failed += mixed is None
            for i, first in enumerate(form.first):
                if mixed is not None:
                    played[i][first[state] : first[state + 1]] = mixed[i]
            value[state] = _weights(form, played, state) @ stage.payoff
        details: dict[str, Any] = {"states": len(order)}
        if failed:
            details["failed"] = f"no equilibrium was found in {many(failed, 'state')}, where play is uniform"
        yield profile_answer(form, played, details, unfinished=StopReason.STALLED if failed else None)


@dataclass(frozen=True)
class MarkovCorrelated(Solver[MarkovGame]):
    """Correlated equilibrium of a game in which no state recurs: joint recommendations that nobody gains by ignoring.

    Works on the Markov game, any number of players; one linear program a state, which maximises the sum of all values
    (Aumann 1974). The policies are each player's own part: they earn this only where a mediator draws them together.
    """

    name = "markov-correlated"

    form: ClassVar[type[MarkovGame]] = MarkovGame
    finds: ClassVar[str] = "correlated equilibrium"

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        if form.constant_sum is not None:
            raise FormError(
                f"{self.name}: {form.spec} is zero-sum: recommendations change no player's value; use "
                "markov-backward-induction"
            )
        order = _order(form, self.name)
        even = np.concatenate([np.full(k, 1.0 / k) for k in np.diff(form.row) if k] or [np.zeros(0)])
        yield _correlated_answer(form, *self._recommend(form, order, lambda _, rows: even[rows]))

        def recommend(stage: Stage, _: slice) -> Floats:
            if context.stopping():
                raise highs.Cancelled("stopped before every state was solved")
            return recommended(stage, context)

        try:
            yield _correlated_answer(form, *self._recommend(form, order, recommend))
        except highs.Cancelled:
            return

    def _recommend(
        self, form: MarkovGame, order: list[int], recommend: Callable[[Stage, slice], Floats]
    ) -> tuple[Floats, Floats, Floats]:
        """([R] recommendations, [S, n] their values, [S, n] what ignoring them could earn), from the ends back."""
        joint = np.zeros(len(form.reward))
        value, best = np.zeros((form.size, len(form.players))), np.zeros((form.size, len(form.players)))
        for state in order:
            rows = slice(int(form.row[state]), int(form.row[state + 1]))
            stage = _stage(form, state, value)
            joint[rows] = weights = recommend(stage, rows)
            value[state] = weights @ stage.payoff
            above = _stage(form, state, best)
            best[state] = [disobeyed(above, weights, i) for i in range(len(form.players))]
        return joint, value, best


def _correlated_answer(form: MarkovGame, joint: Floats, value: Floats, best: Floats) -> Progress:
    parts = [summed(form.choice[:, i], joint, int(first[-1])) for i, first in enumerate(form.first)]
    values, replies = from_start(form, value), from_start(form, best)
    regret = float(np.maximum(best - value, 0.0).max(initial=0.0))
    shown = {"joint": joint, "value": value, "best": best}
    said = {
        "values": list(values),
        "regret": regret,
        "mediator": "policies are each player's part of what is drawn jointly",
    }
    return Progress(
        *(values[0], values[0], replies[0], lambda: policies(form, gridded(form, parts)), said, regret),
        evidence=lambda: Evidence(shown),
        values=values,
        best=replies,
    )


def recommended(stage: Stage, context: Context) -> Floats:
    """[rows] the correlated equilibrium of a stage game with the largest sum of payoffs."""
    shaped = stage.payoff.reshape(*stage.width, len(stage.width))
    return obedience.recommended(shaped, stage.payoff.sum(axis=1), stopping=context.stopping)


def disobeyed(stage: Stage, weights: Floats, player: int) -> float:
    """What a player earns who does the best that it can with what it is told."""
    places = _places(stage.width, player)
    return sum(max(float(weights[told] @ stage.payoff[does, player]) for does in places) for told in places)


def _places(width: tuple[int, ...], player: int) -> Longs:
    """[own actions, others' joint actions] the rows."""
    cells = np.arange(int(np.prod(width))).reshape(width)
    return np.moveaxis(cells, player, 0).reshape(width[player], -1)


def _stage(form: MarkovGame, state: int, value: Floats) -> Stage:
    """The stage game of a state when `value` [S, n] follows."""
    rows = slice(int(form.row[state]), int(form.row[state + 1]))
    later = form.dense[rows] @ value if form.dense is not None else form.moves[rows] @ value
    return Stage(tuple(form.width[state].tolist()), form.reward[rows] + form.discount * later)


def _weights(form: MarkovGame, played: list[Floats], state: int) -> Floats:
    """How likely each row of a state is."""
    rows = form.choice[form.row[state] : form.row[state + 1]]
    return np.asarray(np.prod([x[rows[:, i]] for i, x in enumerate(played)], axis=0))


def _order(form: MarkovGame, who: str) -> list[int]:
    """The states in which play goes on, successors first."""
    if form.order is None:
        from fogbound.forms.recurrence import topological_order

        recurring = brief(form.states[topological_order(form)[1]])
        raise FormError(
            f"{who}: in {form.spec} state {recurring} can come again, so there is no last stage to begin with. Cut it, "
            f"such as {cut_short(form.spec)}, or use markov-nash"
        )
    return [state for state in form.order.tolist() if form.live[state]]
