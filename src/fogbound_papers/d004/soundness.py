"""What document 004 leaves to the future: how good its search is in games whose equilibria are known.

Exploitability of what is played at every information set, by what may be spent on each decision. More simulations do
not make a search sound whose root is weighed as if nothing had been told by play; resolving is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import fogbound as fb
from fogbound.forms import tree
from fogbound.solvers import make
from fogbound.solvers.search.exploited import BudgetRow, exploitability_by_budget
from fogbound.solvers.search.planner import SearchSolver
from fogbound.solvers.sound_search import by_budget
from fogbound_papers.claim import UNSTATED, Claim

GAMES = ("kuhn(seats=2)", "leduc", "liars-dice(sides=3)", "rock-paper-scissors(biased=true)")
SEARCHES = {
    "IS-MCTS": "is-mcts",
    "POMCP-PGT, UCB": "pomcp-pgt(rule=ucb)",
    "POMCP-PGT, RM": "pomcp-pgt(rule=rm)",
    "POMCP-PGT, regret": "pomcp-pgt(rule=regret)",
}
SOUND = {
    "resolve": "resolve(budget={budget})",
    "resolve, unsafe": "resolve(budget={budget}, unsafe=true)",
    "OOS": "oos(walks={budget})",
}
QUICK_BUDGETS, FULL_BUDGETS = (100, 1_000, 10_000), (100, 1_000, 10_000, 100_000)
UNITS = "simulations, walks (OOS), or information sets that sweeps of the subgame visit (resolve)"


def rows(
    full: bool = False, watch: Callable[[str], None] = lambda _: None, specs: Sequence[str] = GAMES
) -> list[BudgetRow]:
    """Every planner in every game by its budget for a decision; what is counted differs, see `UNITS`."""
    found: list[BudgetRow] = []
    budgets = FULL_BUDGETS if full else QUICK_BUDGETS
    for spec in specs:
        game = fb.game(spec)
        watch(f"exploitability in {spec}")
        planners = {name: cast(SearchSolver, make(each)) for name, each in SEARCHES.items()}
        found += exploitability_by_budget(game, planners, budgets)
        found += by_budget.exploitability_by_spec(tree(game), SOUND, budgets)
    return found


def claims(found: list[BudgetRow]) -> Iterator[Claim]:
    """One row a game, as section 5.4 asks for; the document states none."""
    for spec in dict.fromkeys(row.game for row in found):
        last = {row.planner: row for row in found if row.game == spec}
        shown = ", ".join(f"{name} {row.exploitability:.4f}" for name, row in last.items())
        most = max(row.budget for row in last.values())
        yield Claim(f"exploitability in {spec}", UNSTATED, UNSTATED, shown, "not stated",
                    f"exact, every information set searched on its own with a budget of {most:,} {UNITS}",
                    "004-soundness")  # fmt: skip
