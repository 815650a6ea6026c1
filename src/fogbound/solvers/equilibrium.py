"""What every solver of equilibria reports: a profile, what it guarantees, what it leaves to be regretted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fogbound.core.errors import FormError, many
from fogbound.core.policy import Strategy
from fogbound.driver.protocol import Progress
from fogbound.evaluate.exploitability import exploitability
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Form
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import Tree
from fogbound.policies.tabular import Tabular
from fogbound.solvers import SOLVERS


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


@dataclass(frozen=True)
class Scope:
    """The games whose equilibria a solver finds.

    Parameters
    ----------
    fewest, most
        How many players there may be; None: any number.
    constant_sum
        Whether their payoffs must add up to the same total at every end.
    """

    fewest: int = 1
    most: int | None = None
    constant_sum: bool = False

    def takes(self, players: int) -> bool:
        """Whether there may be so many players."""
        return self.fewest <= players and (self.most is None or players <= self.most)

    def fault(self, form: SequenceForm) -> str:
        """Why a game lies outside; empty where it does not."""
        players = len(form.players)
        if not self.takes(players):
            wanted = f"{self.fewest}" if self.most == self.fewest else f"{self.fewest} or more"
            return f"{form.spec} has {many(players, 'player')}, expected {wanted}"
        if self.constant_sum and form.constant_sum is None:
            return f"{form.spec} is not zero-sum: the payoffs add up to different totals at its ends"
        return ""


ZERO_SUM = Scope(2, 2, constant_sum=True)


class Scoped:
    """A solver of equilibria that declares its scope."""

    scope: ClassVar[Scope] = Scope()


class EquilibriumSolver(Scoped):
    """A solver of equilibria on the tree, the sequence form or the normal form; refusals name its scope."""

    form: ClassVar[type[Form]]

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
