"""What a player is owed, counted from its own last decision: how a discount survives that others move in between.

A game's step t pays discount^t. A learner that decides at some of the steps only gets at its k-th decision all that was
paid since the one before, discounted to that one, and the factor with which all that follows counts:

    return = r1 + d1 (r2 + d2 (r3 + …))

The first decision counts from the start of the game, so that this is the return that Fogbound evaluates, and what is
paid at the start, for which `reset` has no place, is part of the first reward.
"""

from __future__ import annotations


class Ledger:
    """One player's account.

    Parameters
    ----------
    discount
        The game's.
    """

    def __init__(self, discount: float) -> None:
        self.discount = discount
        self.begin()

    def begin(self) -> None:
        """A new game."""
        self._due, self._factor, self._decided = 0.0, 1.0, False

    def start(self, reward: float) -> None:
        """What is paid at the start."""
        self._due += reward

    def decide(self) -> None:
        """The player makes a decision: from here on is counted, from the start of the game if it is the first."""
        if self._decided:
            self._factor = 1.0
        self._decided = True

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
