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
from fogbound.solvers.one_sided.play_blind import Promising
from fogbound.solvers.one_sided.play_seeing import Watching
from fogbound.solvers.one_sided.pools import KEPT, make_lists


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
    a, parts = stored.arrays, len(form.first) - 1
    older, at, value = a["older"], a["at"], a["value"]
    sizes = {"corner": form.size, "mask": len(form.action), "at": len(older), "used": 2}
    fits = all(len(a[name]) == size for name, size in sizes.items())
    fits = fits and all(len(a[name]) == parts for name in KEPT)
    fits = fits and a["used"].tolist() == [len(older), len(value)]
    fits = fits and bool((older < np.arange(len(older))).all() and (older >= -1).all())
    fits = fits and all(bool((a[name] >= -1).all() and (a[name] < len(older)).all()) for name in KEPT)
    fits = fits and bool(np.isfinite(value).all() and np.isfinite(a["corner"]).all())
    fits = fits and bool((at >= 0).all() and (at <= len(value)).all() and (np.diff(at) >= 0).all())
    if not fits or not _records_fit(a, form):
        raise PolicyError(f"the stored bounds do not fit {form.spec}, or are damaged")


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
