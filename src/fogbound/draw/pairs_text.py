"""Everybody against everybody as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from fogbound.core.errors import one_line
from fogbound.draw.pairs_parts import Paired, letter, meanings, names, paid, summary

WIDTH = 100


def pairs_text(
    found: Paired, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None, width: int = WIDTH
) -> str:
    """The same grid as `pairs` in lines of at most `width` characters.

    Numbers are left out where they do not fit, and past that the last columns, which is said.
    """
    down, across = names(found, rows, columns)
    first, second = (one_line(name) for name in found.players)
    full = [[f"{letter(met)} {paid(met)}".rstrip() for met in line] for line in found.outcomes]
    gutter = max(map(len, [*down, first]), default=0)
    wide = _widths(across, full)
    numbers = gutter + sum(w + 2 for w in wide) <= width
    if not numbers:
        full = [[letter(met) for met in line] for line in found.outcomes]
        wide = _widths(across, full)
    shown = 0
    while shown < len(wide) and gutter + sum(w + 2 for w in wide[: shown + 1]) <= width:
        shown += 1
    lines = [" " * gutter + "  " + second, _row(first, across, gutter, wide[:shown])]
    lines += [_row(name, line, gutter, wide[:shown]) for name, line in zip(down, full)]
    missing = [f"… {len(wide) - shown:,} more columns"] if shown < len(wide) else []
    legend = [part for said in meanings(found, numbers) for part in wrap(said, width)]
    return "\n".join([*wrap(f"{found.spec}: {summary(found)}", width), "", *lines, "", *missing, *legend]) + "\n"


def _widths(across: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(name), *(len(line[k]) for line in cells)) for k, name in enumerate(across)]


def _row(name: str, cells: Sequence[str], gutter: int, wide: Sequence[int]) -> str:
    return (name.ljust(gutter) + "".join("  " + cell.rjust(w) for cell, w in zip(cells, wide))).rstrip()
