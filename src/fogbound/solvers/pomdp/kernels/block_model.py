"""A POMDP in blocks, as kernels see it: `forms.mixed_observability` says what blocks, choices and outcomes are."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fogbound.compiled.bundle import Bundle
from fogbound.compiled.kernel import kernel


@dataclass(frozen=True, eq=False)
class BlockModel(Bundle):
    """B blocks with N states in all, Q choices (block, action), J outcomes (choice, observation), E entries.

    A row is a choice and a state of its block. Weights are discounted, so that no loop knows a discount.
    """

    first: np.ndarray  # [B+1] states of a block
    choice: np.ndarray  # [B+1] choices of a block
    offset: np.ndarray  # [Q+1] rows of a choice
    outcome: np.ndarray  # [Q+1] outcomes of a choice
    target: np.ndarray  # [J] the block that it leads to
    begin: np.ndarray  # [J] into start
    start: np.ndarray  # [sum over outcomes of (size + 1)] where the entries of a local state start
    to: np.ndarray  # [E] the local state in the target block
    weight: np.ndarray  # [E] discount x probability
    reward: np.ndarray  # [rows]


def block_model(blocks: Any) -> BlockModel:
    """The arrays of a `MixedObservability` that kernels need."""
    arrays = {place.name: getattr(blocks, place.name) for place in fields(BlockModel)}
    floats = ("weight", "reward")
    return BlockModel(
        **{
            name: np.ascontiguousarray(array, np.float64 if name in floats else np.int64)
            for name, array in arrays.items()
        }
    )


@kernel
def block_size(model, block):
    """How many states a block has."""
    return model.first[block + 1] - model.first[block]
