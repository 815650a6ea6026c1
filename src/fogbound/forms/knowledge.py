"""What a player can ever know: the sets of states it cannot tell apart, whatever the others do.

A walk over sets of states, not over histories, so it also ends where play cycles. It is how a game is
checked: within such a set legal actions must agree, and pictures for the player must look alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fogbound.core.errors import GameError, brief
from fogbound.forms.table import START, Table

MOST_SETS = 20_000


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The sets of states a player may take for possible; `complete` unless the limit cut the walk short."""

    player: int
    sets: list[tuple[int, ...]] = field(repr=False)
    complete: bool
    surprised: tuple[int, int] | None  # two like states, of which only the first asks the player to move


def knowledge(game: Table, player: int, limit: int = MOST_SETS) -> Knowledge:
    """Explore what `player` may know. GameError when its legal actions depend on what it does not know."""
    return _Walk(game, player, limit).run()


class _Walk:
    def __init__(self, game: Table, player: int, limit: int) -> None:
        self.game, self.player, self.limit = game, player, limit
        self.sets: list[tuple[int, ...]] = []
        self.met: set[tuple[int, ...]] = set()
        self.surprised: tuple[int, int] | None = None

    def run(self) -> Knowledge:
        game = self.game
        self._split(range(game.out[START], game.out[START + 1]))
        for states in self.sets:  # grows while it is walked
            if len(self.sets) > self.limit:
                return Knowledge(self.player, self.sets, False, self.surprised)
            self._expand(states)
        return Knowledge(self.player, self.sets, True, self.surprised)

    def _split(self, outcomes: Iterator[int] | range) -> None:
        """Sort outcomes by what the player sees of them: each observation leaves one set of possible states."""
        game, groups = self.game, dict[int, set[int]]()
        for o in outcomes:
            groups.setdefault(int(game.seen[game.event[o], self.player]), set()).add(int(game.next[o]))
        for group in groups.values():
            states = tuple(sorted(group))
            if states not in self.met:
                self.met.add(states)
                self.sets.append(states)

    def _expand(self, states: tuple[int, ...]) -> None:
        asked, waiting = [], []
        for s in states:
            legal = legal_of(self.game, s, self.player)
            if legal is not None:
                asked.append((s, legal))
            elif self.game.actor_set[s] != 0:
                waiting.append(s)
        if asked and waiting and self.surprised is None:
            self.surprised = (asked[0][0], waiting[0])
        for s, legal in asked:
            if legal != asked[0][1]:
                raise GameError(clash(self.game, self.player, asked[0], (s, legal)))
        if asked:
            for move in range(int(self.game.legal_size[asked[0][1]])):
                self._split(o for s, _ in asked for o in outcomes_of(self.game, s, self.player, move))
        self._split(o for s in waiting for o in outcomes_of(self.game, s, self.player, None))


def legal_of(game: Table, state: int, player: int) -> int | None:
    """The menu from which `player` chooses at a state, or None where it is not asked."""
    for k, actor in enumerate(game.actor_set_players[game.actor_set[state]].tolist()):
        if actor == player:
            return int(game.legal[state, k])
    return None


def outcomes_of(game: Table, state: int, player: int, move: int | None) -> Iterator[int]:
    """Outcomes of a state in which `player` makes `move` (or none, where it is not asked) and the others anything."""
    first, last = int(game.row[state]), int(game.row[state + 1])
    stride, size = 1, 1
    if move is not None:
        actors = game.actor_set_players[game.actor_set[state], : game.actor_set_size[game.actor_set[state]]].tolist()
        mine = actors.index(player)
        size = int(game.legal_size[game.legal[state, mine]])
        for legal in game.legal[state, mine + 1 : len(actors)]:
            stride *= int(game.legal_size[legal])
    for r in range(first, last):
        if move is None or (r - first) // stride % size == move:
            yield from range(game.out[r], game.out[r + 1])


def clash(game: Table, player: int, one: tuple[int, int], other: tuple[int, int]) -> str:
    """Two (state, menu) pairs that a player cannot tell apart although its legal actions differ, in words."""
    return (
        f"{game.spec}: {game.players[player]} cannot tell state {brief(game.states[one[0]])} from "
        f"{brief(game.states[other[0]])}, but may do {brief(game.legal_labels(one[1]))} in one and "
        f"{brief(game.legal_labels(other[1]))} in the other: legal actions must follow from what the player has "
        "seen. Show it what decides them, or offer the same actions in the same order"
    )
