"""A Markov perfect equilibrium of any number of players, by the logit path.

Eibelshäuser and Poensgen, "Markov quantal response equilibrium and a homotopy method for computing and selecting Markov
perfect equilibria of dynamic stochastic games" (2019), after McKelvey and Palfrey (1995): players who choose the better
actions the more often, the more rational they are, begin with uniform play; followed to full rationality, what they
play tends to an equilibrium. The path is only followed until the support of that equilibrium shows; the equilibrium on
this support is a system of equations of its own, which Newton's method solves to all digits. What is found is certified
like any other answer; a path that cannot be followed is followed again, more carefully, and failing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats
from fogbound.forms.markov import MarkovGame, require_discounted
from fogbound.solvers.homotopy.follower import Position, advanced, beginning
from fogbound.solvers.homotopy.logit import curve, thinned
from fogbound.solvers.markov.answers import profile_answer
from fogbound.solvers.markov.logit_game import LogitGame

CAREFUL = (0.5, 0.2, 0.05, 0.01)  # how much a corrector may leave, by attempt
CHUNK = 200  # steps between two answers
MOST_UNKNOWNS = 3_000  # whose matrix is factorised at every step
MOST_STEPS = 20_000  # of one attempt
FIRST_LOOK, BETWEEN, FARTHEST = (
    2.0,
    1.3,
    1e7,
)  # rationality at which an equilibrium is first looked for; factor; the end
STEP, LOOK_AT, TAKEN = 0, 1, 2  # places of what is kept: the next step, where to look for the end, steps so far
FOUND_IT, LOST_IT = 1, 2  # how a run ended; 0: not yet


@dataclass(frozen=True)
class MarkovNash(Solver[MarkovGame]):
    """A Markov perfect equilibrium of a game with any sum and any number of players, by the logit homotopy.

    Works on the Markov game: discounted, or sure to end. Predictor and corrector on the logarithms of the policies,
    then Newton's method on the support (Eibelshäuser and Poensgen 2019). Finds one equilibrium, and says nothing of
    others.

    Parameters
    ----------
    retries
        How often a path that was lost is followed again, more carefully.
    """

    name = "markov-nash"

    retries: int = 3

    form: ClassVar[type[MarkovGame]] = MarkovGame
    finds: ClassVar[str] = "equilibrium"

    def __post_init__(self) -> None:
        if not 0 <= self.retries < len(CAREFUL):
            raise SpecError(f"markov-nash: retries is {self.retries}, expected 0 to {len(CAREFUL) - 1}")

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        size = sum(int(first[-1]) for first in form.first) + form.size * len(form.players)
        kept.reals("point", (size + 1,), low=-1e12, high=1e12)
        kept.reals("tangent", (size + 1,), low=-1.0, high=1.0)
        kept.reals("step", (3,), low=0.0, high=1e12)
        kept.integers("attempt", (1,), high=self.retries)
        kept.integers("ended", (1,), high=LOST_IT)
        kept.reals("best", (size - form.size * len(form.players),), low=0.0, high=1e12)
        kept.reals("reached", (1,), low=0.0, high=1e12)
        kept.reals("path", (None, size - form.size * len(form.players) + 1), low=-1e12, high=1e12)

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        require_discounted(form, self.name)
        game, arrays = LogitGame(form), context.arrays
        game.require_small(self.name, MOST_UNKNOWNS)
        unasked = context.gap == 0  # by nobody's wish does it stop before the path ends
        if "point" not in arrays:
            arrays |= {"attempt": np.zeros(1, np.int64), "ended": np.zeros(1, np.int64)}
            arrays |= {"best": np.concatenate(form.uniform), "reached": np.zeros(1)}
            _begin(game, arrays)
        yield _answer(game, arrays, unasked)
        while not arrays["ended"][0]:
            found, going = _followed(game, arrays, context.stopping)
            if found is not None:
                arrays["best"], arrays["ended"] = found, np.array([FOUND_IT])
            elif arrays["point"][-1] > arrays["reached"][0]:  # the most rational is the best
                arrays["best"], arrays["reached"] = np.exp(arrays["point"][: game.choices]), arrays["point"][-1:].copy()
            if found is None and not going:
                if arrays["attempt"][0] < self.retries:
                    arrays["attempt"] = arrays["attempt"] + 1
                    _begin(game, arrays)
                    continue
                arrays["ended"] = np.array([LOST_IT])
            yield _answer(game, arrays, unasked)


def _followed(game: LogitGame, arrays: dict[str, Any], stopping: Callable[[], bool]) -> tuple[Floats | None, bool]:
    """(The equilibrium where one is found, whether the path goes on): a stretch of it, until somebody wants to stop."""
    here = Position(arrays["point"], arrays["tangent"], float(arrays["step"][STEP]))
    look_at, taken = float(arrays["step"][LOOK_AT]), int(arrays["step"][TAKEN])
    rows, found, going = [arrays["path"]], None, True
    for _ in range(CHUNK):
        after = advanced(game.equations, here, CAREFUL[int(arrays["attempt"][0])])
        going = after is not None and 0 <= after.point[-1] < FARTHEST and taken + 1 < MOST_STEPS
        if after is None:
            break
        rows.append(curve(here, after, game.choices))
        here, taken = after, taken + 1
        if here.point[-1] >= look_at:
            found, look_at = game.limit(here.point), float(here.point[-1]) * BETWEEN
        if found is not None or not going or stopping():
            break
    arrays |= {"point": here.point, "tangent": here.tangent, "step": np.array([here.step, look_at, taken])}
    arrays["path"] = np.concatenate(rows)
    return found, going


def _answer(game: LogitGame, arrays: dict[str, Any], unasked: bool) -> Progress:
    """What is known: where the path has come to, where it ends, or the best of it where it was lost."""
    form, ended = game.form, int(arrays["ended"][0])
    best = game.played(arrays["best"])
    if ended == FOUND_IT:
        return profile_answer(form, best, _details(arrays, arrays["best"]))
    if ended == LOST_IT:
        why = {"failed": "the path was lost, however carefully it was followed: no equilibrium was found"}
        return profile_answer(form, best, {**_details(arrays), **why}, unfinished=StopReason.STALLED)
    if not arrays["step"][TAKEN] and not arrays["attempt"][0]:
        return profile_answer(form, form.uniform, more=unasked)
    here = game.played(np.exp(arrays["point"][: game.choices]))
    return profile_answer(form, here, _details(arrays), more=unasked)


def _begin(game: LogitGame, arrays: dict[str, Any]) -> None:
    """The beginning of the path, where only rationality grows."""
    here = beginning(game.begin())
    arrays |= {"point": here.point, "tangent": here.tangent, "step": np.array([here.step, FIRST_LOOK, 0.0])}
    arrays["path"] = np.concatenate([[0.0], np.concatenate(game.form.uniform)])[None]


def _details(arrays: dict[str, Any], end: Floats | None = None) -> dict[str, Any]:
    """How far the path was followed, and its curve for a picture."""
    return {
        "rationality": float(arrays["path"][-1, 0]),
        "shown": "as far as the logit path was followed"
        if end is None
        else "the equilibrium at the end of the logit path",
        "steps": int(arrays["step"][TAKEN]),
        "attempts": int(arrays["attempt"][0]) + 1,
        "path": thinned(arrays["path"], end),
    }
