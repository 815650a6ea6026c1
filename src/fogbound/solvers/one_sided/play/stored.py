"""What each player of a one-sided game plays by, as evidence and files hold it: in the units of the game.

Where there is evidence, its own arrays are what is kept. Where there is none, the bounds are written as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError
from fogbound.forms.one_sided.form import OneSided
from fogbound.policies.stored import POINTS, VECTORS, StoredBounds
from fogbound.solvers.one_sided.bounds import OneSidedBounds
from fogbound.solvers.one_sided.evidence.upper import sparse_beliefs
from fogbound.solvers.one_sided.initial_bounds import seeing_all


def vectors_of(evidence: Mapping[str, NDArray[Any]]) -> StoredBounds:
    """What the blind player plays by: the nodes of a certificate."""
    return StoredBounds(True, {name: evidence[name] for name in VECTORS})


def points_of(evidence: Mapping[str, NDArray[Any]]) -> StoredBounds:
    """What the fully informed player plays by: the points and corners of a certificate."""
    return StoredBounds(False, {name: evidence[name] for name in POINTS})


def vectors_found(bounds: OneSidedBounds) -> StoredBounds:
    """All vectors of bounds that nobody has certified."""
    every = [bounds.vectors(p) for p in range(len(bounds.form.state_start) - 1)]
    parts = np.repeat(np.arange(len(every)), [len(own) for own in every])
    return vectors_of({"node_part": parts, "node_value": np.concatenate([own.ravel() for own in every])})


def points_found(bounds: OneSidedBounds) -> StoredBounds:
    """All points of bounds that nobody has certified.

    Those found with some of the blind player's actions say nothing of a game with all of them: then corners alone.
    """
    form, scaled = bounds.form, bounds.scaled
    whole = bool(bounds.mask.all())
    corner, beliefs, firsts, values = bounds.arrays["corner"] if whole else seeing_all(scaled), [], [], []
    for p in range(len(form.state_start) - 1) if whole else ():
        own = form.states_of(p)
        known, worth = bounds.points(p)
        size = own.stop - own.start  # the states alone come first: they are the corners
        beliefs += list(known[size:])
        firsts += [own.start] * (len(known) - size)
        values += worth[size:].tolist()
    kept = {"corner": scaled.least + scaled.scale * corner, "point_value": np.array(values, np.float64)}
    return points_of(kept | sparse_beliefs(beliefs, firsts))


def checked_vectors(stored: StoredBounds, form: OneSided) -> list[int]:
    """The sizes of the vectors; PolicyError where they are not those of a game like this one."""
    part, value = (stored.arrays[name] for name in VECTORS)
    fits = _plain(part, "i") and _plain(value, "f") and _within(part, len(form.state_start) - 1)
    sizes = np.diff(form.state_start)[part] if fits else np.zeros(0, np.int64)
    if not fits or int(sizes.sum()) != len(value):
        raise _damaged(form)
    return [int(size) for size in sizes]


def checked_points(stored: StoredBounds, form: OneSided) -> None:
    """PolicyError where points and corners are not those of a game like this one."""
    corner, start, state, weight, value = (stored.arrays[name] for name in POINTS)
    fits = all(_plain(array, kind) for array, kind in zip((corner, start, state, weight, value), "fiiff", strict=True))
    fits = fits and len(corner) == form.size and len(start) == len(value) + 1 and len(state) == len(weight)
    fits = fits and start[0] == 0 and start[-1] == len(state) and bool((np.diff(start) > 0).all())
    if not fits or not _within(state, form.size) or bool((weight < 0).any()):
        raise _damaged(form)
    heads, owner = start[:-1], np.repeat(np.arange(len(value)), np.diff(start))
    alone = len(np.unique(owner * form.size + state)) == len(state)  # each state of a point once
    if not alone or bool((form.part[state] != form.part[state[heads]][owner]).any()):
        raise _damaged(form)
    if len(value) and bool((np.add.reduceat(weight, heads) <= 0).any()):
        raise _damaged(form)


def _plain(array: NDArray[Any], kind: str) -> bool:
    return array.ndim == 1 and array.dtype.kind == kind and bool(np.isfinite(array).all())


def _within(numbers: NDArray[Any], most: int) -> bool:
    return bool(((numbers >= 0) & (numbers < most)).all())


def _damaged(form: OneSided) -> PolicyError:
    return PolicyError(f"the stored bounds do not fit {form.spec}, or are damaged")
