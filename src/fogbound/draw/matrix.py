"""A game in matrix form as the table of the slides: rows and columns are pure strategies, cells are payoffs."""

from __future__ import annotations

from fogbound.draw import measure, svg
from fogbound.draw.matrix_parts import cell, marked, meanings, missing, require_two, titles
from fogbound.draw.svg import EMBER, FOG_1, INK, INK_2, INK_3, LAMP_FILL, MARGIN, SEA
from fogbound.draw.words import Describe, label
from fogbound.evaluate.dominance import Elimination, Removed, pure_equilibria
from fogbound.evaluate.names import names
from fogbound.forms.normal import NormalForm

MOST = 40
TOP, HIGH, GAP, NARROW, LEGEND = 66.0, 34.0, 4.0, 52.0, 17.0
LAMP_WASH = "var(--lamp-wash, #fdf1dc)"
SIZE = 12.5
Cells = list[list[tuple[str, ...]]]


def matrix(form: NormalForm, describe: Describe = str, most: int = MOST, dominated: Elimination | None = None) -> str:
    """The payoffs of a two-player game, a row or column for each pure strategy, as a picture.

    A strategy's name has a letter for each of its player's information sets (see `evaluate.names`). Cells
    from which nobody wants to move alone carry the lamp. What `dominated` has taken away is hatched. At most
    `most` rows and columns are drawn, and the picture says how many are missing.
    """
    require_two(form)
    told = names(form, describe)
    shown = [list(strategies[: max(1, most)]) for strategies in told.strategies]
    cells = [[cell(form, j, k) for k in range(len(shown[1]))] for j in range(len(shown[0]))]
    left = max(measure.width_of(name, SIZE, bold=True) for name in [*shown[0], label(form.sequence.tree.players[0])])
    wide = _width(cells, shown[1])
    (title, title_width), (key, key_width, top) = svg.heading(*titles(form)), _key(form, cells, dominated)
    body = [title, key, *_heads(form, shown, left, wide, top)]
    stable, gone = set(pure_equilibria(form)), dominated.removed if dominated else {}
    for j, row in enumerate(cells):
        for k, pay in enumerate(row):
            hints = [_hint(gone, player, s) for player, s in ((0, j), (1, k)) if (player, s) in gone]
            x, y = _place(left, wide, top, j, k)
            parts = _cell(pay, x, y, wide, (j, k) in stable, bool(hints))
            body.append(svg.group(parts, "; ".join(hints), f' data-row="{j}" data-column="{k}"'))
    x, y = _place(left, wide, top, len(cells), len(shown[1]))
    legend, legend_width, bottom = _legend([*missing(form, shown), *meanings(form, told, describe, most)], y)
    width = max(x - GAP + MARGIN, title_width, key_width, legend_width)
    return svg.document(width, bottom, [*body, legend], f"Payoffs of {'; '.join(titles(form))}.")


def _place(left: float, wide: float, top: float, row: int, column: int) -> tuple[float, float]:
    return MARGIN + left + 14 + column * (wide + GAP), top + 42 + row * (HIGH + GAP)


def _width(cells: Cells, names: list[str]) -> float:
    """Of a column: room for its name and for the longest payoff, on both sides of the comma where there are two."""
    room = max(measure.width_of(part, SIZE, bold=True) for row in cells for pay in row for part in pay)
    sides = len(cells[0][0])
    return max(NARROW, sides * room + 16 + 10 * (sides - 1), *(measure.width_of(n, SIZE, bold=True) + 8 for n in names))


def _heads(form: NormalForm, shown: list[list[str]], left: float, wide: float, top: float) -> list[str]:
    """Whose strategies these are, and their names."""
    first, second = map(label, form.sequence.tree.players)
    x, y = _place(left, wide, top, 0, 0)
    body = [svg.text(x, top + 12, second, EMBER, weight=600), svg.text(MARGIN, y - 10, first, SEA, weight=600)]
    for k, name in enumerate(shown[1]):
        at, _ = _place(left, wide, top, 0, k)
        body.append(svg.text(at + wide / 2, y - 10, name, size=SIZE, anchor="middle", weight=600))
    for j, name in enumerate(shown[0]):
        _, at = _place(left, wide, top, j, 0)
        body.append(svg.text(x - 14, at + HIGH / 2 + 4.5, name, size=SIZE, anchor="end", weight=600))
    return body


def _cell(pay: tuple[str, ...], x: float, y: float, wide: float, stable: bool, gone: bool) -> list[str]:
    """One cell: lit where nobody wants to move, hatched where somebody never goes."""
    parts = [svg.box(x, y, wide, HIGH, LAMP_WASH if stable else FOG_1, LAMP_FILL if stable else "none")]
    if gone:
        parts.append(svg.hatch(x + 2, y + 2, wide - 4, HIGH - 4))
    middle, base, weight = x + wide / 2, y + HIGH / 2 + 4.5, 600 if stable else 400
    if len(pay) == 1:
        return [*parts, svg.text(middle, base, pay[0], INK_2 if gone else INK, SIZE, "middle", weight)]
    mine, theirs = pay
    return [
        *parts,
        svg.text(middle - 2, base, f"{mine},", INK_2 if gone else SEA, SIZE, "end", weight),
        svg.text(middle + 4, base, theirs, INK_2 if gone else EMBER, SIZE, "start", weight),
    ]


def _hint(gone: dict[tuple[int, int], tuple[int, Removed]], player: int, strategy: int) -> str:
    number, removed = gone[player, strategy]
    return f"{removed.label} is dominated by {removed.by}, round {number}"


def _key(form: NormalForm, cells: Cells, dominated: Elimination | None) -> tuple[str, float, float]:
    """What lamp and hatching mean, where there are any; its width, and where the table begins."""
    body, x, y = "", float(MARGIN), TOP + 10
    shown = [c for c in pure_equilibria(form) if c[0] < len(cells) and c[1] < len(cells[0])]
    if shown:
        said = marked(form, len(shown) > 1)
        body += svg.box(x, y - 11, 14, 14, LAMP_WASH, LAMP_FILL, 3) + svg.text(x + 21, y, said, INK_2)
        x += 21 + measure.width_of(said) + 18
    if dominated is not None and dominated.rounds:
        said = "strictly dominated" if dominated.strict else "weakly dominated"
        body += svg.hatch(x, y - 11, 22, 14, 6) + svg.text(x + 29, y, said, INK_2)
        x += 29 + measure.width_of(said) + 18
    return body, x, TOP + 30 if body else TOP


def _legend(lines: list[str], y: float) -> tuple[str, float, float]:
    """Lines below the table, cut where they are too long; their width, and where the picture ends."""
    said = [measure.clip(line, 900) for line in lines]
    body = "".join(svg.text(MARGIN, y + 18 + LEGEND * k, line, INK_3) for k, line in enumerate(said))
    width = 2 * MARGIN + max(map(measure.width_of, said), default=0.0)
    return body, width, y - GAP + MARGIN + LEGEND * len(said)
