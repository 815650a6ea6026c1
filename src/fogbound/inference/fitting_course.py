"""One course of the game that fits what a player did and saw, found by searching the rules depth first.

Where too many states may be true to keep them all, one that fits is still enough to draw what the player sees: states
that a player cannot tell apart look alike to it. The search follows the order of the rules, never the truth.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from fogbound.core.game import AnyGame
from fogbound.core.simulator import RuleSimulator, steps
from fogbound.forms.decisions import History

MOST_STEPS = 50_000  # of the game, that one search may think through


class FittingCourse:
    """The course that was found last, led on from where it still fits.

    Parameters
    ----------
    game
        The rules.
    player
        Whose history it must fit.
    most
        How many steps of the game one search may think through.
    """

    def __init__(self, game: AnyGame, player: int, most: int = MOST_STEPS) -> None:
        self.simulator, self.player, self.most = RuleSimulator(game), player, most
        self.course: list[Any] = []  # a state after each entry of the history

    def last(self, history: History, asked: bool) -> Any | None:
        """The state in which the course ends; None where none was found.

        Parameters
        ----------
        history
            The first observation, then (own action or None, observation).
        asked
            Whether the player is asked to move in the end.
        """
        kept, back = min(len(self.course), len(history)), 0
        while True:  # go on from the course that fitted before, then from ever earlier
            depth = max(0, kept - back)
            found = self._search(history, self.course[:depth], asked)
            if found is not None:
                self.course = found
                return found[-1]
            if depth == 0:
                self.course = []
                return None
            back = 2 * back + 1

    def _search(self, history: History, course: list[Any], asked: bool) -> list[Any] | None:
        """A course that begins with `course`."""
        seen: set[tuple[int, Hashable]] = set()  # (depth, state) that were tried already
        if len(course) == len(history):
            return course if self._asks(course[-1]) == asked else None
        self._left = self.most
        stack = [self._after(history, course)]
        while stack:
            state = next(stack[-1], None)
            if state is None:
                stack.pop()
                course = course[: max(0, len(course) - 1)] if stack else course
                continue
            depth = len(course)
            if (depth, state) in seen:
                continue
            seen.add((depth, state))
            if depth + 1 == len(history):
                if self._asks(state) == asked:
                    return [*course, state]
                continue
            course = [*course, state]
            stack.append(self._after(history, course))
        return None

    def _asks(self, state: Any) -> bool:
        return self.player in self.simulator.actors(state)

    def _after(self, history: History, course: list[Any]) -> Iterator[Any]:
        """The states that may come next, as the rules list them."""
        simulator, player = self.simulator, self.player
        if not course:
            branches = [simulator.start()]
            action, observation = None, history[0]
        else:
            action, observation = history[len(course)]
            branches = steps(simulator, course[-1], player, action)  # type: ignore[assignment]
        for listed in branches:
            if self._left <= 0:
                return
            self._left -= 1
            for state, event, _ in listed:
                if simulator.observed(event, player) == observation:
                    yield state
