"""What the moves of a game cost, in the light of what the seat could know when it made them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from fogbound.forms.tree import History
from fogbound.solvers.lifted.fog import Fog
from fogbound.solvers.lifted.worth import Worth, best


@dataclass(frozen=True)
class Judged:
    """A move that was made, with what it and the best ones were worth."""

    action: Hashable
    worth: Worth
    best: tuple[Worth, ...]

    @property
    def cost(self) -> tuple[float, float]:
        """At least and at most; nothing where it was as good as any."""
        if self.worth in self.best:
            return 0.0, 0.0
        top = self.best[0]
        return max(0.0, top.lower - self.worth.upper), max(0.0, top.upper - self.worth.lower)


def review(fog: Fog, history: History) -> list[Judged]:
    """Every own move of a history, judged. FormError where play need never end and nothing is discounted."""
    found = []
    for step, (action, _) in enumerate(history[1:], 1):
        if action is not None:
            worths = fog.worths(fog.after(history[:step], asked=True))
            own = next(worth for worth in worths if worth.action == action)
            found.append(Judged(action, own, tuple(best(worths))))
    return found
