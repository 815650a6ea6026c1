"""A belief graph as the arrays of a checkpoint: what is copied, what it must be, and how it is taken up again.

Arrays have room to spare, and how much decides when a search next stops to make more; so the room is known as well, but
not what is in it. The hash table is filled again: beliefs enter it in their order, so it comes out as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.checkpoint_schema import Arrays
from fogbound.driver.kept import ROUNDING, Kept, run_sums
from fogbound.solvers.pomdp.belief_graph.graph import ROOM, SHARES, BeliefGraph
from fogbound.solvers.pomdp.belief_graph.kernels.belief_graph import SCHEMA
from fogbound.solvers.pomdp.belief_graph.search import MOST_BYTES


def save_graph(belief_graph: BeliefGraph, name: str, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Put what is known by now into `arrays`: copies, since a search writes into its graph."""
    arrays.update({f"{name}_{part}": array for part, array in belief_graph.pools.copies().items()})


def restore_graph(belief_graph: BeliefGraph, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Know what was known then, of the same process."""
    parts = ("used", "capacity", *(part for part, one in SCHEMA.items() if not one.slots))
    belief_graph.pools.take({part: arrays[f"{name}_{part}"] for part in parts})
    belief_graph.hash_beliefs()


def declare_graph(belief_graph: BeliefGraph, name: str, kept: Kept) -> tuple[Arrays, dict[str, int]]:
    """Declare what `save_graph` wrote of the graph of a process, which is in `belief_graph` already.

    What was found, and how many there are of everything.
    """
    label, sizes = f"{name}_", {"states": belief_graph.states, "observations": len(belief_graph.over)}
    found, sizes = belief_graph.pools.read(kept, sizes, label, counters=1, copied=True)
    _declare_room(belief_graph, label, kept, sizes["beliefs"])
    _check_entries(belief_graph, label, kept, found)
    _check_rows(belief_graph, label, kept, found, sizes["rows"])
    return found, sizes


def _declare_room(belief_graph: BeliefGraph, label: str, kept: Kept, beliefs: int) -> None:
    """Room for what there is, in the lengths that growing leads to."""
    name = f"{label}capacity"
    room = kept.integers(name, (len(SHARES),), [beliefs + 1, 0, 0, 0], MOST_BYTES)
    doublings = room // (ROOM * SHARES)
    kept.equals(name, room, ROOM * SHARES * np.maximum(doublings, 1))
    kept.require(name, doublings & (doublings - 1) == 0, "lengths that were doubled")
    total = float(room.astype(np.float64) @ belief_graph.pools.entry_bytes())
    kept.require(name, total <= MOST_BYTES, f"at most {MOST_BYTES:,} bytes in all")


def _check_entries(belief_graph: BeliefGraph, label: str, kept: Kept, found: Arrays) -> None:
    """Beliefs over states in which play goes on, with as many actions in all of them; one action at a start."""
    row, first, state = belief_graph.process.row, found["first"], found["state"]
    size = np.diff(first)
    kept.rising(f"{label}state", state, first)
    kept.chances(f"{label}weight", run_sums(found["weight"], first[:-1], size)[size > 0])
    own, actions = row[state + 1] - row[state], np.ones(len(size), np.int64)
    actions[size > 0] = own[first[:-1][size > 0]]
    kept.equals(f"{label}state", own, np.repeat(actions, size))
    kept.require(f"{label}state", own > 0, "states in which play goes on")
    kept.equals(f"{label}many", found["many"], np.where(found["rows"] < 0, 0, actions))


def _check_rows(belief_graph: BeliefGraph, label: str, kept: Kept, found: Arrays, rows: int) -> None:
    """Rows of expanded beliefs, and outcomes that lead to beliefs."""
    row, many, best, size = found["rows"], found["many"], found["best"], np.diff(found["first"])
    kept.require(f"{label}rows", row + many <= rows, f"rows up to {rows}")
    kept.require(f"{label}rows", (row >= 0) | (size > 0), "starts that were looked into")
    kept.require(f"{label}best", (best < 0) | ((best >= row) & (best < row + many)), "one of the belief's own rows")
    out = found["out"]
    total = run_sums(found["prob"], out[:-1], np.diff(out)) * belief_graph.discount  # a start is not discounted
    kept.require(f"{label}prob", total <= 1 + ROUNDING, "probabilities of at most 1 in all")
    kept.rising(f"{label}obs", found["obs"], out)
    kept.require(f"{label}child", size[found["child"]] > 0, "beliefs, not starts")
