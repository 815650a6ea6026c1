"""A POSG with one reward, as kernels see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.compiled.bundle import Bundle
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.posg import POSG


@dataclass(frozen=True, eq=False)
class Dynamics(Bundle):
    """The arrays of a POSG; `observations` [n] says how many each agent can make."""

    row: Longs
    stride: Longs
    places: Longs
    out: Longs
    next: Longs
    seen: Longs
    prob: Floats
    reward: Floats
    over: NDArray[np.bool_]
    observations: Longs


def dynamics(form: POSG) -> Dynamics:
    """Everybody's reward is the first one's."""
    counts = np.array([len(known) for known in form.observations], np.int64)
    shared = form.reward[:, 0]
    whole = (form.row, form.stride, form.places, form.out, form.next, form.seen)
    longs = [np.ascontiguousarray(array) for array in whole]
    chances = np.ascontiguousarray(form.prob), np.ascontiguousarray(shared)
    return Dynamics(*longs, *chances, np.ascontiguousarray(form.over), counts)  # type: ignore[call-arg, arg-type]
