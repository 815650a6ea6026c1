"""What every solver of equilibria reports: a profile, what it guarantees, what it leaves to be regretted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from fogbound.core.errors import FormError
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Progress
from fogbound.driver.solver import EQUILIBRIUM, Scope, Solver
from fogbound.evaluation.exploitability import exploitability
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Form
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import Tree
from fogbound.policies.tabular import Tabular
from fogbound.solvers import SOLVERS

F = TypeVar("F", contravariant=True)


def answer(
    form: SequenceForm,
    played: Sequence[Floats],
    details: Mapping[str, Any] | None = None,
    iteration: int | None = None,
) -> Progress:
    """A profile of behaviours with its exploitability, from player 0's side.

    The value is the profile's own. Two players and a constant sum: the bounds are what each strategy guarantees, and
    the gap is NashConv. Otherwise nothing is guaranteed: the lower bound is the value, the upper one player 0's best
    reply, and the gap the largest regret.
    Without `details` every player's value and regret are reported.
    """
    measured = exploitability(form, played)
    value, lower, upper, gap = measured.values[0], measured.values[0], measured.best[0], max(measured.regrets)
    if form.constant_sum is not None and len(form.plexes) == 2:
        lower, upper = min(form.constant_sum - measured.best[1], value), max(upper, value)  # but for rounding
        gap = upper - lower

    def profile() -> dict[int, Strategy]:
        return {i: Tabular(form.decisions, i, b) for i, b in enumerate(played)}

    if details is None:
        details = {"regrets": list(measured.regrets), "values": list(measured.values)}
    return Progress(
        value, lower, upper, profile, details, gap=gap, iteration=iteration, values=measured.values, best=measured.best
    )


def behaviour_of(form: NormalForm, mixed: Sequence[Floats]) -> list[Floats]:
    """Mixed strategies of the matrix as behaviour on the tree, which pays the same (Kuhn 1953)."""
    plexes = form.sequence.plexes
    return [plex.behaviour(m @ w) for plex, m, w in zip(plexes, mixed, form.weights)]


class EquilibriumSolver(Solver[F]):
    """A solver of equilibria on the tree, the sequence form or the normal form."""

    finds: ClassVar[str] = EQUILIBRIUM

    @classmethod
    def require(cls, form: SequenceForm, who: str) -> None:
        """Refuse a game outside of the scope, and name the solvers whose scope it lies in."""
        require(cls.scope, form, who)


def require(scope: Scope, form: SequenceForm, who: str) -> None:
    """Refuse a game outside of a scope, and name the solvers of equilibria whose scope it lies in."""
    fault = scope.fault(form)
    if fault:
        raise FormError(f"{who}: {fault}. Solvers of equilibria that take it: {', '.join(solvers_for(form))}")


def solvers_for(form: SequenceForm, on: tuple[type[Form], ...] = (Tree, SequenceForm, NormalForm)) -> list[str]:
    """The names of all solvers of equilibria in whose scope a game lies, of those that work on these forms."""
    found = ((name, SOLVERS.load(name)) for name in SOLVERS)
    return [
        name
        for name, cls in found
        if issubclass(cls, EquilibriumSolver) and cls.form in on and not cls.scope.fault(form)
    ]
