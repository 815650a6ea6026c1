"""Every field of a solution file: how it is confirmed, or that it is only claimed.

`verify` walks the fields of a kind and prints from them what is claimed. The forging tests walk them too: a field that
is in a file and not among them is a fault of the kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from fogbound.certificates import figures, header
from fogbound.certificates.certificate import Kind
from fogbound.certificates.held import HeldSolution
from fogbound.certificates.wording import BOTH

PROVEN = "proven"  # by the independent checker's figures
COMPARED = "compared"  # with the game, the certificate or the named solver
DERIVED = "derived"  # the evidence is made of it, so what was judged is what is stored
REPLAYED = "replayed"  # computed again from the seed, and equal
CLAIMED = "claimed"  # printed as claimed by the file, not checked, and used for nothing

Fault = Callable[[HeldSolution], str | None]


class FileField(NamedTuple):
    """A field of the header, by its path, or an array, by its name; patterns as of file names."""

    name: str
    how: str
    fault: Fault | None = None  # None: the reader, the checker or the replay itself confirms it
    word: str = ""  # what a claimed field is called in words


def claims(**words: str) -> tuple[FileField, ...]:
    """Claimed fields, by path with ``__`` for the dots, and what they are called in words."""
    return tuple(FileField(name.replace("__", "."), CLAIMED, word=word) for name, word in words.items())


_CLAIMED = (
    *claims(provenance__solver="solver", provenance__chosen="choice of the solver", provenance__seed="seed"),
    *claims(provenance__until="limits", provenance__start="start", provenance__inputs="input files"),
    *claims(provenance__form_sha256="size of the form", provenance__problem="size of the form"),
    *claims(provenance__versions="versions", iterations="iterations", seconds="seconds", stopped="stop reason"),
    *claims(certificate__checked="seconds", certificate__checked_seconds="seconds", trace="trace"),
    *claims(details="details"),
)


def evidence_fault(held: HeldSolution) -> str | None:
    """Whether the file has the arrays that the evidence consists of, and no others: derived ones are not read."""
    shown, judged = held.proof.evidence.keys(), held.judged
    for name in sorted(judged - shown):
        return f"the certificate lacks its array {name!r}"
    for name in sorted(shown - judged):
        return f"the certificate holds the array {name!r}, which is no part of the evidence"
    return None


def certified_fields(kind: Kind, policies: str, policies_fault: Fault, earned: figures.Earned) -> tuple[FileField, ...]:
    """All fields of a file with a certificate of this kind, in the order in which they are confirmed.

    Parameters
    ----------
    kind
        The kind.
    policies, policies_fault
        How the policies are confirmed: the evidence is derived from them, or compared with them.
    earned
        Evaluates the stored policies.
    """
    both = kind.proves == BOTH
    value = partial(figures.value_fault, earned=earned, only_earned=kind.zero_sum)
    bounds, gap = (partial(check, weaker=kind.searched) for check in (figures.bounds_fault, figures.gap_fault))
    return (
        FileField("player", COMPARED, header.player_fault),
        FileField("provenance.player", COMPARED, header.player_fault),
        FileField("provenance.players", COMPARED, header.players_fault),
        FileField("provenance.game", COMPARED, header.game_fault),
        FileField("provenance.finds", COMPARED, header.finds_fault),
        FileField("provenance.form", COMPARED, header.finds_fault),
        FileField("provenance.answer", COMPARED, header.answer_fault),
        FileField("certificate.version", COMPARED),
        FileField("certificate.kind", PROVEN),
        FileField("certificate.arithmetic", COMPARED),
        FileField("certificate.player", COMPARED, header.player_fault),
        FileField("certificate.form_sha256", COMPARED),
        FileField("certificate/*", policies, evidence_fault),
        FileField("policies.*.notes", CLAIMED, word="notes"),
        FileField("policies.*", policies, policies_fault),
        FileField("policy/*", policies),
        FileField("lower", PROVEN, bounds),
        FileField("upper", PROVEN if both else CLAIMED, bounds, "" if both else "upper bound"),
        FileField("gap", PROVEN if both else COMPARED, gap),
        FileField("value", PROVEN, value),
        FileField("certificate.claim.*", PROVEN, figures.claim_fault),
        FileField("provenance.against", CLAIMED, header.opponents_fault, "names of the opponents"),
        *_CLAIMED,
    )


def field_of(fields: Iterable[FileField], name: str) -> FileField | None:
    """The field that a path of a header, or the name of an array, belongs to; None: there is none."""
    for field in fields:
        if fnmatchcase(name, field.name) or name.startswith(f"{field.name}."):
            return field
    return None


def unchecked(fields: Iterable[FileField]) -> tuple[str, ...]:
    """What a file only claims, in words, each once."""
    return tuple(dict.fromkeys(field.word for field in fields if field.how == CLAIMED))


def first_fault(fields: Iterable[FileField], held: HeldSolution) -> str | None:
    """The first thing that a stored solution says or plays and that is not confirmed; None = all of it is."""
    checks = dict.fromkeys(field.fault for field in fields if field.fault is not None)
    return next(filter(None, (check(held) for check in checks)), None)
