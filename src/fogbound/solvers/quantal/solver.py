"""`quantal-response`: logit equilibria along the path from uniform play, and the equilibrium at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.stops import StopReason
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import derive
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer
from fogbound.solvers.homotopy.follower import Position
from fogbound.solvers.homotopy.logit import curve, thinned
from fogbound.solvers.quantal.choices import LogitChoices, agent_form, normal_form
from fogbound.solvers.quantal.limit import limit
from fogbound.solvers.quantal.path import at, principal_branch, residual

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
        found = at(self.game, before, after, rationality)
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
