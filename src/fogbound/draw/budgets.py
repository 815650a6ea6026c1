"""Exploitability by budget: a panel a game, a line a planner, both axes logarithmic.

Whether a search is sound shows in the slope: one that is goes down as it may think longer, the others come to rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import number
from fogbound.draw import measure, svg
from fogbound.draw.chart import WIDTH, Scale, empty, foot, grid, log_ticks
from fogbound.draw.key import key, stroke
from fogbound.draw.svg import INK, INK_3, MARGIN
from fogbound.draw.sweep import GroupStyle, Spot, group_line, group_styles

NAME = "Exploitability by budget"
HEIGHT, TOP, BOTTOM, INSET, BESIDE = 250, 30, 46, 12, 28  # of a panel, and between two of them
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
    <Drawing 620 × 356: Exploitability by budget: 1 planner, 1 game; the least is 0.72, of IS-MCTS in leduc at 10000.>
    """
    if not rows:
        return empty(NAME, one_line(title), _summary(rows))
    head = svg.wrapped_heading(one_line(title) or NAME, _summary(rows), WIDTH)
    planners = list(dict.fromkeys(row.planner for row in rows))
    styles = dict(zip(planners, group_styles(len(planners))))
    entries = [stroke(one_line(name), look.colour, 2, look.dashes, look.marker) for name, look in styles.items()]
    legend = key(entries, MARGIN, 80, WIDTH - MARGIN)
    games = list(dict.fromkeys(row.game for row in rows))
    columns = 1 if len(games) == 1 else 2
    width = (WIDTH - 2 * MARGIN - (columns - 1) * BESIDE) / columns
    body = [head.body, legend.body]
    for k, game in enumerate(games):
        left, top = MARGIN + (k % columns) * (width + BESIDE), legend.y + 16 + (k // columns) * HEIGHT
        body += _panel([row for row in rows if row.game == game], game, styles, left, top, width)
    height = legend.y + 16 + math.ceil(len(games) / columns) * HEIGHT + MARGIN / 2
    return svg.document(WIDTH, height, body, f"{NAME}: {_summary(rows)}.", _table(rows), above=head.above)


def _panel(
    rows: Sequence[BudgetPoint], game: str, styles: dict[str, GroupStyle], left: float, top: float, width: float
) -> list[str]:
    """One game: its own decades, so that plateaus are seen where they are."""
    heights = [max(row.exploitability, LEAST) for row in rows]
    low, high = 10.0 ** math.floor(math.log10(min(heights))), 10.0 ** math.ceil(math.log10(max(heights)))
    up = Scale(low, max(high, 10 * low), top + HEIGHT - BOTTOM, top + TOP, log=True)
    marks = log_ticks(up.low, up.high)
    names = [number(mark, 3) for mark in marks]
    places = sorted({row.budget for row in rows})
    begins = left + max(map(measure.width_of, names)) + 10
    ends = left + width
    along = Scale(places[0], max(places[-1], 1.001 * places[0]), begins + INSET, ends - INSET, log=True)
    body = [svg.text(left, top + TOP - 12, measure.clip(one_line(game), width), INK, 13, weight=600)]
    body += grid(marks, names, up, begins, ends)
    body += foot(((along(v), number(v, 6)) for v in places), up.start)
    body.append(svg.text((begins + ends) / 2, up.start + 38, "budget for a decision", INK_3, 12, "middle"))
    for name, style in styles.items():
        spots = [Spot(r.budget, max(r.exploitability, LEAST), math.nan, math.nan) for r in rows if r.planner == name]
        if spots:
            body.append(group_line(sorted(spots), name, style, along, up))
    return body


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
