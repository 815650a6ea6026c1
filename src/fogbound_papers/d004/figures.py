"""The pictures of document 004, drawn from ours: figures 4.1 to 4.12, and exploitability by budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fogbound import draw
from fogbound.games.king_up.positions import FIGURES
from fogbound.solvers.search.exploited import BudgetRow
from fogbound_papers.d004.convergence import RM_FIGURES, Curve, curve


def draw_all(folder: Path, found: Sequence[BudgetRow]) -> None:
    """A file a figure."""
    for figure in FIGURES:
        _draw(curve(figure, "rm" if figure in RM_FIGURES else "ucb"), folder / f"004-figure-{figure}.svg")
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
