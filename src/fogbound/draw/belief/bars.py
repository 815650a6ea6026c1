"""A belief as bars: the likeliest states, how likely each is, and how much fog is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg, words
from fogbound.draw.svg import FOG_3, FOG_4, FOG_5, FOG_6, INK_2, INK_3, MARGIN, decimal, number
from fogbound.forms.bayes_filter import Belief
from fogbound.forms.table import Floats

MOST = 12
TOP, ROW, BAR, HIGH = 76, 28, 320, 16
NAMES = 300  # the most room for the name of a state
DENSITY = ((0.5, FOG_6), (0.2, FOG_5), (0.05, FOG_4), (0.0, FOG_3))  # denser fog is more probable
DARK = (FOG_6, svg.SEA, svg.LAMP, svg.EMBER)


class Labelled(Protocol):
    """What says which state a number stands for: a POMDP, or a particle filter."""

    def label(self, state: int) -> Any: ...


def belief(source: Labelled, believed: Belief | None, title: str = "", note: str = "", most: int = MOST) -> str:
    """The `most` likeliest states as bars, the rest in one; `note` says more, such as how many particles.

    None is the belief after something that the model holds impossible.
    """
    if believed is None:
        said = "the model gave what was seen probability 0: nothing is believed"
        heading, wide = svg.heading(one_line(title) or "Belief", said)
        body = [heading, svg.hatch(MARGIN, TOP, BAR, HIGH, 8)]
        return svg.document(max(wide, BAR + 2 * MARGIN), TOP + ROW + MARGIN, body, f"Belief: {said}.")
    order = np.lexsort((believed.states, -believed.weights))
    shown = order[: max(1, most)] if len(order) > most + 1 else order
    names = [words.label(source.label(int(s))) for s in believed.states[shown]]
    chances: list[float] = believed.weights[shown].tolist()
    rest = len(order) - len(shown)
    if rest:
        others = float(believed.weights[order[len(shown) :]].sum())
        names, chances = [*names, f"{rest:,} more"], [*chances, others]
    said = ", ".join(filter(None, (_summary(believed), one_line(note))))
    heading, wide = svg.heading(one_line(title) or "Belief", said)
    x = MARGIN + min(NAMES, max(map(measure.width_of, names))) + 14
    body = [heading]
    for k, (name, p) in enumerate(zip(names, chances)):
        body.append(_row(x, TOP + k * ROW, name, p, k == len(shown)))
    right = x + BAR + 12 + measure.width_of(">0.99") + MARGIN
    likeliest = f"{names[0]} {decimal(chances[0])}"
    return svg.document(
        max(wide, right), TOP + len(names) * ROW + MARGIN - 8, body, f"Belief: {said}; likeliest {likeliest}."
    )


def entropy(weights: Floats) -> float:
    """How much is not known, in bits: the entropy."""
    likely = weights[weights > 0]
    return max(0.0, -float(likely @ np.log2(likely)))


def entropy_words(weights: Floats) -> str:
    """The same in words."""
    return f"{entropy(weights):.2f} bits of fog" if len(weights[weights > 0]) > 1 else "no fog left"


def ink_on(tone: str) -> str:
    """The colour of words that stand on a colour of the palette."""
    return svg.SURFACE if tone in DARK else svg.INK


def colour_squares(
    names: Sequence[tuple[str, str]], x: float, y: float, right: float, room: float = NAMES
) -> tuple[list[str], float]:
    """The key of some colours, (name, colour) each, in as many lines as it takes, and the last line's height."""
    body, at = [], x
    for name, tone in names:
        said = measure.clip(name, room)
        wide = 18 + measure.width_of(said)
        if at > x and at + wide > right:
            at, y = x, y + 20
        body += [svg.box(at, y - 10, 12, 12, tone, round_by=3), svg.text(at + 18, y, said, INK_2)]
        at += wide + 18
    return body, y


def _summary(believed: Belief) -> str:
    count = len(believed.states)
    return f"{count:,} possible state{'s' if count != 1 else ''}, {entropy_words(believed.weights)}"


def _row(x: float, y: float, name: str, p: float, rest: bool) -> str:
    """Name, bar and number; the bar of all the rest is hatched, since it is no state."""
    wide = p * BAR
    tone = next(tone for least, tone in DENSITY if p >= least)
    ground = svg.box(x, y, BAR, HIGH, svg.FOG_1, round_by=3)
    bar = svg.hatch(x, y, max(3.0, wide), HIGH, 6) if rest else svg.box(x, y, max(1.0, wide), HIGH, tone, round_by=3)
    label = svg.text(x - 14, y + 13, measure.clip(name, NAMES), INK_3 if rest else svg.INK, anchor="end")
    said = svg.text(x + BAR + 12, y + 13, decimal(p), INK_2)
    return svg.group([label, ground, bar, said], f"{name}: {number(p, 6)}")
