"""Every state with what both players may do there, numbered: what transitions and rewards are about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.files.osposg.outline import Outline
from fogbound.files.osposg.text import Lines
from fogbound.forms.one_sided_layout import Indices, offsets


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells (slot, row); slots and rows number what the menus of the file list."""

    given: Outline
    part: Indices  # [rows] the partition of a row
    local: Indices  # [rows] its place among the rows of its partition
    pay: Indices  # [slots+1] where the cells of a slot begin

    @property
    def many(self) -> int:
        return int(self.pay[-1])

    def of(self, slot: Indices, row: Indices) -> Indices:
        """The numbers of some cells."""
        return self.pay[slot] + self.local[row]

    def words(self, cell: int) -> str:
        """A cell in the file's numbers, for messages."""
        given = self.given
        slot = int(np.searchsorted(self.pay, cell, side="right")) - 1
        part = int(np.searchsorted(given.blind.first, slot, side="right")) - 1
        row = int(np.flatnonzero(self.part == part)[cell - self.pay[slot]])
        state = int(np.searchsorted(given.seeing.first, row, side="right")) - 1
        return f"state {state} with actions {given.blind.action[slot]} and {given.seeing.action[row]}"


def cells(text: Lines, given: Outline) -> Cells:
    """Number them. FileError where there are more than transitions, before anything is made for each."""
    part = np.repeat(given.part, np.diff(given.seeing.first))
    depth = np.bincount(part, minlength=given.counts[1])
    many, moves = int(np.dot(depth, np.diff(given.blind.first))), given.counts[5]
    if many > moves:
        expected = f"at least {many:,}: one for each state and pair of actions that the menus offer"
        raise text.fault(0, f"{moves:,} transitions", expected)
    order = np.argsort(part, kind="stable")
    local = np.empty(len(order), np.int64)
    local[order] = np.arange(len(order)) - offsets(depth)[part[order]]
    return Cells(given, part, local, offsets(np.repeat(depth, np.diff(given.blind.first))))
