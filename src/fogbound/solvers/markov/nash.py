"""A Markov perfect equilibrium of any number of players, by the logit path.

Eibelshäuser and Poensgen, "Markov quantal response equilibrium and a homotopy method for computing and selecting Markov
perfect equilibria of dynamic stochastic games" (2019), after McKelvey and Palfrey (1995): players who choose the better
actions the more often, the more rational they are, begin with uniform play; followed to full rationality, what they
play tends to an equilibrium. The path is only followed until the support of that equilibrium shows; the equilibrium on
this support is a system of equations of its own, which Newton's method solves to all digits. What is found is certified
like any other answer; a path that cannot be followed is followed again, more carefully, and failing is said.

Unknowns are the logarithms b of all choices (all players', one after the other), the values v of all states to each
player, and the rationality l. Beside the logit responses (`solvers/homotopy/follower.py`), in which q is the value of
each choice against what the others play, values are those of what is played: v = sum of x q, with x = exp b.

Rewards are normalised by potential-based shaping (Ng, Harada and Russell 1999), never by a constant per step: where
actions influence when play ends, a constant per step makes another game. With a potential phi of the states, 0 where
play is over, rewards r + g P phi - phi change the value of every choice in state s by -phi(s), whatever is played, so
that best replies, equilibria and the logit path stay as they are. Phi is the value of uniform play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.errors import LimitError, SpecError
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.stops import StopReason
from fogbound.evaluation.markov import Played, chain_values, joint_weights
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.markov import MarkovGame, require_discounted
from fogbound.solvers.homotopy.follower import Factors, Position, advanced, curve, path_start, thinned
from fogbound.solvers.markov.answers import MarkovSolver, profile_answer

LIKELY = 0.1  # choices above LIKELY / l are taken for the support
NEWTON, EXACT = 12, 1e-13  # steps of Newton's method on a support, and what it may leave
NEGATIVE = -1e-12  # probabilities above this are 0
BETTER = 1e-11  # no other choice may be better by more
WILD = 1e3  # what equations whose rewards have a range of 1 never leave near a solution
ROUNDING = 1e-13  # of the largest reward or value: shaped rewards that differ by less are equal


@dataclass(frozen=True)
class LogitGame:
    """A Markov game as the logit path takes it: shaped rewards of a range of 1, choices of all players."""

    form: MarkovGame

    @property
    def unknowns(self) -> int:
        """How many equations the path has."""
        return self.choices + self.form.size * len(self.form.players)

    def require_small(self, who: str, most: int) -> None:
        """Refuse what would need a dense matrix too large to be factorised again and again."""
        if self.unknowns > most:
            other = "hoffman-karp" if self.form.constant_sum is not None else "markov-fictitious-play, a baseline"
            raise LimitError(
                f"{who}: {self.form.spec} has {self.unknowns:,} unknowns, over the {most:,} that it takes; use {other}"
            )

    @cached_property
    def potential(self) -> Floats:
        """[S, n] the value of uniform play, 0 where play is over."""
        return chain_values(self.form, joint_weights(self.form, self.form.uniform))

    @cached_property
    def shaped(self) -> Floats:
        """[R, n] r + g P phi - phi, the advantage of each joint action over uniform play."""
        form = self.form
        later: Floats = form.discount * (form.moves @ self.potential)
        return form.reward + later - self.potential[form.state_of]

    @cached_property
    def scale(self) -> float:
        """The widest range of any player's shaped rewards; the largest number behind them where they are all equal."""
        if not len(self.shaped):
            return 1.0
        wide = float(np.ptp(self.shaped, axis=0).max())
        largest = max(float(np.abs(self.form.reward).max()), float(np.abs(self.potential).max()))
        return wide if wide > ROUNDING * largest else largest or 1.0

    @cached_property
    def offset(self) -> Longs:
        return np.concatenate([[0], np.cumsum([first[-1] for first in self.form.first])]).astype(np.int64)

    @cached_property
    def model(self) -> tuple[Any, ...]:
        form, reward = self.form, np.ascontiguousarray(self.shaped / self.scale)
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

    @property
    def choices(self) -> int:
        """K, the choices of all players in all states."""
        return int(self.offset[-1])

    def begin(self) -> Floats:
        """The path at rationality 0: uniform play, whose values the shaping makes 0."""
        form = self.form
        return np.concatenate([np.log(np.concatenate(form.uniform)), np.zeros(form.size * len(form.players)), [0.0]])

    def values(self, played: Played) -> Floats:
        """[S, n] the values of a profile, by the shaped rewards."""
        return (chain_values(self.form, joint_weights(self.form, played)) - self.potential) / self.scale

    def equations(self, point: Floats) -> tuple[Floats, Callable[[], Floats]]:
        """([m] what the equations leave at a point, their derivatives [m, m + 1] when asked); m = K + n S."""
        from fogbound.solvers.markov.kernels import logit_system

        many, size = self.choices, len(point) - 1
        left, matrix = np.empty(size), np.empty((size, size + 1))
        x, q, slope = np.empty(many), np.empty(many), np.empty((many, size))
        logit_system(*self.model, *self.owner, point, x, q, slope, left, matrix)
        return left, lambda: matrix

    def limit(self, point: Floats) -> Floats | None:
        """[K] the equilibrium on the support of a point, by Newton's method; None where it is none."""
        many, (_, owner) = self.choices, self.owner
        x, every = np.exp(point[:many]), np.arange(many)
        likely = x > LIKELY / max(float(point[-1]), 1.0)
        found = np.concatenate([np.where(likely, x, 0.0), point[many:-1]])
        over = many + np.flatnonzero(~np.isin(np.arange(len(found) - many), owner))  # values of ends
        for turn in range(NEWTON):
            q, slope = self._worth(found[:many], found[many:])
            left = np.concatenate(
                [
                    np.where(likely, q - found[many + owner], found[:many]),
                    np.bincount(owner, found[:many], len(found) - many) - 1.0,
                ]
            )
            left[over] = found[over]
            worst = float(np.abs(left).max(initial=0.0))
            if not worst < WILD:
                return None
            if worst <= EXACT or (turn == NEWTON - 1 and worst <= 100 * EXACT):
                return self._stands(found, q)
            matrix = np.zeros((len(found), len(found)))
            matrix[:many] = np.where(likely[:, None], slope, 0.0)
            matrix[every, every] = np.where(likely, matrix[every, every], 1.0)
            matrix[every, many + owner] -= likely
            matrix[many + owner, every] = 1.0
            matrix[over, over] = 1.0
            factors = Factors.of(matrix)
            if factors is None:
                return None
            found -= factors.solve(left)
        return None

    def _stands(self, found: Floats, q: Floats) -> Floats | None:
        """The probabilities of a solution in which nothing is negative and no other choice better."""
        many, (_, owner) = self.choices, self.owner
        if (found[:many] < NEGATIVE).any() or (q > found[many + owner] + BETTER).any():
            return None
        return np.maximum(found[:many], 0.0)

    def _worth(self, x: Floats, value: Floats) -> tuple[Floats, Floats]:
        """([K] the value of each choice against what the others play, [K, K + n S] its derivatives by x and value)."""
        from fogbound.solvers.markov.kernels import values_of_choices

        q, slope = np.empty(len(x)), np.empty((len(x), len(x) + len(value)))
        values_of_choices(*self.model, x, value, q, slope)
        return q, slope

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


CAREFUL = (0.5, 0.2, 0.05, 0.01)  # how much a corrector may leave, by attempt
CHUNK = 200  # steps between two answers
MOST_UNKNOWNS = 3_000  # whose matrix is factorised at every step
MOST_STEPS = 20_000  # of one attempt
# The rationality at which an equilibrium is first looked for, the factor to the next, and the end.
FIRST_LOOK, BETWEEN, FARTHEST = 2.0, 1.3, 1e7
STEP, LOOK_AT, TAKEN = 0, 1, 2  # places of what is kept: the next step, where to look for the end, steps so far
FOUND_IT, LOST_IT = 1, 2  # how a run ended; 0: not yet


@dataclass(frozen=True)
class MarkovNash(MarkovSolver):
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
    here = path_start(game.begin())
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
