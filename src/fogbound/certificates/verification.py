"""A stored solution judged: its certificate against the game, then what it plays and says against its certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import fogbound.verify as checker
from fogbound.certificates.certificate import WIDEST, largest_reward, plain
from fogbound.certificates.exact import ExactKind
from fogbound.certificates.fields import against, first_fault, require_known_players, require_profile, unchecked
from fogbound.certificates.held import HeldSolution, Lookup, StoredSolution, certificate_of, named_form, question
from fogbound.certificates.kinds import KINDS, exact_kind
from fogbound.certificates.statistical import STATISTICAL, replayed_answer
from fogbound.certificates.wording import Wording
from fogbound.core.errors import FileError, FormError
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.forms.memories import Memories
from fogbound.forms.protocol import Form, derive, underlying
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import Tree

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
    locks
        A clause for each lock, where the answer is of the game with locks.
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
    locks: tuple[str, ...] = ()
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
        return KINDS[self.kind].wording

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
        said += [f"The game is the one with these locks: {'; '.join(self.locks)}."] if self.locks else []
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


def judge_certificate(stored: StoredSolution, game: AnyGame | Form, title: str, lookup: Lookup) -> Verification:
    """The certificate against the form, derived afresh; then the solution against the certificate.

    Parameters
    ----------
    stored
        The solution, as a file holds it.
    game, title
        What it is compared with, and what that is called.
    lookup
        What the file names.

    Raises
    ------
    FileError, fogbound.verify.Refused
        The certificate is missing, about another game, or cannot be judged.
    """
    proof, kind = certificate_of(stored), _kind(stored)
    require_profile(stored, game, kind.everyone)
    form = certified_form(stored, game, lookup)
    shown = form.arrays()
    arrays, claim = plain(shown), proof.header()
    if checker.digest(arrays) != proof.form_sha256:
        raise FileError("the certificate is about another game: form_sha256 is not the hash of this form")
    if kind.derived:  # the claim beside the evidence is compared with the figures: the evidence is not the file's
        claim["claim"] = ANYTHING
    evidence = plain(kind.evidence(stored, form))
    report = checker.check(claim, arrays, evidence)
    held = HeldSolution(stored, game, form, largest_reward(shown), frozenset(evidence), report, lookup)
    return Verification(
        title,
        game.players,
        report.kind,
        report.player,
        report.lower,
        report.upper,
        report.refuted or first_fault(kind.fields, held),
        report.regret,
        tuple(report.levels),
        kind.proves,
        against(stored, lookup),
        claimed=unchecked(kind.fields),
    )


def judge_replay(
    stored: StoredSolution, game: AnyGame | Form, title: str, again: Callable[[], StoredSolution], lookup: Lookup
) -> Verification:
    """An answer from samples proves nothing, but its provenance must give all of it again; `again` solves it."""
    require_known_players(stored, game)
    found, refuted = replayed_answer(stored, game, again, lookup)
    kind = KINDS[STATISTICAL]
    return Verification(
        title,
        game.players,
        kind.name,
        stored.player,
        found.value,
        found.value,
        refuted,
        proves=kind.proves,
        against=against(stored, lookup),
        statistical=str(found.details.get(STATISTICAL, "")),
        interval=found.interval,
        claimed=unchecked(kind.fields),
    )


def unconfirmed(stored: StoredSolution, source: AnyGame | Form, form: Form, lookup: Lookup) -> str | None:
    """What `judge_certificate` would refute in a solution whose certificate was checked a moment ago; None = nothing.

    The exact check is not run again: its report is compared with what the solution plays and says.

    Parameters
    ----------
    stored
        The solution, as a file would hold it.
    source, form
        What was solved, and the form on which that was done.
    lookup
        What the solution names.
    """
    proof, kind = certificate_of(stored), _kind(stored)
    if proof.report is None:
        return None
    require_profile(stored, source, kind.everyone)
    wanted: type[Form] = SequenceForm if kind.form in (Tree.kind, Memories.kind) else named_form(kind.form, lookup)
    try:
        judged: Form = underlying(form, wanted)
    except FormError:  # a form of one player: the certificate is about the game
        judged = derive(source, wanted, question(stored))
    scale, shown = largest_reward(proof.form), frozenset(proof.evidence)
    return first_fault(kind.fields, HeldSolution(stored, source, judged, scale, shown, proof.report, lookup))


def certified_form(stored: StoredSolution, game: AnyGame | Form, lookup: Lookup) -> Form:
    """The form that a certificate is about, derived afresh from the game."""
    return derive(game, named_form(_kind(stored).form, lookup), question(stored))


def _kind(stored: StoredSolution) -> ExactKind:
    return exact_kind(certificate_of(stored).kind.name)
