"""Tables and numbers for the terminal."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as they need, the first to the left and the others to the right."""
    lines = [header, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    rule = ["-" * width for width in widths]
    return "\n".join(_line(line, widths) for line in (header, rule, *rows))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.1f}"


def rate(per_second: float) -> str:
    """`1.46M`, `374k`."""
    return f"{per_second / 1e6:.2f}M" if per_second >= 999_500 else f"{per_second / 1e3:.0f}k"
