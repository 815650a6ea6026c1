"""A model packed for the kernels: its blocks in one array of integers and one of floats (see kernels.arena)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.pomdp.hsvi.kernels import arena


@dataclass
class PackedModel:
    """The model in two arrays (see kernels.arena), and how much room one backup may need."""

    blocks: MixedObservability
    M: NDArray[np.int64]
    W: Floats
    room: tuple[int, int]


def pack_model(blocks: MixedObservability) -> PackedModel:
    b = blocks
    sizes, wide = np.diff(b.first), np.diff(b.slot)
    rows = len(b.reward)
    blocks_at = arena.MODEL_HEADER
    slots_at = blocks_at + b.size * arena.BLOCK_RECORD
    branches_at = slots_at + len(b.action) * arena.SLOT_RECORD
    starts_at = branches_at + len(b.obs) * arena.BRANCH_RECORD
    to_at = starts_at + len(b.start)
    M = np.zeros(to_at + len(b.to), np.int64)
    M[:4] = blocks_at, slots_at, branches_at, 2 * rows + len(b.state) - to_at
    table = M[blocks_at:slots_at].reshape(-1, arena.BLOCK_RECORD)
    table[:, arena.SIZE], table[:, arena.FIRST_SLOT], table[:, arena.SLOTS] = sizes, b.slot[:-1], wide
    table[:, arena.CORNER] = 2 * rows + b.first[:-1]
    table = M[slots_at:branches_at].reshape(-1, arena.SLOT_RECORD)
    table[:, arena.REWARD], table[:, arena.INFORMED] = b.offset[:-1], rows + b.offset[:-1]
    table[:, arena.FIRST_BRANCH], table[:, arena.BRANCHES] = b.branch[:-1], np.diff(b.branch)
    table = M[branches_at:starts_at].reshape(-1, arena.BRANCH_RECORD)
    table[:, arena.TARGET], table[:, arena.ENTRIES] = b.target, starts_at + b.begin
    M[starts_at:to_at], M[to_at:] = to_at + b.start, b.to
    W = np.concatenate([b.reward, np.zeros(rows), np.zeros(len(b.state)), b.weight])
    return PackedModel(b, M, W, _room(b, sizes, wide))


def _room(b: MixedObservability, sizes: Ints, wide: Ints) -> tuple[int, int]:
    """Integers and floats that one backup may take from the arena: all actions expanded, a vector and a point."""
    slot = np.repeat(np.arange(len(b.action)), np.diff(b.branch))
    kid_i = np.bincount(
        slot, weights=arena.NODE_RECORD + arena.KID_RECORD * wide[b.target] + 1, minlength=len(b.action)
    )
    kid_f = np.bincount(slot, weights=sizes[b.target] + wide[b.target] + 3, minlength=len(b.action))
    total_i, total_f = np.add.reduceat(kid_i, b.slot[:-1]), np.add.reduceat(kid_f, b.slot[:-1])
    most = int(np.diff(b.branch).max(initial=0))
    own = 8 * int(sizes.max()) + most + 64
    return int(total_i.max()) + 2 * int(wide.max()) + own, int(total_f.max()) + 2 * int(wide.max()) + own
