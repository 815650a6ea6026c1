"""The few primitives that every picture shares: drawings of answers, and games that draw their own board.

Pictures are plain SVG text without scripts, styles or ids: they work in a notebook, in a file, and in a page
with a strict content policy, several at once. Colours are CSS variables, so that a page can restyle them;
the fallbacks serve files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from fogbound.core.drawing import Drawing, quoted
from fogbound.core.measure import SIZE, lines_of, width_of
from fogbound.core.numerals import EXACT

SURFACE, LINE, EDGE = "var(--surface, #ffffff)", "var(--line, #d9e0e4)", "var(--edge, #788792)"
INK, INK_2, INK_3 = "var(--ink, #14212b)", "var(--ink-2, #445562)", "var(--ink-3, #5b6b77)"
FOG_1, FOG_2, FOG_3 = "var(--fog-1, #e9eef1)", "var(--fog-2, #d3dde3)", "var(--fog-3, #b3c3cd)"
FOG_4, FOG_5, FOG_6 = "var(--fog-4, #8aa0ae)", "var(--fog-5, #5d7687)", "var(--fog-6, #3a5364)"
SEA, SEA_FILL = "var(--sea, #0b6a76)", "var(--sea-fill, #2b8f9a)"
SEA_WASH, EMBER_WASH = "var(--sea-wash, #dceff1)", "var(--ember-wash, #f8e6de)"
EMBER, EMBER_FILL = "var(--ember, #a8401f)", "var(--ember-fill, #cf6b45)"
LAMP, LAMP_FILL = "var(--lamp, #8a5300)", "var(--lamp-fill, #f0a63a)"
MARGIN, _ROW = 20, 20  # around a picture; from line to line of a heading
LAMP_LINE, LAMP_WASH = "var(--lamp-line, #bd7408)", "var(--lamp-wash, #fdf1dc)"
PALETTE = (FOG_4, SEA_FILL, LAMP_FILL, EMBER_FILL, FOG_6, SEA, LAMP, EMBER)  # moves, in this order
TONES: dict[str, tuple[str, str, str]] = {  # of a board's tiles: fill, outline, ink
    "plain": (SURFACE, EDGE, INK),
    "mine": (SEA_WASH, SEA_FILL, SEA),
    "theirs": (EMBER_WASH, EMBER_FILL, EMBER),
    "fog": (FOG_2, FOG_4, INK_2),
    "lamp": (LAMP_WASH, LAMP_FILL, LAMP),
    "blank": ("none", "none", INK_2),
}

_DOCUMENT = r'<svg [^>]*viewBox="0 (?P<above>[-\d.]+) (?P<width>\d+) (?P<height>\d+)"[^>]*>(?P<inside>.*)</svg>'
LINK = "<a [^>]*href="
Link = Callable[[int], str]  # the address of a part of a picture, by its number
_FONT = "Inter, 'Segoe UI', system-ui, sans-serif"


def at(value: float) -> str:
    """A coordinate: a tenth of a pixel is fine enough."""
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 1e5 else f"{value:.0f}"


def text(
    x: float, y: float, words: str, fill: str = INK, size: float = SIZE, anchor: str = "start", weight: int = 400
) -> str:
    """One line of words, its baseline at y."""
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    place = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{at(x)}" y="{at(y)}" font-size="{size:g}" fill="{fill}"{place}{bold}>{quoted(words)}</text>'


def box(
    x: float, y: float, width: float, height: float, fill: str = SURFACE, edge: str = "none", round_by: float = 6
) -> str:
    stroke = f' stroke="{edge}"' if edge != "none" else ""
    size = f'width="{at(width)}" height="{at(height)}" rx="{at(round_by)}"'
    return f'<rect x="{at(x)}" y="{at(y)}" {size} fill="{fill}"{stroke}/>'


def path(
    steps: str, stroke: str = EDGE, width: float = 1.5, fill: str = "none", dashes: str = "", more: str = ""
) -> str:
    """A path from its steps ("M0 0 L5 5"), rounded at ends and corners."""
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    line = f' stroke="{stroke}" stroke-width="{width:g}" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{steps}" fill="{fill}"{line if stroke != "none" else ""}{dash}{more}/>'


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = LINE, width: float = 1, dashes: str = "") -> str:
    return path(f"M{at(x1)} {at(y1)} L{at(x2)} {at(y2)}", stroke, width, dashes=dashes)


def dot(x: float, y: float, radius: float, fill: str, edge: str = SURFACE, width: float = 1.5) -> str:
    return (
        f'<circle cx="{at(x)}" cy="{at(y)}" r="{at(radius)}" fill="{fill}" stroke="{edge}" stroke-width="{width:g}"/>'
    )


def group(parts: Iterable[str], hint: str = "", more: str = "", href: str = "") -> str:
    """Parts that belong together, with a hint that shows under the pointer; with `href` all of it is a link."""
    title = f"<title>{quoted(hint)}</title>" if hint else ""
    if href:
        return f'<a{more} href="{quoted(href)}">{title}{"".join(parts)}</a>'
    return f"<g{more}>{title}{''.join(parts)}</g>"


def document(
    width: float, height: float, body: Iterable[str], label: str, terminal: str = "", above: float = 0.0
) -> Drawing:
    """The picture on its own ground, so that it reads on any page; `label` is the one sentence read aloud.

    `terminal` is what a terminal shows; without it, the sentence. `above` is how far a heading stands above the top. A
    picture with links is a group to those who hear it, since what is inside an image cannot be reached.
    """
    wide, high = math.ceil(width), math.ceil(height + above)
    drawn = "".join(body)
    role = "group" if re.search(LINK, drawn) else "img"
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="0 {at(-above)} {wide} {high}" role="{role}" aria-label="{quoted(label)}" font-family="{_FONT}">'
        f"{box(0, -above, wide, high, round_by=10)}{drawn}</svg>\n"
    )
    return Drawing(picture, label, terminal or f"{label}\n")


def one_above_the_other(pictures: Sequence[Drawing]) -> Drawing:
    """Several pictures as one, from the top down, each as large as it was."""
    body, wide, high = [], 0.0, 0.0
    for picture in pictures:
        found = re.fullmatch(_DOCUMENT, picture.svg.strip(), re.DOTALL)
        assert found, "a picture that `document` made"
        above, width, height = map(float, found.group("above", "width", "height"))
        body.append(group([found["inside"]], more=f' transform="translate(0 {at(high - above)})"'))
        wide, high = max(wide, width), high + height
    label = " ".join(picture.label for picture in pictures)
    return document(wide, high, body, label, "".join(picture.text for picture in pictures))


def percent(p: float) -> str:
    """A probability in percent that is never rounded to a certainty it is not."""
    if EXACT < p < 0.005:
        return "<1\u202f%"
    return ">99\u202f%" if 0.995 <= p < 1 - EXACT else f"{100 * p:.0f}\u202f%"


def heading(title: str, subtitle: str = "") -> tuple[str, float]:
    """The two lines at the top of a picture, and the width they take."""
    body = text(MARGIN, MARGIN + 14, title, size=15, weight=600)
    if subtitle:
        body += text(MARGIN, MARGIN + 34, subtitle, INK_3)
    return body, 2 * MARGIN + max(width_of(title, 15, bold=True), width_of(subtitle))


def bend(y: float, middle: float, to_x: float, to_y: float) -> str:
    """A step of a path from height y to a place, level at both ends, that changes height around `middle`."""
    return f"C{at(middle)} {at(y)} {at(middle)} {at(to_y)} {at(to_x)} {at(to_y)}"


def hatch(x: float, y: float, width: float, height: float, gap: float = 9) -> str:
    """Diagonal strokes over a box: something that is not there. Drawn out, since patterns would need ids."""
    steps = []
    for k in range(1, math.ceil((width + height) / gap)):
        reach = k * gap
        low, high = min(reach, height), max(0.0, reach - width)
        steps.append(f"M{at(x + reach - low)} {at(y + low)} L{at(x + reach - high)} {at(y + high)}")
    return path(" ".join(steps), FOG_2, 2.5)


class WrappedHeading(NamedTuple):
    """What stands at the top of a picture, the width that it takes, and the height above the picture's own top."""

    body: str
    width: float
    above: float


def wrapped_heading(title: str, subtitle: str, room: float) -> WrappedHeading:
    """Title and subtitle in as many lines as they need in a picture `room` wide: none is cut.

    The last line of each stands where `heading` puts it; others stand above, which `document` is told.
    """
    titles, below = (
        lines_of(words, room - 2 * MARGIN, size, bold)
        for words, size, bold in ((title, 15, True), (subtitle, SIZE, False))
    )
    above = _ROW * (max(1, len(titles)) + max(1, len(below)) - 2)
    body = [text(MARGIN, MARGIN + 14 + _ROW * k - above, words, size=15, weight=600) for k, words in enumerate(titles)]
    body += [
        text(MARGIN, MARGIN + 34 + _ROW * (k + 1 - len(below)), line, INK_3) for k, line in enumerate(below) if line
    ]
    wide = [*(width_of(line, 15, bold=True) for line in titles), *map(width_of, below)]
    return WrappedHeading("".join(body), 2 * MARGIN + max(wide, default=0.0), above)
