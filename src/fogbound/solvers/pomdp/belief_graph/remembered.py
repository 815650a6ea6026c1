"""A belief graph as the arrays of a checkpoint: what is kept of it, what it must be, and how it is taken up again.

Arrays have room to spare, and how much decides when a search next stops to make more; so the room is kept as well, but
not what is in it. The hash table is filled again: beliefs enter it in their order, so it comes out as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.kept import MOST, ROUNDING, Kept, run_sums
from fogbound.forms.arrays import Longs
from fogbound.solvers.pomdp.belief_graph.graph import ROOM, SLOTS, BeliefGraph, empty_graph
from fogbound.solvers.pomdp.belief_graph.kernels.belief_graph import (
    BELIEFS,
    ENTRIES,
    OUTS,
    ROWS,
    BeliefGraphArrays,
    rehash_beliefs,
)
from fogbound.solvers.pomdp.belief_graph.search import MOST_BYTES

FIELDS = BeliefGraphArrays._fields
ENDS = ("first", "out")  # where runs begin, and where the last one ends
ENTRY_BYTES = 8


def save_graph(belief_graph: BeliefGraph, name: str, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Put what is known by now into `arrays`: copies, since a search writes into its graph."""
    used = belief_graph.used()
    for field, array in zip(FIELDS, belief_graph.graph):
        if field != SLOTS:
            arrays[f"{name}_{field}"] = array[: used[field] + (field in ENDS)].copy()
    arrays[f"{name}_count"] = belief_graph.count.copy()
    arrays[f"{name}_room"] = np.array([len(array) for array in belief_graph.graph], np.int64)


def restore_graph(belief_graph: BeliefGraph, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Know what was known then, of the same process."""
    grown = {}
    for field, room in zip(FIELDS, arrays[f"{name}_room"].tolist()):
        if field == SLOTS:
            grown[field] = np.full(room, -1, np.int64)
        else:
            known = arrays[f"{name}_{field}"]
            grown[field] = np.zeros(room, known.dtype)
            grown[field][: len(known)] = known
    belief_graph.graph, belief_graph.count = BeliefGraphArrays(**grown), arrays[f"{name}_count"].copy()
    rehash_beliefs(belief_graph.graph, belief_graph.beliefs)


def declare_graph(belief_graph: BeliefGraph, name: str, kept: Kept) -> None:
    """Declare what `save_graph` wrote of the graph of a process, which is in `belief_graph` already."""
    count = kept.integers(f"{name}_count", (len(belief_graph.count),))
    beliefs, entries, rows, outs = (int(count[place]) for place in (BELIEFS, ENTRIES, ROWS, OUTS))
    _declare_room(name, kept, beliefs, entries, rows, outs)
    first = kept.offsets(f"{name}_first", beliefs, entries)
    size = np.diff(first)
    actions = _declare_entries(belief_graph, name, kept, first)
    kept.reals(f"{name}_low", (beliefs,))
    kept.reals(f"{name}_high", (beliefs,))
    row = kept.integers(f"{name}_rows", (beliefs,), -1, rows - 1)
    many = kept.integers(f"{name}_many", (beliefs,))
    kept.equals(f"{name}_many", many, np.where(row < 0, 0, actions))
    kept.require(f"{name}_rows", row + many <= rows, f"rows up to {rows}")
    kept.require(f"{name}_rows", (row >= 0) | (size > 0), "starts that were looked into")
    best = kept.integers(f"{name}_best", (beliefs,), -1, rows - 1)
    kept.require(f"{name}_best", (best < 0) | ((best >= row) & (best < row + many)), "one of the belief's own rows")
    kept.integers(f"{name}_mark", (beliefs,), high=MOST)
    kept.reals(f"{name}_reward", (rows,))
    out = kept.offsets(f"{name}_out", rows, outs)
    prob = kept.reals(f"{name}_prob", (outs,), 0.0)
    total = run_sums(prob, out[:-1], np.diff(out)) * belief_graph.discount  # a start is not discounted
    kept.require(f"{name}_prob", total <= 1 + ROUNDING, "probabilities of at most 1 in all")
    seen = kept.integers(f"{name}_obs", (outs,), high=len(belief_graph.over) - 1)
    _require_rising(f"{name}_obs", kept, seen, out)
    child = kept.integers(f"{name}_child", (outs,), high=beliefs - 1)
    kept.require(f"{name}_child", size[child] > 0, "beliefs, not starts")


def _declare_room(name: str, kept: Kept, beliefs: int, entries: int, rows: int, outs: int) -> None:
    """Room for what there is, in the lengths that growing leads to."""
    least = dict.fromkeys(FIELDS, beliefs) | {"state": entries, "weight": entries, SLOTS: 2 * beliefs + 1}
    least |= {"reward": rows} | dict.fromkeys(("prob", "obs", "child"), outs) | {"first": beliefs + 1, "out": rows + 1}
    begun = np.array([len(array) for array in empty_graph(ROOM)], np.int64)
    most = MOST_BYTES // ENTRY_BYTES
    room = kept.integers(f"{name}_room", (len(FIELDS),), np.array([least[field] for field in FIELDS]), most)
    doublings = room // begun
    kept.equals(f"{name}_room", room, begun * np.maximum(doublings, 1))
    kept.require(f"{name}_room", doublings & (doublings - 1) == 0, "lengths that were doubled")
    kept.require(f"{name}_room", bool(room.sum() <= most), f"at most {most:,} entries in all")


def _declare_entries(belief_graph: BeliefGraph, name: str, kept: Kept, first: Longs) -> Longs:
    """[beliefs] how many actions there are at each: as many in all of its states; one at a start."""
    process, entries, size = belief_graph.process, int(first[-1]), np.diff(first)
    state = kept.integers(f"{name}_state", (entries,), high=belief_graph.states - 1)
    _require_rising(f"{name}_state", kept, state, first)
    weight = kept.reals(f"{name}_weight", (entries,), 0.0, 1.0)
    kept.chances(f"{name}_weight", run_sums(weight, first[:-1], size)[size > 0])
    own = process.row[state + 1] - process.row[state]
    actions = np.ones(len(size), np.int64)
    actions[size > 0] = own[first[:-1][size > 0]]
    kept.equals(f"{name}_state", own, np.repeat(actions, size))
    kept.require(f"{name}_state", own > 0, "states in which play goes on")
    return actions


def _require_rising(name: str, kept: Kept, numbers: Longs, first: Longs) -> None:
    """Numbers that rise within each run."""
    run = np.repeat(np.arange(len(first) - 1), np.diff(first))
    kept.require(name, (np.diff(numbers) > 0) | (np.diff(run) > 0), "numbers that rise")
