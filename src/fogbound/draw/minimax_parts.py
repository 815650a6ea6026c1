"""The small parts of a minimax tree's picture: marks, branches, values in words, the legend."""

from __future__ import annotations

from fogbound.draw import measure, svg, words
from fogbound.draw.minimax_values import MAX, Range, inf
from fogbound.draw.svg import EMBER, EMBER_FILL, FOG_3, INK, INK_2, INK_3, LAMP_FILL, MARGIN, SEA, SEA_FILL, SURFACE
from fogbound.forms.tree import CHANCE, Tree

GLYPH, STUB = 13, 46  # half a triangle's width; how far above a node its branch comes down straight


def in_words(known: Range) -> str:
    """A value, or what is known of it."""
    low, high = known
    if low == high:
        return svg.number(low)
    if low == -inf:
        return f"≤{svg.number(high)}"
    return f"≥{svg.number(low)}" if high == inf else f"{svg.number(low)}…{svg.number(high)}"


def mark(player: int, x: float, y: float, skipped: bool = False) -> str:
    """Max points up, min down, chance is round; what is never looked at is an outline."""
    at, edge = svg.at, FOG_3 if skipped else SURFACE
    fill = SURFACE if skipped else SEA_FILL if player == MAX else EMBER_FILL
    if player == CHANCE:
        return svg.dot(x, y, 10, SURFACE, FOG_3 if skipped else INK_3)
    side = 1 if player == MAX else -1
    steps = f"M{at(x)} {at(y - 12 * side)} l{GLYPH} {at(22 * side)} h{-2 * GLYPH} Z"
    return svg.path(steps, edge, 1.5, fill)


def end(x: float, y: float, said: str, skipped: bool) -> str:
    """What an end pays, in the colour of who gains."""
    gained = EMBER if said.startswith("−") else INK if said == "0" else SEA
    ground = svg.box(x - 5, y - 12, 10, 22, SURFACE)
    return ground + svg.text(x, y + 4, said, INK_3 if skipped else gained, anchor="middle", weight=600)


def curve(x: float, y: float, to: float, down: float, stroke: str, width: float, dashes: str) -> str:
    """From below a node to above its child, arriving straight from above."""
    at, begin, stub = svg.at, y + 11, down - STUB
    half = (begin + stub) / 2
    return svg.path(
        f"M{at(x)} {at(begin)} C{at(x)} {at(half)} {at(to)} {at(half)} {at(to)} {at(stub)} V{at(down - 12)}",
        stroke,
        width,
        dashes=dashes,
    )


def legend(form: Tree, pruned: bool) -> tuple[str, float]:
    x, y, body = float(MARGIN + GLYPH), 82.0, []
    for player in (p for p in (MAX, 1, CHANCE) if (form.player == p).any()):
        name = "chance: the average" if player == CHANCE else words.label(form.players[player])
        name += {MAX: ": the largest", 1: ": the smallest"}.get(player, "")
        body += [mark(player, x, y), svg.text(x + GLYPH + 6, y + 4, name, INK_2)]
        x += GLYPH + 6 + measure.width_of(name) + 30
    lines = [("best play", LAMP_FILL, 4.0, "")] + [("cut off", FOG_3, 1.5, "4 5")] * pruned
    for name, tone, width, dashes in lines:
        body += [svg.line(x - 8, y, x + 16, y, tone, width, dashes), svg.text(x + 24, y + 4, name, INK_2)]
        x += 24 + measure.width_of(name) + 26
    return "".join(body), x + MARGIN
