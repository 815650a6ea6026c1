"""`quantal-response`: logit equilibria along the path from uniform play, and the equilibrium at its end.

At rationality 0 everybody plays uniformly. The path from there, the *principal branch*, is one curve in almost all
games, and tends to an equilibrium (McKelvey and Palfrey 1995, 1998); it may turn back, so that rationality is not what
is counted along it (Turocy 2005, 2010). `solvers/homotopy` follows it, as it does that of a Markov game, where
values are unknowns too; here what a choice is worth depends on how likely its set is reached. The equilibrium that a
point far out shows is solved for on its support, by Newton's method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import derive
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer
from fogbound.solvers.homotopy.follower import (
    Equations,
    Factors,
    Position,
    advanced,
    between,
    curve,
    logit_derivatives,
    logit_residual,
    path_start,
    thinned,
)
from fogbound.solvers.quantal.choices import LogitChoices, agent_form, normal_form

CONTRACTS = 0.3  # how much of itself a correction may leave
FARTHEST = 1e7  # rationality at which to give up


def logit_equations(game: LogitChoices) -> Equations:
    """What logit responses leave at a point: the logarithms b of all choices, then the rationality."""
    head = game.first[game.place]

    def equations(point: Floats) -> tuple[Floats, Callable[[], Floats]]:
        b, rationality = point[:-1], float(point[-1])
        worth, slope = game.values(b)
        left = logit_residual(b, rationality, head, worth)
        return left, lambda: logit_derivatives(b, rationality, head, worth, slope)

    return equations


def principal_branch(game: LogitChoices) -> Iterator[Position]:
    """The positions of the path, uniform play first; it ends where it cannot be followed, or far enough out."""
    equations = logit_equations(game)
    here: Position | None = path_start(np.append(np.log(game.uniform), 0.0))
    while here is not None and here.point[-1] >= 0:
        yield here
        if here.point[-1] >= FARTHEST:
            return
        here = advanced(equations, here, CONTRACTS)


def _at_rationality(game: LogitChoices, before: Position, after: Position, rationality: float) -> Floats | None:
    """The point between two positions that has this rationality, by Newton's method; None where it is not found."""
    share = (rationality - before.point[-1]) / (after.point[-1] - before.point[-1])
    point, equations = between(before, after, np.array([share]))[0], logit_equations(game)
    point[-1] = rationality
    for _ in range(50):
        left, derivatives = equations(point)
        factors = Factors.of(np.ascontiguousarray(derivatives()[:, :-1]))
        if factors is None:
            return None
        move = factors.solve(left)
        point[:-1] -= move
        if not np.isfinite(point).all() or float(np.abs(move).max()) > 1e6:
            return None
        if float(np.abs(move).max()) < 1e-13 * (1.0 + float(np.abs(point[:-1]).max())):
            break
    return np.asarray(point)


def residual(game: LogitChoices, point: Floats) -> float:
    """How far the choices are from logit responses to each other: the largest difference of a probability."""
    b, rationality = point[:-1], float(point[-1])
    worth, _ = game.values(b)
    better = rationality * worth
    top = np.maximum.reduceat(better, game.first)
    weight = np.exp(better - top[game.place])
    response = weight / np.bincount(game.place, weight)[game.place]
    return float(np.abs(np.exp(b) - response).max(initial=0.0))


LIKELY = 0.1  # choices above LIKELY / rationality are taken for the support
NEWTON, EXACT = 30, 1e-13
NOTHING = -1e6  # the logarithm of what is not played
Mask = NDArray[np.bool_]


def limit(game: LogitChoices, point: Floats) -> Floats | None:
    """[K] probabilities that make every played choice of a reached set equally good; None where there are none.

    What comes out negative is on its way to 0, and is left out. Sets that the support never reaches keep what the path
    has there: it does not matter to anybody else.
    """
    x = np.exp(point[:-1])
    played = x > LIKELY / max(float(point[-1]), 1.0)
    while played.any():
        found = _equally_good(game, x, played)
        if found is None:
            return None
        if not (vanishing := played & (found <= 0)).any():
            return found
        played &= ~vanishing
    return None


def _equally_good(game: LogitChoices, x: Floats, played: Mask) -> Floats | None:
    """[K] the solution on a support; with 0 or less where it has none."""
    reached = _reached(game, played)
    free = np.flatnonzero(played & reached[game.place])
    sets = np.unique(game.place[free])
    row = np.searchsorted(sets, game.place[free])  # of each free choice, its set among those
    many = len(free)
    now = np.where(reached[game.place], 0.0, x)
    now[free] = x[free] / np.bincount(row, x[free])[row]
    worth, slope = game.values(_logarithm(now))
    value = np.bincount(row, now[free] * worth[free])
    for _ in range(NEWTON):
        left = np.concatenate([worth[free] - value[row], np.bincount(row, now[free], len(sets)) - 1.0])
        if float(np.abs(left).max(initial=0.0)) < EXACT:
            break
        matrix = np.zeros((many + len(sets), many + len(sets)))
        matrix[:many, :many] = slope[np.ix_(free, free)] / now[free]
        matrix[np.arange(many), many + row] = -1.0
        matrix[many + row, np.arange(many)] = 1.0
        move = np.linalg.lstsq(matrix, left, rcond=1e-12)[0]
        if not np.isfinite(move).all():
            return None
        now[free], value = now[free] - move[:many], value - move[many:]
        if (now[free] <= 0).any():
            return now
        worth, slope = game.values(_logarithm(now))
    return now


def _logarithm(x: Floats) -> Floats:
    return np.where(x > 0, np.log(np.maximum(x, 1e-300)), NOTHING)


