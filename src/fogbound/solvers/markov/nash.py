"""A Markov perfect equilibrium of any number of players, by the logit path.

Eibelshäuser and Poensgen, "Markov quantal response equilibrium and a homotopy method for computing and selecting Markov
perfect equilibria of dynamic stochastic games" (2019), after McKelvey and Palfrey (1995): players who choose the better
actions the more often, the more rational they are, begin with uniform play; followed to full rationality, what they
play tends to an equilibrium. The path is only followed until the support of that equilibrium shows; the equilibrium on
this support is a system of equations of its own, which Newton's method solves to all digits. What is found is certified
like any other answer; a path that cannot be followed is followed again, more carefully, and failing is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import LimitError, SpecError
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.evaluate.markov import chain_values, joint_weights
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.markov import MarkovGame, require_discounted
from fogbound.solvers.markov.answers import profile_answer

CAREFUL = (0.5, 0.2, 0.05, 0.01)  # how much a corrector may leave, by attempt
CHUNK = 200  # steps between two looks at whether to stop
MOST_UNKNOWNS = 3_000  # whose matrix is factorised at every step
MOST_STEPS = 20_000  # of one attempt
FIRST_STEP, FIRST_POLISH, FARTHEST = 0.1, 2.0, 1e7
GOING, FOUND = 0, 1  # as `follow` says
FOUND_IT, LOST_IT = 1, 2  # how a run ended; 0: not yet
MOST_SHOWN, MOST_NUMBERS = 400, 20_000  # points of the path, and numbers in them, that an answer keeps for a picture


@dataclass(frozen=True)
class LogitGame:
    """A Markov game as the kernels of the logit path take it: rewards of a range of 1, choices of all players."""

    form: MarkovGame

    @property
    def unknowns(self) -> int:
        """How many equations the path has."""
        return int(self.offset[-1]) + self.form.size * len(self.form.players)

    def require_small(self, who: str, most: int) -> None:
        """Refuse what would need a dense matrix too large to be factorised again and again."""
        if self.unknowns > most:
            other = "hoffman-karp" if self.form.constant_sum is not None else "markov-fictitious-play, a baseline"
            raise LimitError(
                f"{who}: {self.form.spec} has {self.unknowns:,} unknowns, over the {most:,} that it takes; use {other}"
            )

    @cached_property
    def scale(self) -> float:
        """The widest range of any player's rewards."""
        return float(np.ptp(self.form.reward, axis=0).max(initial=0.0)) or 1.0

    @cached_property
    def offset(self) -> Longs:
        return np.concatenate([[0], np.cumsum([first[-1] for first in self.form.first])]).astype(np.int64)

    @cached_property
    def model(self) -> tuple[Any, ...]:
        form = self.form
        reward = (
            np.ascontiguousarray((form.reward - form.reward.mean(axis=0)) / self.scale)
            if len(form.reward)
            else form.reward
        )
        choice = np.ascontiguousarray(form.choice + self.offset[:-1])
        return form.discount, form.row, form.out.astype(np.int64), form.next.astype(np.int64), form.prob, reward, choice

    @cached_property
    def owner(self) -> tuple[Longs, Longs]:
        """([K] the first choice of the same player and state, [K] player * S + state)."""
        heads, owner = [], []
        for i, first in enumerate(self.form.first):
            wide = np.diff(first)
            heads.append(self.offset[i] + np.repeat(first[:-1], wide))
            owner.append(i * self.form.size + np.repeat(np.arange(self.form.size), wide))
        return np.concatenate(heads), np.concatenate(owner)

    def begin(self) -> Floats:
        """The path at rationality 0: uniform play, its values."""
        form = self.form
        value = chain_values(replace(form, reward=self.model[5]), joint_weights(form, form.uniform))
        return np.concatenate([np.log(np.concatenate(form.uniform)), value.T.ravel(), [0.0]])

    def played(self, x: Floats) -> list[Floats]:
        """Choices of all players as each player's own, which sum to 1 in every state."""
        parts = []
        for i, first in enumerate(self.form.first):
            own = np.maximum(x[self.offset[i] : self.offset[i + 1]], 0.0)
            begins = first[:-1][self.form.live]
            total = np.repeat(np.add.reduceat(own, begins), np.diff(first)[self.form.live]) if len(begins) else own
            sound = (total > 0) & np.isfinite(total)  # nothing else is a distribution
            parts.append(np.where(sound, own / np.where(sound, total, 1.0), self.form.uniform[i]))
        return parts


