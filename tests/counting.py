"""A game without end, for whoever must be stopped while it is enumerated."""

from __future__ import annotations

from fogbound import Dist, Game, Outcome
from fogbound.core.cancel import Cancel


class Counting(Game):
    """A player counts, for ever; `cancel` is set when the thousandth number is reached."""

    players = ("counter",)

    def __init__(self, cancel: Cancel | None = None) -> None:
        self.cancel, self.last = cancel or Cancel(), 0

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return (0,)

    def actions(self, state, player):
        return ("next",)

    def step(self, state, joint):
        self.last = state + 1
        if self.last == 1_000:
            self.cancel.set()
        return Dist.sure(Outcome(self.last, (0.0,), None))
