"""`verify`: what does a solution's certificate prove, and is it about what the solution plays?

The form is derived afresh from the game; everything else is read and judged by the independent checker.
"""

from __future__ import annotations

import io
import os
import warnings
from dataclasses import replace

import numpy as np

import fogbound.verify as checker
from fogbound import files
from fogbound.archive import canonical
from fogbound.certificates.held import question
from fogbound.certificates.statistical import SECONDS, STATISTICAL, Projection
from fogbound.certificates.verification import (
    Verification,
    certified_form,
    judge_certificate,
    judge_replay,
    unconfirmed,
)
from fogbound.core.atomic import write
from fogbound.core.errors import FileError, FogboundError, SpecError, Stopped, brief
from fogbound.core.game import AnyGame
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import run_solver
from fogbound.files.lookup import LOOKUP, solver_and_form
from fogbound.files.stored_policies import as_stored
from fogbound.forms.protocol import Form, derive, title
from fogbound.naming.games import GameLike, game_named_in_a_file, problem


def verify(
    solution: Solution | str | os.PathLike[str], game: GameLike | None = None, *, seconds: float = SECONDS
) -> Verification:
    """Check a solution's certificate against the game, in exact arithmetic; replay an answer from samples.

    Parameters
    ----------
    solution
        A solution, or the file that one was saved to.
    game
        Whatever `fogbound.game` takes, or a form; by default the game that the solution names.
    seconds
        How long an answer from samples may be replayed. A certificate is checked however long that takes.

    Returns
    -------
    Verification
        True where everything holds; `refuted` says what does not.

    Raises
    ------
    FileError
        The file is damaged, or holds no certificate; or its replay takes too long.

    Examples
    --------
    >>> import fogbound as fb
    >>> proof = fb.verify(fb.solve("card-poker(ranks=3)", "sequence-lp"))
    >>> bool(proof), proof.lower <= -1 / 18 <= proof.upper
    (True, True)
    """
    from fogbound.files.locks import Locks  # which few answers have

    stored, where = _stored(solution)
    played = _named(stored) if game is None else problem(game)
    try:
        held = Locks.stored(stored.provenance, played)
        solved = held.applied(played)
        if stored.certificate is None and STATISTICAL in stored.details:
            return judge_replay(stored, solved, title(played), lambda: _again(stored, solved, seconds), LOOKUP)
        return replace(judge_certificate(stored, solved, title(played), LOOKUP), locks=held.words)
    except (checker.Refused, FileError, SpecError) as error:
        raise FileError(f"{where}: {error}") from error


def _again(stored: Solution, game: AnyGame | Form, seconds: float) -> Solution:
    """The answer that a provenance gives; FileError where that would take too long."""
    solver, wanted = solver_and_form(stored)
    projection, until = Projection(stored.iterations, seconds), Until(seconds=seconds, iterations=stored.iterations)
    try:
        again = run_solver(
            solver,
            derive(game, wanted, question(stored)),
            RunOptions(
                until,
                int(stored.provenance["seed"]),
                lambda entry: projection.watch(entry.seconds, entry.iteration),
                player=stored.player,
                cancel=projection.cancel,
                check_seconds=None,
            ),
        )
    except Stopped as stop:
        raise (projection.refusal() if stop.reason in ("seconds", "cancelled") else stop) from stop
    if again.iterations < stored.iterations and again.stopped in ("seconds", "cancelled"):
        raise projection.refusal()
    from fogbound.api.guaranteeing import with_maxmin

    return with_maxmin(again, game)


def confirmed(solution: Solution, source: AnyGame | Form, form: Form) -> Solution:
    """The same solution, called certified only where `verify` would confirm it too.

    The exact check is not run again: its report is compared with what the solution plays and says.

    Parameters
    ----------
    solution
        A new solution, whose certificate the checker may have judged.
    source, form
        What was solved, and the form on which that was done.

    Returns
    -------
    Solution
        Where something is not confirmed, not certified, with the reason in `details["uncertified"]`.
    """
    proof = solution.certificate
    if proof is None or not proof.checked:
        return solution
    try:
        why = unconfirmed(_as_kept(solution), source, form, LOOKUP)
    except FogboundError as error:
        why = str(error)
    except KeyboardInterrupt:
        why = "interrupted before the certificate was compared with the policies"
    if why is None:
        return solution
    warnings.warn(f"{solution.provenance['game']}: not certified: {why}", stacklevel=3)
    details = {**solution.details, "uncertified": f"not certified: {why}"}
    return replace(solution, certificate=replace(proof, checked=False), details=details)


def export_form(
    solution: Solution | str | os.PathLike[str], path: str | os.PathLike[str], game: GameLike | None = None
) -> None:
    """Write the form that a solution's certificate is about, for a checker that has no Fogbound.

    Parameters
    ----------
    solution
        A solution, or the file that one was saved to.
    path
        Where to: a `.npz` file of plain arrays, for ``python -m fogbound.verify FORM.npz SOLUTION.npz``, which needs
        nothing but the folder ``fogbound/verify`` and Python.
    game
        Whatever `fogbound.game` takes; by default the game that the solution names.

    Raises
    ------
    FileError
        The solution is damaged or holds no certificate, or the form cannot be written.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.api.export_form(fb.solve("card-poker(ranks=3)", "sequence-lp"), "form.npz")
    """
    stored, where = _stored(solution)
    if stored.certificate is None:
        raise FileError(f"{where}: holds no certificate, so there is no form to export")
    from fogbound.files.locks import Locks

    played = _named(stored) if game is None else problem(game)
    form = certified_form(stored, Locks.stored(stored.provenance, played).applied(played), LOOKUP)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{name: canonical(array) for name, array in form.arrays().items()})
    write(path, buffer.getvalue())


def _named(stored: Solution) -> AnyGame | Form:
    """The game that a solution names, made anew; the one that was handed over where no name leads to it."""
    spec = str(stored.provenance["game"])
    try:
        return game_named_in_a_file(spec)
    except FogboundError as error:
        if stored.asked is not None:
            asked: AnyGame | Form = stored.asked
            return asked
        raise SpecError(f"{error}; hand it over: verify(solution, game)") from error


def _as_kept(solution: Solution) -> Solution:
    """With bounds and vectors as a file holds them: that is what is compared with the certificate."""
    return replace(solution, profile={i: as_stored(policy) for i, policy in solution.profile.items()})


def _stored(solution: Solution | str | os.PathLike[str]) -> tuple[Solution, str]:
    """A solution as a file holds it, and what an error calls it."""
    if isinstance(solution, Solution):
        return _as_kept(solution), "the solution"
    if not isinstance(solution, str | os.PathLike):
        raise SpecError(f"found {brief(solution)}, expected a solution, or the file that one was saved to")
    return files.load(solution), os.fspath(solution)
