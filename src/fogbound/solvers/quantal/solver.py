"""`quantal-response`: logit equilibria along the path from uniform play, and the equilibrium at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.driver.protocol import Context, Progress
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import derive
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import answer
from fogbound.solvers.quantal.choices import LogitChoices, agent_form, normal_form
from fogbound.solvers.quantal.limit import limit
from fogbound.solvers.quantal.path import LogitPoint, at, principal_branch, residual

FIRST_LIMIT, BETWEEN = 30.0, 1.5  # the rationality at which an equilibrium is first looked for, the factor to the next
SAME = 1e-4  # two limits one after the other that are played so much alike are one
GOOD = 1e-9  # the regret, of the range of payoffs, that an equilibrium may have
TELL = 20  # steps between two answers
MOST_STEPS = 20_000
MOST_SHOWN, MOST_NUMBERS = 400, 20_000  # points of the path, and numbers in them, that an answer keeps for a picture
LOST = "the path was lost before it came there: this is as far as it could be followed"


@dataclass(frozen=True)
class QuantalResponse:
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
    finds: ClassVar[str] = "equilibrium"

    def __post_init__(self) -> None:
        if self.rationality is not None and not 0 <= self.rationality < np.inf:
            raise SpecError(f"quantal-response: rationality is {self.rationality}, expected 0 or more, or none")

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        if form.size == len(form.plexes):  # nobody ever chooses
            yield answer(form, [plex.uniform for plex in form.plexes])
            return
        game = agent_form(form) if self.agent else normal_form(derive(form, NormalForm))
        unasked = context.gap == 0 or self.rationality is not None  # by nobody's wish does it stop on the way
        path: list[LogitPoint] = []
        due, last = FIRST_LIMIT, None
        for point in principal_branch(game):
            path.append(point)
            if self.rationality is not None and point.rationality >= self.rationality * game.scale:
                yield self._reached(game, path)
                return
            if self.rationality is None and point.rationality >= due:
                found, due = limit(game, point), point.rationality * BETWEEN
                if found is not None and last is not None and _apart(game, found, last) < SAME:
                    ended = self._ended(game, path, found)
                    if ended is not None:
                        yield ended
                        return
                last = found
            if len(path) % TELL == 1:
                yield replace(self._answer(game, path, point.x), more=unasked)
            if context.stopping() or len(path) > MOST_STEPS:
                break
        progress = self._answer(game, path, path[-1].x)
        if context.stopping():
            yield progress
            return
        yield replace(progress, details={**progress.details, "failed": LOST}, unfinished="stuck")

    def _reached(self, game: LogitChoices, path: list[LogitPoint]) -> Progress:
        """The point of the rationality that was asked for."""
        wanted = float(self.rationality or 0.0) * game.scale
        here = path[-1] if len(path) == 1 else at(game, path[-2], path[-1], wanted) or path[-1]
        path[-1] = here
        return self._answer(game, path, here.x)

    def _ended(self, game: LogitChoices, path: list[LogitPoint], found: Floats) -> Progress | None:
        """The equilibrium at the end; None where it is none."""
        progress = self._answer(game, path, found, end=True)
        return progress if progress.distance <= GOOD * game.scale else None

    def _answer(self, game: LogitChoices, path: list[LogitPoint], x: Floats, end: bool = False) -> Progress:
        point = path[-1]
        progress = answer(game.form, game.played(x))
        said: dict[str, Any] = {
            **progress.details,
            "rationality": point.rationality / game.scale,
            "residual": None if end else residual(game, point.b, point.rationality),
            "steps": len(path) - 1,
            "shown": "the equilibrium to which the principal branch of the logit path tends"
            if end
            else "the point of the principal branch of the logit path, which begins at uniform play",
            "choices": list(game.labels),
            "sets": game.place.tolist(),
            "path": _kept(path, game.scale, x if end else None),
        }
        return replace(progress, details=said, iteration=len(path))


def _apart(game: LogitChoices, one: Floats, other: Floats) -> float:
    """How differently two profiles are played: what is never reached does not count."""
    pairs = zip(game.form.plexes, game.played(one), game.played(other))
    return max(float(np.abs(plex.weights(a) - plex.weights(b)).max()) for plex, a, b in pairs)


def _kept(path: list[LogitPoint], scale: float, end: Floats | None) -> list[list[float | None]]:
    """The path thinned out for a picture: rationality, then how likely each choice is; None = its end."""
    most = max(2, min(len(path), MOST_SHOWN, MOST_NUMBERS // (1 + len(path[0].b))))
    chosen = np.unique(np.linspace(0, len(path) - 1, most).astype(np.int64)).tolist()
    shown: list[list[float | None]] = [[path[k].rationality / scale, *path[k].x.round(6).tolist()] for k in chosen]
    return shown if end is None else [*shown, [None, *end.round(6).tolist()]]
