"""What one player faces when the others' policies are fixed: a partially observable decision process.

One step of the POMDP is one step of the game. In a step in which the player is not asked to move it has a
single action, to wait; so discounts need no care, and nothing is lost, since every step is seen anyway.
Whether one is asked, and from which menu, is itself a sight, so it is part of the observation: after any
history either every possible state asks for the same menu, or none asks.

Oliehoek, Spaan and Vlassis (2005), section 4, with one opponent policy; Rosello, "Fully-nested interactive
POMDPs" (section III), with a mixture of controllers.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame, Seen
from fogbound.core.policy import Player
from fogbound.forms.modelled import Modelled
from fogbound.forms.product import MOST_POINTS, WAIT, Product, product
from fogbound.forms.table import Floats, Ints, Table, table
from fogbound.forms.view import NOT_ASKED, OVER
from fogbound.forms.view import menus as own_menus


@dataclass(frozen=True, eq=False)
class POMDP:
    """S states, R rows (state, action), O outcomes, Z observations. Row 0 is the start."""

    spec: str
    discount: float
    row: Ints  # [S+1] rows of a state; none = the game is over there
    action: Ints  # [R] label of the row's action; WAIT = not my move
    out: Ints  # [R+1]
    next: Ints  # [O]
    obs: Ints  # [O]
    prob: Floats  # [O]
    reward: Floats  # [R] expected reward of the row; row 0: what is paid before the first step
    actions: list[Hashable] = field(repr=False)
    observations: list[tuple[Seen, int]] = field(repr=False)  # (what I see, my menu then or NOT_ASKED, OVER)
    menus: tuple[tuple[Hashable, ...], ...] = field(repr=False)
    me: int = 0
    product: Product | None = field(default=None, repr=False)  # where it came from, when from a game
    names: tuple[Hashable, ...] = field(default=(), repr=False)  # of the states, when from a model file

    @property
    def size(self) -> int:
        return len(self.row) - 1

    @property
    def player(self) -> int:
        """The seat that it is about."""
        return self.me

    @cached_property
    def ends(self) -> bool:
        """Whether play surely ends within a bounded number of steps, whatever is done."""
        from fogbound.kernels.unroll import order_states

        order, work = np.empty(self.size, np.int32), [np.zeros(self.size, np.int32) for _ in range(3)]
        return bool(order_states(self.row, self.out, self.next, order, *work) < 0)

    def label(self, state: int) -> Any:
        """The game's state; with fixed players, (the game's state, (type, memory) of each of them)."""
        if self.product is None:
            return self.names[state] if self.names else state
        point = self.product.point[state]
        others = [self.product.seats[i].memories[m] for i, m in enumerate(point[1:].tolist()) if m >= 0]
        own = self.product.table.states[point[0]]
        return (own, *others) if others else own

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The POMDP in the canonical layout that certificates are hashed over."""
        plain: dict[str, NDArray[Any]] = {
            name: getattr(self, name).astype("<i8") for name in ("row", "action", "out", "next", "obs")
        }
        plain["prob"], plain["reward"] = self.prob.astype("<f8"), self.reward.astype("<f8")
        plain["discount"] = np.array([self.discount], "<f8")
        return plain


def pomdp(
    source: AnyGame | Table, me: int = 0, others: Mapping[int, Player] | None = None, limit: int = MOST_POINTS
) -> POMDP:
    """The POMDP of player `me` when the others play `others` (policies or mixtures, by seat)."""
    if isinstance(source, Modelled):
        return source.form
    game = source if isinstance(source, Table) else table(source)
    if not 0 <= me < len(game.players):
        raise FormError(f"{game.spec}: player {me}, expected a seat from 0 to {len(game.players) - 1}")
    fixed = dict(others or {})
    missing = [i for i in range(len(game.players)) if i != me and i not in fixed]
    if missing or me in fixed:
        seat = missing[0] if missing else me
        wrong = "has no policy" if missing else "is the player itself"
        raise FormError(f"{game.spec}: seat {seat} ({game.players[seat]}) {wrong}; give a policy for each other player")
    paired = product(game, fixed, limit)
    menus = own_menus(game, me)[paired.point[:, 0]]
    obs, observations = _observations(game, me, paired, menus)
    return POMDP(
        spec=game.spec,
        discount=game.discount,
        row=paired.row,
        action=paired.action,
        out=paired.out,
        next=paired.next,
        obs=obs,
        prob=paired.prob,
        reward=np.ascontiguousarray(paired.pay[:, me]),
        actions=game.actions,
        observations=observations,
        menus=tuple(game.menu_labels(m) for m in range(len(game.menu_size))),
        me=me,
        product=paired,
    )


def _observations(
    game: Table, me: int, paired: Product, menus: NDArray[np.int64]
) -> tuple[Ints, list[tuple[Seen, int]]]:
    """Number the pairs (sight, menu of the state arrived at)."""
    spread = len(game.menu_size) + 2
    keys = paired.seen.astype(np.int64) * spread + menus[paired.next] + 2
    kept, obs = np.unique(keys, return_inverse=True)
    labels = [(game.sights[me][int(k // spread)], int(k % spread) - 2) for k in kept]
    return obs.astype(np.int32), labels


__all__ = ["NOT_ASKED", "OVER", "POMDP", "WAIT", "pomdp"]
