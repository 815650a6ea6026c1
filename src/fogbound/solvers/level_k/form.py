"""What a hierarchy of levels stands on: the enumerated game, and how level 0 of each player plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, PolicyError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Mixed, Strategy
from fogbound.forms.protocol import EVERYONE, Described, Question, derive
from fogbound.forms.table import Table
from fogbound.policies.controller import Controller, controller
from fogbound.policies.uniform import Uniform


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(Described):
    """A table with level 0 of every player; value and bounds are those of `player`.

    Parameters
    ----------
    table
        The game.
    zero
        How each player plays at level 0.
    player
        Whose value and bounds are reported.
    """

    kind: ClassVar[str] = "hierarchy"
    made_from: ClassVar[str] = "table"
    against: ClassVar[str] = EVERYONE
    certified_as: ClassVar[str] = "level-k"

    table: Table = field(repr=False)
    zero: Mapping[int, Uniform | Controller] = field(repr=False)
    player: int = 0

    @property
    def spec(self) -> str:
        return self.table.spec

    @property
    def origin(self) -> Table:
        return self.table

    @property
    def players(self) -> tuple[str, ...]:
        return self.table.players

    @property
    def size(self) -> int:
        return self.table.size

    @property
    def constant_sum(self) -> None:
        """Every level answers the levels below it: nobody's loss is another's gain."""

    @property
    def largest(self) -> float:
        return self.table.largest

    def describe(self) -> str:
        return f"hierarchy of levels, {many(self.size, 'state')}"

    @classmethod
    def derive(cls, source: Table, question: Question) -> Hierarchy:
        return hierarchy(source, question.player, question.others)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that decides what the levels are, for hashing."""
        arrays = self.table.arrays()
        actions = {action: number for number, action in enumerate(self.table.actions)} | {None: -1}
        for player, policy in self.zero.items():
            if isinstance(policy, Controller):
                observations = {seen: number for number, seen in enumerate(self.table.observations[player])}
                first = [(observations.get(seen, -1), node) for seen, node in policy.first.items()]
                arrows = [
                    (n, actions.get(a, -2), observations.get(s, -1), to) for (n, a, s), to in policy.arrows.items()
                ]
                choices = [(n, actions.get(a, -2), p) for n, own in enumerate(policy.choices) for a, p in own or ()]
                arrays |= {
                    f"zero_{player}_first": np.array(first, "<i8"),
                    f"zero_{player}_arrow": np.array(arrows, "<i8"),
                    f"zero_{player}_choice": np.array([(n, a) for n, a, _ in choices], "<i8"),
                    f"zero_{player}_weight": np.array([p for _, _, p in choices], "<f8"),
                }
        return arrays


def hierarchy(game: AnyGame | Table, player: int = 0, zero: Mapping[int, Strategy] | None = None) -> Hierarchy:
    """The hierarchy of a game; level 0 of a player plays at random unless `zero` says how."""
    source = derive(game, Table)
    everyone, given = range(len(source.players)), dict(zero or {})
    wrong = [i for i in (player, *given) if i not in everyone]
    if wrong:
        raise FormError(f"{source.spec}: player {wrong[0]}, expected one from 0 to {len(everyone) - 1}")
    return Hierarchy(source, {i: _plain(source, i, given.get(i, Uniform())) for i in everyone}, player)


def _plain(source: Table, player: int, policy: Strategy) -> Uniform | Controller:
    if isinstance(policy, Mixed):
        raise PolicyError("level 0 is a mixture, expected one policy: one of its members, or its behaviour")
    return policy if isinstance(policy, Uniform | Controller) else controller(source, player, policy)
