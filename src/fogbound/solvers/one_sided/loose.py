"""Strategies of a one-sided game from bounds that were saved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError
from fogbound.core.policy import Player
from fogbound.forms.one_sided import OneSided
from fogbound.policies.stored import ARRAYS, StoredBounds
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.play.blind import Promising
from fogbound.solvers.one_sided.play.seeing import Watching
from fogbound.solvers.one_sided.pools import KEPT, make_lists

NOISE = 1e-9  # what rounding may leave below 0


def played(stored: StoredBounds, form: OneSided) -> Player:
    """The policy that stored bounds stand for, in their game; PolicyError when they do not fit."""
    known = bounded(stored, form)
    return Promising(known) if stored.blind else Watching(known)


def bounded(stored: StoredBounds, form: OneSided) -> Bounded:
    """Stored bounds on their game."""
    _check(stored, form)
    arrays = {name: np.array(stored.arrays[name]) for name in ARRAYS if name != "mask"}
    arrays["used"], arrays["why"] = np.append(arrays["used"], 0), np.full(len(arrays["older"]), -1)
    arrays["touched"], arrays["walks"] = np.zeros(len(form.action), bool), np.zeros(1, np.int64)
    make_lists(arrays, len(form.first) - 1, form.size)
    return Bounded(form, stored.arrays["mask"].astype(bool), arrays)


def _check(stored: StoredBounds, form: OneSided) -> None:
    """Compiled loops follow these numbers, so none may lead astray."""
    a = stored.arrays
    if not (_shapes_fit(a, form) and _lists_fit(a, form) and _records_fit(a, form)):
        raise PolicyError(f"the stored bounds do not fit {form.spec}, or are damaged")


def _shapes_fit(a: dict[str, NDArray[Any]], form: OneSided) -> bool:
    """Whether all arrays are as long as they must be, and of the right kind; corners are shifted to be at least 0."""
    parts, records = len(form.first) - 1, len(a["older"])
    sizes = {"corner": form.size, "mask": len(form.action), "at": records, "used": 2, **dict.fromkeys(KEPT, parts)}
    real = ("value", "corner")
    kinds = all(array.ndim == 1 and array.dtype.kind == ("f" if name in real else "i") for name, array in a.items())
    fits = kinds and all(len(a[name]) == size for name, size in sizes.items())
    fits = fits and a["used"].tolist() == [records, len(a["value"])]
    return fits and all(bool(np.isfinite(a[name]).all()) for name in real) and bool((a["corner"] >= -NOISE).all())


def _lists_fit(a: dict[str, NDArray[Any]], form: OneSided) -> bool:
    """Whether lists lead from newer to older records; wherever play goes, there is a vector, a facet and an action."""
    older, at, mask = a["older"], a["at"], a["mask"]
    fits = bool((older < np.arange(len(older))).all() and (older >= -1).all())
    fits = fits and all(bool((a[name] >= -(name == "points")).all() and (a[name] < len(older)).all()) for name in KEPT)
    fits = fits and bool((at >= 0).all() and (at <= len(a["value"])).all() and (np.diff(at) >= 0).all())
    fits = fits and bool(((mask == 0) | (mask == 1)).all())
    return fits and bool((np.add.reduceat(mask, form.slot[:-1]) > 0).all())


def _records_fit(a: dict[str, NDArray[Any]], form: OneSided) -> bool:
    """Whether every record of a partition's lists lies within the pool."""
    for name, more in KEPT.items():
        for p, record in enumerate(a[name].tolist()):
            size = int(form.first[p + 1] - form.first[p]) + more
            while record >= 0:
                if a["at"][record] + size > len(a["value"]):
                    return False
                record = int(a["older"][record])
    return True
