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
from fogbound.driver.stops import StopReason
from fogbound.evaluation.markov import from_start
from fogbound.forms.arrays import Floats, Longs, summed
from fogbound.forms.markov import MarkovGame
from fogbound.solvers.correlated.solver import correlated_equilibrium
from fogbound.solvers.homotopy.follower import Position, advanced, path_start
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.linear_programs.highs import power_of_two
from fogbound.solvers.markov.answers import MarkovSolver, policies, profile_answer
from fogbound.solvers.markov.nash import BETWEEN, CAREFUL, FARTHEST, FIRST_LOOK, MOST_STEPS, LogitGame
from fogbound.solvers.matrix.lemke_howson import follow_path, polytopes

EQUAL = 1e-12  # of the largest payoff: what counts as a tie, or as a sum that is constant


@dataclass(frozen=True)
class Stage:
    """What every joint action of a state brings each player, with what follows."""

    width: tuple[int, ...]  # [n] actions
    payoff: Floats  # [rows, n]

    def equilibrium(self) -> list[Floats] | None:
        """A mixed strategy for each player: a pure equilibrium where there is one; None where none was found."""
        cell = self._pure()
        if cell is not None:
            return [np.eye(wide)[k] for wide, k in zip(self.width, cell)]
        choosing = [i for i, wide in enumerate(self.width) if wide > 1]
        if len(choosing) == 2:
            mixed = self._two(choosing)
        else:
            mixed = self._many()
        return mixed

    def _pure(self) -> tuple[int, ...] | None:
        """The first cell in which everybody's action is a best reply."""
        shaped = self.payoff.reshape(*self.width, len(self.width))
        slack = EQUAL * float(np.abs(self.payoff).max(initial=0.0))
        stable = np.ones(self.width, bool)
        for i in range(len(self.width)):
            stable &= shaped[..., i] >= shaped[..., i].max(axis=i, keepdims=True) - slack
        cells = np.argwhere(stable)
        return tuple(cells[0].tolist()) if len(cells) else None

    def _two(self, choosing: list[int]) -> list[Floats] | None:
        """Two players who choose: a matrix where the sum is constant, else the path of Lemke and Howson."""
        first, second = choosing
        payoff = self.payoff[:, choosing].reshape(self.width[first], self.width[second], 2)
        total = payoff.sum(axis=2)
        if np.ptp(total) <= EQUAL * float(np.abs(payoff).max()):
            from fogbound.solvers.markov.kernels import matrix_strategies

            pair: list[Floats] | None = list(matrix_strategies(payoff[..., 0]))
        else:
            tableaux = polytopes(payoff / power_of_two(payoff))
            pair = None if follow_path(tableaux, 0, lambda: False) is None else [one.mixed() for one in tableaux]
        if pair is None:
            return None
        mixed = [np.ones(1) for _ in self.width]
        mixed[first], mixed[second] = pair
        return mixed

    def _many(self) -> list[Floats] | None:
        """More players who choose: the logit path of this one state."""
        game = LogitGame(self._alone())
        return next((found for care in CAREFUL if (found := _end(game, care)) is not None), None)

    def _alone(self) -> MarkovGame:
        """The state as a Markov game that is over after one step."""
        rows, n = self.payoff.shape
        return MarkovGame(
            spec="stage",
            players=tuple(f"player-{i}" for i in range(n)),
            discount=0.0,
            width=np.array([self.width, (0,) * n], np.int32),
            out=np.arange(rows + 1),
            next=np.ones(rows, np.int64),
            prob=np.ones(rows),
            reward=np.ascontiguousarray(self.payoff),
            start=np.array([1.0, 0.0]),
            paid=np.zeros(n),
            legal=np.full((2, n), -1, np.int32),
            legal_sets=(),
            states=(0, 1),
        )


def _end(game: LogitGame, care: float) -> list[Floats] | None:
    """The equilibrium at the end of a game's logit path; None where the path is lost."""
    here: Position | None = path_start(game.begin())
    look_at = FIRST_LOOK
    for _ in range(MOST_STEPS):
        here = advanced(game.equations, here, care) if here is not None else None
        if here is None or not 0 <= here.point[-1] < FARTHEST:
            return None
        if here.point[-1] >= look_at:
            found, look_at = game.limit(here.point), float(here.point[-1]) * BETWEEN
            if found is not None:
                return game.played(found)
    return None


LOOK_UP = 64  # states between two looks at the clock


@dataclass(frozen=True)
class MarkovBackwardInduction(MarkovSolver):
    """Markov perfect equilibrium of a game in which no state recurs, by one equilibrium of each state's stage game.

    Works on the Markov game, any number of players, any sum, also simultaneous moves (Selten 1965). In a state a pure
    equilibrium is taken where there is one, the first in the order of actions; else that of the zero-sum matrix, the
    one at the end of Lemke and Howson's path, or, with three or more who choose, of the logit path.
    """

    name = "markov-backward-induction"

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
class MarkovCorrelated(MarkovSolver):
    """Correlated equilibrium of a game in which no state recurs: joint recommendations that nobody gains by ignoring.

    Works on the Markov game, any number of players; one linear program a state, which maximises the sum of all values
    (Aumann 1974). The policies are each player's own part: they earn this only where a mediator draws them together.
    """

    name = "markov-correlated"

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
            return _recommended(stage, context)

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
        *(values[0], values[0], replies[0], lambda: policies(form, parts), said, regret),
        evidence=lambda: Evidence(shown),
        values=values,
        best=replies,
    )


def _recommended(stage: Stage, context: Context) -> Floats:
    """[rows] the correlated equilibrium of a stage game with the largest sum of payoffs."""
    shaped = stage.payoff.reshape(*stage.width, len(stage.width))
    return correlated_equilibrium(shaped, stage.payoff.sum(axis=1), stopping=context.stopping)


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
