"""A table of two players seen from the one who is blind: whose move each joint action is, and what is seen of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import FormError, brief
from fogbound.forms.table import START, Floats, Ints, Table
from fogbound.forms.view import View, view

ROUNDING = 1e-9  # what two payments that should cancel may leave, for each unit paid


@dataclass(frozen=True, eq=False)
class Joint:
    """S states, R rows (joint actions; row 0 is the start) and O outcomes of a table, told apart by player."""

    table: Table
    mine: View  # of the player who is blind
    theirs: View
    wide: Ints  # [S] how many actions the blind player has; 1 where it waits
    tall: Ints  # [S] the same for the one who sees
    state: Ints  # [R] where the row is played; row 0: -1
    move: Ints  # [R] which of its actions the blind player takes
    reply: Ints  # [R] which of its actions the other takes
    row: Ints  # [O] the row of an outcome
    pay: Floats  # [R] what the blind player is expected to be paid


def joint(table: Table, blind: int) -> Joint:
    """Take the rows of a table of two players apart; FormError where it has not two, or is not zero-sum."""
    if len(table.players) != 2:
        many = len(table.players)
        raise FormError(f"{table.spec}: has {many} player{'s' * (many != 1)}; a one-sided game has 2")
    if blind not in (0, 1):
        raise FormError(f"{table.spec}: player {blind}, expected a seat from 0 to 1")
    mine, theirs = view(table, blind), view(table, 1 - blind)
    sizes = np.append(table.menu_size, 1).astype(np.int64)  # the last for those who do not move
    wide, tall = (sizes[np.maximum(side.menu, -1)] for side in (mine, theirs))
    state = np.concatenate([[-1], np.repeat(np.arange(table.size), np.diff(table.row))])
    inside = np.arange(len(state)) - table.row[state]
    inside[START] = 0
    later = (tall if blind == 0 else wide)[state]  # how many actions the player has who varies faster
    slow, fast = inside // later, inside % later
    row = np.repeat(np.arange(len(state)), np.diff(table.out))
    _require_zero_sum(table, state, row)
    pay = np.bincount(row, weights=table.prob * table.pay[table.event, blind], minlength=len(state))
    move, reply = (slow, fast) if blind == 0 else (fast, slow)
    return Joint(table, mine, theirs, wide, tall, state, move, reply, row, pay.astype(np.float64))


def _require_zero_sum(table: Table, state: Ints, row: Ints) -> None:
    """What one player wins the other must lose, in every step; otherwise say where it does not."""
    left = np.abs(table.pay.sum(axis=1))
    wrong = left > ROUNDING * np.maximum(1.0, np.abs(table.pay).max(axis=1, initial=0.0))
    if wrong.any():
        outcome = int(np.argmax(wrong[table.event]))
        at = int(state[row[outcome]])
        where = "at the start" if at < 0 else f"after {brief(table.states[at])}"
        found = brief(tuple(table.pay[table.event[outcome]].tolist()))
        raise FormError(f"{table.spec}: is not zero-sum: {found} is paid {where}; a one-sided game must be")
