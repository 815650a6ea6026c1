"""What one player at a table knows: all that it did and saw, what follows from that by the rules, and nothing else.

A seat is told what a policy is told, observations and its own actions, and is never handed the state. So what is
shown to a person in the seat, in a terminal or on a page, cannot depend on what is hidden.

Rewards, or whose turn it was, may depend on what is hidden: `ConsistentStates` says only what is the same in every
course of the game that fits what the player did and saw. Where there are too many of these, `FittingCourse` searches
the rules depth first for one: states that a player cannot tell apart look alike to it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from fogbound.core.game import AnyGame, Observation
from fogbound.core.numerals import number
from fogbound.core.simulator import Event, RuleSimulator, steps
from fogbound.forms.decisions import History

MOST_STEPS = 20_000  # steps of the game that may be thought through after one observation
MOST_SEARCHED = 50_000  # steps of the game that one search for a fitting course may think through
MOST_STATES = 20_000


@dataclass(frozen=True)
class Deduction:
    """After one step: who moved (None: not known), and the least and the most one can have been paid by now."""

    movers: tuple[int, ...] | None
    paid: tuple[float, float] | None  # None: there are too many possibilities to think through


class ConsistentStates:
    """All courses of the game that fit what `player` did and saw, as (state, rewards so far) each once."""

    def __init__(self, game: AnyGame, player: int, most: int = MOST_STEPS) -> None:
        self.game, self.player, self.most = game, player, most
        self.simulator = RuleSimulator(game)
        self.scale = 1.0
        self.possible: dict[tuple[Any, float], None] | None = None  # in the order of the rules

    def begin(self, observation: Observation) -> Deduction:
        """Take in the first observation."""
        fits = ((state, event) for state, event, _ in self.simulator.start() if self._fits(event, observation))
        possible = dict.fromkeys((state, self._reward(event)) for state, event in fits)
        self.possible = possible if len(possible) <= MOST_STATES else None
        return Deduction((), self._paid())

    def update(self, action: Hashable | None, observation: Observation) -> Deduction:
        """Take in a step: the own action (None: not asked) and what was seen of it."""
        simulator = self.simulator
        possible: dict[tuple[Any, float], None] = {}
        movers: set[tuple[int, ...]] = set()
        count = 0
        for state, paid in self.possible or ():
            for branches in steps(simulator, state, self.player, action):
                count += 1
                fits = [(after, event) for after, event, _ in branches if self._fits(event, observation)]
                for after, event in fits:
                    possible[after, round(paid + self.scale * self._reward(event), 9)] = None
                if fits:
                    movers.add(simulator.actors(state))
            if count > self.most or len(possible) > MOST_STATES:
                possible.clear()
                break
        self.scale *= self.game.discount
        self.possible = possible or None
        return Deduction(self._movers(movers, action), self._paid())

    def _fits(self, event: Event, observation: Observation) -> bool:
        return bool(self.simulator.observed(event, self.player) == observation)

    def _reward(self, event: Event) -> float:
        return float(self.simulator.paid(event)[self.player])

    def _movers(self, movers: set[tuple[int, ...]], action: Hashable | None) -> tuple[int, ...] | None:
        """Who moved, where that is known: with two players one who has not moved knows who has."""
        if self.possible is not None:
            return next(iter(movers)) if len(movers) == 1 else None
        return (1 - self.player,) if action is None and len(self.game.players) == 2 else None

    def _paid(self) -> tuple[float, float] | None:
        paid = [paid for _, paid in self.possible or ()]
        return (min(paid), max(paid)) if paid else None


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

    def __init__(self, game: AnyGame, player: int, most: int = MOST_SEARCHED) -> None:
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

    def saw(self, game: AnyGame, player: int) -> list[str]:
        """What `player` saw, in words: what all see, and what you alone do."""
        public, private = self.seen
        told = [] if public is None else [f"all see: {game.describe_public(public)}"]
        return told if private is None else [*told, f"you see: {game.describe_private(private, player)}"]


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
    >>> seat.steps[-1].did(seat.game), seat.steps[-1].saw(seat.game, 0)
    (['you: take 1 of yours'], ['all see: the move succeeded', 'you see: a heap of 1'])
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
