"""What document 002 prints: the seconds of Tables 5.2 to 5.11, and the few values of Figures 5.1 to 5.6 in its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fogbound_papers.d002.study import SEQUENCES

Times = tuple[int | None, ...]


@dataclass(frozen=True)
class Published:
    """One of its tables: an algorithm on a map, in seconds, a column for each portion of the actions."""

    name: str
    number: int
    algorithm: str
    first: int  # per cent; 100: the original algorithm
    start: Times
    below: Mapping[int, Times] = field(default_factory=dict)  # by the width of the gap; None: not within two hours

    @property
    def portions(self) -> tuple[int, ...]:
        return SEQUENCES.get(self.first, (100,))


PLAIN, ISG, HISG = "PG-HSVI", "ISG-PG-HSVI", "HISG-PG-HSVI"
TABLES = (
    Published("5.2", 18, PLAIN, 100, (519,), {1: (535,)}),
    Published("5.3", 18, ISG, 30, (178, 229, 301, 436), {1: (182, 251, 320, 450)}),
    Published("5.4", 18, HISG, 30, (140, 178, 268, 397), {1: (145, 182, 275, 405)}),
    Published("5.5", 18, ISG, 60, (339, 415, 527), {1: (371, 439, 540)}),
    Published("5.6", 18, HISG, 60, (252, 324, 363), {1: (261, 327, 370)}),
    Published("5.7", 24, PLAIN, 100, (5154,), {10: (5205,), 6: (5239,)}),
    Published(
        *("5.8", 24, ISG, 30, (2338, 2953, 3596, 5241)),
        {10: (2338, None, None, 5320), 6: (2338, None, None, None)},
    ),
    Published(
        *("5.9", 24, HISG, 30, (1732, 2533, 3602, 5636)),
        {10: (None, 2918, 4190, 5752), 6: (None, None, None, None)},
    ),
    Published("5.10", 24, ISG, 60, (3429, 4143, 4888), {10: (None, 4331, 4897), 6: (None, None, 4920)}),
    Published("5.11", 24, HISG, 60, (3544, 4572, 5626), {10: (3713, 4572, 5626), 6: (3804, 4653, 5675)}),
)
ORIGINAL = {table.number: table for table in TABLES if table.algorithm == PLAIN}

# by figure and per cent of the actions: the lower bound and, where the text has one, the upper bound
FIGURES: dict[int, dict[int, tuple[float, float | None]]] = {
    1: {64: (40.8, None), 100: (67.24, None)},
    2: {64: (62.0, None), 100: (67.24, None)},
    3: {30: (70.2, None), 100: (79.33, None)},
    4: {100: (79.33, None)},
    5: {80: (60.9, None), 100: (70.3, 75.1)},
    6: {44: (63.4, 72.9), 100: (70.3, 75.1)},
}
