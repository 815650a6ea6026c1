"""What an answer is best by: the discounted sum of rewards, or the average reward a step; and the solvers of each."""

from __future__ import annotations

from typing import get_args

from fogbound.core.errors import SpecError, brief
from fogbound.driver.solver import AnySolver, Criterion, Solver
from fogbound.solvers import SOLVERS


def solvers_by(criterion: Criterion) -> list[str]:
    """The names of the solvers that go by a criterion.

    Examples
    --------
    >>> solvers_by("average")
    ['average-reward']
    """
    return [name for name in SOLVERS if SOLVERS.load(name).criterion == criterion]


def require_criterion(solver: AnySolver, criterion: Criterion | None) -> None:
    """Refuse a criterion that does not exist, and a solver that goes by another one, with those that go by it."""
    known = get_args(Criterion)
    if criterion is not None and criterion not in known:
        raise SpecError(f"criterion is {brief(criterion)}, expected {' or '.join(known)}")
    if criterion is None or criterion == solver.criterion:
        return
    found = f"{solver.name} goes by the {solver.criterion} reward, not by the {criterion} reward"
    if criterion == Solver.criterion:  # which most solvers go by
        raise SpecError(f"{found}: name no solver, and one that suits the game is chosen")
    raise SpecError(f"{found}; solvers that do: {', '.join(solvers_by(criterion))}")
