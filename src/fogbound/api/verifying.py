"""`verify`: what does a solution's certificate prove, and is it about what the solution plays?

The form is derived afresh from the game; everything else is read and judged by the independent checker.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import fogbound.verify as checker
from fogbound import files
from fogbound.api.replaying import SECONDS, replay
from fogbound.archive import canonical
from fogbound.binding import binders, fields
from fogbound.binding.fields import STATISTICAL
from fogbound.binding.header import require_players, require_profile
from fogbound.binding.held import HeldSolution
from fogbound.binding.opponents import against
from fogbound.binding.stored import question
from fogbound.certify.certificate import WIDEST, Certificate, largest_reward, plain
from fogbound.certify.wording import WORDINGS, Wording
from fogbound.core.atomic import write
from fogbound.core.errors import FileError, FogboundError, FormError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.driver.solution import Solution
from fogbound.forms.memories import Memories
from fogbound.forms.protocol import FORMS, Form, derive, underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import Tree
from fogbound.naming.games import GameLike, game_named_in_a_file, problem, title
from fogbound.policies import AlphaVectors, StoredVectors

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
        What an answer from samples is, and its interval, from the replay.
    claimed
        What the file says of itself that was not checked, in words.
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
    claimed: tuple[str, ...] = field(default=(), repr=False)

    @property
    def holds(self) -> bool:
        return self.refuted is None

    def __bool__(self) -> bool:
        return self.holds

    @property
    def name(self) -> str:
        """The player whom it is about."""
        return self.players[self.player]

    @property
    def wording(self) -> Wording:
        """The words for this kind of proof."""
        return WORDINGS[self.kind]

    @property
    def status(self) -> str:
        """Who confirms it, or does not, in a sentence."""
        return self.wording.status(self.holds)

    @property
    def words(self) -> tuple[str, ...]:
        """What was found, in sentences: the same for terminals, Python and pages."""
        if self.refuted is not None:
            return (f"Refuted: {self.refuted}.",)
        low, high = (self.lower, self.upper) if self.interval is None else self.interval
        said = [self.wording.told(self.name, number(low, 12), number(high, 12))]
        said += [self.wording.limits] if self.wording.limits else []
        said += [f"It is an answer to {how} of {self.players[player]}, as stored." for player, how in self.against]
        if self.regret is not None and not self.against:
            said.append(f"No player gains more than {number(self.regret, 6)} by deviating alone.")
        if self.kind == STATISTICAL:
            said.append(f"The estimate {number(self.lower, 12)} is the {self.statistical}.")
        said.append(f"This was established {self.wording.method}, from the game and the file alone.")
        said.append(f"Claimed by the file, not checked: {', '.join(self.claimed)}.")
        return tuple(said)

    def __str__(self) -> str:
        return " ".join(self.words)


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
    stored, where = (_as_kept(solution), "the solution") if isinstance(solution, Solution) else _loaded(solution)
    played = _named(stored) if game is None else problem(game)
    if stored.certificate is None and STATISTICAL in stored.details:
        return _within(where, lambda: _replayed(stored, played, seconds))
    return _within(where, lambda: _judged(stored, played))


def _within(where: str, judge: Callable[[], Verification]) -> Verification:
    """What is wrong with a file, said of that file."""
    try:
        return judge()
    except checker.Refused as refusal:
        raise FileError(f"{where}: {refusal}") from refusal
    except FileError as error:
        raise FileError(f"{where}: {error}") from error


def _judged(stored: Solution, game: AnyGame | Form) -> Verification:
    """The certificate against the form, derived afresh; then the solution against the certificate."""
    if stored.certificate is None:
        raise FileError("holds no certificate to check")
    claim = stored.certificate.header()
    binder = _binder(stored)
    require_profile(stored, game, binder.everyone)
    form = _form(stored, game, binder.form)
    shown = form.arrays()
    arrays = plain(shown)
    if checker.digest(arrays) != stored.certificate.form_sha256:
        raise FileError("the certificate is about another game: form_sha256 is not the hash of this form")
    if binder.derived:  # the claim beside the evidence is compared with the figures: the evidence is not the file's
        claim["claim"] = ANYTHING
    evidence = plain(binder.evidence(stored, form))
    report = checker.check(claim, arrays, evidence)
    held = HeldSolution(stored, game, form, largest_reward(shown), frozenset(evidence), report)
    return _verification(held, report.refuted or fields.fault(held))


def _verification(held: HeldSolution, refuted: str | None) -> Verification:
    report = held.report
    return Verification(
        title(held.game),
        held.game.players,
        report.kind,
        report.player,
        report.lower,
        report.upper,
        refuted,
        report.regret,
        tuple(report.levels),
        held.proof.proves,
        against(held.stored),
        claimed=fields.unchecked(report.kind),
    )


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
    if proof is None or not proof.checked or proof.report is None:
        return solution
    try:
        why = _fault(_as_kept(solution), proof, proof.report, source, form)
    except FogboundError as error:
        why = str(error)
    except KeyboardInterrupt:
        why = "interrupted before the certificate was compared with the policies"
    if why is None:
        return solution
    warnings.warn(f"{solution.provenance['game']}: not certified: {why}", stacklevel=3)
    details = {**solution.details, "uncertified": f"not certified: {why}"}
    return replace(solution, certificate=replace(proof, checked=False), details=details)


def _fault(
    kept: Solution, proof: Certificate, report: checker.Report, source: AnyGame | Form, form: Form
) -> str | None:
    """What `verify` would refute in a solution whose certificate was judged a moment ago."""
    binder = _binder(kept)
    require_profile(kept, source, binder.everyone)
    kind = binder.form
    wanted: type[Form] = SequenceForm if kind in (Tree.kind, Memories.kind) else FORMS.load(kind)
    try:
        judged: Form = underlying(form, wanted)
    except FormError:  # a form of one player: the certificate is about the game
        judged = derive(source, wanted, question(kept))
    return fields.fault(
        HeldSolution(kept, source, judged, largest_reward(proof.form), frozenset(proof.evidence), report)
    )


def _binder(stored: Solution) -> binders.Binder:
    kind = "" if stored.certificate is None else stored.certificate.kind
    if kind not in binders.BINDERS:
        raise FileError(f"its certificate is of kind {brief(kind)}, which nobody knows")
    return binders.BINDERS[kind]


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
    if stored.certificate is None:
        raise FileError(f"{where}: holds no certificate, so there is no form to export")
    form = _form(stored, _named(stored) if game is None else problem(game), _binder(stored).form)
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


def _replayed(stored: Solution, game: AnyGame | Form, seconds: float) -> Verification:
    """An answer from samples proves nothing, but its provenance must give all of it again."""
    require_players(stored, game)
    again, refuted = replay(stored, game, seconds)
    return Verification(
        title(game),
        game.players,
        STATISTICAL,
        stored.player,
        again.value,
        again.value,
        refuted,
        proves="none",
        against=against(stored),
        statistical=str(again.details.get(STATISTICAL, "")),
        interval=again.interval,
        claimed=fields.unchecked(STATISTICAL),
    )
