"""The arrays of a search by name, as a checkpoint holds them: made, lengthened, and freed of the tree."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.bundle import Bundle
from fogbound.forms.arrays import Ints
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import (
    ACTIONS,
    BUCKETS,
    CHILDREN,
    COUNTERS,
    GROWING,
    LIFTED_AT,
    NODES,
    POINTS,
    POOLS,
    SUCCESSORS,
    SUPPORTS,
    VALUES,
    VECTORS,
    WEIGHTS,
    BeliefTree,
    PointSet,
    Search,
    VectorSet,
)
from fogbound.solvers.pomdp.kernels.block_model import BlockModel

Arrays = dict[str, NDArray[Any]]
BUNDLES: dict[str, type[Bundle]] = {"tree": BeliefTree, "vectors": VectorSet, "points": PointSet}
REAL = {  # the arrays of floats
    *("tree_V_lower", "tree_V_upper", "tree_Q_upper", "tree_reward_lower", "tree_reward_upper", "tree_goes_on"),
    *("tree_child_weight", "tree_weight", "vectors_value", "points_value", "points_excess", "points_weight"),
}
LEAST, BACKUPS_AT_FIRST = 1 << 12, 64  # places of a new pool, and backups that it has room for
ENTRY_BYTES = np.array([8 * sum(map(len, GROWING[pool].values())) for pool in range(POOLS)])  # [POOLS]


def room_of_backup(blocks: MixedObservability) -> Ints:
    """[POOLS] what one backup may take at most: all actions expanded, a vector and a point."""
    sizes, legal, outcomes = np.diff(blocks.first), np.diff(blocks.choice), np.diff(blocks.outcome)
    choice = np.repeat(np.arange(len(blocks.action)), outcomes)  # [J]

    def most(each: Ints) -> int:
        """Of what each outcome takes, for all actions of a block."""
        of_choices = np.bincount(choice, weights=each, minlength=len(outcomes))
        return int(np.add.reduceat(of_choices, blocks.choice[:-1]).max())

    room, largest = np.zeros(POOLS, np.int64), int(sizes.max())
    room[NODES] = room[CHILDREN] = most(np.ones(len(choice), np.int64)) + 1
    room[ACTIONS] = most(legal[blocks.target]) + int(legal.max())
    room[WEIGHTS] = most(sizes[blocks.target]) + 2 * largest  # with room for one that turns out to be known, or pruning
    room[VECTORS], room[VALUES], room[SUCCESSORS] = 1, largest, int(outcomes.max(initial=0))
    room[POINTS], room[SUPPORTS] = 2, largest  # where the last point's support ends is noted in the next one's place
    return room


def new_arrays(blocks: MixedObservability, room: Ints) -> Arrays:
    """Empty lists and an empty tree, with room for some backups."""
    arrays: Arrays = {
        "used": np.zeros(POOLS, np.int64),
        "capacity": np.zeros(POOLS, np.int64),
        "count": np.zeros(COUNTERS, np.int64),
        "value_range": np.zeros(1),
        "tree_bucket": np.full(BUCKETS, -1),
    }
    for name in ("vectors_newest", "vectors_default", "points_newest"):
        arrays[name] = np.full(blocks.size, -1)
    for name in ("vectors_count", "points_version", "points_count", "points_pruned"):
        arrays[name] = np.zeros(blocks.size, np.int64)
    lengthen(arrays, np.maximum(BACKUPS_AT_FIRST * room, LEAST))
    return arrays


def lengthen(arrays: Arrays, capacity: Ints) -> None:
    """Give the pools so many places, keeping what is used."""
    for pool, bundles in GROWING.items():
        used = int(arrays["used"][pool]) + (pool == POINTS)
        for name in (f"{bundle}_{name}" for bundle, names in bundles.items() for name in names):
            grown = np.zeros(int(capacity[pool]), np.float64 if name in REAL else np.int64)
            if name in arrays:
                if len(arrays[name]) >= len(grown):
                    continue
                grown[:used] = arrays[name][:used]
            arrays[name] = grown
    arrays["capacity"] = np.array(capacity, np.int64)


def bundled(model: BlockModel, room: Ints, arrays: Arrays) -> Search:
    """The arrays as kernels see them, until one of them is replaced."""
    parts = {
        label: kind(**{place.name: arrays[f"{label}_{place.name}"] for place in fields(kind)})
        for label, kind in BUNDLES.items()
    }
    own = {name: arrays[name] for name in ("informed", "used", "capacity", "count", "value_range")}
    return Search(model=model, room=room, **parts, **own)  # type: ignore[arg-type]


# What is learnt is kept, the beliefs it was learnt at are not.


def forget_tree(arrays: Arrays, blocks: MixedObservability) -> None:
    """Empty the tree; of vectors and points keep those in the lists, numbered afresh in their old order."""
    _keep_vectors(arrays, blocks)
    _keep_points(arrays, blocks)
    arrays["used"][[NODES, ACTIONS, WEIGHTS, CHILDREN]] = 0
    arrays["tree_bucket"][:] = -1


def _keep_vectors(arrays: Arrays, blocks: MixedObservability) -> None:
    used, count = arrays["used"], arrays["count"]
    replaced = arrays["vectors_replaced"][: used[VECTORS]]
    kept = np.flatnonzero(replaced < 0)
    number = _numbers(kept, len(replaced))
    number[:-1] = number[_last(replaced)]  # those that were replaced are named by what replaced them
    choice = arrays["vectors_choice"][kept]
    sizes = np.diff(blocks.first)[np.searchsorted(blocks.choice, choice, side="right") - 1]
    outcomes = np.diff(blocks.outcome)[choice]
    values = arrays["vectors_value"][_ranges(arrays["vectors_alpha"][kept], sizes)]
    successors = number[arrays["vectors_successor"][_ranges(arrays["vectors_successors"][kept], outcomes)]]
    count[LIFTED_AT] = np.searchsorted(kept, count[LIFTED_AT])
    used[[VECTORS, VALUES, SUCCESSORS]] = len(kept), len(values), len(successors)
    for name, new in (
        ("alpha", np.cumsum(sizes) - sizes),
        ("choice", choice),
        ("older", number[arrays["vectors_older"][kept]]),
        ("replaced", np.full(len(kept), -1)),
        ("successors", np.cumsum(outcomes) - outcomes),
        ("value", values),
        ("successor", successors),
        ("newest", number[arrays["vectors_newest"]]),
        ("default", number[arrays["vectors_default"]]),
    ):
        arrays[f"vectors_{name}"][: len(new)] = new


def _keep_points(arrays: Arrays, blocks: MixedObservability) -> None:
    used = arrays["used"]
    kept = np.sort(np.array([p for block in range(blocks.size) for p in listed(arrays, "points", block)], np.int64))
    number = _numbers(kept, int(used[POINTS]))
    begin = arrays["points_support"][kept]
    sizes = arrays["points_support"][kept + 1] - begin
    states = _ranges(begin, sizes)
    used[[POINTS, SUPPORTS]] = len(kept), len(states)
    for name, new in (
        *((name, arrays[f"points_{name}"][kept]) for name in ("value", "excess", "mask")),
        ("older", number[arrays["points_older"][kept]]),
        ("support", np.concatenate([[0], np.cumsum(sizes)])),
        *((name, arrays[f"points_{name}"][states]) for name in ("state", "weight")),
        ("newest", number[arrays["points_newest"]]),
    ):
        arrays[f"points_{name}"][: len(new)] = new


def listed(arrays: Arrays, which: str, block: int) -> list[int]:
    """The numbers of a block's vectors or points, newest first."""
    numbers, record, older = list[int](), int(arrays[f"{which}_newest"][block]), arrays[f"{which}_older"]
    while record >= 0:
        numbers.append(record)
        record = int(older[record])
    return numbers


def _numbers(kept: Ints, before: int) -> Ints:
    """[before + 1] the new number of each that is kept; -1 for the others, and for -1 itself."""
    number = np.full(before + 1, -1)
    number[kept] = np.arange(len(kept))
    return number


def _last(replaced: Ints) -> Ints:
    """[n] what stands for each vector in the end."""
    last = np.where(replaced < 0, np.arange(len(replaced)), replaced)
    while (last[last] != last).any():
        last = last[last]
    return last


def _ranges(first: Ints, count: Ints) -> Ints:
    """first[0], first[0] + 1, ... `count[0]` of them, then those of first[1], ..."""
    return np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
