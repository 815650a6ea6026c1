"""A stored solution beside the game, the form and the checker's report that it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import fogbound.verify as checker
from fogbound.certify.certificate import UNCHECKED_SLACK, Certificate
from fogbound.core.errors import FileError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form
from fogbound.solvers import SOLVERS
from fogbound.solvers.all_forms import ALL_FORMS


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
    """

    stored: Solution
    game: AnyGame | Form
    form: Form
    scale: float
    judged: frozenset[str]
    report: checker.Report

    @property
    def proof(self) -> Certificate:
        if self.stored.certificate is None:
            raise FileError("holds no certificate to check")
        return self.stored.certificate

    def slack(self, figure: float) -> float:
        """What rounding may take: a billionth of a figure, or of the largest reward where that is more.

        Every figure has its own scale, so that a huge one excuses no other.
        """
        return UNCHECKED_SLACK * max(abs(figure), self.scale)

    def same(self, said: float, proven: float) -> bool:
        """Whether two figures differ by rounding alone."""
        return said == proven or abs(said - proven) <= self.slack(proven)


def named_solver(stored: Solution) -> Any:
    """The solver that a file names, or None where it is none of Fogbound's."""
    try:
        return SOLVERS.make(str(stored.provenance["solver"]))
    except SpecError:
        return None


def solved_form(stored: Solution) -> type[Form]:
    """The type of form that a file says was solved; FileError where there is no such form."""
    kind = str(stored.provenance["form"])
    if kind not in ALL_FORMS:
        raise FileError(f"names the form {brief(kind)}, which does not exist")
    found: type[Form] = ALL_FORMS.load(kind)
    return found
