"""Several players who think as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from fogbound.core import Board, Dist, Drawing, Outcome, SpecError
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
