"""The small parts of a tree's picture: marks of players, pays, the legend."""

from __future__ import annotations

from fogbound.draw import measure, svg, words
from fogbound.draw.svg import EMBER, EMBER_FILL, FOG_5, INK_2, INK_3, LAMP_FILL, MARGIN, SEA, SEA_FILL
from fogbound.forms.tree import CHANCE, Tree

COLOURS = (SEA_FILL, EMBER_FILL, LAMP_FILL, FOG_5)


def glyph(player: int, x: float, y: float) -> str:
    """A player's mark: colour and shape both tell who moves."""
    at, fill = svg.at, colour(player)
    if player == CHANCE:
        return svg.path(f"M{at(x)} {at(y - 6)} l6 6 l-6 6 l-6 -6 Z", INK_3, 1.5, svg.SURFACE)
    if player == 1:
        return svg.path(f"M{at(x - 5.5)} {at(y - 5.5)} h11 v11 h-11 Z", svg.SURFACE, 1.5, fill)
    if player == 2:
        return svg.path(f"M{at(x)} {at(y - 7)} l7 12 h-14 Z", svg.SURFACE, 1.5, fill)
    return svg.dot(x, y, 6.5, fill)


def colour(player: int) -> str:
    return svg.FOG_4 if player == CHANCE else COLOURS[min(player, len(COLOURS) - 1)]


def band(steps: str, width: float) -> list[str]:
    """Fog along a path, and the line that the eye can follow through it."""
    return [svg.path(steps, svg.FOG_2, width), svg.path(steps, FOG_5, 1.2, dashes="3 4")]


def pay(form: Tree, v: int) -> list[str]:
    """What an end pays: all players, or the first alone where the second loses exactly that."""
    paid = [svg.number(float(p), sign=True) for p in form.payoff[v]]
    return paid[:1] if len(paid) == 2 and form.constant_sum == 0 else paid


def pays(paid: list[str], x: float, y: float) -> str:
    body, x = [], x + 6
    for number in paid:
        tone = SEA if number.startswith("+") else EMBER if number.startswith("−") else INK_2
        body.append(svg.text(x, y + 4, number, tone, weight=600))
        x += measure.width_of(number + " ", bold=True)
    return "".join(body)


def legend(form: Tree) -> tuple[str, float]:
    x, y, body = float(MARGIN + 6), 76.0, []
    movers = [p for p in (CHANCE, *range(len(form.players))) if (form.player == p).any()]
    for p in movers:
        name = "chance" if p == CHANCE else words.label(form.players[p])
        body += [glyph(p, x, y), svg.text(x + 13, y + 4, name, INK_2)]
        x += 13 + measure.width_of(name) + 22
    ends = form.players if len(form.players) != 2 or form.constant_sum != 0 else form.players[:1]
    paid = f"ends: what {', '.join(map(words.label, ends))} {'gains' if len(ends) == 1 else 'gain'}"
    steps = f"M{svg.at(x + 5)} {svg.at(y)} h18"
    body += band(steps, 16)
    body += [svg.text(x + 38, y + 4, "cannot be told apart", INK_2)]
    x += 38 + measure.width_of("cannot be told apart") + 22
    return "".join([*body, svg.text(x, y + 4, paid, INK_2)]), x + measure.width_of(paid) + MARGIN
