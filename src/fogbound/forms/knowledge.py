"""What a player can ever know: the sets of states it cannot tell apart, whatever the others do.

A walk over sets of states, not over histories, so it also ends where play cycles. It is how a game is
checked: within such a set legal actions must agree, and pictures for the player must look alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from fogbound.core.cancel import check
from fogbound.core.errors import GameError, brief
from fogbound.core.game import AnyGame
from fogbound.core.simulator import by_observation, legal_for, successors
from fogbound.forms.protocol import Form, derive
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import TableSimulator

MOST_SETS = 20_000

Seen = dict[int, dict[int, None]]  # by observation, the states that it may come with


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The sets of states a player may take for possible; `complete` unless the limit cut the walk short.

    Attributes
    ----------
    player
        Whose knowledge it is.
    sets
        The sets, each of table states.
    complete
        Whether these are all; else the limit cut the walk short.
    surprised
        Two like states, of which only the first asks the player to move.
    """

    player: int
    sets: list[tuple[int, ...]] = field(repr=False)
    complete: bool
    surprised: tuple[int, int] | None


def knowledge(game: AnyGame | Form, player: int, limit: int = MOST_SETS) -> Knowledge:
    """Explore what `player` may know: the sets of states that it cannot tell apart, whatever the others do.

    Parameters
    ----------
    game
        The game, or a form of it.
    player
        By index.
    limit
        How many sets are explored; the answer says whether these were all.

    Returns
    -------
    Knowledge

    Raises
    ------
    GameError
        The player's legal actions depend on what it does not know; two such states are named.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> known = forms.knowledge(forms.table(games.make("king-ace")), 0)
    >>> known.complete, max(map(len, known.sets))
    (True, 2)
    """
    return _Walk(derive(game, Table), player, limit).run()


class _Walk:
    def __init__(self, game: Table, player: int, limit: int) -> None:
        self.game, self.player, self.limit = game, player, limit
        self.simulator = TableSimulator(game)
        self.sets: list[tuple[int, ...]] = []
        self.met: set[tuple[int, ...]] = set()
        self.after: dict[tuple[int, Hashable | None], Seen] = {}  # of a state and an action; several sets hold a state
        self.surprised: tuple[int, int] | None = None

    def run(self) -> Knowledge:
        self._split([by_observation(self.simulator, self.player, self.simulator.start())])
        for states in self.sets:  # grows while it is walked
            if len(self.sets) > self.limit:
                return Knowledge(self.player, self.sets, False, self.surprised)
            self._expand(states)
        return Knowledge(self.player, self.sets, True, self.surprised)

    def _split(self, ways: Iterable[Seen]) -> None:
        """Sort outcomes by what the player sees of them: each observation leaves one set of possible states."""
        check()
        groups: dict[int, set[int]] = {}
        for way in ways:
            for seen, follow in way.items():
                groups.setdefault(seen, set()).update(follow)
        for group in groups.values():
            states = tuple(sorted(group))
            if states not in self.met:
                self.met.add(states)
                self.sets.append(states)

    def _after(self, state: int, action: Hashable | None) -> Seen:
        """The states that may follow, by what the player sees."""
        found = self.after.get((state, action))
        if found is None:
            branches = successors(self.simulator, (state,), self.player, action)
            found = self.after[state, action] = by_observation(self.simulator, self.player, branches)
        return found

    def _expand(self, states: tuple[int, ...]) -> None:
        simulator, player = self.simulator, self.player
        asked = [(state, legal) for state in states if (legal := legal_for(simulator, state, player)) is not None]
        waiting = [state for state in states if simulator.actors(state) and player not in simulator.actors(state)]
        if asked and waiting and self.surprised is None:
            self.surprised = (asked[0][0], waiting[0])
        for state, legal in asked:
            if legal != asked[0][1]:
                raise GameError(clash(self.game, player, asked[0], (state, legal)))
        for action in simulator.legal_labels(asked[0][1]) if asked else ():
            self._split(self._after(state, action) for state, _ in asked)
        self._split(self._after(state, None) for state in waiting)


def clash(game: Table, player: int, one: tuple[int, int], other: tuple[int, int]) -> str:
    """Two (state, legal) pairs that a player cannot tell apart although its legal actions differ, in words."""
    return (
        f"{game.spec}: {game.players[player]} cannot tell state {brief(game.states[one[0]])} from "
        f"{brief(game.states[other[0]])}, but may do {brief(game.legal_labels(one[1]))} in one and "
        f"{brief(game.legal_labels(other[1]))} in the other: legal actions must follow from what the player has "
        "seen. Show it what decides them, or offer the same actions in the same order"
    )
