"""What a node believes, for pictures and listings of controllers: a few words, and a strip of colours."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from fogbound.core.svg import FOG_2, PALETTE
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.evaluation.belief_words import state_name
from fogbound.evaluation.visitation import Likely, Visitation

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
    listed = [(state_name(state), tone) for state, tone in colours.items()]
    if not listed or visitation is None:
        return []
    others = any(state not in colours for node in nodes for state, _ in visitation.beliefs[node])
    return [*listed, (OTHERS, FOG_2)] if others else listed
