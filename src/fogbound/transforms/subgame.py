"""A game begun in the middle: at any state, or after a history that everybody who still moves knows (a subgame)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from fogbound.core import AnyGame, Dist, GameError, GameRecord, Outcome, SpecError
from fogbound.core.errors import brief
from fogbound.transforms.wrapped import Wrapped


@dataclass(frozen=True)
class StartAt(Wrapped):
    """The same game from `state`. The first step pays undiscounted.

    Parameters
    ----------
    game
        The game.
    state
        One state, or a `Dist` over states or outcomes. A plain state shows the players nothing (public None): they
        know the distribution, as they know the rules. To tell them more, give outcomes with what each player sees.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.transforms.subgame import StartAt
    >>> fb.forms.table(StartAt(fb.game("tic-tac-toe"), "xoxoxo...")).size < 100
    True
    """

    state: Any
    name = "start-at"
    record = GameRecord("{game.title} from a given position")

    def __post_init__(self) -> None:
        super().__post_init__()
        fault = self.state.fault() if isinstance(self.state, Dist) else None
        if fault:
            raise GameError(f"start-at: the start has {fault}")

    def start(self) -> Dist[Outcome[Any]]:
        if not isinstance(self.state, Dist):
            return Dist.sure(_shown(self.state))
        return Dist(tuple((_shown(value), p) for value, p in self.state))

    def canonical(self, state: Any) -> Any:
        return self.game.canonical(state)


def _shown(value: Any) -> Outcome[Any]:
    """An outcome as it is; a bare state as an outcome that shows nothing."""
    return value if isinstance(value, Outcome) else Outcome(value)


MOST = 1_000_000  # states and histories that are looked at


class Taken(NamedTuple):
    """One step of a history: who moved and what they did, and what came of it."""

    moved: dict[int, Any]
    outcome: Outcome[Any]


@dataclass(frozen=True)
class ProperSubgame(Wrapped):
    """The same game from where `history` leads, as a game of its own (Selten 1965).

    It begins with nothing to be seen, and its first step pays undiscounted; what was paid before is not paid again.
    Only a *proper* subgame is one: a player who may still move and cannot tell this history from another is named.

    Parameters
    ----------
    game
        The game.
    history
        What was done, step by step: an action, or a list of actions where several move at once. Where chance has
        several outcomes, also at the start, its number among them follows, from 0 on.

    Raises
    ------
    SpecError
        The history cannot happen: the step, and what could be done there.
    GameError
        The game is over there, or a player does not know the history, so that no subgame begins.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.game("subgame(game=tic-tac-toe, history=[a1, b2])").start().pairs[0][0].state
    ('x', '', '', '', 'o', '', '', '', '')
    """

    history: tuple[Any, ...] = ()
    name = "subgame"
    record = GameRecord("Subgame of {game.title}")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.history, tuple | list):
            raise SpecError(f"subgame: history is {brief(self.history)}, expected a list of actions")
        object.__setattr__(self, "history", _frozen(self.history))
        state = self.taken[-1].outcome.state
        if not self.game.actors(state):
            raise GameError(f"subgame: {self.game} is over after {brief(self.history)}: no subgame begins there")
        for player in sorted(_movers(self.game, state)):
            others = _alike(self.game, self.taken, player) - 1
            if others:
                raise GameError(
                    f"subgame: after {brief(self.history)} {self.players[player]} cannot tell this from "
                    f"{others:,} other histories of {self.game}, so no subgame begins there"
                )

    @cached_property
    def taken(self) -> tuple[Taken, ...]:
        """The history, step by step; the start is the first."""
        return tuple(_replayed(self.game, list(self.history)))

    def start(self) -> Dist[Outcome[Any]]:
        return Dist.sure(Outcome(self.taken[-1].outcome.state))

    def canonical(self, state: Any) -> Any:
        return self.game.canonical(state)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _replayed(game: AnyGame, history: list[Any]) -> Iterator[Taken]:
    """What happens along a history; each step uses up its words."""
    outcome = _drawn(game, game.start(), history, "the start")
    yield Taken({}, outcome)
    while history:
        actors = game.actors(outcome.state)
        if not actors:
            raise SpecError(f"subgame: {game} is over before {brief(history[0])}")
        word = history.pop(0)
        words = word if isinstance(word, tuple) and len(actors) > 1 else (word,)
        if len(words) != len(actors):
            raise SpecError(
                f"subgame: {len(actors)} players move at once, found {brief(word)}: a list of their actions"
            )
        joint = tuple(_action(game, outcome.state, player, one) for player, one in zip(actors, words))
        outcome = _drawn(game, game.step(outcome.state, joint), history, brief(word))
        yield Taken(dict(zip(actors, joint)), outcome)


def _action(game: AnyGame, state: Any, player: int, word: Any) -> Any:
    """The legal action that a word names: itself, or as it is printed or described."""
    legal: Sequence[Any] = game.actions(state, player)
    named = [a for a in legal if a == word] or [a for a in legal if str(word) in (str(a), game.describe(a))]
    if len(named) != 1:
        listed = ", ".join(map(game.describe, legal))
        raise SpecError(f"subgame: {game.players[player]} cannot do {brief(word)}, expected one of {listed}")
    return named[0]


def _drawn(game: AnyGame, outcomes: Dist[Outcome[Any]], history: list[Any], after: str) -> Outcome[Any]:
    """The only outcome, or the one whose number is the next word."""
    possible = [outcome for outcome, p in outcomes if p > 0]
    if len(possible) == 1:
        return possible[0]
    number = history.pop(0) if history else None
    if type(number) is not int or not 0 <= number < len(possible):
        found = "nothing" if number is None else brief(number)
        raise SpecError(
            f"subgame: after {after} chance has {len(possible)} outcomes in {game}, found {found}: which, by its "
            f"number from 0 to {len(possible) - 1}"
        )
    return possible[number]


def _movers(game: AnyGame, first: Any) -> set[int]:
    """Who may still move from a state on."""
    seen, left, found = {first}, [first], set[int]()
    while left and len(found) < len(game.players):
        state = left.pop()
        actors = game.actors(state)
        found.update(actors)
        for joint in product(*(game.actions(state, player) for player in actors)) if actors else ():
            for outcome, p in game.step(state, joint):
                if p > 0 and outcome.state not in seen:
                    seen.add(outcome.state)
                    left.append(outcome.state)
        if len(seen) > MOST:
            return set(range(len(game.players)))
    return found


def _alike(game: AnyGame, taken: Sequence[Taken], player: int) -> int:
    """How many histories, this one among them, show a player what this one does."""

    def shown(outcomes: Dist[Outcome[Any]], like: Outcome[Any]) -> Iterator[Any]:
        seen = like.observation(player)
        return (outcome.state for outcome, p in outcomes if p > 0 and outcome.observation(player) == seen)

    counts: dict[Any, int] = {}
    for state in shown(game.start(), taken[0].outcome):
        counts[state] = counts.get(state, 0) + 1
    for step in taken[1:]:
        after: dict[Any, int] = {}
        for state, many in counts.items():
            actors = game.actors(state)
            if (player in actors) != (player in step.moved) or not actors:
                continue
            choices = [(step.moved[player],) if actor == player else game.actions(state, actor) for actor in actors]
            if player in actors and step.moved[player] not in game.actions(state, player):
                continue
            for joint in product(*choices):
                for following in shown(game.step(state, joint), step.outcome):
                    after[following] = after.get(following, 0) + many
        counts = after
        if len(counts) > MOST:
            raise GameError(f"subgame: over {MOST:,} states look alike to {game.players[player]}: too many to tell")
    return sum(counts.values())
