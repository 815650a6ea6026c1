"""How much of document 002 is run: enough to see what it saw, or as much as it ran itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SEQUENCES = {30: (30, 44, 64, 100), 60: (60, 80, 100)}  # the document's P 1 and P 2, by where they begin


@dataclass(frozen=True, eq=False)
class Effort:
    """Limits by map. They are counted in walks, not hours, so that bounds do not hang on the machine."""

    gaps: Mapping[int, float]  # at which a game counts as solved
    walks: Mapping[int, int]  # at most, a game
    draws: Mapping[int, int]  # of ISG, which the document averages ("several times")
    trials: Mapping[int, tuple[int, int]]  # of HISG: its n, beginning with 30 % and with 60 %
    trial_walks: Mapping[int, int]  # in place of its time limit t
    repeats: Mapping[int, int]  # of the original algorithm: the fastest counts, since others use the machine too
    open_gap: float = 0.1  # for the question left open: what is lost can be told no closer than this
    open_draws: int = 3  # random subsets of either size

    def trials_from(self, number: int, first: int) -> int:
        """How many random subsets HISG tries on a map, beginning with so many per cent."""
        return self.trials[number][list(SEQUENCES).index(first)]


QUICK = Effort(
    gaps={12: 5.0, 18: 1.0, 24: 1.0},
    walks={12: 60, 18: 150, 24: 150},
    draws={12: 3, 18: 3, 24: 1},
    trials={12: (6, 4), 18: (5, 3), 24: (2, 2)},
    trial_walks={12: 15, 18: 40, 24: 60},
    repeats={12: 1, 18: 3, 24: 1},
    open_draws=2,
)
FULL = Effort(
    gaps={12: 2.0, 18: 1.0, 24: 1.0},
    walks={12: 200, 18: 1_000, 24: 1_000},
    draws={12: 5, 18: 10, 24: 5},
    trials={12: (100, 30), 18: (50, 30), 24: (12, 8)},
    trial_walks={12: 25, 18: 40, 24: 60},
    repeats={12: 1, 18: 5, 24: 3},
    open_gap=0.05,
    open_draws=10,
)
