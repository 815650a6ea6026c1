"""What a ladder of levels stands on: the enumerated game, and how level 0 of each seat plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, PolicyError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Mixed, Player
from fogbound.forms.table import Table, table
from fogbound.policies.controller import Controller
from fogbound.policies.convert import controller
from fogbound.policies.uniform import Uniform


@dataclass(frozen=True, eq=False)
class Ladder:
    """A table with level 0 of every seat; value and bounds are those of `player`."""

    table: Table = field(repr=False)
    zero: Mapping[int, Uniform | Controller] = field(repr=False)
    player: int = 0

    @property
    def spec(self) -> str:
        return self.table.spec

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that decides what the levels are, for hashing."""
        found = self.table.arrays()
        actions = {action: number for number, action in enumerate(self.table.actions)} | {None: -1}
        for seat, policy in self.zero.items():
            if isinstance(policy, Controller):
                sights = {seen: number for number, seen in enumerate(self.table.sights[seat])}
                first = [(sights.get(seen, -1), node) for seen, node in policy.first.items()]
                arrows = [(n, actions.get(a, -2), sights.get(s, -1), to) for (n, a, s), to in policy.arrows.items()]
                choices = [(n, actions.get(a, -2), p) for n, own in enumerate(policy.choices) for a, p in own or ()]
                found |= {
                    f"zero_{seat}_first": np.array(first, "<i8"),
                    f"zero_{seat}_arrow": np.array(arrows, "<i8"),
                    f"zero_{seat}_choice": np.array([(n, a) for n, a, _ in choices], "<i8"),
                    f"zero_{seat}_weight": np.array([p for _, _, p in choices], "<f8"),
                }
        return found


def ladder(game: AnyGame | Table, player: int = 0, zero: Mapping[int, Player] | None = None) -> Ladder:
    """The ladder of a game; level 0 of a seat plays at random unless `zero` says how."""
    source = game if isinstance(game, Table) else table(game)
    seats, given = range(len(source.players)), dict(zero or {})
    wrong = [seat for seat in (player, *given) if seat not in seats]
    if wrong:
        raise FormError(f"{source.spec}: seat {wrong[0]}, expected one from 0 to {len(seats) - 1}")
    return Ladder(source, {seat: _plain(source, seat, given.get(seat, Uniform())) for seat in seats}, player)


def _plain(source: Table, seat: int, policy: Player) -> Uniform | Controller:
    if isinstance(policy, Mixed):
        raise PolicyError("level 0 is a mixture, expected one policy: one of its members, or its behaviour")
    return policy if isinstance(policy, Uniform | Controller) else controller(source, seat, policy)
