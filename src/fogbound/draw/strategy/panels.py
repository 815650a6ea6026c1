"""Two policies of the same players side by side: the chance of a move by what is held, one panel a history.

Figure 2 of Oliehoek, Spaan and Vlassis (2005) is one call: an equilibrium dashed, best replies to it solid.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core.drawing import Drawing
from fogbound.core.errors import FormError, one_line
from fogbound.draw import svg
from fogbound.draw.chart import Scale, grid, polyline
from fogbound.draw.key import key, stroke
from fogbound.draw.strategy.choices import GridRow, StrategyGrid, as_grid, choices
from fogbound.draw.svg import EMBER_FILL, INK_2, INK_3, MARGIN, SEA_FILL
from fogbound.forms import words
from fogbound.forms.words import Describe
from fogbound.policies.tabular import Tabular

WIDE, HIGH, TOP, BETWEEN, FOOT = 250, 150, 96, 46, 40
DASHES = "5 4"
MARKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def panels(
    pairs: Sequence[tuple[Tabular, Tabular]],
    *,
    names: tuple[str, str] = ("best reply", "equilibrium"),
    describe: Describe = str,
    title: str = "",
) -> Drawing:
    """Draw two policies of the same players beside each other, one row of panels for each player.

    Each panel is a public history with two moves; its curve is the chance of the second move (bet, call) by
    what the player alone holds.

    Parameters
    ----------
    pairs : sequence of (Tabular, Tabular)
        For each row the policy that is drawn solid and the one that is dashed, of the same player.
    names : (str, str)
        What solid and dashed curves are called.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing

    Raises
    ------
    FormError
        Where a game has not poker's shape with two moves everywhere.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.sequence(games.make("king-ace"))
    >>> policy = Tabular(form.decisions, 0, form.plexes[0].uniform)
    >>> panels([(policy, policy)])
    <Drawing 346 × 316: The chance of a move by what is held: best reply and equilibrium.>
    """
    rows = [(solid.decisions.players[solid.player], _grid(solid), _grid(dashed)) for solid, dashed in pairs]
    columns = max(len(solid.rows) for _, solid, _ in rows)
    heading, least = svg.heading(one_line(title) or "How they play", "solid and dashed: the two policies of the legend")
    curves = zip(names, (SEA_FILL, EMBER_FILL), ("", DASHES))
    legend = key([stroke(one_line(name), tone, 2.2, dashes) for name, tone, dashes in curves], MARGIN, 74)
    body, y = [heading, legend.body], float(TOP)
    for name, solid, dashed in rows:
        beside = {row.story: row for row in dashed.rows}
        for k, one in enumerate(sorted(solid.rows, key=lambda row: len(row.story))):
            x = MARGIN + 30 + k * (WIDE + BETWEEN)
            said = f"{name}: {_story(one, describe)}, chance to {words.action(describe, one.moves[-1])}"
            body.append(_panel(x, y, said, solid.columns, one, beside[one.story]))
        y += HIGH + FOOT + 30
    width = max(MARGIN + 30 + columns * (WIDE + BETWEEN), least, legend.right)
    return svg.document(width, y, body, f"The chance of a move by what is held: {names[0]} and {names[1]}.")


def _grid(policy: Tabular) -> StrategyGrid:
    grid = as_grid(policy, choices(policy))
    if grid is None or any(len(row.moves) != 2 for row in grid.rows):
        raise FormError(
            f"{policy.decisions.spec}: panels need two moves everywhere, decided by a private card and a public history"
        )
    return grid


def _story(row: GridRow, describe: Describe) -> str:
    after = words.steps(describe, row.story[1:])
    return "after " + ", ".join(after) if after else "at the start"


def _panel(x: float, y: float, title: str, columns: Sequence[object], one: GridRow, other: GridRow) -> str:
    """Axes, then the dashed curve under the solid one."""
    across = Scale(0, max(len(columns) - 1, 1), x, x + WIDE)
    up = Scale(0, 1, y + HIGH, y + 16)
    parts = [svg.text(x, y, title, size=12, weight=540)]
    parts += grid(MARKS, [f"{mark:g}" for mark in MARKS], up, x - 4, x + WIDE, INK_3, 10.5)
    for k, held in enumerate(columns):
        parts.append(svg.text(across(k), y + HIGH + 16, words.label(held), INK_2, 11, "middle"))
    for row, colour, dashes in ((other, EMBER_FILL, DASHES), (one, SEA_FILL, "")):
        shown = [(k, row.cells[held]) for k, held in enumerate(columns) if held in row.cells]
        places = [(across(k), up(cell.chances[-1])) for k, cell in shown if cell.reached]
        parts += [svg.path(polyline(places), colour, 2.2, dashes=dashes)] if places else []
        parts += [svg.dot(a, b, 3.2 if dashes else 4, colour) for a, b in places]
    return svg.group(parts)
