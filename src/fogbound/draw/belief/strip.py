"""What a node believes, for pictures and listings of controllers: a few words, and a strip of colours."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from fogbound.core.errors import many
from fogbound.draw import measure, words
from fogbound.draw.belief.bars import entropy_words
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.draw.svg import FOG_2, PALETTE, decimal
from fogbound.evaluate.visitation import Likely, Visitation

MOST_TONES = 7
THIN = 5  # pixels: how high a strip is
MOST_NAMED = 3  # states that a note names
LEAST_NAMED = 0.05  # probability of a state that is worth naming
LEAST_TOLD = 0.3  # probability of those that a note names, or it would say nothing
LEAST_SHOWN = 0.5  # of all that is believed: what the colours must stand for, or they would say nothing
UNVISITED = "never visited"
OTHERS = "all others"

StateColours = dict[Hashable, str]


def belief_note(belief: Likely, room: float = float("inf"), size: float = 11) -> str:
    """The likeliest states, as many as there is room for; how foggy it is where none stands out."""
    if not belief:
        return UNVISITED
    if len(belief) == 1:
        return f"surely {state_name(belief[0][0])}"
    named = sum(p >= LEAST_NAMED for _, p in belief[:MOST_NAMED])
    for count in range(named + (named + 1 == len(belief)), 0, -1):  # a single other state is named too
        rest = len(belief) - count
        said = [f"{decimal(p)} {state_name(state)}" for state, p in belief[:count]] + [f"… {rest:,} more"] * (rest > 0)
        if sum(p for _, p in belief[:count]) >= LEAST_TOLD and measure.width_of("; ".join(said), size) <= room:
            return "; ".join(said)
    return f"{many(len(belief), 'state')}, {entropy_words(np.array([p for _, p in belief]))}"


def state_name(state: Any) -> str:
    """A state that stands beside a probability: what begins with a digit must not read as part of it."""
    said = words.label(state)
    if said.isdecimal():
        return f"state {said}"
    return f"({said})" if said[:1].isdecimal() else said


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
    listed = [(state_name(state), tone) for state, tone in colours.items()]
    if not listed or visitation is None:
        return []
    others = any(state not in colours for node in nodes for state, _ in visitation.beliefs[node])
    return [*listed, (OTHERS, FOG_2)] if others else listed
