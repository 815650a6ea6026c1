"""One state of a Markov game, once it is known what follows: a game in normal form, and an equilibrium of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame
from fogbound.solvers.homotopy.follower import Position, advanced, beginning
from fogbound.solvers.linear_programs.highs import power_of_two
from fogbound.solvers.markov.logit_game import LogitGame
from fogbound.solvers.markov.nash import BETWEEN, CAREFUL, FARTHEST, FIRST_LOOK, MOST_STEPS
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
            pair: list[Floats] | None = list(_matrix(payoff[..., 0]))
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
    here: Position | None = beginning(game.begin())
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


def _matrix(payoff: Floats) -> tuple[Floats, Floats]:
    """Optimal strategies of a zero-sum matrix."""
    from fogbound.solvers.markov.kernels.stage_games import matrix_game

    m, n = payoff.shape
    x, y, table = np.zeros(m), np.zeros(n), np.zeros((m + 1, n + 1))
    table[:m, :n] = payoff
    labels = np.zeros((2, m + n), np.int64)
    matrix_game(m, n, float(payoff.min()), float(np.ptp(payoff)), table, labels, x, y)
    return x, y
