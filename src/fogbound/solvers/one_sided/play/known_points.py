"""The points that the fully informed player holds the blind one to, as bounds with which stages can be solved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats, Ints, ranges
from fogbound.forms.one_sided.form import OneSided
from fogbound.policies.stored import POINTS, StoredBounds
from fogbound.solvers.one_sided.bounds import OneSidedBounds, bound_pools
from fogbound.solvers.one_sided.play.stored import checked_points
from fogbound.solvers.one_sided.shaping import ShapedGame, largest_value, shaped_game


def known_points(stored: StoredBounds, form: OneSided, scaled: ShapedGame | None = None) -> OneSidedBounds:
    """Stored points and corners on their game, without vectors; PolicyError where they do not fit or are damaged.

    All that compiled loops follow is made here, nothing of it is read from files. A point on one state is a corner.
    """
    checked_points(stored, form)
    scaled = scaled or shaped_game(form)
    corner, start, state, weight, value = (stored.arrays[name] for name in POINTS)
    sizes, most = np.diff(start), largest_value(form)
    owner = np.repeat(np.arange(len(value)), sizes)
    weight = weight / np.bincount(owner, weight, len(value))[owner]
    least = np.bincount(owner, weight * scaled.least[state], len(value))
    held = np.clip((value - least) / scaled.scale, 0.0, most)
    low = np.clip((corner - scaled.least) / scaled.scale, 0.0, most)
    alone = sizes == 1
    np.minimum.at(low, state[start[:-1][alone]], held[alone])
    wide = np.flatnonzero(~alone)
    inside = ranges(start[wide], sizes[wide])
    beliefs = np.repeat(np.arange(len(wide)), sizes[wide]), state[inside], weight[inside]
    return OneSidedBounds(form, arrays=_records(form, low, held[wide], *beliefs), scaled=scaled)


def _records(
    form: OneSided, corner: Floats, held: Floats, owner: Ints, state: Ints, weight: Floats
) -> dict[str, NDArray[Any]]:
    """Lists of points, and of one facet in every partition, which is 0 everywhere.

    Parameters
    ----------
    corner, held
        [S] and [points] values in the kernels' units.
    owner, state, weight
        [entries] the beliefs of the points: whose, where and how much.
    """
    parts, many = len(form.state_start) - 1, len(held)
    part = np.zeros(many, np.int64)
    part[owner] = form.part[state]
    size = np.diff(form.state_start)[part]
    at = form.size + np.cumsum(size + 2) - (size + 2)
    value = np.zeros(form.size + int((size + 2).sum()))
    value[at[owner] + state - form.state_start[part[owner]]] = weight
    value[at + size] = held
    value[at + size + 1] = held - np.bincount(owner, weight * corner[state], many)
    newest, older = np.full(parts, -1, np.int64), np.full(parts + many, -1, np.int64)
    for number, p in enumerate(part.tolist(), parts):
        older[number], newest[p] = newest[p], number
    arrays: dict[str, NDArray[Any]] = {"corner": corner, "facets": np.arange(parts), "points": newest, "older": older}
    arrays |= {"at": np.concatenate([form.state_start[:-1], at]).astype(np.int64), "value": value}
    used = np.array([parts + many, len(value), 0])
    arrays |= {"derivation": np.full(parts + many, -1), "used": used, "capacity": used.copy()}
    bound_pools(arrays).begin(used, {"partitions": parts, "states": form.size})
    return arrays
