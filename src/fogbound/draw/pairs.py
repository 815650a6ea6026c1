"""Everybody against everybody as a grid: who wins is a letter and a colour, by how much is the colour's strength."""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg
from fogbound.draw.pairs_parts import CYCLE, Met, Paired, letter, margin, meanings, names, paid, summary
from fogbound.draw.svg import EMBER, EMBER_FILL, FOG_1, INK, INK_2, MARGIN, SEA, SEA_FILL, at

TOP, HIGH, GAP, NARROW, LINE_HEIGHT = 66.0, 30.0, 3.0, 30.0, 20.0
FAINT, STRONG = 0.16, 0.62  # opacity of the smallest and of the largest lead


def pairs(
    found: Paired, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None, title: str = ""
) -> str:
    """The outcome of every pair: rows play seat 0, columns seat 1, and the number is what the row gets.

    `rows` and `columns` are the policies' names, their numbers where none are given.
    """
    down, across = names(found, rows, columns)
    first, second = map(one_line, found.players)
    widest = max((measure.width_of(_said(met), bold=True) for line in found.outcomes for met in line), default=0.0)
    wide = max(NARROW, widest + 12, *(measure.width_of(name, bold=True) + 6 for name in across), 0.0)
    left = MARGIN + max((measure.width_of(name, bold=True) for name in [*down, first]), default=0.0) + 12
    heading, heading_width = svg.heading(one_line(title) or f"{found.spec}: all pairs", summary(found))
    top = TOP + 34
    body = [heading, svg.text(left, TOP + 8, second, EMBER, weight=600)]
    body.append(svg.text(MARGIN, top - 8, first, SEA, weight=600))
    for k, name in enumerate(across):
        body.append(svg.text(left + k * (wide + GAP) + wide / 2, top - 8, name, anchor="middle", weight=600))
    most = max((abs(margin(met)) for line in found.outcomes for met in line), default=0.0)
    for j, (name, line) in enumerate(zip(down, found.outcomes)):
        y = top + j * (HIGH + GAP)
        body.append(svg.text(left - 12, y + HIGH / 2 + 4, name, anchor="end", weight=600))
        for k, met in enumerate(line):
            cell = _cell(met, left + k * (wide + GAP), y, wide, most)
            hint = f"{name} against {across[k]}: {_told(met, found.players)}"
            body.append(svg.group(cell, hint, f' data-row="{j}" data-column="{k}"'))
    bottom, legend = top + len(down) * (HIGH + GAP) + 18, meanings(found)
    body += [svg.text(MARGIN, bottom + k * LINE_HEIGHT, said, INK_2) for k, said in enumerate(legend)]
    width = max(left + len(across) * (wide + GAP) + MARGIN, left + measure.width_of(second, bold=True) + MARGIN)
    width = max(width, heading_width, *(2 * MARGIN + measure.width_of(said) for said in legend), 0.0)
    height = bottom + len(legend) * LINE_HEIGHT + 4
    return svg.document(width, height, body, f"All pairs of {found.spec}: {summary(found)}.")


def _said(met: Met) -> str:
    return f"{letter(met)} {paid(met)}".rstrip()


def _told(met: Met, players: Sequence[str]) -> str:
    """One pair in a sentence, for the pointer."""
    if met.returns is None:
        return "some play never ends and has no value"
    got = ", ".join(f"{name} {svg.number(value, 6)}" for name, value in zip(players, met.returns))
    if met.ended == CYCLE and met.cycle is not None:
        return f"{got}; cycles from step {met.cycle[0]} on, {met.cycle[1]} steps long"
    return f"{got}; {svg.number(met.steps, 6)} steps" if met.steps is not None else got


def _cell(met: Met, x: float, y: float, wide: float, most: float) -> list[str]:
    """Sea where the row is ahead, ember where the column is, fog where neither; hatched where play never ends."""
    lead = margin(met)
    parts = [svg.box(x, y, wide, HIGH, FOG_1, round_by=4)]
    if lead and most:
        shade = FAINT + (STRONG - FAINT) * abs(lead) / most
        steps = f"M{at(x)} {at(y)} h{at(wide)} v{at(HIGH)} h{at(-wide)} Z"
        tone = SEA_FILL if lead > 0 else EMBER_FILL
        parts = [svg.path(steps, "none", fill=tone, more=f' fill-opacity="{shade:.2f}"')]
    if met.ended == CYCLE or met.returns is None:
        parts.append(svg.hatch(x + 2, y + 2, wide - 4, HIGH - 4, 7))
    return [*parts, svg.text(x + wide / 2, y + HIGH / 2 + 4, _said(met), INK, anchor="middle", weight=600)]
