"""What one seat did and saw in the games of a log, in a table's numbers, common beginnings shared.

Most games of a log begin alike. Kept as one tree of beginnings, each beginning is judged once for every candidate,
and one log likelihood a node serves all the games that passed there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from fogbound.arena.log import Record
from fogbound.core.errors import FormError, brief
from fogbound.core.game import Seen
from fogbound.forms.knowledge import menu_of, outcomes_of
from fogbound.forms.product import WAIT
from fogbound.forms.table import START, Table

ROOT = -1  # the parent of a first sight
States = tuple[int, ...]


class Histories:
    """A tree of beginnings; node k was entered from `parent[k]` by doing `action[k]` and seeing `seen[k]`.

    `menu` and `place` say which choice the action was: what was offered is what the states allow that the seat could
    take for possible, whatever the others did. A history that no play of the game can give is refused.
    """

    def __init__(self, table: Table, seat: int, log: Sequence[Record]) -> None:
        self.table, self.seat = table, seat
        self.parent: list[int] = []
        self.action: list[int] = []  # label, or WAIT
        self.seen: list[int] = []
        self.menu: list[int] = []  # WAIT where the seat was not asked
        self.place: list[int] = []  # in the menu, or WAIT
        self.goes_on: list[bool] = []  # whether any game went on from here
        self._children: dict[tuple[int, Hashable, Seen], int] = {}
        self._states: list[States] = []  # what the seat could take for possible
        self._after: dict[tuple[States, int, int], States] = {}
        self._actions = {label: k for k, label in enumerate(table.actions)}
        self._sights = {sight: k for k, sight in enumerate(table.sights[seat])}
        self.end = [self._walk(number, kept) for number, kept in enumerate(log)]

    def __len__(self) -> int:
        return len(self.parent)

    def _walk(self, number: int, kept: Record) -> int:
        """The node at which a game of the log ended."""
        table = self.table
        history = kept.histories[self.seat] if len(kept.histories) == len(table.players) else None
        if history is None:
            name = table.players[self.seat]
            raise FormError(f"{table.spec}: game {number} of the log does not say what {name} saw and did")
        node = ROOT
        for action, seen in ((None, history[0]), *history[1:]):
            child = self._children.get((node, action, seen))
            if child is None:
                child = self._grow(node, action, seen)
                if child is None:
                    did = f"{brief(action)} and " if action is not None else ""
                    raise FormError(
                        f"{table.spec}: game {number} of the log is no game of it: {table.players[self.seat]} "
                        f"cannot have met {did}{brief(tuple(seen))} at that point"
                    )
                self._children[node, action, seen] = child
            node = child
        return node

    def _grow(self, node: int, action: Hashable | None, seen: Seen) -> int | None:
        """A new node, or None where the rules do not allow it."""
        sight = self._sights.get(seen)
        label = WAIT if action is None else self._actions.get(action)
        if sight is None or label is None:
            return None
        menu = place = WAIT
        if label != WAIT:
            menu = self._menu(self._states[node])
            offered = self.table.menu_labels(menu) if menu != WAIT else ()
            if action not in offered:
                return None
            place = offered.index(action)
        states = self._possible(self._states[node] if node != ROOT else None, place, sight)
        if not states:
            return None
        if node != ROOT:
            self.goes_on[node] = True
        columns = (self.parent, self.action, self.seen, self.menu, self.place, self.goes_on, self._states)
        for column, value in zip(columns, (node, label, sight, menu, place, False, states)):
            column.append(value)  # type: ignore[attr-defined]
        return len(self.parent) - 1

    def _menu(self, states: States) -> int:
        """What the seat is offered, the same in all states that ask it (games are checked for that)."""
        menus = (menu_of(self.table, state, self.seat) for state in states)
        return next((menu for menu in menus if menu is not None), WAIT)

    def _possible(self, before: States | None, place: int, sight: int) -> States:
        """The states that the seat can take for possible after a step; `before` is None at the start."""
        table = self.table
        key = (before or (), place, sight)
        found = self._after.get(key)
        if found is None:
            move = None if place == WAIT else place
            asked = [s for s in before or () if (menu_of(table, s, self.seat) is None) == (move is None)]
            outcomes = (o for s in asked for o in outcomes_of(table, s, self.seat, move))
            first = range(table.out[START], table.out[START + 1])
            seen = {int(table.next[o]) for o in (first if before is None else outcomes) if self._sight(o) == sight}
            found = self._after[key] = tuple(sorted(seen))
        return found

    def _sight(self, outcome: int) -> int:
        return int(self.table.seen[self.table.event[outcome], self.seat])
