"""Is a planner any good? Exploitability by what it may spend on a decision: the one figure that a match cannot give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fogbound.core.policy import Strategy
from fogbound.driver.options import RunOptions
from fogbound.driver.solve import run_solver
from fogbound.evaluation.exploitability import exploitability
from fogbound.forms.protocol import Question, derive
from fogbound.forms.sequence import sequence
from fogbound.forms.tree import Tree
from fogbound.solvers import make
from fogbound.solvers.search.exploited import BudgetRow


def exploitability_by_spec(
    tree: Tree, planners: Mapping[str, str], budgets: Iterable[int], seed: int = 0
) -> Iterator[BudgetRow]:
    """How far each planner is from an equilibrium when it is asked at every information set, by its budget.

    Parameters
    ----------
    tree
        The game tree of two players.
    planners
        By name, a solver's spec with `{budget}` in it.
    budgets
        What each may spend on a decision, in its own unit: nodes, walks, simulations.
    seed
        For planners that draw.

    Examples
    --------
    >>> import fogbound as fb
    >>> tree = fb.forms.tree(fb.game("card-poker(ranks=3)"))
    >>> rows = exploitability_by_spec(tree, {"resolve": "resolve(budget={budget})"}, [100, 10_000])
    >>> [row.exploitability < 0.001 for row in rows]
    [False, True]
    """
    form = sequence(tree)
    for budget in budgets:
        for name, spec in planners.items():
            profile = {player: _planner(spec.format(budget=budget), tree, player, seed) for player in (0, 1)}
            yield BudgetRow(name, tree.spec, budget, exploitability(form, profile).exploitability)


def _planner(spec: str, tree: Tree, player: int, seed: int) -> Strategy:
    """A player that thinks at each decision, or what a solver found before the game."""
    solver = make(spec)
    form = derive(tree, solver.form, Question(player))
    if solver.searches:
        return solver.online(form, player, seed)
    return run_solver(solver, form, RunOptions(seed=seed, check_seconds=None)).profile[player]