@dataclass(frozen=True)
class MarkovNash:
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
        from fogbound.solvers.markov.kernels.logit import follow

        require_discounted(form, self.name)
        game, arrays = LogitGame(form), context.arrays
        game.require_small(self.name, MOST_UNKNOWNS)
        unasked = context.gap == 0  # by nobody's wish does it stop before the path ends
        if "point" not in arrays:
            arrays |= {"attempt": np.zeros(1, np.int64), "ended": np.zeros(1, np.int64)}
            arrays |= {"best": np.concatenate(form.uniform), "reached": np.zeros(1)}
            _begin(game, arrays)
        yield _answer(game, arrays, unasked)
        choices, found = int(game.offset[-1]), np.empty(len(arrays["point"]) - 1)
        while not arrays["ended"][0]:
            strict = CAREFUL[int(arrays["attempt"][0])]
            path = np.empty((CHUNK, choices + 1))
            state, taken = follow(
                *(*game.model, *game.owner, strict, CHUNK, FARTHEST, arrays["step"]),
                *(arrays["point"], arrays["tangent"], found, path),
            )
            arrays["path"] = np.concatenate([arrays["path"], path[:taken]])
            going = state == GOING and arrays["step"][2] < MOST_STEPS
            if state == FOUND:
                arrays["best"], arrays["ended"] = np.maximum(found[:choices], 0.0), np.array([FOUND_IT])
            elif arrays["point"][-1] > arrays["reached"][0]:  # the most rational is the best
                arrays["best"], arrays["reached"] = np.exp(arrays["point"][:choices]), arrays["point"][-1:].copy()
            if state != FOUND and not going:
                if arrays["attempt"][0] < self.retries:
                    arrays["attempt"] = arrays["attempt"] + 1
                    _begin(game, arrays)
                    continue
                arrays["ended"] = np.array([LOST_IT])
            yield _answer(game, arrays, unasked)


def _answer(game: LogitGame, arrays: dict[str, Any], unasked: bool) -> Progress:
    """What is known: where the path has come to, where it ends, or the best of it where it was lost."""
    form, ended, choices = game.form, int(arrays["ended"][0]), int(game.offset[-1])
    best = game.played(arrays["best"])
    if ended == FOUND_IT:
        return profile_answer(form, best, _details(arrays, np.concatenate([[np.inf], arrays["best"]])))
    if ended == LOST_IT:
        why = {"failed": "the path was lost, however carefully it was followed: no equilibrium was found"}
        return profile_answer(form, best, {**_details(arrays), **why}, unfinished="stuck")
    if not arrays["step"][2] and not arrays["attempt"][0]:
        return profile_answer(form, form.uniform, more=unasked)
    here = game.played(np.exp(arrays["point"][:choices]))
    return profile_answer(form, here, _details(arrays), more=unasked)


def _begin(game: LogitGame, arrays: dict[str, Any]) -> None:
    """The beginning of the path, where only rationality grows."""
    arrays["point"] = game.begin()
    arrays["tangent"] = np.zeros_like(arrays["point"])
    arrays["tangent"][-1] = 1.0
    arrays["step"] = np.array([FIRST_STEP, FIRST_POLISH, 0.0])
    arrays["path"] = np.concatenate([[0.0], np.concatenate(game.form.uniform)])[None]


def _details(arrays: dict[str, Any], last: Floats | None = None) -> dict[str, Any]:
    """How far the path was followed, thinned out for a picture."""
    path = arrays["path"]
    most = max(2, min(len(path), MOST_SHOWN, MOST_NUMBERS // path.shape[1]))
    shown = path[np.unique(np.linspace(0, len(path) - 1, most).astype(np.int64))]
    end = [] if last is None else [[None, *last[1:].round(6).tolist()]]
    return {
        "rationality": float(path[-1, 0]),
        "shown": "the equilibrium at the end of the logit path" if end else "as far as the logit path was followed",
        "steps": int(arrays["step"][2]),
        "attempts": int(arrays["attempt"][0]) + 1,
        "path": [*shown.round(6).tolist(), *end],
    }
