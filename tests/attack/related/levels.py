"""Levels of reasoning: games with known alterations. Pay is real: ties go by order, and higher levels inherit them.

Adding or cloning an action is no relation here, since level 0 plays uniformly; nor is seeing more beyond level 1, where
the opponents change as well.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from fogbound import forms
from fogbound.games.random_game import RandomGame
from fogbound.solvers import make
from fogbound.transforms.wrapped import Wrapped
from tests import relations
from tests.attack.related.relation import Relation
from tests.run import solve

RELATIONS: dict[str, Relation] = {}
Values = dict[tuple[int, int], float]  # (level, player)


@dataclass(frozen=True)
class Real(Wrapped):
    """The same game with pay of its own for every state and move, so that no two replies are equally good."""

    def step(self, state, joint):
        salt = np.random.default_rng(zlib.crc32(repr((state, joint)).encode()))
        by = float(salt.normal()) / 8

        def change(outcome):
            mine, yours = outcome.rewards or (0.0, 0.0)
            return replace(outcome, rewards=(mine + by, yours - by))

        return relations.outcomes(self.game.step(state, joint), change)


def values(game: object, levels: int = 2, prior: str = "uniform") -> Values:
    solver = make(f"level-k(levels={levels}, prior={prior})")
    found = solve(solver, forms.derive(game, solver.form))
    return {(row["level"], row["player"]): row["value"] for row in found.details["levels"]}


def drawn(seed: int, discount: float = 1.0) -> Real:
    return Real(RandomGame(seed, depth=2 + seed % 2, width=2, zero_sum=True, discount=discount))


def close(one: Values, other: Values, change: Callable[[int, float], float] = lambda player, value: value) -> bool:
    """Whether the second has the first one's values, changed as they should be."""
    expected = {key: change(key[1], value) for key, value in one.items()}
    return expected.keys() == other.keys() and all(
        math.isclose(value, other[key], rel_tol=1e-9, abs_tol=1e-9) for key, value in expected.items()
    )


def alike(change: Callable) -> Relation:
    return lambda seed: close(values(drawn(seed)), values(change(drawn(seed))))


RELATIONS |= {
    f"level-k: {name}": alike(change)
    for name, change in {
        "relabelled and reordered": relations.Reordered,
        "a coin that means nothing": relations.Coin,
        "states doubled": relations.Doubled,
        "an impossible outcome listed": relations.Impossible,
        "pay deferred to the end": relations.Deferred,
    }.items()
}


def scaled(seed: int) -> bool:
    """By a power of two: to the bit."""
    game, factor = drawn(seed), 2.0 ** (seed % 21 - 10)
    return {key: value * factor for key, value in values(game).items()} == values(relations.Scaled(game, factor))


def shifted(seed: int) -> bool:
    game = drawn(seed)
    return close(
        values(game), values(relations.Shifted(game, 0.75)), lambda player, value: value + (0.75, -0.75)[player]
    )


def swapped(seed: int) -> bool:
    game = drawn(seed)
    seats = {(level, 1 - player): value for (level, player), value in values(game).items()}
    return close(seats, values(relations.Swapped(game)))


def sees_more(seed: int) -> bool:
    """Level 1 alone: it replies to a level 0 that plays at random whatever it sees."""
    game = drawn(seed)
    return values(relations.Informed(game), 1)[1, 0] >= values(game, 1)[1, 0] - 1e-9


def another_prior(seed: int) -> bool:
    """Level 1 has nobody but level 0 to believe in, whatever the prior."""
    game = drawn(seed)
    return values(game, 1) == values(game, 1, "poisson") == values(game, 1, "previous")


RELATIONS |= {
    "level-k: scaled by a power of two": scaled,
    "level-k: shifted": shifted,
    "level-k: seats swapped": swapped,
    "level-k: sees more (level 1)": sees_more,
    "level-k: any prior (level 1)": another_prior,
}