def _reached(game: LogitChoices, played: Mask) -> Mask:
    """[sets] whether the support leads there: the others by some way, the owner by its own choices."""
    missing = (~played).astype(float)
    others = np.zeros(len(game.first), bool)
    others[game.reached[(game.reaching @ missing) == 0]] = True
    own = (game.before @ missing - missing == 0)[game.first]  # the choices before the set itself
    return np.asarray(others & own)


FIRST_LIMIT, BETWEEN = 30.0, 1.5  # the rationality at which an equilibrium is first looked for, the factor to the next
SAME = 1e-4  # two limits one after the other that are played so much alike are one
GOOD = 1e-9  # the regret, of the range of payoffs, that an equilibrium may have
TELL = 20  # steps between two answers
MOST_STEPS = 20_000
LOST = "the path was lost before it came there: this is as far as it could be followed"


@dataclass(frozen=True)
class QuantalResponse(EquilibriumSolver[SequenceForm]):
    """The logit quantal response equilibrium of a given rationality, or the Nash equilibrium to which they tend.

    Works on the tree in agent form, where each information set chooses for itself (McKelvey and Palfrey 1998), or on
    the matrix of pure strategies (McKelvey and Palfrey 1995); any number of players, any sum. Followed from uniform
    play along the principal branch (Turocy 2005, 2010), so one of possibly many is found. Its residual says how well
    the choices are logit responses to each other; the gap is the regret of the profile, which at a finite rationality
    need not be small.

    Parameters
    ----------
    rationality
        lambda, by which differences of payoffs are multiplied: choices are as exp(rationality x worth). None: follow
        the path to its end, an equilibrium.
    agent
        Whether each information set chooses for itself; otherwise players choose among whole strategies.
    """

    name = "quantal-response"

    rationality: float | None = None
    agent: bool = True

    form: ClassVar[type[SequenceForm]] = SequenceForm

    def __post_init__(self) -> None:
        if self.rationality is not None and not 0 <= self.rationality < np.inf:
            raise SpecError(f"quantal-response: rationality is {self.rationality}, expected 0 or more, or none")

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        if form.size == len(form.plexes):  # nobody ever chooses
            yield answer(form, [plex.uniform for plex in form.plexes])
            return
        game = agent_form(form) if self.agent else normal_form(derive(form, NormalForm))
        unasked = context.gap == 0 or self.rationality is not None  # by nobody's wish does it stop on the way
        way = Followed(game)
        due, last = FIRST_LIMIT, None
        for here in principal_branch(game):
            way.add(here)
            if self.rationality is not None and way.rationality >= self.rationality * game.scale:
                way.back_to(self.rationality * game.scale)
                yield _answer(way)
                return
            if self.rationality is None and way.rationality >= due:
                found, due = limit(game, here.point), way.rationality * BETWEEN
                if found is not None and last is not None and _apart(game, found, last) < SAME:
                    ended = _answer(way, end=found)
                    if ended.distance <= GOOD * game.scale:
                        yield ended
                        return
                last = found
            if not way.steps % TELL:
                yield replace(_answer(way), more=unasked)
            if context.stopping() or way.steps >= MOST_STEPS:
                break
        progress = _answer(way)
        if context.stopping():
            yield progress
            return
        yield replace(progress, details={**progress.details, "failed": LOST}, unfinished=StopReason.STALLED)


class Followed:
    """The path so far: where it stands, and its curve for a picture."""

    def __init__(self, game: LogitChoices) -> None:
        self.game, self.steps = game, -1
        self._ends: list[Position] = []  # the last two positions
        self._curve: list[Floats] = []
        self.point = np.zeros(0)

    def add(self, here: Position) -> None:
        choices = len(self.game.place)
        first = np.concatenate([here.point[-1:], np.exp(here.point[:-1])])[None]
        self._curve.append(curve(self._ends[-1], here, choices) if self._ends else first)
        self._ends = [*self._ends[-1:], here]
        self.steps, self.point = self.steps + 1, here.point

    def back_to(self, rationality: float) -> None:
        """From the last position, which passed it, to this rationality."""
        if len(self._ends) < 2:
            return
        before, after = self._ends
        found = _at_rationality(self.game, before, after, rationality)
        if found is not None:
            last = self._curve[-1]
            shown = np.concatenate([found[-1:], np.exp(found[:-1])])[None]
            self._curve[-1] = np.concatenate([last[last[:, 0] < rationality], shown])
            self.point = found

    @property
    def rationality(self) -> float:
        return float(self.point[-1])

    @property
    def x(self) -> Floats:
        return np.asarray(np.exp(self.point[:-1]))

    def curve(self, end: Floats | None) -> list[list[float | None]]:
        points = np.concatenate(self._curve)
        points[:, 0] /= self.game.scale
        return thinned(points, end)


def _answer(way: Followed, end: Floats | None = None) -> Progress:
    """The profile of a point of the path, or of the equilibrium at its end."""
    game = way.game
    progress = answer(game.form, game.played(way.x if end is None else end))
    said: dict[str, Any] = {
        **progress.details,
        "rationality": way.rationality / game.scale,
        "residual": residual(game, way.point) if end is None else None,
        "steps": way.steps,
        "shown": "the point of the principal branch of the logit path, which begins at uniform play"
        if end is None
        else "the equilibrium to which the principal branch of the logit path tends",
        "choices": list(game.labels),
        "sets": game.place.tolist(),
        "path": way.curve(end),
    }
    return replace(progress, details=said, iteration=way.steps + 1)


def _apart(game: LogitChoices, one: Floats, other: Floats) -> float:
    """How differently two profiles are played: what is never reached does not count."""
    pairs = zip(game.form.plexes, game.played(one), game.played(other))
    return max(float(np.abs(plex.weights(a) - plex.weights(b)).max()) for plex, a, b in pairs)
