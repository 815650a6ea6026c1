"""A game tree laid out for sampled walks: each node's slot, and what a walk learns into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.sequence import SequenceForm
from fogbound.progress import Desk
from fogbound.solvers.regret import Slots, prepare

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Walker:
    """The tree's shape and the learner's arrays; `random` is the kernels' generator, kept on the desk."""

    shape: tuple[Any, ...]  # player, child, slot of a node's first move
    prob: Floats
    payoff: Floats
    regret: Floats
    average: Floats
    random: NDArray[np.uint64]

    @classmethod
    def on(cls, form: SequenceForm, laid: Slots, desk: Desk) -> Walker:
        tree, size = form.tree, len(laid.uniform)
        if "random" not in desk.arrays:
            prepare(desk, random=np.array([desk.rng.integers(0, 2**63)], np.int64))
        prepare(desk, regret=np.zeros(size), average=np.zeros(size))
        owner = np.where(tree.infoset >= 0, tree.set_owner[tree.infoset], 0)
        slot = np.where(tree.infoset >= 0, tree.set_first[tree.infoset] + laid.offset[owner], -1).astype(np.int32)
        arrays = desk.arrays
        return cls(
            (tree.player, tree.child, slot),
            tree.prob,
            np.ascontiguousarray(tree.payoff),
            arrays["regret"],
            arrays["average"],
            arrays["random"].view(np.uint64),
        )
