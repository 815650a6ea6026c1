"""The branches of a one-sided form straight from the table: nothing is copied but what the form keeps."""

from __future__ import annotations

import numpy as np

from fogbound.forms.one_sided_joint import Joint
from fogbound.forms.one_sided_known import Known
from fogbound.forms.one_sided_layout import Branches, Indices, offsets
from fogbound.forms.table import Floats


def tabled_branches(
    game: Joint, found: Known, shape: tuple[Indices, Indices, Indices, Indices]
) -> tuple[Branches, Floats]:
    """All steps of members with which play goes on, as `branches` would sort them, and the rewards.

    shape is (first, row, slot, pay) of the form, as `OneSided` has them.
    """
    from fogbound.kernels.layout import Placed, Tabled, find_branches, lay_out

    table, seat, sights = game.table, game.mine.seat, len(game.mine.observations)
    paid = np.ascontiguousarray(table.pay[:, seat])
    steps = Tabled(table.row, table.out, table.next, table.event, table.prob, game.mine.obs, paid, seat)
    first, row, slot, pay = shape
    placed = Placed(first, row, slot, found.state, found.place, pay)
    key, count = find_branches(steps, placed, sights)
    order = np.argsort(key)
    key, entry = key[order], offsets(count[order])
    branch, obs = np.searchsorted(key // sights, np.arange(slot[-1] + 1)), key % sights
    source, to, prob = np.empty(entry[-1], np.int64), np.empty(entry[-1], np.int64), np.empty(entry[-1])
    reward = np.empty(pay[-1])
    alike = lay_out(steps, placed, branch, obs, entry, sights, source, to, prob, reward)
    ways = Branches(branch, obs, found.part[to[entry[:-1]]], entry, source, to, prob)
    return (_added_up(ways) if alike else ways), reward


def _added_up(ways: Branches) -> Branches:
    """Entries of a branch with one row and one next state as one: they differ in what only the other player sees."""
    fresh = np.ones(len(ways.to), bool)
    fresh[1:] = (np.diff(ways.source) != 0) | (np.diff(ways.to) != 0)
    fresh[ways.entry[:-1]] = True
    prob = np.add.reduceat(ways.prob, np.flatnonzero(fresh))
    entry = offsets(fresh)[ways.entry]
    return Branches(ways.branch, ways.obs, ways.target, entry, ways.source[fresh], ways.to[fresh], prob)
