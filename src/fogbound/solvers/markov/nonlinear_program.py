"""A Markov perfect equilibrium as the minimum of a nonlinear program, as the slides of document 003 have it.

Filar, Schultz, Thuijsman and Vrieze, "Nonlinear programming and stationary equilibria in stochastic games" (1991):

  minimise over policies x and values u   sum over players and states of u - (r + g P u under x)
  subject to                              u >= what each own action brings against the others, x distributions.

The slides do not say that only a minimum of **0** is an equilibrium: elsewhere the values u belong to no policy. The
program is not convex, and local minima above 0 are common, so this is the document's own method and no reliable one:
`markov-nash` is. From every start the minimum that was found is reported, and one above 0 as a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.core.errors import SpecError, Stopped
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.stops import StopReason
from fogbound.evaluation.markov import steps_ahead
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame, require_discounted
from fogbound.solvers.markov.answers import MarkovSolver, gridded, profile_answer
from fogbound.solvers.markov.nash import LogitGame

ZERO = 1e-7  # a minimum of no more, rewards having a range of 1, is called 0
NOTHING = 1e98  # the minimum of a search that found no feasible point
MOST_UNKNOWNS = 1_000  # of a dense program
MOST_ITERATIONS = 500  # of one local search


@dataclass(frozen=True)
class StochasticNLP(MarkovSolver):
    """A Markov perfect equilibrium by a nonlinear program from random starts: fails often, and says so.

    Works on the Markov game: discounted, or sure to end; any number of players (Filar and others 1991; the slides of
    document 003). A local search (SLSQP with analytic gradients) from uniform play, then from random policies, until a
    minimum is 0: only then it is an equilibrium.

    Parameters
    ----------
    starts
        How many local searches.
    """

    name = "stochastic-nlp"

    starts: int = 1

    def __post_init__(self) -> None:
        if self.starts < 1:
            raise SpecError(f"stochastic-nlp: starts is {self.starts}, expected 1 or more")

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        kept.reals("best", (sum(int(first[-1]) for first in form.first),), low=0.0, high=1.0)
        kept.reals("minimum", (1,))
        kept.integers("start", (1,), high=self.starts)

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        require_discounted(form, self.name)
        game, arrays = LogitGame(form), context.arrays
        game.require_small(self.name, MOST_UNKNOWNS)
        if "best" not in arrays:
            arrays["best"], arrays["minimum"] = np.concatenate(form.uniform), np.array([1e99])
            arrays["start"] = np.zeros(1, np.int64)
        yield self._answer(form, game, arrays)
        program = _Program(game)
        while arrays["start"][0] < self.starts and arrays["minimum"][0] > ZERO:
            uniform = arrays["start"][0] == 0
            begin = np.concatenate(form.uniform) if uniform else np.concatenate(_drawn(form, context.rng))
            found, minimum = program.minimise(begin, context)
            arrays["start"] = arrays["start"] + 1
            if minimum < arrays["minimum"][0]:
                arrays["best"], arrays["minimum"] = found, np.array([minimum])
            yield self._answer(form, game, arrays)

    def _answer(self, form: MarkovGame, game: LogitGame, arrays: dict[str, Any]) -> Progress:
        minimum, starts = float(arrays["minimum"][0]), int(arrays["start"][0])
        if not starts:
            return profile_answer(form, form.uniform, {"minimum": None, "starts": 0})
        details: dict[str, Any] = {"minimum": minimum * game.scale, "starts": starts}
        stuck = minimum > ZERO and starts >= self.starts
        if minimum > ZERO:
            details["failed"] = (
                f"the least minimum found is {minimum * game.scale:.3g}, and only one of 0 is an equilibrium"
            )
        return profile_answer(
            form, game.played(arrays["best"]), details, unfinished=StopReason.STALLED if stuck else None
        )


def _drawn(form: MarkovGame, rng: np.random.Generator) -> list[Floats]:
    """Random policies, uniform on the simplex of every state."""
    drawn = []
    for first in form.first:
        parts, begins, wide = rng.exponential(size=int(first[-1])), first[:-1][form.live], np.diff(first)[form.live]
        drawn.append(parts / np.repeat(np.add.reduceat(parts, begins), wide) if len(begins) else parts)
    return gridded(form, drawn)


class _Program:
    """The program on z = (x of all players' choices, u of all states to each player), with rewards of a range of 1."""

    def __init__(self, game: LogitGame) -> None:
        self.game, self.choices = game, int(game.offset[-1])
        self.size = self.choices + game.form.size * len(game.form.players)
        self.owner = self.choices + game.owner[1]  # [K] where the u of a choice's player and state stands
        self.q, self.slope = np.empty(self.choices), np.empty((self.choices, self.size))
        self.at = np.full(self.size, np.nan)
        form = game.form
        self.steps = 1 / (1 - form.discount) if form.discount < 1 else float(steps_ahead(form).max(initial=0.0))
        ends = np.flatnonzero(~game.form.live)
        self.ends = self.choices + (np.arange(len(game.form.players))[:, None] * game.form.size + ends).ravel()
        self.sums = np.zeros((len(np.unique(self.owner)), self.size))
        self.sums[np.unique(self.owner, return_inverse=True)[1], np.arange(self.choices)] = 1.0

    def _look(self, z: Floats) -> None:
        """The values of choices at z, once a point."""
        from fogbound.solvers.markov.kernels import values_of_choices

        if not np.array_equal(z, self.at):
            values_of_choices(*self.game.model, z[: self.choices], z[self.choices :], self.q, self.slope)
            self.at = z.copy()

    def objective(self, z: Floats) -> tuple[float, Floats]:
        """Sum of u - (r + g P u under x), and its gradient."""
        self._look(z)
        x = z[: self.choices]
        gradient = -(x @ self.slope)
        gradient[: self.choices] -= self.q
        gradient[self.choices :] += 1.0
        return float(z[self.choices :].sum() - x @ self.q), gradient

    def slack(self, z: Floats) -> Floats:
        """u - q for each choice, which must not be negative."""
        self._look(z)
        return z[self.owner] - self.q

    def slack_slope(self, z: Floats) -> Floats:
        self._look(z)
        slope = -self.slope
        slope[np.arange(self.choices), self.owner] += 1.0
        return slope

    def minimise(self, x: Floats, context: Context) -> tuple[Floats, float]:
        """(policies, the local minimum found from them): values begin where they are feasible."""
        played = [x[a:b] for a, b in zip(self.game.offset[:-1], self.game.offset[1:])]
        top = float(np.abs(self.game.model[5]).max(initial=0.0)) * self.steps
        z = np.concatenate([x, np.minimum(self.game.values(played).T.ravel() + 1.0, top)])
        z[self.ends] = 0.0
        bounds = [(0.0, 1.0)] * self.choices + [(-2 * top - 1, 2 * top + 1)] * (self.size - self.choices)
        for end in self.ends:
            bounds[end] = (0.0, 0.0)

        def stop(_z: Floats) -> None:
            if context.stopping():
                raise Stopped("asked")

        try:
            found = self._searched(z, bounds, stop)
        except Stopped:
            return x, NOTHING
        feasible = float(self.slack(found.x).min(initial=0.0)) >= -ZERO
        minimum = float(found.fun) if feasible and np.isfinite(found.fun) else NOTHING
        return np.clip(found.x[: self.choices], 0.0, 1.0), abs(minimum)

    def _searched(self, z: Floats, bounds: list[tuple[float, float]], stop: Any) -> Any:
        from scipy.optimize import minimize

        return minimize(
            self.objective,
            z,
            jac=True,
            method="SLSQP",
            bounds=bounds,
            constraints=[
                {"type": "eq", "fun": lambda z: self.sums @ z - 1.0, "jac": lambda _: self.sums},
                {"type": "ineq", "fun": self.slack, "jac": self.slack_slope},
            ],
            callback=stop,
            options={"maxiter": MOST_ITERATIONS, "ftol": 1e-14},
        )
