"""Answers from samples: they prove nothing, but their seed gives them again, and all of them must come out the same."""

from __future__ import annotations

import json
from typing import Any

from fogbound import files
from fogbound.api.guaranteeing import with_maxmin
from fogbound.binding.held import named_solver
from fogbound.binding.same_game import solves
from fogbound.binding.stored import question
from fogbound.core.cancel import Cancel
from fogbound.core.errors import FileError, Stopped, brief
from fogbound.core.game import AnyGame
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import TraceEntry, Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import solve
from fogbound.driver.solver import AnySolver
from fogbound.forms.protocol import Form, derive

SECONDS = 600.0  # what a replay may take, unless told
SOON = 2.0  # seconds after which it is known how long a replay will take
FIGURES = ("value", "lower", "upper", "gap", "player", "iterations")
FOUND = ("players", "player", "answer", "finds", "form", "problem", "solver", "seed", "form_sha256")


def replay(stored: Solution, game: AnyGame | Form, seconds: float = SECONDS) -> tuple[Solution, str | None]:
    """The answer that a provenance gives, and the first thing in which it is not the one that is stored.

    Parameters
    ----------
    stored
        The answer.
    game
        The game that it is compared with.
    seconds
        How long the replay may take: how much of it there is to do is written in the file.

    Returns
    -------
    tuple
        The new answer; and what is refuted, or None.

    Raises
    ------
    FileError
        The solver does not exist, works on other forms, or the replay would take too long.
    """
    provenance = stored.provenance
    if not solves(provenance, game):
        return stored, f"the file names the game {brief(provenance['game'])}, which is not the one that was checked"
    projection = _Projection(stored.iterations, seconds)
    solver, wanted = _solved_by(stored)
    try:
        again = solve(
            solver,
            derive(game, wanted, question(stored)),
            RunOptions(
                Until(seconds=seconds, iterations=stored.iterations),
                int(provenance["seed"]),
                projection,
                player=stored.player,
                cancel=projection.cancel,
                check_seconds=None,
            ),
        )
    except Stopped as stop:
        raise (projection.refusal() if stop.reason in ("seconds", "cancelled") else stop) from stop
    if again.iterations < stored.iterations and again.stopped in ("seconds", "cancelled"):
        raise projection.refusal()
    again = with_maxmin(again, game)
    return again, _difference(stored, again)


class _Projection:
    """Watches a replay, and ends it as soon as it is known to take too long."""

    def __init__(self, iterations: int, seconds: float) -> None:
        self.iterations, self.seconds, self.cancel = iterations, seconds, Cancel()

    def __call__(self, entry: TraceEntry) -> None:
        if entry.seconds >= SOON and entry.seconds * self.iterations > self.seconds * max(entry.iteration, 1):
            self.cancel.set()

    def refusal(self) -> FileError:
        return FileError(
            f"reports {self.iterations:,} iterations, whose replay takes more than {self.seconds:,.0f} s: allow more "
            "with --seconds, or seconds= in Python"
        )


def _solved_by(stored: Solution) -> tuple[AnySolver, type[Form]]:
    """The solver that a file names, and which of its forms it worked on."""
    solver, kind = named_solver(stored), stored.provenance["form"]
    if solver is None:
        raise FileError(f"names the solver {brief(stored.provenance['solver'])}, which does not exist")
    for form in solver.forms():
        if form.kind == kind:
            return solver, form
    raise FileError(f"says that {stored.provenance['solver']} solved a {brief(kind)} form, on which it does not work")


def _difference(stored: Solution, again: Solution) -> str | None:
    """The first thing in which the answer that a provenance gives is not the one that is stored."""
    for name in FIGURES:
        said, found = getattr(stored, name), getattr(again, name)
        if said != found and not (said != said and found != found):  # not evaluated, both times
            return f"the file reports the {name} {said!r}, its provenance gives {found!r}"
    for name in FOUND:
        if stored.provenance.get(name) != again.provenance[name]:
            said = brief(stored.provenance.get(name))
            return f"the file names the {name} {said}, its provenance gives {brief(again.provenance[name])}"
    if files.policies_digest(stored) != files.policies_digest(again):
        return "the policies stored in the file are not those that its provenance gives"
    if _plain(stored) != _plain(again):
        return "the file's details are not those that its provenance gives"
    return None


def _plain(solution: Solution) -> Any:
    """The details as a file holds them, without the time that they took."""
    return json.loads(json.dumps({key: value for key, value in solution.details.items() if key != "seconds"}))
