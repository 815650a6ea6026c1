"""Every field of a solution file, by kind of certificate: how it is confirmed, or that it is only claimed.

One table for all kinds. `verify` walks it and prints from it what is claimed. The forging tests walk it too: a field
that is in a file and not in the table is a fault of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from fogbound.binding import figures, header
from fogbound.binding.binders import BINDERS, Binder
from fogbound.binding.held import HeldSolution
from fogbound.binding.opponents import opponents_fault

PROVEN = "proven"  # by the independent checker's figures
COMPARED = "compared"  # with the game, the certificate or the named solver
DERIVED = "derived"  # the evidence is made of it, so what was judged is what is stored
REPLAYED = "replayed"  # computed again from the seed, and equal
CLAIMED = "claimed"  # printed as claimed by the file, not checked, and used for nothing

SEARCHED = ("pomdp", "one-sided", "level-k", "team")  # the bounds are a search's, and may be wider than is proven
STATISTICAL = "statistical"  # the kind of an answer from samples: it is replayed

Fault = Callable[[HeldSolution], str | None]


class FileField(NamedTuple):
    """A field of the header, by its path, or an array, by its name; patterns as of file names."""

    name: str
    how: str
    fault: Fault | None = None  # None: the reader, the checker or the replay itself confirms it
    word: str = ""  # what a claimed field is called in words


def _claims(**words: str) -> tuple[FileField, ...]:
    return tuple(
        FileField(name.replace("__", "."), CLAIMED, word=word.replace("_", " ")) for name, word in words.items()
    )


_CLAIMED = (
    *_claims(provenance__solver="solver", provenance__chosen="choice of the solver", provenance__seed="seed"),
    *_claims(provenance__until="limits", provenance__start="start", provenance__inputs="input files"),
    *_claims(provenance__form_sha256="size of the form", provenance__problem="size of the form"),
    *_claims(provenance__versions="versions", iterations="iterations", seconds="seconds", stopped="stop reason"),
    *_claims(certificate__checked="seconds", certificate__checked_seconds="seconds", trace="trace"),
    FileField("details", CLAIMED, word="details"),
)


def _against_fault(held: HeldSolution) -> str | None:
    """Names of opponents are claimed, but uniform play is uniform."""
    return opponents_fault(held.stored, held.game)


def _evidence_fault(held: HeldSolution) -> str | None:
    """Whether the file has the arrays that the evidence consists of, and no others: derived ones are not read."""
    shown, judged = held.proof.evidence.keys(), held.judged
    for name in sorted(judged - shown):
        return f"the certificate lacks its array {name!r}"
    for name in sorted(shown - judged):
        return f"the certificate holds the array {name!r}, which is no part of the evidence"
    return None


def _fields(kind: str, binder: Binder) -> tuple[FileField, ...]:
    """All fields of a file with a certificate of this kind, in the order in which they are confirmed."""
    both = kind != "chain-profile"
    value = partial(figures.value_fault, earned=binder.earned, only_earned=kind.startswith("zero-sum-"))
    bounds, gap = (partial(check, weaker=kind in SEARCHED) for check in (figures.bounds_fault, figures.gap_fault))
    policies = DERIVED if binder.derived else COMPARED
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
        FileField("certificate/*", policies, _evidence_fault),
        FileField("policies.*.notes", CLAIMED, word="notes"),
        FileField("policies.*", policies, lambda held: binder.fault(held.stored, held.form, held.report)),
        FileField("policy/*", policies),
        FileField("lower", PROVEN, bounds),
        FileField("upper", PROVEN if both else CLAIMED, bounds, "" if both else "upper bound"),
        FileField("gap", PROVEN if both else COMPARED, gap),
        FileField("value", PROVEN, value),
        FileField("certificate.claim.*", PROVEN, figures.claim_fault),
        FileField("provenance.against", CLAIMED, _against_fault, "names of the opponents"),
        *_CLAIMED,
    )


_REPLAYED = ("value", "lower", "upper", "gap", "player", "iterations", "details", "policies.*", "policy/*")
_FOUND = ("game", "players", "player", "answer", "finds", "form", "form_sha256", "problem", "solver", "seed")

FIELDS: dict[str, tuple[FileField, ...]] = {
    **{kind: _fields(kind, binder) for kind, binder in BINDERS.items()},
    STATISTICAL: (
        *(FileField(name, REPLAYED) for name in _REPLAYED),
        *(FileField(f"provenance.{name}", REPLAYED) for name in _FOUND),
        *_claims(provenance__chosen="choice of the solver", provenance__until="limits", provenance__start="start"),
        *_claims(provenance__inputs="input files", provenance__against="names of the opponents"),
        *_claims(provenance__versions="versions", seconds="seconds", stopped="stop reason", trace="trace"),
    ),
}


def field_of(kind: str, name: str) -> FileField | None:
    """The field of the table that a path of a header, or the name of an array, belongs to; None: the table lacks it."""
    for field in FIELDS[kind]:
        if fnmatchcase(name, field.name) or name.startswith(f"{field.name}."):
            return field
    return None


def unchecked(kind: str) -> tuple[str, ...]:
    """What a file of this kind only claims, in words, each once."""
    return tuple(dict.fromkeys(field.word for field in FIELDS[kind] if field.how == CLAIMED))


def fault(held: HeldSolution) -> str | None:
    """The first thing that a stored solution says or plays and that is not confirmed; None = all of it is."""
    checks = dict.fromkeys(field.fault for field in FIELDS[held.report.kind] if field.fault is not None)
    return next(filter(None, (check(held) for check in checks)), None)
