"""A stored solution beside the game, the form and the checker's report that it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from numpy.typing import NDArray

import fogbound.verify as checker
from fogbound.certificates.certificate import UNCHECKED_SLACK, Arrays, Certificate
from fogbound.core.errors import FileError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import Form, Question
from fogbound.forms.table import Table

if TYPE_CHECKING:
    from fogbound.forms.one_sided.form import OneSided
    from fogbound.policies.stored import StoredBounds

OTHER_POLICIES = "the policies stored in the file are not those of its certificate"

Beliefs = Callable[[int], Sequence[float]]  # by level, its weights of the levels below


class StoredSolution(Protocol):
    """A solution, as a file holds it."""

    @property
    def profile(self) -> Mapping[int, Strategy]: ...

    @property
    def player(self) -> int: ...

    @property
    def value(self) -> float: ...

    @property
    def lower(self) -> float: ...

    @property
    def upper(self) -> float: ...

    @property
    def gap(self) -> float: ...

    @property
    def answer(self) -> str: ...

    @property
    def interval(self) -> tuple[float, float] | None: ...

    @property
    def provenance(self) -> Mapping[str, Any]: ...

    @property
    def details(self) -> Mapping[str, Any]: ...

    @property
    def certificate(self) -> Certificate | None: ...


class NamedSolver(NamedTuple):
    """What is compared of the solver that a file names."""

    finds: str
    forms: tuple[type[Form], ...]  # on which it works, its own first
    terms: Mapping[str, Any]  # the parameters that the certificate repeats


class OneSidedPlay(NamedTuple):
    """How the players of a one-sided game play by stored bounds."""

    scale: float  # of the game's values
    strategy: Callable[[StoredBounds], Strategy]  # FormError where it cannot be played


class Lookup(NamedTuple):
    """What a file names and solvers know: handed in, since certificates know no solvers and no games.

    Parameters
    ----------
    solver
        The solver of a name; None where there is none.
    form
        The type of form of a name; None where there is none.
    solves
        Whether a file of a provenance is of a game.
    beliefs
        What levels believe, where the solver of a name solves a hierarchy of them; else None.
    levels
        By level and player, the policies that the evidence of a hierarchy speaks of.
    one_sided
        How stored bounds are played in a one-sided game.
    digest
        A hash of policies.
    """

    solver: Callable[[str], NamedSolver | None]
    form: Callable[[str], type[Form] | None]
    solves: Callable[[Mapping[str, Any], AnyGame | Form], bool]
    beliefs: Callable[[str], Beliefs | None]
    levels: Callable[[Table, Arrays], Mapping[tuple[int, int], Strategy]]
    one_sided: Callable[[OneSided], OneSidedPlay]
    digest: Callable[[Mapping[int, Strategy]], str]


@dataclass(frozen=True)
class HeldSolution:
    """What a check of one field may look at.

    Parameters
    ----------
    stored
        The solution, as a file holds it.
    game
        The game that it is compared with.
    form
        The form that its certificate is about, derived from the game.
    scale
        The largest reward of that form.
    judged
        The names of the evidence that the checker was shown.
    report
        What the checker has proven.
    lookup
        What the file names.
    """

    stored: StoredSolution
    game: AnyGame | Form
    form: Form
    scale: float
    judged: frozenset[str]
    report: checker.Report
    lookup: Lookup

    @property
    def proof(self) -> Certificate:
        return certificate_of(self.stored)

    @property
    def solver(self) -> NamedSolver | None:
        """The solver that the file names; None where it is none of Fogbound's."""
        return self.lookup.solver(str(self.stored.provenance["solver"]))

    def slack(self, figure: float) -> float:
        """What rounding may take: a billionth of a figure, or of the largest reward where that is more.

        Every figure has its own scale, so that a huge one excuses no other.
        """
        return UNCHECKED_SLACK * max(abs(figure), self.scale)

    def same(self, said: float, proven: float) -> bool:
        """Whether two figures differ by rounding alone."""
        return said == proven or abs(said - proven) <= self.slack(proven)

    def array(self, name: str) -> NDArray[Any]:
        """One array of the evidence in the file."""
        arrays = self.proof.evidence
        if name not in arrays:
            raise FileError(f"the certificate lacks its array {name!r}")
        return arrays[name]


def certificate_of(stored: StoredSolution) -> Certificate:
    """The certificate of a file; FileError where it has none."""
    if stored.certificate is None:
        raise FileError("holds no certificate to check")
    return stored.certificate


def question(stored: StoredSolution) -> Question:
    """The solution's player, against the stored others."""
    return Question(stored.player, {i: policy for i, policy in stored.profile.items() if i != stored.player})


def solved_form(stored: StoredSolution, lookup: Lookup) -> type[Form]:
    """The type of form that a file says was solved; FileError where there is no such form."""
    return named_form(str(stored.provenance["form"]), lookup)


def named_form(kind: str, lookup: Lookup) -> type[Form]:
    """The type of form of a name; FileError where there is none."""
    found = lookup.form(kind)
    if found is None:
        raise FileError(f"names the form {brief(kind)}, which does not exist")
    return found
