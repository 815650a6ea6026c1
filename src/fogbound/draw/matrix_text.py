"""A game in matrix form as plain text, for a terminal."""

from __future__ import annotations

from fogbound.core.errors import one_line
from fogbound.draw.matrix_parts import cell, marked, meanings, missing, require_two, titles
from fogbound.draw.words import Describe, label
from fogbound.evaluate.dominance import pure_equilibria
from fogbound.evaluate.names import names
from fogbound.forms.normal import NormalForm

MOST = 40
MARK = "*"
LONGEST = 160  # characters of a line of the legend


def matrix_text(form: NormalForm, describe: Describe = str, most: int = MOST) -> str:
    """The same table as `matrix` in aligned columns; a star marks pure equilibria."""
    require_two(form)
    told = names(form, describe)
    shown = [strategies[: max(1, most)] for strategies in told.strategies]
    stable = {(j, k) for j, k in pure_equilibria(form) if j < len(shown[0]) and k < len(shown[1])}
    first, second = map(label, form.sequence.tree.players)
    # right-aligned, the marks in a column of their own, so that numbers stand under each other
    table = [[first, *(f"{name} " for name in shown[1])]]
    for j, name in enumerate(shown[0]):
        pays = (", ".join(cell(form, j, k)) + (MARK if (j, k) in stable else " ") for k in range(len(shown[1])))
        table.append([name, *pays])
    widths = [max(map(len, column)) for column in zip(*table)]
    rows = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in table]
    lines = [": ".join(titles(form)), "", " " * (widths[0] + 2) + second, *rows, ""]
    if stable:
        lines.append(f"{MARK} {marked(form, len(stable) > 1)}")
    legend = [one_line(line, LONGEST) for line in meanings(form, told, describe, most)]
    return "\n".join([*lines, *missing(form, shown), *legend]).rstrip() + "\n"
