"""What one player at a table knows: all that it did and saw, what follows from that by the rules, and nothing else.

A seat is told what a policy is told, observations and its own actions, and is never handed the state. So whatever is
shown to whoever sits there, in a terminal or on a page, cannot depend on what is hidden.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from fogbound.core.game import AnyGame, Observation
from fogbound.core.numerals import number
from fogbound.inference.consistent_states import ConsistentStates
from fogbound.inference.fitting_course import FittingCourse


@dataclass(frozen=True)
class SeatStep:
    """One step as its player lived it.

    Attributes
    ----------
    action
        What it did itself; None where it was not asked.
    others
        Who else moved; None where that cannot be known.
    seen
        What it saw.
    paid
        The least and the most that it can have been paid by now; None where there are too many possibilities.
    """

    action: Hashable | None
    others: tuple[int, ...] | None
    seen: Observation
    paid: tuple[float, float] | None

    def did(self, game: AnyGame) -> list[str]:
        """Who moved, in words: you with your action, the others by name."""
        parts = [f"you: {game.describe(self.action)}"] if self.action is not None else []
        if self.others:
            parts.append(f"{' and '.join(game.players[i] for i in self.others)} moved")
        elif self.others is None and self.action is None:
            parts.append("somebody moved")
        return parts

    def saw(self) -> list[str]:
        """What was seen, in words: what all see, and what you alone do."""
        parts = (("all see", self.seen.public), ("you see", self.seen.private))
        return [f"{who}: {part}" for who, part in parts if part is not None]


class Seat:
    """A player's history, and what follows from it.

    Parameters
    ----------
    game
        The rules.
    player
        Who sits here.

    Examples
    --------
    >>> import fogbound as fb
    >>> seat = Seat(fb.game("po-nim(n=2)"), 0)
    >>> seat.begin(fb.Observation(None, 2))
    >>> seat.update(("own", 1), fb.Observation("succeeded", 1))
    >>> seat.steps[-1].did(seat.game), seat.steps[-1].saw()
    (['you: take 1 of yours'], ['all see: succeeded', 'you see: 1'])
    >>> seat.representative(asked=False)
    (1, 2, 1)
    """

    def __init__(self, game: AnyGame, player: int) -> None:
        self.game, self.player = game, player
        self.history: list[Any] = []  # the first observation, then (own action or None, observation)
        self.steps: list[SeatStep] = []
        self._consistent = ConsistentStates(game, player)
        self._course = FittingCourse(game, player)

    def begin(self, observation: Observation) -> None:
        """Take in what is seen at first."""
        self.history.append(observation)
        self.steps.append(SeatStep(None, (), observation, self._consistent.begin(observation).paid))

    def update(self, action: Hashable | None, observation: Observation) -> None:
        """Take in a step: the own action (None: not asked) and what was seen of it."""
        self.history.append((action, observation))
        follows = self._consistent.update(action, observation)
        others = None if follows.movers is None else tuple(i for i in follows.movers if i != self.player)
        self.steps.append(SeatStep(action, others, observation, follows.paid))

    def until(self, step: int) -> Seat:
        """The same seat as it was after `step` steps."""
        before = Seat(self.game, self.player)
        before.begin(self.history[0])
        for action, observation in self.history[1 : step + 1]:
            before.update(action, observation)
        return before

    def representative(self, asked: bool) -> Any | None:
        """A state that fits all that was done and seen, and whether a move is asked for now; None where none is found.

        It follows from the history alone: of all that fit, the first that the rules list.
        """
        possible = self._consistent.possible
        if possible is None:
            return self._course.last(tuple(self.history), asked)
        actors = self.game.actors
        return next((state for state, _ in possible if (self.player in actors(state)) == asked), None)


def paid_in_words(paid: tuple[float, float] | None) -> str:
    """What one was paid, as far as one can know: a number, a range, or that it is said later."""
    if paid is None:
        return "told at the end"
    low, high = paid
    return number(low, 6) if high - low < 1e-9 else f"from {number(low, 6)} to {number(high, 6)}, you cannot know"
