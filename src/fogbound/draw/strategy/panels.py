"""Two policies of the same players side by side: the chance of a move by what is held, one panel a history.

Figure 2 of Oliehoek, Spaan and Vlassis (2005) is one call: an equilibrium dashed, best replies to it solid.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.core.drawing import Drawing
from fogbound.core.errors import FormError, one_line
from fogbound.core.svg import EMBER_FILL, MARGIN, SEA_FILL
from fogbound.draw.chart import Axis, Chart, ChartPanel, Series, SeriesStyle, linear_axis
from fogbound.draw.rendering import BESIDE, draw_chart
from fogbound.draw.strategy.choices import GridRow, StrategyGrid, as_grid, information_set_choices
from fogbound.forms import words
from fogbound.forms.words import Describe
from fogbound.policies.tabular import Tabular

WIDE, HIGH = 290.0, 134.0  # of a panel
SOLID, DASHED = SeriesStyle(SEA_FILL, radius=4), SeriesStyle(EMBER_FILL, "5 4", radius=3.2)


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
    <Drawing 330 × 312: The chance of a move by what is held: best reply and equilibrium.>
    """
    rows = []
    for solid, dashed in pairs:
        player, shown, beside = solid.decisions.players[solid.player], _grid(solid), _grid(dashed)
        others = {row.story: row for row in beside.rows}
        rows.append(
            [
                _panel(
                    f"{player}: {_story(one, describe)}, chance to {words.action(describe, one.moves[-1])}",
                    shown.columns,
                    ((names[0], one, SOLID), (names[1], others[one.story], DASHED)),
                )
                for one in sorted(shown.rows, key=lambda row: len(row.story))
            ]
        )
    columns = max(map(len, rows))
    width = 2 * MARGIN + columns * WIDE + (columns - 1) * BESIDE
    said = f"{one_line(names[0])} and {one_line(names[1])}"
    return draw_chart(Chart("The chance of a move by what is held", said, rows, title, width))


def _grid(policy: Tabular) -> StrategyGrid:
    grid = as_grid(policy, information_set_choices(policy))
    if grid is None or any(len(row.moves) != 2 for row in grid.rows):
        raise FormError(
            f"{policy.decisions.spec}: panels need two moves everywhere, decided by a private card and a public history"
        )
    return grid


def _story(row: GridRow, describe: Describe) -> str:
    after = words.step_texts(describe, row.story[1:])
    return "after " + ", ".join(after) if after else "at the start"


def _panel(title: str, columns: Sequence[Hashable], curves: Sequence[tuple[str, GridRow, SeriesStyle]]) -> ChartPanel:
    """The chance of the last move after one story, by what is held."""
    x = Axis(0, max(len(columns) - 1, 1), [(float(k), words.label(held)) for k, held in enumerate(columns)])
    series = []
    for name, row, look in curves:
        cells = [(float(k), row.cells[held]) for k, held in enumerate(columns) if held in row.cells]
        points = [(place, cell.chances[-1]) for place, cell in cells if cell.reached]
        series.append(Series(points, look, marked="all", name=one_line(name)))
    return ChartPanel(x, linear_axis([0.0, 1.0]), series, HIGH, title=title)
