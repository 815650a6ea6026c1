"""A table of two players seen from the one who is blind: whose move each joint action is, and what is seen of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fogbound.core.errors import FormError, brief
from fogbound.forms.table import START, Ints, Table
from fogbound.forms.view import View, menus, view

ROUNDING = 1e-9  # what two payments that should cancel may leave, for each unit paid


@dataclass(frozen=True, eq=False)
class Joint:
    """S states, R rows (joint actions; row 0 is the start) and O outcomes of a table, told apart by player."""

    table: Table
    mine: View  # of the player who is blind
    menu: Ints  # [S] of the player who sees
    wide: Ints  # [S] how many actions the blind player has; 1 where it waits
    tall: Ints  # [S] the same for the one who sees
    paid: float  # what the blind player is expected to be paid at the start

    @cached_property
    def theirs(self) -> View:
        """What the seeing player sees in the game."""
        return view(self.table, 1 - self.mine.seat)

    @cached_property
    def move(self) -> Ints:
        """[R] which of its actions the blind player takes."""
        return self.digits(self.mine.seat)

    @cached_property
    def reply(self) -> Ints:
        """[R] which of its actions the other takes."""
        return self.digits(1 - self.mine.seat)

    def digits(self, seat: int) -> Ints:
        """[R] which of its actions a seat takes: seat 1 varies faster."""
        many = np.diff(self.table.row)
        faster = np.repeat((self.tall if self.mine.seat == 0 else self.wide).astype(np.int32), many)
        inside = np.arange(len(faster), dtype=np.int32)
        inside -= np.repeat(self.table.row[:-1] - self.table.row[0], many)
        found = inside // faster if seat == 0 else inside % faster
        return np.concatenate([np.zeros(1, np.int32), found])

    def origin(self, outcome: Ints) -> tuple[Ints, Ints]:
        """The row of some outcomes, and the state where it is played; -1 = the start."""
        row = np.searchsorted(self.table.out, outcome, "right") - 1
        return row, np.searchsorted(self.table.row, row, "right") - 1


def joint(table: Table, blind: int) -> Joint:
    """Take the rows of a table of two players apart; FormError where it has not two, or is not zero-sum."""
    if len(table.players) != 2:
        many = len(table.players)
        raise FormError(f"{table.spec}: has {many} player{'s' * (many != 1)}; a one-sided game has 2")
    if blind not in (0, 1):
        raise FormError(f"{table.spec}: player {blind}, expected a seat from 0 to 1")
    mine, menu = view(table, blind), menus(table, 1 - blind)
    sizes = np.append(table.menu_size, 1).astype(np.int64)  # the last for those who do not move
    wide, tall = sizes[np.maximum(mine.menu, -1)], sizes[np.maximum(menu, -1)]
    first = slice(table.out[START], table.out[START + 1])
    begun = table.prob[first] * table.pay[table.event[first], blind]
    paid = np.bincount(np.zeros(len(begun), np.int64), weights=begun, minlength=1)  # added in order, as all are
    game = Joint(table, mine, menu, wide, tall, float(paid[0]))
    _require_zero_sum(game)
    return game


def _require_zero_sum(game: Joint) -> None:
    """What one player wins the other must lose, in every step; otherwise say where it does not."""
    table = game.table
    left = np.abs(table.pay.sum(axis=1))
    wrong = left > ROUNDING * np.maximum(1.0, np.abs(table.pay).max(axis=1, initial=0.0))
    if wrong.any():
        outcome = int(np.argmax(wrong[table.event]))
        at = int(game.origin(np.array([outcome]))[1][0])
        where = "at the start" if at < 0 else f"after {brief(table.states[at])}"
        found = brief(tuple(table.pay[table.event[outcome]].tolist()))
        raise FormError(f"{table.spec}: is not zero-sum: {found} is paid {where}; a one-sided game must be")
