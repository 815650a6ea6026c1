"""What a player is owed, counted from its own last decision: how a discount survives that others move in between.

A game's step t pays discount^t. A learner that decides at some of the steps only gets, whenever it is asked or it is
over, all that was paid since its last decision, discounted to that decision, and the factor with which all that follows
counts:

    return = r1 + d1 (r2 + d2 (r3 + …))

That is the return which Fogbound evaluates. In an environment whose `reset` has no reward, nothing can be told before
the first decision: then the first one counts from the start of the game, and what was paid by then is part of r1.
"""

from __future__ import annotations


class Ledger:
    """One player's account.

    Parameters
    ----------
    discount
        The game's.
    told_at_first
        Whether the player is told what it was paid, and how much the rest counts, before its first decision.
    """

    def __init__(self, discount: float, told_at_first: bool) -> None:
        self.discount, self.told_at_first = discount, told_at_first
        self.begin(0.0)

    def begin(self, reward: float) -> None:
        """A new game, which pays so much at its start."""
        self._due, self._factor, self._counts = reward, 1.0, self.told_at_first

    def decide(self) -> None:
        """The player makes a decision: from here on is counted."""
        if self._counts:
            self._factor = 1.0
        self._counts = True

    def step(self, reward: float) -> None:
        """A step of the game has paid so much."""
        self._due += self._factor * reward
        self._factor *= self.discount

    def collect(self) -> float:
        """What is due, once."""
        due, self._due = self._due, 0.0
        return due

    @property
    def factor(self) -> float:
        """How much what follows counts, seen from the last decision."""
        return self._factor
