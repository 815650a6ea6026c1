"""`verify`: what does a solution's certificate prove, and is it about what the solution plays?

The form is derived afresh from the game; everything else is read and judged by the independent checker.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import fogbound.verify as checker
from fogbound import files
from fogbound.api.naming import GameLike, game_named_in_a_file, problem, title
from fogbound.archive import canonical
from fogbound.binding import binders
from fogbound.binding.stored import question
from fogbound.certify.certificate import WIDEST, plain
from fogbound.core.atomic import write
from fogbound.core.errors import FileError, FogboundError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import solve
from fogbound.forms.protocol import FORMS, Form, derive
from fogbound.policies import AlphaVectors, StoredVectors
from fogbound.solvers import SOLVERS

STATISTICAL = "statistical"  # the kind of an answer from samples, which proves nothing
ANYTHING = {"lower": float(-WIDEST).hex(), "upper": float(WIDEST).hex()}  # a claim that says nothing


@dataclass(frozen=True)
class Verification:
    """What the independent checker says about a solution.

    Attributes
    ----------
    game
        The game that the solution was held against.
    players
        The names of its players.
    kind
        The kind of certificate; ``"statistical"`` for an answer from samples, which is only played again.
    player
        Whose value the interval is about.
    lower, upper
        The certified interval.
    refuted
        The first claim of the solution that does not hold, or None.
    regret
        What no player can gain more than by deviating, where the certificate is about a profile.
    levels
        (level, player, lower, upper) for each level, where it is about a hierarchy.
    proves
        ``"both"`` bounds, or the ``"lower"`` one: then the upper one that the solution reports is only claimed.
    against
        (player, how it plays) for each opponent that the answer is against, read off the stored policies.
    statistical, interval
        What an answer from samples is, and its interval, as they were had again.
    """

    game: str
    players: tuple[str, ...]
    kind: str
    player: int
    lower: float
    upper: float
    refuted: str | None = None
    regret: float | None = None
    levels: tuple[tuple[int, int, float, float], ...] = ()
    proves: str = "both"
    against: tuple[tuple[int, str], ...] = ()
    statistical: str = ""
    interval: tuple[float, float] | None = None

    @property
    def holds(self) -> bool:
        return self.refuted is None

    def __bool__(self) -> bool:
        return self.holds


def verify(solution: Solution | str | os.PathLike[str], game: GameLike | None = None) -> Verification:
    """Check a solution's certificate against the game, in exact arithmetic.

    Parameters
    ----------
    solution
        A solution, or the file that one was saved to.
    game
        Whatever `fogbound.game` takes, or a form; by default the game that the solution names.

    Returns
    -------
    Verification
        True where everything holds; `refuted` says what does not.

    Raises
    ------
    FileError
        The file is damaged, or holds no certificate.

    Examples
    --------
    >>> import fogbound as fb
    >>> proof = fb.verify(fb.solve("card-poker(ranks=3)", "sequence-lp"))
    >>> bool(proof), proof.lower <= -1 / 18 <= proof.upper
    (True, True)
    """
    stored, where = (_as_kept(solution), "the solution") if isinstance(solution, Solution) else _loaded(solution)
    played = _named(stored) if game is None else problem(game)
    if stored.certificate is None and STATISTICAL in stored.details:
        return _replayed(stored, played)
    try:
        return _judged(stored, played)
    except checker.Refused as refusal:
        raise FileError(f"{where}: {refusal}") from refusal
    except FileError as error:
        raise FileError(f"{where}: {error}") from error


def _judged(stored: Solution, game: AnyGame | Form) -> Verification:
    """The certificate against the form, derived afresh; then the solution against the certificate."""
    if stored.certificate is None:
        raise FileError("holds no certificate to check")
    claim = stored.certificate.header()
    binder = binders.BINDERS.get(stored.certificate.kind)
    if binder is None:
        raise FileError(f"its certificate is of kind {brief(stored.certificate.kind)}, which nobody knows")
    form = plain(_form(stored, game, binder.form).arrays())
    if checker.digest(form) != stored.certificate.form_sha256:
        raise FileError("the certificate is about another game: form_sha256 is not the hash of this form")
    if binder.derived:  # the claim beside the evidence is compared with the figures: the evidence is not the file's
        claim["claim"] = ANYTHING
    report = checker.check(claim, form, plain(binder.evidence(stored, game)))
    return Verification(
        title(game),
        game.players,
        report.kind,
        report.player,
        report.lower,
        report.upper,
        report.refuted or binders.fault(stored, game, report, form),
        report.regret,
        tuple(report.levels),
        stored.certificate.proves,
        binders.against(stored),
    )


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
    stored, where = (_as_kept(solution), "the solution") if isinstance(solution, Solution) else _loaded(solution)
    binder = binders.BINDERS.get(stored.certificate.kind) if stored.certificate is not None else None
    if binder is None:
        raise FileError(f"{where}: holds no certificate, so there is no form to export")
    form = _form(stored, _named(stored) if game is None else problem(game), binder.form)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{name: canonical(array) for name, array in form.arrays().items()})
    write(path, buffer.getvalue())


def _form(stored: Solution, game: AnyGame | Form, kind: str) -> Form:
    """What a certificate is about, derived afresh."""
    form: Form = derive(game, FORMS.load(kind), question(stored))
    return form


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
    profile = {i: _kept(policy) for i, policy in solution.profile.items()}
    return replace(solution, profile=profile)


def _kept(policy: Any) -> Any:
    if isinstance(policy, AlphaVectors):
        return StoredVectors.of(policy)
    return policy.stored() if hasattr(policy, "stored") else policy


def _loaded(path: str | os.PathLike[str]) -> tuple[Solution, str]:
    if not isinstance(path, str | os.PathLike):
        raise SpecError(f"found {brief(path)}, expected a solution, or the file that one was saved to")
    return files.load(path), os.fspath(path)


def _replayed(stored: Solution, game: AnyGame | Form) -> Verification:
    """An answer from samples proves nothing, but it can be had again: its provenance must give all of it once more."""
    provenance = stored.provenance
    solver = SOLVERS.make(str(provenance["solver"]))
    form = derive(game, solver.form, question(stored))
    again = solve(
        solver,
        form,
        Until(iterations=stored.iterations),
        int(provenance["seed"]),
        player=stored.player,
        certified=False,
    )
    return Verification(
        title(game),
        game.players,
        STATISTICAL,
        stored.player,
        again.value,
        again.value,
        _other_replay(stored, again),
        proves="none",
        against=binders.against(stored),
        statistical=str(again.details.get(STATISTICAL, "")),
        interval=_interval(again),
    )


def _other_replay(stored: Solution, again: Solution) -> str | None:
    """The first thing in which the answer that a provenance gives is not the one that is stored."""
    for name in ("value", "lower", "upper", "gap", "player", "iterations"):
        if getattr(stored, name) != getattr(again, name):
            return (
                f"the file reports the {name} {getattr(stored, name)!r}, its provenance gives {getattr(again, name)!r}"
            )
    if stored.provenance["form_sha256"] != again.provenance["form_sha256"]:
        return "the file is about another form than its provenance gives"
    if files.policies_digest(stored) != files.policies_digest(again):
        return "the policies stored in the file are not those that its provenance gives"
    ours, theirs = ({k: v for k, v in one.details.items() if k != "seconds"} for one in (stored, again))
    if ours != json.loads(json.dumps(theirs)):
        return "the file's details are not those that its provenance gives"
    return None


def _interval(solution: Solution) -> tuple[float, float] | None:
    """The interval that an answer from samples comes with."""
    details = solution.details
    low, high = details.get("interval") or (details.get("low"), details.get("high"))
    return None if low is None or high is None else (float(low), float(high))
