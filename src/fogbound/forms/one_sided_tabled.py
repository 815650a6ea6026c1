"""The branches of a one-sided form straight from the table: nothing is copied but what the form keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fogbound.forms.one_sided_joint import Joint
from fogbound.forms.one_sided_known import Known
from fogbound.forms.one_sided_layout import Branches, Indices, offsets
from fogbound.forms.table import Floats

if TYPE_CHECKING:
    from fogbound.kernels.layout import Placed, Tabled


def tabled_branches(
    game: Joint, found: Known, shape: tuple[Indices, Indices, Indices, Indices]
) -> tuple[Branches, Floats]:
    """All steps of members with which play goes on, as `branches` would sort them, and the rewards.

    shape is (first, row, slot, pay) of the form, as `OneSided` has them.
    """
    from fogbound.kernels.layout import Filled, Placed, Tabled, lay_out

    table, seat, sights = game.table, game.mine.seat, len(game.mine.observations)
    paid = np.ascontiguousarray(table.pay[:, seat])
    steps = Tabled(table.row, table.out, table.next, table.event, table.prob, game.mine.obs, paid, np.array([seat]))
    first, row, slot, pay = shape
    placed, parts = Placed(first, row, slot, found.state, found.place, pay), len(first) - 1
    key, count = _counted(steps, placed, parts, sights)
    order = np.argsort(key)
    key, entry = key[order], offsets(count[order])
    branch, obs = np.searchsorted(key // sights, np.arange(slot[-1] + 1)), key % sights
    source, to, prob = np.empty(entry[-1], np.int64), np.empty(entry[-1], np.int64), np.empty(entry[-1])
    reward = np.empty(pay[-1])
    ends = np.empty(sights, np.int64), np.empty(sights, np.int64)
    alike = lay_out(steps, placed, Filled(branch, obs, entry, source, to, prob, reward, *ends), parts)
    ways = Branches(branch, obs, found.part[to[entry[:-1]]], entry, source, to, prob)
    return (_added_up(ways) if alike else ways), reward


def _counted(steps: Tabled, placed: Placed, parts: int, sights: int) -> tuple[Indices, Indices]:
    """(slot * sights + observation, entries) of every branch, as they come up."""
    from fogbound.kernels.layout import FULL, Found, find_branches

    room = 1024 + 4 * int(placed.slot[-1])
    while True:
        found = Found(np.empty(room, np.int64), np.empty(room, np.int64), np.full(sights, -1))
        used = find_branches(steps, placed, found, parts, sights, room)
        if used != FULL:
            return found.key[:used], found.count[:used]
        room *= 4


def _added_up(ways: Branches) -> Branches:
    """Entries of a branch with one row and one next state as one: they differ in what only the other player sees."""
    fresh = np.ones(len(ways.to), bool)
    fresh[1:] = (np.diff(ways.source) != 0) | (np.diff(ways.to) != 0)
    fresh[ways.entry[:-1]] = True
    prob = np.add.reduceat(ways.prob, np.flatnonzero(fresh))
    entry = offsets(fresh)[ways.entry]
    return Branches(ways.branch, ways.obs, ways.target, entry, ways.source[fresh], ways.to[fresh], prob)
