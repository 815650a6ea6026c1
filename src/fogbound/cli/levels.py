"""A ladder of levels as lines of text: one line a level, the seats side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fogbound.cli.words import number

MOST_SEATS = 4  # that fit beside each other


def levels_table(levels: Sequence[dict[str, Any]] | None, players: Sequence[str]) -> list[str]:
    """Value and controller of every level and seat; nothing where there are no levels."""
    if not levels:
        return []
    shown = list(players)[:MOST_SEATS]
    lines = [
        "levels   " + "".join(f"{name:>28}" for name in shown),
        "         " + "        value   nodes  kind" * len(shown),
    ]
    for level in sorted({rung["level"] for rung in levels}):
        seats = {rung["seat"]: rung for rung in levels if rung["level"] == level}
        lines.append(f"{level:>6}   " + "".join(_cell(seats[seat]) for seat in range(len(shown))))
    if any(not rung["settled"] for rung in levels):
        lines.append("         * not settled: guaranteed is what is shown, the bound above is in --json")
    return lines


def _cell(rung: dict[str, Any]) -> str:
    mark = " " if rung["settled"] else "*"
    return f"{number(rung['value'], 9):>13}{mark}{rung['nodes']:>7,}{rung['kind']:>6}" + " "
