"""A search's planes and points without its tree: what is learnt is kept, the beliefs it was learnt at are not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.blocks import Blocks
from fogbound.forms.table import Floats, Ints
from fogbound.kernels import arena


def compacted(I: Ints, F: Floats, H: Ints, blocks: Blocks) -> dict[str, NDArray[Any]]:
    """New I, F and H of the same lengths that hold the lists of planes and points alone."""
    copy = _Copy(I, F, H, blocks)
    for block in range(blocks.size):
        copy.planes(block)
        copy.points(block)
    copy.link()
    return {"I": copy.new_i, "F": copy.new_f, "H": copy.new_h}


class _Copy:
    def __init__(self, I: Ints, F: Floats, H: Ints, blocks: Blocks) -> None:
        self.I, self.F, self.H, self.blocks = I, F, H, blocks
        self.new_i, self.new_f, self.new_h = np.zeros_like(I), np.zeros_like(F), H.copy()
        self.new_f[:8] = F[:8]
        self.new_h[[arena.USED_I, arena.USED_F]] = 8
        self.new_h[arena.NODES] = 0
        self.moved = {0: 0}
        self.links: list[tuple[int, int]] = []  # (place in new_i, the old plane that it names)

    def _take(self, integers: int, floats: int) -> tuple[int, int]:
        at = int(self.new_h[arena.USED_I]), int(self.new_h[arena.USED_F])
        self.new_h[arena.USED_I] += integers
        self.new_h[arena.USED_F] += floats
        return at

    def planes(self, block: int) -> None:
        lists = arena.HEAD + block * arena.LIST_RECORD
        size = int(self.blocks.first[block + 1] - self.blocks.first[block])
        plane = int(self.H[lists + arena.NEWEST_PLANE])
        before = 0
        while plane:
            slot = int(self.I[plane + arena.SLOT])
            many = int(self.blocks.branch[slot + 1] - self.blocks.branch[slot])
            at, alpha = self._take(arena.SUCCESSORS + many, size)
            self.moved[plane] = at
            old = int(self.I[plane + arena.ALPHA])
            self.new_i[at : at + arena.SUCCESSORS] = self.I[plane : plane + arena.SUCCESSORS]
            self.new_i[at + arena.ALPHA], self.new_i[at + arena.OLDER] = alpha, 0
            self.new_f[alpha : alpha + size] = self.F[old : old + size]
            for j in range(many):
                self.links.append((at + arena.SUCCESSORS + j, int(self.I[plane + arena.SUCCESSORS + j])))
            self._follow(lists + arena.NEWEST_PLANE, arena.OLDER, before, at)
            before, plane = at, int(self.I[plane + arena.OLDER])

    def points(self, block: int) -> None:
        lists = arena.HEAD + block * arena.LIST_RECORD
        point, before = int(self.H[lists + arena.NEWEST_POINT]), 0
        while point:
            many = int(self.I[point + arena.COUNT])
            at, floats = self._take(arena.STATES + many, 2 + many)
            old = int(self.I[point + arena.POINT_FLOATS])
            self.new_i[at : at + arena.STATES + many] = self.I[point : point + arena.STATES + many]
            self.new_i[at + arena.POINT_FLOATS], self.new_i[at + arena.POINT_OLDER] = floats, 0
            self.new_f[floats : floats + 2 + many] = self.F[old : old + 2 + many]
            self._follow(lists + arena.NEWEST_POINT, arena.POINT_OLDER, before, at)
            before, point = at, int(self.I[point + arena.POINT_OLDER])

    def _follow(self, newest: int, older: int, before: int, at: int) -> None:
        if before:
            self.new_i[before + older] = at
        else:
            self.new_h[newest] = at

    def link(self) -> None:
        """Name the planes by their new places, those that were replaced by what replaced them."""
        for place, plane in self.links:
            while self.I[plane + arena.REPLACED]:
                plane = int(self.I[plane + arena.REPLACED])
            self.new_i[place] = self.moved[plane]
        for block in range(self.blocks.size):
            at = arena.HEAD + block * arena.LIST_RECORD + arena.USUAL
            self.new_h[at] = self.moved[int(self.H[at])]
