"""Axes: which numbers to print along them, and where they lie."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fogbound.draw.svg import number

STEPS = (1.0, 2.0, 5.0, 10.0)
FEW = 5
WIDE_SPAN = 20.0  # latest over earliest time from which on the axis is logarithmic


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` over pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        if self.log:
            value = max(value, self.low)
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def ticks(low: float, high: float, few: int = FEW) -> list[float]:
    """About `few` round numbers that cover low to high."""
    rough = (high - low) / few
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in STEPS if s * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 12 - math.floor(math.log10(step))) for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2, 5 of each decade between low and high; decades alone, thinned, where there are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    marks = (1, 3) if last - first <= 3 else (1,)
    every = max(1, math.ceil((last - first) / 7))
    values = [m * 10.0**k for k in range(first, last + 1) if k % every == 0 for m in marks]
    return [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]


def duration(seconds: float) -> str:
    """A time with its unit."""
    if seconds == 0:
        return "0"
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit * (1 - 1e-9):
            return f"{number(round(seconds / unit, 9), 3 if seconds < 1000 else 6)} {name}"
    return f"{number(seconds, 2)} s"
