"""Figures with bars: what moves are worth, and what is believed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fogbound.core.numerals import decimal, number
from fogbound.web.explore.views.shown import Bar

SAME = 1e-7  # what differs by less is worth the same, of the largest figure
MOST = 8


def worth_bars(moves: Sequence[tuple[str, float]]) -> tuple[Bar, ...]:
    """What each move is worth, from zero to the right or the left; the best carry the lamp."""
    values = [worth for _, worth in moves]
    low, high = min([0.0, *values]), max([0.0, *values])
    room = (high - low) or 1.0
    zero, best, close = -low / room, max(values, default=0.0), SAME * max(1.0, abs(low), abs(high))
    return tuple(
        Bar(
            name,
            number(worth, 4, sign=True) if abs(worth) > close else "0",
            min(zero, (worth - low) / room),
            max(zero, (worth - low) / room),
            zero,
            "gain" if worth >= 0 else "loss",
            best - worth <= close,
        )
        for name, worth in moves
    )


def belief_bars(believed: Iterable[tuple[str, float]]) -> tuple[Bar, ...]:
    """The likeliest, and all others in one line."""
    listed = list(believed)
    shown, rest = (listed, []) if len(listed) <= MOST + 1 else (listed[:MOST], listed[MOST:])
    bars = [Bar(name, decimal(p), 0.0, p) for name, p in shown]
    if rest:
        share = sum(p for _, p in rest)
        bars.append(Bar(f"{len(rest):,} others", decimal(share), 0.0, share))
    return tuple(bars)
