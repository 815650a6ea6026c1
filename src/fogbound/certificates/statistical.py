"""Answers from samples: they prove nothing, but their seed gives them again, and all of them must come out the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fogbound.certificates.certificate import Kind
from fogbound.certificates.fields import REPLAYED, FileField, claimed_fields
from fogbound.certificates.held import Lookup, StoredSolution
from fogbound.certificates.wording import REPLAY, Wording
from fogbound.core.cancel import Cancel
from fogbound.core.errors import FileError, brief
from fogbound.core.game import AnyGame
from fogbound.forms.protocol import Form

SECONDS = 600.0  # what a replay may take, unless told
SOON = 2.0  # seconds after which it is known how long a replay will take
FIGURES = ("value", "lower", "upper", "gap", "player", "iterations")
FOUND = ("players", "player", "answer", "finds", "form", "problem", "solver", "seed", "form_sha256")


class StatisticalKind(Kind):
    """No certificate: the provenance of an answer is replayed."""

    name = "statistical"
    wording = Wording(
        "the estimate for {name} is",
        "A replay gives {name} the same estimate, with a confidence interval from {lower} to {upper}.",
        "Nothing is proven about the value of the game.",
        REPLAY,
    )
    proves = "none"

    @property
    def fields(self) -> tuple[FileField, ...]:
        """The fields of a file without a certificate, and how each is confirmed."""
        return (
            *(FileField(name, REPLAYED) for name in (*FIGURES, "details", "policies.*", "policy/*")),
            *(FileField(f"provenance.{name}", REPLAYED) for name in ("game", *FOUND)),
            *claimed_fields(
                provenance__chosen="choice of the solver", provenance__until="limits", provenance__start="start"
            ),
            *claimed_fields(provenance__inputs="input files", provenance__against="names of the opponents"),
            *claimed_fields(provenance__versions="versions", seconds="seconds", stopped="stop reason", trace="trace"),
        )


KINDS = (StatisticalKind(),)
STATISTICAL = KINDS[0].name  # also the key of `details` that says what such an answer is


class Projection:
    """Watches a replay, and cancels it as soon as it is known to take too long.

    Parameters
    ----------
    iterations
        How much there is to do, as the file says.
    seconds
        How long it may take.
    """

    def __init__(self, iterations: int, seconds: float) -> None:
        self.iterations, self.seconds, self.cancel = iterations, seconds, Cancel()

    def watch(self, seconds: float, iteration: int) -> None:
        """Told how far the replay has come, and how long that took."""
        if seconds >= SOON and seconds * self.iterations > self.seconds * max(iteration, 1):
            self.cancel.set()

    def refusal(self) -> FileError:
        return FileError(
            f"reports {self.iterations:,} iterations, whose replay takes more than {self.seconds:,.0f} s: allow more "
            "with --seconds, or seconds= in Python"
        )


def replayed_answer(
    stored: StoredSolution, game: AnyGame | Form, again: Callable[[], StoredSolution], lookup: Lookup
) -> tuple[StoredSolution, str | None]:
    """The answer that a provenance gives, and the first thing in which it is not the one that is stored.

    Parameters
    ----------
    stored
        The answer.
    game
        The game that it is compared with.
    again
        Solves the game again, as the provenance says.
    lookup
        What the file names.

    Returns
    -------
    tuple
        The new answer; and what is refuted, or None.
    """
    if not lookup.solves(stored.provenance, game):
        named = brief(stored.provenance["game"])
        return stored, f"the file names the game {named}, which is not the one that was checked"
    found = again()
    return found, _difference(stored, found, lookup)


def _difference(stored: StoredSolution, again: StoredSolution, lookup: Lookup) -> str | None:
    """The first thing in which the answer that a provenance gives is not the one that is stored."""
    for name in FIGURES:
        said, found = getattr(stored, name), getattr(again, name)
        if said != found and not (said != said and found != found):  # not evaluated, both times
            return f"the file reports the {name} {said!r}, its provenance gives {found!r}"
    for name in FOUND:
        if stored.provenance.get(name) != again.provenance[name]:
            said = brief(stored.provenance.get(name))
            return f"the file names the {name} {said}, its provenance gives {brief(again.provenance[name])}"
    if lookup.digest(stored.profile) != lookup.digest(again.profile):
        return "the policies stored in the file are not those that its provenance gives"
    if _plain(stored) != _plain(again):
        return "the file's details are not those that its provenance gives"
    return None


def _plain(solution: StoredSolution) -> Any:
    """The details as a file holds them, without the time that they took."""
    return json.loads(json.dumps({key: value for key, value in solution.details.items() if key != "seconds"}))
