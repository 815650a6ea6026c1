"""The enumerated game: every state, legal action and outcome as arrays, found once by calling the author.

All other forms are views of this one. States are numbered breadth first, in the order of discovery; the
labels that the author wrote (states, actions, what is seen) stand beside the arrays, so that nothing above
ever has to ask the game again.
"""

from __future__ import annotations

import gc
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import AnyGame, Seen

Ints = NDArray[np.signedinteger[Any]]
Floats = NDArray[np.float64]

MOST_STATES = 1_000_000
START = 0  # row 0 is the start distribution


@dataclass(frozen=True, eq=False)
class Table:
    """S states, R rows (joint actions), O outcomes, E events, n players. Row 0 is `start()`."""

    spec: str
    players: tuple[str, ...]
    discount: float
    crew: Ints  # [S] which set of actors moves; crew 0 = nobody = over
    crew_actors: Ints  # [C, W] their seats, padded with -1
    crew_size: Ints  # [C]
    menu: Ints  # [S, W] menu of the k-th actor, padded with -1
    menu_actions: Ints  # [M, K] action labels of a menu, padded with -1
    menu_size: Ints  # [M]
    row: Ints  # [S+1] rows of a state, joint actions in mixed radix, the last actor fastest
    out: Ints  # [R+1] outcomes of a row
    next: Ints  # [O]
    event: Ints  # [O]
    prob: Floats  # [O]
    pay: Floats  # [E, n]
    seen: Ints  # [E, n] each player's id of what it sees, dense per player
    states: list[Hashable] = field(repr=False)
    actions: list[Hashable] = field(repr=False)
    sights: tuple[list[Seen], ...] = field(repr=False)

    @property
    def size(self) -> int:
        return len(self.crew)

    def menu_labels(self, menu: int) -> tuple[Hashable, ...]:
        """The actions of a menu, as the author wrote them."""
        return tuple(self.actions[a] for a in self.menu_actions[menu, : self.menu_size[menu]])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The table in the canonical layout that certificates are hashed over and checked against."""
        ints = ("crew", "crew_actors", "menu", "menu_actions", "row", "out", "next", "event", "seen")
        plain: dict[str, NDArray[Any]] = {name: getattr(self, name).astype("<i8") for name in ints}
        plain["prob"], plain["pay"] = self.prob.astype("<f8"), self.pay.astype("<f8")
        plain["players"] = np.array([len(self.players)], "<i8")
        plain["discount"] = np.array([self.discount], "<f8")
        return plain


def table(game: AnyGame, limit: int = MOST_STATES) -> Table:
    """Enumerate `game` by calling its four methods once a state and joint action.

    Raises GameError with the state where the game breaks its contract, LimitError past `limit` states.
    """
    from fogbound.forms.table_enumeration import Enumeration

    collecting = gc.isenabled()
    gc.disable()  # millions of small live tuples: the collector would walk them all again and again
    try:
        return Enumeration(game, limit).run()
    finally:
        if collecting:
            gc.enable()
