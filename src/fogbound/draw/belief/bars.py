"""A belief as bars, the likeliest states and how much fog is left; or as a strip of colours, for a node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol

import numpy as np

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import decimal, number
from fogbound.core.svg import FOG_2, FOG_3, FOG_4, FOG_5, FOG_6, INK_2, INK_3, MARGIN, PALETTE
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.evaluation.belief_words import entropy_words, state_name
from fogbound.evaluation.visitation import Likely, Visitation
from fogbound.forms import words
from fogbound.forms.bayes_filter import Belief

MOST = 12
TOP, ROW, BAR, HIGH = 76, 28, 320, 16
NAMES = 300  # the most room for the name of a state
DENSITY = ((0.5, FOG_6), (0.2, FOG_5), (0.05, FOG_4), (0.0, FOG_3))  # denser fog is more probable


class Labelled(Protocol):
    """What says which state a number stands for: a POMDP, or a particle filter."""

    def label(self, state: int) -> Any: ...


def belief(believed: Belief | None, *, model: Labelled, note: str = "", title: str = "", most: int = MOST) -> Drawing:
    """Draw a belief as bars: the likeliest states, and all others in one.

    Parameters
    ----------
    believed : Belief or None
        What is believed; None after something that the model holds impossible.
    model : Labelled
        What says which state a number stands for: a POMDP, or a particle filter.
    note : str
        More to say in the second line, such as how many particles there are.
    title : str
        The first line of the picture.
    most : int
        How many states get a bar of their own.

    Returns
    -------
    Drawing

    Examples
    --------
    >>> from fogbound import forms, games
    >>> tiger = forms.pomdp(games.make("tiger"))
    >>> belief(Belief.of([0, 1], [0.85, 0.15]), model=tiger)
    <Drawing 446 × 144: Belief: 2 possible states, 0.61 bits of fog; likeliest left 0.85.>
    """
    if believed is None:
        said = "the model gave what was seen probability 0: nothing is believed"
        heading, wide = svg.heading(one_line(title) or "Belief", said)
        body = [heading, svg.hatch(MARGIN, TOP, BAR, HIGH, 8)]
        return svg.document(max(wide, BAR + 2 * MARGIN), TOP + ROW + MARGIN, body, f"Belief: {said}.")
    order = np.lexsort((believed.states, -believed.weights))
    shown = order[: max(1, most)] if len(order) > most + 1 else order
    names = [words.label(model.label(int(s))) for s in believed.states[shown]]
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


def _summary(believed: Belief) -> str:
    return f"{many(len(believed.states), 'possible state')}, {entropy_words(believed.weights)}"


def _row(x: float, y: float, name: str, p: float, rest: bool) -> str:
    """Name, bar and number; the bar of all the rest is hatched, since it is no state."""
    wide = p * BAR
    tone = next(tone for least, tone in DENSITY if p >= least)
    ground = svg.box(x, y, BAR, HIGH, svg.FOG_1, round_by=3)
    bar = svg.hatch(x, y, max(3.0, wide), HIGH, 6) if rest else svg.box(x, y, max(1.0, wide), HIGH, tone, round_by=3)
    label = svg.text(x - 14, y + 13, measure.clip(name, NAMES), INK_3 if rest else svg.INK, anchor="end")
    said = svg.text(x + BAR + 12, y + 13, decimal(p), INK_2)
    return svg.group([label, ground, bar, said], f"{name}: {number(p, 6)}")


MOST_TONES = 7
THIN = 5  # pixels: how high a strip is
LEAST_SHOWN = 0.5  # of all that is believed: what the colours must stand for, or they would say nothing
OTHERS = "all others"

StateColours = dict[Hashable, str]


def state_colours(visitation: Visitation | None, nodes: Iterable[int]) -> StateColours:
    """A colour for each of the states that are believed most; none where they are too many for that."""
    if visitation is None:
        return {}
    held: dict[Hashable, float] = {}
    for node in nodes:
        for state, p in visitation.beliefs[node]:
            held[state] = held.get(state, 0.0) + p * visitation.visits[node]
    shown = sorted(held, key=lambda state: -round(held[state], 9))[:MOST_TONES]
    enough = sum(held[state] for state in shown) >= LEAST_SHOWN * sum(held.values())
    return {state: PALETTE[k] for k, state in enumerate(shown)} if enough else {}


def belief_strip(belief: Likely, colours: StateColours, x: float, y: float, room: float) -> str:
    """The belief as a thin bar, states in the order of the key; all that have no colour share the last part."""
    shares = dict.fromkeys(colours, 0.0) | {state: p for state, p in belief if state in colours}
    parts = [BarPart(p, colours[state]) for state, p in shares.items()]
    return stacked_bar([*parts, BarPart(1.0 - sum(shares.values()), FOG_2)], x, y, room, THIN)


def colour_key(colours: StateColours, visitation: Visitation | None, nodes: Iterable[int]) -> list[tuple[str, str]]:
    """(Name, colour) of every part that strips may have."""
    if not colours or visitation is None:
        return []
    listed = list(zip(map(state_name, visitation.told(list(colours))), colours.values()))
    others = any(state not in colours for node in nodes for state, _ in visitation.beliefs[node])
    return [*listed, (OTHERS, FOG_2)] if others else listed
