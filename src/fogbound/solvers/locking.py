"""What is asked of an answer with locks: a solver that can keep them, and what they cost where nobody must."""

from __future__ import annotations

from typing import TypedDict

from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import AnyGame
from fogbound.core.profile import HasProfile
from fogbound.driver.solver import EQUILIBRIUM, AnySolver
from fogbound.evaluation import exploitability
from fogbound.forms.locked_tree import LockedTree
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Form
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers import SOLVERS
from fogbound.solvers.equilibrium import EquilibriumSolver

LOCKABLE = (SequenceForm, NormalForm)  # forms of a game with locks


class Unlocked(TypedDict):
    """A profile in the game without locks: what each player could gain there, and the mean of that."""

    regrets: list[float]
    exploitability: float


def require_lockable(solver: AnySolver, against: bool) -> None:
    """Refuse a solver that works on another form, or answers given opponents, and name those that keep locks."""
    if against:
        raise SpecError(
            "locks are for equilibria, and against= is for answers to given opponents: leave one of them out"
        )
    if solver.finds != EQUILIBRIUM or solver.form not in LOCKABLE:
        known = ((name, SOLVERS.load(name)) for name in SOLVERS)
        able = ", ".join(name for name, cls in known if issubclass(cls, EquilibriumSolver) and cls.form in LOCKABLE)
        raise FormError(f"{solver.name} works on a {solver.form.kind} form and keeps no locks; solvers that do: {able}")


def without_locks(tree: AnyGame | Form, solution: HasProfile) -> Unlocked:
    """What players could gain by deviating from a profile in the game itself, of a tree with locks."""
    assert isinstance(tree, LockedTree), "what locks are applied to"
    found = exploitability(tree.game_form, solution.profile)
    return {"regrets": list(found.regrets), "exploitability": found.exploitability}
