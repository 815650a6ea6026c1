"""What a hierarchy of levels stands on: the enumerated game, level 0 of each player, the prior over lower levels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, PolicyError, SpecError, many
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


NAMES = ("uniform", "poisson", "previous")
Prior = str | tuple[float, ...]


def check_prior(prior: Prior, tau: float) -> None:
    """Whether it can be a prior at all."""
    if isinstance(prior, str) and prior not in NAMES:
        raise SpecError(f"level-k: prior is {prior!r}, expected {', '.join(NAMES)} or a list of weights, [1, 2, 1]")
    if not isinstance(prior, str):
        numbers = all(isinstance(w, int | float) and math.isfinite(w) and w >= 0 for w in prior)
        if not numbers or not prior or prior[0] <= 0:
            raise SpecError(
                f"level-k: prior is {list(prior)}, expected weights of levels 0, 1, … that are not negative, the first "
                "above 0 (level 1 has nobody else to believe in)"
            )
    if not (tau > 0 and math.isfinite(tau)):
        raise SpecError(f"level-k: tau is {tau!r}, expected a finite number above 0")


def prior_weights(prior: Prior, tau: float, level: int) -> tuple[float, ...]:
    """The weights of levels 0 to `level` - 1 in the eyes of `level`, adding up to 1.

    `poisson` is the cognitive hierarchy of Camerer, Ho and Chong (2004): a Poisson distribution of mean tau, cut off
    at one's own level. `previous` is the classical chain, in which everybody expects the level just below.
    """
    if prior == "uniform":
        raw = [1.0] * level
    elif prior == "previous":
        raw = [0.0] * (level - 1) + [1.0]
    elif prior == "poisson":
        logs = [j * math.log(tau) - math.lgamma(j + 1) for j in range(level)]
        raw = [math.exp(log - max(logs)) for log in logs]
    else:
        raw = [float(prior[j]) if j < len(prior) else 0.0 for j in range(level)]
    raw = [w / max(raw) for w in raw]  # large weights must not overflow
    total = math.fsum(raw)
    return tuple(w / total for w in raw)
