"""Exploitability by budget: a panel a game, a line a planner, both axes logarithmic.

Whether a search is sound shows in the slope: one that is goes down as it may think longer, the others come to rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from fogbound.core import measure
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import number
from fogbound.draw.chart import Chart, ChartPanel, Series, SeriesStyle, decades, log_axis, looks
from fogbound.draw.rendering import draw_chart

NAME = "Exploitability by budget"
HIGH, INSET, LONGEST = 174.0, 12.0, 260.0  # of a panel, and the most room for its title
LEAST = 1e-6  # what is less is drawn there: an equilibrium, as far as doubles tell


class BudgetPoint(Protocol):
    """How far a planner with a budget can be exploited, as `exploitability_by_budget` makes them."""

    @property
    def planner(self) -> str: ...
    @property
    def game(self) -> str: ...
    @property
    def budget(self) -> int: ...
    @property
    def exploitability(self) -> float: ...


def budgets(rows: Sequence[BudgetPoint], *, title: str = "") -> Drawing:
    """Draw exploitability by budget, a panel for each game, a line for each planner.

    Parameters
    ----------
    rows : sequence
        As `fogbound.solvers.search.exploited.exploitability_by_budget` makes them; of any planner and game.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from fogbound.solvers.search.exploited import BudgetRow
    >>> budgets([BudgetRow("IS-MCTS", "leduc", 1000, 1.1), BudgetRow("IS-MCTS", "leduc", 10_000, 0.72)])
    <Drawing 620 × 350: Exploitability by budget: 1 planner, 1 game; the least is 0.72, of IS-MCTS in leduc at 10000.>
    """
    planners = list(dict.fromkeys(row.planner for row in rows))
    styles = dict(zip(planners, looks(len(planners))))
    games = list(dict.fromkeys(row.game for row in rows))
    panels = [_panel([row for row in rows if row.game == game], game, styles) for game in games]
    text = _table(rows) if rows else ""
    return draw_chart(
        Chart(NAME, _summary(rows), [panels[k : k + 2] for k in range(0, len(panels), 2)], title, text=text)
    )


def _panel(rows: Sequence[BudgetPoint], game: str, styles: dict[str, SeriesStyle]) -> ChartPanel:
    """One game: its own decades, so that plateaus are seen where they are."""
    curves = []
    for name, look in styles.items():
        points = sorted((float(r.budget), max(r.exploitability, LEAST)) for r in rows if r.planner == name)
        hints = [f"{name}, {number(place, 6)}: {number(height, 6)}" for place, height in points]
        curves.append(Series(points, look, marked="all", hints=hints, name=one_line(name)))
    places = sorted({float(row.budget) for row in rows})
    x = log_axis(places[0], max(places[-1], 1.001 * places[0]), "budget for a decision")
    x = replace(x, marks=[(place, number(place, 6)) for place in places])
    y = decades([height for one in curves for _, height in one.points])
    return ChartPanel(x, y, curves, HIGH, INSET, measure.clip(one_line(game), LONGEST))


def _summary(rows: Sequence[BudgetPoint]) -> str:
    if not rows:
        return "nothing was recorded"
    planners, games = {row.planner for row in rows}, {row.game for row in rows}
    best = min(rows, key=lambda row: row.exploitability)
    least = f"{number(best.exploitability, 3)}, of {best.planner} in {best.game} at {number(best.budget, 7)}"
    return f"{many(len(planners), 'planner')}, {many(len(games), 'game')}; the least is {least}"


def _table(rows: Sequence[BudgetPoint]) -> str:
    """For a terminal: a block a game, a row a planner, a column a budget."""
    lines = []
    wide = max(len(row.planner) for row in rows)
    for game in dict.fromkeys(row.game for row in rows):
        here = {(row.planner, row.budget): row.exploitability for row in rows if row.game == game}
        places = sorted({budget for _, budget in here})
        lines.append(game)
        lines.append(f"  {'':<{wide}}" + "".join(f"  {budget:>10,}" for budget in places))
        for planner in dict.fromkeys(name for name, _ in here):
            cells = (f"{here[planner, b]:.5f}" if (planner, b) in here else "" for b in places)
            lines.append(f"  {planner:<{wide}}" + "".join(f"  {cell:>10}" for cell in cells))
    return "\n".join(lines)
