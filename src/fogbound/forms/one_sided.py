"""Games in which one of two players sees nothing and the other everything: what can be guaranteed in the fog.

The blind player knows its own actions and observations; the seeing player knows the state, and all that the blind
one does and sees. One's gain is the other's loss. Whatever the blind player always knows is no part of its belief:
states are cut into partitions, and a slot (partition, action) with an observation leads to one partition.

Horak, Bosansky and Pechoucek (2017); Horak, Bosansky, Kovarik and Kiekintveld (2023).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame, Seen
from fogbound.forms.one_sided_ending import require_ending
from fogbound.forms.one_sided_granted import granted
from fogbound.forms.one_sided_joint import Joint, joint
from fogbound.forms.one_sided_known import Known, known
from fogbound.forms.one_sided_layout import offsets, spread
from fogbound.forms.one_sided_tabled import tabled_branches
from fogbound.forms.product import WAIT
from fogbound.forms.table import MOST_STATES, Floats, Ints, Table, table

INTS = ("first", "row", "seeing", "slot", "action", "branch", "obs", "target", "entry", "source", "to", "pay")
FLOATS = ("prob", "reward", "start")


@dataclass(frozen=True, eq=False)
class OneSided:
    """S running states in P partitions (what the blind player always knows), numbered partition by partition.

    K rows (state, the seeing player's action), J slots (partition, the blind player's action), B branches, E entries.
    States in which play is over are left out: what leads there leaves the game, so entries of a slot and a row may
    sum to less than 1. Values are the blind player's, who maximises: `paid`, and what the partitions of `start` are
    worth, where a step pays `reward` and what follows it counts `discount`.
    """

    spec: str
    discount: float
    blind: int  # the seat that does not see
    first: Ints  # [P+1] the states of a partition
    row: Ints  # [S+1] rows of a state, at least one
    seeing: Ints  # [K] label of the row's action; WAIT = the seeing player does not move
    slot: Ints  # [P+1] slots of a partition, at least one
    action: Ints  # [J] label of the slot's action; WAIT = the blind player is not asked
    branch: Ints  # [J+1] branches of a slot: an observation with which play goes on
    obs: Ints  # [B] the observation
    target: Ints  # [B] the partition that follows
    entry: Ints  # [B+1] entries of a branch, sorted by row
    source: Ints  # [E] the row
    to: Ints  # [E] the state, of the target partition
    prob: Floats  # [E]
    pay: Ints  # [J+1] where a slot's rewards begin, one for each row of its partition
    reward: Floats  # [pay[J]] expected pay of (slot, row)
    start: Floats  # [S] probability that play begins there; what is missing to 1 is over at once
    paid: float  # expected pay before the first step
    relaxed: str  # "", or what the seeing player is granted beyond the game: then values are lower bounds
    states: list[Hashable] = field(repr=False)  # [S]
    actions: tuple[list[Hashable], list[Hashable]] = field(repr=False)  # the blind player's, the seeing player's
    observations: list[Seen] = field(repr=False)  # two may look alike and differ in the menu that follows
    opening: dict[int, Seen] = field(repr=False)  # what is seen first, for each partition in which play may begin
    table: Table | None = field(default=None, repr=False)  # where it came from, when from a game

    @property
    def size(self) -> int:
        return len(self.row) - 1

    @property
    def player(self) -> int:
        """The seat that it is about."""
        return self.blind

    @cached_property
    def part(self) -> Ints:
        """[S] the partition of a state."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    @cached_property
    def part_of_slot(self) -> Ints:
        """[J] the partition of a slot."""
        return np.repeat(np.arange(len(self.slot) - 1), np.diff(self.slot))

    def cells(self) -> Ints:
        """[E] which reward is paid in the step that an entry belongs to: its slot and row as one number."""
        slot = np.repeat(np.repeat(np.arange(len(self.action)), np.diff(self.branch)), np.diff(self.entry))
        return self.pay[slot] + self.source - self.row[self.first[self.part_of_slot[slot]]]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The form in the canonical layout that certificates are hashed over."""
        plain: dict[str, NDArray[Any]] = {name: getattr(self, name).astype("<i8") for name in INTS}
        plain |= {name: getattr(self, name).astype("<f8") for name in FLOATS}
        plain["blind"] = np.array([self.blind], "<i8")
        plain["discount"], plain["paid"] = np.array([self.discount], "<f8"), np.array([self.paid], "<f8")
        return plain


def one_sided(source: AnyGame | Table, blind: int = 0, limit: int = MOST_STATES) -> OneSided:
    """The game in which seat `blind` knows what it sees and the other seat knows everything.

    Where the game shows the other seat less, `relaxed` says so: the form then bounds the game from below. FormError
    for a game that has not two players, is not zero-sum, or neither ends nor is discounted.
    """
    from fogbound.forms.one_sided_game import OneSidedGame

    if isinstance(source, OneSidedGame) and source.form.blind == blind:
        return source.form
    game = joint(source if isinstance(source, Table) else table(source, limit), blind)
    found = known(game)
    if not len(found.state):
        raise FormError(f"{game.table.spec}: is over before the first step, and worth {game.paid:g}")
    form = _laid_out(game, found)
    require_ending(form)
    return form


def _laid_out(game: Joint, found: Known) -> OneSided:
    source, state, part = game.table, found.state, found.part
    relaxed = granted(game)
    first = np.searchsorted(part, np.arange(int(part[-1]) + 2))
    row, slot = offsets(game.tall[state]), offsets(game.wide[state[first[:-1]]])
    depth = np.diff(row[first])  # rows of a partition
    pay = offsets(np.repeat(depth, np.diff(slot)))
    ways, reward = tabled_branches(game, found, (first, row, slot, pay))
    return OneSided(
        spec=source.spec,
        discount=source.discount,
        blind=game.mine.seat,
        first=first,
        row=row,
        seeing=_labels(source, game.menu, state),
        slot=slot,
        action=_labels(source, game.mine.menu, state[first[:-1]]),
        **vars(ways),
        pay=pay,
        reward=reward,
        start=found.start,
        paid=game.paid,
        relaxed=relaxed,
        states=[source.states[s] for s in state.tolist()],
        actions=(source.actions, source.actions),
        observations=[seen for seen, _ in game.mine.observations],
        opening=found.opening,
        table=source,
    )


def _labels(source: Table, menus: Ints, state: Ints) -> Ints:
    """The labels of a seat's actions in each of some states, one after the other; WAIT where it does not move."""
    menu = menus[state]
    count = np.where(menu >= 0, source.menu_size[menu], 1)
    which = np.repeat(menu, count)
    inside = spread(np.zeros(len(menu), np.int64), count)
    return np.where(which >= 0, source.menu_actions[which, inside], WAIT).astype(np.int64)


__all__ = ["WAIT", "OneSided", "one_sided"]
