"""Document 004, figures 4.1 to 4.13: how the value of a position settles with simulations, and what these cost.

The pictures of document 004, drawn from ours: figures 4.1 to 4.12, and exploitability by budget.

What document 004 leaves to the future: how good its search is in games whose equilibria are known.

Exploitability of what is played at every information set, by what may be spent on each decision. More simulations do
not make a search sound whose root is weighed as if nothing had been told by play; resolving is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

import fogbound as fb
from fogbound import draw
from fogbound.forms import tree
from fogbound.games.king_up.game import KingUp
from fogbound.games.king_up.positions import FIGURES, position
from fogbound.solvers import make
from fogbound.solvers.search.exploited import BudgetRow, exploitability_by_budget
from fogbound.solvers.search.kernels.simulation import SearchRoot
from fogbound.solvers.search.planner import SearchSolver
from fogbound.solvers.search.pomcp_pgt import POMCPPGT
from fogbound.solvers.search.tree_search import TreeSearch, favourite
from fogbound.solvers.sound_search import by_budget
from fogbound_papers.claim import UNSTATED, Claim, compare_figure, verdict

Rule = Literal["ucb", "rm"]
COUNTS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
UCB_FIGURES, RM_FIGURES = ("4.1", "4.2", "4.3", "4.4"), ("4.9", "4.10", "4.11", "4.12")
STEPS = ("4.5", "4.6", "4.7", "4.8")  # positions of one game, player 2 to move
SETTLED = 0.02  # of a reward: one point of 50


@dataclass(frozen=True)
class Curve:
    """The mean return of every player after so many simulations from a figure's position, and what was found there."""

    figure: str
    rule: str
    counts: tuple[int, ...]
    values: NDArray[np.float64]  # [count, player]
    best: float  # what the action tried most brought whoever moves

    @property
    def moved(self) -> float:
        """By how much any player's value still changes while simulations are doubled once more."""
        late = self.values[[2 * count >= self.counts[-1] for count in self.counts]]
        return float(np.ptp(late, axis=0).max())


def value_curve(figure: str, rule: Rule, mover: int = 1, seed: int = 1, counts: tuple[int, ...] = COUNTS) -> Curve:
    """Search from a position of the appendix, which gives the lists of all."""
    game = KingUp()
    compiled, solver, state = game.compiled_rules(), POMCPPGT(rule=rule), position(game, figure, mover)
    root = SearchRoot(np.array([compiled.state_row(state)], np.int64), np.zeros((1, game.seats), np.int64), np.ones(1))
    search = TreeSearch(compiled, solver.way(), root, mover, seed)
    values = []
    for count in counts:
        search.run(count - search.done)
        values.append(search.walk.sums / search.done)
    found = search.decision([compiled.action_code(action) for action in game.actions(state, mover)])
    return Curve(figure, rule, counts, np.array(values), float(found.means[favourite(found)]))


def claims() -> Iterator[Claim]:
    """What section 4.2 says of its figures."""
    sets: list[tuple[tuple[str, ...], Rule, str]] = [
        (UCB_FIGURES, "ucb", "figures 4.1 to 4.4"),
        (RM_FIGURES, "rm", "figures 4.9 to 4.12"),
    ]
    for figures, rule, place in sets:
        moved = [value_curve(figure, rule).moved for figure in figures]
        yield Claim(
            f"POMCP-PGT with {rule.upper()} converges from random positions", place, "they converge",
            f"the last doubling of simulations moves a value by at most {max(moved):.3f}",
            verdict(max(moved) <= SETTLED),
            f"rewards are between 0 and .44; {COUNTS[-1]:,} simulations from the appendix' positions, player 2 to move",
            f"004-figure-{figures[0]}",
        )  # fmt: skip
    last = value_curve("4.8", "ucb")
    yield compare_figure("player 2 has the bonus for certain in the last position", "figure 4.8", 0.3,
                  last.best, "15 of 50 points by the action tried most, in every simulation", 1e-12,
                  "004-figure-4.8")  # fmt: skip
    yield _precision()
    yield _time()


def _precision() -> Claim:
    """The spread of player 2's value over seeds, position after position."""
    spreads = [
        float(np.std([value_curve(figure, "ucb", seed=seed, counts=(100,)).values[0, 1] for seed in range(30)]))
        for figure in STEPS
    ]
    falls = spreads[-1] == min(spreads) and spreads[0] > spreads[-1]
    shown = ", ".join(f"{spread:.4f}" for spread in spreads)
    return Claim("the closer to the end, the more precise is player 2's value", "figures 4.5 to 4.8", "it is easier",
                 shown, verdict(falls), "standard deviation over 30 searches of 100 simulations")  # fmt: skip


def _time() -> Claim:
    """Processor time of both rules by simulations, on ours."""
    ratios = []
    for count in (1_000, 10_000, 50_000):
        seconds = {}
        rules: tuple[Rule, ...] = ("ucb", "rm")
        for rule in rules:
            value_curve("4.10", rule, counts=(10,))  # compiled before it is timed
            begin = time.process_time()
            value_curve("4.10", rule, counts=(count,))
            seconds[rule] = time.process_time() - begin
        ratios.append(seconds["rm"] / seconds["ucb"])
    words = "RM / UCB for 1,000, 10,000 and 50,000 simulations: " + ", ".join(f"{ratio:.2f}" for ratio in ratios)
    shown = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return Claim("RM always takes more time than UCB", "figure 4.13", "always", shown,
                 verdict(min(ratios) > 1, "not reproduced"), f"{words}; of our implementation")  # fmt: skip


def draw_all(folder: Path, found: Sequence[BudgetRow]) -> None:
    """A file a figure."""
    for figure in FIGURES:
        _draw(value_curve(figure, "rm" if figure in RM_FIGURES else "ucb"), folder / f"004-figure-{figure}.svg")
    draw.budgets(found, title="Exploitability by what may be spent on a decision").save(folder / "004-soundness.svg")


def _draw(found: Curve, path: Path) -> None:
    rows = [
        {"simulations": count, "player": player, "value": float(value)}
        for count, values in zip(found.counts, found.values)
        for player, value in enumerate(values)
    ]
    names = {player: f"player {player + 1}" for player in range(found.values.shape[1])}
    title = f"Figure {found.figure}: value by simulation, {found.rule.upper()}"
    words = ("simulations", "mean reward")
    draw.sweep(rows, x="simulations", names=names, words=words, log_x=True, title=title).save(path)


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


def exploited_rows(
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


def soundness_claims(found: list[BudgetRow]) -> Iterator[Claim]:
    """One row a game, as section 5.4 asks for; the document states none."""
    for spec in dict.fromkeys(row.game for row in found):
        last = {row.planner: row for row in found if row.game == spec}
        shown = ", ".join(f"{name} {row.exploitability:.4f}" for name, row in last.items())
        most = max(row.budget for row in last.values())
        yield Claim(f"exploitability in {spec}", UNSTATED, UNSTATED, shown, "not stated",
                    f"exact, every information set searched on its own with a budget of {most:,} {UNITS}",
                    "004-soundness")  # fmt: skip
