"""Several players who think as one, and one player against all the others: what it can guarantee itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from fogbound.core import AnyGame, Board, Dist, Drawing, GameRecord, Outcome, SpecError
from fogbound.transforms.wrapped import Wrapped, index_of, mapped


class JointAction(tuple[Any, ...]):
    """A team's action: a plain tuple, of a class of its own so that `describe` knows it."""

    __slots__ = ()


@dataclass(frozen=True)
class Team(Wrapped):
    """`members` become one player who sees all that they see, moves for them and is paid their sum.

    The team takes the place of its first member; the others keep their order. Its action is a tuple
    with a part for each member, None for those who do not act. Which members act must follow from what the
    team knows, since its legal actions depend on it.

    Parameters
    ----------
    game
        The game.
    members
        Players by index or name, in increasing order.
    called
        The team's name.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.game("team(king-ace, [first, second])").players
    ('team',)
    """

    members: tuple[int, ...]
    called: str = "team"
    name = "team"
    record = GameRecord("{game.title} with a team")

    def __post_init__(self) -> None:
        super().__post_init__()
        players = len(self.game.players)
        object.__setattr__(self, "members", tuple(index_of(self.game, member) for member in self.members))
        if not self.members or [p for p in range(players) if p in self.members] != list(self.members):
            found = ", ".join(map(str, self.members)) or "nobody"
            listed = ", ".join(f"{i} ({name})" for i, name in enumerate(self.game.players))
            raise SpecError(f"team: members is {found}, expected some of {listed}, in this order")
        names = [self.called if p in self.members else self.game.players[p] for p in self.represented]
        object.__setattr__(self, "players", tuple(names))

    @property
    def team(self) -> int:
        """The team's player."""
        return self.members[0]

    @cached_property
    def represented(self) -> tuple[int, ...]:
        """The game's own number of each player (the first member, for the team)."""
        later = self.members[1:]
        return tuple(player for player in range(len(self.game.players)) if player not in later)

    def start(self) -> Dist[Outcome[Any]]:
        return mapped(self.game.start(), self._outcome)

    def actors(self, state: Any) -> tuple[int, ...]:
        first = self.members[0]
        actor_set = {first if p in self.members else p for p in self.game.actors(state)}
        return tuple(player for player, p in enumerate(self.represented) if p in actor_set)

    def actions(self, state: Any, player: int) -> Sequence[Any]:
        if player != self.team:
            return self.game.actions(state, self.represented[player])
        movers = self.game.actors(state)
        legal_sets = (self.game.actions(state, member) if member in movers else (None,) for member in self.members)
        return tuple(JointAction(choice) for choice in product(*legal_sets))

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        chosen: dict[int, Any] = {}
        for player, action in zip(self.actors(state), joint, strict=True):
            if player == self.team:
                chosen.update(zip(self.members, action, strict=True))
            else:
                chosen[self.represented[player]] = action
        ordered = tuple(chosen[player] for player in self.game.actors(state))
        return mapped(self.game.step(state, ordered), self._outcome)

    def _outcome(self, outcome: Outcome[Any]) -> Outcome[Any]:
        rewards, private = outcome.rewards, outcome.private
        if rewards:
            total = sum(rewards[member] for member in self.members)
            rewards = tuple(total if p in self.members else rewards[p] for p in self.represented)
        if private:
            observations: Any = tuple(private[member] for member in self.members)
            observations = (
                None if all(observation is None for observation in observations) else observations
            )  # as where private is ()
            private = tuple(observations if p in self.members else private[p] for p in self.represented)
        return Outcome(outcome.state, rewards, outcome.public, private)

    def describe(self, action: Any) -> str:
        if not isinstance(action, JointAction):
            return self.game.describe(action)
        return " + ".join("–" if part is None else self.game.describe(part) for part in action)

    def describe_private(self, seen: Any, player: int) -> str:
        if player != self.team:
            return self.game.describe_private(seen, self.represented[player])
        told = [(member, part) for member, part in zip(self.members, seen) if part is not None]
        names = self.game.player_titles
        return "; ".join(f"{names[member]}: {self.game.describe_private(part, member)}" for member, part in told)

    def board(self, state: Any, player: int | None = None) -> Board | None:
        if player is None or player != self.team:
            return self.game.board(state, player if player is None else self.represented[player])
        boards = [self.game.board(state, member) for member in self.members]
        return _stacked(list(dict.fromkeys(board for board in boards if board)))

    def hidden_words(self, state: Any, player: int) -> str:
        return "" if player == self.team else self.game.hidden_words(state, self.represented[player])

    def draw(self, state: Any, player: int | None = None, belief: Dist[Any] | None = None) -> Drawing:
        if player is None or player != self.team:
            return self.game.draw(state, player if player is None else self.represented[player], belief)
        return super(Wrapped, self).draw(state, player, belief)


def _stacked(boards: list[Board]) -> Board | None:
    """Boards one under the other; one alone as it is."""
    if len(boards) < 2:
        return boards[0] if boards else None
    rows = tuple(row for board in boards for row in board.rows)
    labels = tuple((*b.labels, *[""] * len(b.rows))[r] for b in boards for r in range(len(b.rows)))
    captions = dict.fromkeys(board.caption for board in boards if board.caption)
    return Board(rows, "\n".join(captions), labels if any(labels) else ())


@dataclass(frozen=True)
class Opposed(Wrapped):
    """A zero-sum game of two whose value is the maxmin of `player`: what it can have whatever the others do.

    Several others become one, who sees all that they see and so can do more than they could: then the value is a lower
    bound on what `player` can guarantee itself.

    Parameters
    ----------
    game
        The game, of two players or more.
    player
        The one who is opposed.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.game("opposed(game=card-poker(ranks=3), player=1)").players
    ('gambler', 'dealer')
    """

    player: int = 0
    name = "opposed"
    record = GameRecord("{game.title}, all against one")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.game.players) < 2 or self.player not in range(len(self.game.players)):
            players = len(self.game.players)
            raise SpecError(f"opposed: player {self.player} of {players}, expected one of two or more, counted from 0")
        object.__setattr__(self, "players", self.inner.players)

    @cached_property
    def inner(self) -> AnyGame:
        """The game of two, in which the others are one."""
        others = tuple(p for p in range(len(self.game.players)) if p != self.player)
        return self.game if len(others) == 1 else Team(self.game, others, "others")

    @cached_property
    def place(self) -> int:
        """Where `player` is among the two."""
        return min(self.player, 1)

    def start(self) -> Dist[Outcome[Any]]:
        return mapped(self.inner.start(), self._outcome)

    def actors(self, state: Any) -> tuple[int, ...]:
        return self.inner.actors(state)

    def actions(self, state: Any, player: int) -> Any:
        return self.inner.actions(state, player)

    def step(self, state: Any, joint: tuple[Any, ...]) -> Dist[Outcome[Any]]:
        return mapped(self.inner.step(state, joint), self._outcome)

    def describe(self, action: Any) -> str:
        return self.inner.describe(action)

    def describe_private(self, seen: Any, player: int) -> str:
        return self.inner.describe_private(seen, player)

    def _outcome(self, outcome: Outcome[Any]) -> Outcome[Any]:
        if not outcome.rewards:
            return outcome
        own = outcome.rewards[self.place]
        rewards = (own, -own) if self.place == 0 else (-own, own)
        return Outcome(outcome.state, rewards, outcome.public, outcome.private)
